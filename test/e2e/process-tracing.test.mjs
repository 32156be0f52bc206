// Messages and events of processes that are traced (`dbg:p`), as `doctor`, `node`, each look and a capture state them: the flags of
// each process are read from its struct, so each release of OTP shows that they are where they are expected.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { looksAt } from "../inside/looks.mjs";
import { releasesOf } from "../nightly.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { recordEnough } from "./enough.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

for (const release of releasesOf(ALL_OTP_RELEASES, "27"))
  test(`OTP ${release}: doctor, node, each look and a capture have the number and kinds of traced processes`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_trace_flags" });
    t.after(() => vm.kill());
    let steps = 0;
    for (let expected; (expected = await vm.report()).traced !== undefined; steps += 1) {
      const row = await processTracingRow(vm.pid);
      assert.equal(row.status, expected.traced > 0 ? "warn" : "ok", row.found);
      assert.deepEqual(kindsIn(row.found), expected, `step ${steps}: ${row.found}`);
      const { traced_processes: found } = await helperJson(["node", vm.pid]);
      assert.deepEqual(kindsOf(found), expected, `step ${steps}`);
      if (steps > 1) continue;
      for (const look of looksAt(vm.pid)) {
        const { circumstances } = await helperJson(look);
        assert.deepEqual(kindsOf(circumstances.traced_processes), expected, look.join(" "));
        const { stdout } = await runHelper(look);
        const sends = /^process tracing is on: 1 of \d+ processes \(messages sent of 1\)$/m.test(stdout);
        assert.equal(sends, expected.traced === 1, stdout);
      }
      const file = join(temporaryFolder(t), "traced.pb.gz");
      const { quality } = await recordEnough(vm.pid, { hz: 99, file, engine: "readv" }, "a capture", () => true);
      assert.deepEqual(kindsOf(quality.traced_processes), expected);
    }
    assert.ok(steps >= 7, `${steps} steps`);
  });

/** How many are of each kind; all processes of the VM were looked at. @param {any} found */
function kindsOf({ looked_at: processes, left_out: others, ...kinds }) {
  assert.ok(processes > 20, `${processes} processes`);
  assert.equal(others, 0);
  return kinds;
}

/** @param {number} pid */
async function processTracingRow(pid) {
  const { rows } = await helperJson(["doctor", pid]);
  return rows.find((/** @type {any} */ { check }) => check === "process tracing");
}

/** How many processes a row of `doctor` has of each kind. @param {string} found */
function kindsIn(found) {
  const none = /^none of \d+ processes is traced$/.test(found);
  const figure = (/** @type {RegExp} */ pattern) => (none ? 0 : Number(pattern.exec(found)?.[1]));
  return {
    traced: figure(/^(\d+) of \d+ processes are traced: /),
    sends: figure(/messages sent of (\d+)/),
    receives: figure(/messages received of (\d+)/),
    events: figure(/events of (\d+)/),
    scheduling: figure(/scheduling of (\d+)/),
    collections: figure(/garbage collections of (\d+)/),
  };
}
