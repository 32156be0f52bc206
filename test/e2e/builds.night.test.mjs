import { describe, test } from "node:test";
import { releasesOf } from "../nightly.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { checksumsAreTheVms } from "./told-checksums.mjs";

describe("checksums are those that the VM has", () => {
  for (const release of releasesOf(OTP_RELEASES, "29"))
    test(`OTP ${release}`, async (t) => checksumsAreTheVms(t, await prepareOtp(release)));
  test("OTP 23, interpreted", async (t) => checksumsAreTheVms(t, await prepareOtp("23")));
});
