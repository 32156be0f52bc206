// The installed helper: it has rights that its caller lacks, and no user can turn them against others. Everything is
// tried from outside, as users that are made for this and removed afterwards.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { machineLock } from "../machine-lock.mjs";
import { must } from "../must.mjs";
import { undoneAfter } from "../undone.mjs";
import { INSTALLED, makePolicyFolder, POLICY, removeLeft } from "./guard-left.mjs";
import { HELPER, runHelper } from "./helper.mjs";

const NAME = `xtro${process.pid}`;
const GROUP = `${NAME}g`;
/** As `security.capability` has them: nothing but what sampling needs, and none in force from the start. */
const CAPABILITIES = "cap_ipc_lock,cap_sys_ptrace,cap_sys_nice,cap_perfmon,cap_bpf=p";

/** @type {{name: string, uid: number}[]} */
const users = [];
/** @type {string} */
let folder;
/** @type {string} */
let program = "";

/** @param {number} which @returns {{name: string, uid: number}} the first is in the group, the second is not */
function user(which) {
  const found = users[which];
  assert.ok(found);
  return found;
}

/**
 * As a user logs in: with their groups. setpriv itself starts a program with all of root's capabilities; those are gone
 * with the shell.
 * @param {number} which @returns {string[]}
 */
const as = (which) => [
  "setpriv",
  "--reuid",
  user(which).name,
  "--regid",
  user(which).name,
  "--init-groups",
  "--",
  "/bin/sh",
  "-c",
  'exec "$@"',
  "sh",
];

/** @param {(string | number)[]} args @param {{which?: number, env?: string[]}} [options] */
const asUser = (args, { which = 0, env = [] } = {}) =>
  runHelper(args, { program, wrapper: [...as(which), ...(env.length > 0 ? ["env", ...env] : [])] });

/** @param {import("./helper.mjs").Run} run @param {RegExp} why */
function assertDenied(run, why) {
  assert.equal(run.code, 4, `exit code, stderr: ${run.stderr}`);
  assert.match(run.stderr, why);
}

before(async () => {
  for (const part of /** @type {const} */ (["accounts", "etc"])) await machineLock(null, part);
  removeLeft();
  assert.ok(!existsSync(POLICY), `${POLICY} is there: this test makes its own`);
  folder = mkdtempSync(INSTALLED);
  chmodSync(folder, 0o755);
  program = join(folder, "bin/extrospect");
  for (const name of [`${NAME}a`, `${NAME}b`]) {
    must("useradd", "--no-create-home", "--user-group", "--shell", "/bin/sh", name);
    users.push({ name, uid: Number(must("id", "-u", name)) });
  }
  const said = must(HELPER, "install", "--to", dirname(program), "--group", GROUP);
  assert.match(said, new RegExp(`installed ${program}, version`));
  assert.match(said, new RegExp(`usermod -aG ${GROUP} USER`));
  must("usermod", "-aG", GROUP, user(0).name);
});

function undo() {
  process.off("exit", undo);
  for (const { name } of users) {
    spawnSync("pkill", ["-KILL", "-u", name]);
    spawnSync("userdel", [name]);
  }
  if (!program) return;
  rmSync("/etc/extrospect", { recursive: true, force: true });
  spawnSync(HELPER, ["uninstall", "--from", dirname(program), "--group", GROUP, "--purge"]);
  spawnSync("groupdel", [GROUP]);
  rmSync(folder, { recursive: true, force: true });
}
after(undo);
// A process that is ended has no hooks.
process.on("exit", undo);

test("the installed copy is root's, its group's to start, and has the least rights", async () => {
  const file = statSync(program);
  assert.equal(file.uid, 0);
  assert.equal(file.mode & 0o7777, 0o750);
  assert.equal(file.gid, Number(must("getent", "group", GROUP).split(":")[2]));
  assert.equal(must("getcap", program).trim(), `${program} ${CAPABILITIES}`);
  assert.deepEqual(readFileSync(program), readFileSync(HELPER));
  const stranger = await asUser(["list"], { which: 1 });
  assert.notEqual(stranger.code, 0);
  assert.match(stranger.stderr, /Permission denied/);
  assert.equal((await asUser(["list"])).code, 0, "a member may");
});

