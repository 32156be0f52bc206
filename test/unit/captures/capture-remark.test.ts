// The remarks of each view of a capture above its figures, and its text for a capture without samples.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MissingEndReason, QualityRecord } from "../../../contract/protocol.generated.js";
import { captureTexts } from "../../../extension/src/panels/capture-panel/capture-texts.js";
import { readComments } from "../../../extension/src/capture/decode/profile-comments.js";
import type { CaptureFacts, NodeFacts } from "../../../extension/src/capture/questions.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const STOPPED = { gaps: { standstill_ms: 2100, standstill_reason: "stopped" } };
const TRACED = { tracing: { looked_at: 8341, traced: 38, reported: 2, counted: 0, timed: 38, measured: 0 } };
const PROCESSES = { looked_at: 1340, traced: 12, sends: 12, receives: 12 };
const THROTTLED = {
  processors: {
    groups_known: true,
    whole_tree: true,
    allowed: 0.3,
    periods: 21,
    throttled_periods: 20,
    throttled_ms: 1400,
  },
};

const texts = captureTexts(ENGLISH, "en");

function quality(more: object): QualityRecord {
  const { quality: read } = readComments([`extrospect/quality ${JSON.stringify({ samples: 0, ...more })}`]);
  assert.ok(read);
  return read;
}

const facts = (more: object): CaptureFacts => ({ quality: quality(more) }) as CaptureFacts;

test("a capture without samples of a halted VM does not claim that the VM did nothing", () => {
  const halted = "The VM did not run for at least 2 s: a signal had stopped it";
  assert.equal(texts.noSamples(facts(STOPPED)), `This capture has no samples. ${halted}`);
  assert.equal(texts.noSamplesYet(facts(STOPPED)), `No samples yet. ${halted}`);
  const used = { process_time: { cpu_ns: 1_234_000_000, missing_ns: 1_000_000_000 } };
  assert.equal(
    texts.noSamples(facts(used)),
    "This capture has no samples. The VM used 1.234 s of processor time by its own clock.",
  );
  const nothing = { process_time: { cpu_ns: 0, missing_ns: 0 } };
  assert.equal(
    texts.noSamples(facts(nothing)),
    "This capture has no samples. The VM used 0.000 s of processor time by its own clock.",
  );
  assert.equal(texts.noSamples(facts({})), "This capture has no samples. It does not contain the reason.");
  assert.equal(texts.noSamples({ quality: null } as CaptureFacts), "This capture has no samples.", "another program's");
  // Nor is it known that the VM did nothing.
  assert.equal(texts.noSamplesYet(facts({})), "No samples yet. They show up here as soon as there are some.");
});

test("each view states that sampling ended early", () => {
  assert.equal(
    texts.remark(facts({ gaps: { ended_early: true } })),
    "Sampling ended early, as its process exited: the counts are as of the second before",
  );
});

test("each view states the end that a file lacks", () => {
  const remark = (reason: MissingEndReason, last_unix_ms: number) => {
    const { gaps, ...rest } = quality({});
    const missing = { ...rest, gaps: { ...gaps, missing_end: { reason, last_unix_ms } } };
    return texts.remark({ quality: missing } as CaptureFacts);
  };
  assert.equal(
    remark("notClosed", 0),
    "The file was not closed (it is still being written, is a copy from that time, or its writer was ended): the samples after the last increment are missing",
  );
  assert.match(
    remark("diskFull", Date.UTC(2026, 10, 30, 12)),
    /^The disk was full: the samples after .*2026.* are missing$/,
  );
  assert.match(remark("writeFailed", 0), /^Writing the file failed: /);
});

test("each view names a quota that throttled the VM, traced calls, and a time in which nothing ran", () => {
  assert.match(texts.remark(facts(THROTTLED)), /throttled the VM in 20 of 21 periods, for 1\.4 s/);
  assert.match(texts.remark(facts(TRACED)), /^Call tracing is on, and takes time of its own: 38 functions/);
  assert.match(texts.remark(facts(STOPPED)), /^The VM did not run for at least 2 s/);
  assert.equal(texts.remark(facts({})), "");
  const ended = { ...TRACED, tracing: { ...TRACED.tracing, traced: 0 }, traced: 12 };
  for (const traced of [ended, { traced: 12 }])
    assert.equal(
      texts.remark(facts(traced)),
      "Call tracing was on, and took time of its own (samples in or below traced calls: 12)",
    );
  assert.match(texts.remark(facts({ ...TRACED, traced: 12 })), /^Call tracing is on/);
});

