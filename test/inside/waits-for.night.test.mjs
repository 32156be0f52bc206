// waits: the processes that those in a call wait for, compared with the calls that were made.
import { after, before, test } from "node:test";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
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

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a process in a call waits for the process that it called, and no other process waits for one`, async (t) => {
    await startNode(t, release, `far${release}`, [0]);
    const vm = await startNode(t, release, `near${release}`, [CALLERS, `far${release}@${HOST}`]);
    await assertWaiters(vm, `far${release}@${HOST}`);
  });
}

test("the table shows the target of each wait, and which processes wait for each other", async (t) => {
  await assertTable(await startNode(t, "27", "table", [CALLERS]));
});

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: who is kept from sending to a node waits for the connection to it`, async (t) => {
    const far = await startNode(t, release, `slow${release}`, [0]);
    const vm = await startNode(t, release, `sender${release}`, ["held", `slow${release}@${HOST}`]);
    await assertHeld(far, vm, `slow${release}@${HOST}`);
  });
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a loop that keeps a table or counters is in no call; a call by hand is in one that is not known`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_handles" });
    t.after(() => vm.kill());
    await assertHandles(vm);
  });
}
