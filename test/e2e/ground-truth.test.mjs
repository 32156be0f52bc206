// What the helper shows against VMs that measure their own time split.
import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl, sharesBetween } from "../vms/vm.mjs";
import { helperJson, record, temporaryFolder } from "./helper.mjs";

const SAMPLES_WANTED = 5_000;

/**
 * Records a one-process VM between two of its reports; 997 Hz on one busy thread.
 * @param {import("node:test").TestContext} t
 * @param {import("../vms/otp.mjs").OtpRelease} release
 * @param {string} module
 * @param {(string | number)[]} args
 * @param {number} seconds
 */
async function capture(t, release, module, args, seconds) {
  const vm = await runErl({ otp: await prepareOtp(release), module, args });
  t.after(() => vm.kill());
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const before = await vm.report();
  const recorded = await record(vm.pid, { seconds, hz: 997, file });
  const after = await vm.stop();
  const top = await helperJson(["top", file, "-n", 200]);
  return { truth: sharesBetween(before, after), top, quality: recorded.quality };
}

/**
 * Total share of each named function among themselves. A measured function has two arities:
 * the one that is timed (f/1) tail-calls the loop (f/2 or more), so shares go by name.
 * @param {any} top
 * @param {Iterable<string>} names "module:function/1"
 */
function measuredShares(top, names) {
  const totals = new Map();
  for (const name of names) {
    const stem = name.slice(0, name.lastIndexOf("/") + 1);
    const rows = top.functions.filter((/** @type {any} */ row) => row.function.startsWith(stem));
    totals.set(name, rows.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.total, 0));
  }
  const sum = [...totals.values()].reduce((a, b) => a + b, 0);
  return new Map([...totals].map(([name, total]) => [name, (100 * total) / Math.max(sum, 1)]));
}

/** @param {Map<string, number>} truth @param {any} top @param {number} points */
function assertShares(truth, top, points) {
  const measured = measuredShares(top, truth.keys());
  const rows = [...truth].map(([name, share]) => `${name}: true ${share.toFixed(1)} %, shown ${measured.get(name)?.toFixed(1)} %`);
  for (const [name, share] of truth) {
    assert.ok(Math.abs((measured.get(name) ?? 0) - share) <= points, `${name} is off by more than ${points} points\n${rows.join("\n")}`);
  }
}

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: shares of Erlang functions are within 2 points`, async (t) => {
    const { truth, top, quality } = await capture(t, release, "gt_erlang", [], 9);
    assert.ok(quality.samples >= SAMPLES_WANTED, `only ${quality.samples} samples`);
    assertShares(truth, top, 2);
    assert.ok(quality.erlang.complete >= 0.995 * quality.erlang.samples, JSON.stringify(quality));
  });

  test(`OTP ${release}: shares of callers of built-in functions are within 2 points`, async (t) => {
    const { truth, top, quality } = await capture(t, release, "gt_bif", ["shares"], 9);
    assert.ok(quality.samples >= SAMPLES_WANTED, `only ${quality.samples} samples`);
    assert.equal(quality.engine.name, "bpf");
    assertShares(truth, top, 2);
  });

  test(`OTP ${release}: shares of functions that cause collections are within 5 points`, async (t) => {
    const { truth, top } = await capture(t, release, "gt_gc", [], 6);
    assertShares(truth, top, 5);
  });

  test(`OTP ${release}: a function made 1x, 2x, 4x slower has the share that follows`, async (t) => {
    for (const factor of [1, 2, 4]) {
      const { truth, top } = await capture(t, release, "gt_ladder", [factor], 4);
      const share = truth.get("gt_ladder:ladder/1") ?? 0;
      assert.ok(Math.abs(share - (100 * factor) / (factor + 2)) < 4, `the VM itself is off: ${share} at ${factor}x`);
      assertShares(truth, top, 3);
    }
  });
}
