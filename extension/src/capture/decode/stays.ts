// Long collections and calls, from the records that are not part of pprof.

import type { PbfReader } from "pbf";
import { STAY_KINDS, type Stay } from "../../../../contract/capture-answers.js";
import type { GrowingNumbers } from "../columns/growing-numbers.js";
import { MAX_STAYS } from "../limits.generated.js";
import { BYTES, eachSpan, VARINT } from "./profile-outline.js";

type Numbers = "atUs" | "lastsUs" | "samples" | "kind";
type Texts = "scheduler" | "pid" | "process" | "functionName" | "called";
/** Where a stay has what, by the number of the field. */
const NUMBERS: ReadonlyMap<number, Numbers> = new Map([
  [1, "atUs"],
  [2, "lastsUs"],
  [3, "samples"],
  [4, "kind"],
]);
const TEXTS: ReadonlyMap<number, Texts> = new Map([
  [5, "scheduler"],
  [6, "pid"],
  [7, "process"],
  [8, "functionName"],
  [10, "called"],
]);
/** More than the helper writes. */
const MOST_BYTES = 32_768;

/** @param before those that came earlier. What makes no sense is left out: the field may be another program's. */
export function staysOf(
  reader: PbfReader,
  spans: GrowingNumbers,
  before: readonly Stay[] | undefined,
): readonly Stay[] | undefined {
  if (spans.length === 0) return before;
  let stays = [...(before ?? [])];
  eachSpan(spans, reader, (end) => {
    const stay = stayIn(reader, end);
    if (stay === undefined) return;
    if (stays.length >= MAX_STAYS) stays = longestStays(stays, MAX_STAYS / 2);
    stays.push(stay);
  });
  return stays.length === 0 ? undefined : stays;
}

/** The longest, at most so many, in the order of time. */
export function longestStays(stays: readonly Stay[], most: number): Stay[] {
  const length = ({ fromMs, toMs }: Stay) => toMs - fromMs;
  const longest = stays.length > most ? stays.toSorted((a, b) => length(b) - length(a)).slice(0, most) : stays;
  return longest.toSorted((a, b) => a.fromMs - b.fromMs);
}

function stayIn(reader: PbfReader, end: number): Stay | undefined {
  if (end - reader.pos > MOST_BYTES) return undefined;
  const numbers: Record<Numbers, number> = { atUs: 0, lastsUs: 0, samples: 0, kind: 0 };
  const texts: Record<Texts, string> = { scheduler: "", pid: "", process: "", functionName: "", called: "" };
  try {
    for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
      const [number, text] = [NUMBERS.get(field), TEXTS.get(field)];
      if (number !== undefined && reader.type === VARINT) numbers[number] = reader.readVarint();
      else if (text !== undefined && reader.type === BYTES) texts[text] = reader.readString();
      else reader.skip(reader.type);
    }
  } catch {
    return undefined; // pbf throws at bytes that are no protobuf message
  }
  const kind = STAY_KINDS[numbers.kind - 1];
  if (reader.pos !== end || kind === undefined || !(numbers.samples >= 2)) return undefined;
  const { atUs, lastsUs } = numbers;
  return { fromMs: atUs / 1000, toMs: (atUs + lastsUs) / 1000, kind, ...texts };
}
