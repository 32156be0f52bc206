// Everything a profile holds, as tables of numbers: what `decode` fills and the answers read.

import { ByteKeys } from "../columns/byte-keys.js";
import { GrowingNumbers } from "../columns/growing-numbers.js";
import { IdMap } from "../columns/id-map.js";
import type { CaptureDescription } from "./capture-description.js";
import { FunctionTable } from "./function-table.js";
import { LabelSets } from "./label-sets.js";
import { SampleRows } from "./sample-rows.js";
import { StackTrie } from "./stack-trie.js";
import { StringTable } from "./string-table.js";

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
  /** Positions in `mappingObjects` by the ids of the file. */
  readonly mappingIds = new IdMap();
  readonly mappingObjects: string[] = [];
  /** Null before the first message. */
  description: CaptureDescription | null = null;

  constructor() {
    this.locationStarts.push(0);
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
    const samples = this.samples.mark();
    const mappings = this.mappingIds.size;
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
      this.mappingIds.cutTo(mappings);
      this.mappingObjects.length = mappings;
    };
  }
}
