import type {
  BlameChoice,
  CaptureTotals,
  ClassShare,
  Counts,
  FlameOptions,
  NodeShare,
  SampleFilter,
  Stay,
  Timeline,
  TimeGap,
  TimelineTrack,
} from "../../../contract/capture-answers.js";
import type { FlameData } from "../../../contract/flame-data.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import { blameCallers, blameChoices, isBlameGroup } from "./answers/blame-callers.js";
import { CaptureCounts, type CaptureCountsParts } from "./answers/capture-counts.js";
import { classShares } from "./answers/class-split.js";
import { facetsOf } from "./answers/facets.js";
import { nodeShares } from "./answers/node-shares.js";
import { OwnCode, type OwnCounts } from "./answers/own-code.js";
import { placeDetail } from "./answers/place-detail.js";
import { SampleSelection } from "./answers/sample-selection.js";
import { timeGapsOf } from "./answers/time-gaps.js";
import { timelineOf } from "./answers/timeline.js";
import { tracksOf } from "./answers/tracks.js";
import { topFunctions } from "./answers/top-functions.js";
import { withMissingEnd } from "./decode/file-end.js";
import { inflate, inflatedMembers, wholeMembersIn } from "./decode/inflate.js";
import { decodeProfile } from "./decode/profile-decoder.js";
import { longestStays } from "./decode/stays.js";
import { calleeTree } from "./flame/callee-tree.js";
import { callerTree } from "./flame/caller-tree.js";
import { layOut, type GraphFacts } from "./flame/flame-layout.js";
import { allStacks, stacksByGroup } from "./flame/flame-stacks.js";
import { groupedSamples } from "./flame/grouped-samples.js";
import type {
  BlameAnswer,
  Capture,
  CaptureFacts,
  Facets,
  FunctionFacts,
  LineCounts,
  PlaceDetail,
  TopAnswer,
  TopOptions,
  TypedAnswers,
} from "./questions.js";
import { ProfileTables, type ProfileTablesParts } from "./tables/profile-tables.js";

export { CaptureError } from "./capture-error.js";
export { wholeMembersIn };

/** An empty capture, to be appended to. */
export function newCapture(): Capture {
  return new CaptureModel();
}

/**
 * A whole file: an Extrospect capture or another pprof profile, compressed or not. A missing end is no error: see
 * `CaptureFacts.isCut`. Throws `CaptureError`.
 */
export function decodeCapture(gzip: Uint8Array): Capture {
  const capture = new CaptureModel();
  capture.load(gzip, true);
  capture.noteMissingEnd();
  return capture;
}

/**
 * The same, member by member: other threads inflate the next members. Known names of processes, by pid, replace those
 * of the file. `captureOf` turns the result into a capture again, on any thread.
 */
export async function readCapture(gzip: Uint8Array, processNames?: ReadonlyMap<string, string>): Promise<CaptureParts> {
  let capture = new CaptureModel(undefined, processNames);
  try {
    await capture.loadMembers(gzip);
  } catch {
    // Not an Extrospect file, or damaged: its members may have other boundaries, and reading it as one message finds
    // the defect.
    capture = new CaptureModel(undefined, processNames);
    capture.load(gzip, true);
  }
  capture.noteMissingEnd();
  return capture.parts();
}

export function captureOf(parts: CaptureParts): Capture {
  return new CaptureModel(parts);
}

/** A capture as plain data. Code that sends it to another thread must not use the source capture afterwards. */
export interface CaptureParts {
  readonly tables: ProfileTablesParts;
  readonly counts: CaptureCountsParts;
  readonly revision: number;
}

const NO_FACTS: CaptureFacts = {
  target: null,
  quality: null,
  startedUnixMs: 0,
  durationMs: 0,
  frequencyHz: 0,
  unit: "samples",
  isOwn: false,
};

/** To be made by the functions above; a capture of several builds on it. */
export class CaptureModel implements Capture {
  readonly #tables: ProfileTables;
  /** Of each type that was shown, or queried beside the shown one. */
  readonly #countsOf: CaptureCounts[] = [];
  readonly #ownCode = new OwnCode();
  readonly #byName = new Map<string, number[]>();
  #named = 0;
  #revision: number;

  /** @param processNames by pid, instead of what the file calls them */
  constructor(parts?: CaptureParts, processNames?: ReadonlyMap<string, string>) {
    this.#tables = new ProfileTables(parts?.tables, processNames);
    this.#countsOf[this.#tables.shown] = new CaptureCounts(parts?.counts);
    this.#revision = parts?.revision ?? 0;
  }

