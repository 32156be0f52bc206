// go tool pprof, and a capture with readings of the VM.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

const execFileAsync = promisify(execFile);

test("go tool pprof opens a capture with readings of the VM, a field that it does not know", async (t) => {
  const folder = temporaryFolder(t);
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_surge", args: ["mailbox"] });
  t.after(() => vm.kill());
  let tries = 0;
  // A VM that does little has no sample in two seconds of a busy machine.
  const { file, samples } = await until("a capture has samples and readings", async () => {
    const taken = join(folder, `${tries++}.pb.gz`);
    assert.equal((await runHelper(["record", vm.pid, "-d", "2", "--every", "0.2", "-o", taken])).code, 0);
    const read = readProfile(taken);
    return read.readings.length > 0 && read.samples.length > 0 && { file: taken, samples: read.samples };
  });
  const { stdout } = await execFileAsync("go", ["tool", "pprof", "-top", "-sample_index=samples", file], {
    maxBuffer: 1 << 26,
  });
  const all = samples.reduce((sum, { values: [count = 0] }) => sum + count, 0);
  assert.match(stdout, new RegExp(`Showing nodes accounting for \\d+, .*% of ${all} total`));
});
