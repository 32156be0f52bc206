// The time that schedulers had no processor: the calls in which they waited, with Erlang stacks, also while they last.
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder, untilIn } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

/** @typedef {import("../pprof-reader.mjs").Profile} Profile */
/** @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample */

/** The calls of gt_dozes, and their callers. */
const NAPS = /** @type {const} */ (["nap", "dirty_nap"]);
/** @param {string} nap */
const callerOf = (nap) => `gt_dozes:${nap}s/1`;
/** Naps of each that have to be blocks. */
const ENOUGH = 20;
const CPU = ["samples", "cpu"];
const OFF_CPU = ["off_cpu_blocks", "off_cpu"];

/** @param {Profile} profile @param {string} type @param {ProfileSample} sample */
const valueOf = (profile, type, { values }) => values[profile.sampleTypes.indexOf(type)] ?? 0;

/** The samples in a NIF that this function called. @param {Profile} profile @param {string} name */
const inCallOf = ({ samples }, name) =>
  samples.filter(
    ({ frames, labels }) =>
      labels["off_cpu"] === "blocked" &&
      frames.some(({ kind }) => kind === "nif") &&
      frames.some((frame) => frame.name === name),
  );

/** @param {Profile} profile @param {string} name */
const blocksIn = (profile, name) =>
  inCallOf(profile, name).reduce((sum, sample) => sum + valueOf(profile, "off_cpu_blocks", sample), 0);

/** @param {string} file @param {(profile: Profile) => boolean} isEnough */
const isInFile = (file, isEnough) =>
  existsSync(file) && statSync(file).size > 0 && isEnough(readUnfinishedProfile(file));

/** A nap of each is a block. @param {string} file */
const hasNaps = (file) => isInFile(file, (profile) => NAPS.every((name) => blocksIn(profile, callerOf(name)) > 0));

/**
 * Records until each process has napped often enough while it was seen to: the number of these naps, by name, is beside
 * what `record` printed.
 * @param {import("../vms/vm.mjs").RunningVm} vm @param {string} file @param {string} events
 */
