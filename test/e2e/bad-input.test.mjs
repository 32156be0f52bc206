// Whatever goes wrong: the right exit code, one line that helps, and no lost capture.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { smallDisk } from "../small-disks.mjs";
import { undoneAfter } from "../undone.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertRefused, HELPER, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

const CAPTURE = join(import.meta.dirname, "../unit/capture/fixtures/demo.pb.gz");
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

test("no such process: exit 3", async (t) => {
  const gone = spawn("/bin/true");
  await new Promise((resolve) => gone.once("close", resolve));
  for (const command of ["record", "top", "pstack", "doctor", "events", "stat"]) {
    await t.test(command, async () => assertRefused(await runHelper([command, String(gone.pid)]), 3));
  }
});

test("a process that is no Erlang VM: exit 3", async () => {
  assertRefused(await runHelper(["record", process.pid, "-d", 1]), 3);
});

test("wrong use: exit 2", async (t) => {
  const file = join(temporaryFolder(t), "capture.pb.gz");
  for (const args of [
    ["record"],
    ["record", "abc"],
    ["record", "1", "-F", "0", "-o", file],
    ["events", "abc"],
    ["stat", "1", "-I", "0"],
    ["no-such-command"],
  ]) {
    assert.equal((await runHelper(args)).code, 2, args.join(" "));
  }
});

test("a missing file, an unwritable folder and an invalid process id each have their own error", async (t) => {
  const folder = temporaryFolder(t);
  const there = join(folder, "there.folded");
  writeFileSync(there, "a;b 2\na;c 1\n");
  const gone = join(folder, "gone");
  for (const args of [
    ["top", gone],
    ["diff", there, "--", gone],
    ["import", gone, "-o", join(folder, "out.pb.gz")],
    ["commit", gone],
  ]) {
    const run = await runHelper(args);
    assertRefused(run, 1);
    assert.match(run.stderr, new RegExp(`there is no file ${gone};`));
    // One that takes no process id advises none.
    assert.equal(run.stderr.includes("process id"), args[0] === "top", run.stderr);
  }
  for (const args of [
    ["import", there, "-o", folder],
    ["import", there, "-o", folder, "--force"],
  ]) {
    const run = await runHelper(args);
    assertRefused(run, 1);
    assert.match(run.stderr, /is a folder; name a file in it: -o /);
  }
  const link = join(folder, "link.pb.gz");
  symlinkSync("/nowhere", link);
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const [args, why] of /** @type {const} */ ([
    [["import", there, "-o", link], /is a symbolic link, which is not followed; remove it/],
    [["import", there, "-o", pipe, "--force"], /is a pipe without a reader/],
  ])) {
    const run = await runHelper([...args]);
    assertRefused(run, 1);
    assert.match(run.stderr, why);
  }
  const chosen = await runHelper(["top", there, "--event", "cycles"]);
  assertRefused(chosen, 2);
  assert.match(chosen.stderr, /is no recording of perf; --event chooses/);
  const word = await runHelper(["record", "shop"]);
  assert.equal(word.code, 2);
  assert.match(word.stderr, /not a process id; `extrospect list`.*extrospect record -- shop/);
  const one = join(folder, "one.folded");
  writeFileSync(one, "a;b 1\n");
  const shown = await runHelper(["top", one]);
  assert.match(shown.stdout, /^1 sample: /m);
  const recording = join(folder, "cut.data");
  writeFileSync(recording, Buffer.concat([Buffer.from("PERFILE2"), Buffer.alloc(3000)]));
  const cut = await runHelper(["top", recording]);
  assertRefused(cut, 1);
  assert.match(cut.stderr, /its end may be missing: copy it again|linux-perf/);
});

/** Records until some samples are in the file; then `act`. @param {number} pid @param {string} file @param {(child: import("node:child_process").ChildProcess) => void} act */
const recordUntilSampled = (pid, file, act) =>
  runHelper(["record", pid, "-d", 0, "-o", file], {
    onStart: (child) =>
      void untilIn(child, "samples in the file", () => readUnfinishedProfile(file).samples.length > 0).then(() =>
        act(child),
      ),
  });

test("the VM is killed during the capture: exit 5, the capture is kept", async (t) => {
  const vm = await vmFor(t, "gt_erlang");
  const file = join(temporaryFolder(t), "capture.pb.gz");
  assertRefused(await recordUntilSampled(vm.pid, file, () => vm.kill()), 5);
  assert.ok(readProfile(file).samples.length > 0, "what was captured before is there");
});

test("the helper is killed during the capture: the file is a valid profile, and states that it lacks its end", async (t) => {
  const vm = await vmFor(t, "gt_erlang");
  const file = join(temporaryFolder(t), "capture.pb.gz");
  await recordUntilSampled(vm.pid, file, (child) => child.kill("SIGKILL"));
  assert.ok(readUnfinishedProfile(file).samples.length > 0);
  const top = await runHelper(["top", file, "--json"]);
  assert.equal(top.code, 0, top.stderr);
  // It may be killed within an increment, too.
  if (!top.stderr.includes("ends in the middle"))
    assert.equal(JSON.parse(top.stdout).quality.gaps.missing_end.reason, "notClosed");
});

test("Ctrl-C ends a capture cleanly and keeps it", async (t) => {
  const vm = await vmFor(t, "gt_erlang");
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const run = await recordUntilSampled(vm.pid, file, (child) => child.kill("SIGINT"));
  assert.equal(run.code, 0, run.stderr);
  assert.ok(readProfile(file).samples.length > 0);
  const top = await runHelper(["top", file, "--json"]);
  assert.ok(!("missing_end" in JSON.parse(top.stdout).quality.gaps), top.stdout);
});

