// The two engines: which one is used and why, and that the exact one is exact where a late read
// has its troubles: deep stacks, collections, dirty schedulers, short-lived processes, containers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import { releasesOf } from "../nightly.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertExact, qualityOf, recordUntil, sayRates } from "../e2e/enough.mjs";
import { runHelper, temporaryFolder } from "../e2e/helper.mjs";

const DEPTH = 10_000;
/** The known share that `bpf` must reach of samples in C code for a process. */
const LEAST_COMPLETE = 0.98;
/** Root, but without the rights for eBPF. */
const WITHOUT_BPF = ["setpriv", "--inh-caps=-all", "--bounding-set=-bpf,-perfmon,-sys_admin"];

for (const release of releasesOf(OTP_RELEASES, "27")) {
  test(`OTP ${release}: a built-in function below ${DEPTH} frames of recursion has them all`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_deep_bif", args: [DEPTH] });
    t.after(() => vm.kill());
    const file = join(temporaryFolder(t), "deep.pb.gz");
    const samplesOf = () =>
      readProfile(file).samples.filter(({ frames }) => frames.some(({ name }) => name === "erlang:phash2/1"));
    const quality = await recordUntil(
      vm.pid,
      { seconds: 1, hz: 499, file, engine: "bpf" },
      "200 samples in the function",
      (recorded) => recorded.quality,
      () => samplesOf().length > 200,
    );
    await vm.stop();
    assertExact(quality, { erlang: 0 });
    sayRates(t, quality, `OTP ${release}, ${DEPTH} frames`);
    const profile = readProfile(file);
    const count = countIndex(profile);
    let [inBif, whole] = [0, 0];
    for (const sample of profile.samples) {
      if (!sample.frames.some(({ name }) => name === "erlang:phash2/1")) continue;
      const value = sample.values[count] ?? 0;
      inBif += value;
      if (sample.frames.filter(({ name }) => name === "gt_deep_bif:descend/2").length === DEPTH + 1) whole += value;
      else assert.equal(sample.labels.trust, "unproven", "a stack that is not whole is marked");
    }
    t.diagnostic(`OTP ${release}: ${whole} of ${inBif} samples have all ${DEPTH + 1} frames`);
    // See assertExact: a sample with its capture has the whole stack.
    assert.ok(whole + quality.engine.unmatched + quality.lost >= LEAST_COMPLETE * inBif, `${whole} of ${inBif}`);
    assert.equal(quality.engine.cut, 0);
  });
}

for (const release of releasesOf(OTP_RELEASES, "29")) {
  test(`OTP ${release}: threads that a NIF starts are no schedulers, though they have their names`, async (t) => {
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_pool",
      emulatorFlags: ["+S", "1:1", "+SDcpu", "1:1"],
    });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const samplesOf = () =>
        readProfile(file).samples.map((sample) => ({ ...sample, names: sample.frames.map(({ name }) => name) }));
      const inPool = (/** @type {ReturnType<typeof samplesOf>[number]} */ { names }) =>
        names.some((name) => name.startsWith("pool_thread"));
      const samples = await recordUntil(
        vm.pid,
        { seconds: 1, hz: 499, file, engine },
        "samples of both threads and of both schedulers",
        samplesOf,
        (found) => {
          const threads = (/** @type {boolean} */ isPool) =>
            new Set(
              found
                .filter((sample) => inPool(sample) === isPool && sample.labels.class !== "other_thread")
                .map(({ labels }) => labels.scheduler),
            );
          const pool = new Set(found.filter(inPool).map(({ labels }) => labels.tid));
          return pool.size >= 2 && threads(false).has("1") && threads(false).has("dirty-cpu 1");
        },
      );
      for (const sample of samples.filter(inPool)) {
        const { labels, names } = sample;
        const said = `${engine}: ${JSON.stringify(labels)} ${names.join(", ")}`;
        assert.deepEqual(
          [labels.class, labels.trust, labels.scheduler, labels.pid, labels.process],
          ["other_thread", "no_process", undefined, undefined, undefined],
          said,
        );
        assert.match(String(labels.thread), /^(1_sched|1_dirty_cpu|erts_sched_1|erts_dcpus_1)/, said);
        assert.ok(!names.some((name) => name.startsWith("gt_pool:")), said);
      }
      // The schedulers whose names they have are still known, each by one thread.
      const tids = (/** @type {string} */ scheduler) =>
        new Set(samples.filter(({ labels }) => labels.scheduler === scheduler).map(({ labels }) => labels.tid)).size;
      assert.deepEqual([tids("1"), tids("dirty-cpu 1")], [1, 1]);
      assert.ok(
        samples.some(({ names }) => names.includes("gt_pool:counts/1")) &&
          samples.some(({ names }) => names.includes("gt_pool:calls/0")),
      );
    }
  });
}

test("without the right to eBPF the late reader is used, and it says why", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  const file = join(folder, "fallback.pb.gz");
  const quality = await qualityOf(vm.pid, { seconds: 1, file, wrapper: WITHOUT_BPF }, { all: 10 });
  assert.equal(quality.engine.name, "readv");
  assert.match(quality.engine.reason, /^bpf cannot be used: .*CAP_BPF/);
  const settings = readProfile(file).comments.find((comment) => comment.startsWith("extrospect/settings "));
  assert.match(settings ?? "", /"engine":"readv"/);
  const refused = await runHelper(["record", vm.pid, "-d", 1, "-o", join(folder, "refused.pb.gz"), "--engine", "bpf"], {
    wrapper: WITHOUT_BPF,
  });
  assert.equal(refused.code, 4, refused.stderr);
  assert.match(refused.stderr, /bpf engine cannot be used.*--engine readv/);
  const doctor = await runHelper(["doctor"], { wrapper: WITHOUT_BPF });
  assert.match(doctor.stdout, /exact stacks \(bpf\)[^\n]*readv is used/);
});
