import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { FlameOptions } from "../../../contract/capture-answers.js";
import type { FlameData } from "../../../contract/flame-data.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import {
  collapsed,
  naiveSamples,
  naiveTree,
  type NaiveFrame,
  type NaiveNode,
  type NaiveSample,
} from "./naive-profile.js";
import { ProfileBuilder } from "./profile-builder.js";
import { assertWellFormed } from "./well-formed-flame.js";

const FILE = "test/unit/capture/fixtures/demo.pb.gz";
const capture = decodeCapture(readFileSync(FILE));
const samples = naiveSamples(FILE);
const PLAIN: FlameOptions = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: false,
  groupBy: "none",
};
const AMBIGUOUS = "clock_gettime";
const MANY = Array.from({ length: 16 }, (_, bits) => ({
  inverted: (bits & 1) !== 0,
  hideNative: (bits & 2) !== 0,
  hideKernel: (bits & 4) !== 0,
  collapseRecursion: (bits & 8) !== 0,
  groupBy: "none" as const,
}));

function assertSame(flame: FlameData, root: NaiveNode): void {
  const children = new Map<number, number[]>();
  for (let node = 1; node < flame.nodeParent.length; node++) {
    const parent = flame.nodeParent[node] as number;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [node]);
    else siblings.push(node);
  }
  const waiting: [number, NaiveNode][] = [[0, root]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, expected] = next;
    // One by one: a comparison of objects for each of so many nodes takes most of the time.
    assert.equal(flame.functionNames[flame.nodeFunction[node] as number], expected.name);
    assert.equal(flame.nodeTotal[node], expected.total, expected.name);
    assert.equal(flame.nodeSelf[node], expected.self, expected.name);
    assert.equal(flame.nodeLevels[node], expected.levels, expected.name);
    const known = [...expected.lines].filter(([line]) => line > 0);
    const most = Math.max(0, ...known.map(([, count]) => count));
    const line = flame.nodeLine[node] as number;
    if (node > 0)
      assert.ok(
        known.length === 0 ? line === 0 : known.some(([hot, count]) => hot === line && count === most),
        `${expected.name}: line ${line}`,
      );
    const below = children.get(node) ?? [];
    assert.equal(below.length, expected.children.size, expected.name);
    for (const child of below) {
      const name = flame.functionNames[flame.nodeFunction[child] as number] as string;
      waiting.push([child, expected.children.get(name) as NaiveNode]);
    }
  }
}

const isNative = ({ kind }: NaiveFrame) => kind === "native" || kind === "nif" || kind === "fragment";

function shaped(options: FlameOptions): (sample: NaiveSample) => NaiveFrame[] {
  return ({ frames }) => {
    const left = frames.filter(
      (frame) => !(options.hideNative && isNative(frame)) && !(options.hideKernel && frame.kind === "kernel"),
    );
    const ordered = options.inverted ? left : left.toReversed();
    return options.collapseRecursion ? collapsed(ordered) : ordered;
  };
}

for (const options of MANY) {
  const name =
    Object.entries(options)
      .filter(([, on]) => on)
      .map(([option]) => option)
      .join(", ") || "plain";
  test(`flame graph (${name}) is the plain merge of the stacks`, () => {
    // Two objects have a function of this name, and the plain reader cannot distinguish them.
    const isAmbiguous = options.inverted || options.collapseRecursion;
    const ignored = isAmbiguous ? { ignore: AMBIGUOUS } : undefined;
    const counted = isAmbiguous
      ? samples.filter(({ frames }) => !frames.some((frame) => frame.name === AMBIGUOUS))
      : samples;
    const flame = capture.flame(options, ignored);
    assertWellFormed(flame);
    assertSame(flame, naiveTree(counted, shaped(options)));
  });
}

/** Two processes run a recursive function, one deeper than the other; C code lies between two of its levels. */
function recursive(): Capture {
  const file = new ProfileBuilder().type("samples", "count").comment('extrospect/settings {"frequency_hz":99}');
  for (const [index, name] of ["erlang!m:loop/1", "native!enif_call", "erlang!m:leaf/0"].entries()) {
    file.function(index + 1, name.slice(name.indexOf("!") + 1), name).location(index + 1, [[index + 1, index + 10]]);
  }
  const process = (name: string) => [{ key: file.string("process"), text: file.string(name) }];
  file.sample({ locations: [3, 1, 1, 2, 1, 1], values: [5], labels: process("deep") });
  file.sample({ locations: [1, 1], values: [3], labels: process("shallow") });
  return decodeCapture(file.gzip());
}

/** `name total self levels` of all nodes. */
function rows(flame: FlameData): string[] {
  return [...flame.nodeFunction].map(
    (fn, node) =>
      `${flame.functionNames[fn]} ${flame.nodeTotal[node]} ${flame.nodeSelf[node]} ×${flame.nodeLevels[node]}`,
  );
}

