// A real ejabberd for the tests: loopback only, no epmd, all files in a temporary folder, no
// service manager. And clients of it: some that log in again and again, some that chat.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { installationUnder, preparedRoot } from "./otp.mjs";

/** Root folders of their own: Debian's packages of ejabberd bring two dozen others. */
const ROOTS = /** @type {const} */ ({
  25: { name: "ejabberd-25", suite: "bookworm", debian: "Debian 12", packages: ["ejabberd"] },
  27: { name: "ejabberd-27", suite: "trixie", debian: "Debian 13", packages: ["ejabberd"] },
  29: { name: "ejabberd-29", suite: "sid", debian: "Debian sid", packages: ["ejabberd"] },
});
const LIBRARIES = "/usr/lib/x86_64-linux-gnu";
const START_MS = 600_000;

/**
 * @typedef {object} Ejabberd
 * @property {number} pid    of its beam.smp, as this machine counts
 * @property {number} port   of XMPP on 127.0.0.1
 * @property {() => Promise<void>} stop
 */

/**
 * Its installation, made when it is not there yet.
 * @param {"25" | "27" | "29"} release   of OTP
 * @param {AbortSignal} [signal]
 */
export async function prepareEjabberd(release, signal) {
  const { packages, ...root } = ROOTS[release];
  return installationUnder(release, await preparedRoot({ ...root, packages: [...packages] }, signal));
}

/**
 * @param {"25" | "27" | "29"} release   of OTP
 * @param {{env?: (folderHere: string, folder: string) => Record<string, string>}} [options]   more environment; its folder as it is called here, and as the VM calls it
 * @returns {Promise<Ejabberd>}
 */
