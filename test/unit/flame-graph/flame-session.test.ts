import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import type { FlameOptions, SampleFilter } from "../../../contract/capture-answers.js";
import { DEFAULT_OPTIONS, type ToWebview } from "../../../contract/messages/flame-graph.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import type { ShownCapture } from "../../../extension/src/panels/capture-panel/shown-capture.js";
import { FlameSession } from "../../../extension/src/panels/flame-graph/flame-session.js";
import { FLAME_TEXTS } from "../../flame-texts.mjs";
import { flameOf, SMALL } from "./fixtures.js";

const PLAIN_VIEW = {
  percentOf: "busy" as const,
  minimumSamples: 20,
  attribution: "self",
  originOf: () => undefined,
} as const;

const HIDDEN = {
  ...SMALL,
  functionNames: SMALL.functionNames.map((name) => (name === "copy_struct" ? "[other]" : name)),
};
const EMPTY = { ...SMALL, totalSamples: 0 };

/** Those of the test that runs: pages in sight share the time that refreshes may take. */
let sessions: FlameSession[] = [];
afterEach(() => {
  for (const session of sessions) session.dispose();
  sessions = [];
});

/** A session with a clock that only the test moves. */
function scene({
  buildMs = 0,
  uri = "file:///a.pb.gz",
  live = true,
  idle = 0,
  percentOf = "busy" as "busy" | "all",
} = {}) {
  const posted: ToWebview[] = [];
  const notices: string[] = [];
  const problems: unknown[] = [];
  const asked: [FlameOptions, SampleFilter][] = [];
  let now = 0;
  let timers: { readonly atMs: number; readonly call: () => void }[] = [];
  const capture = {
    totals: { samples: SMALL.totalSamples, busy: SMALL.totalSamples - idle },
    classSplit: () => ["erlang", "gc", "idle", "busy_wait"].map((sampleClass) => ({ sampleClass, samples: 1 })),
    facts: { unit: "samples" },
    facets: () => ({
      nodes: [],
      schedulers: [{ value: "1", samples: 3 }],
      processes: [
        { value: "shop", samples: 1 },
        { value: "till", samples: 2 },
      ],
      classes: [],
    }),
    timeline: () => ({ bucketMs: 10, durationMs: 20, busy: new Uint32Array([1, 2]), idle: new Uint32Array(2) }),
    tracks: () => [],
    timeGaps: () => [],
    stays: () => [],
    filteredTotals: () => ({ samples: 20, busy: 10 }),
    flame: (options: FlameOptions, filter: SampleFilter) => {
      now += buildMs;
      asked.push([options, filter]);
      if (filter.focus === "nothing") return EMPTY;
      return options.hideNative || filter.focus !== undefined ? HIDDEN : SMALL;
    },
    functionNamed: (name: string) => SMALL.functionNames.indexOf(name),
    sandwich: (_index: number, _options: FlameOptions, filter: SampleFilter) =>
      filter.focus === undefined ? { callers: SMALL, callees: SMALL } : null,
  } as unknown as Capture;
  let shown: ShownCapture | undefined = { capture, title: "shop", live, uri, ...PLAIN_VIEW, percentOf };
  const session = new FlameSession({
    texts: FLAME_TEXTS,
    current: () => shown,
    post: (message) => message.type === "captureRemark" || posted.push(message),
    notice: (text) => notices.push(text),
    debug: () => {},
    problem: (error) => problems.push(error),
    nowMs: () => now,
    later: (ms, call) => {
      const timer = { atMs: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  });
  sessions.push(session);
  return {
    session,
    posted,
    notices,
    problems,
    asked,
    capture,
    show: (other: ShownCapture | undefined) => {
      shown = other;
      session.captureChanged();
    },
    ready: (filter: SampleFilter = {}, options: FlameOptions = DEFAULT_OPTIONS, of = uri) =>
      session.receive({ type: "ready", options, filter, uri: of }),
    view: (filter: SampleFilter, options: FlameOptions = DEFAULT_OPTIONS, revision = 1) =>
      session.receive({ type: "view", options, filter, revision }),
    pass: (ms: number) => {
      now += ms;
      const due = timers.filter((timer) => timer.atMs <= now);
      timers = timers.filter((timer) => timer.atMs > now);
      for (const timer of due) timer.call();
    },
    types: () => posted.map((message) => message.type),
    last: <T extends ToWebview["type"]>(type: T) =>
      posted.filter((message) => message.type === type).at(-1) as Extract<ToWebview, { type: T }> | undefined,
  };
}

describe("flame graph session", () => {
  test("nothing is built before the page listens, then facets and graph", () => {
    const { session, ready, types, asked, last } = scene();
    session.captureUpdated();
    assert.deepEqual(asked, []);
    ready();
    assert.deepEqual(types(), ["facets", "data"]);
    assert.deepEqual(last("facets")?.facets.processes, {
      values: [
        { value: "shop", samples: 1 },
        { value: "till", samples: 2 },
      ],
      count: 2,
    });
    assert.equal(last("data")?.uri, "file:///a.pb.gz");
  });

  test("choices are applied, and the answer has them", () => {
    const { ready, view, last, asked } = scene();
    ready();
    view({ processes: ["shop"], focus: " " } as SampleFilter, { ...DEFAULT_OPTIONS, collapseRecursion: true }, 7);
    assert.deepEqual(asked.at(-1), [{ ...DEFAULT_OPTIONS, collapseRecursion: true }, { processes: ["shop"] }]);
    assert.deepEqual(last("data")?.builtWith, {
      options: { ...DEFAULT_OPTIONS, collapseRecursion: true },
      filter: { processes: ["shop"] },
      revision: 7,
    });
  });

  test("updates: about once a second, at most a twentieth of the time, the last one never lost", () => {
    const quick = scene({ buildMs: 5 });
    quick.ready();
    quick.session.captureUpdated();
    assert.equal(quick.asked.length, 1);
    quick.pass(800);
    assert.equal(quick.asked.length, 2);
    quick.pass(5000);
    assert.equal(quick.asked.length, 2);
    quick.session.dispose();
    const slow = scene({ buildMs: 300 });
    slow.ready();
    slow.session.captureUpdated();
    slow.pass(5600);
    assert.equal(slow.asked.length, 1);
    slow.pass(100);
    assert.equal(slow.asked.length, 2);
  });

  test("hidden: nothing is built or sent; shown again: once, whether the page was kept or not", () => {
    const { session, ready, pass, posted, asked } = scene();
    ready();
    session.setVisible(false);
    posted.length = 0;
    session.captureUpdated();
    pass(10_000);
    assert.deepEqual(posted, []);
    session.setVisible(true);
    ready();
    pass(10_000);
    assert.equal(asked.length, 2);
    session.setVisible(false);
    session.captureUpdated();
    session.setVisible(true);
    pass(500);
    assert.equal(asked.length, 3);
  });

  test("another capture drops the filter, keeps the options; none is shown as such", () => {
    const { ready, view, show, capture, last, types } = scene();
    ready();
    view({ focus: "m:" }, { ...DEFAULT_OPTIONS, inverted: true });
    show({ capture, title: "other", live: false, uri: "file:///b.pb.gz", ...PLAIN_VIEW });
    assert.deepEqual(last("data")?.builtWith, {
      options: { ...DEFAULT_OPTIONS, inverted: true },
      filter: {},
      revision: 1,
    });
    show(undefined);
    assert.deepEqual(last("empty"), { type: "empty", text: "no capture", actions: ["attach", "openCapture"] });
    assert.equal(types().at(-1), "empty");
  });

  test("a restored page brings its choices; those for another capture do not count", () => {
    const same = scene();
    same.ready({ focus: "m:" }, { ...DEFAULT_OPTIONS, hideKernel: true });
    assert.deepEqual(same.last("data")?.builtWith, {
      options: { ...DEFAULT_OPTIONS, hideKernel: true },
      filter: { focus: "m:" },
      revision: 0,
    });
    const other = scene();
    other.ready({ focus: "m:" }, DEFAULT_OPTIONS, "file:///gone.pb.gz");
    assert.deepEqual(other.last("data")?.builtWith.filter, {});
    const late = scene();
    late.show(undefined);
    late.ready({ focus: "m:" });
    late.show({ capture: late.capture, title: "shop", live: false, uri: "file:///a.pb.gz", ...PLAIN_VIEW });
    assert.deepEqual(late.last("data")?.builtWith.filter, { focus: "m:" });
  });

  test("a filter that leaves nothing is shown as such and can be undone", () => {
    const { ready, view, last } = scene();
    ready();
    view({ focus: "nothing" });
    assert.deepEqual(last("empty"), {
      type: "empty",
      text: "no match",
      actions: [],
      filtered: { options: DEFAULT_OPTIONS, filter: { focus: "nothing" }, revision: 1 },
    });
  });

  test("idle samples are left out where shares are of the others, and shown beside", () => {
    const busy = SMALL.totalSamples - 1;
    const { ready, view, last, asked, session } = scene({ idle: 1 });
    ready();
    assert.deepEqual(asked.at(-1)?.[1], { classes: ["erlang", "gc"] });
    assert.deepEqual([last("data")?.allSamples, last("data")?.busySamples], [SMALL.totalSamples, busy]);
    assert.deepEqual(last("data")?.builtWith.filter, {}, "it is no filter of the user's");
    assert.equal(last("facets")?.busySamples, busy);
    session.receive({ type: "requestSandwich", functionName: "m:work/2" });
    assert.equal(last("sandwich")?.busySamples, busy);
    session.receive({ type: "closeSandwich" });
    view({ classes: ["idle"] });
    assert.deepEqual(asked.at(-1)?.[1], { classes: ["idle"] }, "idle ones are there on request");
  });

  test("all samples are there where shares are of all of them, and of a VM that was only idle", () => {
    for (const given of [{ idle: 1, percentOf: "all" as const }, { idle: SMALL.totalSamples }]) {
      const { ready, last, asked } = scene(given);
      ready();
      assert.deepEqual(asked.at(-1)?.[1], {});
      assert.equal(last("data")?.busySamples, undefined);
    }
  });

  test("callers and callees are kept up to date instead of the whole graph", () => {
    const { session, ready, pass, last, asked, types, posted, view } = scene();
    ready();
    session.receive({ type: "requestSandwich", functionName: "m:work/2" });
    assert.equal(last("sandwich")?.functionName, "m:work/2");
    assert.deepEqual([last("sandwich")?.filteredSamples, last("sandwich")?.allSamples], [20, SMALL.totalSamples]);
    posted.length = 0;
    pass(1000);
    session.captureUpdated();
    assert.deepEqual(types(), ["facets", "sandwich"]);
    assert.equal(asked.length, 1);
    view({ focus: "x" });
    assert.equal(last("empty")?.filtered?.filter.focus, "x");
    session.receive({ type: "closeSandwich" });
    assert.equal(types().at(-1), "data");
  });

  test("a function that is not there: a notice, and the graph stays", () => {
    const { session, ready, notices, types } = scene();
    ready();
    session.receive({ type: "requestSandwich", functionName: "m:gone/0" });
    assert.deepEqual(notices, ["not shown: m:gone/0"]);
    assert.equal(types().at(-1), "data");
    session.reveal("m:gone/0");
    assert.equal(notices.length, 2);
    assert.equal(types().at(-1), "data");
  });

  test("reveal goes to the heaviest frame and takes back what hides it", () => {
    const { session, ready, view, last, asked } = scene();
    session.reveal("m:run/1");
    ready();
    assert.deepEqual(last("reveal")?.path, ["m:run/1"]);
    assert.equal(asked.length, 1);
    view({ focus: "m:" }, { ...DEFAULT_OPTIONS, hideNative: true });
    session.reveal("copy_struct");
    assert.deepEqual(last("reveal")?.path, ["m:run/1", "m:work/2", "copy_struct"]);
    assert.deepEqual(last("data")?.builtWith, { options: DEFAULT_OPTIONS, filter: {}, revision: 1 });
  });

  test("an export has the chosen levels of recursion, and the filter of the view", () => {
    const { session, ready, view, last, asked } = scene();
    ready();
    view({ processes: ["shop"] });
    session.receive({ type: "graphToExport", format: "folded", part: "whole", collapseRecursion: false });
    assert.deepEqual(asked.at(-1), [{ ...DEFAULT_OPTIONS, collapseRecursion: false }, { processes: ["shop"] }]);
    assert.deepEqual(last("toExport"), { type: "toExport", format: "folded", part: "whole", data: SMALL });
    session.receive({ type: "requestSandwich", functionName: "m:work/2" });
    session.receive({ type: "graphToExport", format: "speedscope", part: "callers", collapseRecursion: true });
    assert.deepEqual([last("toExport")?.format, last("toExport")?.part], ["speedscope", "callers"]);
    assert.equal(asked.length, 3, "the view is as it was");
  });

  test("groups have the names of the host, and a function is not looked for among them", () => {
    const { ready, view, last, capture, session } = scene();
    const grouped = flameOf(`
      all
        m:work/2
          m:run/1 6
          m:work/2 1
    `);
    Object.assign(capture, {
      flame: (options: FlameOptions, _filter: SampleFilter, groupName: (value: string) => string) => ({
        ...grouped,
        groupedBy: options.groupBy,
        functionNames: grouped.functionNames.map((name) => (name === "all" ? groupName("7") : name)),
      }),
    });
    ready();
    view({}, { ...DEFAULT_OPTIONS, groupBy: "scheduler" });
    assert.equal(last("data")?.data.functionNames[0], "scheduler 7");
    session.reveal("m:work/2");
    assert.deepEqual(last("reveal")?.path, ["m:work/2", "m:work/2"]);
  });

  test("processes are found by name", () => {
    const { session, ready, last } = scene();
    ready();
    session.receive({ type: "findProcesses", query: "SHO" });
    assert.deepEqual(last("processes"), {
      type: "processes",
      query: "SHO",
      found: { values: [{ value: "shop", samples: 1 }], count: 1 },
    });
  });

  test("a capture that cannot answer is a message, not a dead panel", () => {
    const { session, ready, capture, last, pass, problems } = scene();
    const flame = capture.flame.bind(capture);
    Object.assign(capture, {
      flame: () => {
        throw new Error("broken");
      },
    });
    ready();
    assert.deepEqual(last("empty"), { type: "empty", text: "failed: broken", actions: [] });
    assert.deepEqual(problems.map(String), ["Error: broken"]);
    Object.assign(capture, { flame });
    pass(2000);
    session.captureUpdated();
    assert.equal(last("data")?.title, "shop");
  });
});
