// A helper with rights that its caller lacks (`setcap`): the caller's environment does not choose the files that it
// opens. And the shipped helper contains nothing for tests.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { HELPER, helperJson, runHelper } from "./helper.mjs";
const NOBODY = 65_534;

test("a capture without time in the kernel states it and the missing share, and is not compared with a capture that has it", async (t) => {
  const paranoid = Number(readFileSync("/proc/sys/kernel/perf_event_paranoid", "utf8"));
  if (paranoid !== 2) {
    t.skip(`an ordinary user may sample more, or less, at perf_event_paranoid ${paranoid}`);
    return;
  }
  const folder = openFolder("rights");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o777);
  const program = join(folder, "extrospect");
  copyFileSync(HELPER, program);
  chmodSync(program, 0o755);
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_kernel", uid: NOBODY });
  t.after(() => vm.kill());
  const [withKernel, without] = [join(folder, "with.pb.gz"), join(folder, "without.pb.gz")];
  const asNobody = {
    program,
    wrapper: ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--inh-caps=-all", "--"],
  };
  const said = await runHelper(["record", vm.pid, "-d", 2, "-F", 499, "-o", without], asNobody);
  assert.equal(said.code, 0, said.stderr);
  const missing = /user code only: at least (\d+) % of the VM's processor time \(kernel\) is not included/;
  assert.match(said.stdout, missing, "the quality line");
  const recorded = await runHelper(["record", vm.pid, "-d", 2, "-F", 499, "-o", withKernel]);
  assert.equal(recorded.code, 0, recorded.stderr);
  assert.doesNotMatch(recorded.stdout, /user code only/);

  const { kernel } = (await helperJson(["top", without])).quality;
  t.diagnostic(JSON.stringify(kernel));
  assert.equal(kernel.sampled, false);
  assert.ok(0 < kernel.missing_ns && kernel.missing_ns <= kernel.cpu_ns, JSON.stringify(kernel));
  assert.deepEqual((await helperJson(["top", withKernel])).quality.kernel, { sampled: true, cpu_ns: 0, missing_ns: 0 });
  assert.equal((await helperJson(["blame", "gc", without]).catch(() => ({ kernel }))).kernel.sampled, false);
  for (const args of [
    ["top", without],
    ["export", without, "--format", "html"],
  ]) {
    assert.match((await runHelper(args)).stdout.replaceAll("&#39;", "'"), missing, args.join(" "));
  }

  const refused = await runHelper(["diff", without, "--new", withKernel]);
  assert.equal(refused.code, 1, refused.stdout);
  assert.match(refused.stderr, /has time in the kernel and .* does not/);
  const anyway = await runHelper(["diff", without, "--new", withKernel, "--anyway"]);
  assert.equal(anyway.code, 0, anyway.stderr);
  assert.match(anyway.stdout, /note: .*lacks time in the kernel, at least \d+ %/);
  assert.match((await runHelper(["diff", without, "--new", without])).stdout, /no capture has time in the kernel/);
});
