import type { PbfReader } from "pbf";
import { damaged } from "../capture-error.js";
import { BYTES, VARINT } from "./profile-outline.js";

/**
 * Reads a small record from where the reader stands to `end`: its numbers by field into `numbers` (0 when absent), its nested records to `nested`.
 * All 64 bits of a number count; above 2^53 the last digits are lost, in every place in the same way, so ids still meet. Negative ones become huge.
 */
export function readRecord(
  reader: PbfReader,
  end: number,
  what: string,
  numbers: number[],
  nested?: (field: number, start: number, end: number) => void,
): void {
  numbers.fill(0);
  let field: number;
  while ((field = reader.nextField(end)) !== 0) {
    if (reader.type === VARINT) {
      const value = reader.readVarint();
      if (field < numbers.length) numbers[field] = value;
    } else if (reader.type === BYTES) {
      const length = reader.readVarint();
      const start = reader.pos;
      if (length > end - start) throw damaged(what);
      nested?.(field, start, start + length);
      reader.pos = start + length;
    }
  }
  if (reader.pos !== end) throw damaged(what);
}

/** A line number as stored: 0 when it is none. */
export function toLine(value: number): number {
  return value <= 0xffffffff ? value : 0;
}
