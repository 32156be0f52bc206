// Faults around a capture: docs/reliability.md lists each with its loss and the way it was seen.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { removeLeftGroups } from "../left-groups.mjs";
import { isNightly } from "../nightly.mjs";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { namedAlone, NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, processorSeconds } from "./enough.mjs";
import { assertRefused, helperJson, record, runHelper, sleep, temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("25");
});

/** @param {import("node:test").TestContext} t @param {Partial<Parameters<typeof runErl>[0]>} [more] */
async function vmFor(t, more = {}) {
  const vm = await runErl({
    otp,
    module: "gt_erlang",
    args: more.module === undefined || more.module === "gt_erlang" ? NOW_AND_THEN.args : [],
    ...more,
  });
  t.after(() => vm.kill());
  return vm;
}

/** Samples of a file that is being written. @param {string} file */
const samplesSoFar = (file) => readUnfinishedProfile(file).samples.length;
/** @param {number | undefined} pid */
const stateOf = (pid) => /^State:\s+(\S)/m.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1];
const STOPPED_MS = 4_000;

/** Times of the samples, milliseconds after the start. @param {string} file */
const timesIn = (file) => readProfile(file).samples.map(({ labels }) => Number(labels["bucket_ms"]));

for (const engine of ["bpf", "readv"]) {
  test(`${engine}: record stopped and continued: the capture goes on, times are true, what did not fit is counted`, async (t) => {
    const vm = await vmFor(t);
    const file = join(temporaryFolder(t), "capture.pb.gz");
    let samplesThen = 0;
    const run = await runHelper(["record", vm.pid, "-d", 0, "-F", 499, "-o", file, "--engine", engine, "--json"], {
      onStart: (child) =>
        void (async () => {
          await until("samples", () => samplesSoFar(file) > 0);
          child.kill("SIGSTOP");
          await until("it is stopped", () => stateOf(child.pid) === "T");
          await sleep(STOPPED_MS);
          samplesThen = samplesSoFar(file);
          child.kill("SIGCONT");
          await until("more samples", () => samplesSoFar(file) > samplesThen + 50);
        })().finally(() => child.kill("SIGINT")),
    });
    assert.equal(run.code, 0, run.stderr);
    const { quality, duration_s: seconds } = JSON.parse(run.stdout);
    assertCountsAddUp(quality);
    assert.ok(seconds > STOPPED_MS / 1000, "the time it was stopped is a part of the capture");
    const last = Math.max(...timesIn(file));
    assert.ok(last / 1000 <= seconds + 0.1, `a sample at ${last} ms of ${seconds} s`);
    assert.notEqual(stateOf(vm.pid), "T", "the VM was never stopped");
    await vm.report();
    t.diagnostic(
      `record ${engine} stopped for ${STOPPED_MS} ms: ${JSON.stringify({ samples: quality.samples, lost: quality.lost, dropped: quality.engine.dropped, unmatched: quality.engine.unmatched })}`,
    );
  });
}

test("serve stopped and continued: the editor's capture goes on", async (t) => {
  const vm = await vmFor(t);
  const client = new RpcClient();
  t.after(() => client.kill());
  await client.initialize();
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
  const { captureId } = await client.request("extrospect/capture/start", {
    attachmentId,
    frequencyHz: 499,
    durationSeconds: 0,
    file,
  });
  const told = () => client.notifications.filter(({ method }) => method === "extrospect/capture/increment").length;
  await client.notified("extrospect/capture/increment", 2);
  client.child.kill("SIGSTOP");
  await until("it is stopped", () => stateOf(client.child.pid) === "T");
  await sleep(STOPPED_MS);
  const before = told();
  client.child.kill("SIGCONT");
  await client.notified("extrospect/capture/increment", before + 2);
  const { quality } = await client.request("extrospect/capture/stop", { captureId });
  assertCountsAddUp(quality);
  assert.ok(readProfile(file).samples.length > 0);
  await client.shutdown();
});

