// One VM of each release with processes that rest: ps, the list of an editor and waits show the same as the VM itself.
import { join } from "node:path";
import { test } from "node:test";
import { forgetting, helperJson, temporaryFolder } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { oneOf, whileStopped } from "../vms/stopped.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertEnd, assertList, assertQueries, openedList } from "./process-list.mjs";
import { assertProcesses } from "./told-processes.mjs";
import { assertStacks } from "./wait-stacks.mjs";

/** Of each of ten kinds. */
const EACH = 30;
/** The releases that are read without their symbols and layouts, too. @type {import("../vms/otp.mjs").OtpRelease[]} */
const FORGOTTEN = ["25", "29"];
/** More than within how many looks all that is known of a process is read again. */
const LIST_LOOKS = 20;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: processes that rest`, async (t) => {
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_inside",
      args: [EACH],
    });
    t.after(() => vm.kill());
    await t.test("ps has the VM's own values of each", (t) =>
      oneOf(t, () => assertProcesses(release, vm, EACH, () => whileStopped(vm.pid, () => helperJson(["ps", vm.pid])))),
    );
    if (FORGOTTEN.includes(release))
      await t.test("with symbols and layouts forgotten: the same", async (t) => {
        const options = await forgetting("symbols,layouts");
        await oneOf(t, () =>
          assertProcesses(release, vm, EACH, () => whileStopped(vm.pid, () => helperJson(["ps", vm.pid], options))),
        );
      });
    await t.test("waits: processes wait where the VM reports them", async (t) => {
      const file = join(temporaryFolder(t), "waits.pb.gz");
      const waits = await helperJson(["waits", vm.pid, "-d", "1", "-o", file]);
      const said = (await vm.report()).processes.filter((/** @type {any} */ one) => one.known);
      assertStacks(waits, said, file, EACH);
    });
    const list = await openedList(t, vm.pid);
    const { processes } = await helperJson(["ps", vm.pid]);
    await t.test("the list has what ps has, in its first look and after each process was read anew", () =>
      assertList(list, processes, { looks: LIST_LOOKS, resting: 10 * EACH }),
    );
    if (release !== "27") return;
    await t.test("sorting, filters, groups, the tree and alarms", () => assertQueries(list, processes, EACH));
    await t.test("the end of a VM, an id that names nothing, and a window of nothing", () => assertEnd(list, vm));
  });
}
