import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { NODE_FOLDS, type FlameData } from "../../../contract/flame-data.js";
import { DEFAULT_OPTIONS } from "../../../contract/messages/flame-graph.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { familyOf } from "../../../extension/src/capture/flame/frame-families.js";
import { foldFrames, foldKey, type FoldedGraph } from "../../../webviews/graph/folded-frames.js";
import { pathOf } from "../../../webviews/graph/path-match.js";
import { runKinds } from "../../../webviews/graph/run-families.js";
import { assertWellFormed } from "../capture/well-formed-flame.js";
import { flameOf } from "./fixtures.js";

const CLOSED: ReadonlySet<string> = new Set();
const nameOf = (data: FlameData, node: number) => data.functionNames[data.nodeFunction[node] as number] as string;
const foldOf = (data: FlameData, node: number) => NODE_FOLDS[data.nodeFold?.[node] ?? 0];

function folded(whole: FlameData, callersBelow = false, open = CLOSED): FoldedGraph {
  return foldFrames(whole, callersBelow, open) ?? assert.fail("nothing to fold");
}

function keysOf(data: FlameData, callersBelow: boolean): Set<string> {
  const keys = [...data.nodeFunction.keys()].filter((node) => data.nodeFold?.[node] !== 0);
  return new Set(keys.map((node) => foldKey(callersBelow, pathOf(data, node))));
}

/** Each node keeps its samples: those that show it have as many. */
function assertSameSamples({ data, whole, shownAs }: FoldedGraph): void {
  assertWellFormed(data);
  assert.equal(data.totalSamples, whole.totalSamples);
  assert.equal(
    data.nodeSelf.reduce((sum, self) => sum + self, 0),
    whole.nodeSelf.reduce((sum, self) => sum + self, 0),
  );
  const kinds = runKinds(whole);
  const totals = new Map<number, number>();
  const selves = new Map<number, number>();
  for (const [node, shown] of shownAs.entries()) {
    if (node > 0 && kinds[whole.nodeFunction[node] as number] !== 0) continue;
    assert.equal(data.nodeFunction[shown], whole.nodeFunction[node], "a frame that stands for itself has its name");
    totals.set(shown, (totals.get(shown) ?? 0) + (whole.nodeTotal[node] as number));
    selves.set(shown, (selves.get(shown) ?? 0) + (whole.nodeSelf[node] as number));
  }
  for (const [shown, total] of totals) {
    assert.equal(data.nodeTotal[shown], total, pathOf(data, shown).join(" › "));
    assert.equal(data.nodeSelf[shown], selves.get(shown), pathOf(data, shown).join(" › "));
    let below = 0;
    for (let node = shown + 1; node < data.nodeFunction.length; node++)
      if (data.nodeParent[node] === shown) below += data.nodeTotal[node] as number;
    assert.equal(below + (selves.get(shown) ?? 0), total, "the frames below have the rest");
  }
}

for (const [name, file] of [
  ["the demo with kernel frames", "test/unit/capture/fixtures/demo.pb.gz"],
  ["the demo without", "native-helper/crates/verdict/compare/tests/recorded/run-00.pb.gz"],
] as const) {
  describe(`runs of native and kernel frames: ${name}`, () => {
    const capture = decodeCapture(readFileSync(file));
    const graphs: (readonly [string, boolean, FlameData])[] = [false, true].map((inverted) => [
      inverted ? "inverted" : "from the root",
      inverted,
      capture.flame({ ...DEFAULT_OPTIONS, inverted }, {}, (value) => value),
    ]);
    graphs.push(["by process", false, capture.flame({ ...DEFAULT_OPTIONS, groupBy: "process" }, {}, (value) => value)]);
    const around = capture.sandwich(capture.functionNamed("erts_garbage_collect_nobump"), DEFAULT_OPTIONS, {});
    if (around) graphs.push(["callers of C code", true, around.callers], ["callees of C code", false, around.callees]);

    for (const [which, callersBelow, whole] of graphs) {
      test(`${which}: no sample is lost, folded, with each run open, and with all of them`, () => {
        const closed = folded(whole, callersBelow);
        assertSameSamples(closed);
        assert.ok(closed.data.nodeFunction.length < whole.nodeFunction.length);
        const kinds = runKinds(whole);
        for (let node = 1; node < closed.data.nodeFunction.length; node++)
          assert.notEqual(kinds[closed.data.nodeFunction[node] as number], 1, "no frame of C code by itself");
        const keys = [...keysOf(closed.data, callersBelow)];
        for (const key of keys.slice(0, 12)) assertSameSamples(folded(whole, callersBelow, new Set([key])));
        let open = new Set(keys);
        let all = folded(whole, callersBelow, open);
        for (let before = 0; before !== open.size; all = folded(whole, callersBelow, open)) {
          before = open.size;
          open = new Set([...open, ...keysOf(all.data, callersBelow)]);
        }
        assertSameSamples(all);
        for (let node = 0; node < all.data.nodeFunction.length; node++)
          assert.notEqual(foldOf(all.data, node), "folded");
      });
    }

    test("from the root, the kinds are those that the samples have", () => {
      const whole = capture.flame(DEFAULT_OPTIONS, {}, (value) => value);
      const { data } = folded(whole);
      const shares = new Map<string, number>();
      for (let node = 0; node < data.nodeFunction.length; node++)
        if (foldOf(data, node) === "folded")
          shares.set(nameOf(data, node), (shares.get(nameOf(data, node)) ?? 0) + (data.nodeTotal[node] as number));
      for (const [sampleClass, words] of [
        ["gc", "Garbage collection"],
        ["copy", "Copying terms"],
      ] as const) {
        const samples = capture.filteredTotals({ classes: [sampleClass] }).samples;
        assert.ok(samples > 0);
        // Fragments without C code below and stacks that end early are classed by more than the frames that are left.
        assert.ok(
          Math.abs((shares.get(words) ?? 0) - samples) <= samples * 0.02,
          `${words}: ${String(shares.get(words))} of ${samples}`,
        );
      }
    });

    test("work of dirty schedulers begins with the stack of its process; the frames a thread begins with are in no run that is open", () => {
      const whole = capture.flame(DEFAULT_OPTIONS, {}, (value) => value);
      const dirty = whole.functionNames.indexOf("erts_dirty_process_main");
      assert.ok(dirty > 0 && whole.nodeFunction.includes(dirty), "the fixture has dirty schedulers");
      const closed = folded(whole);
      const { data, shownAs } = folded(whole, false, keysOf(closed.data, false));
      let checked = 0;
      for (let node = 1; node < whole.nodeFunction.length; node++) {
        if (nameOf(whole, node) !== "erts_garbage_collect_nobump") continue;
        if (!pathOf(whole, node).includes("erts_dirty_process_main")) continue;
        const path = pathOf(data, shownAs[node] as number);
        assert.ok(!path.some((it) => /erts_dirty_process_main|clone|start_thread|^libc/.test(it)), path.join(" › "));
        assert.deepEqual(path.slice(-3), [
          "Garbage collection",
          "erts_execute_dirty_system_task",
          "erts_garbage_collect_nobump",
        ]);
        checked++;
      }
      assert.ok(checked > 0);
    });
  });
}

