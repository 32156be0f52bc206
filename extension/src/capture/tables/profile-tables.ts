// The tables of a profile, filled from its messages.

import { PbfReader } from "pbf";
import type { FrameKindName } from "../../../../contract/capture-answers.js";
import { FRAME_KINDS } from "../../../../contract/flame-data.js";
import { CaptureError, damaged, noSuch, tooMany } from "../capture-error.js";
import { ByteKeys } from "../columns/byte-keys.js";
import { GrowingNumbers } from "../columns/growing-numbers.js";
import { IdMap } from "../columns/id-map.js";
import { readComments, type CaptureDescription, type CountedValue } from "../decode/capture-description.js";
import { chooseValue, type ValueType } from "../decode/counted-value.js";
import { eachSpan, outlineOf, type ProfileOutline } from "../decode/profile-outline.js";
import { readRecord, toLine } from "../decode/record-fields.js";
import { SampleDecoder } from "../decode/sample-decoder.js";
import { FunctionTable } from "./function-table.js";
import { LabelSets } from "./label-sets.js";
import { SampleRows } from "./sample-rows.js";
import { StackTrie } from "./stack-trie.js";
import { StringTable } from "./string-table.js";

/** Inlining deeper than this is not believed; it bounds what one location can expand to. */
const MAX_LINES_PER_LOCATION = 128;
/** No profile has more kinds of values. */
const MAX_SAMPLE_TYPES = 64;

export class ProfileTables {
  readonly strings = new StringTable();
  readonly functions = new FunctionTable();
  readonly locationIds = new IdMap();
  /** Where the frames of each location start in `locationFrames`, innermost first; one more than there are locations. */
  readonly locationStarts = new GrowingNumbers();
  readonly locationFrames = new GrowingNumbers();
  readonly stacks = new StackTrie(this.functions);
  readonly labels = new LabelSets();
  readonly samples = new SampleRows();
  /** Nodes of `stacks`, and sets of `labels`, by the bytes that stand for them in a message. */
  stackKeys = new ByteKeys();
  labelKeys = new ByteKeys();
  readonly #mappingIds = new IdMap();
  readonly #mappingObjects: string[] = [];
  #description: CaptureDescription | null = null;

  constructor() {
    this.locationStarts.push(0);
  }

  /** Null before the first message. */
  get description(): CaptureDescription | null {
    return this.#description;
  }

  /** Adds the content of a message. Throws `CaptureError` and leaves everything as it was when that makes no sense. With `acceptCut`, a missing end does. */
  add(message: Uint8Array, messageIsCut: boolean, acceptCut: boolean): void {
    const rollBack = this.#mark();
    try {
      this.#description = this.#load(new PbfReader(message), messageIsCut, acceptCut);
    } catch (error) {
      rollBack();
      // What pbf throws tells of bytes that are no protobuf message.
      throw error instanceof CaptureError ? error : damaged("a record");
    }
  }

