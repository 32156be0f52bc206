// A folder of captures as a history: by commit in the order of git, with the step where it was planted.
import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  COMMITS,
  FIRST_UNIX_MS,
  FUNCTION,
  makeRepository,
  RECORDED,
  SLOWER_FROM,
  writeCaptures,
} from "../captures/history-folder.mjs";
import { changedCapture, takenOf } from "../changed-capture.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** The mark of a file that is still written to (`docs/json.md`): the last mark in a file counts. */
const NOT_CLOSED = gzipSync(Buffer.from([0xc8, 0x3e, 1]));
// Gates on the whole by the second are refused in CI.
const OUTSIDE_CI = { wrapper: ["env", "-u", "CI"] };

test("a folder of captures is a history: commits in git's order, the planted step, the omitted captures", async (t) => {
  const repository = temporaryFolder(t);
  const folder = temporaryFolder(t);
  const commits = makeRepository(repository);
  writeCaptures(folder, commits);
  copyFileSync(join(folder, "1-0.pb.gz"), join(folder, "copied.pb.gz"));
  writeFileSync(join(folder, "broken.pb.gz"), "no capture");
  // A copy that was given another commit is left out, and that commit is none of the history.
  writeFileSync(
    join(folder, "z.pb.gz"),
    takenOf(readFileSync(join(folder, "1-0.pb.gz")), {
      commit: "f".repeat(40),
      startedUnixMs: FIRST_UNIX_MS + (COMMITS - 1) * 3_600_000,
    }),
  );
  writeFileSync(join(folder, "other.txt"), "nothing to do with it");
  const asked = ["diff", "--history", folder, "--function", FUNCTION, "--source-dir", repository];
  const history = await helperJson(asked);
  assert.deepEqual(
    history.commits.map((/** @type {any} */ it) => it.commit),
    commits,
  );
  assert.deepEqual(history.commits[1].captures, ["1-0.pb.gz", "1-1.pb.gz"]);
  assert.deepEqual(history.skipped.map((/** @type {any} */ it) => it.reason.kind).toSorted(), [
    "copy",
    "copy",
    "unreadable",
  ]);
  const total = history.series.find((/** @type {any} */ it) => it.of === "total");
  assert.equal(total.function, FUNCTION);
  assert.deepEqual(
    total.steps.map((/** @type {any} */ it) => it.at),
    [SLOWER_FROM],
  );
  assert.ok(total.steps[0].low_pct > 0);
  assert.ok(
    total.points.every(
      (/** @type {any} */ it) => it.low <= it.value && it.value <= it.high && it.captures.length === 2,
    ),
  );

  const { code, stdout, stderr } = await runHelper(asked);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /broken\.pb\.gz is left out/);
  assert.doesNotMatch(stderr, /are placed by/);
  assert.match(stderr, /(copied|1-0)\.pb\.gz is left out: it is a copy of/);
  assert.match(
    stdout,
    new RegExp(
      `step: \\+.*at ${commits[SLOWER_FROM]?.slice(0, 9)}, the one before is ${commits[SLOWER_FROM - 1]?.slice(0, 9)}`,
    ),
  );
  const { stdout: markdown } = await runHelper([...asked, "--markdown"]);
  assert.match(markdown, /^### CPU over 10 commits: [0-9a-f]{9} to [0-9a-f]{9}$/m);
  const made = history.commits.map((/** @type {any} */ it) => it.made_unix_ms);
  assert.deepEqual([...new Set(made)], [Date.parse("2024-01-01T00:00:00Z")]);
  assert.match(markdown, /^\| [0-9a-f]{9} \| 2024-01-01 \| \d+ \| /m);
  assert.match(markdown, /\| commit \| date \| captures \| value \|/);

  // Without the repository the commits are in the order of their captures, and the output states that.
  const elsewhere = await runHelper(["diff", "--history", folder, "--json", "--source-dir", folder]);
  assert.match(elsewhere.stderr, /10 of 10 commits are placed by their capture times/);
  const byTime = JSON.parse(elsewhere.stdout).commits.map((/** @type {any} */ it) => it.commit);
  assert.deepEqual(byTime, commits.toReversed());
});

