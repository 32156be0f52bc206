// Fills the tables of a profile from one of its messages.

import { PbfReader } from "pbf";
import type { QualityRecord } from "../../../../contract/protocol.generated.js";
import { SAMPLES } from "../../../../contract/sample-type-words.js";
import type { FrameKindName } from "../../../../contract/capture-answers.js";
import { FRAME_KINDS } from "../../../../contract/flame-data.js";
import { fileName } from "../../text/base-name.js";
import { CaptureError, damaged, noSuch, tooMany } from "../capture-error.js";
import type { GrowingNumbers } from "../columns/growing-numbers.js";
import { MAX_LINES_PER_LOCATION, MAX_SAMPLE_TYPES } from "../limits.generated.js";
import type { CaptureDescription, CountedType } from "../tables/capture-description.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { countedTypes, type ValueType } from "./counted-value.js";
import { readingsOf } from "./node-readings.js";
import { lastOfEach, readComments } from "./profile-comments.js";
import { eachSpan, outlineOf, type ProfileOutline } from "./profile-outline.js";
import { readRecord, toLine } from "./record-fields.js";
import { SampleDecoder } from "./sample-decoder.js";
import { staysOf } from "./stays.js";

/**
 * Adds the content of a message to the tables.
 * @param messageIsCut the end of the message is known to be missing
 * @param acceptCut accept a message without its end, up to the cut
 * @returns false when there was no room for all of it: the capture then counts as cut
 * @throws {CaptureError} when the message makes no sense; the tables are then as they were before
 */
export function decodeProfile(
  tables: ProfileTables,
  message: Uint8Array,
  messageIsCut: boolean,
  acceptCut: boolean,
): boolean {
  if (tables.isFull) return false;
  const rollBack = tables.mark();
  try {
    const decoder = new ProfileDecoder(tables, message);
    tables.description = decoder.decode(messageIsCut, acceptCut);
    return decoder.hadRoom;
  } catch (error) {
    rollBack();
    if (
      error instanceof CaptureError &&
      error.problem === "tooMany" &&
      tables.description !== null &&
      tables.rows.some(({ length }) => length > 0)
    ) {
      tables.isFull = true;
      tables.description = { ...tables.description, facts: { ...tables.description.facts, isCut: true } };
      return false;
    }
    // Whatever pbf throws means that the bytes are no protobuf message.
    throw error instanceof CaptureError ? error : damaged("a record");
  }
}

class ProfileDecoder {
  readonly #tables: ProfileTables;
  readonly #reader: PbfReader;
  /** For all samples of the message. */
  hadRoom = true;

  constructor(tables: ProfileTables, message: Uint8Array) {
    this.#tables = tables;
    this.#reader = new PbfReader(message);
  }

