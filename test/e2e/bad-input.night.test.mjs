// Whatever goes wrong: the right exit code, one line that helps, and no lost capture.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact, qualityOf, recordUntil, sayRates } from "./enough.mjs";
import { assertRefused, HELPER, record, temporaryFolder } from "./helper.mjs";

const NOBODY = 65534;
/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("25");
});

/** @param {import("node:test").TestContext} t @param {string} module @param {(string | number)[]} [args] */
async function vmFor(t, module, args = module === "gt_erlang" ? ["resting"] : []) {
  const vm = await runErl({ otp, module, args });
  t.after(() => vm.kill());
  return vm;
}

test("no permission: exit 4, and the remedy", async (t) => {
  const vm = await vmFor(t, "gt_erlang");
  // A copy, because the checkout may be in a folder others cannot enter.
  const folder = openFolder("unprivileged");
  t.after(() => execFileSync("rm", ["-rf", folder]));
  execFileSync("cp", [HELPER, join(folder, "extrospect")]);
  execFileSync("chmod", ["0755", folder, join(folder, "extrospect")]);
  const child = spawn(
    "setpriv",
    [
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      "--clear-groups",
      "--inh-caps=-all",
      join(folder, "extrospect"),
      "record",
      String(vm.pid),
      "-d",
      "1",
      "-o",
      "/dev/null",
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  assertRefused({ code, stdout: "", stderr }, 4);
  assert.match(stderr, /sudo|setcap|CAP_|sysctl|root|same user/i);
});

test("a code-reload storm: frames keep their names", async (t) => {
  const vm = await vmFor(t, "gt_reload", [30]);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const before = (await vm.report()).loads;
  const quality = await recordUntil(
    vm.pid,
    { seconds: 3, file },
    "60 loads and samples of the module",
    async (recorded) => {
      const { loads } = await vm.report();
      return { ...recorded.quality, loads: loads - before };
    },
    ({ loads, erlang }) => loads > 60 && erlang.samples > 100,
  );
  await vm.stop();
  assertCountsAddUp(quality);
  sayRates(t, quality, "a code-reload storm");
  const names = readProfile(file).samples.flatMap((sample) => sample.frames.map((frame) => frame.name));
  assert.ok(names.includes("gt_reloaded:work/2"));
  // The fillers of version 2 never run: one of them in a stack is a name of the other version.
  assert.deepEqual([...new Set(names.filter((name) => name.startsWith("gt_reloaded:filler_")))], []);
});

test("thousands of spawns a second", async (t) => {
  const vm = await vmFor(t, "gt_spawn");
  const quality = await qualityOf(
    vm.pid,
    { seconds: 2, file: join(temporaryFolder(t), "capture.pb.gz") },
    { erlang: 100 },
  );
  const { per_second: perSecond } = await vm.stop();
  t.diagnostic(`${perSecond} spawns a second`);
  sayRates(t, quality, "short-lived processes");
  assertExact(quality, { erlang: 0.99, native: 0.9 });
});

test("the walk of a deep recursion ends where the sample ends, and the capture states it", async (t) => {
  const vm = await vmFor(t, "gt_deep", [100]);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const samplesAtWork = () =>
    readProfile(file).samples.filter((sample) => sample.frames[0]?.name === "gt_deep:bottom/2");
  const atWork = await recordUntil(
    vm.pid,
    { seconds: 1, file },
    "ten stacks at work",
    samplesAtWork,
    ({ length }) => length > 10,
  );
  for (const sample of atWork) {
    assert.equal(sample.frames.filter((frame) => frame.name === "gt_deep:descend/2").length, 101);
  }
});

test("an idle VM gives a small and valid capture", async (t) => {
  const vm = await vmFor(t, "gt_idle");
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const { quality } = await record(vm.pid, { seconds: 2, file });
  assert.ok(quality.samples < 500, `${quality.samples} samples of a VM that does nothing`);
  readProfile(file);
});
