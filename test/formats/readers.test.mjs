// The tools that exports are for read them, and Extrospect reads the files of those tools: round trips with perf,
// speedscope's own importer, go tool pprof and the Firefox Profiler's own reader.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { installedEditor } from "../../scripts/install-editor.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertAccessible, assertPolicyFits, browserPage } from "./browser-page.mjs";

const execFileAsync = promisify(execFile);
const packageFile = createRequire(import.meta.url).resolve;
const FIXTURE = fileURLToPath(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));

/** Functions of the capture: own and total samples by name, as `top` has them. @type {Map<string, {self: number, total: number}>} */
let expected;
/** @type {number} */
let samples;
before(async () => {
  const top = await helperJson(["top", FIXTURE, "-n", 0, "--addresses"]);
  ({ samples } = top);
  expected = byName(top.functions);
});

/** @param {any[]} functions rows of top */
function byName(functions) {
  /** @type {Map<string, {self: number, total: number}>} */
  const rows = new Map();
  for (const row of functions) rows.set(row.function, { self: row.self, total: row.total });
  return rows;
}

/** @param {string[]} args @returns {Promise<string>} */
async function exported(...args) {
  const run = await runHelper(["export", FIXTURE, ...args]);
  assert.equal(run.code, 0, run.stderr);
  return run.stdout;
}

/** The functions with most time of their own. @param {Map<string, {self: number}>} rows */
const hottest = (rows, count = 10) =>
  [...rows]
    .sort(([, a], [, b]) => b.self - a.self)
    .slice(0, count)
    .map(([name]) => name);

test("folded stacks and speedscope come back with the same functions and samples", async (t) => {
  for (const [format, more] of /** @type {[string, string[]][]} */ ([
    ["folded", []],
    ["folded", ["--lines"]],
    ["speedscope", []],
  ])) {
    const file = join(temporaryFolder(t), "back");
    writeFileSync(file, await exported("--format", format, ...more));
    const back = await helperJson(["top", file, "-n", 0, "--addresses"]);
    assert.equal(back.samples, samples, format);
    assert.deepEqual(hottest(byName(back.functions)), hottest(expected), `${format} ${more.join("")}`);
    const kinds = new Map(back.functions.map((/** @type {any} */ row) => [row.function, row.kind]));
    assert.equal(kinds.get("demo_pricing:best_price/2"), "erlang");
    if (more.length > 0) {
      const lines = await helperJson(["top", file, "--by", "line", "-n", 0]);
      assert.ok(
        lines.lines.some((/** @type {any} */ line) => /demo_pricing\.erl$/.test(line.file) && line.line > 0),
        "lines came along",
      );
    }
  }
});

test("speedscope's own importer, in a browser, shows the functions with their weights", async (t) => {
  const speedscope = dirname(packageFile("speedscope/package.json"));
  const page = await browserPage(t, join(speedscope, "dist/release"));
  await page.goto(`${page.address}/index.html#localProfilePath=none`);
  const text = await exported("--format", "speedscope");
  const encoded = Buffer.from(text).toString("base64");
  await page.waitForFunction("window.speedscope !== undefined");
  await page.evaluate(
    ([name, data]) => /** @type {any} */ (window).speedscope.loadFileFromBase64(name, data),
    ["demo.speedscope.json", encoded],
  );
  // Its views are drawn; the name of the profile is text.
  const title = await until("the profile is shown", async () => {
    const shown = await page.evaluate(() => document.title + document.body.textContent);
    return shown.includes("1_scheduler") && shown;
  });
  assert.doesNotMatch(title, /Something went wrong|Unrecognized format/);
  assert.deepEqual(page.problems, []);
});

test("the file of speedscope keeps to speedscope's own schema", async () => {
  const speedscope = dirname(packageFile("speedscope/package.json"));
  const schema = JSON.parse(readFileSync(join(speedscope, "dist/release/file-format-schema.json"), "utf8"));
  const file = JSON.parse(await exported("--format", "speedscope"));
  assert.equal(file.$schema, "https://www.speedscope.app/file-format-schema.json");
  const required = schema.definitions["FileFormat.File"].required;
  for (const member of required) assert.ok(member in file, member);
  for (const profile of file.profiles) {
    for (const member of schema.definitions["FileFormat.SampledProfile"].required) assert.ok(member in profile, member);
  }
});

