// A capture of a VM of each release by each engine: no wrong frame, nothing left out, every name; and its quality line.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkerOf } from "../accuracy/legality.mjs";
import { SPLITS } from "../accuracy/workloads.mjs";
import { releasesOf } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact, assertNamed, recordEnough, recordWork, samplesIn } from "./enough.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** The calls that a stack of the program may show. */
const RULES = SPLITS.find(({ module }) => module === "gt_erlang")?.rules ?? assert.fail("no rules");
const OWN = ["gt_erlang:half/2", "gt_erlang:three_tenths/4", "gt_erlang:two_tenths/3"];

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: by both engines every frame is right, named and of a line, and all samples are counted`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), ...NOW_AND_THEN });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const isOwn = (
        /** @type {import("../pprof-reader.mjs").ProfileSample} */ { frames },
        /** @type {string} */ name,
      ) => frames.some((frame) => frame.name === name);
      const { quality } = await recordEnough(vm.pid, { hz: 997, file, engine }, "samples of each function", (profile) =>
        OWN.every((name) => samplesIn(profile, (sample) => isOwn(sample, name)) >= 10),
      );
      assert.equal(quality.engine.name, engine);
      assertCountsAddUp(quality);
      assertNamed(quality);
      if (engine === "bpf") assertExact(quality);
      const profile = readProfile(file);
      assert.equal(samplesIn(profile), quality.samples, "each sample is in the file");
      const checker = checkerOf(RULES);
      const judged = profile.samples.map((sample) => checker.check(sample));
      assert.deepEqual([...new Set(judged.map(({ wrong }) => wrong))], [null]);
      assert.ok(judged.filter(({ relevant }) => relevant).length > 10);
      for (const { frames } of profile.samples)
        for (const { name, file: source, line } of frames.filter(({ name }) => OWN.includes(name)))
          assert.ok(/gt_erlang\.erl$/.test(source) && line > 0, `${name} ${source}:${line}`);
      const { functions, samples } = await helperJson(["top", file, "-n", 0]);
      assert.equal(samples, quality.samples);
      const names = functions.map((/** @type {any} */ row) => row.function);
      assert.deepEqual(
        OWN.filter((name) => !names.includes(name)),
        [],
      );
    }
    const text = await runHelper(["top", join(folder, "bpf.pb.gz")]);
    assert.match(text.stdout, /^quality: \d+ samples of [\w-]+, \d+ lost/m);
  });
}

/** @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample */
/** The calls of gt_driver: the C function of its driver, and its caller; the BIF outside of that has two. */
const PORT_CALLS = [
  { called: "on_output", callers: ["gt_driver:commands/1"] },
  { called: "on_control", callers: ["gt_driver:controls/1"] },
  { called: "erts_internal:port_control/3", callers: ["gt_driver:controls/1", "gt_driver:options/2"] },
];
/** The port that works by itself. */
const TASK = "[port gt_driver of gt_driver_owner]";
const isNamedTask = (/** @type {ProfileSample} */ sample) =>
  shows(sample, "on_timeout") && sample.frames.at(-1)?.name === TASK;
const isOfDriver = (/** @type {ProfileSample} */ sample) => shows(sample, "on_output") || shows(sample, "on_control");
const shows = (/** @type {ProfileSample} */ { frames }, /** @type {string} */ name) =>
  frames.some((frame) => frame.name === name);
const callOf = (/** @type {ProfileSample} */ sample) => PORT_CALLS.find(({ called }) => shows(sample, called));

for (const release of releasesOf(ALL_OTP_RELEASES, "25")) {
  test(`OTP ${release}: a process that runs the code of a driver keeps its stack`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_driver", args: ["resting"] });
    t.after(() => vm.kill());
    const { caller } = await vm.report();
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const { quality } = await recordEnough(
        vm.pid,
        { hz: 997, file, engine },
        "calls of each kind, and named tasks",
        (profile) =>
          samplesIn(profile, isNamedTask) > 0 &&
          PORT_CALLS.every(({ called, callers: [caller = ""] }) =>
            profile.samples.some((sample) => shows(sample, called) && shows(sample, caller)),
          ) &&
          ["on_timeout", ...PORT_CALLS.map(({ called }) => called)].every(
            (name) => samplesIn(profile, (sample) => shows(sample, name)) >= 10,
          ),
      );
      assertCountsAddUp(quality);
      if (engine === "bpf") assertExact(quality);
      const { samples } = readProfile(file);
      const calls = samples.flatMap((sample) => ({ sample, call: callOf(sample) })).filter(({ call }) => call);
      for (const { sample, call } of calls) {
        const { trust, pid } = sample.labels;
        const shown = sample.frames.map(({ name }) => name).join(" < ");
        assert.notEqual(trust, "no_process", shown);
        // By the late reader the process may have moved on.
        if (trust !== "captured" && trust !== "validated") continue;
        const isCalled = call?.callers.some((name) => shows(sample, name));
        assert.deepEqual([pid, isCalled], [caller, true], shown);
      }
      assert.ok(calls.some(({ sample }) => sample.labels.trust !== "unproven"));
      const computes = samples.filter((sample) => sample.frames[0]?.name.startsWith("driver_steps"));
      assert.deepEqual([...new Set(computes.map(({ labels }) => labels.class))], ["port"]);
      const tasks = samples.filter((sample) => shows(sample, "on_timeout"));
      assert.deepEqual([...new Set(tasks.map(({ labels }) => labels.trust))], ["no_process"]);
      // When the late reader looks, another port may run: then the sample has none.
      const roots = [...new Set(tasks.map(({ frames }) => frames.at(-1)?.name ?? ""))];
      assert.deepEqual(
        roots.filter((name) => name.startsWith("[port")),
        [TASK],
      );
      const unnamed = tasks.filter((sample) => !isNamedTask(sample)).length;
      if (engine === "bpf") assert.ok(unnamed <= quality.engine.unmatched, `${unnamed} tasks without their port`);
      for (const native of ["port", "port:gt_driver"]) {
        const { callers, samples: all } = await helperJson(["blame", native, file, "--callers"]);
        const causes = JSON.stringify(callers);
        assert.ok(all >= samplesIn({ ...readProfile(file), samples: calls.map(({ sample }) => sample) }, isOfDriver));
        for (const name of ["gt_driver:commands/1", "gt_driver:controls/1", TASK])
          assert.ok(causes.includes(`"function":"${name}"`), `${native}: ${name}`);
      }
    }
  });
}

/** By the late reader the process may have moved on. @param {ProfileSample} sample */
const isProven = ({ labels }) => ["captured", "validated"].includes(String(labels.trust));
/**
 * The C functions of a native function that ends early and is continued by the VM, on the same kind of scheduler and then on
 * a dirty one; and all that is below each of them.
 */
const PARTS = ["first_part", "second_part", "dirty_part"];
const BELOW_PARTS = ["gt_nif:calls_in_parts/2", "gt_nif:works_in_parts/0"];

for (const release of releasesOf(ALL_OTP_RELEASES, "27")) {
  test(`OTP ${release}: a native function that the VM continues in others, a dirty one among them, keeps its stack in each`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_nif", args: ["parts", "resting"] });
    t.after(() => vm.kill());
    const { caller } = await vm.report();
    const folder = temporaryFolder(t);
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const { quality } = await recordEnough(vm.pid, { hz: 997, file, engine }, "samples of each part", (profile) =>
        PARTS.every(
          (part) =>
            samplesIn(profile, (sample) => shows(sample, part)) >= 20 &&
            profile.samples.some((sample) => shows(sample, part) && isProven(sample)),
        ),
      );
      assertCountsAddUp(quality);
      if (engine === "bpf") assertExact(quality);
      const { samples } = readProfile(file);
      for (const part of PARTS) {
        const ofPart = samples.filter((sample) => shows(sample, part));
        for (const { labels } of ofPart) assert.notEqual(labels.trust, "no_process");
        for (const { frames, labels } of ofPart.filter(isProven)) {
          const below = frames.filter(({ kind }) => kind === "erlang" || kind === "marker").map(({ name }) => name);
          assert.deepEqual([labels.pid, ...below], [caller, ...BELOW_PARTS], `${engine}, ${part}`);
        }
      }
      // None stands below another: the one before has returned.
      assert.deepEqual(
        samples.filter((sample) => PARTS.filter((part) => shows(sample, part)).length > 1),
        [],
      );
    }
  });
}

/** The functions of gt_built_ins, and the only built-in function that each calls. */
const BUILT_INS = new Map([
  ["gt_built_ins:run/1", "re:run/2"],
  ["gt_built_ins:match_object/1", "ets:match_object/2"],
  ["gt_built_ins:matches/1", "binary:matches/2"],
  ["gt_built_ins:append/1", "erlang:'++'/2"],
  ["gt_built_ins:subtract/1", "erlang:'--'/2"],
  ["gt_built_ins:keyfind/1", "lists:keyfind/3"],
  ["gt_built_ins:applied/1", "lists:keyfind/3"],
]);
/** Those that are interrupted and continue: of others, an interpreter does not show what no C frame shows. */
const INTERRUPTED = ["gt_built_ins:run/1", "gt_built_ins:match_object/1"];
/** The built-in functions above one of these functions: the called one first, then those that continue it. @param {ProfileSample} sample @param {string} name */
function builtInsAbove({ frames }, name) {
  const caller = frames.findIndex(({ kind }) => kind === "erlang");
  if (frames[caller]?.name !== name) return [];
  const called = frames.slice(0, caller).filter(({ kind }) => kind === "bif");
  return called.map((frame) => frame.name).toReversed();
}
/** The innermost and the outermost Erlang function of a sample, and the marks below. @param {ProfileSample} sample */
function endsOf({ frames }) {
  const stack = frames.slice(frames.findIndex(({ kind }) => kind === "erlang"));
  const names = stack.filter(({ kind }) => kind === "erlang").map(({ name }) => name);
  return [names[0], names.at(-1), ...stack.filter(({ kind }) => kind === "marker").map(({ name }) => name)];
}

for (const release of releasesOf(ALL_OTP_RELEASES, "29")) {
  test(`OTP ${release}: a built-in function has its name where no C frame shows it`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_built_ins", args: ["resting"] });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    const callers = release === "23" ? INTERRUPTED : [...BUILT_INS.keys()];
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(folder, `${engine}.pb.gz`);
      const hasName = (/** @type {string} */ name) => (/** @type {ProfileSample} */ sample) =>
        builtInsAbove(sample, name)[0] === BUILT_INS.get(name);
      const isInterrupted = (/** @type {string} */ name) => (/** @type {ProfileSample} */ sample) =>
        isProven(sample) && builtInsAbove(sample, name).length > 0;
      await recordEnough(
        vm.pid,
        { hz: 997, file, engine },
        "named calls of each, and proven ones of those that are interrupted",
        (profile) =>
          callers.every((name) => samplesIn(profile, hasName(name)) >= 5) &&
          INTERRUPTED.every((name) => profile.samples.some(isInterrupted(name))),
      );
      const { samples } = readProfile(file);
      // Most of their time is after the first interruption: the whole stack of the caller is there then, too.
      for (const name of INTERRUPTED)
        for (const sample of samples.filter(isInterrupted(name)))
          assert.deepEqual(endsOf(sample), [name, "gt_built_ins:forever/2"], `${engine}, ${name}`);
      for (const [name, builtIn] of BUILT_INS) {
        const called = samples.map((sample) => builtInsAbove(sample, name)).flat();
        const others = called.filter((other) => other !== builtIn && !/_trap\b/.test(other));
        assert.deepEqual([...new Set(others)], [], name);
      }
      for (const name of callers) {
        const blamed = JSON.stringify(await helperJson(["blame", String(BUILT_INS.get(name)), file, "--callers"]));
        assert.ok(blamed.includes(`"function":"${name}"`), `${name} in ${blamed}`);
      }
    }
  });
}

test("the capture states the processor time of threads that end before their first sample", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_brief_threads", args: ["resting"] });
  t.after(() => vm.kill());
  const file = join(temporaryFolder(t), "brief.pb.gz");
  // A sample is due after 53 ms of a thread's processor time; each of these threads has 3 ms.
  await recordWork(vm.pid, 2, ["-F", 19, "-o", file]);
  const text = await runHelper(["top", file]);
  assert.match(text.stdout, /^quality: .*; samples account for at most \d\d? % of the VM's processor time/m);
  assert.equal(text.stdout.split("samples account for").length, 2, "once");
  // Formats without a quality line, or whose readers show none.
  for (const format of ["folded", "speedscope", "firefox", "pprof", "otlp"]) {
    const { stderr } = await runHelper(["export", file, "--format", format]);
    assert.match(stderr, /^extrospect: samples account for at most \d\d? % of the VM's processor time$/m, format);
  }
  const { quality } = await helperJson(["top", file]);
  assertCountsAddUp(quality);
  const { cpu_ns: used, missing_ns: missing } = quality.process_time;
  assert.ok(missing > 0 && missing < used, JSON.stringify(quality.process_time));
});

test("OTP 23: doctor names the interpreter, and pstack shows its functions", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("23"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  assert.match(JSON.stringify(await helperJson(["doctor", vm.pid])), /OTP 23, ERTS [0-9.]+, emu/);
  // At some moments no scheduler runs a process.
  await until("a stack of the program", async () =>
    JSON.stringify(await helperJson(["pstack", vm.pid])).includes("gt_slices:process/3"),
  );
});

test("top and blame of a VM, and the map of its code for perf", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_gc", args: ["resting"] });
  t.after(() => vm.kill());
  const seen = await until("a collection", async () => {
    const run = await runHelper(["blame", "gc", vm.pid, "-d", 1, "-F", 997, "--json"]);
    assert.equal(run.code, 0, run.stderr);
    return JSON.parse(run.stdout);
  });
  assert.equal(
    seen.callers.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.samples, 0),
    seen.samples,
  );
  await until("functions of the program", async () => {
    const { functions } = await helperJson(["top", vm.pid, "-d", 1, "-F", 997, "-n", 0]);
    return functions.some((/** @type {any} */ row) => row.function.startsWith("gt_gc:"));
  });
  const map = (await runHelper(["export", vm.pid, "--format", "perf-map"])).stdout.trim().split("\n");
  assert.ok(map.length > 5_000, `${map.length} functions`);
  for (const line of map) assert.match(line, /^[0-9a-f]+ [0-9a-f]+ \S/);
  assert.ok(map.some((line) => /gt_gc:while_holding\/2/.test(line)));
});
