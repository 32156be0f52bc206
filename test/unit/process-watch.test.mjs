// The processor time of a test file: with programs that are killed, and with those that leave their parent.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { ProcessWatch } from "../../scripts/process-watch.mjs";
import { until } from "../until.mjs";

/** @param {number} pid @param {number} parent @param {number} seconds */
const seen = (pid, parent, seconds, { key = `${pid} 1`, waitedFor = 0 } = {}) => ({
  pid,
  parent,
  key,
  seconds,
  waitedFor,
});

test("time of processes that end, are killed or change their parent counts, that of others does not", () => {
  let processes = [seen(1, 0, 500), seen(10, 1, 1), seen(11, 10, 2), seen(12, 11, 3), seen(99, 1, 50)];
  const watch = new ProcessWatch(() => processes);
  const watched = watch.begin(10);
  // 11 is killed; 12 belongs to init now, and starts 13. Another process has the number 11.
  processes = [
    seen(1, 0, 500),
    seen(10, 1, 1),
    seen(12, 1, 4),
    seen(13, 12, 5),
    seen(11, 1, 70, { key: "11 2" }),
    seen(99, 1, 60),
  ];
  const other = watch.begin(99);
  processes = [seen(1, 0, 500), seen(12, 1, 4), seen(99, 1, 61)];
  const { seconds, left } = watch.end(watched);
  assert.equal(seconds, 1 + 2 + 4 + 5);
  assert.deepEqual(left, [12]);
  assert.equal(watch.end(other).seconds, 61);
});

test("children that the program waited for count where they were too short to be seen", () => {
  const watch = new ProcessWatch(() => [seen(10, 1, 1, { waitedFor: 9 })]);
  assert.equal(watch.end(watch.begin(10)).seconds, 10);
});

test("a real program that leaves a process behind", async () => {
  const watch = new ProcessWatch();
  const child = spawn("/bin/sh", ["-c", "sleep 600 & read line"], { stdio: ["pipe", "ignore", "ignore"] });
  const watched = watch.begin(child.pid ?? 0);
  await until("both are seen", () => watched.processes.size === 2);
  child.stdin.end();
  await new Promise((resolve) => child.once("exit", resolve));
  const { left } = watch.end(watched);
  assert.equal(left.length, 1);
  process.kill(left[0] ?? 0);
});
