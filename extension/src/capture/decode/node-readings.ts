// What a VM said of itself while it was captured, from the records that are none of pprof's.

import type { PbfReader } from "pbf";
import type { GrowingNumbers } from "../columns/growing-numbers.js";
import type { RunQueue } from "../questions.js";
import { eachSpan, VARINT } from "./profile-outline.js";

const RUN_QUEUE = 2;
/** No VM has more processes and ports. */
const MOST_WAITING = 2 ** 29;

/** @param before of the readings that came earlier. What makes no sense is left out: the field may be another program's. */
export function runQueueOf(reader: PbfReader, readings: GrowingNumbers, before: RunQueue | undefined): RunQueue | undefined {
  let found = before;
  eachSpan(readings, reader, (end) => {
    const waiting = runQueueIn(reader, end);
    if (waiting === undefined || waiting > MOST_WAITING) return;
    const { readings: count = 0, mean = 0, most = 0 } = found ?? {};
    found = { readings: count + 1, mean: mean + (waiting - mean) / (count + 1), most: Math.max(most, waiting), last: waiting };
  });
  return found;
}

function runQueueIn(reader: PbfReader, end: number): number | undefined {
  let waiting: number | undefined;
  try {
    for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
      if (field === RUN_QUEUE && reader.type === VARINT) waiting = reader.readVarint();
      else reader.skip(reader.type);
    }
  } catch {
    return undefined; // pbf throws at what is no protobuf message
  }
  return reader.pos === end ? waiting : undefined;
}
