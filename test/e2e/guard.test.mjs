// The installed helper: it has rights that its caller lacks, and no user can turn them against others. Everything is
// tried from outside, as users that are made for this and removed afterwards.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { machineLock } from "../machine-lock.mjs";
import { must } from "../must.mjs";
import { until } from "../until.mjs";
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

test("a user profiles a VM of their own without root", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN, uid: user(0).uid });
  t.after(() => vm.kill());
  const file = join(folder, "theirs.pb.gz");
  mkdirSync(join(folder, "home"));
  must("chown", user(0).name, join(folder, "home"));
  for (const engine of ["bpf", "readv"]) {
    await until("samples", async () => {
      const run = await asUser(["top", vm.pid, "-d", 1, "-F", 499, "--engine", engine, "--json"]);
      const { quality } = JSON.parse(run.stdout);
      assert.equal(quality.engine.name, engine, run.stderr);
      return quality.samples > 0;
    });
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

test("root's policy allows it, and counts only while no other user can have written it", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN, uid: user(1).uid });
  t.after(() => vm.kill());
  t.after(() => rmSync(dirname(POLICY), { recursive: true, force: true }));
  makePolicyFolder();
  const look = () => asUser(["pstack", vm.pid]);
  assertDenied(await look(), /is not yours/);
  writeFileSync(POLICY, `[users]\n${user(0).name} = ["${user(1).name}"]\n`);
  chmodSync(POLICY, 0o644);
  const allowed = await look();
  assert.equal(allowed.code, 0, allowed.stderr);
  chmodSync(POLICY, 0o666);
  assertDenied(await look(), /may be written by others than root; .*sudo chmod go-w/);
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
