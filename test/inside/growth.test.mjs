// growth: one leak is named. All kinds of leaks among processes that churn are found by night.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** The fewest snapshots that show a growth. */
const SNAPSHOTS = 8;
const FIRST_WATCH_S = 5;

test("a mailbox that grows is named, and nothing that is not there; a time that is none is refused", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_leaks", args: [0] });
  t.after(() => vm.kill());
  let watch = { snapshots: 0, growth: /** @type {any[]} */ ([]) };
  // Each is twice as long as the one before: how long a snapshot takes is the machine's.
  for (let seconds = FIRST_WATCH_S; watch.snapshots < SNAPSHOTS; seconds *= 2)
    watch = await helperJson(["growth", vm.pid, "-d", seconds]);
  const grown = (/** @type {string} */ what) => watch.growth.filter((one) => one.what === what).map((one) => one.name);
  assert.deepEqual(grown("mailbox"), ["deaf_receiver"]);
  assert.deepEqual(grown("atoms"), ["atoms"]);
  for (const { before, after } of watch.growth) assert.ok(after > before);
  for (const time of ["0", "-1", "soon", "1e99"]) {
    const run = await runHelper(["growth", vm.pid, `-d=${time}`]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /seconds|number/);
  }
  assertRefused(await runHelper(["growth", process.pid, "-d", "1"]), 3);
});