test("go tool pprof opens what is exported and what is imported", async (t) => {
  const folder = temporaryFolder(t);
  const folded = join(folder, "x.folded");
  writeFileSync(folded, await exported("--format", "folded"));
  const imported = join(folder, "imported.pb.gz");
  const run = await runHelper(["import", folded, "-o", imported]);
  assert.equal(run.code, 0, run.stderr);
  assertRefused(await runHelper(["import", folded, "-o", imported]), 1);
  assert.equal((await runHelper(["import", folded, "-o", imported, "--force"])).code, 0);
  const pprof = async (/** @type {string} */ file) =>
    (
      await execFileAsync("go", ["tool", "pprof", "-top", "-sample_index=samples", "-nodecount=400", file], {
        maxBuffer: 1 << 26,
      })
    ).stdout;
  const row = /^\s*(\d+)\s+\S+%\s+\S+%\s+(\d+)\s+\S+%\s+size_object_x$/m;
  const [original, back] = [row.exec(await pprof(FIXTURE)), row.exec(await pprof(imported))];
  assert.ok(original && back);
  assert.deepEqual(back.slice(1), original.slice(1));
  assert.equal(Number(back[1]), expected.get("size_object_x")?.self);
});

test("the Firefox Profiler's own reader opens the export, upgrades it and counts the same", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "profile.json");
  writeFileSync(file, await exported("--format", "firefox"));
  const reader = join(dirname(packageFile("@firefox-devtools/profiler-cli/package.json")), "dist/profiler-cli.js");
  const { node } = installedEditor();
  const env = { ...process.env, PROFILER_CLI_SESSION_DIR: folder, PROFILER_CLI_NO_SYMBOLICATE: "1" };
  const ask = async (/** @type {string[]} */ ...args) =>
    (await execFileAsync(node, [reader, ...args, "--session", "ours"], { env, maxBuffer: 1 << 26 })).stdout;
  // The daemon that `load` would start and give half a second to be ready: a busy machine takes longer.
  const [program = "", ...words] = [...boundToThis("KILL"), node, reader, "--daemon", file, "--session", "ours"];
  const daemon = spawn(program, words, { env, stdio: "ignore" });
  try {
    // A question that comes while it starts takes it for one that has died, and removes its traces.
    const log = join(folder, "ours.log");
    const hasLoaded = () => readFileSync(log, "utf8").includes("Profile loaded");
    await until("the reader has the profile", () => daemon.exitCode !== null || hasLoaded());
    assert.equal(daemon.exitCode, null);
    const info = await ask("profile", "info");
    assert.match(info, /t-0: 1_scheduler/);
    const counted = new Map();
    for (const thread of ["t-0", "t-1", "t-2", "t-3", "t-4"]) {
      await ask("thread", "select", thread);
      for (const [, name = "", self = ""] of (await ask("thread", "functions", "--include-idle")).matchAll(
        /f-\d+\. (.+?) - self: ([\d,]+) /g,
      )) {
        counted.set(name, (counted.get(name) ?? 0) + Number(self.replaceAll(",", "")));
      }
    }
    // It lists the hottest of each thread.
    assert.equal(counted.get("size_object_x"), expected.get("size_object_x")?.self);
  } finally {
    daemon.kill();
    await until("it has ended", () => daemon.exitCode !== null || daemon.signalCode !== null);
  }
});

