// Flags of the VM that change what the helper reads.
import { hasInterpreter } from "../../scripts/build-otp.mjs";
import { interpreterOtp } from "../vms/built.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { notRun, rowOf } from "./look.mjs";

export const kind = "flags";
export const title = "Flags of the VM";
export const about =
  "One row for each flag and release that has it. `+P 134217727` is the largest possible process table.";

/** @type {{flags: string[], releases: import("../vms/otp.mjs").OtpRelease[]}[]} */
const FLAGS = [
  { flags: ["+S", "1"], releases: OTP_RELEASES },
  { flags: ["+sbwt", "none"], releases: OTP_RELEASES },
  { flags: ["+sbwt", "very_long"], releases: OTP_RELEASES },
  { flags: ["+JPperf", "true"], releases: OTP_RELEASES },
  { flags: ["+JMsingle", "true"], releases: ["27", "29"] },
  { flags: ["+MMscs", "512"], releases: OTP_RELEASES },
  { flags: ["+Mea", "min"], releases: OTP_RELEASES },
  { flags: ["+P", "134217727"], releases: OTP_RELEASES },
];
/** No package has such an emulator for a release with a JIT; those that scripts/build-otp.mjs has built are used. @type {import("../../scripts/build-otp.mjs").BuiltRelease[]} */
const INTERPRETERS = ["25", "27"];
const nameOf = (/** @type {string} */ release, /** @type {string[]} */ flags) => `OTP ${release} ${flags.join(" ")}`;
const EMU = ["-emu_flavor", "emu"];

/** @type {import("./page.mjs").KnownRow[]} */
export const known = [
  ...FLAGS.flatMap(({ flags, releases }) => releases.map((release) => nameOf(release, flags))),
  ...INTERPRETERS.map((release) => nameOf(release, EMU)),
].map((name) => ({ name }));

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ folder }) {
  for (const { flags, releases } of FLAGS) {
    for (const release of releases) {
      const name = nameOf(release, flags);
      yield {
        name,
        make: async () => rowOf({ kind, name, otp: await prepareOtp(release), emulatorFlags: flags, folder }),
      };
    }
  }
  for (const release of INTERPRETERS) {
    const name = nameOf(release, EMU);
    const make = async () => {
      if (!(await hasInterpreter(release)))
        return notRun(
          kind,
          name,
          `no package has this emulator, and it was not built here; \`node scripts/build-otp.mjs --interpreter ${release}\` builds it`,
        );
      return rowOf({ kind, name, otp: await interpreterOtp(release), folder });
    };
    yield { name, make };
  }
}
