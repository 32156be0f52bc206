// Debug files from debuginfod: a real server, and servers that hang, lie or never end.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { processesWith, startDebuginfod, startServer } from "../vms/debuginfod.mjs";
import { IDLE_SLEEPS } from "../vms/idle-sleeps.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources, debugFolder, runErl } from "../vms/vm.mjs";
import { until } from "../until.mjs";
import { helperJson, HELPER, runHelper, temporaryFolder } from "./helper.mjs";

/** @typedef {import("node:test").TestContext} TestContext */

/** Its functions `hidden_inner_loop` and `hidden_outer` are named by its debug file alone. */
const LIBRARY = "gt_names.so";
const INNER = "hidden_inner_loop";
const MAX_FILE_BYTES = 1_000_000;
const NOBODY = 65_534;

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

/**
 * Starts a run that sends a request to a server which holds its answers back, and waits for the request.
 * @param {TestContext} t @param {string[]} command @param {string} word   of its surroundings
 */
async function fetching(t, [program = "", ...argv], word) {
  const child = spawn(program, argv, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const ended = once(child, "exit");
  t.after(() => child.kill("SIGKILL"));
  const children = await until("curl is at work", () => {
    assert.equal(child.exitCode, null, said);
    const found = processesWith("curl", word);
    return found.length > 0 && found;
  });
  return { child, children, ended, said: () => said };
}

/** Files below a folder that are not empty. @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0);
}

test("one flag names a server, another one prevents all queries", async (t) => {
  const bytes = readFileSync(debugFile());
  const buildId = buildIdOf(join(sources, LIBRARY));
  const server = await startServer(t, (request, response) => {
    const isIt = request.url === `/some/path/buildid/${buildId}/debuginfo`;
    response.writeHead(isIt ? 200 : 404).end(isIt ? bytes : "no");
  });
  const dead = surroundings(t, { DEBUGINFOD_URLS: "http://127.0.0.1:1" });
  const off = await runHelper(["pstack", vm.pid, "--no-debuginfod"], dead);
  assert.deepEqual([off.code, off.stderr], [0, ""]);
  const named = await runHelper(["pstack", vm.pid, `--debuginfod=${server.url}/some/path/`], dead);
  assert.equal(named.code, 0);
  assert.match(named.stderr, /debug file of gt_names\.so/);
  // It rests at most moments.
  await until("a stack with the name", async () =>
    (await runHelper(["pstack", vm.pid, `--debuginfod=${server.url}/some/path/`], dead)).stdout.includes(INNER),
  );
  assert.equal(new Set(server.asked).size, server.asked.length, "each file is requested once");
  const wrong = await runHelper(["pstack", vm.pid, "--debuginfod=file:///etc"], dead);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /neither http:\/\/ nor https:\/\//);
});

test("a file that one server lacks comes from the next", async (t) => {
  const bytes = readFileSync(debugFile());
  const buildId = buildIdOf(join(sources, LIBRARY));
  const none = await startServer(t, (_request, response) => void response.writeHead(404).end());
  const broken = await startServer(t, (_request, response) => void response.writeHead(500).end());
  const all = await startServer(t, (request, response) => {
    const isIt = request.url?.includes(buildId);
    response.writeHead(isIt ? 200 : 404).end(isIt ? bytes : "");
  });
  const { cache, ...options } = surroundings(t, {
    DEBUGINFOD_URLS: `${none.url} ${broken.url}/ ${all.url} file:///etc`,
  });
  const run = await runHelper(["pstack", vm.pid], options);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stderr, new RegExp(`debug file of gt_names\\.so: .* from ${all.url}`));
  assert.match(
    run.stderr,
    new RegExp(`no debug files of .* from ${broken.url}: The requested URL returned error: 500`),
  );
  assert.match(run.stderr, /not queried: file:\/\/\/etc/);
  assert.ok(broken.asked.length < none.asked.length, "a server that fails repeatedly gets no further request");
  // A file is remembered as missing only where every server reported that.
  assert.ok(!existsSync(join(cache, buildIdOf(readlinkSync(`/proc/${vm.pid}/exe`)))));
});

/** @type {[name: string, answer: (request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void, reported: RegExp][]} */
const HOSTILE = [
  ["hangs before it answers", () => {}, /does not answer, or too slowly/],
  [
    "hangs in the middle",
    (_request, response) => {
      response.writeHead(200, { "content-length": 100_000 }).write("\x7fELF");
    },
    /does not answer, or too slowly/,
  ],
  ["sends without end", (_request, response) => sendForEver(response.writeHead(200)), /sends more than 1000000 bytes/],
  [
    "announces 10 GB",
    (_request, response) => sendForEver(response.writeHead(200, { "content-length": 10_000_000_000 })),
    /sends more than 1000000 bytes/,
  ],
  [
    "sends another build",
    (_request, response) => void response.writeHead(200).end(readFileSync("/bin/true")),
    /another file: its build id is [0-9a-f]{40}, not/,
  ],
  [
    "sends garbage",
    (_request, response) => void response.writeHead(200).end("<html>Please log in</html>"),
    /another file/,
  ],
  ["sends nothing", (_request, response) => void response.writeHead(200).end(), /another file/],
  [
    "leads to a file",
    (_request, response) => void response.writeHead(302, { location: `file://${debugFile()}` }).end(),
    /Protocol "file" (not supported|disabled)/,
  ],
  [
    "leads in circles",
    (request, response) => void response.writeHead(302, { location: request.url }).end(),
    /Maximum \(5\) redirects followed/,
  ],
  ["is broken", (_request, response) => void response.writeHead(500).end("no"), /returned error: 500/],
  [
    "breaks off",
    (_request, response) => {
      response.writeHead(200, { "content-length": 100_000 });
      response.write("\x7fELF", () => response.destroy());
    },
    /transfer closed|reset/,
  ],
];

/** @param {import("node:http").ServerResponse} response */
function sendForEver(response) {
  const chunk = Buffer.alloc(64 << 10, "\x7fELF");
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", send);
  send();
}

for (const [name, answer, reported] of HOSTILE) {
  test(`a server that ${name} costs one message and nothing else`, async (t) => {
    let sent = 0;
    const server = await startServer(t, (request, response) => {
      response.on("close", () => (sent += response.socket?.bytesWritten ?? 0));
      answer(request, response);
    });
    const { cache, word, wrapper } = surroundings(t, {
      DEBUGINFOD_URLS: server.url,
      DEBUGINFOD_TIMEOUT: "2",
      DEBUGINFOD_MAXSIZE: String(MAX_FILE_BYTES),
    });
    const run = await runHelper(["pstack", vm.pid], { wrapper });
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /scheduler 1/);
    assert.match(run.stderr, reported);
    assert.equal(run.stderr.trim().split("\n").length, 1, run.stderr);
    assert.match(run.stderr, /gt_names\.so|more from/, "it names the file");
    assert.ok(run.stderr.includes(server.url), "and the server");
    assert.ok(
      server.asked.length > 0 && server.asked.length <= 6 * new Set(server.asked).size,
      `${server.asked.length} requests`,
    );
    assert.ok(sent < 200 * MAX_FILE_BYTES, `${sent} bytes were sent`);
    assert.deepEqual(existsSync(cache) ? readdirSync(cache) : [], [], "nothing is left in the cache");
    assert.deepEqual(processesWith("curl", word), [], "nor any process");
  });
}

