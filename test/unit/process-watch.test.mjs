// The processor time of a test file: with programs that are killed, and with those that leave their parent.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { marked, ProcessWatch } from "../../scripts/process-watch.mjs";
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

test("what loses its parent between two looks is known by its mark, of which each process is read once", () => {
  const [{ env, mark }, other] = [marked({}), marked({})];
  const within = marked(env);
  /** @type {Map<number, NodeJS.ProcessEnv>} */
  const environments = new Map([
    [1, {}],
    [10, env],
    [20, other.env],
    // Their parents were never seen.
    [12, env],
    [13, within.env],
    [14, { PATH: "/bin" }],
    [22, other.env],
    // Started by one with the mark.
    [15, {}],
  ]);
  /** @type {number[]} */
  const read = [];
  const environment = (/** @type {number} */ pid) => {
    read.push(pid);
    const all = Object.entries(environments.get(pid) ?? {});
    return all.map(([name, value]) => `${name}=${value}\0`).join("");
  };
  let processes = [seen(1, 0, 500), seen(2, 0, 0), seen(3, 2, 0), seen(10, 1, 1), seen(20, 1, 1)];
  const watch = new ProcessWatch(() => processes, environment);
  const [watched, second] = [watch.begin(10, mark), watch.begin(20, other.mark)];
  processes = [1, 12, 13, 14, 20, 22].map((pid) => seen(pid, pid === 1 ? 0 : 1, 3));
  processes.push(seen(15, 12, 3));
  assert.deepEqual(watch.end(watched), { seconds: 1 + 3 * 3, left: [12, 13, 15] });
  assert.deepEqual(watch.end(second).left, [22]);
  const withMarks = read.filter((pid) => Object.keys(environments.get(pid) ?? {}).length > 0);
  assert.deepEqual(withMarks, [10, 20, 12, 13, 14, 22]);
  assert.ok(!read.includes(3), "the kernel's own");
});

test("a process with the pid of another one is not taken for it", () => {
  const { env, mark } = marked({});
  let processes = [seen(10, 1, 1), seen(12, 1, 1)];
  let text = `${Object.entries(env)
    .map((pair) => pair.join("="))
    .join("\0")}\0`;
  const watch = new ProcessWatch(
    () => processes,
    () => text,
  );
  const watched = watch.begin(10, mark);
  text = "PATH=/bin\0";
  processes = [seen(12, 1, 1, { key: "12 2" })];
  assert.deepEqual(watch.end(watched).left, []);
});

test("a program that gets the pid of a file that has ended is not that file", () => {
  let processes = [seen(10, 1, 1), seen(11, 10, 2)];
  const watch = new ProcessWatch(() => processes);
  const watched = watch.begin(10);
  // Another user's program, with a child, before the end of the file is known here.
  processes = [seen(10, 1, 70, { key: "10 2" }), seen(12, 10, 80)];
  assert.deepEqual(watch.end(watched), { seconds: 1 + 2, left: [] });
});

test("a real orphan that no look has seen below its parent", async () => {
  const watch = new ProcessWatch();
  const { env, mark } = marked(process.env);
  // The shell between the two has ended before the second look.
  const child = spawn("/bin/sh", ["-c", "read go; (setsid sleep 600 >/dev/null & echo $!); read line"], {
    stdio: ["pipe", "pipe", "ignore"],
    env,
  });
  const watched = watch.begin(child.pid ?? 0, mark);
  child.stdin.write("go\n");
  const [pid] = await once(child.stdout, "data");
  child.stdin.end();
  await once(child, "exit");
  assert.deepEqual(watch.end(watched).left, [Number(pid)]);
  process.kill(Number(pid));
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
