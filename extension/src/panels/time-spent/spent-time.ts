// Processor time and waits of one VM joined: by what processes are called, and by function. No vscode in here.

import type { FlameOptions, SampleFilter } from "../../../../contract/capture-answers.js";
import type { FlameData } from "../../../../contract/flame-data.js";
import type { FunctionDetail, FunctionTime, NamedTime, ProcessTime } from "../../../../contract/messages/time-spent.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { SampleClass } from "../../../../contract/protocol.generated.js";
import { isWork } from "../../../../contract/sample-classes.js";
import type { Capture, FoundTimes, FunctionFacts, WaitFacts } from "../../capture/questions.js";
import { placeText } from "../page/place-text.js";

/** The innermost frame of a process that waits for a scheduler alone: crate `sampling-process` writes it. */
const READY = "[ready to run]";
const LONGEST_NAME = 300;
const MOST_IN_DETAIL = 20;
const WHOLE_STACKS: FlameOptions = {
  inverted: false,
  hideNative: true,
  hideKernel: true,
  collapseRecursion: false,
  groupBy: "none",
};

const NOTHING: ReadonlyMap<string, number> = new Map();

/** A row that is being summed up. */
type Sums = { -readonly [Member in keyof FunctionTime]: FunctionTime[Member] };

/** Why two captures are no pair. */
export type NoPair = "noWaits" | "noCpu" | "otherVm" | "noSecondSnapshot" | "otherTime";

/** Where a watch of waits lies in a capture of processor time, milliseconds after the beginning of that. */
export interface SharedTime {
  readonly timeMs: { readonly from: number; readonly to: number };
  /** How much of the watch has samples. */
  readonly sampledSeconds: number;
}

export function sharedTime(cpu: Capture["facts"], waits: Capture["facts"]): SharedTime | NoPair {
  const watched = waits.waits;
  if (watched === undefined) return "noWaits";
  if (!cpu.isOwn || cpu.target === null || cpu.types?.includes("cpu") === false) return "noCpu";
  if (cpu.target.pid !== watched.pid || cpu.target.node !== watched.node) return "otherVm";
  // Each look covers the time since the one before it.
  if (watched.lookedSeconds === 0) return "noSecondSnapshot";
  const to = waits.startedUnixMs + watched.untilSeconds * 1000 - cpu.startedUnixMs;
  const from = to - watched.lookedSeconds * 1000;
  const sampledSeconds = (Math.min(to, cpu.durationMs) - Math.max(from, 0)) / 1000;
  return sampledSeconds > 0 ? { timeMs: { from: Math.max(from, 0), to }, sampledSeconds } : "otherTime";
}

/** What processes are called, by pid, where samples of processor time do not say it. */
export function processNames(waits: WaitFacts): ReadonlyMap<string, string> {
  return new Map(waits.names.flatMap(({ name, pids }) => pids.map((pid) => [pid, name] as const)));
}

/** Both captures of a pair; `cpu` was read with {@link processNames}. */
export class SpentTime {
  readonly #cpuFilter: SampleFilter;
  readonly #cpuSeconds: number;
  readonly #waitSeconds: number;

  constructor(
    readonly cpu: Capture,
    readonly waits: Capture,
    private readonly watched: WaitFacts,
    readonly shared: SharedTime,
  ) {
    const classes = cpu
      .classSplit()
      .flatMap(({ sampleClass }): SampleClass[] => (sampleClass !== null && isWork(sampleClass) ? [sampleClass] : []));
    this.#cpuFilter = { timeMs: shared.timeMs, classes };
    this.#cpuSeconds = cpu.periodNs / 1e9;
    this.#waitSeconds = waits.periodNs / 1e9;
  }

