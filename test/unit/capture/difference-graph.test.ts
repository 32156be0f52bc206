// The flame graph of two sides, compared with sums over stacks written down by hand, and with a real capture.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DIFFERENCE_PARTS, NODE_CHANGES, type FlameData } from "../../../contract/flame-data.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { differenceGraph, type DifferenceOptions } from "../../../extension/src/capture/flame/difference-graph.js";
import { ProfileBuilder } from "./profile-builder.js";
import { assertWellFormed } from "./well-formed-flame.js";

const PLAIN = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: false,
  groupBy: "none",
} as const;
const OPTIONS: DifferenceOptions = {
  newName: (name) => name,
  mayHaveChanged: () => true,
  wholeMayHaveChanged: true,
  spreadPercent: 2,
  vanished: false,
};

/** A graph of stacks such as `a;b`, the outermost first, with their samples. */
function graphOf(stacks: Record<string, number>, periodNs = 0): FlameData {
  const profile = new ProfileBuilder();
  if (periodNs > 0) profile.type("samples", "count").periodType("cpu", "nanoseconds", periodNs);
  else profile.type("samples", "count");
  const numbers = new Map<string, number>();
  for (const [stack, samples] of Object.entries(stacks)) {
    const locations = stack.split(";").map((name) => {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      const number = numbers.size + 1;
      numbers.set(name, number);
      profile.function(number, name).location(number, [[number, 0]]);
      return number;
    });
    profile.sample({ locations: locations.reverse(), values: [samples] });
  }
  return decodeCapture(profile.gzip()).flame(PLAIN);
}

/** `a/b ▲ 10 → 20` with values rounded, width in thousandths of the newer side. */
function rows(data: FlameData): string[] {
  const { difference } = data;
  assert.ok(difference);
  const paths: string[] = [];
  return Array.from(data.nodeParent, (parent, node) => {
    const name = data.functionNames[data.nodeFunction[node] as number] as string;
    paths[node] = node === 0 ? name : parent === 0 ? name : `${paths[parent] as string}/${name}`;
    const width = Math.round(((data.nodeTotal[node] as number) / DIFFERENCE_PARTS) * 1000);
    const [base, now] = [difference.nodeBase[node], difference.nodeNew[node]].map(
      (value) => Math.round((value as number) * 10) / 10,
    );
    return `${paths[node]} ${width} ${base} → ${now} ${NODE_CHANGES[difference.nodeChange[node] as number] ?? "?"}${difference.nodeStep[node] || ""}`;
  });
}

test("widths are those of the newer side, both values are in the unit of the measure, and each frame is judged", () => {
  const base = graphOf({ "main;fast": 4000, "main;slow": 4000, "main;was": 2000 });
  const newer = graphOf({ "main;fast": 400, "main;slow": 1400, "main;is": 200 });
  const graph = differenceGraph({ graphs: [base], whole: 100 }, { graphs: [newer], whole: 100 }, OPTIONS);
  assertWellFormed(graph);
  assert.deepEqual(rows(graph), [
    "all 1000 100 → 100 none",
    "main 1000 100 → 100 none",
    "main/slow 700 40 → 70 more3",
    "main/fast 200 40 → 20 less4",
    "main/is 100 0 → 10 new4",
  ]);
  const withGone = differenceGraph(
    { graphs: [base], whole: 100 },
    { graphs: [newer], whole: 100 },
    { ...OPTIONS, vanished: true },
  );
  assertWellFormed(withGone);
  assert.ok(rows(withGone).includes("main/was 200 20 → 0 gone4"));
  assert.ok(rows(withGone).includes("main/slow 700 40 → 70 more3"));
});

test("several captures of a side are one, weighed by what a sample stands for", () => {
  const base = { graphs: [graphOf({ "m;a": 100, "m;b": 100 }, 10), graphOf({ "m;a": 100 }, 20)], whole: 400 };
  const graph = differenceGraph(base, { graphs: [graphOf({ "m;a": 300, "m;b": 100 }, 10)], whole: 400 }, OPTIONS);
  assert.deepEqual(rows(graph), [
    "all 1000 400 → 400 none",
    "m 1000 400 → 400 none",
    "m/a 750 300 → 300 none",
    "m/b 250 100 → 100 none",
  ]);
});

