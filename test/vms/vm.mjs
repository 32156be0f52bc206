// Starts the Erlang programs of src/ as VMs of their own and talks with them: a line of JSON
// when ready, one per report, one at the end. A VM reads commands from a pipe this process
// holds, so it also ends when the tests are killed.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { outputOf } from "../../scripts/command.mjs";
import { exitAtEndingSignal } from "../../scripts/ending-signals.mjs";
import { Problem } from "../../scripts/problem.mjs";
import { cached, hashOf } from "../cached.mjs";
import { PATIENCE_MS } from "../until.mjs";
import { IDLE_SLEEPS } from "./idle-sleeps.mjs";

const SOURCE_FOLDER = join(dirname(fileURLToPath(import.meta.url)), "src");

/**
 * @typedef {object} RunningVm
 * @property {number} pid          of beam.smp, as this machine counts
 * @property {() => Promise<any>} report   the truth the VM has measured so far
 * @property {() => void} go       begins what the VM may be unable to answer in; for programs that wait for it
 * @property {any[]} lines         every line of JSON the VM printed by itself
 * @property {() => Promise<any>} stop     last report; the VM is gone afterwards
 * @property {() => void} kill     SIGKILL, at once
 * @property {Promise<number | null>} ended   exit code, null when a signal ended it
 */

/** @type {Set<RunningVm>} */
const running = new Set();
let endsThem = false;
/** A process that starts none, the runner for example, ends in its own way. */
function endThemWithProcess() {
  if (endsThem) return;
  endsThem = true;
  process.on("exit", () => {
    for (const vm of running) vm.kill();
  });
  exitAtEndingSignal();
}

/**
 * Compiles src/*.erl with the installation's own compiler and src/*.c, into a folder inside it; once for all test files.
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {AbortSignal} [signal]   of the run: a compiler that gets Ctrl-C waits for an answer
 * @returns {Promise<string>} the folder with the .beam files, as the installation sees it; not to be written to
 */
export async function compileSources(otp, signal) {
  // Callers that start several VMs at once wait for the same compiler.
  const begun = compiled.get(otp.root) ?? compiledIn(otp, signal);
  compiled.set(otp.root, begun);
  return begun;
}
/** By root folder. @type {Map<string, Promise<string>>} */
const compiled = new Map();

/** @param {import("./otp.mjs").OtpInstallation} otp @param {AbortSignal} [signal] */
async function compiledIn(otp, signal) {
  const names = readdirSync(SOURCE_FOLDER).sort();
  // This file has the flags; the installation's folder of libraries has the compiler and its version.
  const parts = [fileURLToPath(import.meta.url), ...names.map((name) => join(SOURCE_FOLDER, name))].flatMap((path) => [
    basename(path),
    readFileSync(path),
  ]);
  const compilers = [
    ...readdirSync(otp.hostPath("/usr/lib/erlang/lib")).filter((name) => name.startsWith("compiler-")),
    otp.rabbitmqPlugins ?? "",
    otp.release,
  ];
  const inside = `/var/tmp/extrospect-vms/${hashOf([...parts, ...compilers])}`;
  await cached(otp.hostPath(inside), (here) => compileInto(otp, inside, here, signal), signal);
  return inside;
}

/**
 * @param {import("./otp.mjs").OtpInstallation} otp
 * @param {string} inside
 * @param {string} here   the same folder as this machine sees it
 * @param {AbortSignal} [signal]
 */
async function compileInto(otp, inside, here, signal) {
  cpSync(SOURCE_FOLDER, here, { recursive: true });
  const sources = readdirSync(here).filter(
    (name) => name.endsWith(".erl") && (otp.rabbitmqPlugins || !name.startsWith("rmq_")),
  );
  const [command, ...args] = otp.wrap(["/bin/sh", "-c", 'cd "$0" && exec erlc +debug_info "$@"', inside, ...sources]);
  const help = `look at test/vms/src with OTP ${otp.release}`;
  const options = { help, ...(signal && { signal }) };
  await outputOf(command, args, { ...options, env: { ...process.env, ERL_LIBS: otp.rabbitmqPlugins ?? "" } });
  await compileNifs(here, options);
}

/** Whether a process of this machine was started by these tests, not by others that run beside them. @param {number | string} pid */
export function isOurs(pid) {
  for (let each = Number(pid); each > 1;) {
    if (each === process.pid) return true;
    each = Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1] ?? 0);
  }
  return false;
}

/** Headers of this machine's OTP: the interface is stable, so one library fits every release. */
export const NIF_HEADERS = "/usr/lib/erlang/usr/include";

/**
 * Compiles src/*.c, one NIF library each.
 * @param {string} folder   as this machine sees it
 * @param {{help: string, signal?: AbortSignal}} options
 */
async function compileNifs(folder, options) {
  if (!existsSync(join(NIF_HEADERS, "erl_nif.h"))) {
    throw new Problem("erl_nif.h is missing", `it is not in ${NIF_HEADERS}`, "apt-get install erlang-dev");
  }
  // Linked with nothing, so that it loads where libc is older.
  const flags = [
    "-O2",
    "-Wall",
    "-Werror",
    "-shared",
    "-fPIC",
    "-fno-stack-protector",
    "-nostdlib",
    `-I${NIF_HEADERS}`,
  ];
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".c"))) {
    // One as packages are made: nothing visible but nif_init, stripped.
    const stripped = name === "gt_nif_tables.c" ? ["-fvisibility=hidden", "-s"] : [];
    const library = join(folder, `${name.slice(0, -2)}.so`);
    // And one whose debug file lies elsewhere, where nothing but its build id leads to it.
    const split = name === "gt_names.c";
    const kind = split ? ["-g", "-Wl,--build-id"] : stripped;
    await outputOf("cc", [...flags, ...kind, "-o", library, join(folder, name)], options);
    if (split) await splitDebugFile(library, debugFolder(folder), options);
  }
}