  /** By name, the most processor time first; `all` is all of them, and `noProcess` processor time of none. */
  processes(): {
    readonly rows: readonly ProcessTime[];
    readonly all: ProcessTime;
    readonly noProcessCpu: number;
    readonly unseenCpu: number;
  } {
    const cpu = new Map(
      this.cpu.facets(this.#cpuFilter).processes.map(({ value, samples }) => [value, samples * this.#cpuSeconds]),
    );
    const noProcessCpu = cpu.get("") ?? 0;
    cpu.delete("");
    const rows = this.watched.names.map((times) => {
      const own = cpu.get(times.name) ?? 0;
      cpu.delete(times.name);
      return processTime(times.name, own, times);
    });
    const unseen = [...cpu].map(([name, seconds]) => processTime(name, seconds));
    const sum = (of: (row: ProcessTime) => number | null) =>
      [...rows, ...unseen].reduce((all, row) => all + (of(row) ?? 0), 0);
    const { rest } = this.watched;
    const all = {
      key: "",
      name: "",
      cpu: sum((row) => row.cpu),
      waiting: sum((row) => row.waiting) + rest.waitingSeconds,
      ready: sum((row) => row.ready) + rest.readySeconds,
      running: sum((row) => row.running) + rest.runningSeconds,
      present: sum((row) => row.present) + presentSeconds(rest),
    };
    return {
      rows: [...rows, ...unseen].sort((a, b) => b.cpu - a.cpu || (b.present ?? 0) - (a.present ?? 0)),
      all,
      noProcessCpu,
      unseenCpu: unseen.reduce((all, row) => all + row.cpu, 0),
    };
  }

  /** @param process the only one that counts, by its key; null for all */
  functions(process: string | null): FunctionTime[] {
    const rows = new Map<string, Sums>();
    const add = (capture: Capture, filter: SampleFilter, seconds: number, what: "cpu" | "ready" | "waiting") => {
      for (const row of capture.top(filter, { onlyErlang: true }).rows) {
        if (row.functionIndex < 0) continue;
        const known = rows.get(row.name) ?? emptyRow(row.name, row);
        rows.set(row.name, known);
        known[`${what}Self`] += row.self * seconds;
        known[`${what}Total`] += row.total * seconds;
      }
    };
    const ofProcess = process === null ? {} : { processes: [process] };
    add(this.cpu, { ...this.#cpuFilter, ...ofProcess }, this.#cpuSeconds, "cpu");
    add(this.waits, { ...ofProcess, focus: READY }, this.#waitSeconds, "ready");
    add(this.waits, { ...ofProcess, ignore: READY }, this.#waitSeconds, "waiting");
    return [...rows.values()]
      .map((row) => ({ ...row, name: shownName(row.name, LONGEST_NAME) }))
      .sort((a, b) => b.cpuSelf - a.cpuSelf || b.waitingSelf - a.waitingSelf);
  }

  /** @param functionName as a row shows it */
  detail(functionName: string, process: string | null): FunctionDetail {
    const ofProcess = process === null ? {} : { processes: [process] };
    const waits = this.#below(this.waits, functionName, ofProcess);
    const calls = this.#below(this.cpu, functionName, { ...this.#cpuFilter, ...ofProcess });
    const innermost = waits === null ? NOTHING : byName(waits, waits.nodeSelf, () => true);
    const callees = calls === null ? NOTHING : byName(calls, calls.nodeTotal, (node) => calls.nodeParent[node] === 0);
    return {
      name: functionName,
      waits: asSeconds(innermost, this.#waitSeconds),
      calls: asSeconds(callees, this.#cpuSeconds),
    };
  }

  /** The function of a row, and which capture has it. */
  functionOf(functionName: string): { readonly fn: FunctionFacts; readonly of: "cpu" | "waits" } | undefined {
    for (const of of ["cpu", "waits"] as const) {
      const fn = this[of].functions.find(({ name }) => shownName(name, LONGEST_NAME) === functionName);
      if (fn !== undefined) return { fn, of };
    }
    return undefined;
  }

  #below(capture: Capture, functionName: string, filter: SampleFilter): FlameData | null {
    const index = capture.functions.findIndex(({ name }) => shownName(name, LONGEST_NAME) === functionName);
    return index < 0 ? null : (capture.sandwich(index, WHOLE_STACKS, filter)?.callees ?? null);
  }
}

function processTime(name: string, cpu: number, times?: FoundTimes): ProcessTime {
  const shown = { key: name, name: shownName(name, LONGEST_NAME), cpu };
  if (times === undefined) return { ...shown, waiting: null, ready: null, running: null, present: null };
  return {
    ...shown,
    waiting: times.waitingSeconds,
    ready: times.readySeconds,
    running: times.runningSeconds,
    present: presentSeconds(times),
  };
}

function presentSeconds({ waitingSeconds, readySeconds, runningSeconds, endingSeconds }: FoundTimes): number {
  return waitingSeconds + readySeconds + runningSeconds + endingSeconds;
}

function emptyRow(
  name: string,
  { kind, file, line }: Pick<FunctionTime, "kind"> & { readonly file: string; readonly line: number },
): Sums {
  return {
    name,
    kind,
    place: placeText(file, line),
    cpuSelf: 0,
    cpuTotal: 0,
    readySelf: 0,
    readyTotal: 0,
    waitingSelf: 0,
    waitingTotal: 0,
  };
}

function byName(
  { functionNames, nodeFunction }: FlameData,
  counts: Uint32Array,
  isWanted: (node: number) => boolean,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [node, count] of counts.entries()) {
    const name = functionNames[nodeFunction[node] as number];
    if (count > 0 && name !== undefined && isWanted(node)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums;
}

function asSeconds(counts: ReadonlyMap<string, number>, seconds: number): NamedTime[] {
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_IN_DETAIL);
  return most.map(([name, count]) => ({ name: shownName(name, LONGEST_NAME), seconds: count * seconds }));
}
