// waits: the processes that those in a call wait for, compared with the calls that were made: on the oldest release and
// the newest one; by night on all.
import { after, before, test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { HOST } from "../vms/own-epmd.mjs";
import { runErl } from "../vms/vm.mjs";
import {
  assertHandles,
  assertHeld,
  assertTable,
  assertWaiters,
  CALLERS,
  startEpmd,
  startNode,
  stopEpmd,
} from "./waiting-nodes.mjs";

before(startEpmd);
after(stopEpmd);

for (const release of /** @type {const} */ (["23", "29"])) {
  test(`OTP ${release}: a process in a call waits for the process that it called, and no other process waits for one`, async (t) => {
    await startNode(t, release, `far${release}`, [0]);
    const vm = await startNode(t, release, `near${release}`, [CALLERS, `far${release}@${HOST}`]);
    await assertWaiters(vm, `far${release}@${HOST}`);
    if (release === "29") await assertTable(vm);
  });
}

test("OTP 27: who is kept from sending to a node waits for the connection to it", async (t) => {
  const far = await startNode(t, "27", "slow", [0]);
  const vm = await startNode(t, "27", "sender", ["held", `slow@${HOST}`]);
  await assertHeld(far, vm, `slow@${HOST}`);
});

test("OTP 25: a loop that keeps a table or counters is in no call; a call by hand is in one that is not known", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_handles" });
  t.after(() => vm.kill());
  await assertHandles(vm);
});
