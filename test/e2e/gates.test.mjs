// The exit codes of `diff --fail-if` and `--bisect`: a gate that is green because nothing was checked is a wrong
// answer.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { FIXTURES } from "../captures/fixtures.mjs";
import { FUNCTION, makeRepository, writeCaptures } from "../captures/history-folder.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** Folded stacks by the name of their file. @type {Record<string, string>} */
const STACKS = {
  base: "main:run/0;shop:total/1 1000\nmain:run/0;shop:list/1 4000\nmain:run/0;shop:pay/1 5000\n",
  slower: "main:run/0;shop:total/1 2000\nmain:run/0;shop:list/1 3900\nmain:run/0;shop:pay/1 4900\n",
  few: "main:run/0;shop:total/1 5\nmain:run/0;shop:list/1 6\n",
  fewer: "main:run/0;shop:total/1 14\nmain:run/0;shop:list/1 2\n",
  rare: "main:run/0;shop:rare/1 5\nmain:run/0;shop:list/1 4000\nmain:run/0;shop:pay/1 5000\n",
  rarer: "main:run/0;shop:rare/1 6\nmain:run/0;shop:list/1 4000\nmain:run/0;shop:pay/1 5000\n",
};
/** @type {Record<string, string>} */
const files = {};
before((t) => {
  const folder = temporaryFolder(/** @type {import("node:test").TestContext} */ (t));
  for (const [name, text] of Object.entries(STACKS)) {
    const file = join(folder, `${name}.folded`);
    writeFileSync(file, text);
    files[name] = file;
  }
});

const diff = (/** @type {string} */ base, /** @type {string} */ newer, /** @type {string[]} */ ...options) =>
  runHelper(["diff", files[base] ?? base, "--", files[newer] ?? newer, ...options]);

test("a condition that no figure answers is a usage error, never green", async () => {
  for (const [condition, fix] of [
    ["own.slower>1pp", /--own DIR/],
    ["slower>2us/unit", /give the limit in pp/],
    ["whole.slower>3%", /no processor time of the whole program/],
    ["gc.slower>3%", /no classes of samples/],
    ["shop:totel/1.slower>3%", /neither side has a sample of such a function/],
    ["slower>2", /is no condition/],
    ["new>2%", /has a percentage, and new or gone functions have none/],
  ]) {
    const plain = await diff("base", "slower", "--fail-if", String(condition));
    assert.equal(plain.code, 2, `${condition}: ${plain.stderr}`);
    assert.match(plain.stderr, /** @type {RegExp} */ (fix));
    const bisecting = await diff("base", "slower", "--fail-if", String(condition), "--bisect");
    assert.equal(bisecting.code, 128, `a bisection ends: ${condition}`);
  }
});

test("a gate holds with 6, and its answer has value, interval, limit and verdict", async () => {
  const held = await diff("base", "slower", "--fail-if", "shop:total/1.self.slower>10%");
  assert.equal(held.code, 6);
  assert.match(
    held.stdout,
    /^shop:total\/1\.self\.slower>10% holds: shop:total\/1 \(self\) \+\d+\.\d % \(\+\d.* … \+\d.*\), limit 10 %, of shares; with one capture on a side, the difference between runs is assumed$/m,
  );
  // The answer is there once: errors name the condition alone, unless the output is for a file.
  assert.match(held.stderr, /^(?:.*: )?1 of 1 condition holds: shop:total\/1\.self\.slower>10%$/m);
  assert.doesNotMatch(held.stderr, /limit/);
  const green = await diff("base", "slower", "--fail-if", "shop:list/1.self.slower>20%");
  assert.equal(green.code, 0, green.stdout);
  assert.match(green.stdout, /does not hold: shop:list\/1 \(self\) -\d/);
  const { gates } = await helperJson([
    "diff",
    String(files.base),
    "--",
    String(files.slower),
    "--fail-if",
    "shop:list/1.self.slower>20%",
  ]);
  assert.deepEqual(
    [gates[0].answer, gates[0].certainty, gates[0].measured.unit, gates[0].doubts],
    ["does_not_hold", "within", "%", undefined],
  );
  const comment = await diff("base", "slower", "--fail-if", "shop:total/1.self.slower>10%", "--markdown");
  assert.match(comment.stdout, /✗ \*\*shop:total\/1\.self\.slower&gt;10% holds/);
  assert.match(comment.stderr, /shop:total\/1\.self\.slower>10% holds: .*limit 10 %/);
});

