// A test file that is ended from outside undoes its changes: VMs, accounts and mounts end with the `exit` of its process.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ENDING_SIGNALS } from "../../scripts/ending-signals.mjs";

const module = (/** @type {string} */ path) => JSON.stringify(import.meta.resolve(path));
/** Modules that each take over the signals for all files that import them. */
const TAKERS = {
  "waits for something": `import ${module("../until.mjs")};`,
  "runs helpers": `import ${module("../e2e/helper.mjs")};`,
};

test("the signals are those of a terminal, and of the runner", () => {
  assert.deepEqual([...ENDING_SIGNALS].sort(), ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]);
});

for (const [what, start] of Object.entries(TAKERS))
  for (const signal of ENDING_SIGNALS)
    test(`${signal} to a file that ${what} is an exit`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), "extrospect-signals-"));
      t.after(() => rmSync(folder, { recursive: true }));
      const file = join(folder, "some.test.mjs");
      const rest = `process.on("exit", () => console.log("undone"));\nsetInterval(() => {}, 60_000);\nconsole.log("runs");\n`;
      writeFileSync(file, `${start}\n${rest}`);
      const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
      t.after(() => child.kill("SIGKILL"));
      let printed = "";
      child.stdout.on("data", (chunk) => (printed += chunk));
      await once(child.stdout, "data");
      child.kill(signal);
      const [code] = await once(child, "close");
      assert.equal(printed, "runs\nundone\n");
      assert.equal(code, 128 + constants.signals[signal]);
    });