test("a second install replaces the first, and unsuitable places are refused", async () => {
  const inode = statSync(program).ino;
  assert.match(must(HELPER, "install", "--to", dirname(program), "--group", GROUP), /^replaced /);
  assert.notEqual(statSync(program).ino, inode);
  const open = join(folder, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  symlinkSync(dirname(program), join(folder, "link"));
  mkdirSync(join(folder, "theirs"));
  must("chown", user(0).name, join(folder, "theirs"));
  for (const [place, why] of /** @type {const} */ ([
    [join(open, "below"), /may be written by others than root/],
    ["/tmp/extrospect-guard", /may be written by others than root; give another folder with --to$/m],
    [join(folder, "link"), /is a symbolic link/],
    [join(folder, "theirs"), /is not owned by root/],
    [`${folder}/x/../y`, /has `\.\.` in it/],
  ])) {
    const run = await runHelper(["install", "--to", place, "--group", GROUP]);
    assert.equal(run.code, 1, place);
    assert.match(run.stderr, why);
  }
  assert.equal((await runHelper(["install", "--group", "-x"])).code, 2);
  const asMember = await asUser(["install", "--to", dirname(program)]);
  assertDenied(asMember, /only root can do that; a rule of sudo lends this copy and not root: .*sudo env -u SUDO_UID/);
  const doctor = JSON.parse((await asUser(["doctor", "--json"])).stdout).rows;
  const remedies = doctor.map((/** @type {any} */ row) => `${row.check}: ${row.fix ?? ""} ${row.command ?? ""}`);
  for (const remedy of remedies) assert.doesNotMatch(remedy, new RegExp(`${program} install`));
});

test("a user profiles a VM of their own without root", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN, uid: user(0).uid });
  t.after(() => vm.kill());
  const file = join(folder, "theirs.pb.gz");
  mkdirSync(join(folder, "home"));
  must("chown", user(0).name, join(folder, "home"));
  for (const engine of ["bpf", "readv"]) {
    const run = await asUser(["top", vm.pid, "-d", 1, "-F", 499, "--engine", engine, "--json"]);
    assert.equal(run.code, 0, run.stderr);
    const { quality } = JSON.parse(run.stdout);
    assert.equal(quality.engine.name, engine);
    assert.ok(quality.samples > 0);
  }
  const output = join(folder, "home/own.pb.gz");
  const recorded = await asUser(["record", vm.pid, "-d", 1, "-o", output]);
  assert.equal(recorded.code, 0, recorded.stderr);
  assert.equal(lstatSync(output).uid, user(0).uid, "the file is theirs");
  const pushed = await asUser(["push", output, "--to", "http://127.0.0.1:9"], {
    env: ["EXTROSPECT_STORE_HEADERS=Authorization: Bearer x"],
  });
  assert.equal(pushed.code, 2, pushed.stderr);
  assert.match(pushed.stderr, /EXTROSPECT_STORE_HEADERS is not used; .*--credentials FILE/);
  assert.equal((await asUser(["pstack", vm.pid])).code, 0);
  const rows = JSON.parse((await asUser(["list", "--json"])).stdout);
  const own = rows.find((/** @type {any} */ row) => row.pid === vm.pid);
  assert.equal(own?.attachable, true);
  assert.deepEqual([own.user, own.workingDirectory], [user(0).name, "/"]);
  // Where the user may not write the helper does not either.
  const refused = await asUser(["record", vm.pid, "-d", 1, "-o", file]);
  assert.notEqual(refused.code, 0);
  assert.ok(!existsSync(file));
});

