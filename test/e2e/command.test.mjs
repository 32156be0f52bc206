// A command that is started and captured: every VM that it becomes or starts, from the first moment to the end.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { childrenOf } from "../editor/helper-processes.mjs";
import { measured } from "../measured.mjs";
import { must } from "../must.mjs";
import { assertRefused, HELPER, helperJson, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

/**
 * Erlang that sorts until something is written of its capture, for some hundred milliseconds of processor time after that, and ends
 * with an exit code. On a busy machine a VM could otherwise end before anything is attached to it.
 * @param {number} code @param {string} file
 */
const sorting = (code, file) =>
  `L = [erlang:phash2(X) || X <- lists:seq(1, 100000)], W = fun W(0) -> ok; W(N) -> lists:sort(L), filelib:file_size("${file}") > 0 orelse W(N - 1) end, W(3000), [lists:sort(L) || _ <- lists:seq(1, 15)], halt(${code}).`;
/** @param {number} code @param {string} file @returns {string} words for a shell that starts such a VM */
const vm = (code, file) => `erl -noshell -eval '${sorting(code, file)}'`;

const HZ = 499;
/** The kernel counts the time of a command in ticks of 10 ms, user and system apart. */
const OF_CLOCKS_S = 0.05;

test("a VM that lives for a moment is in the capture, and its exit code is passed on", async (t) => {
  const file = join(temporaryFolder(t), "vm.pb.gz");
  const run = await runHelper([
    "record",
    "-F",
    HZ,
    "-o",
    file,
    "--json",
    "--",
    "sh",
    "-c",
    `echo begun; ${vm(7, file)}`,
  ]);
  assert.equal(run.code, 7, run.stderr);
  assert.match(run.stderr, /^begun\n/, "what the command prints is not in the JSON");
  const {
    exit_code: code,
    command_cpu_s: total,
    captured_cpu_s: captured,
    before_sampling_cpu_s: before,
    vms,
    missed,
  } = JSON.parse(run.stdout);
  assert.equal(code, 7);
  assert.deepEqual(missed, []);
  assert.deepEqual(
    vms.map((/** @type {any} */ it) => [it.file, it.ended]),
    [[file, "target gone"]],
  );
  const { functions, samples } = await helperJson(["top", file, "-n", 0]);
  const names = functions.map((/** @type {{function: string}} */ row) => row.function);
  assert.ok(names.includes("lists:split_1/5"), names.join());
  const [{ quality }] = vms;
  // Time before the first sample is a fact beside the samples, and none of them.
  assert.ok(quality.before_sampling_ms > 0);
  assert.equal(before, quality.before_sampling_ms / 1000);
  assert.ok(!names.includes("[before sampling]"), names.join());
  assert.equal(samples, quality.samples);
  assert.ok(captured > 0, `${captured} s of ${total} s`);
  // The time in samples is that of the capture, to the sample; before it and in it there is not more than the command used.
  assert.ok(Math.abs(captured - samples / HZ) < 1e-9, `${captured} s, ${samples} samples`);
  const { cpu_ns: used } = quality.process_time ?? { cpu_ns: 0 };
  assert.ok(before + used / 1e9 <= total + OF_CLOCKS_S, `${before} s and ${used} ns of ${total} s`);
  measured(
    t,
    "processor time of a short command in its samples and before them, percent",
    (100 * (captured + before)) / total,
  );
});

/** Lines of its own up to 12, and the code of `inner/1`, which is inlined into `rounds/2`, in lines 41 and 42 of a header. */
const MADE = `-module(made).
-export([go/1]).
-compile({inline, [inner/1]}).

go(File) ->
    rounds(0, 3000),
    filelib:file_size(File) > 0 orelse go(File).

rounds(Sum, 0) -> Sum;
rounds(Sum, N) -> rounds(inner(N) + Sum, N - 1).
-file("src/made.hrl", 40).

inner(N) ->
    lists:sum(lists:seq(1, 300 + N rem 2)).
`;

test("a VM that is stopped while it starts is tried again until it goes on, and is captured then", async (t) => {
  const folder = temporaryFolder(t);
  const [file, library] = [join(folder, "vm.pb.gz"), join(folder, "stopped_start.so")];
  const source = fileURLToPath(new URL("../vms/src/stopped_start.c", import.meta.url));
  must("gcc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, source);
  const start = `LD_PRELOAD=${library} ${vm(0, file)}`;
  const run = await runHelper(["record", "-F", 499, "-o", file, "--json", "--", "sh", "-c", start], {
    onStart: (child) =>
      void (async () => {
        const record = Number(child.pid);
        /** @type {number | undefined} */
        let stopped;
        // Not a process that samples, which something other than this test may have stopped.
        await untilIn(child, "a VM that is stopped", () => (stopped = descendantsOf(record).find(isStoppedVm)));
        // A process that samples has ended: it could not attach.
        await untilIn(child, "a try in vain", () => Number(statOf(record)[13]) + Number(statOf(record)[14]) > 0);
        if (stopped !== undefined) kill(stopped, "SIGCONT");
      })(),
  });
  assert.equal(run.code, 0, run.stderr);
  const { vms, missed } = JSON.parse(run.stdout);
  assert.deepEqual(missed, []);
  assert.equal(vms.length, 1);
  assert.ok(vms[0].quality.samples > 0);
});

/** Fields of `/proc/PID/stat` from the state on; the 13th and 14th after it are the processor time of its children. @param {number} pid */
const statOf = (pid) =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");

/** @param {number} pid */
const isStoppedVm = (pid) => / \(beam\.smp\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

/** @param {number} pid @returns {number[]} */
function descendantsOf(pid) {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

test("a line is shown with its own file alone, or not at all", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "made.pb.gz");
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/made.erl"), MADE);
  writeFileSync(join(folder, "src/made.hrl"), "\n".repeat(42));
  execFileSync("erlc", ["src/made.erl"], { cwd: folder });
  const start = `erl -noshell -pa '${folder}' -eval 'made:go("${file}"), [made:go("${file}") || _ <- lists:seq(1, 200)], halt().'`;
  const run = await runHelper(["record", "-F", 997, "-o", file, "--", "sh", "-c", start]);
  assert.equal(run.code, 0, run.stderr);
  const placesOf = async (/** @type {string[]} */ ...args) => {
    const { functions, lines } = await helperJson(["top", file, "-n", 0, "--by", "line", ...args]);
    const places = [...functions, ...lines].filter((row) => /^made:/.test(row.function));
    assert.ok(places.length > 0);
    return [...new Set(places.map((row) => `${row.file.replace(/^.*\/(?=src\/)/, "")}:${row.line}`))];
  };
  const own = /^src\/made\.erl:(?:\d|1[0-2])$/;
  const ofHeader = /^src\/made\.hrl:(?:0|4[1-3])$/;
  for (const args of [[], ["--own", folder]]) {
    const places = await placesOf(...args);
    assert.deepEqual(
      places.filter((place) => !own.test(place) && !ofHeader.test(place)),
      [],
    );
    assert.ok(places.includes("src/made.hrl:43"), places.join());
  }
  rmSync(join(folder, "src/made.hrl"));
  const places = await placesOf("--own", folder);
  assert.deepEqual(
    places.filter((place) => !own.test(place)),
    [],
  );
  assert.ok(places.includes("src/made.erl:0"), places.join());
});

test("a command without a VM has no capture, and its exit code is passed on", async (t) => {
  const file = join(temporaryFolder(t), "none.pb.gz");
  const codes = { true: 0, "exit 42": 42, "kill -TERM $$": 143 };
  for (const [script, code] of Object.entries(codes)) {
    const run = await runHelper(["record", "-o", file, "--", "sh", "-c", script]);
    assert.equal(run.code, code, run.stderr);
    assert.match(run.stderr, /started no Erlang VM/);
    assert.ok(!existsSync(file));
  }
  assertRefused(await runHelper(["record", "--", "/no/such/program"]), 127);
  assertRefused(await runHelper(["record", "--", "/etc/passwd"]), 126);
  const both = await runHelper(["record", 1, "--", "true"]);
  assert.equal(both.code, 2, both.stderr);
});

test("a VM that begins as the last thing that its command does is captured, or named with its process id", async (t) => {
  const file = join(temporaryFolder(t), "last.pb.gz");
  const last = "erl -detached -noinput -eval 'timer:sleep(600000), halt().'";
  const run = await runHelper(["record", "--json", "-o", file, "--", "sh", "-c", `${vm(0, file)}; ${last}`]);
  assert.equal(run.code, 0, run.stderr);
  const { vms, missed, left_behind: left, may_become_vms: programs } = JSON.parse(run.stdout);
  const went = vms.filter((/** @type {{still_runs?: boolean}} */ it) => it.still_runs);
  const named = [...went, ...missed].map((/** @type {{pid: number}} */ it) => it.pid).concat(left);
  // On a busy machine it may still be the program that becomes it.
  const becoming = programs.map((/** @type {{pid: number}} */ it) => it.pid);
  for (const pid of [...named, ...becoming]) kill(pid);
  assert.ok(named.length === 1 || (named.length === 0 && becoming.length > 0), run.stdout);
});

/** @param {number} pid @param {NodeJS.Signals | number} [signal] */
function kill(pid, signal = "SIGKILL") {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

test("programs that a command leaves behind are named, as they may still become a VM", async (t) => {
  const script = "setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $!";
  const file = join(temporaryFolder(t), "none.pb.gz");
  const run = await runHelper(["record", "--json", "-o", file, "--", "sh", "-c", script]);
  const pid = Number(run.stderr.split("\n", 1)[0]);
  assert.ok(pid > 1, run.stderr);
  process.kill(pid, "SIGKILL");
  assert.equal(run.code, 0, run.stderr);
  const { vms, left_behind: left, may_become_vms: programs } = JSON.parse(run.stdout);
  assert.deepEqual([vms, left, programs.map((/** @type {{pid: number}} */ it) => it.pid)], [[], [], [pid]]);
  assert.equal(typeof programs[0].program, "string");
});

/** A real-time one, of which Node knows none by name. */
const REAL_TIME = 40;
const PASSED_ON = /** @type {const} */ (["SIGTERM", "SIGUSR1", "SIGINT", "SIGALRM", "SIGPROF", "SIGABRT", REAL_TIME]);

for (const signal of PASSED_ON) {
  test(`signal ${signal} to the helper alone reaches the command, which decides`, async (t) => {
    const folder = temporaryFolder(t);
    const ready = join(folder, "ready");
    const trap = String(signal).replace(/^SIG/, "");
    const script = `trap 'echo ended >${ready}; exit 5' ${trap}; echo >${ready}; while true; do sleep 0.05; done`;
    const run = await runHelper(["record", "--", "sh", "-c", script], {
      wrapper: ["setsid"], // without a terminal, whose Ctrl-C the command has already
      onStart: (child) =>
        void untilIn(child, "the command runs", () => existsSync(ready)).then(() => kill(Number(child.pid), signal)),
    });
    assert.equal(run.code, 5, run.stderr);
    assert.equal(readFileSync(ready, "utf8"), "ended\n");
  });
}

test("in the foreground of a terminal, SIGINT from a program reaches the command, and Ctrl-C reaches it once", async (t) => {
  const folder = temporaryFolder(t);
  const [script, count] = [join(folder, "command.sh"), join(folder, "count")];
  // A second SIGINT of one press of the keys would be counted before SIGUSR1 ends it.
  writeFileSync(
    script,
    `n=0; trap 'n=$((n+1)); echo $n >${count}' INT; trap 'exit $n' USR1; echo $n >${count}; while true; do sleep 0.05; done`,
  );
  const child = spawn("script", ["-qefc", `exec "${HELPER}" record -- sh ${script}`, "/dev/null"], {
    stdio: ["pipe", "ignore", "inherit"],
    env: { ...process.env, SHELL: "/bin/sh" },
  });
  t.after(() => child.kill("SIGKILL"));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const counted = (/** @type {number} */ times) => existsSync(count) && readFileSync(count, "utf8") === `${times}\n`;
  await untilIn(child, "the command runs", () => counted(0));
  const isHelper = (/** @type {number} */ pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`${HELPER}\0`);
  let record = 0;
  // The command starts a program each moment, which may have ended since it was listed.
  await untilIn(child, "the helper", () => (record = descendantsOf(Number(child.pid)).find(isHelper) ?? 0) > 0);
  assert.ok(record > 0);
  process.kill(record, "SIGINT");
  await untilIn(child, "the command has the signal of a program", () => counted(1));
  child.stdin.write("\u0003");
  await untilIn(child, "the command has that of the terminal", () => counted(2));
  process.kill(record, "SIGUSR1");
  assert.equal(await ended, 2, "twice in all");
});

test("a file that is there is not written over: the command is not even started", async (t) => {
  const file = join(temporaryFolder(t), "there.pb.gz");
  writeFileSync(file, "mine");
  const run = await runHelper(["record", "-o", file, "--", "sh", "-c", `echo started >${file}`]);
  assertRefused(run, 1);
  assert.match(run.stderr, /already exists/);
  assert.equal(readFileSync(file, "utf8"), "mine");
});

test("where no capture can be made the command is not even started", async (t) => {
  const folder = temporaryFolder(t);
  const started = join(folder, "started");
  const command = ["--", "sh", "-c", `echo >${started}`];
  const run = await runHelper(["record", "-o", join(folder, "nowhere", "new.pb.gz"), ...command]);
  assertRefused(run, 1);
  assert.match(run.stderr, /cannot create a capture in .*nowhere: No such file/);
  assert.ok(!existsSync(started));
  // Root may write anywhere, and a file that is there is written over where it is.
  const there = join(folder, "there.pb.gz");
  writeFileSync(there, "");
  assert.equal((await runHelper(["record", "-o", there, "--force", ...command])).code, 0);
  assert.ok(existsSync(started));
});

test("a VM that goes on after its command has ended is none of the command's time", async (t) => {
  const file = join(temporaryFolder(t), "after.pb.gz");
  const pid = file.replace(".pb.gz", ".pid");
  const goesOn = `io:format("~s", [os:getpid()]), timer:sleep(infinity).`;
  // Whichever is there first: the capture has begun, and the VM has named itself.
  const untilSampled = `while [ ! -s ${file} ] || [ ! -s ${pid} ]; do sleep 0.1; done`;
  let vm = "";
  t.after(() => vm === "" || process.kill(Number(vm), "SIGKILL"));
  const run = await runHelper([
    "record",
    "-o",
    file,
    "--",
    "sh",
    "-c",
    `erl -noshell -eval '${goesOn}' > ${pid} 2>/dev/null & ${untilSampled}; exit 9`,
  ]);
  assert.equal(run.code, 9, run.stderr);
  vm = readFileSync(pid, "utf8");
  assert.match(
    run.stderr,
    new RegExp(`VM ${vm} still runs: its capture ended with the command.*extrospect record ${vm}.$`, "m"),
  );
  assert.match(run.stderr, /^extrospect: next: extrospect top /m);
  assert.doesNotMatch(run.stderr, /of the command's/);
});
