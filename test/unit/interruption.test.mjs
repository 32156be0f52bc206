// A run ends with the npm that started it, also with one that is killed, at each signal that ends programs, and with its terminal.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { ENDING_SIGNALS } from "../../scripts/ending-signals.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { until } from "../until.mjs";

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

for (const signal of ENDING_SIGNALS)
  test(`${signal} interrupts the program`, (t) => endedBy(t, ({ program }) => process.kill(program, signal)));

test("a closed terminal interrupts the program, which ends its work although no reader is left", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-interruption-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [program, started, ended] = ["program.mjs", "started", "ended"].map((name) => join(folder, name));
  assert.ok(program && started && ended);
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
import { interruptionOfRun } from ${MODULE};
const looking = setInterval(() => {}, 60_000);
interruptionOfRun().signal.addEventListener("abort", () => {
  process.stdout.write("Stopped.\\n", () =>
    setImmediate(() => {
      writeFileSync(${JSON.stringify(ended)}, "");
      clearInterval(looking);
    }),
  );
});
writeFileSync(${JSON.stringify(started)}, String(process.pid));
`,
  );
  const { npm_lifecycle_event: _ours, ...env } = process.env;
  const terminal = spawn("script", ["-qec", `exec '${process.execPath}' '${program}'`, "/dev/null"], {
    env: { ...env, SHELL: "/bin/sh" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  await until("the program runs", () => existsSync(started) && readFileSync(started, "utf8") !== "");
  const pid = Number(readFileSync(started, "utf8"));
  terminal.kill("SIGKILL");
  await until("its end", () => !existsSync(`/proc/${pid}`));
  assert.ok(existsSync(ended), "it has ended its work");
});

test("Ctrl-C while a VM compiles interrupts the program: the VM waits for no answer", async (t) => {
  if (!existsSync("/usr/bin/erl")) return t.skip("there is no Erlang");
  const folder = mkdtempSync(join(tmpdir(), "extrospect-interruption-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [program, started, ended] = ["program.mjs", "started", "ended"].map((name) => join(folder, name));
  assert.ok(program && started && ended);
  const vms = JSON.stringify(pathToFileURL(join(ROOT, "test/vms/vm.mjs")).href);
  const work = `ok = file:write_file("${started}.tmp", os:getpid()), ok = file:rename("${started}.tmp", "${started}"), timer:sleep(infinity).`;
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
import { interruptionOfRun } from ${MODULE};
import { compileSources } from ${vms};
// In the place of a compiler a VM that has no end of its own.
const otp = {
  release: "25",
  root: ${JSON.stringify(folder)},
  rabbitmqHome: null,
  rabbitmqPlugins: null,
  wrap: () => ["/usr/bin/erl", "-noshell", "-eval", ${JSON.stringify(work)}],
  hostPath: (path) => (path.startsWith("/var/tmp/") ? ${JSON.stringify(folder)} + path : path),
};
await compileSources(otp, interruptionOfRun().signal).catch((error) => writeFileSync(${JSON.stringify(ended)}, String(error)));
`,
  );
  const { npm_lifecycle_event: _ours, ...env } = process.env;
  const terminal = spawn("script", ["-qec", `exec '${process.execPath}' '${program}'`, "/dev/null"], {
    env: { ...env, SHELL: "/bin/sh" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  t.after(() => terminal.kill("SIGKILL"));
  await until("the VM runs", () => existsSync(started));
  const vm = Number(readFileSync(started, "utf8"));
  t.after(() => {
    if (existsSync(`/proc/${vm}`)) process.kill(vm, "SIGKILL");
  });
  terminal.stdin.write("\x03");
  await once(terminal, "exit");
  assert.equal(readFileSync(ended, "utf8"), "Error: interrupted");
  await until("the VM's end", () => !existsSync(`/proc/${vm}`));
});
