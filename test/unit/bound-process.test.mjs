// A program that is bound to a process ends with it, whatever that one's end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { run } from "../../scripts/command.mjs";
import { Interrupted } from "../../scripts/problem.mjs";
import { until } from "../until.mjs";

/** Whether it has ended, though its new parent may not have read its exit code. @param {number} pid */
function hasEnded(pid) {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** @param {import("node:test").TestContext} t @param {string} program   which prints pids @param {number} count */
async function startedBy(t, program, count) {
  const starter = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => starter.kill("SIGKILL"));
  const lines = createInterface({ input: starter.stdout })[Symbol.asyncIterator]();
  /** @type {number[]} */
  const pids = [];
  while (pids.length < count) pids.push(Number((await lines.next()).value));
  t.after(() => {
    for (const pid of pids) if (!hasEnded(pid)) process.kill(pid, "SIGKILL");
  });
  return { starter, pids };
}

test("it ends though its starter is killed, it has become another program and it is stopped", async (t) => {
  if (boundToThis("KILL").length === 0) return t.skip("there is no setpriv");
  const program = `
    import { spawn } from "node:child_process";
    import { boundToThis } from ${JSON.stringify(import.meta.resolve("../../scripts/bound-process.mjs"))};
    const [command, ...args] = [...boundToThis("KILL"), "sh", "-c", "echo shell; exec sleep infinity"];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], detached: true });
    child.stdout.once("data", () => console.log(child.pid));`;
  const { starter, pids } = await startedBy(t, program, 1);
  const [pid = 0] = pids;
  await until("the other program", () => readFileSync(`/proc/${pid}/comm`, "utf8") === "sleep\n");
  process.kill(pid, "SIGSTOP");
  assert.equal(hasEnded(pid), false);
  starter.kill("SIGKILL");
  await until("its end", () => hasEnded(pid));
});

test("a program that a killed runner has started ends, and a compiler that it has started where that is wanted", async (t) => {
  if (boundToThis("TERM").length === 0) return t.skip("there is no setpriv");
  const program = `
    import { run } from ${JSON.stringify(import.meta.resolve("../../scripts/command.mjs"))};
    const onStdout = (text) => process.stdout.write(text);
    void run("sh", ["-c", "echo $$; exec sleep infinity"], { onStdout });
    void run("sh", ["-c", "sleep infinity & echo $!; echo $$; wait"], { onStdout, withChildren: true });`;
  const { starter, pids } = await startedBy(t, program, 3);
  starter.kill("SIGKILL");
  await until("the end of all", () => pids.every(hasEnded));
});

test("an interrupted program ends together with a compiler that it has started", async (t) => {
  const ending = new AbortController();
  /** @type {number[]} */
  const pids = [];
  const running = run("sh", ["-c", "sleep infinity & echo $!; wait"], {
    signal: ending.signal,
    withChildren: true,
    onStdout: (text) => void pids.push(Number(text)),
  });
  const interrupted = assert.rejects(running, Interrupted);
  await until("it runs", () => pids.length > 0);
  t.after(() => {
    for (const pid of pids) if (!hasEnded(pid)) process.kill(pid, "SIGKILL");
  });
  ending.abort();
  await interrupted;
  await until("the end of the compiler", () => pids.every(hasEnded));
});

test("the exit code of a program with children is its own", async () => {
  const { code, stdout } = await run("sh", ["-c", "echo out; exit 7"], { withChildren: true });
  assert.deepEqual({ code, stdout }, { code: 7, stdout: "out\n" });
});

test("an editor ends with its starter, also one of another user: its other processes end with it", async (t) => {
  if (boundToThis("KILL").length === 0) return t.skip("there is no setpriv");
  const folder = mkdtempSync(join(tmpdir(), "extrospect-bound-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "pid");
  // In the place of the editor a program that never answers.
  const program = `
    import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
    import { dirname } from "node:path";
    process.env.XDG_CACHE_HOME = ${JSON.stringify(folder)};
    const { installedEditor } = await import(${JSON.stringify(import.meta.resolve("../../scripts/install-editor.mjs"))});
    const { serveEditor } = await import(${JSON.stringify(import.meta.resolve("../../scripts/editor-server.mjs"))});
    const { node } = installedEditor();
    mkdirSync(dirname(node), { recursive: true });
    writeFileSync(node, "#!/bin/sh\\necho $$ > ${file}.new; mv ${file}.new ${file}\\nexec sleep infinity\\n");
    chmodSync(node, 0o755);
    void serveEditor({ home: ${JSON.stringify(join(folder, "home"))}, as: ["env", "OF=another"] });`;
  const { starter, pids } = await startedBy(t, program, 0);
  await until("the editor runs", () => existsSync(file));
  pids.push(Number(readFileSync(file, "utf8")));
  starter.kill("SIGKILL");
  await until("its end", () => pids.every(hasEnded));
});
