// The samples of a profile message. There may be millions, so nothing is allocated for one: its stack and labels are looked up by their bytes.

import type { PbfReader } from "pbf";
import { CaptureError, damaged, noSuch, tooMany } from "../capture-error.js";
import type { ByteKeys } from "../columns/byte-keys.js";
import type { IdMap } from "../columns/id-map.js";
import type { GrowingNumbers } from "../columns/growing-numbers.js";
import type { Labels } from "../tables/label-sets.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { MAX_STACK_FRAMES } from "../tables/stack-trie.js";
import type { CountedValue } from "../tables/capture-description.js";
import { BYTES, VARINT } from "./profile-outline.js";

const SAMPLE = "a sample";
const LOCATIONS = 1;
const VALUES = 2;
const LABEL = 3;

const MAX_LABELS = 256;
const MAX_BUCKET_MS = 0xffffffff;

export class SampleDecoder {
  readonly #reader: PbfReader;
  readonly #tables: ProfileTables;
  readonly #stacks: ByteKeys;
  readonly #labelSets: ByteKeys;
  readonly #locationIds: IdMap;
  readonly #locationStarts: Uint32Array;
  readonly #locationFrames: Uint32Array;
  readonly #frames = new Uint32Array(MAX_STACK_FRAMES);
  /** Of the stack in question, in `#frames`. */
  #frameCount = 0;
  #bucketKey = -1;
  /** What dividing the values before has left over. */
  #remainder = 0;

  /** To be made when all locations of the message are in the tables. */
  constructor(reader: PbfReader, tables: ProfileTables) {
    this.#reader = reader;
    this.#tables = tables;
    this.#stacks = tables.stackKeys;
    this.#labelSets = tables.labelKeys;
    this.#locationIds = tables.locationIds;
    this.#locationStarts = tables.locationStarts.data;
    this.#locationFrames = tables.locationFrames.data;
    this.#stacks.readFrom(reader.buf);
    this.#labelSets.readFrom(reader.buf);
  }

