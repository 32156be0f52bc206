// What a test has changed is undone once, whether its process goes on or is ended.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { undoneAfter } from "../undone.mjs";

test("after the test, the last step first", async () => {
  /** @type {(() => unknown)[]} */
  const hooks = [];
  /** @type {string[]} */
  const done = [];
  const undo = undoneAfter({ after: (hook) => hooks.push(hook) });
  undo(() => done.push("first"));
  undo(
    () => done.push("second"),
    () => done.push("second, at exit"),
  );
  for (const hook of hooks) await hook();
  assert.deepEqual(done, ["second", "first"]);
});

test("by a process that is ended before, one that fails included, and not twice", async () => {
  const module = join(import.meta.dirname, "../undone.mjs");
  const program = `
    import { undoneAfter } from ${JSON.stringify(module)};
    const hooks = [];
    const undo = undoneAfter({ after: (hook) => hooks.push(hook) });
    undo(() => console.log("first"));
    undo(() => { throw new Error("cannot"); });
    undo(() => console.log("waits"), () => console.log("second"));
    const done = undoneAfter({ after: (hook) => hooks.push(hook) });
    done(() => console.log("after the test"));
    await hooks[1]();
    process.exit(7);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 7, stderr);
  assert.equal(stdout, "after the test\nsecond\nfirst\n");
  assert.match(stderr, /^not undone: Error: cannot$/m);
});
