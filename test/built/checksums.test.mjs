// Checksums of modules, read from interpreters that no package has.
import { test } from "node:test";
import { checksumsAreTheVms } from "../e2e/told-checksums.mjs";
import { builtOtp } from "../vms/built.mjs";

for (const release of /** @type {const} */ (["25", "27"])) {
  test(`OTP ${release}, interpreted: checksums are those that the VM has`, async (t) =>
    checksumsAreTheVms(t, await builtOtp(release, { flavor: "emu" })));
}
