// The two engines: which one is used and why, and that the exact one is exact where a late read
// has its troubles: deep stacks, collections, dirty schedulers, short-lived processes, containers.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { join } from "node:path";
import { releasesOf } from "../nightly.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { isOurs, NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact, qualityOf, recordUntil, sayRates } from "../e2e/enough.mjs";
import { WITHOUT_BPF } from "../e2e/fewer-rights.mjs";
import { helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";

const DEPTH = 10_000;
/** The known share that `bpf` must reach of samples in C code for a process. */
const LEAST_COMPLETE = 0.98;

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

for (const { module, what, daily } of /** @type {const} */ ([
  { module: "gt_gc", what: "collections", daily: "25" },
  { module: "gt_dirty", what: "dirty schedulers", daily: "29" },
  { module: "gt_spawn", what: "short-lived processes", daily: "27" },
  { module: "gt_msg", what: "messages", daily: "25" },
])) {
  for (const release of releasesOf(OTP_RELEASES, daily)) {
    test(`OTP ${release}: ${what} are captured, and what a late read cannot prove is shown beside it`, async (t) => {
      const vm = await runErl({ otp: await prepareOtp(release), module });
      t.after(() => vm.kill());
      const folder = temporaryFolder(t);
      /** @param {"bpf" | "readv"} engine */
      const recorded = (engine) =>
        qualityOf(vm.pid, { seconds: 1, hz: 997, file: join(folder, `${engine}.pb.gz`), engine }, { native: 100 });
      const exact = await recorded("bpf");
      const late = await recorded("readv");
      await vm.stop();
      for (const quality of [exact, late]) sayRates(t, quality, `OTP ${release}, ${what}`);
      assertExact(exact, { erlang: 0 });
      assert.equal(late.engine.name, "readv");
      assertCountsAddUp(late);
      const unproven = readProfile(join(folder, "readv.pb.gz")).samples.filter(
        ({ labels }) => labels.trust === "unproven",
      );
      assert.deepEqual(
        unproven.filter(({ labels }) => labels.pid !== undefined),
        [],
        "whose they are is not proven either",
      );
    });
  }
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

for (const release of releasesOf(OTP_RELEASES, "27")) {
  test(`OTP ${release}: a scheduler that spins until there is work differs from one that works, sleeps or polls`, async (t) => {
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_naps",
      emulatorFlags: ["+S", "2:2", "+sbwt", "very_long"],
    });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const splitOf = () => {
        const profile = readProfile(file);
        const ofSchedulers = profile.samples.filter(({ labels }) => ["1", "2"].includes(String(labels.scheduler)));
        const count = (/** @type {string} */ wanted) =>
          ofSchedulers
            .filter(({ labels }) => labels.class === wanted)
            .reduce((sum, { values }) => sum + (values[countIndex(profile)] ?? 0), 0);
        return {
          ofSchedulers,
          erlang: count("erlang"),
          busyWait: count("busy_wait"),
          scheduler: count("scheduler"),
          idle: count("idle"),
        };
      };
      const split = await recordUntil(
        vm.pid,
        { seconds: 1, hz: 997, file, engine },
        "some samples of waiting and of work",
        splitOf,
        ({ erlang, busyWait }) => erlang > 0 && busyWait >= 20,
      );
      const { ofSchedulers, busyWait, scheduler, idle } = split;
      t.diagnostic(`OTP ${release}, ${engine}: busy wait ${busyWait}, scheduler ${scheduler}, idle ${idle}`);
      for (const { labels, frames } of ofSchedulers.filter((sample) => sample.labels.class === "busy_wait")) {
        assert.deepEqual([labels.trust, labels.pid], ["no_process", undefined]);
        assert.ok(!frames.some(({ name }) => name === "gt_naps:naps/1"), frames.map(({ name }) => name).join(", "));
      }
      const top = await helperJson(["top", file, "-n", 0, "--only-erlang"]);
      const row = top.functions.find((/** @type {any} */ { function: name }) => name === "[busy wait]");
      assert.ok(row.self_pct > 0 && row.self_busy_pct === 0, JSON.stringify(row));
    }
  });
}