/** `name self kind` lines; families are those of the names. */
function graphOf(text: string): FlameData {
  const data = flameOf(text);
  const kinds = ["erlang", "bif", "fragment", "native", "nif", "kernel", "marker"] as const;
  const families = data.functionNames.map((name, index) =>
    familyOf({
      name,
      rawName: name,
      kind: kinds[data.functionKinds[index] ?? 0] ?? "marker",
      file: "",
      headLine: 0,
      object: "crypto.so",
    }),
  );
  return {
    ...data,
    functionFolding: Uint8Array.from(families, ({ folding }) => ["none", "native", "base", "kernel"].indexOf(folding)),
    functionFamilies: families.map(({ family }) => family),
  };
}

/** Two spaces a level: `⊞ name total`. */
function drawn({ data }: FoldedGraph): string {
  const marks = { none: "", folded: "+ ", open: "- " };
  return [...data.nodeFunction.keys()]
    .map(
      (node) =>
        `${"  ".repeat(data.nodeDepth[node] ?? 0)}${marks[foldOf(data, node) ?? "none"]}${nameOf(data, node)} ${data.nodeTotal[node]}`,
    )
    .join("\n");
}

const MIXED = graphOf(`
  all 0 6
    m:a/1 1 0
      clone3 0 3
        libc!fn@1 0 3
          erts_dirty_process_main 0 3
            erts_garbage_collect_nobump 5 3
              asm_exc_page_fault 2 5
                do_user_addr_fault 1 5
      global::call_light_bif_shared 2 2
        ets:lookup/2 0 1
          db_get_hash 4 3
            copy_shallow_x 3 3
      hash_nif 6 4
        EVP_Digest 1 4
      eq 2 3
`);

test("a run is one frame that names its kind; the JIT's code before a built-in function is left out", () => {
  assert.equal(
    drawn(folded(MIXED)),
    `all 27
  m:a/1 27
    + Garbage collection 8
      + Kernel: memory 3
    ets:lookup/2 7
      + ETS 4
      + Copying terms 3
    + Native code of crypto.so 7
    + JIT fragment 2
    + Comparing terms 2`,
  );
});

test("an open run is below the frame that stands for it, without where its thread begins; other runs stay folded", () => {
  const open = new Set([
    foldKey(false, ["m:a/1", "Garbage collection"]),
    foldKey(false, ["m:a/1", "ets:lookup/2", "Copying terms"]),
  ]);
  assert.equal(
    drawn(folded(MIXED, false, open)),
    `all 27
  m:a/1 27
    - Garbage collection 8
      erts_garbage_collect_nobump 8
        + Kernel: memory 3
    ets:lookup/2 7
      + ETS 4
      - Copying terms 3
        db_get_hash 3
          copy_shallow_x 3
    + Native code of crypto.so 7
    + JIT fragment 2
    + Comparing terms 2`,
  );
});

test("callers below: runs are named by all of their frames, and callers of the same run come together", () => {
  const callers = graphOf(`
    all 0 6
      copy_struct_x 0 3
        erts_garbage_collect 0 3
          m:a/1 4 0
        erts_send_message 0 3
          erl_send 0 3
            erlang:send/3 0 1
              global::call_light_bif_shared 0 2
                m:a/1 3 0
      sweep_new_heap 0 3
        erts_garbage_collect 0 3
          m:a/1 2 0
  `);
  assert.equal(
    drawn(folded(callers, true)),
    `all 9
  + Garbage collection 6
    m:a/1 6
  + Copying terms 3
    erlang:send/3 3
      m:a/1 3`,
  );
});

test("nothing is folded where there are neither native nor kernel frames, and in profiles of other programs", () => {
  assert.equal(foldFrames(graphOf("all 0 6\n  m:a/1 2 0"), false, CLOSED), null);
  const go = decodeCapture(readFileSync("test/unit/capture/fixtures/go-cpu.pb.gz"));
  assert.equal(
    foldFrames(
      go.flame(DEFAULT_OPTIONS, {}, (value) => value),
      false,
      CLOSED,
    ),
    null,
  );
});
