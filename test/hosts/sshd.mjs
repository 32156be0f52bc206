// A real sshd on loopback, with keys of its own, and a user of its own to log in as. Needs root.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { addAccount, setPassword } from "../accounts.mjs";
import { removeLeftServers } from "../left-on-machine.mjs";
import { must } from "../must.mjs";
import { smallDisk } from "../small-disks.mjs";
import { until } from "../until.mjs";

/** Undoes set-up: a test, or an object like one. @typedef {{after: (undo: () => unknown) => unknown}} Afterwards */

export class Sshd {
  /** @param {string} folder @param {number} port @param {string} user @param {import("./far-machine.mjs").FarMachine} [machine] */
  constructor(folder, port, user, machine) {
    this.folder = folder;
    /** Where it runs, when that is not this machine. */
    this.machine = machine;
    this.address = machine?.address ?? "127.0.0.1";
    this.port = port;
    this.user = user;
    this.uid = Number(must("id", "-u", user));
    this.home = join(folder, "home");
    /** The user's configuration of ssh, with a host called `far`. */
    this.config = join(folder, "config");
    /** A program that is called as ssh is, with that configuration and no other. */
    this.ssh = join(folder, "ssh");
    /** Without it host keys have to be confirmed. */
    this.knownHosts = join(folder, "known_hosts");
    /** Of the one that listens; 0 before. */
    this.pid = 0;
    /** Of the user's key. */
    this.key = join(folder, "key");
  }

  /**
   * @param {Afterwards} t
   * @param {{passphrase?: string, isKnown?: boolean, asRoot?: boolean, password?: string, asksCode?: boolean, machine?: import("./far-machine.mjs").FarMachine}} [how]
   *   `asRoot`: the user who logs in is root, with folders of their own for state and cache; `password`: for the
   *   log-in, in place of a key; `asksCode`: PAM prompts for more once the key was right; `machine`: where it runs,
   *   else here
   */
  static async start(
    t,
    { passphrase = "", isKnown = true, asRoot = false, password = "", asksCode = false, machine } = {},
  ) {
    removeLeftServers();
    const folder = mkdtempSync(`/opt/extrospect-sshd-${process.pid}-`);
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    const user = asRoot ? "root" : `xssh${process.pid}x${Math.floor(Math.random() * 1000)}`;
    if (asRoot) mkdirSync(join(folder, "home"), { mode: 0o700 });
    else {
      await addAccount(t, user, ["--create-home", "--home-dir", join(folder, "home"), "--shell", "/bin/bash"]);
      // An account without a password is locked for sshd, keys or not.
      const hash = password === "" ? "*" : must("openssl", "passwd", "-6", password).trim();
      await setPassword(user, hash);
    }
    const sshd = new Sshd(folder, await freePort(), user, machine);
    sshd.#configure(passphrase, isKnown, password !== "", asksCode);
    await sshd.listen(t);
    return sshd;
  }