test("a gate that cannot tell exits with 7, or as --if-unknown selects, and names the captures that would decide", async () => {
  const asked = (/** @type {string[]} */ ...more) =>
    diff("few", "fewer", "--fail-if", "shop:total/1.self.slower>5%", ...more);
  const unknown = await asked();
  assert.equal(unknown.code, 7, unknown.stderr);
  const words = /shop:total\/1\.self\.slower>5% cannot tell: .*take (about \d+ captures|captures of about \d+ s)/;
  assert.match(unknown.stdout, words);
  assert.match(unknown.stderr, /1 of 1 condition cannot tell: shop:total\/1\.self\.slower>5%$/m);
  assert.doesNotMatch(unknown.stderr, /take/);
  for (const [choice, code] of /** @type {const} */ ([
    ["pass", 0],
    ["fail", 6],
  ])) {
    const chosen = await asked("--if-unknown", choice);
    assert.equal(chosen.code, code, choice);
    assert.match(chosen.stdout, words);
  }
  // One that holds decides, whatever another cannot tell.
  assert.equal((await asked("--fail-if", "shop:list/1.self.faster>1%", "--if-unknown", "pass")).code, 0);
  const both = ["--fail-if", "shop:total/1.self.slower>10%", "--fail-if", "shop:list/1.self.faster>2.1%"];
  const two = await diff("base", "slower", ...both);
  assert.equal(two.code, 6);
  assert.match(two.stderr, /[12] of 2 conditions holds?: /);
  // No sign of success beside it.
  const markdown = (await asked("--markdown")).stdout;
  assert.match(markdown, /^\? \*\*shop:total\/1\.self\.slower&gt;5% cannot tell: /m);
  const page = (await asked("--format", "html")).stdout;
  assert.match(page, /<p class="gate">\? shop:total\/1\.self\.slower&gt;5% cannot tell: /);
  for (const text of [markdown, page]) assert.doesNotMatch(text, /✓/);
  const { gates } = JSON.parse((await asked("--json")).stdout);
  assert.equal(gates[0].answer, "cannot_tell");
  assert.ok(gates[0].doubts[0].captures > 1 || gates[0].doubts[0].seconds > 0, JSON.stringify(gates[0].doubts));
  for (const args of [
    ["--if-unknown", "fail"],
    ["--fail-if", "slower>5%", "--if-unknown", "fail", "--bisect"],
  ])
    assert.ok([2, 128].includes((await diff("few", "fewer", ...args)).code ?? -1), args.join(" "));
});

test("in CI a gate on the whole by the second needs a request", async () => {
  const [before, after, orders, faster] = ["before-1", "after-1", "orders-1", "faster-orders-1"].map((name) =>
    join(FIXTURES, `${name}.pb.gz`),
  );
  const judged = (/** @type {string[]} */ sides, /** @type {string} */ ci, /** @type {string[]} */ ...more) =>
    runHelper(["diff", ...sides, ...more], { wrapper: ["env", `CI=${ci}`] });
  const gate = ["--fail-if", "whole.slower>3%"];
  const bySecond = [String(before), "--", String(after)];
  for (const [how, code] of /** @type {[string[], number][]} */ ([
    [[], 2],
    [["--measure", "share"], 2],
    [["--bisect"], 128],
    [["--if-unknown", "pass"], 2],
  ])) {
    const refused = await judged(bySecond, "true", ...gate, ...how);
    assert.equal(refused.code, code, how.join(" "));
    assert.match(refused.stderr, /whole\.slower>3%.*--work-command.*--measure cpu/);
  }
  // One on request, one of work, one on functions, one that is not in CI.
  const work = [String(orders), "--", String(faster)];
  for (const allowed of [
    judged(bySecond, "true", ...gate, "--measure", "cpu"),
    judged(work, "true", ...gate),
    judged(bySecond, "true", "--fail-if", "slower>90%"),
    judged(bySecond, "", ...gate),
    judged(bySecond, "false", ...gate),
  ])
    assert.ok([0, 6, 7].includes((await allowed).code ?? -1), (await allowed).stderr);
});

