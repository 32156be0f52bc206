import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Stay } from "../../../contract/capture-answers.js";
import { DEFAULT_OPTIONS, type ToHost } from "../../../contract/messages/flame-graph.js";
import { clipped } from "../../../contract/plain-text.js";
import { RefreshPace } from "../../../extension/src/panels/capture-panel/refresh-pace.js";
import { facetLists, matching } from "../../../extension/src/panels/flame-graph/facet-lists.js";
import { heaviestPath } from "../../../extension/src/panels/flame-graph/heaviest-path.js";
import { readFilter, readOptions } from "../../../extension/src/panels/flame-graph/shown-filter.js";
import { Choices } from "../../../webviews/flame-graph/choices.js";
import { createPalette } from "../../../webviews/graph/colour.js";
import { chipsOf } from "../../../webviews/flame-graph/filter-words.js";
import { duration, ofWhole, samplesWord, setUnit, setWhole } from "../../../webviews/graph/graph-figures.js";
import { rangeOfNextStay, rangeOfStay, stayAt, stayOfRange } from "../../../webviews/flame-graph/stays-over-time.js";
import { stayText } from "../../../webviews/flame-graph/strings.js";
import { busyIn, draggedRange, rangeAfter, stepOf } from "../../../webviews/flame-graph/time-range.js";
import { flameOf, SMALL } from "./fixtures.js";

describe("choices", () => {
  function made() {
    const sent: ToHost[] = [];
    let changes = 0;
    const choices = new Choices(
      (message) => sent.push(message),
      () => changes++,
    );
    return { choices, sent, changes: () => changes };
  }

  test("filters that do not restrict are left out, and the same ones are not requested again", () => {
    const { choices, sent } = made();
    choices.restrict({ focus: "", processes: [], timeMs: undefined });
    choices.clear();
    assert.deepEqual(sent, []);
    choices.restrict({ focus: "a", schedulers: ["1"] });
    choices.restrict({ schedulers: ["1"], focus: "a" });
    assert.equal(sent.length, 1);
    choices.restrict({ focus: undefined });
    assert.deepEqual(sent.at(-1), {
      type: "view",
      options: DEFAULT_OPTIONS,
      filter: { schedulers: ["1"] },
      revision: 2,
    });
  });

  test("only the answer to the last question counts", () => {
    const { choices } = made();
    choices.switchOption("hideNative");
    choices.switchOption("hideKernel");
    choices.answered({ options: DEFAULT_OPTIONS, filter: {}, revision: 1 });
    assert.equal(choices.pending, true);
    assert.equal(choices.options.hideKernel, true);
    choices.answered({ options: DEFAULT_OPTIONS, filter: { focus: "x" }, revision: 2 });
    assert.deepEqual([choices.pending, choices.options, choices.filter], [false, DEFAULT_OPTIONS, { focus: "x" }]);
  });
});

describe("time range", () => {
  test("steps are round and about a hundredth", () => {
    assert.deepEqual([50, 1000, 6000, 61_000, 3_600_000].map(stepOf), [1, 10, 100, 1000, 50_000]);
  });

  test("keys move, extend, narrow and take back, inside the capture", () => {
    const after = (key: string, range: { from: number; to: number } | null, shift = false) =>
      rangeAfter(key, shift, range, 6000);
    assert.deepEqual(after("ArrowRight", null), { from: 0, to: 1000 });
    assert.deepEqual(after("ArrowLeft", null), { from: 5000, to: 6000 });
    assert.deepEqual(after("Home", null), { from: 0, to: 1000 });
    assert.deepEqual(after("End", null), { from: 5000, to: 6000 });
    assert.deepEqual(after("ArrowRight", { from: 5000, to: 5950 }), { from: 5050, to: 6000 });
    assert.deepEqual(after("ArrowLeft", { from: 50, to: 1050 }), { from: 0, to: 1000 });
    assert.deepEqual(after("PageUp", { from: 0, to: 100 }), { from: 1000, to: 1100 });
    assert.deepEqual(after("ArrowRight", { from: 0, to: 5950 }, true), { from: 0, to: 6000 });
    assert.deepEqual(after("ArrowLeft", { from: 50, to: 500 }, true), { from: 0, to: 500 });
    assert.deepEqual(after("-", { from: 0, to: 300 }), { from: 0, to: 200 });
    assert.deepEqual(after("-", { from: 0, to: 100 }), { from: 0, to: 100 });
    assert.equal(after("-", null), null);
    assert.equal(after("Escape", { from: 0, to: 100 }), null);
    assert.equal(after("Tab", null), undefined);
    for (const key of ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"]) {
      for (const shift of [false, true]) {
        const range = rangeAfter(key, shift, { from: 3, to: 7 }, 10);
        assert.ok(
          range && range.from >= 0 && range.to <= 10 && range.to > range.from,
          `${key} ${JSON.stringify(range)}`,
        );
      }
    }
  });

  test("a drag either way, cut to the capture", () => {
    assert.deepEqual(draggedRange(900, 100, 1000), { from: 100, to: 900 });
    assert.deepEqual(draggedRange(-50, 2000, 1000), { from: 0, to: 1000 });
    assert.equal(draggedRange(100.2, 100.4, 1000), null);
  });

  test("busy samples, buckets at the edges by their share", () => {
    const timeline = { bucketMs: 100, durationMs: 300, busy: new Uint32Array([10, 20, 40]), idle: new Uint32Array(3) };
    assert.equal(busyIn(timeline, { from: 0, to: 300 }), 70);
    assert.equal(busyIn(timeline, { from: 50, to: 150 }), 15);
    assert.equal(busyIn(timeline, { from: 290, to: 900 }), 4);
  });
});

