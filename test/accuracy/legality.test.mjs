// The judge of stacks knows right from wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkerOf } from "./legality.mjs";
import { EXACT, recursion, SPLITS, TAIL } from "./workloads.mjs";

/** @param {string} name @param {number} [line] @param {string} [kind] */
const frame = (name, line = 0, kind = "erlang") => ({ name, rawName: name, kind, file: "", line });
const marker = frame("[unproven]", 0, "marker");

/** @param {import("./workloads.mjs").Workload} workload @param {ReturnType<typeof frame>[]} frames @param {Record<string, string>} [labels] */
const wrongness = (workload, frames, labels = {}) =>
  checkerOf(workload.rules).check({ frames, values: [1], labels }).wrong;

/** The first line of a source that holds a text. @param {string} module @param {string} text */
async function lineOf(module, text) {
  const { readFileSync } = await import("node:fs");
  const lines = readFileSync(new URL(`../vms/src/${module}.erl`, import.meta.url), "utf8").split("\n");
  return lines.findIndex((line) => line.includes(text)) + 1;
}

test("a built-in function has one caller, line and stack", async () => {
  const at = {
    call: await lineOf("gt_bif", "erlang:phash2(Term)"),
    round: await lineOf("gt_bif", "short_phash2(10"),
    forever: await lineOf("gt_bif", "short_round(100"),
  };
  const stack = [
    frame("gt_bif:short_phash2/3", at.call),
    frame("gt_bif:short_round/2", at.round),
    frame("gt_bif:exact_forever/3", at.forever),
  ];
  const leaf = [frame("phash2_1", 0, "native"), frame("global::call_light_bif_shared", 0, "fragment")];
  const shown = (/** @type {typeof stack} */ erlang) => wrongness(EXACT, [...leaf, ...erlang]);
  assert.equal(shown(stack), null);
  assert.equal(shown([marker, ...stack.slice(1)]), null, "what is marked is not claimed");
  assert.equal(shown([marker]), null);
  assert.match(shown(stack.slice(1)) ?? "", /phash2_1 under gt_bif:short_round/);
  assert.match(shown([frame("gt_bif:short_phash2/3", at.call + 1), ...stack.slice(1)]) ?? "", /phash2_1 at line/);
  assert.match(shown([frame("gt_bif:short_crc32/3", at.call), ...stack.slice(1)]) ?? "", /phash2_1 under/);
  assert.match(
    shown([
      stack[0] ?? marker,
      frame("gt_bif:short_round/2", at.round + 1),
      frame("gt_bif:exact_forever/3", at.forever),
    ]) ?? "",
    /called at line/,
  );
  assert.match(shown(stack.slice(0, 2)) ?? "", /short_round\/2 under bottom/);
  assert.match(
    wrongness(EXACT, [frame("gt_bif:short_phash2/3", at.round), ...stack.slice(1)]) ?? "",
    /at line/,
    "a line of another function",
  );
});

test("a function left by a tail call is not on the stack", async () => {
  const outer = frame("gt_tail:outer/2", await lineOf("gt_tail", "ping(300"));
  const forever = frame("gt_tail:forever/1", await lineOf("gt_tail", "outer(20"));
  const pong = frame("gt_tail:pong/2");
  assert.equal(wrongness(TAIL, [pong, outer, forever]), null);
  assert.match(wrongness(TAIL, [pong, frame("gt_tail:ping/2"), outer, forever]) ?? "", /pong\/2 under gt_tail:ping/);
});

test("depths and pids are checked", async () => {
  const work = recursion(2);
  const call = await lineOf("gt_deep", "descend(Depth - 1");
  const deep = [
    frame("gt_deep:bottom/2"),
    frame("gt_deep:descend/2", await lineOf("gt_deep", "bottom(200_000, X)")),
    frame("gt_deep:descend/2", call),
    frame("gt_deep:descend/2", call),
    frame("gt_deep:process/2", await lineOf("gt_deep", "descend(Depth, 1)")),
  ];
  assert.equal(wrongness(work, deep), null);
  assert.match(wrongness(work, deep.toSpliced(2, 1)) ?? "", /2 frames deep, not 3/);
  assert.equal(wrongness(work, [...deep.slice(0, 2), marker, ...deep.slice(3)]), null);

  const brief = SPLITS.find((split) => split.name === "brief");
  assert.ok(brief);
  const even = [
    frame("gt_parity:even_life/2"),
    frame("gt_parity:live/2", await lineOf("gt_parity", "even_life(Steps, 1);")),
    frame("gt_brief:child/2", await lineOf("gt_brief", "gt_parity:live(")),
  ];
  assert.equal(wrongness(brief, even, { pid: "<0.100.0>" }), null);
  assert.match(wrongness(brief, even, { pid: "<0.101.0>" }) ?? "", /<0.101.0> in even_life/);
  assert.match(wrongness(brief, even) ?? "", /no pid/);
});
