// One capture of several VMs: each is captured by itself, and its samples are merged here with its node.

import type { Stay, Timeline, TimelineTrack } from "../../../contract/capture-answers.js";
import { ENGLISH } from "../../../contract/english.js";
import type { Words } from "../../../contract/plain-text.js";
import { tracksOfNode } from "./answers/tracks.js";
import { CaptureError } from "./capture-error.js";
import { CaptureModel } from "./capture-model.js";
import { longestStays } from "./decode/stays.js";
import type { Capture, CaptureFacts, NodeFacts, RecordedTarget } from "./questions.js";
import { AdoptedCapture, SharedFunctions } from "./tables/adopted-capture.js";
import type { CountedType } from "./tables/capture-description.js";
import { NODE_SEPARATOR } from "./tables/label-sets.js";

/** Samples are recorded in buckets of this length; a start is moved by whole ones, so that no bucket gets some of its neighbour's. */
const RECORDED_BUCKET_MS = 20;
/** What began further apart was not taken together. */
const MAX_APART_MS = 24 * 3600 * 1000;
const LONGEST_NAME = 80;

/** A capture that makes sense, but not together with the others. */
export class NotTogether extends CaptureError {
  constructor(readonly words: (l10n: Words) => string) {
    super("notTogether", words(ENGLISH));
  }
}

interface Source {
  readonly name: string;
  readonly capture: CaptureModel;
  readonly adopted: AdoptedCapture;
  readonly measureClock: () => number;
  /** Known once the capture states its start. */
  clockAheadMs: number;
  /** Known after the end of the capture. */
  clockAheadAtEndMs: number | undefined;
  /** How much later than the joined capture it began; undefined until its start is known. */
  shiftMs: number | undefined;
  /** Of its capture, when it was last merged. */
  revision: number;
  problem: CaptureError | undefined;
}

/** An empty capture of several VMs. */
export function joinedCapture(): JoinedCapture {
  return new JoinedCapture();
}

/** Its samples are those of its sources, all of them and each once. */
export class JoinedCapture extends CaptureModel {
  readonly #sources: Source[] = [];
  readonly #functions = new SharedFunctions(this.tables.functions);
  /** Milliseconds since 1970 by the clock here; undefined before the first sample. */
  #startedUnixMs: number | undefined;

