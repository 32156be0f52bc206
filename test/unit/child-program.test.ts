// Programs that the extension starts, on this platform and as Windows has them.
import assert from "node:assert/strict";
import { ChildProcess, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { endTree, startProgram, startSilentProgram } from "../../extension/src/child-program.js";
import { GitProgram } from "../../extension/src/commits/git-program.js";
import { until } from "../until.mjs";
import { asPlatform } from "./as-platform.js";
import { testFolder } from "./commits/test-repository.js";

function script(file: string, ...lines: string[]): string {
  writeFileSync(file, `#!/bin/sh\n${lines.join("\n")}\n`, { mode: 0o755 });
  return file;
}

/** A program that starts another one and waits for it; the process ids of both. */
function parent(folder: string) {
  const pids = join(folder, "pids");
  const program = script(
    join(folder, "parent.sh"),
    "sleep 1000 &",
    `echo "$$ $!" > ${pids}.part`,
    `mv ${pids}.part ${pids}`,
    "wait",
  );
  return {
    program,
    pids: () => until("both run", () => existsSync(pids) && readFileSync(pids, "utf8").trim().split(" ").map(Number)),
  };
}

/** It is there and no zombie. */
function runs(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}

const groupOf = (pid: number) =>
  Number(execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" }).trim());

/** The program of Windows that ends trees, by other means. @returns the file with its arguments */
function taskkill(t: TestContext, folder: string, exitCode: number): string {
  const asked = join(folder, "asked");
  mkdirSync(join(folder, "System32"));
  script(
    join(folder, "System32/taskkill.exe"),
    `echo "$*" > ${asked}`,
    `[ ${String(exitCode)} = 0 ] && pkill -KILL -P "$2"`,
    `kill -KILL "$2"`,
    `exit ${String(exitCode)}`,
  );
  const before = process.env["SystemRoot"];
  process.env["SystemRoot"] = folder;
  t.after(() => {
    if (before === undefined) delete process.env["SystemRoot"];
    else process.env["SystemRoot"] = before;
  });
  return asked;
}

test("a program is ended with what it started", async (t) => {
  const { program, pids } = parent(testFolder(t));
  const child = startSilentProgram(program, [], { ownsTree: true });
  const both = await pids();
  assert.equal(groupOf(both[0] ?? 0), child.pid, "in a process group of its own");
  endTree(child);
  await until("neither runs", () => !both.some(runs));
  endTree(child);
});

test("to cancel a program that cannot be started ends nothing else", async (t) => {
  // Its process id is no number of a process: 0, the caller's own group, or whatever was in memory.
  const kill = t.mock.method(ChildProcess.prototype, "kill", () => true);
  for (const start of [startProgram, startSilentProgram]) {
    const meanwhile = new AbortController();
    const child = start("/no/such/program", [], { signal: meanwhile.signal });
    const errors: string[] = [];
    child.on("error", ({ name }) => errors.push(name));
    meanwhile.abort();
    child.kill("SIGKILL");
    endTree(child);
    await until("it is reported", () => errors.includes("Error"));
  }
  assert.equal(kill.mock.callCount(), 0);
});

test("on Windows it has no group of its own, which would be a console, and taskkill ends both", async (t) => {
  asPlatform(t, "win32");
  const folder = testFolder(t);
  const asked = taskkill(t, folder, 0);
  const { program, pids } = parent(folder);
  const child = startSilentProgram(program, [], { ownsTree: true });
  const both = await pids();
  assert.equal(groupOf(both[0] ?? 0), groupOf(process.pid));
  endTree(child);
  await until("neither runs", () => !both.some(runs));
  assert.equal(readFileSync(asked, "utf8").trim(), `/pid ${String(child.pid)} /T /F`);
});

test("on Windows without taskkill the program itself is ended", async (t) => {
  asPlatform(t, "win32");
  const folder = testFolder(t);
  const before = process.env["SystemRoot"];
  process.env["SystemRoot"] = folder;
  t.after(() => {
    if (before === undefined) delete process.env["SystemRoot"];
    else process.env["SystemRoot"] = before;
  });
  const { program, pids } = parent(folder);
  const child = startSilentProgram(program, [], { ownsTree: true });
  const [pid = 0, inner = 0] = await pids();
  t.after(() => {
    process.kill(inner, "SIGKILL");
  });
  endTree(child);
  await until("it has ended", () => !runs(pid));
});

test("on Windows a git that takes too long is ended, and one in the workspace is never started", async (t) => {
  asPlatform(t, "win32");
  const [folder, programs] = [testFolder(t), testFolder(t)];
  taskkill(t, programs, 0);
  const trap = join(folder, "sprung");
  script(join(folder, "git.exe"), `echo > ${trap}`);
  const started = join(programs, "started");
  script(
    join(programs, "git.exe"),
    'case "$*" in *config*) exit 0;; *hang*) echo $$ > ' + started + "; sleep 1000;; esac",
    "echo answer",
  );
  const path = process.env["PATH"];
  t.after(() => {
    process.env["PATH"] = path;
  });
  process.env["PATH"] = `.:${programs}:${path ?? ""}`;
  assert.equal(await new GitProgram("git", 60_000).answer(folder, ["rev-parse"]), "answer");
  assert.equal(await new GitProgram("git", 60_000).answer(folder, ["hang"], "", { patienceMs: 1_000 }), undefined);
  if (existsSync(started)) await until("it has ended", () => !runs(Number(readFileSync(started, "utf8"))));
  assert.equal(existsSync(trap), false);
  // No git at all is no answer either.
  process.env["PATH"] = ".";
  assert.equal(await new GitProgram("git", 60_000).answer(folder, ["rev-parse"]), undefined);
  assert.equal(existsSync(trap), false);
});

test("no other file of the extension starts programs: each would have to think of Windows", () => {
  const sources = readdirSync("extension/src", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const starting = sources.filter((name) =>
    /^import \{[^}]*\} from "(?:node:)?child_process"|require\("(?:node:)?child_process"\)/m.test(
      readFileSync(join("extension/src", name), "utf8"),
    ),
  );
  assert.deepEqual(starting, ["child-program.ts"]);
});