  /** Adds all samples of the message. With `cut`, those that refer to something missing are left out. */
  decode(runs: GrowingNumbers, counted: CountedValue, cut: boolean): void {
    this.#each(runs, (end) => {
      try {
        this.#sample(end, counted);
      } catch (error) {
        if (!(cut && error instanceof CaptureError && error.problem === "badReference")) throw error;
      }
    });
  }

  /** The sum of one value over all samples. */
  sum(runs: GrowingNumbers, column: number, columns: number): number {
    let sum = 0;
    this.#each(runs, (end) => {
      sum += this.#valueOf(end, column, columns);
    });
    return sum;
  }

  #each(runs: GrowingNumbers, read: (end: number) => void): void {
    const reader = this.#reader;
    for (let run = 0; run < runs.length; run += 2) {
      reader.pos = runs.at(run);
      const runEnd = runs.at(run + 1);
      while (reader.pos < runEnd) {
        reader.nextField(runEnd);
        const end = reader.readVarint() + reader.pos;
        read(end);
        reader.pos = end;
      }
    }
  }

  #sample(end: number, counted: CountedValue): void {
    const reader = this.#reader;
    const start = reader.pos;
    let stackStart = start;
    let stackEnd = start;
    let valuesStart = -1;
    let valuesEnd = -1;
    let labelsStart = -1;
    let labelsEnd = -1;
    let lastLabelTag = -1;
    let lastLabel = -1;
    let regular = true;
    const bytes = reader.buf;
    for (;;) {
      const tag = reader.pos;
      let field: number;
      let length: number;
      const head = bytes[tag] as number;
      const short = bytes[tag + 1] as number;
      // Tag and length in a byte each, as nearly always.
      if (tag + 1 < end && head < 0x80 && (head & 7) === BYTES && head >= 8 && short < 0x80) {
        field = head >>> 3;
        length = short;
        reader.pos = tag + 2;
      } else {
        field = reader.nextField(end);
        if (field === 0) break;
        if (reader.type !== BYTES) {
          if (field <= LABEL) regular = false;
          continue;
        }
        length = reader.readVarint();
      }
      const content = reader.pos;
      const contentEnd = content + length;
      if (contentEnd > end) throw damaged(SAMPLE);
      reader.pos = contentEnd;
      if (field === LABEL) {
        if (labelsStart < 0) labelsStart = tag;
        else if (labelsEnd !== tag) regular = false;
        labelsEnd = contentEnd;
        lastLabelTag = tag;
        lastLabel = content;
      } else if (field === LOCATIONS) {
        if (stackEnd !== start) regular = false;
        stackStart = content;
        stackEnd = contentEnd;
      } else if (field === VALUES) {
        if (valuesStart >= 0) regular = false;
        valuesStart = content;
        valuesEnd = contentEnd;
      }
    }
    if (reader.pos !== end) throw damaged(SAMPLE);
    if (!regular) {
      reader.pos = start;
      this.#irregular(end, counted);
      return;
    }
    const value = valuesStart < 0 ? missingValue() : this.#value(valuesStart, valuesEnd, counted.column, counted.columns);
    let bucketMs = 0;
    let labels: number;
    if (labelsStart < 0) {
      labels = this.#tables.labels.add(NO_LABELS);
    } else {
      this.#readLabel(lastLabel, labelsEnd);
      if (this.#isBucket(label[1])) {
        bucketMs = toBucket(label[3]);
        labelsEnd = lastLabelTag;
      }
      labels = this.#labelSets.find(labelsStart, labelsEnd);
      if (labels < 0) {
        const inside = this.#addLabels(labelsStart, labelsEnd);
        labels = this.#labelSet;
        if (inside < 0) this.#labelSets.addMissed(labelsStart, labelsEnd, labels);
        else bucketMs = inside;
      }
    }
    let node = this.#stacks.find(stackStart, stackEnd);
    if (node < 0) {
      node = this.#addStack(stackStart, stackEnd);
      this.#stacks.addMissed(stackStart, stackEnd, node);
    }
    this.#tables.samples.add(node, labels, bucketMs, this.#scaled(value, counted.divisor));
  }

  /** A sample as few write it: numbers one by one, or labels between other fields. */
  #irregular(end: number, counted: CountedValue): void {
    const reader = this.#reader;
    const values: number[] = [];
    const labels: Labels = { ...NO_LABELS };
    let bucketMs = 0;
    let labelCount = 0;
    this.#frameCount = 0;
    let field: number;
    while ((field = reader.nextField(end)) !== 0) {
      if (reader.type === VARINT) {
        if (field === LOCATIONS) this.#pushLocation(reader.readVarint());
        else if (field === VALUES) values.push(reader.readVarint(true));
      } else if (reader.type === BYTES) {
        const contentEnd = reader.readVarint() + reader.pos;
        if (field === LOCATIONS) this.#pushLocations(contentEnd);
        else if (field === VALUES) while (reader.pos < contentEnd) values.push(reader.readVarint(true));
        else if (field === LABEL) {
          if (++labelCount > MAX_LABELS) throw tooMany("labels on a sample", MAX_LABELS);
          this.#readLabel(reader.pos, contentEnd);
          if (this.#isBucket(label[1])) bucketMs = toBucket(label[3]);
          else this.#takeLabel(labels);
        }
        if (reader.pos > contentEnd) throw damaged(SAMPLE);
        reader.pos = contentEnd;
      }
      if (values.length > counted.columns) throw damaged("a sample with too many values");
    }
    const value = values[counted.column];
    const node = this.#tables.stacks.add(this.#frames, this.#frameCount);
    this.#tables.samples.add(node, this.#tables.labels.add(labels), bucketMs, this.#scaled(Math.max(value ?? missingValue(), 0), counted.divisor));
  }

  /** The value of a column in a packed list. Negative ones, of a difference of two profiles, have no share of anything. */
  #value(start: number, end: number, column: number, columns: number): number {
    const reader = this.#reader;
    reader.pos = start;
    let value = -1;
    let at = 0;
    while (reader.pos < end) {
      const next = reader.readVarint(true);
      if (at === column) value = next < 0 ? 0 : next;
      at++;
    }
    if (reader.pos !== end || at > columns) throw damaged(SAMPLE);
    return value < 0 ? missingValue() : value;
  }

  #valueOf(end: number, column: number, columns: number): number {
    const reader = this.#reader;
    const values: number[] = [];
    let field: number;
    while ((field = reader.nextField(end)) !== 0) {
      if (field !== VALUES) continue;
      const contentEnd = reader.type === BYTES ? reader.readVarint() + reader.pos : reader.pos + 1;
      if (contentEnd > end) throw damaged(SAMPLE);
      while (reader.pos < contentEnd) values.push(reader.readVarint(true));
      if (values.length > columns) throw damaged(SAMPLE);
    }
    return Math.max(values[column] ?? 0, 0);
  }

  #scaled(value: number, divisor: number): number {
    if (divisor === 1) return value;
    const sum = value + this.#remainder;
    const scaled = Math.floor(sum / divisor);
    this.#remainder = sum - scaled * divisor;
    return scaled;
  }

  #labelSet = 0;

  /** Reads labels that were not met before into `#labelSet`; the bucket when there was one among them, else -1. */
  #addLabels(start: number, end: number): number {
    const reader = this.#reader;
    const labels: Labels = { ...NO_LABELS };
    let bucketMs = -1;
    let count = 0;
    reader.pos = start;
    while (reader.pos < end) {
      reader.nextField(end);
      const contentEnd = reader.readVarint() + reader.pos;
      if (++count > MAX_LABELS) throw tooMany("labels on a sample", MAX_LABELS);
      this.#readLabel(reader.pos, contentEnd);
      if (this.#isBucket(label[1])) bucketMs = toBucket(label[3]);
      else this.#takeLabel(labels);
      reader.pos = contentEnd;
    }
    this.#labelSet = this.#tables.labels.add(labels);
    return bucketMs;
  }

  /** Into `label`: key, text, number, unit from index 1. */
  #readLabel(start: number, end: number): void {
    const reader = this.#reader;
    label[1] = label[2] = label[3] = 0;
    reader.pos = start;
    let field: number;
    while ((field = reader.nextField(end)) !== 0) {
      if (reader.type !== VARINT) continue;
      const value = reader.readVarint();
      if (field === 1) label[1] = value;
      else if (field === 2) label[2] = value;
      else if (field === 3) label[3] = value;
    }
    if (reader.pos !== end) throw damaged("a label");
  }

  #isBucket(key: number): boolean {
    if (key === this.#bucketKey) return true;
    // A string may be in the table twice.
    if (this.#tables.strings.text(key) !== "bucket_ms") return false;
    this.#bucketKey = key;
    return true;
  }

  #takeLabel(into: Labels): void {
    const { strings } = this.#tables;
    strings.check(label[2]);
    const key = strings.text(label[1]);
    if (key === "scheduler" || key === "process" || key === "class" || key === "trust") into[key] = strings.text(label[2]);
  }

  #addStack(start: number, end: number): number {
    this.#frameCount = 0;
    this.#reader.pos = start;
    this.#pushLocations(end);
    return this.#tables.stacks.add(this.#frames, this.#frameCount);
  }

  #pushLocations(end: number): void {
    const reader = this.#reader;
    const bytes = reader.buf;
    while (reader.pos < end) {
      const byte = bytes[reader.pos] as number;
      // Most ids are short.
      if (byte < 0x80) {
        reader.pos++;
        this.#pushLocation(byte);
      } else this.#pushLocation(reader.readVarint());
    }
    if (reader.pos !== end) throw damaged(SAMPLE);
  }

  #pushLocation(id: number): void {
    const location = this.#locationIds.get(id);
    if (location < 0) throw noSuch("location", id);
    const starts = this.#locationStarts;
    const end = starts[location + 1] as number;
    for (let at = starts[location] as number; at < end; at++) {
      if (this.#frameCount === MAX_STACK_FRAMES) throw tooMany("frames in one stack", MAX_STACK_FRAMES);
      this.#frames[this.#frameCount++] = this.#locationFrames[at] as number;
    }
  }
}

/** The label read last: by field number. One for all decoders, as they never interleave. */
const label: [number, number, number, number] = [0, 0, 0, 0];
const NO_LABELS: Readonly<Labels> = { scheduler: "", process: "", class: "", trust: "" };

function toBucket(value: number): number {
  return value <= MAX_BUCKET_MS ? value : 0;
}

function missingValue(): never {
  throw damaged("a sample without its values");
}