test("each view names traced processes, and those that were not looked at", () => {
  const remark = (more: object) => texts.remark(facts({ traced_processes: { ...PROCESSES, ...more } }));
  const on = "Process tracing is on, and takes time of its own: messages or events of 12 of 1,340 processes";
  assert.equal(remark({}), on);
  assert.equal(remark({ traced: 0 }), "");
  assert.equal(remark({ traced: 0, left_out: 7 }), "Whether 7 further processes are traced is not known");
});

const counts = (online: number, all = 4) => ({ online, all });
/** Schedulers as a capture has them. */
const online = (count: number, more: object = {}) => ({
  normal: counts(count),
  dirtyCpu: counts(4),
  blocked: null,
  blockers: [],
  ...more,
});

test("each view names schedulers that might not run, and when", () => {
  const remark = (at_start: object | null, at_end: object | null, words = texts) =>
    words.remark(facts({ schedulers_online: { at_start, at_end } }));
  assert.equal(remark(online(4), online(4)), "");
  assert.equal(
    remark(online(2), online(2)),
    "When the capture began and at the last reading: 2 of 4 schedulers online",
  );
  assert.equal(
    remark(online(4), online(2)),
    "When the capture began: all schedulers online; at the last reading: 2 of 4 schedulers online",
  );
  const blocker = { pid: "<0.83.0>", name: "blocker" };
  assert.equal(
    remark(online(4), online(4, { blocked: "all", blockers: [blocker], dirtyCpu: counts(1) })),
    "When the capture began: all schedulers online; " +
      "at the last reading: 1 of 4 dirty CPU schedulers online · Multi-scheduling is blocked by blocker (<0.83.0>)",
  );
  assert.equal(
    remark(online(2), online(2), captureTexts(GERMAN, "de")),
    "Zu Beginn der Aufnahme und beim letzten Lesen: 2 von 4 Schedulern online",
  );
});

test("unknown schedulers have no remark, and a claim of a file is bounded", () => {
  const remark = (claim: unknown) => texts.remark(facts({ schedulers_online: claim }));
  for (const unknown of [undefined, null, 7, [], {}, { at_start: null, at_end: null }, { at_start: {}, at_end: 7 }])
    assert.equal(remark(unknown), "", JSON.stringify(unknown));
  assert.equal(remark({ at_start: null, at_end: online(4) }), "");
  assert.equal(remark({ at_start: null, at_end: online(2) }), "At the last reading: 2 of 4 schedulers online");
  assert.equal(remark({ at_start: online(2) }), "When the capture began: 2 of 4 schedulers online");
  const many = Array.from({ length: 1_000 }, () => ({ pid: "<0.83.0>", name: "b".repeat(10_000) }));
  assert.ok(remark({ at_start: null, at_end: online(4, { blocked: "all", blockers: many }) }).length < 3000);
});

test("each view names processor time that is in no sample, and samples that are not attributed", () => {
  const remark = (missing_ns: number, unattributed: number) => {
    const process_time = { cpu_ns: 1280, missing_ns };
    return texts.remark(facts({ samples: 100, process_time, no_process: { port_tasks: 0, unattributed } }));
  };
  assert.match(remark(1240, 0), /^Samples account for at most 4% of the VM's processor time/);
  assert.equal(remark(0, 12), "12% of the samples are not attributed to a process, a port or the scheduler");
  assert.equal(remark(50, 1), "");
});

test("each view names programs below ports that use much processor time beside the VM", () => {
  const beside = (ms: number, cpu_ns: number) =>
    texts.remark(facts({ port_programs_ms: ms, process_time: { cpu_ns, missing_ns: 0 } }));
  assert.equal(
    beside(3900, 0),
    "Programs below the VM's ports used at least 3.9 s of processor time, which is in no sample",
  );
  for (const text of [beside(0, 0), beside(90, 0), beside(150, 1_600_000_000), texts.remark(facts({}))])
    assert.equal(text, "");
});

test("of several VMs the one is named", () => {
  const node = (name: string, more: object) => ({ name, quality: quality(more) }) as NodeFacts;
  const nodes = [node("a@x", THROTTLED), node("b@x", {})];
  assert.match(texts.remark({ ...facts({}), quality: null, nodes }), /^a@x: The quota of its control group throttled/);
});

test("each view of a wait capture states that a quota throttled the VM", () => {
  const { waits } = readComments([
    `extrospect/waits ${JSON.stringify({ pid: 7, spent: { names: [], rest: {} }, ...THROTTLED })}`,
  ]);
  assert.ok(waits);
  assert.equal(
    texts.remark({ quality: null, waits } as CaptureFacts),
    "The quota of its control group throttled the VM in 20 of 21 periods, for 1.4 s",
  );
});