  #load(reader: PbfReader, messageIsCut: boolean, acceptCut: boolean): CaptureDescription {
    const outline = outlineOf(reader, this.strings);
    const cut = messageIsCut || outline.cut;
    if (cut && !acceptCut) throw damaged("its end, which is missing,");
    if (this.strings.size === 0) throw new CaptureError("notAProfile", "it has no string table");
    if (this.strings.text(0) !== "") throw new CaptureError("notAProfile", "its string table does not start with the empty string");
    const comments = readComments(outline.comments.filter((index) => !cut || index < this.strings.size).map((index) => this.strings.text(index)));
    const isOwn = this.#description?.facts.isOwn ?? (comments.target !== undefined || comments.settings !== undefined);
    const lenient = (read: () => void) => {
      try {
        read();
      } catch (error) {
        if (!(cut && error instanceof CaptureError && error.problem === "badReference")) throw error;
      }
    };
    eachSpan(outline.mappings, reader, (end) => lenient(() => this.#addMapping(reader, end)));
    eachSpan(outline.functions, reader, (end) => lenient(() => this.#addFunction(reader, end, isOwn)));
    eachSpan(outline.locations, reader, (end) => lenient(() => this.#addLocation(reader, end, isOwn)));
    const samples = new SampleDecoder(reader, this);
    const { counted, unit } = this.#countedValue(reader, outline, isOwn, samples);
    samples.decode(outline.sampleRuns, counted, cut);
    return { facts: this.#facts(outline, comments, isOwn, unit, counted, cut), counted };
  }

  #facts(outline: ProfileOutline, comments: ReturnType<typeof readComments>, isOwn: boolean, unit: string, counted: CountedValue, cut: boolean): CaptureDescription["facts"] {
    const before = this.#description?.facts;
    const { timeNanos, durationNanos } = outline.scalars;
    const frequencyHz = comments.settings?.frequencyHz || (counted.periodNs > 0 && unit === "samples" ? Math.round(1e9 / counted.periodNs) : 0);
    return {
      target: comments.target ?? before?.target ?? null,
      quality: comments.quality ?? before?.quality ?? null,
      startedUnixMs: timeNanos > 0 ? Math.floor(timeNanos / 1e6) : before?.startedUnixMs || comments.settings?.startedUnixMs || 0,
      durationMs: durationNanos >= 0 ? Math.round(durationNanos / 1e6) : (before?.durationMs ?? 0),
      frequencyHz: before?.frequencyHz || frequencyHz,
      unit,
      isOwn,
      ...(cut || before?.isCut ? { isCut: true } : {}),
    };
  }

  #countedValue(reader: PbfReader, outline: ProfileOutline, isOwn: boolean, samples: SampleDecoder): { counted: CountedValue; unit: string } {
    const types = this.#valueTypes(outline.sampleTypes, reader);
    const before = this.#description;
    if (before) {
      // Messages concatenate: what is said again adds a column, which none of our increments does.
      if (types.length > 0) throw damaged("an increment that is a profile of its own");
      return { counted: before.counted, unit: before.facts.unit };
    }
    if (types.length === 0) throw new CaptureError("notAProfile", "it does not say what its samples measure");
    const [periodType = { name: "", unit: "" }] = this.#valueTypes(outline.periodTypes, reader);
    const { defaultSampleType, period } = outline.scalars;
    const preferred = defaultSampleType > 0 ? this.strings.text(defaultSampleType) : "";
    const { unit, ...counted } = chooseValue(types, preferred, isOwn, { type: periodType, length: Math.max(period, 0) }, (column) =>
      samples.sum(outline.sampleRuns, column, types.length),
    );
    return { counted, unit };
  }

  #valueTypes(spans: GrowingNumbers, reader: PbfReader): ValueType[] {
    if (spans.length / 2 > MAX_SAMPLE_TYPES) throw tooMany("kinds of values", MAX_SAMPLE_TYPES);
    const types: ValueType[] = [];
    eachSpan(spans, reader, (end) => {
      readRecord(reader, end, "a kind of values", record);
      types.push({ name: this.strings.text(record[1] as number), unit: this.strings.text(record[2] as number) });
    });
    return types;
  }

  #addMapping(reader: PbfReader, end: number): void {
    readRecord(reader, end, "a mapping", record);
    const object = baseName(this.strings.text(record[5] as number));
    if (!this.#mappingIds.add(record[1] as number, this.#mappingObjects.length)) throw twice("mapping", record[1] as number);
    this.#mappingObjects.push(object);
  }

  #addFunction(reader: PbfReader, end: number, isOwn: boolean): void {
    readRecord(reader, end, "a function", record);
    const [, id = 0, nameIndex = 0, systemNameIndex = 0, fileIndex = 0, headLine = 0] = record;
    const name = this.strings.text(nameIndex);
    const systemName = this.strings.text(systemNameIndex);
    const { kind, rawName } = splitSystemName(systemName);
    const facts = {
      name: name || rawName || UNNAMED,
      rawName: isOwn ? rawName : name || rawName || UNNAMED,
      kind,
      file: this.strings.text(fileIndex),
      headLine: toLine(headLine),
      object: "",
    };
    if (!this.functions.ids.add(id, this.functions.add(facts, isOwn))) throw twice("function", id);
  }

  #addLocation(reader: PbfReader, end: number, isOwn: boolean): void {
    const lines: number[] = [];
    readRecord(reader, end, "a location", record, (field, start, lineEnd) => {
      if (field === LOCATION_LINE) lines.push(start, lineEnd);
    });
    const [, id = 0, mappingId = 0, address = 0] = record;
    if (lines.length / 2 > MAX_LINES_PER_LOCATION) throw tooMany("lines in one location", MAX_LINES_PER_LOCATION);
    const object = mappingId === 0 ? "" : this.#mappingObjects[this.#mappingIds.get(mappingId)];
    if (object === undefined) throw noSuch("mapping", mappingId);
    const frames: number[] = [];
    for (let at = 0; at < lines.length; at += 2) {
      reader.pos = lines[at] as number;
      readRecord(reader, lines[at + 1] as number, "a line", record);
      const functionIndex = this.functions.withId(record[1] as number);
      this.functions.located(functionIndex, object, isOwn);
      frames.push(this.functions.frame(functionIndex, toLine(record[2] as number)));
    }
    if (!this.locationIds.add(id, this.locationStarts.length - 1)) throw twice("location", id);
    if (frames.length === 0) frames.push(this.functions.frame(this.#addUnnamed(address, object, isOwn), 0));
    for (const frame of frames) this.locationFrames.push(frame);
    this.locationStarts.push(this.locationFrames.length);
  }

  /** A function for an address that the profile has no name for. */
  #addUnnamed(address: number, object: string, isOwn: boolean): number {
    const name = `0x${address.toString(16)}`;
    const index = this.functions.add({ name, rawName: name, kind: "native", file: "", headLine: 0, object: "" }, isOwn);
    this.functions.located(index, object, isOwn);
    return index;
  }

  /** Remembers how things are; the result restores them. */
  #mark(): () => void {
    const strings = this.strings.size;
    const functions = this.functions.mark();
    const locationIds = this.locationIds.size;
    const locationStarts = this.locationStarts.length;
    const locationFrames = this.locationFrames.length;
    const stacks = this.stacks.mark();
    const labels = this.labels.mark();
    const samples = this.samples.mark();
    const mappings = this.#mappingIds.size;
    return () => {
      this.strings.cutTo(strings);
      this.functions.rollBack(functions);
      this.locationIds.cutTo(locationIds);
      this.locationStarts.cutTo(locationStarts);
      this.locationFrames.cutTo(locationFrames);
      this.stacks.rollBack(stacks);
      this.labels.rollBack(labels);
      this.stackKeys = new ByteKeys();
      this.labelKeys = new ByteKeys();
      this.samples.rollBack(samples);
      this.#mappingIds.cutTo(mappings);
      this.#mappingObjects.length = mappings;
    };
  }
}

const LOCATION_LINE = 4;
const UNNAMED = "[unnamed]";
/** The record read last, by field number. */
const record = [0, 0, 0, 0, 0, 0, 0];

/** `kind!raw_name` in its parts, when it starts with a kind. */
function splitSystemName(systemName: string): { kind: FrameKindName; rawName: string } {
  const end = systemName.indexOf("!");
  const kind = FRAME_KINDS.find((name) => name === systemName.slice(0, Math.max(end, 0)));
  return kind === undefined ? { kind: "native", rawName: systemName } : { kind, rawName: systemName.slice(end + 1) };
}

/** `/usr/lib/libc.so.6` to `libc.so.6`; our own captures have it short. */
function baseName(path: string): string {
  return path.startsWith("/") ? path.slice(path.lastIndexOf("/") + 1) : path;
}

function twice(what: string, id: number): CaptureError {
  return new CaptureError("damaged", `${what} ${id} is there twice`);
}
