// The binaries of a VM, wherever they are: deleted, replaced, in another root, in a container.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { isOurs, runErl } from "../vms/vm.mjs";
import { helperJson } from "./helper.mjs";

/** May read memory and nothing more: `map_files`, which needs more, is refused. */
const READING_ONLY = ["setpriv", "--inh-caps=-all", "--bounding-set=-all,+sys_ptrace,+perfmon"];

/** @param {import("node:test").TestContext} t */
function folderFor(t) {
  const folder = openFolder("objects");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The self-check of a VM that is understood. @param {number} pid @param {string[]} [wrapper] */
async function checked(pid, wrapper = []) {
  const { rows } = await helperJson(["doctor", pid], { wrapper });
  /** @param {string} check */
  const found = (check) => {
    const row = rows.find((/** @type {any} */ it) => it.check === check);
    assert.equal(row?.status, "ok", `${check}: ${row?.found ?? JSON.stringify(rows.at(-1))}`);
    return row.found;
  };
  for (const check of ["attach", "layout", "known modules", "atoms", "names"]) found(check);
  return found("binaries");
}

test("a VM whose emulator was deleted, and replaced by something else", async (t) => {
  const folder = folderFor(t);
  const erts = readdirSync("/usr/lib/erlang").find((name) => name.startsWith("erts-"));
  cpSync(`/usr/lib/erlang/${erts}/bin`, folder, { recursive: true });
  const child = spawn(
    join(folder, "erlexec"),
    ["-noshell", "-eval", 'io:put_chars([os:getpid(), $\\n]), io:get_line("").'],
    {
      env: { ...process.env, ROOTDIR: "/usr/lib/erlang", BINDIR: folder, EMU: "beam", PROGNAME: "erl" },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  t.after(() => child.kill("SIGKILL"));
  const pid = Number(await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text)))));
  const before = await checked(pid);
  rmSync(join(folder, "beam.smp"));
  const after = await checked(pid);
  assert.equal(after, before, "the same build");
  writeFileSync(join(folder, "beam.smp"), readFileSync("/bin/ls"));
  assert.equal(await checked(pid), before, "what has taken its name is not read");
  const reading = await checked(pid, READING_ONLY);
  assert.match(reading, /files? opened by exe \(known by inode\)/);
  assert.equal(reading.split(";")[0], before.split(";")[0], "the same build id");
});

test("a VM in a root and a mount namespace of its own", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_idle" });
  t.after(() => vm.kill());
  assert.match(await checked(vm.pid), /opened by map_files \(known by kernel\)/);
  assert.match(await checked(vm.pid, READING_ONLY), /opened by root \(known by inode\)/);
});

test("a VM in a container: pid and mount namespace, files on an overlay", async (t) => {
  const folder = folderFor(t);
  const otp = await prepareOtp("27");
  // The layer's folders go with the namespace they are mounted in.
  const script = `
    mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root" &&
    mount -t overlay overlay -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" "$1/root" &&
    mount -t proc proc "$1/root/proc" && mount --rbind /dev "$1/root/dev" && root="$1/root" && shift && exec chroot "$root" "$@"`;
  const container = {
    ...otp,
    /** @type {import("../vms/otp.mjs").OtpInstallation["wrap"]} */
    wrap: (argv) => [
      "unshare",
      "--pid",
      "--mount",
      "--fork",
      "--kill-child",
      "--",
      "/bin/sh",
      "-c",
      script,
      otp.root,
      folder,
      ...argv,
    ],
  };
  mkdirSync(folder, { recursive: true });
  const vm = await runErl({ otp: container, module: "gt_idle" });
  t.after(() => vm.kill());
  const pid = hostPid(vm.pid, otp.release);
  assert.notEqual(pid, vm.pid, "it counts its processes itself");
  assert.match(await checked(pid), /opened by map_files \(known by kernel\)/);
  const reading = await checked(pid, READING_ONLY);
  t.diagnostic(reading);
  assert.match(reading, /opened by root \(known by (inode|contents)\)/);
});

/** The pid, as this machine counts, of the emulator with that pid in a namespace of its own. @param {number} inside @param {string} release */
function hostPid(inside, release) {
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const status = existsSync(`/proc/${entry}/status`) ? readFileSync(`/proc/${entry}/status`, "utf8") : "";
    const pids = /^NSpid:\t(.*)$/m.exec(status)?.[1]?.split("\t").map(Number) ?? [];
    if (pids.length > 1 && pids.at(-1) === inside && /^Name:\tbeam.smp$/m.test(status) && isOurs(entry))
      return Number(entry);
  }
  throw new Error(`no emulator of OTP ${release} has pid ${inside} in a namespace`);
}