/** A server that begins to answer and waits. @param {TestContext} t */
const holdingServer = (t) => startServer(t, (_request, response) => void response.writeHead(200).write("\x7fELF"));

/**
 * The kernel's status of a process shows that it can do nothing.
 * @param {string} status @param {number} uid @param {number} gid
 */
function assertHarmless(status, uid, gid) {
  /** @param {string} name */
  const line = (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(status)?.[1]?.trim();
  assert.equal(line("Uid"), Array(4).fill(uid).join("\t"), status);
  assert.equal(line("Gid"), Array(4).fill(gid).join("\t"));
  assert.equal(line("Groups"), "");
  for (const set of ["CapPrm", "CapEff", "CapAmb"]) assert.match(line(set) ?? "", /^0+$/, set);
  assert.equal(line("NoNewPrivs"), "1");
}

for (const [who, variables, uid] of /** @type {[string, Record<string, string>, number][]} */ ([
  ["nobody", { SUDO_UID: "", SUDO_GID: "" }, NOBODY],
  ["who called sudo", { SUDO_UID: "4711", SUDO_GID: "4712" }, 4711],
])) {
  test(
    `run by root, ${who} connects to the server, and ends with the program`,
    { skip: process.getuid?.() !== 0 },
    async (t) => {
      const server = await holdingServer(t);
      const { cache, word, wrapper } = surroundings(t, { DEBUGINFOD_URLS: server.url, ...variables });
      for (const [command, signal] of /** @type {const} */ ([
        ["doctor", "SIGTERM"],
        ["pstack", "SIGINT"],
        ["record", "SIGTERM"],
      ])) {
        const run = await fetching(
          t,
          [...wrapper, HELPER, command, String(vm.pid), ...(command === "record" ? ["-o", join(cache, "none")] : [])],
          word,
        );
        for (const { status } of run.children) assertHarmless(status, uid, uid === 4711 ? 4712 : uid);
        run.child.kill(signal);
        const [code] = await run.ended;
        assert.equal(code, 130, run.said());
        assert.match(run.said(), /^extrospect: fetching debug files was cancelled\n$/);
        assert.deepEqual(processesWith("curl", word), []);
        assert.deepEqual(readdirSync(cache), [], "nothing is left of it");
      }
    },
  );
}

test(
  "the process that connects to the server lacks the extra rights of the helper",
  { skip: process.getuid?.() !== 0 },
  async (t) => {
    const server = await holdingServer(t);
    const { cache, word, wrapper } = surroundings(t, { DEBUGINFOD_URLS: server.url });
    mkdirSync(cache);
    for (const path of [dirname(cache), cache]) chownSync(path, NOBODY, NOBODY);
    const capabilities = "+sys_ptrace,+perfmon";
    const asNobody = [
      "setpriv",
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      "--clear-groups",
      `--inh-caps=${capabilities}`,
      `--ambient-caps=${capabilities}`,
    ];
    const { child, children, ended } = await fetching(
      t,
      [...wrapper, ...asNobody, HELPER, "doctor", String(vm.pid)],
      word,
    );
    assert.doesNotMatch(
      readFileSync(`/proc/${child.pid}/status`, "utf8"),
      /^CapEff:\t0+$/m,
      "the helper may read other processes",
    );
    for (const { status } of children) assertHarmless(status, NOBODY, NOBODY);
    child.kill("SIGTERM");
    await ended;
    assert.deepEqual(processesWith("curl", word), []);
  },
);

test("without curl, no server is queried, and a message names curl", { skip: process.getuid?.() !== 0 }, async (t) => {
  const server = await startDebuginfod(t, debugFolder(sources), 1);
  const { cache, wrapper } = surroundings(t, { DEBUGINFOD_URLS: server.url, PATH: "/usr/bin:/bin" });
  // A path that is no file is no program. Only this run sees the mount, which ends with it.
  const withoutCurl = [
    "unshare",
    "--mount",
    "sh",
    "-c",
    'mount --bind /dev/null "$(realpath /usr/bin/curl)" && exec "$@"',
    "sh",
  ];
  const run = await runHelper(["pstack", vm.pid], { wrapper: [...withoutCurl, ...wrapper] });
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /scheduler 1/);
  assert.equal(
    run.stderr,
    "extrospect: no debug files: curl, which fetches them, is not installed (apt install curl)\n",
  );
  assert.deepEqual(filesBelow(cache), []);
});