test("collapsed recursion has the deepest run among the samples that count", () => {
  const built = recursive();
  const collapse = { ...PLAIN, collapseRecursion: true };
  assert.deepEqual(rows(built.flame(collapse)), [
    "all 8 0 ×1",
    "m:loop/1 8 3 ×2",
    "enif_call 5 0 ×1",
    "m:loop/1 5 0 ×2",
    "m:leaf/0 5 5 ×1",
  ]);
  assert.deepEqual(rows(built.flame({ ...collapse, hideNative: true })), [
    "all 8 0 ×1",
    "m:loop/1 8 3 ×4",
    "m:leaf/0 5 5 ×1",
  ]);
  assert.deepEqual(rows(built.flame({ ...collapse, hideNative: true }, { processes: ["shallow"] })), [
    "all 3 0 ×1",
    "m:loop/1 3 3 ×2",
  ]);
  assert.deepEqual(rows(built.flame({ ...collapse, hideNative: true, inverted: true })), [
    "all 8 0 ×1",
    "m:leaf/0 5 0 ×1",
    "m:loop/1 5 5 ×4",
    "m:loop/1 3 3 ×2",
  ]);
  assert.ok(rows(built.flame(PLAIN)).every((row) => row.endsWith("×1")));
});

test("collapsed recursion of the function in the middle is its own depth", () => {
  const built = recursive();
  const sandwich = built.sandwich(built.functionNamed("m:loop/1"), {
    ...PLAIN,
    collapseRecursion: true,
    hideNative: true,
  });
  assert.deepEqual(rows(sandwich?.callees ?? assert.fail()), ["m:loop/1 8 3 ×4", "m:leaf/0 5 5 ×1"]);
});

for (const groupBy of ["process", "scheduler"] as const) {
  for (const inverted of [false, true]) {
    test(`flame graph by ${groupBy}${inverted ? ", inverted" : ""}: each group is the merge of its own stacks, and they add up`, () => {
      const options = { ...PLAIN, inverted, collapseRecursion: true, groupBy };
      const counted = samples.filter(({ frames }) => !frames.some((frame) => frame.name === AMBIGUOUS));
      const flame = capture.flame(options, { ignore: AMBIGUOUS }, (value) => `<${value}>`);
      assertWellFormed(flame);
      assert.equal(flame.groupedBy, groupBy);
      const groupOf = (sample: NaiveSample): NaiveFrame => ({
        name: `<${sample.labels[groupBy] ?? ""}>`,
        kind: "marker",
        file: "",
        line: 0,
      });
      assertSame(
        flame,
        naiveTree(counted, (sample) => [groupOf(sample), ...shaped(options)(sample)]),
      );
    });
  }
}

test("a filtered graph by process holds the samples that fit", () => {
  const options = { ...PLAIN, groupBy: "process" } as const;
  const flame = capture.flame(options, { schedulers: ["1"], focus: "demo_" });
  const fitting = samples.filter(
    ({ labels, frames }) => labels["scheduler"] === "1" && frames.some(({ name }) => name.includes("demo_")),
  );
  assertSame(
    flame,
    naiveTree(fitting, (sample) => [
      { name: String(sample.labels["process"] ?? ""), kind: "marker", file: "", line: 0 },
      ...shaped(options)(sample),
    ]),
  );
});

test("a filtered graph holds the samples that fit", () => {
  const filter = {
    classes: ["gc", "copy"],
    timeMs: { from: 2000, to: 6000 },
    focus: "DEMO_",
    ignore: "invoices",
  } as const;
  const fitting = samples.filter(
    ({ labels, frames }) =>
      (labels["class"] === "gc" || labels["class"] === "copy") &&
      Number(labels["bucket_ms"] ?? 0) >= 2000 &&
      Number(labels["bucket_ms"] ?? 0) < 6000 &&
      frames.some((frame) => frame.name.includes("demo_")) &&
      !frames.some((frame) => frame.name.includes("invoices")),
  );
  assert.ok(fitting.length > 20);
  for (const inverted of [false, true]) {
    const flame = capture.flame({ ...PLAIN, inverted }, filter);
    assertWellFormed(flame);
    assertSame(flame, naiveTree(fitting, shaped({ ...PLAIN, inverted })));
  }
});

for (const name of ["lists:foldl/3", "copy_struct_x", "proc_lib:init_p_do_apply/3"]) {
  test(`sandwich of ${name}: what is below and above its outermost frame`, () => {
    const sandwich = capture.sandwich(capture.functionNamed(name), PLAIN);
    assert.ok(sandwich);
    const within = samples.filter(({ frames }) => frames.some((frame) => frame.name === name));
    const outermost = ({ frames }: NaiveSample) => frames.findLastIndex((frame) => frame.name === name);
    assertWellFormed(sandwich.callees);
    assertWellFormed(sandwich.callers);
    assertSame(
      sandwich.callees,
      naiveTree(within, (sample) => sample.frames.slice(0, outermost(sample)).toReversed(), name),
    );
    assertSame(
      sandwich.callers,
      naiveTree(within, (sample) => sample.frames.slice(outermost(sample) + 1), name),
    );
  });
}

test("no sandwich of a function without samples", () => {
  assert.equal(capture.sandwich(capture.functions.length, PLAIN), null);
  assert.equal(capture.sandwich(capture.functionNamed("lists:foldl/3"), PLAIN, { processes: ["nobody"] }), null);
});

test("an empty selection is a root without samples", () => {
  const flame = capture.flame(PLAIN, { schedulers: [] });
  assertWellFormed(flame);
  assert.equal(flame.nodeFunction.length, 1);
  assert.equal(flame.functionNames[0], "all");
});