describe("long collections and calls over time", () => {
  const stay = (fromMs: number, toMs: number): Stay => ({
    fromMs,
    toMs,
    kind: "nif",
    scheduler: "1",
    pid: "<0.123.0>",
    process: "shop",
    functionName: "shop:build/1",
    called: "shop_c:price/1",
  });

  test("the longest one at a time, or a little beside it", () => {
    const [long, short] = [stay(100, 400), stay(150, 170)];
    assert.equal(stayAt([long, short], 160, 0), long);
    assert.equal(stayAt([short], 175, 4), undefined);
    assert.equal(stayAt([short], 175, 5), short);
    assert.equal(stayAt([], 1, 100), undefined);
  });

  test("its range has the recorded buckets of its samples, within the capture", () => {
    assert.deepEqual(rangeOfStay(stay(110, 135), 1000), { from: 100, to: 140 });
    assert.deepEqual(rangeOfStay(stay(120, 140), 1000), { from: 120, to: 160 });
    assert.deepEqual(rangeOfStay(stay(990, 995), 992), { from: 980, to: 992 });
    // A capture that grows has samples behind the length that is known.
    assert.deepEqual(rangeOfStay(stay(2000, 2040), 1000), { from: 999, to: 1000 });
  });

  test("the next and the previous one", () => {
    const stays = [stay(110, 135), stay(500, 900)];
    const [first, second] = [
      { from: 100, to: 140 },
      { from: 500, to: 920 },
    ];
    const next = (range: { from: number; to: number } | null, isBackwards = false) =>
      rangeOfNextStay(stays, range, isBackwards, 1000);
    assert.deepEqual(next(null), first);
    assert.deepEqual(next(first), second);
    assert.deepEqual(next(second), second);
    assert.deepEqual(next(null, true), second);
    assert.deepEqual(next(second, true), first);
    assert.equal(rangeOfNextStay([], null, false, 1000), null);
  });

  test("those that begin in one bucket come one after the other, and a range has the longest of its own", () => {
    const [long, short, second] = [stay(101, 400), stay(110, 135), stay(102, 138)];
    const stays = [long, second, short];
    const ranges = [
      { from: 100, to: 140 },
      { from: 100, to: 420 },
    ] as const;
    assert.deepEqual(rangeOfNextStay(stays, null, false, 1000), ranges[0]);
    assert.deepEqual(rangeOfNextStay(stays, ranges[0], false, 1000), ranges[1]);
    assert.deepEqual(rangeOfNextStay(stays, ranges[1], false, 1000), ranges[1]);
    assert.deepEqual(rangeOfNextStay(stays, ranges[1], true, 1000), ranges[0]);
    assert.equal(stayOfRange(stays, ranges[0], 1000), second);
    assert.equal(stayOfRange(stays, ranges[1], 1000), long);
    assert.equal(stayOfRange(stays, { from: 100, to: 160 }, 1000), undefined);
  });

  test("a tooltip has what is known", () => {
    assert.equal(
      stayText({ ...stay(2310, 2650), node: "a@h" }),
      "Call of a NIF, at least 340 ms from 2.31 s on: shop_c:price/1 · <0.123.0> (shop) · shop:build/1 · scheduler 1 · a@h",
    );
    const bare = { ...stay(0, 20), process: "", functionName: "", called: "", scheduler: "" };
    assert.equal(
      stayText({ ...bare, kind: "majorCollection" }),
      "Major garbage collection, at least 20 ms from 0.00 s on: <0.123.0>",
    );
  });
});