/** Threads of the process that samples a VM, each with the capabilities that are in force. @param {number} pid */
function rightsInForce(pid) {
  const samplers = readdirSync("/proc").filter(
    (entry) => /^\d+$/.test(entry) && textOf(`/proc/${entry}/comm`).trim() === `sampler-${pid}`,
  );
  return samplers.flatMap((sampler) =>
    threadsOf(sampler).flatMap((tid) => {
      const status = textOf(`/proc/${sampler}/task/${tid}/status`);
      const inForce = /^CapEff:\t([0-9a-f]+)$/m.exec(status)?.[1];
      return inForce === undefined ? [] : [{ thread: `${/^Name:\t(.*)$/m.exec(status)?.[1]} (${tid})`, inForce }];
    }),
  );
}

/** None of a process that has just ended. @param {string} pid */
function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** @param {string} file */
function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

test("while it samples, rights are in force for moments only, on whatever thread", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN, uid: user(0).uid });
  t.after(() => vm.kill());
  for (const engine of ["bpf", "readv"]) {
    const run = asUser(["top", vm.pid, "-d", 4, "-F", 499, "--engine", engine, "--json"]);
    /** @type {Map<string, {looks: number, inForce: number}>} */
    const seen = new Map();
    const isOver = run.then(() => true);
    while (!(await Promise.race([isOver, new Promise((resolve) => setTimeout(() => resolve(false), 20))]))) {
      for (const { thread, inForce } of rightsInForce(vm.pid)) {
        const counts = seen.get(thread) ?? { looks: 0, inForce: 0 };
        seen.set(thread, { looks: counts.looks + 1, inForce: counts.inForce + (/[1-9a-f]/.test(inForce) ? 1 : 0) });
      }
    }
    assert.equal((await run).code, 0, (await run).stderr);
    // A thread that is seen a few times only may be seen in its moment.
    const watched = [...seen].filter(([, { looks }]) => looks >= 10);
    assert.ok(watched.length >= 2, `threads that were seen: ${[...seen.keys()].join(", ")}`);
    const holding = watched.filter(([, { looks, inForce }]) => inForce > looks / 2);
    assert.deepEqual(holding, [], `engine ${engine}`);
  }
});

/** Every way to look at one VM. @param {number} pid */
const WAYS = (pid) => [
  ["record", pid, "-d", 1, "-o", "/dev/null"],
  ["top", pid, "-d", 1],
  ["blame", "gc", pid, "-d", 1],
  ["pstack", pid],
  ["dump", pid, "--what", "atoms"],
  ["doctor", pid],
  ["export", pid, "--format", "perf-map"],
];

test("every command refuses a VM of root, and list shows it", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle" });
  t.after(() => vm.kill());
  const why = new RegExp(
    `process ${vm.pid} is not yours: it belongs to root, and you are ${user(0).name}; .*${POLICY}`,
  );
  for (const way of WAYS(vm.pid)) {
    const run = await asUser(way);
    assertDenied(run, why);
    assert.doesNotMatch(run.stdout, /erlang|"atoms"/);
  }
  const rows = JSON.parse((await asUser(["list", "--json"])).stdout);
  const row = rows.find((/** @type {any} */ found) => found.pid === vm.pid);
  assert.equal(row?.attachable, false);
  assert.match(row.reason, why);
  assert.equal(row.node, null, "nothing of it was read");
  assert.deepEqual([row.user, row.workingDirectory], ["root", undefined]);
  const look = JSON.parse((await asUser(["look", vm.pid])).stdout);
  assert.match(look.reason, why);
  const answer = await served("extrospect/attach", { pid: vm.pid });
  assert.match(answer.error?.message ?? "", /is not yours: it belongs to root/);
  assert.ok(answer.error?.data?.fix.includes(POLICY), "and the editor hears what to do");
  // No read of it was even tried.
  const traced = spawnSync(
    "strace",
    [
      "-f",
      "-qq",
      "-e",
      "trace=process_vm_readv,openat,perf_event_open",
      "-u",
      user(0).name,
      program,
      "top",
      String(vm.pid),
    ],
    {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    },
  );
  assert.match(traced.stderr, /is not yours/);
  assert.doesNotMatch(
    traced.stderr,
    new RegExp(
      `process_vm_readv\\(${vm.pid},|perf_event_open\\(.*, ${vm.pid}, |/proc/${vm.pid}/(maps|mem|environ|map_files)`,
    ),
  );
});