async function recordNaps(vm, file, events) {
  /** @type {Record<string, number>} */
  const naps = {};
  // That of an earlier recording would seem to be enough before this one has begun.
  rmSync(file, { force: true });
  const args = ["record", vm.pid, "-d", 0, "--max-overhead", "off", "-o", file, "--engine", "bpf"];
  const recorded = await helperJson([...args, "--event", events], {
    onStart: (child) =>
      void (async () => {
        await untilIn(child, "a nap of each is a block", () => hasNaps(file));
        const before = await vm.report();
        await untilIn(child, `${ENOUGH} naps of each`, async () => {
          const now = await vm.report();
          for (const name of NAPS) naps[name] = now[name] - before[name];
          return NAPS.every((name) => (naps[name] ?? 0) >= ENOUGH);
        });
      })().finally(() => child.kill("SIGINT")),
  });
  return { ...recorded, naps };
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: each nap in a NIF is a block with its Erlang stack, on schedulers of both kinds`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_dozes" });
    t.after(() => vm.kill());
    vm.go();
    const file = join(temporaryFolder(t), "both.pb.gz");
    for (;;) {
      const { quality, naps } = await recordNaps(vm, file, "cpu,off-cpu");
      const profile = readProfile(file);
      assert.deepEqual(profile.sampleTypes, [...CPU, ...OFF_CPU]);
      for (const sample of profile.samples) {
        const types = [CPU, OFF_CPU].filter((columns) => columns.some((type) => valueOf(profile, type, sample) > 0));
        assert.ok(types.length <= 1, `of one type: ${JSON.stringify(sample)}`);
      }
      for (const name of NAPS) {
        for (const { labels } of inCallOf(profile, callerOf(name))) {
          assert.equal(labels["class"], "nif");
          assert.match(String(labels["scheduler"]), name === "nap" ? /^\d+$/ : /^dirty-io \d+$/);
          assert.ok(labels["pid"]);
        }
      }
      const idle = profile.samples.filter(({ labels }) => labels["class"] === "idle");
      assert.ok(idle.every(({ labels }) => labels["pid"] === undefined));
      assert.equal(quality.off_cpu.refused, undefined);
      assert.ok(quality.off_cpu.switches >= quality.off_cpu.blocks && quality.off_cpu.switches_per_s > 0);
      // Records without room in a ring, as while the helper is stopped, are unknown: another recording shows all. A sample
      // whose copy had none has no stack.
      const { dropped, unmatched } = quality.engine;
      if (quality.off_cpu.losses > 0 || dropped > 0 || unmatched > 0) continue;
      // Schedulers that had nothing to do.
      assert.ok(idle.some((sample) => valueOf(profile, "off_cpu", sample) > 0));
      for (const name of NAPS) {
        const blocks = blocksIn(profile, callerOf(name));
        assert.ok(blocks >= (naps[name] ?? Infinity), `${blocks} blocks of ${naps[name]} in ${name}`);
      }
      break;
    }
    const { type, functions } = await helperJson(["top", file, "-n", 0, "--type", "off-cpu"]);
    assert.equal(type.name, "off-cpu");
    const shown = functions.map((/** @type {any} */ row) => row.function);
    assert.deepEqual(
      NAPS.filter((name) => !shown.includes(callerOf(name))),
      [],
    );
  });
}

test("a call that has not ended is in the file, with the time so far, and its later parts count no more", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_asleep", emulatorFlags: ["+S", "4"] });
  t.after(() => vm.kill());
  const { sleeper } = await vm.report();
  const file = join(temporaryFolder(t), "asleep.pb.gz");
  const asleep = "gt_asleep:sleeper/0";
  /** Of several blocks, if something else stops the VM: it is switched out once more. @param {Profile} profile */
  const laterParts = (profile) =>
    inCallOf(profile, asleep).filter(
      (sample) => valueOf(profile, "off_cpu_blocks", sample) === 0 && valueOf(profile, "off_cpu", sample) > 0,
    );
  const args = ["record", vm.pid, "-d", 0, "-o", file, "--engine", "bpf", "--event", "off-cpu"];
  const { quality } = await helperJson(args, {
    onStart: (child) =>
      void (async () => {
        await untilIn(child, "it records", () => isInFile(file, () => true));
        vm.go();
        await untilIn(child, "the call has lasted for two increments", () =>
          isInFile(file, (profile) => laterParts(profile).length > 0),
        );
      })().finally(() => child.kill("SIGINT")),
  });
  const profile = readProfile(file);
  assert.deepEqual(profile.sampleTypes, OFF_CPU);
  const rows = inCallOf(profile, asleep);
  assert.deepEqual([...new Set(rows.map(({ labels }) => labels["pid"]))], [sleeper]);
  assert.ok(laterParts(profile).length > 0);
  assert.ok(blocksIn(profile, asleep) >= 1);
  assert.ok(quality.off_cpu.in_progress >= 1);
  assert.equal(quality.samples, 0);
  const run = await runHelper(["top", file]);
  assert.match(run.stdout, /^quality: no processor time sampled; /m);
  assert.match(run.stdout, /^off-cpu: \d+ blocks? \(\d+ whole\), .* switches a second/m);
});

test("blocks that are shorter than --min-block are in no stack, and are counted with their time", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_dozes" });
  t.after(() => vm.kill());
  vm.go();
  const file = join(temporaryFolder(t), "long.pb.gz");
  const args = ["record", vm.pid, "-d", 0, "-o", file, "--engine", "bpf", "--event", "off-cpu", "--min-block", "60s"];
  for (;;) {
    rmSync(file, { force: true });
    const { quality } = await helperJson(args, {
      onStart: (child) =>
        void (async () => {
          await untilIn(child, "it records", () => isInFile(file, () => true));
          const before = await vm.report();
          await untilIn(child, `${ENOUGH} naps of each`, async () => {
            const now = await vm.report();
            return NAPS.every((name) => now[name] - before[name] >= ENOUGH);
          });
        })().finally(() => child.kill("SIGINT")),
    });
    const { losses, min_block_us, short_blocks, short_ms, blocks } = quality.off_cpu;
    // What lost records leave unknown may be all of it.
    if (losses > 0) continue;
    assert.equal(min_block_us, 60_000_000);
    assert.ok(short_blocks >= NAPS.length * ENOUGH && short_blocks <= blocks, `${short_blocks} of ${blocks}`);
    assert.ok(short_ms > 0);
    const profile = readProfile(file);
    for (const name of NAPS) assert.deepEqual(inCallOf(profile, callerOf(name)), []);
    break;
  }
});

test("what cannot record it is said, and processor time is recorded all the same", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_dozes" });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  const readv = join(folder, "readv.pb.gz");
  const args = ["record", vm.pid, "-d", 1, "--engine"];
  const { quality } = await helperJson([...args, "readv", "-o", readv, "--event", "cpu,off-cpu"]);
  assert.match(quality.off_cpu.refused, /^engine readv cannot record it/);
  assert.deepEqual(readProfile(readv).sampleTypes, CPU);
  const alone = await runHelper([...args, "readv", "-o", join(folder, "none.pb.gz"), "--event", "off-cpu"]);
  assertRefused(alone, 1);
  assert.match(alone.stderr, /off-cpu cannot be recorded: engine readv cannot record it/);

  const { type } = await helperJson(["top", vm.pid, "-d", 1, "--type", "off-cpu"]);
  assert.equal(type.name, "off-cpu");

  // It is not requested.
  const usual = join(folder, "usual.pb.gz");
  const { quality: ofTime } = await helperJson([...args, "auto", "-o", usual]);
  assert.equal(ofTime.off_cpu, undefined);
  assert.deepEqual(readProfile(usual).sampleTypes, CPU);
});

/** A VM that naps, a folder, and how a helper is run whose state is in it. @param {import("node:test").TestContext} t */
async function napping(t) {
  const folder = temporaryFolder(t);
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_dozes" });
  t.after(() => vm.kill());
  vm.go();
  /** @param {string} name */
  const detachedFile = (name) => join(folder, "extrospect/detached", name, "capture.pb.gz");
  return { folder, vm, wrapper: ["env", `XDG_STATE_HOME=${folder}`], detachedFile };
}

test("in the background it is recorded as in the foreground", async (t) => {
  const { vm, wrapper, detachedFile } = await napping(t);
  t.after(() => runHelper(["detached", "stop", "naps"], { wrapper }));
  const args = ["record", vm.pid, "--detach", "naps", "--engine", "bpf", "--event", "off-cpu"];
  const { state } = await helperJson(args, { wrapper });
  assert.equal(state, "recording");
  const file = detachedFile("naps");
  await until("a nap of each is a block", () => hasNaps(file));
  const { facts } = await helperJson(["detached", "stop", "naps"], { wrapper });
  assert.equal(facts.end, "stopped");
  assert.deepEqual(readProfile(file).sampleTypes, OFF_CPU);
  const { quality } = await helperJson(["top", file]);
  // Blocks are no samples.
  assert.deepEqual([facts.samples, facts.blocks], [null, quality.off_cpu.blocks]);
});

test("the files of a condition have it", async (t) => {
  const { folder, vm } = await napping(t);
  const output = join(folder, "naps.pb.gz");
  const args = ["record", vm.pid, "--when", "processes>0", "--before", "1s", "--after", "1h", "-o", output];
  const written = () => readdirSync(folder).filter((name) => name.startsWith("naps.00001"));
  const { files, quality } = await helperJson([...args, "--engine", "bpf", "--event", "cpu,off-cpu"], {
    onStart: (child) =>
      void untilIn(child, "a nap of each is a block", () =>
        written().some((name) => hasNaps(join(folder, name))),
      ).finally(() => child.kill("SIGINT")),
  });
  assert.equal(files.length, 1);
  assert.deepEqual(readProfile(files[0].file).sampleTypes, [...CPU, ...OFF_CPU]);
  assert.ok(hasNaps(files[0].file));
  assert.ok(quality.off_cpu.blocks > 0);
});

test("editors choose the types of samples, and receive those that there are for others", async (t) => {
  const { folder, vm, detachedFile } = await napping(t);
  const client = new RpcClient({ XDG_STATE_HOME: folder });
  t.after(() => client.kill());
  const { capabilities } = await client.initialize();
  assert.deepEqual(capabilities.experimental.sampleTypes, ["cpu", "off-cpu", "faults"]);
  const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
  const how = { frequencyHz: 99, durationSeconds: 0, engine: "bpf", types: ["cpu", "off-cpu"] };

  const file = join(folder, "live.pb.gz");
  const { captureId } = await client.request("extrospect/capture/start", { attachmentId, file, ...how });
  await until("a nap of each is a block", () => hasNaps(file));
  const { quality } = await client.request("extrospect/capture/stop", { captureId });
  assert.ok(quality.off_cpu.blocks > 0);
  assert.deepEqual(readProfile(file).sampleTypes, [...CPU, ...OFF_CPU]);

  const detached = { name: "both", pid: vm.pid, nodeEveryMs: 200, ...how };
  await client.request("extrospect/detached/start", detached);
  await until("a nap of each is a block", () => hasNaps(detachedFile("both")));
  await client.request("extrospect/detached/stop", { name: "both" });
  assert.deepEqual(readProfile(detachedFile("both")).sampleTypes, [...CPU, ...OFF_CPU]);

  for (const [method, params] of /** @type {const} */ ([
    ["extrospect/capture/start", { attachmentId }],
    ["extrospect/detached/start", { name: "none", pid: vm.pid }],
  ])) {
    const refused = await client.refused(method, { ...params, ...how, types: ["cpu", "alloc"] });
    assert.equal(refused.data?.why, "types must be of cpu, off-cpu, faults, not alloc");
  }
});

test("the files of a capture without an end have both types, which add up to the whole", async (t) => {
  const { folder, vm } = await napping(t);
  const files = () => readdirSync(folder).filter((name) => name.startsWith("naps.0"));
  /** @param {string} name */
  const isLater = (name) => Number(/^naps\.(\d{5})-/.exec(name)?.[1]) >= 3;
  const keep = ["--keep", "10s", "--max-overhead", "off", "-o", join(folder, "naps.pb.gz")];
  const args = ["record", vm.pid, "-d", 0, ...keep, "--engine", "bpf", "--event", "cpu,off-cpu"];
  for (;;) {
    for (const name of files()) rmSync(join(folder, name));
    const { kept, quality } = await helperJson(args, {
      onStart: (child) =>
        void untilIn(child, "a nap of each is a block in a later file", () =>
          files().some((name) => isLater(name) && hasNaps(join(folder, name))),
        ).finally(() => child.kill("SIGINT")),
    });
    let [samples, blocks] = [kept.removed_samples, kept.removed_blocks];
    for (const row of kept.files) {
      const profile = readProfile(row.file);
      assert.deepEqual(profile.sampleTypes, [...CPU, ...OFF_CPU]);
      const sum = (/** @type {string} */ type, /** @type {ProfileSample[]} */ rows) =>
        rows.reduce((all, sample) => all + valueOf(profile, type, sample), 0);
      assert.equal(sum("samples", profile.samples), row.samples, row.file);
      const work = profile.samples.filter(({ labels }) => labels["off_cpu"] !== undefined);
      // What lost records leave unknown is counted, and may be in no stack.
      if (quality.off_cpu.losses === 0) assert.equal(sum("off_cpu_blocks", work), row.blocks, row.file);
      [samples, blocks] = [samples + row.samples, blocks + row.blocks];
    }
    assert.equal(samples, quality.samples);
    assert.equal(blocks, quality.off_cpu.blocks);
    if (quality.off_cpu.losses === 0) break;
  }
});

test("events that there are not, and options that do not know them, are wrong usage", async () => {
  const unknown = await runHelper(["record", process.pid, "--event", "nope"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /cpu, off-cpu, faults/);
  for (const [time, ...events] of [["5"], ["1ms"], ["2min", "--event", "off-cpu"]]) {
    const run = await runHelper(["record", process.pid, "--min-block", String(time), ...events]);
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, /--min-block|100us or 2ms/);
  }
  const work = await runHelper(["record", process.pid, "--event", "off-cpu", "--work-command", "true"]);
  assertRefused(work, 2);
  assert.match(work.stderr, /--event without cpu cannot be combined with counted work/);
});