  parts(): CaptureParts {
    return { tables: this.#tables.parts(), counts: this.#counts.parts(), revision: this.#revision };
  }

  /** What a capture of several reads. */
  get tables(): ProfileTables {
    return this.#tables;
  }

  get revision(): number {
    return this.#revision;
  }

  get facts(): CaptureFacts {
    return this.#tables.description?.facts ?? NO_FACTS;
  }

  get totals(): CaptureTotals {
    return { samples: this.#counts.samples, busy: this.#counts.busy };
  }

  get periodNs(): number {
    return this.#tables.description?.types[this.#tables.shown]?.counted.periodNs ?? 0;
  }

  get functions(): readonly FunctionFacts[] {
    return this.#tables.functions.facts;
  }

  append(gzip: Uint8Array): void {
    this.load(gzip, false);
  }

  /** With `acceptCut` a missing end is no error. */
  load(gzip: Uint8Array, acceptCut: boolean): void {
    const { message, cut } = inflate(gzip, acceptCut);
    decodeProfile(this.#tables, message, cut, acceptCut);
    this.grown();
  }

  /** All members of a file. Throws when one of them alone makes no sense; the capture is not to be used then. */
  async loadMembers(gzip: Uint8Array): Promise<void> {
    for await (const { message, cut } of inflatedMembers(gzip))
      if (!decodeProfile(this.#tables, message, cut, cut)) break;
    this.grown();
  }

  /** For a file that was read as a whole: increments that arrive are no file that its writer has to close. */
  noteMissingEnd(): void {
    const description = this.#tables.description;
    const quality = description?.facts.quality;
    if (!description || !quality) return;
    const facts = { ...description.facts, quality: withMissingEnd(quality, description.facts) };
    this.#tables.description = { ...description, facts };
  }

  /** Counts the rows of the tables that are new to the type that is shown. */
  protected grown(): void {
    this.#counts.update(this.#tables);
    this.#revision++;
  }

  show(type: SampleTypeId): boolean {
    const { description, shown } = this.#tables;
    const index = description?.types.findIndex(({ id }) => id === type) ?? -1;
    const chosen = description?.types[index];
    if (description === null || chosen === undefined || index === shown) return false;
    this.#tables.shown = index;
    this.#tables.description = { ...description, facts: { ...description.facts, unit: chosen.unit } };
    this.grown();
    return true;
  }

  of(type: SampleTypeId): TypedAnswers | undefined {
    const types = this.#tables.description?.types ?? [];
    const index = types.findIndex(({ id }) => id === type);
    const found = types[index];
    if (found === undefined) return undefined;
    const answer = <T>(query: () => T): T =>
      this.#tables.showing(index, () => {
        // Increments are counted for the type that is shown alone.
        this.#counts.update(this.#tables);
        return query();
      });
    return {
      type,
      unit: found.unit,
      totals: answer(() => this.totals),
      functionCounts: (functionIndex) => answer(() => this.functionCounts(functionIndex)),
      functionLines: (functionIndex) => answer(() => this.functionLines(functionIndex)),
      placeDetail: (functionIndex, line) => answer(() => this.placeDetail(functionIndex, line)),
    };
  }

  addOwnCode(functionIndexes: Iterable<number>): boolean {
    return this.#ownCode.add(functionIndexes, this.#tables.functions.count);
  }

  forgetOwnCode(): void {
    this.#ownCode.forget();
  }

  isOwnCode(functionIndex: number): boolean {
    return this.#ownCode.has(functionIndex);
  }

  get ownSamples(): number {
    return this.#own.samples;
  }

  functionCounts(functionIndex: number): Counts {
    return { own: this.#own.functions[functionIndex] ?? 0, ...this.#counts.ofFunction(functionIndex) };
  }

  functionLines(functionIndex: number): readonly LineCounts[] {
    return this.#counts.ofLines(this.#tables.functions, functionIndex, this.#own.frames);
  }

  placeDetail(functionIndex: number, line?: number): PlaceDetail {
    return placeDetail(this.#tables, this.#counts, this.#ownCode, functionIndex, line);
  }

  classSplit(filter?: SampleFilter): readonly ClassShare[] {
    return classShares(this.#tables.labels, this.#select(filter).labelSamples());
  }

  filteredTotals(filter?: SampleFilter): CaptureTotals {
    return this.#select(filter).totals();
  }

  top(filter?: SampleFilter, options: TopOptions = {}): TopAnswer {
    const selection = this.#select(filter);
    const own = selection.isEverything ? this.#own : this.#ownCode.countsOf(this.#tables, selection);
    return topFunctions(this.#tables, selection, own, options);
  }

  blame(query: string, filter?: SampleFilter, onlyOwnCode = false): BlameAnswer {
    return blameCallers(this.#tables, this.#select(filter), query, onlyOwnCode ? this.#ownCode : null);
  }

  blameChoices(): readonly BlameChoice[] {
    return blameChoices(this.#tables, this.#counts);
  }

  isBlameGroup(query: string): boolean {
    return isBlameGroup(this.#tables, this.#counts, query);
  }

  flame(options: FlameOptions, filter?: SampleFilter, groupName = (value: string) => value): FlameData {
    const selection = this.#select(filter);
    const root = { name: "all", functionIndex: -1 };
    if (options.groupBy === "none") {
      const nodeSelf = selection.nodeSelf();
      const tree = options.inverted
        ? callerTree(this.#tables, nodeSelf, options)
        : calleeTree(this.#tables, allStacks(this.#tables.stacks, nodeSelf), options);
      return layOut(tree, { root }, this.#tables.functions, this.#graphFacts);
    }
    const grouped = groupedSamples(this.#tables.labels, selection, options.groupBy);
    const tree = options.inverted
      ? callerTree(this.#tables, grouped, options)
      : calleeTree(this.#tables, stacksByGroup(this.#tables, grouped), options);
    const data = layOut(
      tree,
      { root, groups: { groupedBy: options.groupBy, names: grouped.values.map(groupName) } },
      this.#tables.functions,
      this.#graphFacts,
    );
    const vms = options.groupBy === "node" ? this.facts.nodes?.map(({ name }) => groupName(name)) : undefined;
    return vms === undefined ? data : { ...data, vms };
  }

  sandwich(
    functionIndex: number,
    options: FlameOptions,
    filter?: SampleFilter,
  ): { callers: FlameData; callees: FlameData } | null {
    const { functions, stacks } = this.#tables;
    const facts = functions.facts[functionIndex];
    if (facts === undefined) return null;
    const nodeSelf = this.#select(filter).nodeSelf();
    const root = { name: facts.name, functionIndex };
    const callees = layOut(
      calleeTree(this.#tables, allStacks(stacks, nodeSelf), options, functionIndex),
      { root },
      functions,
      this.#graphFacts,
    );
    if (callees.totalSamples === 0) return null;
    return {
      callers: layOut(
        callerTree(this.#tables, nodeSelf, options, functionIndex),
        { root },
        functions,
        this.#graphFacts,
      ),
      callees,
    };
  }

  functionNamed(name: string): number {
    const { facts } = this.#tables.functions;
    for (; this.#named < facts.length; this.#named++) {
      const known = (facts[this.#named] as FunctionFacts).name;
      const indices = this.#byName.get(known);
      if (indices) indices.push(this.#named);
      else this.#byName.set(known, [this.#named]);
    }
    let most = -1;
    for (const index of this.#byName.get(name) ?? [])
      if (most < 0 || this.#counts.totalOf(index) > this.#counts.totalOf(most)) most = index;
    return most;
  }

  facets(filter?: SampleFilter): Facets {
    return facetsOf(this.#tables.labels, this.#select(filter).labelSamples());
  }

  nodeShares(filter?: SampleFilter): readonly NodeShare[] {
    return nodeShares(this.#tables.labels, this.#select(filter).labelSamples());
  }

  timeGaps(timeline: Timeline): readonly TimeGap[] {
    return timeGapsOf(this.facts.readings, timeline);
  }

  tracks(timeline: Timeline): readonly TimelineTrack[] {
    return tracksOf(this.facts.readings, timeline);
  }

  stays(most: number): readonly Stay[] {
    return longestStays(this.facts.stays ?? [], most);
  }

  timeline(bucketCount: number): Timeline {
    return timelineOf(this.#tables, this.facts.durationMs, bucketCount);
  }

  /** Of the type that is shown. */
  get #counts(): CaptureCounts {
    return (this.#countsOf[this.#tables.shown] ??= new CaptureCounts());
  }

  get #own(): OwnCounts {
    return this.#ownCode.counts(this.#tables, this.#select());
  }

  get #graphFacts(): GraphFacts {
    return {
      sequence: this.#revision,
      periodNs: this.periodNs,
      isOwn: (index) => this.#ownCode.has(index),
      folds: this.facts.isOwn,
    };
  }

  #select(filter?: SampleFilter): SampleSelection {
    return new SampleSelection(this.#tables, this.#counts, filter);
  }
}
