// A run ends with the npm that started it, also with one that is killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "../../scripts/project.mjs";

const MODULE = JSON.stringify(pathToFileURL(join(ROOT, "scripts/interruption.mjs")).href);
const PROGRAM = `import { interruptionOfRun } from ${MODULE};
setInterval(() => {}, 60_000);
interruptionOfRun().signal.addEventListener("abort", () => { console.log("interrupted"); process.exit(130); });
console.log(process.pid);
`;

/** @param {import("node:test").TestContext} t @param {(pids: {npm: number, program: number}) => void} end */
async function endedBy(t, end) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-interruption-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  // The second command keeps the shell between npm and the program.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "node program.mjs; true" } }));
  const { npm_lifecycle_event: _ours, ...env } = process.env;
  const npm = spawn("npm", ["test", "--silent"], { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  const lines = createInterface({ input: npm.stdout })[Symbol.asyncIterator]();
  const { value: pid } = await lines.next();
  end({ npm: /** @type {number} */ (npm.pid), program: Number(pid) });
  assert.deepEqual(await lines.next(), { value: "interrupted", done: false });
  if (npm.exitCode === null && npm.signalCode === null) await once(npm, "exit");
}

test("the kill of npm interrupts the program", (t) => endedBy(t, ({ npm }) => process.kill(npm, "SIGKILL")));

test("a signal interrupts the program", (t) => endedBy(t, ({ program }) => process.kill(program, "SIGTERM")));
