// The facts in a wait capture: the processes that others waited for come back, and the claims of a file are bounded.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { WaitsGraph } from "../../../contract/protocol.generated.js";
import { readComments } from "../../../extension/src/capture/decode/profile-comments.js";
import { seenIn } from "../../../extension/src/panels/waits/shown-waits.js";

const GRAPH = JSON.parse(readFileSync("test/webviews/fixtures/waits.json", "utf8")) as WaitsGraph;
const SPENT = { looked_s: 10, until_s: 9.75, names: [], rest: {} };
const said = (more: object) =>
  readComments([
    `extrospect/waits ${JSON.stringify({ otp: "27", node: "shop@web1", pid: 4242, looks: 41, spent: SPENT, ...more })}`,
  ]).waits;
const facts = (waits: ReturnType<typeof said>) =>
  ({ startedUnixMs: 1_700_000_000_000, durationMs: 10_500, ...(waits && { waits }) }) as Parameters<typeof seenIn>[0];

test("the graph of a capture is the one that was seen", () => {
  const seen = seenIn(facts(said({ last: { processes: 92, waiting: 90 }, full: true, graph: GRAPH })), undefined, {
    code: "vmStopped",
    command: "kill -CONT 4711",
  });
  assert.ok(seen);
  const { graph, ...rest } = seen;
  assert.deepEqual(graph, GRAPH);
  assert.deepEqual(rest, {
    head: { pid: 4242, node: "shop@web1", host: "" },
    takenUnixMs: 1_700_000_010_500,
    endedUnixMs: null,
    seconds: 10.5,
    looks: 41,
    processes: 92,
    waiting: 90,
    restless: null,
    unread: null,
    full: true,
    standstill: { code: "vmStopped", command: "kill -CONT 4711" },
    schedulers: null,
    processors: null,
  });
  const far = { place: { pid: 4242, host: { ssh: "web1" } }, target: undefined, startTicks: undefined };
  assert.equal(seenIn(facts(said({ last: {}, graph: {} })), far, null)?.head.host, "web1");
});

test("what limited the VM's processors is that of the capture; one that lacks it has none", () => {
  const processors = {
    groups_known: true,
    whole_tree: true,
    allowed: 0.3,
    periods: 20,
    throttled_periods: 12,
    throttled_ms: 1400,
    stolen_ms: null,
    pressure_ms: 7,
    group_pressure_ms: null,
  };
  const seen = (told: unknown) =>
    seenIn(facts(said({ last: {}, graph: {}, processors: told })), undefined, null)?.processors;
  assert.deepEqual(seen(processors), processors);
  const bound = { ...processors, affinity: { allowed: 2, online: 8 } };
  assert.deepEqual(seen(bound), bound);
  assert.deepEqual(seen({ ...processors, affinity: 7 }), processors);
  for (const claim of [undefined, null, 7, []]) assert.equal(seen(claim), null, JSON.stringify(claim));
  assert.equal(seen({ throttled_ms: "x" })?.throttled_ms, null);
});

test("the schedulers that might run are those of the capture; one that lacks them has none", () => {
  const blockers = [
    { pid: "<0.79.0>", name: "blocker" },
    { pid: "<0.80.0>", name: null },
  ];
  const schedulers = {
    normal: { online: 2, all: 4 },
    dirtyCpu: { online: 4, all: 4 },
    blocked: "all",
    blockers,
  } as const;
  const seen = (told: unknown) =>
    seenIn(facts(said({ last: {}, graph: {}, schedulers: told })), undefined, null)?.schedulers;
  assert.deepEqual(seen(schedulers), schedulers);
  for (const claim of [undefined, null, 7, [], {}, { normal: { online: 1, all: 1 } }])
    assert.equal(seen(claim), null, JSON.stringify(claim));
  const many = Array.from({ length: 20 }, () => ({}));
  const odd = seen({ normal: { online: -1 }, dirtyCpu: {}, blocked: 7, blockers: many });
  assert.deepEqual(
    [odd?.normal, odd?.blocked, odd?.blockers.length, odd?.blockers[0]],
    [{ online: 0, all: 0 }, null, 16, { pid: "", name: null }],
  );
});

test("of a VM that ended, the last snapshot has its own time, and the capture ends when that was noticed", () => {
  const ended = seenIn(facts(said({ last: {}, graph: {}, ended: true })), undefined, null);
  assert.deepEqual([ended?.takenUnixMs, ended?.endedUnixMs], [1_700_000_009_750, 1_700_000_010_500]);
  for (const claim of [false, "yes", 1, null])
    assert.equal(seenIn(facts(said({ last: {}, graph: {}, ended: claim })), undefined, null)?.endedUnixMs, null);
});

test("without one nothing is made up", () => {
  for (const more of [{}, { graph: GRAPH }, { last: {} }, { last: 7, graph: [] }])
    assert.equal(seenIn(facts(said(more)), undefined, null), undefined, JSON.stringify(more));
  assert.equal(seenIn(facts(undefined), undefined, null), undefined);
});

