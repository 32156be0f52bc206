// The facts in a capture of where processes wait. A file may claim anything: lists and texts are bounded, and anything
// but a number becomes 0.

import { lateCause } from "../../../../contract/late-cause.js";
import type {
  LateTimeLimits,
  ProcessorLimits,
  SchedulerBlocker,
  SchedulerId,
  SchedulersOnline,
  SleepingInC,
  UnknownCall,
  WaitedLock,
  WaitedPort,
  WaitedProcess,
  WaitingEdge,
  WaitingEnd,
  WaitsGraph,
} from "../../../../contract/protocol.generated.js";
import type { FoundTimes, LastWaits, NameTimes, WaitFacts } from "../questions.js";

/** As many as the helper writes. */
const MOST_NAMES = 2000;
const MOST_PIDS = 20_000;
const MOST_EDGES = 200;
const MOST_EDGE_PIDS = 5;
const MOST_CYCLES = 100;
const MOST_IN_CYCLE = 100;
const MOST_ENDS = 100;
const MOST_END_FRAMES = 16;
const MOST_UNKNOWN_CALLS = 200;
const MOST_IN_C = 4096;
/** Normal schedulers of a VM. */
const MOST_LATE = 1024;
const MOST_BLOCKERS = 16;
const LONGEST_NAME = 1024;
const LONGEST_WORD = 256;
const PID = /^<\d{1,10}\.\d{1,10}\.\d{1,10}>$/;

type Members = Record<string, unknown>;

/** @returns undefined when it does not contain how time was spent: earlier versions did not write it */
export function toWaits(members: Members | null): WaitFacts | undefined {
  const spent = members?.["spent"];
  if (!members || !isObject(spent) || !Array.isArray(spent["names"])) return undefined;
  let pidsLeft = MOST_PIDS;
  const names = spent["names"].slice(0, MOST_NAMES).map((entry): NameTimes => {
    const given = isObject(entry) ? entry : {};
    const pids = Array.isArray(given["pids"])
      ? given["pids"].slice(0, pidsLeft).filter((pid): pid is string => typeof pid === "string" && PID.test(pid))
      : [];
    pidsLeft -= pids.length;
    return { ...timesIn(given), name: text(given["name"], LONGEST_NAME), pids };
  });
  const lastLook = lastLookIn(members);
  return {
    ...(lastLook && { lastLook }),
    pid: amount(members["pid"]),
    node: text(members["node"], LONGEST_WORD),
    otpRelease: text(members["otp"], LONGEST_WORD),
    looks: amount(members["looks"]),
    lookedSeconds: amount(spent["looked_s"]),
    untilSeconds: amount(spent["until_s"]),
    hasEnded: members["ended"] === true,
    schedulers: schedulersIn(members["schedulers"]),
    processors: isObject(members["processors"]) ? processorsIn(members["processors"]) : null,
    names,
    rest: timesIn(isObject(spent["rest"]) ? spent["rest"] : {}),
  };
}

function lastLookIn(members: Members): LastWaits | undefined {
  const { last, graph, full } = members;
  if (!isObject(last) || !isObject(graph)) return undefined;
  return {
    processes: amount(last["processes"]),
    waiting: amount(last["waiting"]),
    graph: graphIn(graph),
    full: full === true,
  };
}

function graphIn({
  edges,
  cycles,
  cycle_limits,
  unknown_calls,
  in_unknown_calls,
  maybe_calls,
  in_maybe_calls,
  in_c,
  late,
  late_unknown,
  ends,
  more,
  unproven,
  moved,
  not_searched,
}: Members): WaitsGraph {
  return {
    edges: objectsIn(edges, MOST_EDGES).map((edge): WaitingEdge => ({
      waiters: text(edge["waiters"], LONGEST_NAME),
      processes: amount(edge["processes"]),
      limited: amount(edge["limited"]),
      pids: textsIn(edge["pids"], MOST_EDGE_PIDS),
      call: text(edge["call"], LONGEST_NAME),
      target: processIn(edge["target"]),
      via: isObject(edge["via"]) ? processIn(edge["via"]) : null,
      ...(edge["has_or_had"] === true && { has_or_had: true }),
      lock: lockIn(edge["lock"]),
    })),
    cycles: listIn(cycles, MOST_CYCLES).map((cycle) => listIn(cycle, MOST_IN_CYCLE).map(processIn)),
    cycle_limits: listIn(cycle_limits, MOST_CYCLES).map(amount),
    unknown_calls: objectsIn(unknown_calls, MOST_UNKNOWN_CALLS).map(unknownCallIn),
    in_unknown_calls: amount(in_unknown_calls),
    ...(amount(in_maybe_calls) > 0 && {
      maybe_calls: objectsIn(maybe_calls, MOST_UNKNOWN_CALLS).map(unknownCallIn),
      in_maybe_calls: amount(in_maybe_calls),
    }),
    in_c: objectsIn(in_c, MOST_IN_C).flatMap(inCIn),
    late: objectsIn(late, MOST_LATE).map((one): LateTimeLimits => ({
      scheduler: amount(one["scheduler"]),
      processes: amount(one["processes"]),
      names: textsIn(one["names"], MOST_EDGE_PIDS),
      pids: textsIn(one["pids"], MOST_EDGE_PIDS),
      // An earlier version did not look at them.
      timers: typeof one["timers"] === "number" ? amount(one["timers"]) : null,
      receivers: objectsIn(one["receivers"], MOST_EDGE_PIDS).map(processIn),
      late_s: amount(one["late_s"]),
      cause: lateCause(one["cause"]),
      holder: isObject(one["holder"]) ? processIn(one["holder"]) : null,
      function: textOrNull(one["function"]),
      stack: textsIn(one["stack"], MOST_END_FRAMES),
    })),
    ...(late_unknown === true && { late_unknown }),
    ends: objectsIn(ends, MOST_ENDS).map((end): WaitingEnd => ({
      process: processIn(end["process"]),
      direct: amount(end["direct"]),
      all: amount(end["all"]),
      status: textOrNull(end["status"]),
      stack: textsIn(end["stack"], MOST_END_FRAMES),
      idle: end["idle"] === true,
      ...(end["idle_by_name"] === true && { idle_by_name: true }),
      port: portIn(end["port"]),
    })),
    more: amount(more),
    unproven: amount(unproven),
    moved: amount(moved),
    not_searched: amount(not_searched),
  };
}

