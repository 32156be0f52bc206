// The line of a VM whose figures are not the whole truth: traced calls and processes, and a quota of its processors.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProcessorLimits } from "../../../contract/protocol.generated.js";
import { limitsText, watchedLimitsText } from "../../../webviews/words/limits-text.js";

const LIMITS: ProcessorLimits = {
  groups_known: true,
  whole_tree: true,
  allowed: 0.3,
  periods: 2,
  throttled_periods: 1,
  throttled_ms: 60,
  stolen_ms: null,
  pressure_ms: null,
  group_pressure_ms: null,
};
const NONE = {
  looked_at: 1340,
  left_out: 0,
  traced: 0,
  sends: 0,
  receives: 0,
  events: 0,
  scheduling: 0,
  collections: 0,
};
const TRACED = { looked_at: 8341, traced: 38, reported: 2, counted: 0, timed: 38, measured: 0 };

test("a quota is named, and whether it throttled the VM, as far as that is known", () => {
  const quota = "A quota of its control group limits its processors to 0.3";
  const text = (limits: Partial<ProcessorLimits>) => limitsText({ processors: { ...LIMITS, ...limits } });
  const rest = { throttled_periods: 0, throttled_ms: 0 };
  assert.equal(text({}), `${quota}; throttled in the last snapshot, for 60 ms of all processors`);
  assert.equal(text({ throttled_periods: null }), `${quota}; whether it was throttled is not known`);
  assert.equal(text({ ...rest, periods: 10 }), `${quota}; not throttled in 10 periods of the last snapshot`);
  // As short as a period: that this one was not throttled means nothing.
  assert.equal(text({ ...rest, periods: 1 }), quota);
  assert.equal(text({ ...rest, periods: 0 }), quota);
});

test("a group that is not in sight may limit the VM further, and may have throttled it, too", () => {
  const quota = "A quota of its control group limits its processors to at most 0.333";
  const text = (limits: Partial<ProcessorLimits>) =>
    limitsText({ processors: { ...LIMITS, whole_tree: false, allowed: 1 / 3, ...limits } });
  const rest = { throttled_periods: 0, throttled_ms: 0 };
  assert.equal(text({}), `${quota}; throttled in the last snapshot, for at least 60 ms of all processors`);
  assert.equal(
    text({ ...rest, periods: 10 }),
    `${quota}; not throttled by the control groups in sight in 10 periods of the last snapshot`,
  );
  assert.equal(text({ ...rest, periods: 1 }), quota);
});

test("a VM with fewer processors than schedulers is named", () => {
  const text = (allowed: number, online: number | null) =>
    limitsText({
      processors: { ...LIMITS, allowed: null, affinity: { allowed, online: 8 } },
      schedulersOnline:
        online === null
          ? null
          : { normal: { online, all: 8 }, dirtyCpu: { online: 8, all: 8 }, blocked: null, blockers: [] },
    });
  assert.equal(text(2, 8), "It may run on 2 of 8 processors, with 8 schedulers online");
  for (const nothing of [text(2, 2), text(8, 8), text(2, null)]) assert.equal(nothing, "");
});

test("that threads waited for the processors of the VM is named where these are not all", () => {
  const text = (limits: Partial<ProcessorLimits>) =>
    watchedLimitsText({ ...LIMITS, throttled_periods: 0, affinity: { allowed: 2, online: 8 }, ...limits });
  assert.equal(
    text({ pressure_ms: 9000, group_pressure_ms: 5130 }),
    "The VM may run on 2 of 8 processors, and threads of its control group waited 5.1 s for one",
  );
  assert.equal(
    text({ pressure_ms: 9000 }),
    "The VM may run on 2 of 8 processors, and threads of the machine waited 9.0 s for one",
  );
  for (const limits of [{}, { pressure_ms: 900 }, { pressure_ms: 9000, affinity: { allowed: 8, online: 8 } }])
    assert.equal(text(limits), "");
});

test("a time in which the VM did not run is named with its reason", () => {
  const text = (reason: "stopped" | "traced" | "frozen", ms = 1260) => limitsText({ halted: { reason, ms } });
  assert.equal(text("stopped"), "The VM did not run for at least 1.2 s: a signal had stopped it");
  assert.equal(text("traced"), "The VM did not run for at least 1.2 s: a debugger held it");
  assert.equal(text("frozen"), "The VM did not run for at least 1.2 s: its control group was frozen");
  for (const ms of [0, 99])
    assert.equal(text("frozen", ms), "The VM did not run for a time: its control group was frozen");
});

test("traced calls are named", () => {
  assert.equal(
    limitsText({ tracedFunctions: TRACED, processors: LIMITS }),
    "Call tracing is on, and takes time of its own: 38 of 8,341 functions have a breakpoint · A quota of its control group limits its processors to 0.3; throttled in the last snapshot, for 60 ms of all processors",
  );
});

test("traced processes are named, and those that were not looked at", () => {
  const text = (traced: number, left_out: number) => limitsText({ tracedProcesses: { ...NONE, traced, left_out } });
  const on = "Process tracing is on, and takes time of its own: messages or events of 12 of 1,340 processes";
  const unknown = "Whether 7 further processes are traced is not known";
  assert.equal(text(12, 0), on);
  assert.equal(text(12, 7), `${on} · ${unknown}`);
  assert.equal(text(0, 7), unknown);
  assert.equal(text(0, 0), "");
  assert.equal(limitsText({ tracedProcesses: null }), "");
});

test("there is no line without a quota and tracing, nor where neither is known", () => {
  assert.equal(limitsText({ tracedFunctions: { ...TRACED, traced: 0 }, processors: { ...LIMITS, allowed: null } }), "");
  assert.equal(limitsText({ tracedFunctions: null, processors: null }), "");
  assert.equal(limitsText({}), "", "the answer of an older helper");
});