/** Where the debug file of `gt_names.so` is. @param {string} folder   that {@link compileSources} filled, as this machine sees it */
export const debugFolder = (folder) => join(folder, "debug-files");

/** @param {string} library @param {string} folder @param {{help: string, signal?: AbortSignal}} options */
async function splitDebugFile(library, folder, options) {
  mkdirSync(folder, { recursive: true });
  await outputOf("objcopy", ["--only-keep-debug", library, join(folder, `${basename(library)}.debug`)], options);
  await outputOf("strip", [library], options);
}

/** An argument of many programs: with it they work a fifth of the time, or less. Their schedulers sleep at once. */
const RESTING = "resting";
/** The options of {@link runErl} for tests that need samples now and then. */
export const NOW_AND_THEN = { module: "gt_erlang", args: [RESTING] };

/**
 * Options of a VM that has a name and no connections: without `epmd`, which the machine has once and which refuses a name that
 * a VM of another run has. From OTP 25 on.
 * @param {string} name
 */
export const namedAlone = (name) => ["-sname", name, "-start_epmd", "false", "-dist_listen", "false"];

/**
 * @param {object} wanted
 * @param {import("./otp.mjs").OtpInstallation} wanted.otp
 * @param {string} wanted.module       module of src/ with main/0, or an Elixir script NAME.exs of it
 * @param {(string | number)[]} [wanted.args]   read by gt_control:arguments/0
 * @param {string[]} [wanted.emulatorFlags]     none by default: a stock VM, but where it rests
 * @param {Record<string, string>} [wanted.env]
 * @param {(line: any) => void} [wanted.onLine] called for lines the VM prints by itself
 * @param {number} [wanted.uid]        run as this user
 * @returns {Promise<RunningVm>}
 */
export async function runErl({ otp, module, args = [], emulatorFlags = [], env = {}, onLine, uid }) {
  const words = await wordsOf({ otp, module, args, emulatorFlags });
  // One that a test has stopped does not see the end of its input.
  const [command = "", ...argv] = [...boundToThis("KILL"), ...words];
  const child = spawn(command, argv, {
    cwd: "/",
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr = (stderr + chunk).slice(-4000);
  });
  child.stdin.on("error", () => {}); // a VM that is gone receives nothing; `ended` reports its end
  /** @type {((line: any) => void)[]} */
  const waiting = [];
  /** @type {any} */
  let last = null;
  /** @type {any[]} */
  const lines = [];

  const ended = new Promise((resolve) => {
    child.once("close", (code) => {
      running.delete(vm);
      for (const answer of waiting.splice(0)) answer(null);
      resolve(code);
    });
    child.once("error", (error) => {
      stderr += error.message;
      resolve(null);
    });
  });
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = parseLine(text);
    if (line === null) return;
    if (line.units_per_s !== undefined || line.msgs_per_s !== undefined) {
      lines.push(line);
      onLine?.(line);
      return;
    }
    last = line;
    waiting.shift()?.(line);
  });

  /** @type {RunningVm} */
  const vm = {
    pid: child.pid ?? 0,
    lines,
    ended,
    report: () =>
      new Promise((resolve, reject) => {
        waiting.push((line) => (line === null ? reject(gone()) : resolve(line)));
        child.stdin.write("report\n");
      }),
    go: () => void child.stdin.write("go\n"),
    stop: async () => {
      child.stdin.end("stop\n");
      const patience = setTimeout(() => vm.kill(), PATIENCE_MS);
      await ended;
      clearTimeout(patience);
      return last;
    },
    kill: () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL"); // its own process group, made by `detached`
      } catch {
        // already gone
      }
    },
  };
  const gone = () => new Error(`the VM running ${module} on OTP ${otp.release} ended: ${stderr.trim()}`);
  endThemWithProcess();
  running.add(vm);
  const ready = await new Promise((resolve, reject) => {
    waiting.push((line) => (line === null ? reject(gone()) : resolve(line)));
    void ended.then(() => reject(gone()));
  });
  vm.pid = ready.pid;
  return vm;
}

/**
 * The words that start such a VM. Its process is that of the first word; it ends with its input, or at a line `stop`.
 * @param {Pick<Parameters<typeof runErl>[0], "otp" | "module" | "args" | "emulatorFlags">} wanted
 * @returns {Promise<string[]>}
 */
export async function wordsOf({ otp, module, args = [], emulatorFlags = [] }) {
  const folder = await compileSources(otp);
  return otp.wrap(
    module.endsWith(".exs")
      ? ["/usr/bin/elixir", "-pa", folder, `${folder}/${module}`, ...args.map(String)]
      : [
          "/usr/bin/erl",
          ...(args.includes(RESTING) ? IDLE_SLEEPS : []),
          ...emulatorFlags,
          "-noshell",
          "-pa",
          folder,
          "-s",
          module,
          "main",
          "-extra",
          ...args.map(String),
        ],
  );
}

/** @param {string} text */
function parseLine(text) {
  try {
    return JSON.parse(text);
  } catch {
    process.stderr.write(`VM says: ${text}\n`);
    return null;
  }
}

/**
 * Share of each function between two reports, in percent of their sum.
 * @param {any} before
 * @param {any} after
 * @returns {Map<string, number>}
 */
export function sharesBetween(before, after) {
  const names = Object.keys(after.total_ns);
  const spent = names.map((name) => after.total_ns[name] - (before.total_ns[name] ?? 0));
  const sum = spent.reduce((a, b) => a + b, 0);
  return new Map(names.map((name, index) => [name, (100 * (spent[index] ?? 0)) / sum]));
}
