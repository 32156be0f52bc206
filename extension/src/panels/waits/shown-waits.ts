// The waits between processes as the page shows them: texts of a VM are cut and made visible. No vscode in here.

import { lateCause } from "../../../../contract/late-cause.js";
import type { Standstill } from "../../../../contract/messages/standstill.js";
import type { WaitsSeen } from "../../../../contract/messages/waits.js";
import { shownName } from "../../../../contract/plain-text.js";
import type {
  LateTimeLimits,
  ProcessorLimits,
  UnknownCall,
  WaitedLock,
  WaitedPort,
  WaitedProcess,
  WaitsGraph,
} from "../../../../contract/protocol.generated.js";
import type { CaptureFacts } from "../../capture/questions.js";
import type { KnownVm } from "../../inside/known-vm.js";
import { vmHead } from "../../inside/vm-head.js";
import { shownSchedulers } from "../../text/shown-schedulers.js";
import { shownStandstill } from "../../text/shown-standstill.js";
import type { Watched } from "./watch-waits.js";

const LONGEST = 200;

/** The content of the page after a watch. */
export function seenBy({ result, last, looks, seconds, takenUnixMs, endedUnixMs }: Watched, vm: KnownVm): WaitsSeen {
  return {
    head: vmHead(vm),
    takenUnixMs,
    endedUnixMs,
    seconds,
    looks,
    processes: last.processes,
    waiting: last.waiting,
    restless: last.restless,
    unread: last.unproven,
    graph: shownGraph(result.waits.graph),
    full: last.full,
    standstill: shownStandstill(result.waits.standstill, result.waits.standstillUnknown),
    schedulers: shownSchedulers(result.waits.schedulers),
    // An older helper does not look.
    processors: (result.waits.processors as ProcessorLimits | null | undefined) ?? null,
  };
}

/**
 * The content of the page from the capture of a watch.
 * @param vm as the page kept it: the capture itself does not contain the name that its host has here
 * @param standstill as the page kept it: the capture does not contain it either
 * @returns undefined when the capture lacks the waits between processes
 */
export function seenIn(
  { waits, startedUnixMs, durationMs }: CaptureFacts,
  vm: KnownVm | undefined,
  standstill: Standstill | null,
): WaitsSeen | undefined {
  const last = waits?.lastLook;
  if (waits === undefined || last === undefined) return undefined;
  const untilMs = waits.hasEnded ? waits.untilSeconds * 1000 : durationMs;
  return {
    head: { pid: waits.pid, node: shown(waits.node), host: vm === undefined ? "" : vmHead(vm).host },
    takenUnixMs: startedUnixMs + untilMs,
    endedUnixMs: waits.hasEnded ? startedUnixMs + durationMs : null,
    seconds: durationMs / 1000,
    looks: waits.looks,
    processes: last.processes,
    waiting: last.waiting,
    // The capture has neither of these.
    restless: null,
    unread: null,
    graph: shownGraph(last.graph),
    full: last.full,
    standstill,
    schedulers: shownSchedulers(waits.schedulers),
    processors: waits.processors,
  };
}

export function shownGraph({
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
}: WaitsGraph): WaitsGraph {
  return {
    edges: edges.map((edge) => ({
      ...edge,
      waiters: shown(edge.waiters),
      pids: edge.pids.map(shown),
      call: shown(edge.call),
      target: shownProcess(edge.target),
      // An older helper has none.
      via: edge.via ? shownProcess(edge.via) : null,
      lock: shownLock(edge.lock),
    })),
    cycles: cycles.map((cycle) => cycle.map(shownProcess)),
    cycle_limits,
    unknown_calls: unknown_calls.map(shownCall),
    in_unknown_calls,
    ...(maybe_calls && { maybe_calls: maybe_calls.map(shownCall) }),
    ...(in_maybe_calls !== undefined && { in_maybe_calls }),
    in_c: in_c.map((one) => ({
      ...one,
      pid: shown(one.pid),
      name: orNull(one.name),
      function: orNull(one.function),
      stack: one.stack.map(shown),
      thread_name: shown(one.thread_name),
    })),
    // An older helper has none.
    late: ((late as readonly LateTimeLimits[] | undefined) ?? []).map((one) => ({
      ...one,
      names: one.names.map(shown),
      pids: one.pids.map(shown),
      // Nor did it look at these.
      timers: (one.timers as number | null | undefined) ?? null,
      receivers: ((one.receivers as readonly WaitedProcess[] | undefined) ?? []).map(shownProcess),
      cause: lateCause(one.cause),
      holder: one.holder === null ? null : shownProcess(one.holder),
      function: orNull(one.function),
      stack: one.stack.map(shown),
    })),
    ...(late_unknown === true && { late_unknown }),
    ends: ends.map((end) => ({
      ...end,
      process: shownProcess(end.process),
      status: orNull(end.status),
      stack: end.stack.map(shown),
      port: shownPort(end.port),
    })),
    more,
    unproven,
    moved,
    // An older helper has none.
    not_searched: (not_searched as number | undefined) ?? 0,
  };
}

function shownCall(call: UnknownCall): UnknownCall {
  return {
    ...call,
    waiters: shown(call.waiters),
    pids: call.pids.map(shown),
    call: shown(call.call),
    monitors: call.monitors === null ? null : shownProcess(call.monitors),
    // An older helper has none.
    asked: call.asked ? shownProcess(call.asked) : null,
    keeps: call.keeps ? shownProcess(call.keeps) : null,
  };
}

function shownProcess({ pid, name, node }: WaitedProcess): WaitedProcess {
  return { pid: shown(pid), name: orNull(name), node: orNull(node) };
}

function shownLock(lock: WaitedLock | null): WaitedLock | null {
  return lock === null ? null : { ...lock, table: shown(lock.table), key: orNull(lock.key) };
}

function shownPort(port: WaitedPort | null): WaitedPort | null {
  return port === null ? null : { owner: port.owner === null ? null : shownProcess(port.owner), bytes: port.bytes };
}

const shown = (text: string): string => shownName(text, LONGEST);
const orNull = (text: string | null): string | null => (text === null ? null : shown(text));