  /** Reads the whole message into the tables. @returns the description of the capture */
  decode(messageIsCut: boolean, acceptCut: boolean): CaptureDescription {
    const reader = this.#reader;
    const outline = outlineOf(reader, this.#tables.strings);
    const cut = messageIsCut || outline.cut;
    if (cut && !acceptCut) throw damaged("its end, which is missing,");
    if (this.#tables.strings.size === 0) throw new CaptureError("notAProfile", "it has no string table");
    if (this.#tables.strings.text(0) !== "")
      throw new CaptureError("notAProfile", "its string table does not start with the empty string");
    const comments = readComments(
      lastOfEach(outline.comments)
        .filter((index) => !cut || index < this.#tables.strings.size)
        .map((index) => this.#tables.strings.text(index)),
    );
    const isOwn =
      this.#tables.description?.facts.isOwn ?? (comments.target !== undefined || comments.settings !== undefined);
    const lenient = (read: () => void) => {
      try {
        read();
      } catch (error) {
        if (!(cut && error instanceof CaptureError && error.problem === "badReference")) throw error;
      }
    };
    eachSpan(outline.mappings, reader, (end) => lenient(() => this.#addMapping(end)));
    eachSpan(outline.functions, reader, (end) => lenient(() => this.#addFunction(end, isOwn)));
    eachSpan(outline.locations, reader, (end) => lenient(() => this.#addLocation(end, isOwn)));
    const samples = new SampleDecoder(reader, this.#tables, isOwn);
    const types = this.#countedTypes(outline, { isOwn, isImported: comments.imported !== undefined }, samples);
    this.#tables.makeRoomFor(types.length);
    this.hadRoom = samples.decode(outline.sampleRuns, types, cut);
    return { facts: this.#facts(outline, comments, isOwn, types, cut || !this.hadRoom), types };
  }

  #facts(
    outline: ProfileOutline,
    comments: ReturnType<typeof readComments>,
    isOwn: boolean,
    types: readonly CountedType[],
    cut: boolean,
  ): CaptureDescription["facts"] {
    const before = this.#tables.description?.facts;
    const { timeNanos, durationNanos, fileEnd } = outline.scalars;
    const { runQueue, readings } = readingsOf(this.#reader, outline.nodeReadings, {
      runQueue: before?.runQueue,
      readings: before?.readings,
    });
    const [first] = types;
    const { unit } = types[this.#tables.shown] as CountedType;
    const known = types.flatMap(({ id }) => id ?? []);
    const frequencyHz =
      comments.settings?.frequencyHz ||
      (first !== undefined && first.counted.periodNs > 0 && first.unit === SAMPLES
        ? Math.round(1e9 / first.counted.periodNs)
        : 0);
    return {
      target: comments.target ?? before?.target ?? null,
      quality: this.#quality(comments.quality, before?.quality),
      ...given("origin", comments.origin ?? before?.origin),
      ...given("build", comments.build ?? before?.build),
      ...given("host", comments.host ?? before?.host),
      ...given("isFromElsewhere", comments.isFromElsewhere ?? before?.isFromElsewhere),
      ...given("clock", comments.clock ?? before?.clock),
      ...given("runQueue", runQueue),
      ...given("readings", readings),
      ...given("stays", staysOf(this.#reader, outline.stays, before?.stays)),
      ...given("user", comments.user ?? before?.user),
      ...given("work", comments.work ?? before?.work),
      ...given("imported", comments.imported ?? before?.imported),
      ...given("waits", comments.waits ?? before?.waits),
      ...given("fileEnd", fileEnd >= 0 ? fileEnd : before?.fileEnd),
      ...given("includeKernel", comments.settings?.includeKernel ?? before?.includeKernel),
      startedUnixMs:
        timeNanos > 0 ? Math.floor(timeNanos / 1e6) : before?.startedUnixMs || comments.settings?.startedUnixMs || 0,
      durationMs: durationNanos >= 0 ? Math.round(durationNanos / 1e6) : (before?.durationMs ?? 0),
      frequencyHz: before?.frequencyHz || frequencyHz,
      unit,
      ...(known.some((id) => id !== "cpu") ? { types: known } : {}),
      isOwn,
      ...(cut || before?.isCut ? { isCut: true } : {}),
    };
  }

  /** Stacks that are too long for this reader are counted, too. */
  #quality(now: QualityRecord | undefined, before: QualityRecord | null | undefined): QualityRecord | null {
    const { cut } = this.#tables;
    const reported = cut.samplesReported;
    cut.samplesReported = cut.samples;
    if (now !== undefined) return { ...now, stacks_cut: now.stacks_cut + cut.samples };
    return before ? { ...before, stacks_cut: before.stacks_cut + cut.samples - reported } : null;
  }

  #countedTypes(
    outline: ProfileOutline,
    { isOwn, isImported }: { readonly isOwn: boolean; readonly isImported: boolean },
    samples: SampleDecoder,
  ): readonly CountedType[] {
    const types = this.#valueTypes(outline.sampleTypes);
    const before = this.#tables.description;
    if (before) {
      // Protobuf messages may be concatenated. A value type that is repeated there adds a column; none of our increments repeats one.
      if (types.length > 0) throw damaged("an increment that is a profile of its own");
      return before.types;
    }
    if (types.length === 0) throw new CaptureError("notAProfile", "it does not say what its samples measure");
    const [periodType = { name: "", unit: "" }] = this.#valueTypes(outline.periodTypes);
    const { defaultSampleType, period } = outline.scalars;
    // The helper's own import counts samples whatever the other tool weighed them by, as the command line does.
    const countsSamples = isImported && types.some(({ name, unit }) => name === "samples" && unit === "count");
    const preferred = countsSamples
      ? "samples"
      : defaultSampleType > 0
        ? this.#tables.strings.text(defaultSampleType)
        : "";
    return countedTypes(types, preferred, isOwn, { type: periodType, length: Math.max(period, 0) }, (column) =>
      samples.sum(outline.sampleRuns, column, types.length),
    );
  }

  #valueTypes(spans: GrowingNumbers): ValueType[] {
    if (spans.length / 2 > MAX_SAMPLE_TYPES) throw tooMany("kinds of values", MAX_SAMPLE_TYPES);
    const types: ValueType[] = [];
    eachSpan(spans, this.#reader, (end) => {
      readRecord(this.#reader, end, "a kind of values", record);
      types.push({
        name: this.#tables.strings.text(record[1] as number),
        unit: this.#tables.strings.text(record[2] as number),
      });
    });
    return types;
  }

  #checkRoom(what: "mappings" | "functions" | "locations" | "lines", rows: number): void {
    const max = this.#tables.limits[what];
    if (rows >= max) throw tooMany(what, max);
  }

  #addMapping(end: number): void {
    this.#checkRoom("mappings", this.#tables.mappingIds.size);
    readRecord(this.#reader, end, "a mapping", record);
    const object = objectName(this.#tables.strings.text(record[5] as number));
    if (!this.#tables.mappingIds.add(record[1] as number, this.#tables.mappingObjects.length))
      throw twice("mapping", record[1] as number);
    this.#tables.mappingObjects.push(object);
  }

  #addFunction(end: number, isOwn: boolean): void {
    const { functions } = this.#tables;
    // Several ids may be of one function, and addresses without a name have no id.
    this.#checkRoom("functions", Math.max(functions.count, functions.ids.size));
    readRecord(this.#reader, end, "a function", record);
    const [, id = 0, nameIndex = 0, systemNameIndex = 0, fileIndex = 0, headLine = 0] = record;
    const name = this.#tables.strings.text(nameIndex);
    const systemName = this.#tables.strings.text(systemNameIndex);
    const { kind, rawName } = splitSystemName(systemName);
    const facts = {
      name: name || rawName || UNNAMED,
      rawName: isOwn ? rawName : name || rawName || UNNAMED,
      kind,
      file: this.#tables.strings.text(fileIndex),
      headLine: toLine(headLine),
      object: "",
    };
    if (!this.#tables.functions.ids.add(id, this.#tables.functions.add(facts, isOwn))) throw twice("function", id);
  }

  #addLocation(end: number, isOwn: boolean): void {
    this.#checkRoom("locations", this.#tables.locationIds.size);
    this.#checkRoom("lines", this.#tables.locationFrames.length);
    const lines: number[] = [];
    readRecord(this.#reader, end, "a location", record, (field, start, lineEnd) => {
      // One more than the limit proves that there are more.
      if (field === LOCATION_LINE && lines.length / 2 <= MAX_LINES_PER_LOCATION) lines.push(start, lineEnd);
    });
    const [, id = 0, mappingId = 0, address = 0] = record;
    const isCut = lines.length / 2 > MAX_LINES_PER_LOCATION;
    if (isCut) lines.length = (MAX_LINES_PER_LOCATION - 1) * 2;
    const object = mappingId === 0 ? "" : this.#tables.mappingObjects[this.#tables.mappingIds.get(mappingId)];
    if (object === undefined) throw noSuch("mapping", mappingId);
    const frames: number[] = [];
    for (let at = 0; at < lines.length; at += 2) {
      this.#reader.pos = lines[at] as number;
      readRecord(this.#reader, lines[at + 1] as number, "a line", record);
      const functionIndex = this.#tables.functions.withId(record[1] as number);
      this.#tables.functions.located(functionIndex, object, isOwn);
      frames.push(this.#tables.functions.frame(functionIndex, toLine(record[2] as number)));
    }
    if (isCut) frames.push(this.#tables.cut.frame(isOwn));
    if (!this.#tables.locationIds.add(id, this.#tables.locationStarts.length - 1)) throw twice("location", id);
    if (frames.length === 0) frames.push(this.#tables.functions.frame(this.#addUnnamed(address, object, isOwn), 0));
    for (const frame of frames) this.#tables.locationFrames.push(frame);
    this.#tables.locationStarts.push(this.#tables.locationFrames.length);
  }

  /** A function for an address that the profile has no name for. */
  #addUnnamed(address: number, object: string, isOwn: boolean): number {
    this.#checkRoom("functions", this.#tables.functions.count);
    const name = `0x${address.toString(16)}`;
    const index = this.#tables.functions.add(
      { name, rawName: name, kind: "native", file: "", headLine: 0, object: "" },
      isOwn,
    );
    this.#tables.functions.located(index, object, isOwn);
    return index;
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
function objectName(path: string): string {
  return path.startsWith("/") ? fileName({ path }) : path;
}

function twice(what: string, id: number): CaptureError {
  return new CaptureError("damaged", `${what} ${id} is there twice`);
}

/** The member, when there is something to say. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, Value>>);
}