test("a VM that restarts under its name is another one: the capture ends and reports it", async (t) => {
  const name = `again_${process.pid}`;
  const first = await vmFor(t, { emulatorFlags: namedAlone(name) });
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const running = runHelper(["record", first.pid, "-d", 0, "-o", file]);
  await until("samples", () => samplesSoFar(file) > 0, 100_000);
  first.kill();
  await first.ended;
  const second = await vmFor(t, { emulatorFlags: namedAlone(name) });
  const run = await running;
  assertRefused(run, 5);
  assert.match(run.stderr, new RegExp(`process ${first.pid} has ended`));
  assert.ok(readProfile(file).comments.every((comment) => !comment.includes(`"pid":${second.pid},`)));
  assert.ok((await record(second.pid, { seconds: 1, file: `${file}.2` })).quality.samples >= 0);
});

test("a VM becomes another program: the capture ends and reports it, and that program is not sampled", async (t) => {
  const vm = await vmFor(t, { module: "gt_exec" });
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const running = runHelper(["record", vm.pid, "-d", 0, "-o", file]);
  await until("samples", () => samplesSoFar(file) > 0, 100_000);
  vm.report().catch(() => {}); // it never answers
  await until("another program", () => readFileSync(`/proc/${vm.pid}/comm`, "utf8").trim() === "sleep");
  assertRefused(await running, 5);
  assert.match((await running).stderr, /runs another program now/);
  assert.ok(existsSync(`/proc/${vm.pid}`), "the process is still there");
  const threads = readProfile(file).samples.map(({ labels }) => String(labels["thread"] ?? ""));
  assert.ok(!threads.includes("sleep"));
  assertRefused(await runHelper(["record", vm.pid, "-d", 1]), 3);
});

