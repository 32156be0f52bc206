// The list of processes that an editor shows: of a VM that runs, compared with `ps`, and beside a storm.
import assert from "node:assert/strict";
import { test } from "node:test";
import { helperJson } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { until } from "../until.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertList, openedList } from "./process-list.mjs";

/** Of each of ten kinds. */
const EACH = 60;
/** More than within how many looks all that is known of a process is read again. */
const LOOKS = 20;

/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release @param {string[]} [more] */
async function opened(t, release, more = []) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH, ...more] });
  t.after(() => vm.kill());
  return { vm, ...(await openedList(t, vm.pid)) };
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: the list has what ps has, in its first look and after each process was read anew`, async (t) => {
    const { vm, ...list } = await opened(t, release);
    const { processes } = await helperJson(["ps", vm.pid]);
    await assertList(list, processes, { looks: LOOKS, resting: 10 * EACH });
  });
}

test("OTP 29: beside a storm of processes those that rest stay what they are, in every look", async (t) => {
  const { all } = await opened(t, "29", ["storm"]);
  const known = new Map((await all({ filter: "gt_inside:" }, true)).map(({ process }) => [process.pid, process]));
  assert.ok(known.size >= EACH, `${known.size} servers`);
  for (let look = 0; look < LOOKS; look++) {
    const lines = await all({ filter: "gt_inside:" }, true);
    const rows = new Map(lines.map(({ process }) => [process.pid, process]));
    assert.equal(rows.size, lines.length, "none twice");
    for (const [pid, process] of known) assert.deepEqual(rows.get(pid), process);
  }
});

test("rates are of the time between two looks: those that rest have none", async (t) => {
  const { ask, all } = await opened(t, "27", ["storm"]);
  const first = await all({}, true);
  assert.ok(first.every((line) => line.reductionsPerSecond === null));
  // On a busy machine it may be that no process worked between two looks.
  const second = await until("the storm's own", async () => {
    await ask({}, { look: true });
    const lines = await all({}, false);
    return lines.some((line) => line.reductionsPerSecond > 0) && lines;
  });
  assert.ok(
    second.some((line) => line.reductionsPerSecond === 0),
    "the others",
  );
});
