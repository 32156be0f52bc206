// Machines of few and many processors, emulated: the VM has a scheduler for each.
import { preparedKernel } from "../vms/kernels.mjs";
import { rowsInGuest } from "./guest-look.mjs";

export const kind = "processors";
export const title = "Processors";
export const about =
  "Emulated machines with Debian 12's kernel and OTP 25, two busy processes. [sampling-method.md](sampling-method.md#processors) has the cost of a capture there.";

const PROCESSORS = [1, 2, 8, 32, 64];
/** @type {import("./page.mjs").KnownRow[]} */
export const known = PROCESSORS.map((processors) => ({ name: `${processors}` }));

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ timeoutMs }) {
  for (const processors of PROCESSORS) {
    const make = async () => {
      const { version } = await preparedKernel();
      const where = `Linux ${version}, ${processors} processor${processors === 1 ? "" : "s"}, emulated`;
      return rowsInGuest({ kind, looks: [{ name: `${processors}`, as: "extrospect" }], where, processors, timeoutMs });
    };
    yield { name: `${processors} processors`, make };
  }
}
