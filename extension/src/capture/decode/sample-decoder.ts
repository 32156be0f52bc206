// The samples of a profile message. There may be millions, so nothing is allocated for one: its stack and labels are looked up by their bytes.

import type { PbfReader } from "pbf";
import { SAMPLE_TYPES } from "../../../../contract/sample-types.generated.js";
import { CaptureError, damaged, noSuch } from "../capture-error.js";
import type { ByteKeys } from "../columns/byte-keys.js";
import type { IdMap } from "../columns/id-map.js";
import type { GrowingNumbers } from "../columns/growing-numbers.js";
import {
  BEFORE_SAMPLING,
  INNERMOST_FRAMES,
  MAX_LABELS,
  MAX_STACK_FRAMES,
  OUTERMOST_FRAMES,
} from "../limits.generated.js";
import type { Labels } from "../tables/label-sets.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import type { SampleRows } from "../tables/sample-rows.js";
import type { CountedType, CountedValue } from "../tables/capture-description.js";
import { BYTES, VARINT } from "./profile-outline.js";

const SAMPLE = "a sample";
const LOCATIONS = 1;
const VALUES = 2;
const LABEL = 3;
const LOCATIONS_TAG = (LOCATIONS << 3) | BYTES;
const VALUES_TAG = (VALUES << 3) | BYTES;
const LABEL_TAG = (LABEL << 3) | BYTES;
/** Of a label. */
const KEY_TAG = (1 << 3) | VARINT;
const TEXT_TAG = (2 << 3) | VARINT;
const NUMBER_TAG = (3 << 3) | VARINT;

const MAX_BUCKET_MS = 0xffffffff;

export class SampleDecoder {
  readonly #reader: PbfReader;
  readonly #tables: ProfileTables;
  readonly #stacks: ByteKeys;
  readonly #labelSets: ByteKeys;
  readonly #locationIds: IdMap;
  readonly #locationStarts: Uint32Array;
  readonly #locationFrames: Uint32Array;
  /** With room for as many again: of a longer stack the middle goes each time that they are full. */
  readonly #frames = new Uint32Array(2 * MAX_STACK_FRAMES);
  #isCut = false;
  readonly #isOwn: boolean;
  /** Of the current sample; empty when it has none. */
  #pid = "";
  /** Of the stack in question, in `#frames`. */
  #frameCount = 0;
  #bucketKey = -1;
  /** At least one. */
  #types: readonly CountedType[] = [];
  /** The value that counts, where it is the same in each sample. */
  #only: CountedValue | undefined;
  /** Values of a sample. */
  #columns = 0;
  /** The values of the sample in question, read where there are several types. */
  readonly #values: number[] = [];

  /** To be made when all locations of the message are in the tables. */
  constructor(reader: PbfReader, tables: ProfileTables, isOwn: boolean) {
    this.#isOwn = isOwn;
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

  /** Adds all samples of the message. With `cut`, those that refer to something missing are left out. @returns false when there was no room for all of them */
  decode(runs: GrowingNumbers, types: readonly CountedType[], cut: boolean): boolean {
    this.#types = types;
    const [first] = types;
    this.#columns = first?.counted.columns ?? 0;
    this.#only = first !== undefined && types.length === 1 && countsItself(first) ? first.counted : undefined;
    let hadRoom = true;
    this.#each(runs, (end) => {
      if (!hadRoom) return;
      try {
        this.#sample(end);
      } catch (error) {
        if (!(error instanceof CaptureError)) throw error;
        if (error.problem === "tooMany") hadRoom = false;
        else if (!cut || error.problem !== "badReference") throw error;
      }
    });
    return hadRoom;
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

