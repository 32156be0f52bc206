// A run whose output is not read any more, or cannot be written, ends its programs and has an exit code of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { ROOT } from "../../scripts/project.mjs";

const MODULES = pathToFileURL(join(ROOT, "scripts")).href;
/** A run with one program: it writes until that ends, as `npm test` does. */
const RUN = `
import { watchOutput } from "${MODULES}/output-end.mjs";
import { run } from "${MODULES}/command.mjs";
import { explain } from "${MODULES}/problem.mjs";
const ending = new AbortController();
const failure = watchOutput(() => ending.abort());
const writing = setInterval(() => process.stdout.write("a line\\n"), 10);
const program = run("sleep", ["600"], { signal: ending.signal });
program.catch(() => {
  clearInterval(writing);
  const { error, exitCode } = failure() ?? {};
  console.error(explain(error));
  process.exitCode = exitCode;
});
`;

/** @param {import("node:child_process").ChildProcess} child */
async function ended(child) {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  return { code, said };
}

test("the reader of the output ends", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", RUN], { stdio: ["ignore", "pipe", "pipe"] });
  const end = ended(child);
  await once(child.stdout, "data");
  child.stdout.destroy();
  const { code, said } = await end;
  assert.equal(code, 141);
  assert.match(said, /^\nerror: the output is not read any more\n {2}why: .*\n {2}fix: npm test > test\.log\n$/);
});

test("the output goes to a full disk", async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, ["--input-type=module", "-e", RUN], { stdio: ["ignore", full, "pipe"] });
  const { code, said } = await ended(child);
  assert.equal(code, 1);
  assert.match(said, /^\nerror: the disk is full\n {2}why: ENOSPC.*\n {2}fix: df -h; df -i {3}then/);
});