test("a file may claim anything: lists and texts are bounded, the rest is nothing", () => {
  const long = `\u202e${"x".repeat(2_000)}`;
  const process = { pid: long, name: long, node: 7 };
  const many = <T>(one: T, length = 20) => Array.from({ length }, () => one);
  const edges = [
    ...many({ waiters: long, processes: -1, pids: many(long), call: long, target: process }, 300),
    "no edge",
  ];
  const ends = many({ process, direct: "x", all: Number.NaN, status: long, stack: many(long) }, 120);
  const graph = { edges, cycles: [many({}, 120), ...many([], 120)], ends, more: -3, unproven: {}, moved: "1" };
  const last = said({ last: { processes: "x", waiting: -1 }, graph, full: "yes" })?.lastLook;
  assert.ok(last);
  assert.deepEqual(
    [last.processes, last.waiting, last.full, last.graph.more, last.graph.unproven, last.graph.moved],
    [0, 0, false, 0, 0, 0],
  );
  assert.deepEqual(
    [last.graph.edges.length, last.graph.edges[0]?.pids.length, last.graph.edges[0]?.processes],
    [200, 5, 0],
  );
  assert.deepEqual(
    [last.graph.cycles.length, last.graph.cycles[0]?.length, last.graph.ends.length, last.graph.ends[0]?.stack.length],
    [100, 100, 100, 16],
  );
  const seen = seenIn(facts(said({ last: {}, graph })), undefined, null);
  const locks = [7, { table: long, key: 7, is_write: 1, holders: -1, is_ahead: "x" }].map(
    (lock) => said({ last: {}, graph: { edges: [{ lock }] } })?.lastLook?.graph.edges[0]?.lock,
  );
  assert.deepEqual(locks, [
    null,
    { table: long.slice(0, 256), key: null, is_write: false, holders: 0, is_ahead: false },
  ]);
  const shown = seen?.graph.edges[0]?.target;
  assert.deepEqual(
    [shown?.node, shown?.pid.startsWith("\\u{202e}"), (shown?.name?.length ?? 1000) < 250],
    [null, true, true],
  );
  const worse = said({
    last: {},
    graph: {
      cycle_limits: ["x", 2],
      unknown_calls: [7, { call: long }],
      in_unknown_calls: -1,
      late: [7, { scheduler: "x", pids: many(long), stack: many(long), holder: "x", late_s: -1 }],
      in_c: [{}, { scheduler: { type: "none" } }, { scheduler: { type: "dirty_io", number: "x" }, stack: many(long) }],
    },
  })?.lastLook?.graph;
  assert.deepEqual(
    [worse?.cycle_limits, worse?.unknown_calls.length, worse?.unknown_calls[0]?.monitors, worse?.in_unknown_calls],
    [[0, 2], 1, null, 0],
  );
  assert.deepEqual(
    [worse?.in_c.length, worse?.in_c[0]?.scheduler, worse?.in_c[0]?.stack.length],
    [1, { type: "dirty_io", number: 0 }, 16],
  );
  assert.deepEqual(
    [worse?.late.length, worse?.late[0]?.scheduler, worse?.late[0]?.pids.length, worse?.late[0]?.stack.length],
    [1, 0, 5, 16],
  );
  assert.deepEqual([worse?.late[0]?.holder, worse?.late[0]?.late_s], [null, 0]);
  const loops = said({ last: {}, graph: { maybe_calls: many({ call: long }, 300), in_maybe_calls: 300 } })?.lastLook;
  assert.deepEqual([loops?.graph.maybe_calls?.length, loops?.graph.in_maybe_calls], [200, 300]);
  // Earlier versions did not look at timers of messages.
  const timers = [{}, { timers: 0 }, { timers: "x" }, { timers: 3, receivers: many({ pid: "<0.1.0>" }) }];
  assert.deepEqual(
    said({ last: {}, graph: { late: timers } })?.lastLook?.graph.late.map((one) => [one.timers, one.receivers.length]),
    [
      [null, 0],
      [0, 0],
      [null, 0],
      [3, 5],
    ],
  );
  const unknown = [true, false, 7].map((is) => said({ last: {}, graph: { late_unknown: is } })?.lastLook?.graph);
  assert.deepEqual(
    unknown.map((graph) => graph?.late_unknown),
    [true, undefined, undefined],
  );
  const causes = ["throttled", "busy", 7, undefined].map((cause) => ({ cause, holder: { pid: "<0.1.0>" } }));
  assert.deepEqual(
    said({ last: {}, graph: { late: causes } })?.lastLook?.graph.late.map(({ cause }) => cause),
    ["throttled", "unknown", "unknown", "unknown"],
  );
  const odd = said({ last: {}, graph: { edges: { length: 5 }, cycles: ["x", [7]], ends: [null, 3] } })?.lastLook;
  assert.deepEqual(odd?.graph, {
    edges: [],
    cycles: [[], [{ pid: "", name: null, node: null }]],
    cycle_limits: [],
    unknown_calls: [],
    in_unknown_calls: 0,
    in_c: [],
    late: [],
    ends: [],
    more: 0,
    unproven: 0,
    moved: 0,
    not_searched: 0,
  });
});
