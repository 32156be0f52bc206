// Captures of two commits compared: every change that was planted between them is found with its verdict, and no other.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { measured } from "../measured.mjs";
import { andNightly } from "../nightly.mjs";
import { makeCompareProject, runCompareProject } from "../vms/compare.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { recordWork } from "../e2e/enough.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";

const RUNS = 3;
/** Of processor time of the program: as many samples on a busy machine. */
const SECONDS = 2.5;
const HZ = 1_999;
/** Half as much as the smallest change that is found on any machine: twice as fast. */
const SURELY_PLANTED_PCT = 25;

/**
 * Captures of runs of one commit, each of a VM of its own.
 * @param {{folder: string, commit: string, otp: import("../vms/otp.mjs").OtpInstallation, inside: string}} project
 */
async function recordRuns({ folder, commit, otp, inside }) {
  const files = [];
  for (let number = 1; number <= RUNS; number++) {
    const vm = await runCompareProject(folder, commit, otp, inside);
    const file = join(folder, `${commit}-${number}.pb.gz`);
    await recordWork(vm.pid, SECONDS, ["-F", HZ, "-o", file, "--source-dir", folder]);
    await vm.stop();
    files.push(file);
  }
  return files;
}

/** @param {any} comparison @param {string} name */
function rowOf(comparison, name) {
  const row = comparison.functions.find((/** @type {any} */ each) => each.function === name);
  assert.ok(
    row !== undefined,
    `${name} among ${comparison.functions.map((/** @type {any} */ each) => each.function).join(", ")}`,
  );
  return row;
}

for (const release of andNightly(/** @type {const} */ (["27"]), /** @type {const} */ (["25", "29"])))
  test(`OTP ${release}: each planted change has its verdict, and the way it was matched`, async (t) => {
    const otp = await prepareOtp(release);
    const inside = openPath("compare");
    const folder = otp.hostPath(inside);
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    await makeCompareProject(folder);
    const before = await recordRuns({ folder, commit: "before", otp, inside });
    const after = await recordRuns({ folder, commit: "after", otp, inside });
    const comparison = await helperJson(["diff", ...before, "--", ...after, "--source-dir", folder]);
    const { method } = comparison;
    t.diagnostic(`blocks of ${method.block_ms} ms, runs differ by ${method.spread_pct.toFixed(1)} %`);
    for (const row of comparison.functions.slice(0, 14)) {
      t.diagnostic(
        `${row.function}: ${row.self.base.toFixed(1)} to ${row.self.new.toFixed(1)} %, ${row.self.change_pct?.toFixed(1)} (${row.self.low_pct?.toFixed(1)} to ${row.self.high_pct?.toFixed(1)}), ${row.self.verdict}, ${row.matched_by}`,
      );
    }
    assert.ok(method.resampled_captures);
    assert.equal(comparison.measure, "share");

    const found = (/** @type {string} */ name) => {
      const { self, matched_by: by, base_function: was } = rowOf(comparison, name);
      return { verdict: self.verdict, by, was };
    };
    // Chance, or other load on this machine, sometimes shows a change where there is none: a few of a hundred are
    // allowed.
    /** @type {any[]} */
    const wronglyChanged = [];
    const isNotPlanted = (/** @type {any} */ row) => {
      if (row.self.verdict !== "noise") wronglyChanged.push(row);
      assert.ok(["noise", "slower", "faster"].includes(row.self.verdict), JSON.stringify(row));
      assert.ok(Math.abs(row.self.change_pct) < SURELY_PLANTED_PCT, JSON.stringify(row));
    };
    // Whether a tenth is enough depends on how busy this machine is, and so does a third of a small function.
    measured(
      t,
      "a function slower by a tenth, found",
      found("cmp_shop:tenth/2").verdict === "slower" ? 1 : 0,
      `OTP ${release}`,
    );
    assert.notEqual(found("cmp_shop:tenth/2").verdict, "faster");
    assert.ok(rowOf(comparison, "cmp_shop:tenth/2").self.change_pct > 0);
    assert.deepEqual(found("cmp_shop:twice/2"), { verdict: "faster", by: "name", was: undefined });
    assert.deepEqual(found("cmp_nif:work/1").by, "name");
    const nif = rowOf(comparison, "cmp_nif:work/1").total;
    measured(t, "a NIF slower by a third, found", nif.verdict === "slower" ? 1 : 0, `OTP ${release}`);
    assert.notEqual(nif.verdict, "faster");
    assert.ok(nif.change_pct > 0);
    for (const [name, was] of /** @type {const} */ ([
      ["cmp_shop:called_otherwise/2", "cmp_shop:renamed/2"],
      ["cmp_moved:moved/2", "cmp_shop:moved/2"],
    ])) {
      isNotPlanted(rowOf(comparison, name));
      assert.deepEqual({ by: found(name).by, was: found(name).was }, { by: "body", was });
    }
    const closures = comparison.functions.filter((/** @type {any} */ { matched_by: by }) => by === "closure");
    t.diagnostic(
      `closures: ${closures.map((/** @type {any} */ row) => `${row.base_function} is ${row.function}, ${row.self.verdict}`).join("; ")}`,
    );
    isNotPlanted(rowOf(comparison, "cmp_shop:steady/2"));
    closures.forEach(isNotPlanted);
    const renumbered = closures.map((/** @type {any} */ row) => [row.base_function, row.function].join(", ")).sort();
    const closure = "fun/2 in cmp_shop:closures/1";
    assert.deepEqual(renumbered, [`${closure} #1, ${closure} #2`, `${closure}, ${closure} #1`]);
    measured(t, "functions called changed that are not", wronglyChanged.length, `OTP ${release}`);

    const failing = await runHelper([
      "diff",
      ...before,
      "--",
      ...after,
      "--source-dir",
      folder,
      "--fail-if",
      "faster>2%",
      "--markdown",
    ]);
    assertRefused(failing, 6);
    assert.match(failing.stderr, /faster>2% holds for/);
    assert.match(failing.stdout, /▼ faster \| `cmp_shop:twice\/2`/);
    const same = await runHelper([
      "diff",
      ...before,
      "--",
      ...before,
      "--source-dir",
      folder,
      "--fail-if",
      "slower>100%",
    ]);
    assert.equal(same.code, 7, same.stderr);
    const steady = ["--fail-if", "cmp_shop:steady/2.self.slower>100%"];
    const green = await runHelper(["diff", ...before, "--", ...after, "--source-dir", folder, ...steady]);
    assert.equal(green.code, 0, green.stderr);
    const bisected = await runHelper(["diff", ...before, "--", ...after, "--fail-if", "self.faster>2%", "--bisect"]);
    assert.equal(bisected.code, 1, "git bisect run takes 1 for a bad commit");
  });

test("what cannot be compared is refused with the reason", async (t) => {
  const folder = temporaryFolder(t);
  const cases = /** @type {[string[], number, RegExp][]} */ ([
    [["/nowhere.pb.gz", "--", "/nowhere.pb.gz"], 1, /there is no file \/nowhere\.pb\.gz/],
    [["a", "--", "b", "--fail-if", "slow>2%"], 2, /is no condition/],
    [["a"], 2, /--new|required/],
    [[join(folder, "x.pb.gz"), "--", "b", "--fail-if", "slower", "--bisect"], 125, /there is no file/],
  ]);
  for (const [args, code, says] of cases) {
    const run = await runHelper(["diff", ...args]);
    assert.equal(run.code, code, `diff ${args.join(" ")}: ${run.stderr}`);
    assert.match(run.stderr, says);
  }
});
