import type { BlameChoice, CaptureTotals, ClassShare, FlameOptions, SampleFilter, SelfAndTotal, Timeline } from "../../../contract/capture-answers.js";
import type { FlameData } from "../../../contract/flame-data.js";
import { blameCallers, blameChoices } from "./answers/blame-callers.js";
import { CaptureCounts } from "./answers/capture-counts.js";
import { classShares } from "./answers/class-split.js";
import { facetsOf } from "./answers/facets.js";
import { placeDetail } from "./answers/place-detail.js";
import { SampleSelection } from "./answers/sample-selection.js";
import { timelineOf } from "./answers/timeline.js";
import { topFunctions } from "./answers/top-functions.js";
import { inflate, inflatedMembers } from "./decode/inflate.js";
import { decodeProfile } from "./decode/profile-decoder.js";
import { calleeTree } from "./flame/callee-tree.js";
import { callerTree } from "./flame/caller-tree.js";
import { layOut } from "./flame/flame-layout.js";
import type { BlameAnswer, Capture, CaptureFacts, Facets, FunctionFacts, LineCounts, PlaceDetail, TopAnswer } from "./questions.js";
import { ProfileTables } from "./tables/profile-tables.js";

export { CaptureError } from "./capture-error.js";

/** An empty capture, to be appended to. */
export function newCapture(): Capture {
  return new CaptureModel();
}

/** A whole file: a capture of ours or another pprof profile, compressed or not. A missing end is no error: see `CaptureFacts.isCut`. Throws `CaptureError`. */
export function decodeCapture(gzip: Uint8Array): Capture {
  const capture = new CaptureModel();
  capture.load(gzip, true);
  return capture;
}

/** The same, member by member: other threads inflate what comes next, and the caller's thread is free between members. */
export async function openCapture(gzip: Uint8Array): Promise<Capture> {
  const capture = new CaptureModel();
  try {
    await capture.loadMembers(gzip);
    return capture;
  } catch {
    // Not a file of ours, or damaged: its members may belong together otherwise, and what is wrong with it shows when it is read as one.
    return decodeCapture(gzip);
  }
}

const NO_FACTS: CaptureFacts = { target: null, quality: null, startedUnixMs: 0, durationMs: 0, frequencyHz: 0, unit: "samples", isOwn: false };

class CaptureModel implements Capture {
  readonly #tables = new ProfileTables();
  readonly #counts = new CaptureCounts();
  readonly #byName = new Map<string, number[]>();
  #named = 0;
  #revision = 0;

  get revision(): number {
    return this.#revision;
  }

  get facts(): CaptureFacts {
    return this.#tables.description?.facts ?? NO_FACTS;
  }

  get totals(): CaptureTotals {
    return { samples: this.#counts.samples, busy: this.#counts.busy };
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
    this.#counts.update(this.#tables);
    this.#revision++;
  }

  /** All members of a file. Throws when one of them alone makes no sense; the capture is not to be used then. */
  async loadMembers(gzip: Uint8Array): Promise<void> {
    for await (const { message, cut } of inflatedMembers(gzip)) decodeProfile(this.#tables, message, cut, cut);
    this.#counts.update(this.#tables);
    this.#revision++;
  }

  functionCounts(functionIndex: number): SelfAndTotal {
    return this.#counts.ofFunction(functionIndex);
  }

  functionLines(functionIndex: number): readonly LineCounts[] {
    return this.#counts.ofLines(this.#tables.functions, functionIndex);
  }

  placeDetail(functionIndex: number, line?: number): PlaceDetail {
    return placeDetail(this.#tables, this.#counts, functionIndex, line);
  }

  classSplit(filter?: SampleFilter): readonly ClassShare[] {
    return classShares(this.#tables.labels, this.#select(filter).labelSamples());
  }

  filteredTotals(filter?: SampleFilter): CaptureTotals {
    return this.#select(filter).totals();
  }

  top(filter?: SampleFilter, onlyErlang = false): TopAnswer {
    return topFunctions(this.#tables, this.#select(filter), onlyErlang);
  }

  blame(query: string, filter?: SampleFilter): BlameAnswer {
    return blameCallers(this.#tables, this.#select(filter), query);
  }

  blameChoices(): readonly BlameChoice[] {
    return blameChoices(this.#tables, this.#counts);
  }

  flame(options: FlameOptions, filter?: SampleFilter): FlameData {
    const nodeSelf = this.#select(filter).nodeSelf();
    const tree = options.inverted ? callerTree(this.#tables, nodeSelf, options) : calleeTree(this.#tables, nodeSelf, options);
    return layOut(tree, { name: "all", functionIndex: -1 }, this.#tables.functions, this.#revision, this.#periodNs);
  }

  sandwich(functionIndex: number, options: FlameOptions, filter?: SampleFilter): { callers: FlameData; callees: FlameData } | null {
    const { functions } = this.#tables;
    const facts = functions.facts[functionIndex];
    if (facts === undefined) return null;
    const nodeSelf = this.#select(filter).nodeSelf();
    const root = { name: facts.name, functionIndex };
    const callees = layOut(calleeTree(this.#tables, nodeSelf, options, functionIndex), root, functions, this.#revision, this.#periodNs);
    if (callees.totalSamples === 0) return null;
    return { callers: layOut(callerTree(this.#tables, nodeSelf, options, functionIndex), root, functions, this.#revision, this.#periodNs), callees };
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
    for (const index of this.#byName.get(name) ?? []) if (most < 0 || this.#counts.totalOf(index) > this.#counts.totalOf(most)) most = index;
    return most;
  }

  facets(): Facets {
    return facetsOf(this.#tables.labels, this.#select().labelSamples());
  }

  timeline(bucketCount: number): Timeline {
    return timelineOf(this.#tables, this.facts.durationMs, bucketCount);
  }

  get #periodNs(): number {
    return this.#tables.description?.counted.periodNs ?? 0;
  }

  #select(filter?: SampleFilter): SampleSelection {
    return new SampleSelection(this.#tables, this.#counts, filter);
  }
}
