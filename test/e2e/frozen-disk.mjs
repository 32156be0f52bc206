// A disk that hangs: a file system in a file, which the kernel freezes. A process that writes to it waits, and not even
// SIGKILL ends that, as with a disk or a file server that no longer answers.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The reason why there is none here; false where there can be one. */
export const NO_FROZEN_DISK =
  process.getuid?.() === 0 && existsSync("/dev/loop-control") ? false : "this takes root and loop devices";

/**
 * A shell that outlives this process: however that ends, the pipe of its words is closed, and the disk thaws and is gone.
 * Its folder has the process id of the shell. The device is freed with the last file that is open on it.
 */
const SHELL = `
folder=$(mktemp -d "/var/tmp/extrospect-test-frozen-$$-XXXXXX") || exit 1
cd "$folder" && mkdir mounted && truncate -s 1G image && mkfs.ext4 -q image && mount -o loop,noatime image mounted && echo "$folder"
while read -r word; do
  fsfreeze "--$word" mounted && echo "$word"
done
fsfreeze --unfreeze mounted 2> /dev/null
umount --lazy mounted
cd / && rm -r "$folder"`;

/** @param {import("node:test").TestContext} t */
export async function frozenDisk(t) {
  const shell = spawn("sh", ["-c", SHELL], {
    stdio: ["pipe", "pipe", "inherit"],
    // Ctrl-C and a kill of the whole group must leave it to thaw the disk.
    detached: true,
  });
  const ended = new Promise((resolve) => shell.once("close", resolve));
  t.after(() => {
    shell.stdin.end();
    return ended;
  });
  shell.stdin.on("error", () => {}); // it has ended, and a line is missing
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  const heard = async (/** @type {string} */ word) => assert.equal((await lines.next()).value, word);
  const say = async (/** @type {string} */ word) => {
    shell.stdin.write(`${word}\n`);
    await heard(word);
  };
  const folder = String((await lines.next()).value ?? assert.fail("there is no disk"));
  return { folder: join(folder, "mounted"), freeze: () => say("freeze"), thaw: () => say("unfreeze") };
}
