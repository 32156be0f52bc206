// The first pass over a profile message: where its records are. Fields may come in any order, and most of the bytes are samples, which are only skipped here.

import type { PbfReader } from "pbf";
import { CaptureError } from "../capture-error.js";
import { GrowingNumbers } from "../columns/growing-numbers.js";
import { MAX_COMMENTS } from "../limits.generated.js";
import type { StringTable } from "../tables/string-table.js";
import { FILE_END } from "./file-end.js";

export const VARINT = 0;
export const BYTES = 2;
/** No tag with its number is longer. */
const LONGEST_START_BYTES = 20;

/** Fields of `Profile` in pprof's profile.proto. */
const FIELD = {
  sampleType: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  string: 6,
  timeNanos: 9,
  durationNanos: 10,
  periodType: 11,
  period: 12,
  comment: 13,
  defaultSampleType: 14,
  /** None of pprof's: see `docs/json.md`. */
  nodeReading: 1000,
  stay: 1002,
} as const;

/** Positions in the message: start and end of each record, one after the other. */
export interface ProfileOutline {
  readonly sampleTypes: GrowingNumbers;
  readonly periodTypes: GrowingNumbers;
  readonly mappings: GrowingNumbers;
  readonly functions: GrowingNumbers;
  readonly locations: GrowingNumbers;
  /** Runs of whole sample fields, tags included. */
  readonly sampleRuns: GrowingNumbers;
  readonly nodeReadings: GrowingNumbers;
  /** Long collections and calls. */
  readonly stays: GrowingNumbers;
  /** String indices. */
  readonly comments: number[];
  /** -1 when the message does not say. */
  readonly scalars: {
    timeNanos: number;
    durationNanos: number;
    period: number;
    defaultSampleType: number;
    fileEnd: number;
  };
  /** The message ends inside a field; everything complete before it is here. */
  readonly cut: boolean;
}

/** Goes through the message; its strings are added to `strings` on the way. */
export function outlineOf(reader: PbfReader, strings: StringTable): ProfileOutline {
  const list = () => new GrowingNumbers(16);
  const outline = {
    sampleTypes: list(),
    periodTypes: list(),
    mappings: list(),
    functions: list(),
    locations: list(),
    sampleRuns: list(),
    nodeReadings: list(),
    stays: list(),
    comments: [] as number[],
    scalars: { timeNanos: -1, durationNanos: -1, period: -1, defaultSampleType: -1, fileEnd: -1 },
    cut: false,
  };
  const { mappings, functions, locations, sampleRuns, scalars } = outline;
  const length = reader.length;
  let runEnd = -1;
  while (reader.pos < length) {
    const fieldStart = reader.pos;
    let field: number;
    let value: number;
    try {
      field = reader.nextField();
      if (reader.type === BYTES || reader.type === VARINT) value = reader.readVarint(true);
      else {
        value = 0;
        reader.skip(reader.type);
      }
    } catch {
      if (length - fieldStart >= LONGEST_START_BYTES) throw noProfile();
      outline.cut = true;
      break;
    }
    if (field === 0 || (reader.type === BYTES && value < 0)) throw noProfile();
    const start = reader.pos;
    const end = reader.type === BYTES ? start + value : start;
    if (end > length) {
      outline.cut = true;
      break;
    }
    reader.pos = end;
    if (reader.type === BYTES) {
      if (field === FIELD.sample) {
        if (runEnd !== fieldStart) pushSpan(sampleRuns, fieldStart, end);
        else sampleRuns.data[sampleRuns.length - 1] = end;
        runEnd = end;
      } else if (field === FIELD.string) strings.push(reader.buf, start, end);
      else if (field === FIELD.location) pushSpan(locations, start, end);
      else if (field === FIELD.function) pushSpan(functions, start, end);
      else if (field === FIELD.mapping) pushSpan(mappings, start, end);
      else if (field === FIELD.sampleType) pushSpan(outline.sampleTypes, start, end);
      else if (field === FIELD.nodeReading) pushSpan(outline.nodeReadings, start, end);
      else if (field === FIELD.stay) pushSpan(outline.stays, start, end);
      else if (field === FIELD.periodType) pushSpan(outline.periodTypes, start, end);
      else if (field === FIELD.comment) {
        reader.pos = start;
        while (reader.pos < end) pushComment(outline.comments, reader.readVarint());
        if (reader.pos !== end) throw noProfile();
      }
    } else if (reader.type === VARINT) {
      if (field === FIELD.comment) pushComment(outline.comments, value);
      else if (field === FIELD.timeNanos) scalars.timeNanos = Math.max(value, 0);
      else if (field === FIELD.durationNanos) scalars.durationNanos = Math.max(value, 0);
      else if (field === FIELD.period) scalars.period = Math.max(value, 0);
      else if (field === FIELD.defaultSampleType) scalars.defaultSampleType = Math.max(value, 0);
      else if (field === FILE_END) scalars.fileEnd = Math.max(value, 0);
    }
  }
  return outline;
}

/** Calls `read` for each record, the reader standing at its start; `read` may leave it anywhere. */
export function eachSpan(spans: GrowingNumbers, reader: PbfReader, read: (end: number) => void): void {
  for (let at = 0; at < spans.length; at += 2) {
    reader.pos = spans.at(at);
    read(spans.at(at + 1));
  }
}

function pushSpan(spans: GrowingNumbers, start: number, end: number): void {
  spans.push(start);
  spans.push(end);
}

function pushComment(comments: number[], index: number): void {
  // Of a kind the last one counts.
  if (comments.length >= MAX_COMMENTS) comments.splice(0, MAX_COMMENTS / 2);
  comments.push(index);
}

function noProfile(): CaptureError {
  return new CaptureError("notAProfile", "it is no pprof profile");
}