  /** @param {string} passphrase @param {boolean} isKnown @param {boolean} hasPassword @param {boolean} asksCode */
  #configure(passphrase, isKnown, hasPassword, asksCode) {
    const { folder, port, user, home, key } = this;
    const hostKey = join(folder, "host-key");
    must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", hostKey);
    must("ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", key);
    const authorized = join(home, ".ssh/authorized_keys");
    mkdirSync(join(home, ".ssh"), { mode: 0o700 });
    writeFileSync(authorized, readFileSync(`${key}.pub`), { mode: 0o600 });
    for (const path of [join(home, ".ssh"), authorized]) chownSync(path, this.uid, this.uid);
    const facts = [
      `Port ${port}`,
      `ListenAddress ${this.address}`,
      `HostKey ${hostKey}`,
      `PidFile ${folder}/pid`,
      ...(asksCode
        ? ["UsePAM yes", "KbdInteractiveAuthentication yes", "AuthenticationMethods publickey,keyboard-interactive"]
        : ["UsePAM no"]),
      `PasswordAuthentication ${hasPassword ? "yes" : "no"}`,
      `PubkeyAuthentication ${hasPassword ? "no" : "yes"}`,
      "PermitRootLogin prohibit-password",
      `AuthorizedKeysFile ${home}/.ssh/authorized_keys`,
      ...(user === "root" ? [`SetEnv XDG_CACHE_HOME=${home}/.cache XDG_STATE_HOME=${home}/.local/state`] : []),
      "StrictModes yes",
      `AllowUsers ${user}`,
    ];
    writeFileSync(join(folder, "sshd_config"), `${facts.join("\n")}\n`);
    const [type, text] = readFileSync(`${hostKey}.pub`, "utf8").split(" ");
    if (isKnown) writeFileSync(this.knownHosts, `[${this.address}]:${port} ${type} ${text}\n`);
    this.addHost("far", port, this.address);
    writeFileSync(this.ssh, `#!/bin/sh\nexec /usr/bin/ssh -F '${this.config}' "$@"\n`, { mode: 0o755 });
  }

  /** @param {Afterwards} t */
  async listen(t) {
    mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    const [program = "", ...args] = [...boundToThis("KILL"), ...(this.machine?.there ?? []), "/usr/sbin/sshd"];
    const child = spawn(program, [...args, "-D", "-e", "-f", join(this.folder, "sshd_config")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let log = "";
    child.stderr.on("data", (chunk) => (log = `${log}${chunk}`.slice(-4000)));
    this.pid = child.pid ?? 0;
    t.after(() => child.kill("SIGKILL"));
    await until("sshd listens", async () => {
      assert.equal(child.exitCode, null, log);
      const socket = connect(this.port, this.address);
      await once(socket, "connect");
      socket.destroy();
      return true;
    });
  }

  /** A name for it, by that port, of this machine. @param {string} name @param {number} port @param {string} [host] */
  addHost(name, port, host = "127.0.0.1") {
    const lines = [
      `Host ${name}`,
      `  HostName ${host}`,
      `  Port ${port}`,
      `  User ${this.user}`,
      `  IdentityFile ${this.key}`,
      "  IdentitiesOnly yes",
      `  HostKeyAlias [${this.address}]:${this.port}`,
      `  UserKnownHostsFile ${this.knownHosts}`,
      "  GlobalKnownHostsFile /dev/null",
    ];
    appendFileSync(this.config, `${lines.join("\n")}\n`);
  }

  /** Its `far` under another name, for use with the `ssh` of another one. @param {Sshd} other @param {string} name */
  alsoFor(other, name) {
    appendFileSync(other.config, readFileSync(this.config, "utf8").replace("Host far\n", `Host ${name}\n`));
  }

  /** Ends every connection, as a cable that is cut; sshd itself goes on. */
  cut() {
    for (const { pid } of below(this.pid).filter(({ command }) => isOfConnection(command))) kill(pid);
    // Once it no longer listens, connections have no parent here. An account of the test has no others; root may have.
    if (this.user !== "root") spawnSync("pkill", ["-KILL", "-f", `^sshd: ${this.user}(@| )`]);
  }

  /** No client can connect any longer; connections stay. */
  async stopListening() {
    process.kill(this.pid, "SIGTERM");
    await until("sshd listens no more", async () => {
      const socket = connect(this.port, this.address);
      const refused = await once(socket, "connect").then(
        () => false,
        () => true,
      );
      socket.destroy();
      return refused;
    });
  }

  /** A program that is called as `ssh` is, with options that count more than those of the caller. @param {string} name @param {string[]} options */
  sshWith(name, options) {
    const program = join(this.folder, name);
    const given = options.map((option) => `-o ${option}`).join(" ");
    writeFileSync(program, `#!/bin/sh\nexec /usr/bin/ssh -F '${this.config}' ${given} "$@"\n`, { mode: 0o755 });
    return program;
  }

  /** How many processes the user has there, of programs called so. @param {string} [program] */
  processes(program) {
    return Number(
      spawnSync("pgrep", ["--count", "-u", this.user, ...(program === undefined ? [] : ["-f", program])], {
        encoding: "utf8",
      }).stdout,
    );
  }

  /**
   * Helpers that were sent there, for any logged-in user: other tests have helpers of their own.
   * @param {string} args   how their arguments begin
   */
  helpers(args) {
    return spawnSync("pgrep", ["-f", `^${this.home}/\\S+ ${args}`], { encoding: "utf8" })
      .stdout.split("\n")
      .filter(Boolean)
      .map(Number);
  }

  /** The test's ssh clients that are connected to it, or about to be. */
  get clients() {
    return Number(spawnSync("pgrep", ["--count", "-f", `ssh -F ${this.config}`], { encoding: "utf8" }).stdout);
  }

  /** The folder where the user's captures are kept there is a disk of its own, of that size. @param {string} size @returns {() => void} what unmounts it, to be run before the home is removed */
  smallState(size) {
    const state = join(this.home, ".local/state");
    for (const folder of [join(this.home, ".local"), state]) {
      mkdirSync(folder);
      chownSync(folder, this.uid, this.uid);
    }
    return smallDisk(state, `size=${size},mode=0700,uid=${this.uid},gid=${this.uid}`);
  }

  /** A file below the user's home, theirs. @param {string} path @param {string} text */
  write(path, text) {
    const file = join(this.home, path);
    writeFileSync(file, text);
    chownSync(file, this.uid, this.uid);
    return file;
  }
}

/**
 * The processes below one, with their commands.
 * @param {number} pid
 * @returns {{pid: number, command: string}[]}
 */
function below(pid) {
  const listed = spawnSync("ps", ["--no-headers", "-o", "pid=,args=", "--ppid", String(pid)], { encoding: "utf8" });
  return [...listed.stdout.matchAll(/^ *(\d+) (.*)$/gm)].flatMap(([, child, command = ""]) => [
    { pid: Number(child), command },
    ...below(Number(child)),
  ]);
}

/** As sshd calls its processes. @param {string} command */
const isOfConnection = (command) => /^sshd(-session|-auth)?: /.test(command) && !command.includes("[listener]");

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended with another one.
  }
}
