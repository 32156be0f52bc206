// The gate beside a disturbance: `npm test` is green on a machine that is busy and stops programs at random.
// EXTROSPECT_CHAOS_RUNS has the number of runs. The output of run N is in `.cache/chaos-BEGIN-N.log` while it runs, where
// BEGIN is when the file began: its repeat keeps what failed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { onEndingSignal } from "../../scripts/ending-signals.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { measuredAndJudged } from "../measured.mjs";
import { disturb } from "./disturbance.mjs";

const RUNS = Number(process.env["EXTROSPECT_CHAOS_RUNS"] ?? 10);
const BEGAN = new Date().toISOString().slice(0, 19).replaceAll(":", "");
/** The runner of tests itself goes on: it keeps the limits. */
const isRunner = (/** @type {string} */ command) => /scripts\/test\.mjs|--test-reporter/.test(command);

/** Of the runs that have ended. @type {{run: number, minutes: number}[]} */
const ended = [];

for (let run = 1; run <= RUNS; run++) {
  test(`run ${run} of ${RUNS}`, async (t) => {
    const { EXTROSPECT_NIGHTLY: _night, EXTROSPECT_TESTS_ARE_SET_UP: _ready, ...env } = process.env;
    const began = performance.now();
    const child = spawn(process.execPath, ["scripts/test.mjs"], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    mkdirSync(join(ROOT, ".cache"), { recursive: true });
    const log = createWriteStream(join(ROOT, ".cache", `chaos-${BEGAN}-${run}.log`));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => (output += text));
      stream.pipe(log, { end: false });
    }
    const disturbance = disturb(child.pid ?? 0, { isSpared: isRunner });
    /** @type {Promise<number | null>} */
    const closed = new Promise((resolve) => child.once("close", resolve));
    const stop = () => {
      disturbance.end();
      child.kill("SIGTERM");
    };
    // Nothing that it has stopped stays so, and the gate ends its files first.
    onEndingSignal((exitCode) => (stop(), closed.then(() => process.exit(exitCode))));
    try {
      const code = await closed;
      const minutes = (performance.now() - began) / 60_000;
      ended.push({ run, minutes });
      t.diagnostic(`${minutes.toFixed(1)} minutes, ${disturbance.stops()} stops; ${ending(output)}`);
      assert.equal(code, 0, output.slice(output.lastIndexOf("What failed")));
      assert.ok(disturbance.stops() > 0, "nothing was disturbed");
    } finally {
      stop();
      log.end();
    }
  });
}

test("the longest run", (t) => {
  assert.equal(ended.length, RUNS);
  const [longest] = ended.toSorted((a, b) => b.minutes - a.minutes);
  if (longest !== undefined)
    measuredAndJudged(t, "gate beside a disturbance, longest run", longest.minutes, `run ${longest.run} of ${RUNS}`);
});

/** The counts. @param {string} output */
const ending = (output) => output.trim().split("\n").slice(-2).join("; ");