/** One request to a helper that serves a user. @param {string} method @param {object} params @returns {Promise<any>} */
async function served(method, params) {
  const [command = "", ...args] = [...as(0), program, "serve", "--stdio"];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const send = (/** @type {object} */ message) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const initializationOptions = { protocolVersion: 1, capabilities: { increments: true } };
  send({ id: 1, method: "initialize", params: { clientInfo: { name: "test" }, initializationOptions } });
  send({ id: 2, method, params });
  let text = "";
  try {
    for await (const chunk of child.stdout) {
      text += chunk;
      const at = text.indexOf('"id":2');
      const end = at < 0 ? -1 : text.indexOf("Content-Length", at);
      const begin = text.lastIndexOf("\r\n\r\n", at);
      const message = at < 0 ? "" : text.slice(begin + 4, end < 0 ? undefined : end);
      if (message.endsWith("}")) {
        try {
          return JSON.parse(message);
        } catch {
          // Not all of it is here yet.
        }
      }
    }
  } finally {
    child.kill();
  }
  assert.fail(`no answer: ${text}`);
}

test("root's policy allows it, and counts only if no other user can have written it", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN, uid: user(1).uid });
  t.after(() => vm.kill());
  t.after(() => rmSync("/etc/extrospect", { recursive: true, force: true }));
  makePolicyFolder();
  const look = () => asUser(["top", vm.pid, "-d", 1, "-F", 499, "--json"]);
  const policy = (/** @type {string} */ text) => {
    writeFileSync(POLICY, text);
    chmodSync(POLICY, 0o644);
  };
  assertDenied(await look(), /is not yours/);
  policy(`[users]\n${user(0).name} = ["${user(1).name}"]\n`);
  for (const engine of ["bpf", "readv"]) {
    const run = await asUser(["top", vm.pid, "-d", 1, "-F", 499, "--engine", engine, "--json"]);
    assert.equal(run.code, 0, run.stderr);
    assert.ok(JSON.parse(run.stdout).quality.samples > 0);
  }
  policy(`[groups]\n${GROUP} = [${user(1).uid}] # by number\n`);
  assert.equal((await look()).code, 0, "by group");
  policy(`[users]\n${user(1).name} = ["${user(0).name}"]\n`);
  assertDenied(await look(), /is not yours/);

  const good = `[users]\n${user(0).name} = ["${user(1).name}"]\n`;
  const refusals = [
    {
      make: () => chmodSync(POLICY, 0o666),
      undo: () => chmodSync(POLICY, 0o644),
      why: /may be written by others than root; .*sudo chmod go-w/,
    },
    {
      make: () => chmodSync("/etc/extrospect", 0o775),
      undo: () => chmodSync("/etc/extrospect", 0o755),
      why: /may be written by others than root/,
    },
    {
      make: () => must("chown", user(0).name, POLICY),
      undo: () => must("chown", "root", POLICY),
      why: /is not owned by root; .*sudo chown root:root/,
    },
    { make: () => policy("[users]\nnonsense\n"), undo: () => policy(good), why: /line 2: it is not of the form/ },
    {
      make: () => {
        rmSync(POLICY);
        writeFileSync("/etc/extrospect/other", good);
        symlinkSync("/etc/extrospect/other", POLICY);
      },
      undo: () => rmSync(POLICY),
      why: /is a symbolic link/,
    },
  ];
  policy(good);
  for (const { make, undo, why } of refusals) {
    make();
    assertDenied(await look(), why);
    undo();
  }
});

