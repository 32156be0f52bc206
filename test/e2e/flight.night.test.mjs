// record --when: captures of the time before and after a condition came to hold, of real VMs that are made to meet it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tried, worked } from "../editor/tries.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { smallDisk } from "../small-disks.mjs";
import { undoneAfter } from "../undone.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

const NAME = /^surge\.(\d{5})-\d{8}T\d{6}Z\.pb\.gz$/;
/** For looks of the helper at the mailbox, at first. */
const SEVERAL_LOOKS_MS = 2_000;
/** Of processes that fill a mailbox, and of those that spin. */
const [MESSAGES, SPINNERS] = [5000, 60];

/** @param {import("node:test").TestContext} t @param {string} what @param {import("../vms/otp.mjs").OtpRelease} [release] */
async function surging(t, what, release = "27") {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_surge", args: [what] });
  t.after(() => vm.kill());
  return vm;
}

/** Watches a VM. @param {number} pid @param {string} when @param {string} folder @param {string[]} more */
function watching(pid, when, folder, more) {
  /** @type {import("node:child_process").ChildProcess} */
  let child = /** @type {any} */ (null);
  let stderr = "";
  const run = runHelper(
    ["record", pid, "--when", when, "--every", "0.2", "-o", join(folder, "surge.pb.gz"), "--json", ...more],
    {
      onStart: (started) => {
        child = started;
        started.stderr?.on("data", (chunk) => (stderr += String(chunk)));
      },
    },
  );
  return {
    run,
    interrupt: () => child.kill("SIGINT"),
    said: () => stderr,
    files: () => readdirSync(folder).filter((name) => NAME.test(name)),
  };
}

/**
 * Makes the VM fill or empty its mailbox, repeatedly until that is seen: the start of watching is not reported.
 * @param {import("../vms/vm.mjs").RunningVm} vm @param {() => boolean} seen
 */
async function surgeUntil(vm, seen) {
  return tried(
    "it was seen",
    async (patienceMs) => {
      const truth = await vm.report();
      return (await worked(until("a look", seen, patienceMs))) && truth;
    },
    SEVERAL_LOOKS_MS,
  );
}