test("perf.data of a VM that helps perf: Erlang functions with their names, and every sample of perf script", async (t) => {
  const otp = await prepareOtp("25");
  const vm = await runErl({ otp, module: "gt_functions", emulatorFlags: ["+JPperf", "true"] });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  const data = join(folder, "perf.data");
  await until("perf has samples of Erlang code", async () => {
    await execFileAsync("perf", [
      "record",
      "-q",
      "--call-graph",
      "fp",
      "-F",
      "499",
      "-e",
      "cpu-clock",
      "-p",
      String(vm.pid),
      "-o",
      data,
      "--",
      "sleep",
      "2",
    ]);
    const { stdout } = await execFileAsync("perf", ["script", "-i", data], { maxBuffer: 1 << 28 });
    writeFileSync(join(folder, "perf.txt"), stdout);
    return stdout.includes("$gt_functions:");
  });
  const text = readFileSync(join(folder, "perf.txt"), "utf8");
  const theirs = text.match(/^\S.*cpu-clock.*:\s*$/gm)?.length ?? 0;
  const leaves = new Map();
  for (const [, name = ""] of text.matchAll(/^\S.*cpu-clock.*:\s*\n\s+[0-9a-f]+ \$(gt_functions:\S+?)\+0x/gm)) {
    const plain = name.replace("-CodeInfoPrologue", "");
    // Parts of functions are shown by their names in the source.
    if (!plain.includes("'")) leaves.set(plain, (leaves.get(plain) ?? 0) + 1);
  }
  for (const file of [data, join(folder, "perf.txt")]) {
    const top = await helperJson(["top", file, "-n", 0]);
    assert.equal(top.samples, theirs);
    const rows = byName(top.functions);
    assert.ok(leaves.size > 0);
    for (const [name, count] of leaves) assert.equal(rows.get(name)?.self, count, name);
  }
  const imported = join(folder, "imported.pb.gz");
  assert.equal((await runHelper(["import", data, "-o", imported])).code, 0);
  assert.equal((await helperJson(["top", imported])).samples, theirs);
});

test("perf.data without perf is refused with the command that installs it", async (t) => {
  const data = join(temporaryFolder(t), "perf.data");
  writeFileSync(data, Buffer.from("PERFILE2".padEnd(200, "\0")));
  // A damaged one, where perf is.
  assertRefused(await runHelper(["top", data]), 1);
  const hidden = await runHelper(["top", data], {
    wrapper: [
      "unshare",
      "--mount",
      "sh",
      "-c",
      'for folder in /usr/bin /usr/local/bin; do test -e $folder/perf && mount --bind /dev/null $folder/perf; done; exec "$0" "$@"',
    ],
  });
  assertRefused(hidden, 1);
  assert.match(hidden.stderr, /apt install linux-perf/);
});

test("the HTML file opens offline, obeys no name, and is used by keyboard", async (t) => {
  const folder = temporaryFolder(t);
  const folded = join(folder, "x.folded");
  writeFileSync(
    folded,
    '</script><script>window.bad=1</script>;m:f/1 3\n"><img src=x onerror=window.bad=1>;m:g/1 1\nm:h/1;m:f/1;<!--<script> 6\n',
  );
  const run = await runHelper(["export", folded, "--format", "html"]);
  assert.equal(run.code, 0, run.stderr);
  const file = join(folder, "flame.html");
  writeFileSync(file, run.stdout);
  assert.doesNotMatch(run.stdout, /https?:\/\//);
  assertPolicyFits(run.stdout);
  const page = await browserPage(t, folder);
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('.frame[aria-label^="all: 10 samples"]');
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).bad), undefined);
  await assertAccessible(page);
  await page.focus('.frame[tabindex="0"]');
  await page.keyboard.press("ArrowDown");
  assert.match(
    await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? ""),
    /^m:h\/1: 6 samples, 60\.0 % of all/,
  );
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  assert.match((await page.textContent("#status")) ?? "", /^m:f\/1: 6 samples/);
  await page.keyboard.press("Escape");
  await page.fill("#search", "m:f");
  assert.match((await page.textContent("#status")) ?? "", /90\.0 % of all/);
  assert.equal(await page.locator(".frame.match").count(), 2);
  assert.deepEqual(
    asked.filter((url) => !url.startsWith("file:")),
    [],
  );
  assert.deepEqual(page.problems, []);
});