test("a program that only has the name of an emulator is refused", async (t) => {
  const fake = join(folder, "beam.smp");
  copyFileSync("/bin/sleep", fake);
  chmodSync(fake, 0o755);
  const sleeping = spawn(fake, ["600"], { uid: user(0).uid, gid: user(0).uid });
  const foreign = spawn(fake, ["600"]);
  t.after(() => sleeping.kill("SIGKILL") && foreign.kill("SIGKILL"));
  for (const way of WAYS(sleeping.pid ?? 0)) {
    const run = await asUser(way);
    assert.notEqual(run.code, 0, `${way.join(" ")}: ${run.stdout}`);
  }
  assertDenied(await asUser(["top", foreign.pid ?? 0]), /is not yours/);
  assert.equal((await asUser(["top", process.pid])).code, 4, "what is no emulator and another's");
});

test("a process with more rights than its user is refused to that user", async (t) => {
  // The caller's own uid, and a set-user-id root program: sudo, su, passwd are such.
  const suid = join(folder, "suid/beam.smp");
  mkdirSync(dirname(suid));
  copyFileSync("/bin/sleep", suid);
  chmodSync(suid, 0o4755);
  const child = spawn(suid, ["600"], { uid: user(0).uid, gid: user(0).uid });
  t.after(() => child.kill("SIGKILL"));
  assertDenied(await asUser(["top", child.pid ?? 0]), /is not yours: it belongs to root/);
});

test("no path that a user gives is opened with rights of the helper", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle" });
  t.after(() => vm.kill());
  const secret = join(folder, "secret.folded");
  writeFileSync(secret, "a;b 5\n", { mode: 0o600 });
  assert.equal((await runHelper(["top", secret])).code, 0, "root may");
  const mine = `/proc/${vm.pid}`;
  for (const path of [
    secret,
    `${mine}/root${secret}`,
    `${mine}/mem`,
    `${mine}/environ`,
    `${mine}/maps`,
    `${mine}/fd/0`,
    `${mine}/cwd/etc/shadow`,
    "/proc/1/root/etc/shadow",
    "/etc/shadow",
  ]) {
    const run = await asUser(["top", path]);
    assert.equal(run.code, 1, path);
    assert.match(run.stderr, /Permission denied/, path);
  }
  for (const option of [
    ["--own", `${mine}/root/root`],
    ["--own", "/root"],
  ]) {
    const run = await asUser(["top", secret, ...option]);
    assert.notEqual(run.code, 0, option.join(" "));
  }
});

test("the environment of a user has no effect", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle", uid: user(0).uid });
  t.after(() => vm.kill());
  const bait = [
    "LD_PRELOAD=/bait/preload.so",
    "LD_LIBRARY_PATH=/bait/lib",
    "HOME=/bait/home",
    "XDG_CACHE_HOME=/bait/cache",
    "RUST_BACKTRACE=full",
    "RUST_LOG=trace",
    "DEBUGINFOD_CACHE_PATH=/bait/debuginfod",
    "TMPDIR=/bait/tmp",
    "PATH=/bait/bin",
    "SUDO_UID=0",
  ];
  const traced = spawnSync(
    "strace",
    [
      "-f",
      "-qq",
      "-e",
      "trace=%file",
      "-u",
      user(0).name,
      ...bait.flatMap((each) => ["-E", each]),
      program,
      "doctor",
      String(vm.pid),
    ],
    {
      encoding: "utf8",
      maxBuffer: 1 << 26,
    },
  );
  assert.match(traced.stdout, /attached to/, traced.stderr.slice(-2000));
  // strace's own start of the program hands the variables over; nothing after that names them.
  const touched = traced.stderr.split("\n").filter((line) => line.includes("/bait") && !line.includes("execve("));
  assert.deepEqual(touched, []);
});