test("functions that were renamed are one frame, C code without a name is one for each caller", () => {
  const base = graphOf({ "m:old/1;beam.smp!fn@0x1a": 50, "m:old/1;beam.smp!fn@0x2b": 50 });
  const newer = graphOf({ "m:new/1;beam.smp!fn@0x3c": 100 });
  const graph = differenceGraph(
    { graphs: [base], whole: 100 },
    { graphs: [newer], whole: 100 },
    { ...OPTIONS, newName: (name) => name.replace("old", "new") },
  );
  assert.deepEqual(rows(graph), [
    "all 1000 100 → 100 none",
    "m:new/1 1000 100 → 100 none",
    "m:new/1/beam.smp!(no name) 1000 100 → 100 none",
  ]);
});

test("what a few samples could explain is no change, nor is what runs differ by", () => {
  const [base, newer] = [graphOf({ "m;a": 40, "m;b": 60 }), graphOf({ "m;a": 44, "m;b": 54, "m;c": 2 })];
  const few = differenceGraph({ graphs: [base], whole: 100 }, { graphs: [newer], whole: 100 }, OPTIONS);
  assert.ok(
    rows(few).every((row) => row.endsWith("none")),
    rows(few).join("\n"),
  );
  const [many, more] = [graphOf({ "m;a": 500_000, "m;b": 500_000 }), graphOf({ "m;a": 540_000, "m;b": 460_000 })];
  const judged = (spreadPercent: number) =>
    rows(
      differenceGraph({ graphs: [many], whole: 100 }, { graphs: [more], whole: 100 }, { ...OPTIONS, spreadPercent }),
    );
  assert.ok(judged(2).includes("m/a 540 50 → 54 more1"));
  assert.ok(judged(10).includes("m/a 540 50 → 54 none"));
});

test("a frame claims no more than the table does of its function", () => {
  const base = graphOf({ "m;a": 5000, "m;b": 5000, "m;was": 100 });
  const newer = graphOf({ "m;a": 9000, "m;b": 9000, "m;is": 100 });
  const sides = [
    { graphs: [base], whole: 100 },
    { graphs: [newer], whole: 200 },
  ] as const;
  const judged = (options: Partial<DifferenceOptions>) =>
    rows(differenceGraph(...sides, { ...OPTIONS, vanished: true, ...options })).map((row) => row.replace(/ .* /, " "));
  assert.deepEqual(judged({}), ["all more4", "m more4", "m/a more4", "m/b more4", "m/was gone4", "m/is new4"]);
  const certain = judged({ mayHaveChanged: (name) => name === "a", wholeMayHaveChanged: false });
  assert.deepEqual(certain, ["all none", "m none", "m/a more4", "m/b none", "m/was gone4", "m/is new4"]);
});

test("a real capture against itself: the graph it has alone, and nothing changed", () => {
  const capture = decodeCapture(readFileSync("test/unit/capture/fixtures/demo.pb.gz"));
  for (const options of [PLAIN, { ...PLAIN, inverted: true }, { ...PLAIN, collapseRecursion: true }]) {
    const alone = capture.flame(options);
    const graph = differenceGraph(
      { graphs: [alone, alone], whole: 100 },
      { graphs: [alone], whole: 100 },
      { ...OPTIONS, vanished: true },
    );
    assertWellFormed(graph);
    assert.ok(graph.difference?.nodeChange.every((change) => change === 0));
    const unnamed = alone.functionNames.filter((name) => name.includes("!fn@")).length;
    if (unnamed === 0) assert.equal(graph.nodeTotal.length, alone.nodeTotal.length);
    assert.ok(Math.abs(graph.totalSamples - DIFFERENCE_PARTS) < graph.nodeTotal.length);
  }
});

test("a side without samples is nothing to draw", () => {
  const empty = decodeCapture(new ProfileBuilder().type("samples", "count").gzip()).flame(PLAIN);
  const some = graphOf({ "m;a": 100 });
  assert.equal(differenceGraph({ graphs: [some], whole: 100 }, { graphs: [empty], whole: 0 }, OPTIONS).totalSamples, 0);
  const all = differenceGraph({ graphs: [empty], whole: 0 }, { graphs: [some], whole: 100 }, OPTIONS);
  assert.deepEqual(rows(all)[0], "all 1000 0 → 100 none");
});