test("in CI a gate on the whole by the second of a history needs a request, too", async (t) => {
  const [folder, repository] = [temporaryFolder(t), temporaryFolder(t)];
  writeCaptures(folder, makeRepository(repository));
  const judged = (/** @type {string} */ condition, /** @type {string} */ ci, /** @type {string[]} */ ...more) =>
    runHelper(["diff", "--history", folder, "--source-dir", repository, "--fail-if", `${condition}>history`, ...more], {
      wrapper: ["env", `CI=${ci}`],
    });
  // What names everything names the whole.
  for (const condition of ["whole.slower", "slower"]) {
    const refused = await judged(condition, "true");
    assert.equal(refused.code, 2, condition);
    assert.match(refused.stderr, new RegExp(`${condition}>history.*--work-command.*--measure cpu`));
    assert.equal(refused.stdout, "");
  }
  for (const allowed of [
    judged("whole.slower", "true", "--measure", "cpu"),
    judged(`${FUNCTION}.total.slower`, "true"),
    judged("whole.slower", ""),
    judged("whole.slower", "false"),
  ])
    assert.ok([0, 6, 7].includes((await allowed).code ?? -1), (await allowed).stderr);
});

test("a bisection is good or bad by the interval alone; otherwise it cannot tell and names the captures that would decide", async () => {
  const run = (/** @type {string} */ base, /** @type {string} */ newer, /** @type {string} */ condition) =>
    diff(base, newer, "--fail-if", condition, "--bisect");
  const bad = await run("base", "slower", "shop:total/1.self.slower>10%");
  assert.equal(bad.code, 1);
  assert.match(
    bad.stderr,
    /bad: the interval lies beyond the limit of shop:total\/1\.self\.slower>10%: shop:total\/1 \(self\) \+/,
  );
  assert.equal((await run("base", "slower", "shop:list/1.self.slower>20%")).code, 0);
  const unknown = await run("few", "fewer", "shop:total/1.self.slower>5%");
  assert.equal(unknown.code, 125);
  assert.match(
    unknown.stderr,
    /is not known: .*limit 5 %; (take |it takes more than 50 captures .* choose a limit of \d+ %)/,
  );
  const any = await run("few", "fewer", "slower>5%");
  assert.equal(any.code, 125);
  assert.match(any.stderr, /name one function and its column/);
  // Half of the time is an answer for a gate, and none for a bisection, in whatever format.
  const half = await diff("rare", "rarer", "--fail-if", "slower>50%");
  assert.equal(half.code, 0, half.stdout);
  assert.match(half.stdout, /^slower>50% does not hold: /m);
  for (const format of ["text", "markdown"]) {
    const { code, stdout } = await diff("rare", "rarer", "--fail-if", "slower>50%", "--bisect", "--format", format);
    assert.equal(code, 125, stdout);
    assert.match(stdout, /slower(>|&gt;)50% cannot tell: .*name one function and its column/);
    assert.doesNotMatch(stdout, /does not hold/);
  }
  assert.equal((await run("/nowhere.pb.gz", "base", "slower>5%")).code, 125, "what was not measured is not bad");
});
