// OTP 23 with HiPE, the other package Debian has of that emulator: `erlang-base-hipe`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, forgetting, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { installationUnder, preparedRoot } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

const ROOT = {
  name: "bullseye-hipe",
  suite: "bullseye",
  debian: "Debian 11",
  packages: ["erlang-base-hipe", "erlang-dev"],
};

/** Also without any knowledge of the VM except its own information. @type {string[]} */
const FORGOTTEN = ["", "symbols", "layouts", "symbols,layouts"];

test("OTP 23 with HiPE: refused, with the reason and what to do", async (t) => {
  const vm = await runErl({ otp: installationUnder("23", await preparedRoot(ROOT)), module: "gt_erlang" });
  t.after(() => vm.kill());
  for (const forgotten of FORGOTTEN) {
    const forgetful = await forgetting(forgotten);
    for (const engine of ["bpf", "readv"]) {
      const run = await runHelper(
        ["record", vm.pid, "-d", 1, "--engine", engine, "-o", join(temporaryFolder(t), "capture.pb.gz")],
        forgetful,
      );
      assertRefused(run, 1);
      assert.match(run.stderr, /built with HiPE \(native code\).*nothing was read; run it on an emulator without HiPE/);
    }
  }
  const doctor = await runHelper(["doctor", vm.pid]);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /FAIL\s+attach.*built with HiPE/);
  assert.match(doctor.stdout, /fix: run it on an emulator without HiPE/);
});