/** The user's facts in a file. @param {string} file */
function userOf(file) {
  const comment = readProfile(file).comments.findLast((text) => text.startsWith("extrospect/user "));
  return JSON.parse(String(comment).slice("extrospect/user ".length));
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a mailbox that fills twice gives two captures that state it, and then watching ends`, async (t) => {
    const folder = temporaryFolder(t);
    const vm = await surging(t, "mailbox", release);
    const { run, said } = watching(vm.pid, "mailbox>1000 or memory>900GB", folder, [
      "--before",
      "3s",
      "--after",
      "1s",
      "--max-files",
      "2",
    ]);
    const { pid } = await surgeUntil(vm, () => said().split("written: ").length === 3);
    const { code, stdout, stderr } = await run;
    assert.equal(code, 0, stderr);
    const summary = JSON.parse(stdout);
    assert.equal(summary.ended, "files");
    assert.equal(summary.failed, 0);
    assert.equal(summary.condition, "mailbox>1000 or memory>900GB");
    assert.equal(summary.files.length, 2);
    for (const { file, bytes, found, from_s: from, triggered_s: at, until_s: ended } of summary.files) {
      // A look may fall into the moment at which it is being filled.
      const [, waiting, whose] = /^mailbox (\d+) of (\S+)$/.exec(found) ?? [];
      assert.equal(whose, pid);
      assert.ok(Number(waiting) > 1000 && Number(waiting) <= MESSAGES, found);
      assert.equal(readFileSync(file).length, bytes);
      assert.ok(from <= at && at - from <= 5 && ended >= at + 1, `${from} ${at} ${ended}`);
      const { note, tags } = userOf(file);
      const began = `recorded when mailbox>1000 or memory>900GB: ${found}, `;
      assert.equal(note.slice(0, began.length), began);
      assert.match(note.slice(began.length), /^\d+\.\d s after its beginning$/);
      assert.deepEqual(tags, ["when"]);
      const { readings, samples } = readProfile(file);
      assert.ok(samples.length > 0);
      const mailboxes = readings.flatMap((reading) => reading["largestMailbox"] ?? []);
      assert.ok(mailboxes.includes(MESSAGES), "it is in the readings");
      assert.ok((await helperJson(["top", file, "-n", 1])).samples > 0);
    }
    assert.ok(summary.files[0].until_s <= summary.files[1].triggered_s);
  });
}

test("processes that wait to be run trigger it, too", async (t) => {
  const folder = temporaryFolder(t);
  const vm = await surging(t, "runqueue");
  const { run, said } = watching(vm.pid, "runqueue > 20", folder, ["--after", "1s", "--max-files", "1"]);
  await surgeUntil(vm, () => said().includes("written: "));
  const { files } = JSON.parse((await run).stdout);
  const waiting = Number(/^runqueue (\d+)$/.exec(files[0].found)?.[1]);
  assert.ok(waiting > 20 && waiting <= SPINNERS * 10, files[0].found);
});

test("at rest nothing is written, and it ends with its time", async (t) => {
  const folder = temporaryFolder(t);
  const vm = await surging(t, "mailbox");
  const { code, stdout } = await runHelper([
    "record",
    vm.pid,
    "-d",
    "3",
    "--when",
    "mailbox>100 or runqueue>20 or memory>8GB",
    "--every",
    "0.1",
    "-o",
    join(folder, "surge.pb.gz"),
  ]);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^quality: \d+ samples? of [^]*\nmailbox>100 or runqueue>20 or memory>8GB did not hold within [34] s( where it was known: .*)?\n$/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test("a file that is written at an interruption, or at the end of the VM, is a whole capture", async (t) => {
  for (const end of ["interrupt", "kill"]) {
    const folder = temporaryFolder(t);
    const vm = await surging(t, "mailbox");
    const { run, said, files, interrupt } = watching(vm.pid, "mailbox>1000", folder, ["--after", "1h"]);
    await surgeUntil(vm, () => said().includes("it holds: ") && files().length === 1);
    if (end === "kill") vm.kill();
    else interrupt();
    const { code, stdout, stderr } = await run;
    assert.equal(code, end === "kill" ? 5 : 0, stderr);
    const [row] = JSON.parse(stdout).files;
    assert.equal(readFileSync(row.file).length, row.bytes);
    assert.ok(readProfile(row.file).readings.some((reading) => Number(reading["largestMailbox"]) > 1000));
    assert.deepEqual(
      readdirSync(folder).filter((name) => !NAME.test(name)),
      [],
      "no half rewritten file is left",
    );
  }
});

test("a full disk loses one capture, with a report, and not the next one", async (t) => {
  // Before the folder is removed.
  const undo = undoneAfter(t);
  const vm = await surging(t, "mailbox");
  const small = join(temporaryFolder(t), "small");
  mkdirSync(small);
  undo(smallDisk(small, "size=4k"));
  writeFileSync(join(small, "filler"), Buffer.alloc(4096));
  const { run, said } = watching(vm.pid, "mailbox>1000", small, [
    "--before",
    "2s",
    "--after",
    "1s",
    "--max-files",
    "1",
  ]);
  await surgeUntil(vm, () => said().includes("not written to its end: "));
  execFileSync("mount", ["-o", "remount,size=20m", small]);
  await surgeUntil(vm, () => said().includes("written: "));
  const { code, stdout, stderr } = await run;
  assert.equal(code, 1, stderr);
  const summary = JSON.parse(stdout);
  assert.ok(summary.failed >= 1);
  assert.ok((await helperJson(["top", summary.files.at(-1).file, "-n", 1])).samples > 0);
});

test("an invalid condition is refused, with the position of the error and the expected input", async () => {
  for (const [when, why] of [
    ["mailbox>", "at character 9: expected a number, 0 or more"],
    [
      "queue>1",
      "at character 1: expected one of mailbox, messages, runqueue, memory, rss, processes, collections/s, reductions/s",
    ],
    ["mailbox>1 or memory>8 giga", 'at character 23: expected "or", "and" or the end'],
  ]) {
    const { code, stderr } = await runHelper(["record", 1, "--when", String(when)]);
    assert.equal(code, 2);
    assert.ok(stderr.includes(String(why)), stderr);
  }
  for (const more of [
    ["--before", "2h"],
    ["--after", "0s"],
    ["--max-files", "0"],
    ["--keep", "1h"],
    ["--push", "http://localhost:1"],
  ]) {
    assert.equal((await runHelper(["record", 1, "--when", "mailbox>1", ...more])).code, 2, more.join(" "));
  }
  assert.equal((await runHelper(["record", 1, "--before", "2s"])).code, 2);
});
