// waits: each call that the helper knows of is made to wait, on every release, and who waits for whom is held against the VM.
import assert from "node:assert/strict";
import { test } from "node:test";
import { helperJson } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: who waits in a call waits for the one whom it called, whichever call it is`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_calls", args: [] });
    t.after(() => vm.kill());
    const { cases, plain } = await vm.report();
    const { waits_for: graph } = await helperJson(["waits", vm.pid, "-d", "1"]);
    /** @type {Map<string, string>} */
    const told = new Map();
    for (const { processes, pids, call, target } of graph.edges) {
      assert.equal(pids.length, processes, "few enough to be told one by one");
      for (const pid of pids) told.set(pid, `${call} ${target.pid}`);
    }
    assert.deepEqual(
      cases.map((/** @type {string[]} */ [call, from]) => `${call} ${from} ${told.get(String(from)) ?? "nobody"}`),
      cases.map((/** @type {string[]} */ [call, from, to]) => `${call} ${from} ${call} ${to}`),
    );
    assert.deepEqual(
      plain.filter((/** @type {string} */ pid) => told.has(pid)),
      [],
    );
    assert.equal(graph.unproven, 0);
    t.diagnostic(`${cases.length} callers, ${new Set(cases.map((/** @type {string[]} */ [call]) => call)).size} functions`);
  });
}