  #sample(end: number): void {
    const reader = this.#reader;
    const bytes = reader.buf;
    const start = reader.pos;
    let stackStart = -1;
    let stackEnd = -1;
    let valuesStart = -1;
    let valuesEnd = -1;
    let labelsStart = -1;
    let labelsEnd = -1;
    let lastLabelTag = -1;
    let lastLabel = -1;
    for (let at = start; at < end;) {
      const tag = at;
      const head = bytes[tag] as number;
      if (head >= 0x80 || head < 8 || (head & 7) !== BYTES) {
        reader.pos = start;
        this.#irregular(end);
        return;
      }
      let length = bytes[tag + 1] as number;
      at += 2;
      if (!(length < 0x80)) {
        reader.pos = tag + 1;
        length = reader.readVarint();
        at = reader.pos;
      }
      const content = at;
      at += length;
      if (at > end) throw damaged(SAMPLE);
      let isRegular = true;
      if (head === LABEL_TAG) {
        if (labelsStart < 0) labelsStart = tag;
        else isRegular = labelsEnd === tag;
        labelsEnd = at;
        lastLabelTag = tag;
        lastLabel = content;
      } else if (head === LOCATIONS_TAG) {
        isRegular = stackStart < 0;
        stackStart = content;
        stackEnd = at;
      } else if (head === VALUES_TAG) {
        isRegular = valuesStart < 0;
        valuesStart = content;
        valuesEnd = at;
      }
      if (!isRegular) {
        reader.pos = start;
        this.#irregular(end);
        return;
      }
    }
    const type = valuesStart < 0 ? missingValue() : this.#readValue(valuesStart, valuesEnd);
    const value = this.#valueRead;
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
    // The empty stack has no bytes.
    let node = stackStart < 0 ? 0 : this.#stacks.find(stackStart, stackEnd);
    if (node < 0) {
      node = this.#addStack(stackStart, stackEnd);
      this.#stacks.addMissed(stackStart, stackEnd, node);
    }
    this.#addRow(node, labels, bucketMs, type, value);
  }

  #addRow(node: number, labels: number, bucketMs: number, type: number, value: number): void {
    const rows = this.#tables.rows[type] as SampleRows;
    const count = rows.scaled(value, (this.#types[type] as CountedType).counted.divisor);
    if (bucketMs === 0 && this.#standsForTimeBefore(node)) return;
    rows.add(node, labels, bucketMs, count);
    this.#tables.cut.count(node, this.#samplesIn(type, count));
  }

  /** The number of samples of a row. */
  #samplesIn(type: number, count: number): number {
    const of = this.#types[type] as CountedType;
    return countsItself(of) ? count : Math.max(this.#values[of.samples] ?? 0, 0);
  }

  #valueRead = 0;

  /** Reads packed values: the one that counts into `#valueRead`. @returns its type */
  #readValue(start: number, end: number): number {
    if (this.#only !== undefined) {
      this.#valueRead = this.#value(start, end, this.#only.column, this.#only.columns);
      return 0;
    }
    const reader = this.#reader;
    this.#values.length = 0;
    reader.pos = start;
    while (reader.pos < end) {
      this.#values.push(reader.readVarint(true));
      if (this.#values.length > this.#columns) throw damaged(SAMPLE);
    }
    if (reader.pos !== end) throw damaged(SAMPLE);
    return this.#takeValue();
  }

  /**
   * Of `#values` into `#valueRead`. A row counts for the first type that it has a value of, so that none counts twice. Negative values, of a
   * difference of two profiles, have no share of anything. @returns its type
   */
  #takeValue(): number {
    const isThere = (column: number) => (this.#values[column] ?? 0) !== 0;
    const found = this.#types.findIndex(({ samples, counted }) => isThere(samples) || isThere(counted.column));
    const type = this.#types.length === 1 ? 0 : Math.max(found, 0);
    const value = this.#values[(this.#types[type] as CountedType).counted.column];
    this.#valueRead = Math.max(value ?? missingValue(), 0);
    return type;
  }

  /** Whether it is a stack of `BEFORE_SAMPLING`, all of which are at the start of a capture. */
  #standsForTimeBefore(node: number): boolean {
    const { stacks, functions } = this.#tables;
    if (node === 0 || stacks.nodes.parentOf(node) !== 0) return false;
    const facts = functions.facts[functions.frames.first.at(stacks.nodes.label.at(node))];
    return facts?.kind === "marker" && facts.name === BEFORE_SAMPLING;
  }

  /** A sample as few write it: numbers one by one, or labels between other fields. */
  #irregular(end: number): void {
    const reader = this.#reader;
    const values = this.#values;
    values.length = 0;
    const labels: Labels = { ...NO_LABELS };
    let bucketMs = 0;
    let labelCount = 0;
    this.#beginStack();
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
          this.#readLabel(reader.pos, contentEnd);
          if (this.#isBucket(label[1])) bucketMs = toBucket(label[3]);
          else if (++labelCount <= MAX_LABELS) this.#takeLabel(labels);
        }
        if (reader.pos > contentEnd) throw damaged(SAMPLE);
        reader.pos = contentEnd;
      }
      if (values.length > this.#columns) throw damaged("a sample with too many values");
    }
    if (reader.pos !== end) throw damaged(SAMPLE);
    this.#nameProcess(labels);
    const type = this.#takeValue();
    const node = this.#stackNode();
    this.#addRow(node, this.#tables.labels.add(labels), bucketMs, type, this.#valueRead);
  }

  /** The value of a column in a packed list. Negative ones, of a difference of two profiles, have no share of anything. */
  #value(start: number, end: number, column: number, columns: number): number {
    const reader = this.#reader;
    const bytes = reader.buf;
    let value = -1;
    let at = start;
    let index = 0;
    for (; at < end; index++) {
      let next = bytes[at++] as number;
      if (next >= 0x80) {
        reader.pos = at - 1;
        next = reader.readVarint(true);
        at = reader.pos;
      }
      if (index === column) value = next < 0 ? 0 : next;
    }
    if (at !== end || index > columns) throw damaged(SAMPLE);
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
      this.#readLabel(reader.pos, contentEnd);
      if (this.#isBucket(label[1])) bucketMs = toBucket(label[3]);
      else if (++count <= MAX_LABELS) this.#takeLabel(labels);
      reader.pos = contentEnd;
    }
    this.#nameProcess(labels);
    this.#labelSet = this.#tables.labels.add(labels);
    return bucketMs;
  }

  /** Into `label`: key, text, number, unit from index 1. */
  #readLabel(start: number, end: number): void {
    const reader = this.#reader;
    const bytes = reader.buf;
    label[1] = label[2] = label[3] = 0;
    let at = start;
    while (at < end) {
      const tag = bytes[at] as number;
      let value = bytes[at + 1] as number;
      if ((tag & 7) !== VARINT || tag >= 0x80 || tag < 8) {
        this.#readRestOfLabel(at, end);
        return;
      }
      at += 2;
      if (!(value < 0x80)) {
        reader.pos = at - 1;
        value = reader.readVarint();
        at = reader.pos;
      }
      if (tag === KEY_TAG) label[1] = value;
      else if (tag === TEXT_TAG) label[2] = value;
      else if (tag === NUMBER_TAG) label[3] = value;
    }
    if (at !== end) throw damaged("a label");
  }

  /** The same for fields that no label of Extrospect has. */
  #readRestOfLabel(start: number, end: number): void {
    const reader = this.#reader;
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
    if (key === "pid") this.#pid = strings.text(label[2]);
    if (key === "scheduler" || key === "process" || key === "class" || key === "trust")
      into[key] = strings.text(label[2]);
  }

  #nameProcess(labels: Labels): void {
    const name = this.#pid === "" ? undefined : this.#tables.processNames.get(this.#pid);
    if (name !== undefined) labels.process = name;
    this.#pid = "";
  }

  #addStack(start: number, end: number): number {
    this.#beginStack();
    this.#reader.pos = start;
    this.#pushLocations(end);
    return this.#stackNode();
  }

  #beginStack(): void {
    this.#frameCount = 0;
    this.#isCut = false;
  }

  /** Of the stack in question. */
  #stackNode(): number {
    if (this.#frameCount > MAX_STACK_FRAMES) this.#isCut = true;
    if (!this.#isCut) return this.#tables.stacks.add(this.#frames, this.#frameCount);
    this.#frames.copyWithin(INNERMOST_FRAMES + 1, this.#frameCount - OUTERMOST_FRAMES, this.#frameCount);
    this.#frames[INNERMOST_FRAMES] = this.#tables.cut.frame(this.#isOwn);
    const node = this.#tables.stacks.add(this.#frames, MAX_STACK_FRAMES);
    this.#tables.cut.add(node);
    return node;
  }

  /** Lets go of the middle, which is not kept in any case. */
  #makeRoom(): void {
    this.#isCut = true;
    this.#frames.copyWithin(INNERMOST_FRAMES, this.#frameCount - OUTERMOST_FRAMES, this.#frameCount);
    this.#frameCount = INNERMOST_FRAMES + OUTERMOST_FRAMES;
  }

  #pushLocations(end: number): void {
    const reader = this.#reader;
    const bytes = reader.buf;
    let at = reader.pos;
    while (at < end) {
      const low = bytes[at] as number;
      const high = bytes[at + 1] as number;
      // Most ids are short.
      if (low < 0x80) {
        at++;
        this.#pushLocation(low);
      } else if (high < 0x80) {
        at += 2;
        this.#pushLocation((low & 0x7f) | (high << 7));
      } else {
        reader.pos = at;
        this.#pushLocation(reader.readVarint());
        at = reader.pos;
      }
    }
    reader.pos = at;
    if (at !== end) throw damaged(SAMPLE);
  }

  #pushLocation(id: number): void {
    const location = this.#locationIds.get(id);
    if (location < 0) throw noSuch("location", id);
    const starts = this.#locationStarts;
    const end = starts[location + 1] as number;
    for (let at = starts[location] as number; at < end; at++) {
      if (this.#frameCount === this.#frames.length) this.#makeRoom();
      this.#frames[this.#frameCount++] = this.#locationFrames[at] as number;
    }
  }
}

/** The label read last: by field number. One for all decoders, as they never interleave. */
const label: [number, number, number, number] = [0, 0, 0, 0];
const NO_LABELS: Readonly<Labels> = { scheduler: "", process: "", class: "", trust: "" };

/** Whether figures are the number of samples, or what another tool counted. */
function countsItself({ id }: CountedType): boolean {
  return id === null || SAMPLE_TYPES[id].figures === "count";
}

function toBucket(value: number): number {
  return value <= MAX_BUCKET_MS ? value : 0;
}

function missingValue(): never {
  throw damaged("a sample without its values");
}