test("the newest commit is compared with a limit from its history", async (t) => {
  const folder = temporaryFolder(t);
  const repository = temporaryFolder(t);
  writeCaptures(folder, makeRepository(repository), COMMITS - 1);
  const judged = (/** @type {string} */ condition, /** @type {string[]} */ ...more) =>
    runHelper(["diff", "--history", folder, "--source-dir", repository, "--fail-if", condition, ...more], OUTSIDE_CI);
  const slower = await judged(`${FUNCTION}.total.slower>history`);
  assertRefused(slower, 6);
  assert.match(slower.stderr, /1 of 1 condition holds: demo_pricing:best_price\/2\.total\.slower>history$/m);
  assert.match(
    slower.stdout,
    /best_price\/2\.total\.slower>history holds: demo_pricing:best_price\/2, total: newest commit: [\d.]+, higher than expected\. From the 9 commits before it, /,
  );
  // The table comes first, and the function that the condition names is in it.
  assert.match(slower.stdout, /^demo_pricing:best_price\/2, total/m);
  const faster = await judged(`${FUNCTION}.faster>history`, "--json");
  assert.equal(faster.code, 0, faster.stderr);
  const [gate] = JSON.parse(faster.stdout).gates;
  assert.deepEqual([gate.answer, gate.judged.length], ["does_not_hold", 2]);
  const { stdout: markdown } = await judged("whole.faster>history", "--markdown");
  assert.match(markdown, /^✓ \*\*whole\.faster&gt;history does not hold: /m);
  const page = await judged(`${FUNCTION}.total.slower>history`, "--format", "html");
  assert.equal(page.code, 6, page.stderr);
  assert.match(page.stdout, /<p>✗ demo_pricing:best_price\/2\.total\.slower&gt;history holds: /);
  // Limits of the one are none of the other.
  const refused = async (/** @type {Promise<import("./helper.mjs").Run>} */ run, /** @type {RegExp} */ message) => {
    const ended = await run;
    assertRefused(ended, 2);
    assert.match(ended.stderr, message);
  };
  await refused(judged("whole.slower>3%"), /is for the comparison of two sides[\s\S]*whole\.slower>history/);
  const unreadable = await judged("new>history");
  assert.equal(unreadable.code, 2);
  assert.match(unreadable.stderr, /`new>history` is no condition on a history/);
  await refused(judged("no:such/1.slower>history"), /no capture has a function no:such\/1/);
  const [one = "", other = ""] = ["0-0.pb.gz", "1-0.pb.gz"].map((name) => join(folder, name));
  await refused(runHelper(["diff", one, "--", other, "--fail-if", "whole.slower>history"]), /is for --history/);
  const short = temporaryFolder(t);
  for (const name of ["0-0.pb.gz", "1-0.pb.gz", "2-0.pb.gz"]) copyFileSync(join(folder, name), join(short, name));
  const tooFew = await runHelper(
    ["diff", "--history", short, "--source-dir", repository, "--fail-if", "whole.slower>history"],
    OUTSIDE_CI,
  );
  assert.equal(tooFew.code, 7);
  assert.match(tooFew.stdout, /whole\.slower>history cannot tell: before the newest commit there are fewer than three/);
});