  /**
   * Adds a VM. `catchUp` merges the samples of its capture, present and future.
   * @param wantedName shown; changed where another node has it
   * @param measureClock how many milliseconds its machine's clock is ahead of the one here; called once, when the start
   * of its capture is known; without it, the capture's own value applies
   * @returns its name here
   * @throws {CaptureError} when it cannot be joined with those that are there
   */
  addNode(wantedName: string, capture: Capture, measureClock?: () => number): string {
    if (!(capture instanceof CaptureModel) || capture instanceof JoinedCapture)
      throw new NotTogether((l10n) => l10n.t("it is made of several captures itself"));
    if (this.#sources.some((source) => source.capture === capture))
      throw new NotTogether((l10n) => l10n.t("it is there already"));
    const name = this.#freeName(wantedName);
    const source: Source = {
      name,
      capture,
      adopted: new AdoptedCapture(capture.tables, this.tables, this.#functions, this.#sources.length),
      measureClock: measureClock ?? (() => capture.facts.clock?.aheadMs ?? 0),
      clockAheadMs: 0,
      clockAheadAtEndMs: undefined,
      shiftMs: undefined,
      revision: 0,
      problem: undefined,
    };
    this.#checkJoins(source, this.#sources);
    this.tables.labels.addNode(name);
    this.#sources.push(source);
    this.#describe();
    return name;
  }

  /** Takes in what the captures have got since. Never throws: see `facts.nodes`. @returns whether there was anything */
  catchUp(): boolean {
    let hasNews = false;
    for (const source of this.#sources) {
      if (source.problem !== undefined || source.revision === source.capture.revision) continue;
      source.revision = source.capture.revision;
      hasNews = true;
      try {
        // Sources that were merged first stay. A source that came without its sampling facts is checked now.
        if (source.shiftMs === undefined)
          this.#checkJoins(
            source,
            this.#sources.filter(({ shiftMs }) => shiftMs !== undefined),
          );
        source.adopted.takeIn(this.#shiftOf(source));
      } catch (error) {
        if (!(error instanceof CaptureError)) throw error;
        source.problem = error;
      }
    }
    this.#describe();
    if (hasNews) this.grown();
    return hasNews;
  }

  /** What its machine's clock was ahead by at the end of the capture. @param name as `addNode` had it */
  clockAtEnd(name: string, aheadMs: number): void {
    for (const source of this.#sources) if (source.name === name) source.clockAheadAtEndMs = aheadMs;
    this.#describe();
    this.grown();
  }

  /** Grows by its sources only. */
  override append(): never {
    throw new NotTogether((l10n) => l10n.t("it is made of several captures itself"));
  }

  /** The tracks of each node, shifted like its samples: sums over different machines would describe none of them. */
  override tracks(timeline: Timeline): readonly TimelineTrack[] {
    return this.#sources.flatMap(({ name, capture, shiftMs }) => {
      const { readings } = capture.facts;
      return readings === undefined || shiftMs === undefined
        ? []
        : tracksOfNode({ name, readings, tables: capture.tables, shiftMs }, timeline);
    });
  }

  /** Those of each node, shifted like its samples. */
  override stays(most: number): readonly Stay[] {
    const all = this.#sources.flatMap(({ name: node, capture, shiftMs }) => {
      if (shiftMs === undefined) return [];
      const own = capture.stays(most);
      return own.map((stay) => ({ ...stay, fromMs: stay.fromMs + shiftMs, toMs: stay.toMs + shiftMs, node }));
    });
    return longestStays(all, most);
  }

  #freeName(wanted: string): string {
    const plain = wanted.replaceAll(NODE_SEPARATOR.trim(), "_").slice(0, LONGEST_NAME) || "?";
    const isTaken = (name: string) => this.#sources.some((source) => source.name === name);
    for (let number = 1; ; number++) {
      const name = number === 1 ? plain : `${plain} (${number})`;
      if (!isTaken(name)) return name;
    }
  }

  /** All must count the same quantity, or sums would mean nothing. */
  #checkJoins(source: Source, others: readonly Source[]): void {
    const { description } = source.capture.tables;
    if (description === null) return;
    const { facts, types } = description;
    source.clockAheadMs = source.measureClock();
    if (!facts.isOwn) throw new NotTogether((l10n) => l10n.t("it was written by another program"));
    for (const other of others) {
      const before = other.problem === undefined ? other.capture.tables.description : null;
      if (before === null) continue;
      if (idsOf(before.types) !== idsOf(types))
        throw new NotTogether((l10n) => l10n.t("its types of samples are not those of the others"));
      if (!haveEqualPeriods(before.types, types) || before.facts.frequencyHz !== facts.frequencyHz)
        throw new NotTogether((l10n) =>
          l10n.t("it was sampled at {0} Hz and the others at {1} Hz", facts.frequencyHz, before.facts.frequencyHz),
        );
      const [started, startedBefore] = [startOf(source), startOf(other)];
      if (started !== undefined && startedBefore !== undefined && !(Math.abs(started - startedBefore) <= MAX_APART_MS))
        throw new NotTogether((l10n) => l10n.t("it was not taken on the same day"));
    }
  }

  #shiftOf(source: Source): number {
    if (source.shiftMs !== undefined) return source.shiftMs;
    const started = startOf(source);
    // Who does not say when it began is shown from the beginning.
    if (started === undefined) return (source.shiftMs = 0);
    this.#startedUnixMs ??= started;
    const late = Math.round((started - this.#startedUnixMs) / RECORDED_BUCKET_MS) * RECORDED_BUCKET_MS;
    if (late < 0) {
      for (const rows of this.tables.rows) rows.startEarlier(-late);
      for (const other of this.#sources) if (other.shiftMs !== undefined) other.shiftMs -= late;
      this.#startedUnixMs += late;
    }
    return (source.shiftMs = Math.max(late, 0));
  }

  #describe(): void {
    const described = this.#sources.filter(
      ({ capture, problem }) => capture.tables.description !== null && problem === undefined,
    );
    const first = described[0]?.capture.tables.description;
    if (first === undefined || first === null) return;
    const all = described.map(({ capture }) => capture.facts);
    const commits = new Set(all.map(({ origin }) => JSON.stringify(origin ?? null)));
    const facts: CaptureFacts = {
      target: this.#target(),
      // Each node has its own.
      quality: null,
      ...(commits.size === 1 && first.facts.origin !== undefined ? { origin: first.facts.origin } : {}),
      nodes: this.#sources.map(nodeFacts),
      startedUnixMs: this.#startedUnixMs ?? first.facts.startedUnixMs,
      durationMs: Math.max(...described.map(({ capture, shiftMs = 0 }) => capture.facts.durationMs + shiftMs)),
      frequencyHz: first.facts.frequencyHz,
      includeKernel: all.some(({ includeKernel }) => includeKernel === true),
      unit: (first.types[this.tables.shown] ?? first.types[0])?.unit ?? first.facts.unit,
      ...(first.facts.types === undefined ? {} : { types: first.facts.types }),
      isOwn: true,
      ...(all.some(({ isCut }) => isCut === true) ? { isCut: true } : {}),
      ...(all.some(({ target, isFromElsewhere }) => isFromElsewhere === true || target?.hasOtherFiles === true)
        ? { isFromElsewhere: true }
        : {}),
    };
    this.tables.makeRoomFor(first.types.length);
    this.tables.description = { facts, types: first.types };
  }

  /**
   * The facts that all nodes share, and the command line of the first: it contains the path of its installation, which
   * is mostly that of the others, too.
   */
  #target(): RecordedTarget | null {
    const targets = this.#sources.flatMap(({ capture: { facts } }) => (facts.target === null ? [] : [facts.target]));
    const [first] = targets;
    if (first === undefined) return null;
    const common = (of: (target: RecordedTarget) => string) =>
      targets.every((target) => of(target) === of(first)) ? of(first) : "";
    return {
      pid: 0,
      otpRelease: common(({ otpRelease }) => otpRelease),
      ertsVersion: common(({ ertsVersion }) => ertsVersion),
      flavor: common(({ flavor }) => flavor),
      node: this.#sources.map(({ name }) => name).join(", "),
      host: common(({ host }) => host),
      command: first.command,
    };
  }
}

/** By the clock here; undefined when it does not say. */
function startOf({ capture: { facts }, clockAheadMs }: Source): number | undefined {
  return facts.startedUnixMs > 0 ? facts.startedUnixMs - clockAheadMs : undefined;
}

function idsOf(types: readonly CountedType[]): string {
  return types.map(({ id }) => id ?? "").join(" ");
}

/** Of the same types. */
function haveEqualPeriods(some: readonly CountedType[], others: readonly CountedType[]): boolean {
  return some.every(({ counted }, index) => counted.periodNs === others[index]?.counted.periodNs);
}

function nodeFacts({ name, capture: { facts }, clockAheadMs, clockAheadAtEndMs, problem }: Source): NodeFacts {
  const { target, quality, startedUnixMs, durationMs, runQueue, clock } = facts;
  const atEnd = clockAheadAtEndMs ?? clock?.aheadAtEndMs;
  return {
    name,
    target,
    quality,
    startedUnixMs,
    durationMs,
    ...(runQueue === undefined ? {} : { runQueue }),
    clockAheadMs,
    ...(atEnd === undefined ? {} : { clockAheadAtEndMs: atEnd }),
    ...(problem === undefined ? {} : { problem }),
  };
}