test(
  "with set-user-id rights, files are kept as the caller, at a place that no variable selects, or no server is queried",
  { skip: process.getuid?.() !== 0 },
  async (t) => {
    const folder = temporaryFolder(t);
    const options = spawnSync("findmnt", ["-no", "OPTIONS", "-T", folder], { encoding: "utf8" }).stdout;
    if (/\bnosuid\b/.test(options)) return t.skip("the folder for temporary files is mounted without such rights");
    const helper = join(folder, "extrospect");
    copyFileSync(HELPER, helper);
    chmodSync(helper, 0o4755);
    chmodSync(folder, 0o755);
    const server = await startServer(t, (_request, response) => void response.writeHead(404).end());
    const { cache, wrapper } = surroundings(t, { DEBUGINFOD_URLS: server.url });
    chmodSync(dirname(cache), 0o777);
    // The user's own VM: with such rights the helper reads no other.
    const own = await runErl({
      otp: await prepareOtp("25"),
      module: "gt_names",
      emulatorFlags: IDLE_SLEEPS,
      uid: NOBODY,
    });
    t.after(() => own.kill());
    const [program = "", ...argv] = [
      ...wrapper,
      "setpriv",
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      "--clear-groups",
      helper,
      "pstack",
      String(own.pid),
    ];
    const run = spawnSync(program, argv, { encoding: "utf8", timeout: 60_000 });
    assert.equal(run.status, 0, run.stderr);
    assert.match(
      run.stderr,
      /^extrospect: no debug files: \/nonexistent\/\.cache\/debuginfod_client: Permission denied/m,
      run.stdout,
    );
    assert.deepEqual(server.asked, []);
    assert.equal(existsSync(cache), false);
  },
);

test("doctor lists objects without names, the servers, and the option that queries them", async (t) => {
  const rowOf = (/** @type {any} */ { rows }) =>
    rows.find((/** @type {any} */ row) => row.check === "names of C functions");
  const without = rowOf(await helperJson(["doctor", vm.pid], surroundings(t, { DEBUGINFOD_URLS: "" })));
  assert.equal(without.status, "warn");
  assert.match(without.found, /gt_names\.so/);
  assert.match(without.fix, new RegExp(`extrospect doctor ${vm.pid} --debuginfod`));
  const server = await startDebuginfod(t, debugFolder(sources), 1);
  const options = surroundings(t, { DEBUGINFOD_URLS: server.url });
  const row = rowOf(await helperJson(["doctor", vm.pid], options));
  assert.doesNotMatch(row.found, /gt_names\.so/);
});
