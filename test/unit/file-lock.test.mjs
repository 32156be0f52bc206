// A lock is its owner's as long as that lives, and free afterwards.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { fileLock } from "../../scripts/file-lock.mjs";
import { Interrupted, Problem } from "../../scripts/problem.mjs";
import { until } from "../until.mjs";

/** @type {string} */
let folder;
/** @type {string} */
let file;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "extrospect-lock-"));
  file = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string[]} args @returns {string[]} */
const pgrep = (...args) => spawnSync("pgrep", args, { encoding: "utf8" }).stdout.split("\n").filter(Boolean);

/** Until a process has come to the lock that another one has. */
const someoneWaits = () =>
  until("a process that waits for the lock", () => {
    const holders = pgrep("-f", file);
    return holders.length > 0 && pgrep("-x", "flock", "-P", holders.join(",")).length > 0;
  });

test("of several one has it at a time, and the last leaves no file", async () => {
  let owners = 0;
  const own = async () => {
    const unlock = await fileLock(file);
    owners += 1;
    assert.equal(owners, 1);
    await new Promise((resolve) => setImmediate(resolve));
    owners -= 1;
    await unlock();
  };
  await Promise.all([own(), own(), own(), own()]);
  assert.deepEqual(readdirSync(folder), []);
});

test("it is not taken from an owner that lives, however old it is", async () => {
  const unlock = await fileLock(file);
  utimesSync(file, 0, 0);
  let isTaken = false;
  const second = fileLock(file).then((unlockIt) => {
    isTaken = true;
    return unlockIt();
  });
  await someoneWaits();
  assert.equal(isTaken, false);
  await unlock();
  await second;
  assert.equal(isTaken, true);
});

test("a killed owner delays no process, and neither does its file", async (t) => {
  writeFileSync(file, "");
  const program = `import { fileLock } from ${JSON.stringify(import.meta.resolve("../../scripts/file-lock.mjs"))};
    await fileLock(${JSON.stringify(file)}); console.log("locked"); setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => owner.kill("SIGKILL"));
  await once(owner.stdout, "data");
  const second = fileLock(file);
  await someoneWaits();
  owner.kill("SIGKILL");
  await (
    await second
  )();
  assert.equal(existsSync(file), false);
});

test("an interruption ends the wait", async () => {
  const unlock = await fileLock(file);
  const interruption = new AbortController();
  const second = assert.rejects(fileLock(file, interruption.signal), Interrupted);
  await someoneWaits();
  interruption.abort();
  await second;
  await unlock();
  await assert.rejects(fileLock(file, interruption.signal), Interrupted);
});

test("a folder without room for it is named", async () => {
  await assert.rejects(
    fileLock(join(folder, "not there/lock")),
    (error) =>
      error instanceof Problem &&
      error.message.includes("not there/lock cannot be locked") &&
      error.fix === `ls -ld '${folder}/not there'`,
  );
});