test("a history whose newest captures cannot be judged has no answer for any gate: no older commit answers", async (t) => {
  const repository = temporaryFolder(t);
  const whole = temporaryFolder(t);
  const commits = makeRepository(repository);
  writeCaptures(whole, commits);
  const newest = [0, 1].map((run) => `${COMMITS - 1}-${run}.pb.gz`);
  const bytes = readFileSync(join(whole, String(newest[0])));
  const startedUnixMs = FIRST_UNIX_MS + 3_600_000;
  const conditions = ["whole.slower", "whole.faster", "slower", `${FUNCTION}.total.slower`, `${FUNCTION}.self.faster`];
  const failIf = conditions.flatMap((condition) => ["--fail-if", `${condition}>history`]);
  const judged = (/** @type {string} */ folder, /** @type {string[]} */ ...more) =>
    runHelper(["diff", "--history", folder, "--source-dir", repository, ...failIf, "--json", ...more], OUTSIDE_CI);
  const answers = (/** @type {{stdout: string}} */ run) =>
    JSON.parse(run.stdout).gates.map((/** @type {any} */ gate) => gate.answer);
  const sound = await judged(whole);
  assert.equal(sound.code, 0, sound.stderr);
  assert.deepEqual(
    answers(sound),
    conditions.map(() => "does_not_hold"),
  );
  /** What the captures of the newest commit are instead, and the reason. @type {[string, () => Buffer | string, string][]} */
  const defects = [
    ["cut before its samples", () => bytes.subarray(0, 3_000), "order_unknown"],
    ["cut", () => bytes.subarray(0, bytes.length - 4), "newest_cut"],
    ["not closed", () => Buffer.concat([bytes, NOT_CLOSED]), "newest_cut"],
    ["empty", () => "", "unreadable"],
    ["no capture", () => "no capture", "unreadable"],
    ["of a commit that nobody knows", () => takenOf(bytes, { commit: "f".repeat(40), startedUnixMs }), "order_unknown"],
    ["of no commit", () => takenOf(bytes, { commit: "", startedUnixMs }), "order_unknown"],
    ["without busy samples", () => changedCapture(bytes, () => 0), "newest_left_out"],
  ];
  for (const [defect, made, reason] of defects) {
    const folder = temporaryFolder(t);
    for (const name of readdirSync(whole)) copyFileSync(join(whole, name), join(folder, name));
    for (const name of newest) rmSync(join(folder, name));
    writeFileSync(join(folder, String(newest[0])), made());
    const run = await judged(folder);
    assert.equal(run.code, 7, `${defect}: ${run.stderr}`);
    assert.deepEqual(
      answers(run),
      conditions.map(() => "cannot_tell"),
      defect,
    );
    const reasons = JSON.parse(run.stdout).doubts.map((/** @type {any} */ doubt) => doubt.reason);
    assert.ok(reasons.includes(reason), `${defect}: ${reasons.join()}`);
    assert.equal((await judged(folder, "--if-unknown", "pass")).code, 0, defect);
    assert.equal((await judged(folder, "--if-unknown", "fail")).code, 6, defect);
  }
  const args = ["--source-dir", temporaryFolder(t), "--fail-if", "whole.slower>history", "--markdown"];
  const markdown = await runHelper(["diff", "--history", whole, ...args], OUTSIDE_CI);
  assert.match(markdown.stdout, /^\? \*\*whole\.slower&gt;history cannot tell: /m);
  assert.doesNotMatch(markdown.stdout, /✓/);
});

test("an empty history names the missing captures", async (t) => {
  const folder = temporaryFolder(t);
  const refused = async (/** @type {string[]} */ args, /** @type {number} */ code, /** @type {RegExp} */ message) => {
    const run = await runHelper(["diff", "--history", ...args]);
    assertRefused(run, code);
    assert.match(run.stderr, message);
  };
  await refused([join(folder, "none")], 1, /there is no folder .*none/);
  await refused([folder], 1, /there is no capture \(\*\.pb\.gz\) in /);
  copyFileSync(new URL("run-00.pb.gz", RECORDED), join(folder, "one.pb.gz"));
  await refused([folder, "--function", "no:such/1"], 2, /no capture has a function no:such\/1/);
  for (const format of ["json", "markdown", "html"])
    await refused(
      [folder, "--format", format, "-n", "5"],
      2,
      /-n is for the table of a history[^]*its JSON and its page have all commits[^]*--format text/,
    );
  // Refused by the options' own parser, in several lines.
  const misused = async (/** @type {string[]} */ args, /** @type {RegExp} */ message) => {
    const run = await runHelper(["diff", "--history", folder, ...args]);
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, message);
  };
  await misused(["--format", "html", "--link", "page.html"], /--link/);
  await misused(["--format", "csv"], /csv[^]*text, json, markdown, html/);
  await misused([join(folder, "one.pb.gz")], /--history/);
  writeFileSync(join(folder, "one.pb.gz"), "no capture");
  const unreadable = await runHelper(["diff", "--history", folder]);
  assert.equal(unreadable.code, 1);
  assert.match(unreadable.stderr, /one\.pb\.gz is left out/);
});