describe("words and colours", () => {
  test("a chip for every restriction, with few of many values named", () => {
    const chips = chipsOf({
      timeMs: { from: 250, to: 1500 },
      schedulers: [""],
      processes: ["a", "b", "c"],
      classes: ["gc"],
      focus: "x",
      ignore: "y".repeat(1_000_000),
    });
    assert.deepEqual(
      chips.slice(0, 5).map(({ text }) => text),
      [
        "250 ms to 1.50 s",
        "Scheduler No scheduler",
        "Processes a, b and 1 more",
        "Class Garbage collection",
        "with “x”",
      ],
    );
    assert.ok((chips[5]?.text.length ?? 0) < 100);
    assert.deepEqual(chipsOf({}), []);
  });

  test("figures name their unit and the base of shares", () => {
    assert.deepEqual([samplesWord(1), samplesWord(2500), ofWhole()], ["1 sample", "2,500 samples", "of all"]);
    setUnit("nanoseconds of cpu");
    setWhole("filtered");
    assert.deepEqual([samplesWord(1), ofWhole()], ["1 nanoseconds of cpu", "of filtered"]);
    setWhole("busy");
    assert.equal(ofWhole(), "of busy");
    setWhole("function");
    assert.equal(ofWhole(), "of the function");
    setUnit("samples");
    setWhole("all");
    assert.deepEqual(
      [duration(0), duration(340), duration(1500), duration(123_456)],
      ["0.00 s", "340 ms", "1.50 s", "123.5 s"],
    );
    assert.equal(clipped("x".repeat(1_000_000)).length, 300);
  });

  test("heat has the contributed hues, whatever their transparency", () => {
    const palette = createPalette(
      (name) =>
        name === "--vscode-extrospect-heat5"
          ? "#e5393580"
          : name === "--vscode-extrospect-heat4"
            ? " rgba(1, 2, 3, 0.4)"
            : "",
      false,
    );
    assert.equal(palette.heat[4], "rgb(229, 57, 53)");
    assert.equal(palette.heat[3], "rgb(1, 2, 3)");
    assert.equal(palette.heat[0], "rgb(246, 195, 67)");
  });
});

describe("host side", () => {
  test("refreshes take at most a twentieth of the time, that of all pages together, and one slow build is soon forgotten", () => {
    const pace = new RefreshPace();
    assert.equal(pace.waitMs(0), 0);
    pace.built(0, 10);
    assert.equal(pace.waitMs(300), 500);
    pace.built(1000, 400);
    assert.equal(pace.waitMs(1000), 8000);
    assert.equal(pace.waitMs(1000, 2), 16_000);
    let cost = 0;
    for (let round = 0, now = 10_000; round < 6; round++, now += 10_000) {
      pace.built(now, 10);
      cost = pace.waitMs(now);
    }
    assert.equal(cost, 800);
  });

  test("lists have the largest and the number of all", () => {
    const processes = Array.from({ length: 1000 }, (_, at) => ({ value: `P${at}`, samples: at }));
    const { processes: list } = facetLists({ nodes: [], schedulers: [], processes, classes: [] });
    assert.deepEqual([list.count, list.values.length, list.values[0]], [1000, 200, { value: "P999", samples: 999 }]);
    assert.deepEqual(
      matching(processes, " p99 ").values.map(({ value }) => value),
      ["P99", ...Array.from({ length: 10 }, (_, at) => `P${990 + at}`)],
    );
    assert.equal(matching(processes, "").count, 1000);
  });

  test("the heaviest frame of a function, the outermost of equals", () => {
    assert.deepEqual(heaviestPath(SMALL, "m:run/1"), ["m:run/1"]);
    const twice = flameOf(`
      all
        a:x/0 1
          b:y/0 3
        c:z/0 1
          b:y/0 9
            b:y/0 9
    `);
    assert.deepEqual(heaviestPath(twice, "b:y/0"), ["c:z/0", "b:y/0"]);
    assert.equal(heaviestPath(twice, "all"), null);
    assert.equal(heaviestPath(twice, "gone"), null);
  });

  test("messages of a page are checked", () => {
    assert.deepEqual(readFilter(null), {});
    assert.deepEqual(
      readFilter({
        schedulers: "1",
        processes: [1, "p"],
        classes: [],
        timeMs: { from: 5, to: 5 },
        focus: 3,
        ignore: " i ",
      }),
      { processes: ["p"], ignore: "i" },
    );
    assert.deepEqual(readFilter({ timeMs: { from: 0, to: 5, more: 1 } }), { timeMs: { from: 0, to: 5 } });
    assert.deepEqual(readFilter({ timeMs: { from: NaN, to: 5 } }), {});
    assert.deepEqual(readOptions({ inverted: 1, hideKernel: true }), { ...DEFAULT_OPTIONS, hideKernel: true });
    assert.deepEqual(readOptions({ groupBy: "process", collapseRecursion: false }), {
      ...DEFAULT_OPTIONS,
      groupBy: "process",
      collapseRecursion: false,
    });
    assert.deepEqual(readOptions({ groupBy: "toString" }), DEFAULT_OPTIONS);
    assert.deepEqual(readOptions(undefined), DEFAULT_OPTIONS);
  });
});