/** Events of the kernel that the sampler of a helper has. @param {number | undefined} helper */
function eventsOf(helper) {
  const children = readFileSync(`/proc/${String(helper)}/task/${String(helper)}/children`, "utf8")
    .split(" ")
    .filter(Boolean);
  const descriptors = children.flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`));
  return descriptors.filter((path) => existsSync(path) && readlinkSync(path) === "anon_inode:[perf_event]").length;
}

for (const words of [["top"], ["top", "--json"], ["blame", "gc"], ["export", "--format", "folded"]]) {
  test(`${words.join(" ")} of a VM that ends at that time: the samples so far are shown, and the exit code is that of an ended VM`, async (t) => {
    const vm = await vmFor(t);
    const run = await runHelper([...words, vm.pid, "-d", 600], {
      onStart: (child) =>
        void (async () => {
          await until("events", () => eventsOf(child.pid) > 0);
          const before = processorSeconds(vm.pid);
          await until("it works", () => processorSeconds(vm.pid) > before + 0.4);
        })().finally(() => vm.kill()),
    });
    assert.equal(run.code, 5, run.stderr);
    assert.match(run.stderr, new RegExp(`process ${vm.pid} has ended`));
    if (words[0] !== "blame") assert.ok(run.stdout.includes("gt_erlang"), run.stdout);
  });
}

/** Commands that attach, and their arguments behind the process. */
const ATTACHING = [
  ["ps"],
  ["memory"],
  ["node"],
  ["binaries"],
  ["pstack"],
  ["heap", "<0.0.0>"],
  ["waits", "-d", 1],
  ["growth", "-d", 1],
  ["stat", "-d", 1],
  ["events"],
  ["top", "-d", 1],
];

test("VMs that end while they are attached to have ended, and nothing else is wrong with them", async (t) => {
  for (let number = 0; number < 6; number += 1) {
    const vm = await vmFor(t);
    const runs = ATTACHING.map(([command = "", ...more]) => runHelper([command, vm.pid, ...more]));
    await sleep(10 + 30 * number);
    vm.kill();
    for (const run of await Promise.all(runs)) {
      // Before it began, during it, or when it was done.
      assert.ok(run.code === 0 || run.code === 3 || run.code === 5, run.stderr);
      if (run.code !== 0)
        assert.match(run.stderr, run.code === 3 ? /there is no process/ : new RegExp(`process ${vm.pid} has ended`));
    }
  }
});

test("ten helpers on one VM at once: each has its capture", async (t) => {
  const vm = await vmFor(t);
  const folder = temporaryFolder(t);
  const each = Array.from({ length: 10 }, (_, number) =>
    record(vm.pid, {
      seconds: 3,
      hz: 99,
      file: join(folder, `${number}.pb.gz`),
      engine: number % 2 === 0 ? "bpf" : "readv",
    }),
  );
  for (const { quality, file, ended } of await Promise.all(each)) {
    assert.equal(ended, "duration");
    assertCountsAddUp(quality);
    assert.deepEqual(quality.gaps.threads, 0, JSON.stringify(quality.gaps));
    assert.ok(readProfile(file).samples.length > 0);
  }
  await vm.report();
});

test("64 schedulers and 64 dirty ones: all threads are sampled", async (t) => {
  const flags = ["+S", "64:64", "+SDcpu", "64:64"];
  for (const module of ["gt_erlang", "gt_dirty"]) {
    const vm = await vmFor(t, { module, emulatorFlags: flags });
    const names = readdirSync(`/proc/${vm.pid}/task`).map((id) =>
      readFileSync(`/proc/${vm.pid}/task/${id}/comm`, "utf8").trim(),
    );
    assert.ok(names.filter((name) => /^\d+_(scheduler|dirty_cpu)/.test(name)).length === 128, names.join());
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const { quality } = await record(vm.pid, { seconds: 2, file });
    assertCountsAddUp(quality);
    assert.equal(quality.gaps.threads, 0, JSON.stringify(quality.gaps));
    assert.ok(quality.samples > 0);
    t.diagnostic(
      `64 + 64 schedulers, ${module}: ${JSON.stringify({ samples: quality.samples, lost: quality.lost, self_cpu_pct: quality.self_cpu_pct })}`,
    );
    await vm.stop();
  }
});

test("100,000 processes: attaching succeeds, and memory does not grow with their number", async (t) => {
  const vm = await vmFor(t, { module: "gt_crowd", args: [100_000] });
  await until("all processes", async () => (await vm.report()).processes > 100_000);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const { quality, attach_ms: attachMs } = await record(vm.pid, { seconds: 4, file });
  assertCountsAddUp(quality);
  assert.ok(quality.self_rss_bytes < 256 << 20, `${quality.self_rss_bytes} bytes`);
  assert.equal((await runHelper(["pstack", vm.pid])).code, 0);
  t.diagnostic(
    `100,000 processes: ${JSON.stringify({ attach_ms: attachMs, rss: quality.self_rss_bytes, samples: quality.samples })}`,
  );
});

test("5,000 modules: attached to, named, and in 256 MB of memory", async (t) => {
  const vm = await vmFor(t, { module: "gt_modules", args: [5_000] });
  assert.ok((await vm.report()).modules > 5_000);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const { quality, attach_ms: attachMs } = await record(vm.pid, { seconds: 4, file });
  assertCountsAddUp(quality);
  const names = readProfile(file).samples.flatMap(({ frames }) => frames.map(({ name }) => name));
  assert.ok(names.some((name) => /^gt_module_\d+:work\/2$/.test(name)));
  assert.ok(quality.self_rss_bytes < 256 << 20, `${quality.self_rss_bytes} bytes`);
  t.diagnostic(
    `5,000 modules: ${JSON.stringify({ attach_ms: attachMs, rss: quality.self_rss_bytes, samples: quality.samples })}`,
  );
});

/** Where this machine has groups that bound memory; first those of version 1. */
const MEMORY_GROUPS = [
  ["/sys/fs/cgroup/memory", "memory.limit_in_bytes"],
  ["/sys/fs/cgroup", "memory.max"],
].find(([folder = "", file = ""]) => existsSync(folder) && (existsSync(join(folder, file)) || file === "memory.max"));

test("in a full control group of 256 MB: the capture succeeds, or ends with its whole part", async (t) => {
  const [parent = "", limit = ""] = MEMORY_GROUPS ?? [];
  if (parent !== "") removeLeftGroups(parent);
  const group = join(parent, `extrospect-test-${process.pid}`);
  try {
    mkdirSync(group);
    writeFileSync(join(group, limit), String(256 << 20));
  } catch (error) {
    if (existsSync(group)) rmdirSync(group);
    t.skip(`no group with a limit can be made here: ${String(error)}`);
    return;
  }
  const procs = join(group, "cgroup.procs");
  // Another process in it has taken most of its memory.
  const hog = [
    "sh",
    "-c",
    `echo $$ > ${procs}; exec python3 -c "import time; held = bytearray(b'x') * (200 << 20); print('ready', flush=True); time.sleep(600)"`,
  ];
  const [command = "", ...args] = hog;
  const held = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  // In this order: while there is room for both, only this ends it.
  t.after(async () => {
    held.kill("SIGKILL");
    await until("an empty group", () => (rmdirSync(group), true));
  });
  await new Promise((resolve) => held.stdout.once("data", resolve));
  const vm = await vmFor(t, { module: "gt_modules", args: [2_000] });
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const run = await runHelper(["record", vm.pid, "-d", 5, "-F", 499, "-o", file, "--json"], {
    wrapper: ["sh", "-c", `echo $$ > ${procs}; exec "$@"`, "sh"],
  });
  if (run.code === 0) {
    const { quality } = JSON.parse(run.stdout);
    assertCountsAddUp(quality);
    assert.ok(
      quality.self_rss_bytes < 56 << 20 || held.exitCode !== null || held.signalCode !== null,
      `${quality.self_rss_bytes} bytes fitted`,
    );
    readProfile(file);
    t.diagnostic(
      `256 MB with 200 MB taken: ${JSON.stringify({ rss: quality.self_rss_bytes, samples: quality.samples, other: held.signalCode ?? "lives" })}`,
    );
  } else {
    // The kernel ended it: the written part is whole.
    assert.equal(run.code, null, run.stderr);
    if (existsSync(file) && statSync(file).size > 0) readUnfinishedProfile(file);
  }
  await vm.report();
});

test("limits of the shell: the part that fits is kept, and one line names each limit", async (t) => {
  const vm = await vmFor(t, { args: [] });
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const limited = (/** @type {string} */ limits) => ({
    wrapper: ["bash", "-c", `ulimit ${limits}; exec "$@"`, "bash"],
  });
  // In units of 1024 bytes: the first increments fit, and the later ones do not.
  const cut = await runHelper(["record", vm.pid, "-d", 60, "-F", 997, "-o", file], limited("-f 8"));
  assert.equal(cut.code, 1, `${cut.code} ${cut.stderr}`);
  assert.match(cut.stderr, /meets a limit on the size of files.*ulimit -f/);
  assert.ok(statSync(file).size > 0 && statSync(file).size <= 8192, `${statSync(file).size} bytes`);
  assert.ok(readUnfinishedProfile(file).samples.length > 0);
  for (const [limits, said] of /** @type {const} */ ([
    ["-s 64", /the stack is limited to 64 KiB; .*ulimit -s/],
    ["-v 20000", /the address space is limited to 20000 KiB; .*ulimit -v/],
    ["-d 16000", /the data is limited to 16000 KiB; .*ulimit -d/],
    ["-n 8", /the open files are limited to 8; .*ulimit -n/],
  ])) {
    const run = await runHelper(["list"], limited(limits));
    assert.equal(run.code, 1, `${limits}: ${run.code} ${run.stderr}`);
    assert.match(run.stderr, said);
    assert.doesNotMatch(run.stderr, /RUST_BACKTRACE|overflowed/);
  }
});

test("clocks of another time namespace: samples have their true times", async (t) => {
  const vm = await vmFor(t);
  for (const [offset, daily] of /** @type {const} */ ([
    ["100000", "bpf"],
    ["-1", "readv"],
  ])) {
    for (const engine of isNightly ? ["bpf", "readv"] : [daily]) {
      const file = join(temporaryFolder(t), "capture.pb.gz");
      const run = await runHelper(["record", vm.pid, "-d", 3, "-F", 499, "-o", file, "--engine", engine, "--json"], {
        wrapper: ["unshare", "--time", `--monotonic=${offset}`, `--boottime=${offset}`, "--fork"],
      });
      assert.equal(run.code, 0, run.stderr);
      const { duration_s: seconds, quality } = JSON.parse(run.stdout);
      const times = timesIn(file);
      assert.ok(times.length > 0);
      assert.ok(
        times.every((time) => time / 1000 <= seconds + 0.1),
        `${engine}, ${offset} s: samples at ${Math.max(...times)} ms of ${seconds} s`,
      );
      assert.ok(new Set(times).size > 5, `${engine}, ${offset} s: all samples at ${times[0]} ms`);
      assert.ok(quality.skid_us.p99 < 1e6 * seconds, JSON.stringify(quality.skid_us));
      assert.equal((await helperJson(["top", file])).quality.samples, quality.samples);
    }
  }
});
