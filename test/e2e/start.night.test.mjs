// `npm start` as a new user runs it: the output that it promises.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readProfile } from "../pprof-reader.mjs";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** @type {string[]} */
const captures = [];
after(() => {
  for (const file of captures) rmSync(file, { force: true });
});

/**
 * @param {{args?: string[], untilSignal?: {text: RegExp, signal: NodeJS.Signals}}} [options]  `untilSignal`: sends the signal once the text was printed
 */
function start({ args = [], untilSignal } = {}) {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    const run = { code: /** @type {number | null} */ (null), output: "", captureAfterMs: NaN };
    const child = spawn("npm", ["start", "--", "--no-editor", "--seconds", "3", ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a process group, as a terminal makes one
    });
    const collect = (/** @type {Buffer} */ chunk) => {
      run.output += chunk;
      if (Number.isNaN(run.captureAfterMs) && run.output.includes("\nCapture"))
        run.captureAfterMs = performance.now() - startedMs;
      if (untilSignal?.text.test(run.output)) {
        process.kill(-Number(child.pid), untilSignal.signal); // Ctrl-C reaches all of it
        untilSignal = undefined;
      }
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("close", (code) => {
      const file = captureOf(run.output);
      if (file) captures.push(file);
      resolve({ ...run, code });
    });
  });
}

/** @param {string} output */
function captureOf(output) {
  const name = /captures\/demo-\S+\.pb\.gz/.exec(output)?.[0];
  return name ? join(ROOT, name) : null;
}

/** @param {string} output */
function demoPid(output) {
  const pid = Number(/^ {2}demo VM .*pid (\d+)/m.exec(output)?.[1]);
  assert.ok(pid > 1, `the demo's pid is printed: ${output}`);
  return pid;
}

test("it prints hot functions, blame, quality and the place of the capture; again the same", async (t) => {
  for (const round of ["first", "second"]) {
    const { code, output, captureAfterMs } = await start();
    assert.equal(code, 0, output);
    if (round === "second") measured(t, "npm start again, to the capture", captureAfterMs);
    assert.match(output, /sampling 1\/3 s \(\w+\), \d+ samples?/i, "progress");
    assert.match(
      output,
      /demo_pricing:\w+\/\d+ +src\/demo_pricing\.erl:\d+/,
      "a hot function of its own with file and line",
    );
    assert.match(output, /^ +copy_struct: \d+ samples?, .*copy_struct_x/m);
    assert.match(output, /^ +gc: \d+ samples?/m);
    assert.match(output, /^ +quality: \d+ samples? of [\w-]+, 0 lost/m);
    assert.match(output, /^Next$/m);
    assert.doesNotMatch(output, /^ +at .*\.mjs/m, "no stack trace");
    const file = captureOf(output);
    assert.ok(file && existsSync(file), "the capture is at the reported place");
    assert.ok(readProfile(file).samples.length > 0);
    assert.ok(!existsSync(`/proc/${demoPid(output)}`), "the demo VM is gone");
  }
});

test("with --elixir it captures the demo in Elixir", async () => {
  const { code, output } = await start({ args: ["--elixir"] });
  assert.equal(code, 0, output);
  assert.match(
    output,
    /Till\.[\w.]+\/\d+ .*lib\/till\/\w+\.ex:\d+/,
    "a hot function of the umbrella with file and line",
  );
  assert.ok(!existsSync(`/proc/${demoPid(output)}`), "the demo VM is gone");
});

test("interrupted while it captures, it stops the demo VM", async () => {
  const { code, output } = await start({ untilSignal: { text: /sampling 1\/3 s/i, signal: "SIGINT" } });
  assert.notEqual(code, 0, "it reports that it did not finish");
  assert.match(output, /Stopped\./);
  assert.ok(!existsSync(`/proc/${demoPid(output)}`), "the demo VM is gone");
});

test("killed, it takes the demo VM with it", async () => {
  const child = spawn(process.execPath, [join(ROOT, "scripts/demo-vm.mjs")], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk))));
  const pid = Number(/pid (\d+)/.exec(line)?.[1]);
  assert.match(readFileSync(`/proc/${pid}/comm`, "utf8"), /beam/);
  child.kill("SIGKILL");
  await until("the VM ends by itself", () => !existsSync(`/proc/${pid}`));
});