test("a command that the installed copy records has its caller's environment, and may start what its caller may", async (t) => {
  const rule = `/etc/sudoers.d/${NAME}-command`;
  const undo = undoneAfter(t);
  undo(() => rmSync(rule, { force: true }));
  writeFileSync(rule, `${user(0).name} ALL=(root) NOPASSWD: /usr/bin/id\n`, { mode: 0o440 });
  // The C library hides both of them from a program with rights of its own.
  const env = ["LD_LIBRARY_PATH=/opt/some/lib", "MALLOC_TRACE=/tmp/trace", "ERL_FLAGS=+S 1"];
  const script = `echo "$LD_LIBRARY_PATH $MALLOC_TRACE $ERL_FLAGS"; grep -E '^(NoNewPrivs|CapPrm|CapEff|CapInh|CapAmb):' /proc/self/status; sudo -n id -u`;
  const run = await asUser(["record", "-o", join("/tmp", `${NAME}.pb.gz`), "--", "/bin/sh", "-c", script], { env });
  const none = "0000000000000000";
  const rights = ["CapInh", "CapPrm", "CapEff", "CapAmb"].map((set) => `${set}:\t${none}`);
  assert.deepEqual(
    run.stdout.trim().split("\n"),
    ["/opt/some/lib /tmp/trace +S 1", ...rights, "NoNewPrivs:\t0", "0"],
    run.stderr,
  );
});

test("a rule of sudo or doas for the installed copy lends the program, not root", async (t) => {
  const undo = undoneAfter(t);
  const otp = await prepareOtp("25");
  // Of a user in no group that may start the installed copy.
  const own = await runErl({ otp, ...NOW_AND_THEN, uid: user(1).uid });
  t.after(() => own.kill());
  const roots = await runErl({ otp, module: "gt_idle" });
  t.after(() => roots.kill());
  const rules = [
    {
      file: `/etc/sudoers.d/${NAME}`,
      rule: `${user(1).name} ALL=(root) NOPASSWD: ${program}\n`,
      mode: 0o440,
      by: ["sudo", "-n"],
    },
    {
      file: "/etc/doas.conf",
      rule: `permit nopass ${user(1).name} as root cmd ${program}\n`,
      mode: 0o400,
      by: ["doas", "-n"],
    },
  ];
  for (const { file, rule, mode, by } of rules) {
    assert.ok(!existsSync(file), `${file} is there: this test makes its own`);
    const asLender = { program, wrapper: [...as(1), ...by] };
    assert.notEqual((await runHelper(["top", own.pid, "-d", 1], asLender)).code, 0, "without a rule");
    undo(() => rmSync(file, { force: true }));
    writeFileSync(file, rule, { mode });
    const seen = await runHelper(["top", own.pid, "-d", 1, "--json"], asLender);
    assert.equal(seen.code, 0, seen.stderr);
    assert.ok(JSON.parse(seen.stdout).samples > 0);
    assertDenied(await runHelper(["top", roots.pid, "-d", 1], asLender), /is not yours/);
    const output = join(folder, "by-rule.pb.gz");
    assert.notEqual(
      (await runHelper(["record", own.pid, "-d", 1, "-o", output], asLender)).code,
      0,
      "root's folder is not the caller's",
    );
    assert.ok(!existsSync(output));
  }
  // Where a rule keeps variables that its caller sets, the two contradict each other, and neither is trusted.
  for (const both of [["SUDO_UID=0", `DOAS_USER=${user(1).name}`], ["DOAS_USER=nobody-at-all"]]) {
    assertDenied(await runHelper(["top", roots.pid, "-d", 1], { program, wrapper: ["env", ...both] }), /is not yours/);
  }
  assert.equal((await runHelper(["top", roots.pid, "-d", 1], { program })).code, 0, "root without sudo is root");
});

test("doctor reports the copy, and uninstall removes it", async () => {
  const rows = () => runHelper(["doctor", "--json"]).then((run) => JSON.parse(run.stdout).rows);
  const row = (await rows()).find((/** @type {any} */ found) => found.check === "installed copy");
  assert.ok(row, "there is such a row");
  const said = must(HELPER, "uninstall", "--from", dirname(program), "--group", GROUP);
  assert.match(said, new RegExp(`removed ${program}\ngroup ${GROUP} stays`));
  assert.ok(!existsSync(program));
  assert.match(
    must(HELPER, "uninstall", "--from", dirname(program), "--group", GROUP, "--purge"),
    new RegExp(`there is no ${program}\nremoved group ${GROUP}`),
  );
});
