// The sentence of a VM whose own figures are not the whole truth: calls or processes are traced, a quota or an affinity
// limits its processors, or it did not run for a time.

import type {
  Affinity,
  HaltedTime,
  NodeResult,
  ProcessorLimits,
  TracedProcesses,
} from "../../contract/protocol.generated.js";
import { count, decimal, upToThousandths } from "./figures.js";
import { NODE_WORDS } from "./node-words.js";

/** A look is about as long as one period of a quota: that none of so few was throttled means nothing. */
const FEWEST_PERIODS = 5;

/** What the line is about. `halted`: the time of the look in which nothing of the VM ran. */
export interface Limits extends Partial<
  Pick<NodeResult, "tracedFunctions" | "tracedProcesses" | "processors" | "schedulersOnline">
> {
  readonly halted?: HaltedTime | null;
}

/** Empty where there is none of these, and where none is known. */
export function limitsText(limits: Limits): string {
  const { tracedFunctions, tracedProcesses, processors, schedulersOnline, halted = null } = limits;
  const { traced = 0, looked_at: all = 0 } = tracedFunctions ?? {};
  return [
    ...haltedTexts(halted),
    ...(traced === 0 ? [] : [NODE_WORDS.traced(count(traced), count(all))]),
    ...processTexts(tracedProcesses),
    ...quotaTexts(processors),
    ...affinityTexts(processors?.affinity, schedulersOnline?.normal.online),
  ].join(" · ");
}

function haltedTexts(halted: HaltedTime | null): string[] {
  if (halted === null) return [];
  const { reason, ms } = halted;
  // At least that long, so the figure is not rounded up; a shorter time is none that it shows.
  const tenths = Math.floor(ms / 100);
  return [tenths === 0 ? NODE_WORDS.haltedShortly[reason] : NODE_WORDS.halted(reason, decimal(tenths / 10))];
}

/** Those that were not looked at may be traced, too. */
function processTexts(processes: TracedProcesses | null | undefined): string[] {
  const { traced = 0, looked_at: all = 0, left_out: others = 0 } = processes ?? {};
  return [
    ...(traced === 0 ? [] : [NODE_WORDS.processesTraced(count(traced), count(all))]),
    ...(others === 0 ? [] : [NODE_WORDS.processesNotLookedAt(count(others))]),
  ];
}

function quotaTexts(limits: ProcessorLimits | null | undefined): string[] {
  if (limits === null || limits === undefined || limits.allowed === null) return [];
  const { allowed, whole_tree: whole, periods, throttled_periods: throttled, throttled_ms: ms } = limits;
  const figure = upToThousandths(allowed);
  const quota = whole ? NODE_WORDS.quota(figure) : NODE_WORDS.quotaAtMost(figure);
  if (periods === null || throttled === null || ms === null) return [`${quota}; ${NODE_WORDS.throttlingUnknown}`];
  // A group that is not in sight may have throttled it, too.
  const words = whole
    ? NODE_WORDS
    : { throttled: NODE_WORDS.throttledAtLeast, notThrottled: NODE_WORDS.notThrottledInSight };
  if (throttled > 0 || ms > 0) return [`${quota}; ${words.throttled(count(ms))}`];
  return [periods < FEWEST_PERIODS ? quota : `${quota}; ${words.notThrottled(count(periods))}`];
}

/** Schedulers wait for each other where they have fewer processors; a VM that begins with fewer has fewer online. */
function affinityTexts(affinity: Affinity | undefined, online: number | undefined): string[] {
  if (affinity === undefined || online === undefined || affinity.allowed >= online) return [];
  return [NODE_WORDS.affinity(count(affinity.allowed), count(affinity.online), count(online))];
}

/** Less stolen time than this is no reason to doubt a watch: the kernel counts ticks of 10 ms. */
const LEAST_STOLEN_MS = 100;
/** Each thread waits now and then on a busy machine. */
const LEAST_WAITED_MS = 1000;

/** What kept the VM from processors during a watch. Empty where nothing did, and where none is known. */
export function watchedLimitsText(limits: ProcessorLimits | null): string {
  if (limits === null) return "";
  const { whole_tree: whole, periods, throttled_periods: throttled, throttled_ms: ms, stolen_ms: stolen } = limits;
  const seconds = (milliseconds: number) => decimal(milliseconds / 1000);
  const words = whole ? NODE_WORDS.throttledInWatch : NODE_WORDS.throttledInWatchAtLeast;
  return [
    ...(periods === null || throttled === null || ms === null || throttled === 0
      ? []
      : [words(count(throttled), count(periods), seconds(ms))]),
    ...(stolen === null || stolen < LEAST_STOLEN_MS ? [] : [NODE_WORDS.stolen(seconds(stolen))]),
    ...waitedTexts(limits),
  ].join(" · ");
}

/** Waiting for all processors of a machine is its load; that for a part of them is the limit of the VM. */
function waitedTexts({ affinity, group_pressure_ms: groupMs, pressure_ms: machineMs }: ProcessorLimits): string[] {
  const ms = groupMs ?? machineMs ?? 0;
  if (affinity === undefined || affinity.allowed >= affinity.online || ms < LEAST_WAITED_MS) return [];
  const words = groupMs === null ? NODE_WORDS.waitedOfMachine : NODE_WORDS.waitedOfGroup;
  return [words(count(affinity.allowed), count(affinity.online), decimal(ms / 1000))];
}