export async function startEjabberd(release, { env: more } = {}) {
  const otp = await prepareEjabberd(release);
  const port = await freePort();
  const folder = openPath("ejabberd");
  const folderHere = otp.hostPath(folder);
  mkdirSync(folderHere, { recursive: true, mode: 0o700 });
  writeFileSync(join(folderHere, "ejabberd.yml"), configuration(port));
  const version = readdirSync(otp.hostPath(LIBRARIES)).find((name) => name.startsWith("ejabberd-"));
  if (version === undefined) throw new Error(`there is no ejabberd under ${otp.root}`);
  // The command of `ejabberdctl foreground`, but as this user and without epmd.
  const [command, ...args] = otp.wrap([
    "/usr/bin/erl",
    "-noinput",
    "-sname",
    "ejabberd@localhost",
    "-start_epmd",
    "false",
    "-erl_epmd_port",
    String(await freePort()),
    "-kernel",
    "inet_dist_use_interface",
    "{127,0,0,1}",
    "+K",
    "true",
    "+P",
    "250000",
    "-mnesia",
    "dir",
    `"${folder}/mnesia"`,
    "-s",
    "ejabberd",
  ]);
  const env = {
    PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    LANG: "C.UTF-8",
    HOME: folder,
    ERL_LIBS: LIBRARIES,
    ERL_MAX_PORTS: "32000",
    EJABBERD_CONFIG_PATH: `${folder}/ejabberd.yml`,
    EJABBERD_LOG_PATH: `${folder}/ejabberd.log`,
    ERL_CRASH_DUMP: "/dev/null",
    ...more?.(folderHere, folder),
  };
  const [program = "", ...argv] = [...boundToThis("KILL"), command, ...args];
  const child = spawn(program, argv, { cwd: "/", env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (output = (output + chunk).slice(-20_000)));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const kill = () => void child.kill("SIGKILL");
  process.on("exit", kill);
  const stop = async () => {
    child.kill("SIGTERM");
    const patience = setTimeout(kill, 10_000);
    await ended;
    clearTimeout(patience);
    process.off("exit", kill);
    rmSync(folderHere, { recursive: true, force: true });
  };
  const deadline = performance.now() + START_MS;
  while (!(await listens(port))) {
    if (child.exitCode === null && performance.now() < deadline) continue;
    await stop();
    throw new Error(`ejabberd on OTP ${release} does not start:\n${output.slice(-3000)}`);
  }
  return { pid: child.pid ?? 0, port, stop };
}

/**
 * A disk of which every write takes long while `isSlow` is switched on: for `startEjabberd`. See src/slow_disk.c.
 * @returns {{environment: (folderHere: string, folder: string) => Record<string, string>, isSlow: (is: boolean) => void}}
 */
export function slowDisk() {
  let sign = "";
  return {
    environment: (folderHere, folder) => {
      execFileSync("gcc", [
        "-shared",
        "-fPIC",
        "-O2",
        "-Wall",
        "-Werror",
        "-o",
        join(folderHere, "slow_disk.so"),
        fileURLToPath(new URL("src/slow_disk.c", import.meta.url)),
      ]);
      sign = join(folderHere, "slow");
      return { LD_PRELOAD: `${folder}/slow_disk.so`, SLOW_DISK_WHILE: `${folder}/slow` };
    },
    isSlow: (is) => (is ? writeFileSync(sign, "") : rmSync(sign, { force: true })),
  };
}

/** @param {number} port */
const configuration = (port) => `
hosts: [localhost]
loglevel: warning
auth_method: internal
auth_password_format: plain
listen:
  - port: ${port}
    ip: "127.0.0.1"
    module: ejabberd_c2s
    shaper: none
    access: all
modules:
  mod_disco: {}
  mod_offline: {}
  mod_ping: {}
  mod_register:
    access: all
    ip_access: all
    registration_watchers: []
  mod_roster: {}
  mod_stats: {}
  mod_vcard: {}
registration_timeout: infinity
`;

/**
 * Clients until stopped.
 * @param {number} port
 * @param {{pairs?: number, logins?: number, bytes?: number}} [load]  pairs that send each other messages, and clients that only log in
 * @returns {Promise<{stop: () => Promise<{messages: number, logins: number}>}>}
 */
export async function startXmppLoad(port, { pairs = 4, logins = 2, bytes = 300 } = {}) {
  const counts = { messages: 0, logins: 0 };
  let over = false;
  const names = Array.from({ length: 2 * pairs + logins }, (_, index) => `user${index}`);
  for (const name of names) await register(port, name);
  /** @type {Client[]} */
  const chatting = [];
  for (let index = 0; index < pairs; index += 1) {
    const both = await Promise.all(names.slice(2 * index, 2 * index + 2).map((name) => logIn(port, name)));
    for (const [from, to] of [both, both.toReversed()]) {
      const message = `<message to='${to?.name}@localhost' type='chat'><body>${"lorem ipsum ".repeat(bytes / 12)}</body></message>`;
      from?.each("</message>", (/** @type {number} */ count) => {
        counts.messages += count;
        if (!over) from.send(message.repeat(count));
      });
      from?.send(message.repeat(4));
    }
    chatting.push(...both);
  }
  const loops = names.slice(2 * pairs).map(async (name) => {
    while (!over) {
      (await logIn(port, name)).end();
      counts.logins += 1;
    }
  });
  return {
    stop: async () => {
      over = true;
      await Promise.all(loops);
      for (const client of chatting) client.end();
      return counts;
    },
  };
}

/** @param {number} port @param {string} name */
export async function register(port, name) {
  const client = await Client.open(port, name);
  client.send(
    `<iq type='set' id='reg'><query xmlns='jabber:iq:register'><username>${name}</username><password>secret</password></query></iq>`,
  );
  await client.hears(/<iq[^>]*type='result'/);
  client.end();
}

/** @param {number} port @param {string} name */
export async function logIn(port, name) {
  const client = await Client.open(port, name);
  const credentials = Buffer.from(`\0${name}\0secret`).toString("base64");
  client.send(`<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${credentials}</auth>`);
  await client.hears(/<success/);
  client.begin();
  await client.hears(/<\/stream:features>/);
  client.send("<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>");
  await client.hears(/<jid>/);
  client.send("<presence/>");
  return client;
}

/** As much of XMPP as the load needs: received text is searched, not parsed. */
class Client {
  #heard = "";
  #wake = () => {};
  #over = false;

  /** @param {import("node:net").Socket} socket @param {string} name */
  constructor(socket, name) {
    this.socket = socket;
    this.name = name;
    socket.setEncoding("utf8").on("data", (text) => {
      this.#heard += text;
      this.#wake();
    });
    socket.on("close", () => {
      this.#over = true;
      this.#wake();
    });
    socket.on("error", () => {});
  }

  /** @param {number} port @param {string} name @returns {Promise<Client>} */
  static async open(port, name) {
    const client = new Client(connect(port, "127.0.0.1"), name);
    client.begin();
    await client.hears(/<\/stream:features>/);
    return client;
  }

  begin() {
    this.send(
      "<?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
    );
  }

  /** @param {string} text */
  send(text) {
    if (!this.socket.destroyed) this.socket.write(text);
  }

  /** Received text up to there is forgotten. @param {RegExp} pattern */
  async hears(pattern) {
    for (;;) {
      const found = pattern.exec(this.#heard);
      if (found !== null) {
        this.#heard = this.#heard.slice(found.index + found[0].length);
        return;
      }
      if (this.#over)
        throw new Error(`${this.name}: the connection ended before ${pattern}; last heard: ${this.#heard.slice(-500)}`);
      await new Promise((resolve) => (this.#wake = () => resolve(undefined)));
    }
  }

  /** From now on only this is listened for. @param {string} text @param {(count: number) => void} act */
  each(text, act) {
    this.#wake = () => {
      const parts = this.#heard.split(text);
      this.#heard = parts.at(-1) ?? "";
      if (parts.length > 1) act(parts.length - 1);
    };
  }

  end() {
    this.send("</stream:stream>");
    this.socket.end();
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => setTimeout(() => resolve(false), 50));
    socket.once("close", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
