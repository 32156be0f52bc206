// A VM's readings of itself during the capture, from the records that are not part of pprof.

import type { PbfReader } from "pbf";
import type { GrowingNumbers } from "../columns/growing-numbers.js";
import { MAX_NODE_READINGS } from "../limits.generated.js";
import type { NodeReadings, RunQueue } from "../questions.js";
import { eachSpan, VARINT } from "./profile-outline.js";

/** Where a reading has what, by the number of the field. */
const FIELDS: ReadonlyMap<number, keyof NodeReadings> = new Map([
  [1, "atMs"],
  [2, "runQueue"],
  [5, "processes"],
  [6, "memory"],
  [7, "rss"],
  [8, "largestMailbox"],
  [9, "waitingMessages"],
  [10, "collections"],
  [12, "reductions"],
  [13, "contextSwitches"],
  [14, "ioIn"],
  [15, "ioOut"],
]);
/** No VM has more processes and ports. */
const MOST_WAITING = 2 ** 29;

export interface ReadReadings {
  readonly runQueue: RunQueue | undefined;
  readonly readings: NodeReadings | undefined;
}

/** @param before of the readings that came earlier. What makes no sense is left out: the field may be another program's. */
export function readingsOf(reader: PbfReader, spans: GrowingNumbers, before: ReadReadings): ReadReadings {
  let { runQueue, readings } = before;
  eachSpan(spans, reader, (end) => {
    const reading = readingIn(reader, end);
    const waiting = reading?.get("runQueue");
    if (reading === undefined || (waiting === undefined && !reading.has("processes")) || (waiting ?? 0) > MOST_WAITING)
      return;
    if (waiting !== undefined) {
      const { readings: count = 0, mean = 0, most = 0 } = runQueue ?? {};
      runQueue = {
        readings: count + 1,
        mean: mean + (waiting - mean) / (count + 1),
        most: Math.max(most, waiting),
        last: waiting,
      };
    }
    readings ??= noReadings();
    const { atMs } = readings;
    const at = reading.get("atMs") ?? 0;
    // Times only grow; a reading that breaks this is left out.
    if (atMs.length >= MAX_NODE_READINGS || at < (atMs.at(-1) ?? 0)) return;
    for (const name of FIELDS.values()) readings[name].push(name === "atMs" ? at : (reading.get(name) ?? Number.NaN));
  });
  return { runQueue, readings };
}

function noReadings(): NodeReadings {
  return {
    atMs: [],
    runQueue: [],
    memory: [],
    rss: [],
    largestMailbox: [],
    waitingMessages: [],
    processes: [],
    collections: [],
    reductions: [],
    contextSwitches: [],
    ioIn: [],
    ioOut: [],
  };
}

function readingIn(reader: PbfReader, end: number): ReadonlyMap<keyof NodeReadings, number> | undefined {
  const reading = new Map<keyof NodeReadings, number>();
  try {
    for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
      const name = FIELDS.get(field);
      if (name !== undefined && reader.type === VARINT) reading.set(name, reader.readVarint());
      else reader.skip(reader.type);
    }
  } catch {
    return undefined; // pbf throws at bytes that are no protobuf message
  }
  return reader.pos === end ? reading : undefined;
}
