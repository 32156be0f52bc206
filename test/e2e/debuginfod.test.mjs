// Debug files from debuginfod: a real server, and servers that hang, lie or never end.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startDebuginfod } from "../vms/debuginfod.mjs";
import { IDLE_SLEEPS } from "../vms/idle-sleeps.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources, debugFolder, runErl } from "../vms/vm.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { recordUntil } from "./enough.mjs";
import { messageLines, runHelper, temporaryFolder } from "./helper.mjs";

/** @typedef {import("node:test").TestContext} TestContext */

/** Its functions `hidden_inner_loop` and `hidden_outer` are named by its debug file alone. */
const LIBRARY = "gt_names.so";
const INNER = "hidden_inner_loop";

/** @type {import("../vms/vm.mjs").RunningVm} */
let vm;
/** The folder with the library, as this machine sees it. @type {string} */
let sources;
before(async () => {
  const otp = await prepareOtp("25");
  sources = otp.hostPath(await compileSources(otp));
  vm = await runErl({ otp, module: "gt_names", emulatorFlags: IDLE_SLEEPS });
});
after(() => vm.kill());

const debugFile = () => join(debugFolder(sources), `${LIBRARY}.debug`);

/** @param {string} file */
function buildIdOf(file) {
  const { stdout } = spawnSync("readelf", ["-n", file], { encoding: "utf8" });
  const id = /Build ID: ([0-9a-f]+)/.exec(stdout)?.[1];
  assert.ok(id, `${file} has a build id`);
  return id;
}

/**
 * A run of the helper with an environment: servers, a cache of its own, and a word to know its children by.
 * @param {TestContext} t
 * @param {Record<string, string>} variables
 */
function surroundings(t, variables) {
  const cache = join(temporaryFolder(t), "cache");
  const word = `word-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const all = { DEBUGINFOD_CACHE_PATH: cache, no_proxy: `127.0.0.1,${word}`, ...variables };
  return { cache, word, wrapper: ["env", ...Object.entries(all).map(([name, value]) => `${name}=${value}`)] };
}

/** Files below a folder that are not empty. @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0);
}

/** @param {string} file */
const functionsOf = (file) => [
  ...new Set(readProfile(file).samples.flatMap(({ frames }) => frames.map((frame) => frame.name))),
];

test("names of static functions come from a debuginfod server, once", async (t) => {
  const server = await startDebuginfod(t, debugFolder(sources), 1);
  const { cache, wrapper } = surroundings(t, { DEBUGINFOD_URLS: server.url });
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const recordNames = (/** @type {string[]} */ by, /** @type {string} */ name) =>
    recordUntil(
      vm.pid,
      { seconds: 1, file, wrapper: by },
      `samples of ${name}`,
      () => functionsOf(file),
      (names) => names.some((one) => one.includes(name)),
    );

  const before = await recordNames([], `${LIBRARY}!fn@0x`);
  assert.ok(!before.some((name) => name.includes("hidden_")), before.join(" "));

  const first = await runHelper(["record", vm.pid, "-d", 1, "-o", file, "--force"], { wrapper });
  assert.equal(first.code, 0, first.stderr);
  assert.match(
    first.stderr,
    new RegExp(`^extrospect: debug file of ${LIBRARY.replace(".", "\\.")}: [\\d.]+ kB from ${server.url}$`, "m"),
  );
  assert.match(first.stderr, /^extrospect: no server has debug files of .*beam\.smp/m);
  assert.equal(messageLines(first).length, 2, first.stderr);
  const names = await recordNames(wrapper, INNER);
  assert.ok(names.includes("hidden_outer") && !names.some((name) => name.startsWith(`${LIBRARY}!`)), names.join(" "));

  const buildId = buildIdOf(join(sources, LIBRARY));
  const fetched = join(cache, buildId, "debuginfo");
  assert.deepEqual(filesBelow(cache), [fetched], "and nothing beside it");
  assert.deepEqual(readFileSync(fetched), readFileSync(debugFile()));
  assert.equal(statSync(fetched).mode & 0o777, 0o400);
  assert.equal(statSync(cache).mode & 0o777, 0o700);

  await server.stop();
  const second = await runHelper(["record", vm.pid, "-d", 1, "-o", file, "--force"], { wrapper });
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(
    messageLines(second),
    [],
    "no request: neither for files that are here, nor for those that no server had",
  );
  await recordNames(wrapper, INNER);

  // Other debuggers look at the same place. They would request missing files from the server, which is gone.
  if (spawnSync("gdb", ["--version"]).status !== 0) return void t.diagnostic("gdb is not installed: not asked");
  const [command = "", ...argv] = [
    ...wrapper,
    "gdb",
    "-nx",
    "-batch",
    "-iex",
    "set debuginfod enabled on",
    "-ex",
    "info address hidden_inner_loop",
    join(sources, LIBRARY),
  ];
  const gdb = spawnSync(command, argv, { encoding: "utf8" });
  assert.match(gdb.stdout, /Symbol "hidden_inner_loop" is (a function|at) /, `${gdb.stdout}\n${gdb.stderr}`);
});