test("a full disk: one line, exit 1, what fitted is readable", async (t) => {
  // Before the folder is removed.
  const undo = undoneAfter(t);
  const vm = await vmFor(t, "gt_spawn");
  const folder = temporaryFolder(t);
  const small = join(folder, "small");
  mkdirSync(small);
  undo(smallDisk(small, "size=8k"));
  const file = join(small, "c.pb.gz");
  const run = await runHelper(["record", vm.pid, "-d", 0, "-F", 997, "--max-overhead", "off", "-o", file]);
  assertRefused(run, 1);
  assert.match(run.stderr, /no room|no space|full/i);
  // Its mark had room: the reader does not take the writer for one that was ended.
  if (!existsSync(file) || statSync(file).size === 0) return;
  const top = JSON.parse((await runHelper(["top", file, "--json"])).stdout);
  assert.equal(top.quality.gaps.missing_end.reason, "diskFull");
});

test("a closed pipe for the output ends it without a panic", async () => {
  for (const args of [["top", CAPTURE], ["export", CAPTURE, "--format", "folded"], ["list"]]) {
    const run = await runHelper(args, { stdout: "closed" });
    assert.doesNotMatch(run.stderr, /panicked/, args.join(" "));
  }
});

test("truncated and foreign capture files: exit 1 or a partial answer, never a crash", async (t) => {
  const folder = temporaryFolder(t);
  const bytes = readFileSync(CAPTURE);
  const foreign = [
    ["empty", Buffer.alloc(0)],
    ["text", Buffer.from("no profile at all\n")],
    ["zeroes", Buffer.alloc(4096)],
    ["binary", readFileSync("/bin/true")],
  ];
  for (const [name, content] of /** @type {[string, Buffer][]} */ (foreign)) {
    const file = join(folder, name);
    writeFileSync(file, content);
    for (const command of ["top", "export"]) {
      const rest = command === "export" ? ["--format", "folded"] : [];
      assertRefused(await runHelper([command, file, ...rest]), 1);
    }
  }
  for (const part of [0.1, 0.5, 0.9, 0.999]) {
    const file = join(folder, `cut-${part}.pb.gz`);
    writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * part)));
    const run = await runHelper(["top", file]);
    assert.ok(run.code === 0 || run.code === 1, `exit ${run.code}: ${run.stderr}`);
    assert.doesNotMatch(run.stderr, /panicked/);
  }
  assertRefused(await runHelper(["top", join(folder, "not-there.pb.gz")]), 1);
});

test("garbage on the RPC channel gets an answer or an end, never a crash", async (t) => {
  /** @param {string} body */
  const framed = (body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const initialize = framed(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"initializationOptions":{"protocolVersion":1}}}',
  );
  /** @type {[string, string, RegExp | null][]} */
  const cases = [
    ["no JSON", framed("}{") + initialize, /-32700/],
    ["no such method", initialize + framed('{"jsonrpc":"2.0","id":2,"method":"no/such"}'), /-32601/],
    [
      "wrong parameters",
      initialize + framed('{"jsonrpc":"2.0","id":3,"method":"extrospect/capture/start","params":7}'),
      /"error"/,
    ],
    ["no header", "hello\r\n\r\n", null],
    ["a huge length", "Content-Length: 99999999999999\r\n\r\n{}", null],
    ["a negative length", "Content-Length: -1\r\n\r\n{}", null],
    ["nothing", "", null],
  ];
  for (const [name, input, expected] of cases) {
    await t.test(name, async () => {
      const child = spawn(HELPER, ["serve", "--stdio"], { stdio: ["pipe", "pipe", "pipe"] });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => (stdout += chunk));
      child.stderr.on("data", (chunk) => (stderr += chunk));
      child.stdin.on("error", () => {});
      // From the start: after some of these it ends at once.
      const closed = new Promise((resolve) => child.once("close", (...end) => resolve(end)));
      child.stdin.write(input);
      if (expected) await until("an answer", () => expected.test(stdout));
      child.stdin.end();
      const [code, signal] = await closed;
      assert.equal(signal, null, "it ends by itself at the end of its input");
      assert.notEqual(code, 101);
      assert.doesNotMatch(stderr, /panicked/);
      if (expected) assert.match(stdout, expected);
    });
  }
});

test("a thread is no process: the process that it is of is named", async () => {
  const tid = readdirSync("/proc/self/task").find((id) => Number(id) !== process.pid);
  assert.ok(tid, "Node has threads");
  for (const command of ["ps", "record", "pstack"]) {
    const run = await runHelper([command, tid]);
    assertRefused(run, 3);
    assert.match(
      run.stderr,
      new RegExp(
        `${tid} is a thread of process ${process.pid}, not a process of its own; name the process: ${process.pid}`,
      ),
    );
  }
});

test("a negative number is an invalid value, and a suggested command is quoted for a shell", async (t) => {
  for (const args of [
    ["record", process.pid, "-d", "-1"],
    ["record", process.pid, "-F", "-5"],
    ["waits", process.pid, "-d", "-3"],
  ]) {
    const run = await runHelper(args);
    assert.equal(run.code, 2, args.join(" "));
    assert.match(run.stderr, /invalid value '-\d'/);
  }
  const folder = temporaryFolder(t);
  const there = join(folder, "there.folded");
  writeFileSync(there, "a;b 2\n");
  const odd = join(folder, "a b;$(x).pb.gz");
  const run = await runHelper(["import", there, "-o", odd]);
  assert.ok(run.stdout.includes(`next: extrospect top '${odd}'`), run.stdout);
});