function unknownCallIn(call: Members): UnknownCall {
  return {
    waiters: text(call["waiters"], LONGEST_NAME),
    processes: amount(call["processes"]),
    pids: textsIn(call["pids"], MOST_EDGE_PIDS),
    call: text(call["call"], LONGEST_NAME),
    monitors: isObject(call["monitors"]) ? processIn(call["monitors"]) : null,
    asked: isObject(call["asked"]) ? processIn(call["asked"]) : null,
    keeps: isObject(call["keeps"]) ? processIn(call["keeps"]) : null,
  };
}

function processIn(given: unknown): WaitedProcess {
  const { pid, name, node } = isObject(given) ? given : {};
  return { pid: text(pid, LONGEST_WORD), name: textOrNull(name), node: textOrNull(node) };
}

function lockIn(given: unknown): WaitedLock | null {
  if (!isObject(given)) return null;
  const { table, key, is_write: isWrite, holders, is_ahead: isAhead } = given;
  return {
    table: text(table, LONGEST_WORD),
    key: textOrNull(key),
    is_write: isWrite === true,
    holders: amount(holders),
    is_ahead: isAhead === true,
  };
}

/** Nothing where it names no scheduler. */
function inCIn(given: Members): SleepingInC[] {
  const scheduler = schedulerIn(given["scheduler"]);
  if (scheduler === null) return [];
  return [
    {
      pid: text(given["pid"], LONGEST_WORD),
      name: textOrNull(given["name"]),
      function: textOrNull(given["function"]),
      stack: textsIn(given["stack"], MOST_END_FRAMES),
      scheduler,
      thread_id: amount(given["thread_id"]),
      thread_name: text(given["thread_name"], LONGEST_WORD),
      seconds: amount(given["seconds"]),
    },
  ];
}

const SCHEDULER_KINDS = ["normal", "dirty_cpu", "dirty_io"] as const;

function schedulerIn(given: unknown): SchedulerId | null {
  const { type, number } = isObject(given) ? given : {};
  const kind = SCHEDULER_KINDS.find((one) => one === type);
  return kind === undefined ? null : { type: kind, number: amount(number) };
}

export function processorsIn(members: Members): ProcessorLimits {
  const known = (name: string) => (typeof members[name] === "number" ? amount(members[name]) : null);
  return {
    groups_known: members["groups_known"] === true,
    whole_tree: members["whole_tree"] === true,
    allowed: known("allowed"),
    periods: known("periods"),
    throttled_periods: known("throttled_periods"),
    throttled_ms: known("throttled_ms"),
    stolen_ms: known("stolen_ms"),
    pressure_ms: known("pressure_ms"),
    group_pressure_ms: known("group_pressure_ms"),
    ...affinityIn(members["affinity"]),
  };
}

function affinityIn(given: unknown): Pick<ProcessorLimits, "affinity"> {
  if (!isObject(given)) return {};
  return { affinity: { allowed: amount(given["allowed"]), online: amount(given["online"]) } };
}

/** Nothing where it does not count them. */
export function schedulersIn(given: unknown): SchedulersOnline | null {
  const { normal, dirtyCpu, blocked, blockers } = isObject(given) ? given : {};
  if (!isObject(normal) || !isObject(dirtyCpu)) return null;
  const counts = ({ online, all }: Members) => ({ online: amount(online), all: amount(all) });
  return {
    normal: counts(normal),
    dirtyCpu: counts(dirtyCpu),
    blocked: blocked === "all" || blocked === "normal" ? blocked : null,
    blockers: objectsIn(blockers, MOST_BLOCKERS).map(({ pid, name }): SchedulerBlocker => ({
      pid: text(pid, LONGEST_WORD),
      name: textOrNull(name),
    })),
  };
}

function portIn(given: unknown): WaitedPort | null {
  if (!isObject(given)) return null;
  const { owner, bytes } = given;
  return { owner: isObject(owner) ? processIn(owner) : null, bytes: amount(bytes) };
}

function listIn(value: unknown, most: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function objectsIn(value: unknown, most: number): Members[] {
  return listIn(value, most).filter(isObject);
}

function textsIn(value: unknown, most: number): string[] {
  return listIn(value, most).map((each) => text(each, LONGEST_NAME));
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? text(value, LONGEST_NAME) : null;
}

function timesIn(members: Members): FoundTimes {
  return {
    waitingSeconds: amount(members["waiting_s"]),
    readySeconds: amount(members["ready_s"]),
    runningSeconds: amount(members["running_s"]),
    endingSeconds: amount(members["ending_s"]),
  };
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

function text(value: unknown, longest: number): string {
  return typeof value === "string" ? value.slice(0, longest) : "";
}
