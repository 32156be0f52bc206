// `npm start` as a new user runs it, with the editor.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { until } from "../until.mjs";

const START_PATIENCE_MS = 480_000;

test("npm start serves the demo project in the browser on loopback, and Ctrl-C ends all of it", async () => {
  // The machine may have a `code`: this test is about the other way.
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((folder) => !/vscode|code/i.test(folder))
    .join(":");
  // Customers of the demo rest most of the time: it runs as long as the editor starts.
  const env = { ...process.env, PATH: path, ERL_FLAGS: "-demo pause_ms 100" };
  const child = spawn(process.execPath, ["scripts/start.mjs", "--seconds", "2"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const closed = once(child, "close");
  try {
    const address = await until(
      "the address",
      () => {
        const said = /^ {2}Open (http:\/\/127\.0\.0\.1:\d+\/\S*)$/m.exec(output)?.[1];
        if (said === undefined) throw new Error(output);
        return said;
      },
      START_PATIENCE_MS,
    );
    const page = await fetch(address);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /workbench/);
    const pid = Number(/choose the demo \(pid (\d+)\)/.exec(output)?.[1]);
    assert.ok(isRunning(pid), "the demo VM runs as long as the editor is open");
    // Ctrl-C reaches all of a terminal's processes. (npm in between would end with the signal, not with our code.)
    process.kill(-Number(child.pid), "SIGINT");
    const [code] = await closed;
    assert.equal(code, 0, output);
    assert.ok(!isRunning(pid), "the demo VM is gone");
    await assert.rejects(fetch(address), "no server is left");
    assert.match(output, /^Next$/m);
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), "SIGTERM");
    const capture = /captures\/demo-\S+\.pb\.gz/.exec(output)?.[0];
    if (capture) for (const folder of ["", "demo"]) rmSync(join(ROOT, folder, capture), { force: true });
  }
});

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
