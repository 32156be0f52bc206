// Another machine as far as the kernel makes one: a name, a network and processes of its own, reached by a cable (a
// pair of virtual network devices) that leads here. Its files are this machine's except /usr/local, where nothing is
// installed. Needs root.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { must } from "../must.mjs";
import { until } from "../until.mjs";
import { busyShell } from "../vms/busy-shell.mjs";

/** @typedef {import("./sshd.mjs").Afterwards} Afterwards */

// Its first process does nothing: all others end with it.
const BOOT = `set -e
hostname "$1"
mount -t tmpfs tmpfs /usr/local
ip link set lo up
echo booted
exec sleep infinity`;
const OWN_ETC = `set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc`;
/** The rights of an installed helper, as root's installation gives them. */
const CAPABILITIES = "cap_perfmon,cap_bpf,cap_sys_ptrace,cap_sys_nice,cap_ipc_lock=p";

export class FarMachine {
  /** Of its first process; 0 while it is off. */
  pid = 0;
  #device = `xfar${process.pid % 10_000}${Math.floor(Math.random() * 1000)}`;
  // Of the addresses for tests of networks; two of four are the cable's ends.
  #network = `198.18.${Math.floor(Math.random() * 250)}.${4 * Math.floor(Math.random() * 60)}`;
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  /** @param {Afterwards} t */
  static async start(t, name = "far-machine") {
    const machine = new FarMachine(name);
    t.after(() => machine.stop());
    await machine.boot();
    return machine;
  }

  /** Its address. */
  get address() {
    return this.#end(2);
  }

  /** The start of a command that is to run there. @returns {[string, ...string[]]} */
  get there() {
    assert.ok(this.pid > 0, "it is off");
    return ["nsenter", `--target=${this.pid}`, "--mount", "--uts", "--net", "--pid", "--"];
  }

  async boot() {
    const namespaces = ["--net", "--pid", "--mount", "--uts", "--fork", "--kill-child", "--mount-proc"];
    const [command = "", ...args] = [...boundToThis("KILL"), "unshare", ...namespaces];
    const child = spawn(command, [...args, "/bin/sh", "-c", BOOT, "boot", this.name], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (said = `${said}${chunk}`.slice(-2000)));
    await until("it has booted", () => said.includes("booted") || child.exitCode !== null);
    assert.equal(child.exitCode, null, said);
    this.pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim());
    must("ip", "link", "add", this.#device, "type", "veth", "peer", "name", "eth0", "netns", String(this.pid));
    must("ip", "address", "add", `${this.#end(1)}/30`, "dev", this.#device);
    must("ip", "link", "set", this.#device, "up");
    must(...this.there, "ip", "address", "add", `${this.#end(2)}/30`, "dev", "eth0");
    must(...this.there, "ip", "link", "set", "eth0", "up");
  }

  /** Pulls its plug: everything on it is gone at once, without a message. */
  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    // Before it can close its connections.
    spawnSync("ip", ["link", "set", this.#device, "down"]);
    process.kill(this.pid, "SIGKILL");
    await until("it is off", () => child.exitCode !== null || child.signalCode !== null);
    this.pid = 0;
    spawnSync("ip", ["link", "delete", this.#device]);
    await until("its cable is gone", () => spawnSync("ip", ["link", "show", this.#device]).status !== 0);
  }

  /** A busy VM of that user. @param {Afterwards} t @param {number} uid @returns {Promise<number>} its process id there */
  async startVm(t, uid) {
    const [program, ...args] = this.there;
    const user = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "env", "HOME=/tmp"];
    const child = spawn(program, [...args, ...user, "erl", ...busyShell()], { stdio: ["pipe", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    await new Promise((ready) => child.stdout.once("data", ready));
    return Number(must(...this.there, "pgrep", "--newest", "-u", String(uid), "-x", "beam.smp"));
  }

  /** A helper where root's installation puts it, with its rights. @param {Afterwards} t @param {string} program */
  install(t, program) {
    const folder = mkdtempSync("/opt/extrospect-install-");
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const from = join(folder, "extrospect");
    if (program.startsWith("#!")) writeFileSync(from, program, { mode: 0o755 });
    else copyFileSync(program, from);
    const to = "/usr/local/libexec/extrospect/extrospect";
    must(...this.there, "install", "-D", "-m", "0755", from, to);
    if (!program.startsWith("#!")) must(...this.there, "setcap", CAPABILITIES, to);
  }

  /** Its `/etc` becomes its own: files written there are seen nowhere else. */
  ownEtc() {
    must(...this.there, "/bin/sh", "-c", OWN_ETC);
  }

  /** A file below its own `/etc`, root's. @param {string} path @param {string} text @param {string} [mode] */
  writeEtc(path, text, mode = "0644") {
    must(
      ...this.there,
      "/bin/sh",
      "-c",
      'printf %s "$2" > "/etc/$1" && chmod "$3" "/etc/$1"',
      "write",
      path,
      text,
      mode,
    );
  }

  /** @param {number} last */
  #end(last) {
    const [a, b, c, d] = this.#network.split(".").map(Number);
    return `${a}.${b}.${c}.${(d ?? 0) + last}`;
  }
}
