// Locks for what belongs to the whole machine hold between processes, and end with their holder.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { machineLock, machineLockFile, withMachineLock } from "../machine-lock.mjs";

/** A process that takes the lock and keeps it; it prints `locked` when it has it. */
function holder() {
  const program = `import { machineLock } from ${JSON.stringify(import.meta.resolve("../machine-lock.mjs"))};
    console.log("begun"); await machineLock(null, "clock"); console.log("locked"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {string[]} */
  const lines = [];
  const output = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  let awaited = 0;
  // Several lines may come at once: an event that has been is not waited for.
  const line = async () => {
    awaited += 1;
    for (const wanted = awaited; lines.length < wanted;) await once(output, "line");
  };
  return { child, lines, line };
}

test("of two processes one has the lock, and the other has it when the first is killed", async (t) => {
  const first = holder();
  t.after(() => first.child.kill("SIGKILL"));
  await first.line();
  await first.line();
  const second = holder();
  t.after(() => second.child.kill("SIGKILL"));
  await second.line();
  const got = second.line();
  assert.deepEqual(second.lines, ["begun"]);
  first.child.kill("SIGKILL");
  await got;
  assert.deepEqual(second.lines, ["begun", "locked"]);
});

test("a piece of work has the lock until it is done or has failed", async (t) => {
  const { got } = await withMachineLock("clock", async () => {
    const other = holder();
    t.after(() => other.child.kill("SIGKILL"));
    await other.line();
    assert.deepEqual(other.lines, ["begun"]);
    return { got: other.line().then(() => other.child.kill("SIGKILL")) };
  });
  assert.equal(await got, true);
  const failing = withMachineLock("clock", () => Promise.reject(new Error("no account")));
  await assert.rejects(failing, /no account/);
  await withMachineLock("clock", () => {});
  // Without a turn of this process in which it could still unlock. Another run may have it for a moment.
  assert.equal(spawnSync("flock", ["--timeout", "60", machineLockFile("clock"), "true"]).status, 0);
});

test("a test has the lock until its hooks have run", async (t) => {
  /** @type {string[]} */
  const order = [];
  await t.test("has it", async (inner) => {
    await machineLock(inner, "clock");
    inner.after(async () => {
      const other = holder();
      const got = other.line().then(() => other.line());
      void got.then(() => {
        order.push("the next one");
        other.child.kill("SIGKILL");
      });
      await once(other.child.stdout, "data");
      order.push("hook");
      t.after(() => got);
    });
  });
  t.after(() => assert.deepEqual(order, ["hook", "the next one"]));
});
