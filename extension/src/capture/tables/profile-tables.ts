// Everything a profile holds, as tables of numbers: what `decode` fills and the answers read.

import { ByteKeys } from "../columns/byte-keys.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import { IdMap, type IdMapParts } from "../columns/id-map.js";
import { MAX_FUNCTIONS, MAX_LABEL_SETS, MAX_LINES, MAX_LOCATIONS, MAX_MAPPINGS } from "../limits.generated.js";
import type { CaptureDescription } from "./capture-description.js";
import { CutStacks, type CutStacksParts } from "./cut-stacks.js";
import { FunctionTable, type FunctionTableParts } from "./function-table.js";
import { LabelSets, type LabelSetsParts } from "./label-sets.js";
import { SampleRows, type SampleRowsParts } from "./sample-rows.js";
import { StackTrie, type StackTrieParts } from "./stack-trie.js";
import { StringTable, type StringTableParts } from "./string-table.js";

/** What crosses from thread to thread. */
export interface ProfileTablesParts {
  readonly strings: StringTableParts;
  readonly functions: FunctionTableParts;
  readonly locationIds: IdMapParts;
  readonly locationStarts: NumbersParts;
  readonly locationFrames: NumbersParts;
  readonly stacks: StackTrieParts;
  readonly labels: LabelSetsParts;
  /** By the number of the type: no list, as the columns of lists do not move to another thread. */
  readonly rows: Readonly<Record<string, SampleRowsParts>>;
  readonly shown: number;
  readonly mappingIds: IdMapParts;
  readonly mappingObjects: string[];
  readonly cut: CutStacksParts;
  readonly isFull: boolean;
  readonly description: CaptureDescription | null;
}

/** The limits of rows; further ones are cut off. */
export const TABLE_LIMITS = {
  mappings: MAX_MAPPINGS,
  functions: MAX_FUNCTIONS,
  locations: MAX_LOCATIONS,
  lines: MAX_LINES,
  labelSets: MAX_LABEL_SETS,
};

export class ProfileTables {
  readonly strings: StringTable;
  readonly functions: FunctionTable;
  readonly locationIds: IdMap;
  /** Where the frames of each location start in `locationFrames`, innermost first; one more than there are locations. */
  readonly locationStarts: GrowingNumbers;
  readonly locationFrames: GrowingNumbers;
  readonly stacks: StackTrie;
  readonly labels: LabelSets;
  /** The samples, apart for each type of the description; one list before the first message. */
  readonly rows: SampleRows[];
  /** The type whose samples are shown. */
  shown: number;
  /** Nodes of `stacks`, and sets of `labels`, by the bytes that stand for them in a message. */
  stackKeys = new ByteKeys();
  labelKeys = new ByteKeys();
  /** Positions in `mappingObjects` by the ids of the file. */
  readonly mappingIds: IdMap;
  readonly mappingObjects: string[];
  readonly cut: CutStacks;
  /** A table had no room for a message: further messages refer to the missing rows, so nothing more is read. */
  isFull: boolean;
  /** Null before the first message. */
  description: CaptureDescription | null;
  /** Names of processes by pid, where a better source than the profile is known. */
  readonly processNames: ReadonlyMap<string, string>;

  constructor(
    parts?: ProfileTablesParts,
    processNames: ReadonlyMap<string, string> = new Map(),
    readonly limits: Readonly<typeof TABLE_LIMITS> = TABLE_LIMITS,
  ) {
    this.processNames = processNames;
    this.strings = new StringTable(parts?.strings);
    this.functions = new FunctionTable(parts?.functions);
    this.locationIds = new IdMap(parts?.locationIds);
    this.locationStarts = new GrowingNumbers(parts?.locationStarts);
    this.locationFrames = new GrowingNumbers(parts?.locationFrames);
    this.stacks = new StackTrie(this.functions, parts?.stacks);
    this.labels = new LabelSets(parts?.labels, limits.labelSets);
    this.rows = parts === undefined ? [new SampleRows()] : Object.values(parts.rows).map((of) => new SampleRows(of));
    this.shown = parts?.shown ?? 0;
    this.mappingIds = new IdMap(parts?.mappingIds);
    this.mappingObjects = parts?.mappingObjects ?? [];
    this.cut = new CutStacks(this.functions, parts?.cut);
    this.isFull = parts?.isFull ?? false;
    this.description = parts?.description ?? null;
    if (!parts) this.locationStarts.push(0);
  }

  /** Those that are shown. */
  get samples(): SampleRows {
    return this.rows[this.shown] as SampleRows;
  }

  /** Answers of another type: it is the one that is shown until `answer` returns. */
  showing<T>(type: number, answer: () => T): T {
    const { shown } = this;
    this.shown = type;
    try {
      return answer();
    } finally {
      this.shown = shown;
    }
  }

  /** Makes a list for each of so many types. */
  makeRoomFor(types: number): void {
    while (this.rows.length < types) this.rows.push(new SampleRows());
  }

  /** Keys are left out: they only save work, and as many bytes as stacks have are not worth keeping for a file that is complete. */
  parts(): ProfileTablesParts {
    const { locationStarts, locationFrames, mappingObjects, description } = this;
    return {
      strings: this.strings.parts(),
      functions: this.functions.parts(),
      locationIds: this.locationIds.parts(),
      locationStarts,
      locationFrames,
      stacks: this.stacks.parts(),
      labels: this.labels.parts(),
      rows: Object.fromEntries(this.rows.map((rows, type) => [type, rows.parts()])),
      shown: this.shown,
      mappingIds: this.mappingIds.parts(),
      mappingObjects,
      cut: this.cut.parts(),
      isFull: this.isFull,
      description,
    };
  }

  /** Remembers how the tables are. @returns what restores them */
  mark(): () => void {
    const strings = this.strings.size;
    const functions = this.functions.mark();
    const locationIds = this.locationIds.size;
    const locationStarts = this.locationStarts.length;
    const locationFrames = this.locationFrames.length;
    const stacks = this.stacks.mark();
    const labels = this.labels.mark();
    const rows = this.rows.map((one) => one.mark());
    const mappings = this.mappingIds.size;
    const cut = this.cut.mark();
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
      this.rows.length = rows.length;
      rows.forEach((mark, index) => this.rows[index]?.rollBack(mark));
      this.mappingIds.cutTo(mappings);
      this.mappingObjects.length = mappings;
      this.cut.rollBack(cut);
    };
  }
}