for (const release of releasesOf(ALL_OTP_RELEASES, "29")) {
  test(`OTP ${release}: dirty schedulers that spin differ from those that work, each by itself`, async (t) => {
    const emulatorFlags = [
      "+S",
      "3:3",
      "+SDcpu",
      "3:3",
      "+SDio",
      "2",
      "+sbwt",
      "none",
      "+sbwtdcpu",
      "very_long",
      "+sbwtdio",
      "very_long",
    ];
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_dirty_naps", args: [2], emulatorFlags });
    t.after(() => vm.kill());
    const { rows } = await helperJson(["doctor", vm.pid]);
    // Found by the VM alone, and where the layout has it.
    assert.equal(
      rows.find((/** @type {any} */ row) => row.check === "schedulers").found,
      "3 normal, 3 dirty CPU, 2 dirty I/O; each shows whether it waits",
    );
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const splitOf = () => {
        const samples = readProfile(file).samples.map(({ labels, frames }) => ({
          labels,
          names: frames.map(({ name }) => name),
        }));
        const dirty = samples.filter(({ labels }) => String(labels.scheduler).startsWith("dirty-"));
        return {
          dirty,
          works: dirty.filter(({ names }) => names.includes("spin_dirty_cpu")),
          spins: dirty.filter(({ labels }) => labels.class === "busy_wait"),
        };
      };
      const split = await recordUntil(
        vm.pid,
        { seconds: 1, hz: 997, file, engine },
        "samples of dirty schedulers that work and of some that spin",
        splitOf,
        ({ works, spins }) => works.length >= 2 && spins.length >= 2,
      );
      const counts = new Map();
      for (const { labels } of split.dirty)
        counts.set(`${labels.scheduler} ${labels.class}`, (counts.get(`${labels.scheduler} ${labels.class}`) ?? 0) + 1);
      t.diagnostic(`OTP ${release}, ${engine}: ${JSON.stringify([...counts])}`);
      for (const { labels, names } of split.dirty) {
        const said = `${engine}: ${JSON.stringify(labels)} ${names.join(", ")}`;
        const runs = names.some((name) => name === "spin_dirty_cpu" || name.startsWith("gt_nif:"));
        if (labels.class === "busy_wait")
          assert.deepEqual([labels.trust, labels.pid, runs], ["no_process", undefined, false], said);
        // Whether it waits was read at every sample, so that no name decides.
        assert.notEqual(labels.class, "idle", said);
        if (String(labels.scheduler).startsWith("dirty-io")) assert.ok(labels.pid === undefined && !runs, said);
      }
    }
  });
}

test("without the right to eBPF the late reader is used, with the reason", async (t) => {
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

test("a VM in a pid namespace of its own is captured from outside and from inside", async (t) => {
  const otp = await prepareOtp("25");
  const apart = {
    ...otp,
    wrap: (/** @type {[string, ...string[]]} */ program) =>
      /** @type {[string, ...string[]]} */ (["unshare", "--pid", "--fork", "--mount-proc", ...otp.wrap(program)]),
  };
  const vm = await runErl({ otp: apart, module: "gt_bif", args: ["exact"] });
  t.after(() => vm.kill());
  const insidePid = vm.pid;
  const outsidePid = pidOutside(insidePid);
  const folder = temporaryFolder(t);
  const outside = await qualityOf(
    outsidePid,
    { seconds: 1, hz: 997, file: join(folder, "outside.pb.gz"), engine: "bpf" },
    { native: 100 },
  );
  const inside = await qualityOf(
    insidePid,
    {
      seconds: 1,
      hz: 997,
      file: join(folder, "inside.pb.gz"),
      engine: "bpf",
      wrapper: ["nsenter", `--target=${outsidePid}`, "--pid", "--mount"],
    },
    { native: 100 },
  );
  for (const [where, quality] of Object.entries({ outside, inside })) {
    assertExact(quality, { erlang: 0 });
    sayRates(t, quality, `pid namespace, from ${where}`);
  }
});

/**
 * The id that a process of another pid namespace has here.
 * @param {number} inside
 */
function pidOutside(inside) {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const ids = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
      if (status.startsWith("Name:\tbeam.smp\n") && ids.length > 1 && Number(ids.at(-1)) === inside && isOurs(name))
        return Number(name);
    } catch {
      // it has ended since it was listed
    }
  }
  throw new assert.AssertionError({ message: `no VM is process ${inside} of a namespace` });
}
