// `record --max-overhead`: the rate is lowered when sampling costs more, and times stay right.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { runHelper, sleep, temporaryFolder } from "./helper.mjs";

/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("25");
});

/** @param {import("node:test").TestContext} t @param {Pick<Parameters<typeof runErl>[0], "module" | "args">} program */
async function vmFor(t, program) {
  const vm = await runErl({ otp, ...program });
  t.after(() => vm.kill());
  return vm;
}

const LOWERED_SECONDS = 8;

/** CPU time of all threads so far, as the scheduler of the kernel counts it, seconds. @param {number} pid */
function cpuSeconds(pid) {
  const ids = readdirSync(`/proc/${pid}/task`);
  const of = (/** @type {string} */ id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]);
  return ids.reduce((sum, id) => sum + of(id), 0) / 1e9;
}

/** The last quality in the capture. @param {import("../pprof-reader.mjs").Profile} profile */
function qualityIn(profile) {
  const last = profile.comments.findLast((comment) => comment.startsWith("extrospect/quality "));
  return JSON.parse((last ?? "").slice("extrospect/quality ".length));
}

/** CPU time that a profile shows, seconds, and its samples. @param {import("../pprof-reader.mjs").Profile} profile */
function shownBy(profile) {
  const cpu = profile.sampleTypes.indexOf("cpu");
  const count = profile.sampleTypes.indexOf("samples");
  assert.ok(cpu >= 0 && count >= 0, profile.sampleTypes.join());
  const sum = (/** @type {number} */ column) =>
    profile.samples.reduce((sum, { values }) => sum + (values[column] ?? 0), 0);
  return { cpuSeconds: sum(cpu) / 1e9, samples: sum(count) };
}

for (const engine of ["bpf", "readv"]) {
  test(`${engine}: the rate is lowered behind the lock, the capture states it, and CPU time is the VM's before and after`, async (t) => {
    const vm = await vmFor(t, { module: "gt_erlang" });
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const before = cpuSeconds(vm.pid);
    // Outside of any repository: then no program is started, and the whole lock is on.
    const wrapper = ["env", "-C", "/", "EXTROSPECT_PROGRESS=1"];
    const run = await runHelper(
      ["record", vm.pid, "-d", 0, "-F", 997, "-o", file, "--engine", engine, "--max-overhead", "0.2%", "--json"],
      {
        wrapper,
        timeoutMs: 300_000,
        onStart: (child) =>
          void (async () => {
            // Not before: each look reads the whole file.
            await sleep(1000 * LOWERED_SECONDS);
            await until(
              "a lower rate for a while",
              () => {
                const { changes = 0, lowered_s: seconds = 0 } = qualityIn(readUnfinishedProfile(file)).overhead ?? {};
                return changes > 0 && seconds > LOWERED_SECONDS;
              },
              270_000,
            );
          })().finally(() => child.kill("SIGINT")),
      },
    );
    const used = cpuSeconds(vm.pid) - before;
    assert.equal(run.code, 0, run.stderr);
    const profile = readProfile(file);
    const { quality } = JSON.parse(run.stdout);
    const { overhead } = quality;
    assert.ok(overhead.changes >= 1 && overhead.lowest_hz <= 997 / 2, JSON.stringify(overhead));
    assert.equal(overhead.max_pct, 0.2);
    assert.match(run.stderr, /, [\d.]+ of 997 Hz to cost at most 0.2 % of a core/);
    const shown = shownBy(profile);
    t.diagnostic(
      `${engine}: ${shown.cpuSeconds.toFixed(2)} s of CPU time shown by ${shown.samples} samples, ${used.toFixed(2)} s used, ${JSON.stringify(overhead)}`,
    );
    assert.equal(shown.samples, quality.samples, "the first value is what was sampled");
    // A timer never fires early, so no more can be shown than was used; with a wrong weight, twice as much at least would be.
    assert.ok(shown.cpuSeconds <= used * 1.1 + 0.5, `${shown.cpuSeconds} s shown, ${used} s used`);
    // Nor half of it but where others hold back the interrupts of this machine for whole periods.
    assert.ok(shown.cpuSeconds >= used * 0.4, `${shown.cpuSeconds} s shown, ${used} s used`);
    // The reader counts in samples of the requested rate.
    const top = JSON.parse((await runHelper(["top", file, "--json"])).stdout);
    const counted = shown.cpuSeconds * 997;
    assert.ok(Math.abs(top.samples - counted) <= 0.01 * counted, `${top.samples} of ${counted}`);
    assert.ok(top.samples > shown.samples, "more than was sampled");
  });
}

test("it is on without an end, off else, and can be switched off", async (t) => {
  const vm = await vmFor(t, NOW_AND_THEN);
  const folder = temporaryFolder(t);
  let number = 0;
  /** @param {(string | number)[]} args */
  const overheadOf = async (...args) => {
    const file = join(folder, `${(number += 1)}.pb.gz`);
    const run = await runHelper(["record", vm.pid, "-o", file, "--json", ...args], {
      onStart: (child) =>
        void until("samples", () => readUnfinishedProfile(file).samples.length > 0).finally(() => child.kill("SIGINT")),
    });
    assert.equal(run.code, 0, run.stderr);
    return JSON.parse(run.stdout).quality.overhead;
  };
  assert.equal((await overheadOf("-d", 0)).max_pct, 1);
  assert.equal((await overheadOf("-d", 100, "--max-overhead", "2.5%")).max_pct, 2.5);
  for (const args of [
    ["-d", 100],
    ["-d", 0, "--max-overhead", "off"],
    ["-d", 0, "--max-overhead", "0"],
  ]) {
    assert.equal(await overheadOf(...args), undefined, args.join(" "));
  }
  const { code, stderr } = await runHelper(["record", vm.pid, "--max-overhead", "much"]);
  assert.equal(code, 2);
  assert.match(stderr, /percentage of a core/);
});
