// The gate beside a disturbance: `npm test` is green on a machine that is busy and stops programs at random.
// EXTROSPECT_CHAOS_RUNS has the number of runs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { disturb } from "./disturbance.mjs";

const RUNS = Number(process.env["EXTROSPECT_CHAOS_RUNS"] ?? 10);
/** The runner of tests itself goes on: it keeps the limits. */
const isRunner = (/** @type {string} */ command) => /scripts\/test\.mjs|--test-reporter/.test(command);

for (let run = 1; run <= RUNS; run++) {
  test(`run ${run} of ${RUNS}`, async (t) => {
    const { EXTROSPECT_NIGHTLY: _night, EXTROSPECT_TESTS_ARE_SET_UP: _ready, ...env } = process.env;
    const began = performance.now();
    const child = spawn(process.execPath, ["scripts/test.mjs"], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    const disturbance = disturb(child.pid ?? 0, { isSpared: isRunner });
    try {
      const code = await new Promise((resolve) => child.once("close", resolve));
      const minutes = (performance.now() - began) / 60_000;
      t.diagnostic(`${minutes.toFixed(1)} minutes, ${disturbance.stops()} stops; ${ending(output)}`);
      assert.equal(code, 0, output.slice(output.lastIndexOf("What failed")));
      assert.ok(disturbance.stops() > 0, "nothing was disturbed");
    } finally {
      disturbance.end();
      child.kill("SIGTERM");
    }
  });
}

/** The counts. @param {string} output */
const ending = (output) => output.trim().split("\n").slice(-2).join("; ");
