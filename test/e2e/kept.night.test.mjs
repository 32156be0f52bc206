// A capture without an end: `record -d 0 --keep`.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { smallDisk } from "../small-disks.mjs";
import { undoneAfter } from "../undone.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertRefused, runHelper, temporaryFolder } from "./helper.mjs";

/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("25");
});

/** @param {import("node:test").TestContext} t @param {string[]} [args]   by default it works a fifth of the time */
async function workingVm(t, args = NOW_AND_THEN.args) {
  const vm = await runErl({ otp, module: "gt_erlang", args });
  t.after(() => vm.kill());
  return vm;
}

const NAME = /^shop\.(\d{5})-\d{8}T\d{6}Z\.pb\.gz$/;

/** The numbers of the files that are there. @param {string} folder */
const numbersIn = (folder) =>
  readdirSync(folder)
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/** @param {string} folder @param {number} number */
const fileOf = (folder, number) =>
  join(folder, readdirSync(folder).find((name) => Number(NAME.exec(name)?.[1]) === number) ?? "");

/** @param {string} file */
const samplesIn = (file) => readProfile(file).samples.reduce((sum, { values }) => sum + (values[0] ?? 0), 0);

/**
 * Records until something holds; then Ctrl-C, or another signal.
 * @param {number} pid
 * @param {string} file
 * @param {() => boolean} isEnough
 * @param {{signal?: "SIGINT" | "SIGKILL", keep?: string, wrapper?: string[]}} [how]
 */
async function recordKeeping(pid, file, isEnough, { signal = "SIGINT", keep = "10s", wrapper = [] } = {}) {
  const run = await runHelper(
    ["record", pid, "-d", 0, "-F", 997, "--keep", keep, "-o", file, "--json", "--max-overhead", "off"],
    {
      wrapper,
      timeoutMs: 240_000,
      onStart: (child) => void until("enough", isEnough, 200_000).finally(() => child.kill(signal)),
    },
  );
  return { ...run, summary: run.stdout === "" ? null : JSON.parse(run.stdout) };
}

test("old files are removed, each that is kept opens by itself, and no sample is missing", async (t) => {
  const vm = await workingVm(t);
  const folder = temporaryFolder(t);
  const { code, stderr, summary } = await recordKeeping(
    vm.pid,
    join(folder, "shop.pb.gz"),
    () => (numbersIn(folder)[0] ?? 0) >= 3,
  );
  assert.equal(code, 0, stderr);
  const { kept, quality, file } = summary;
  assert.ok(kept.removed_files >= 2 && kept.removed_for_room === 0, JSON.stringify(kept));
  assert.deepEqual(
    readdirSync(folder).sort(),
    kept.files.map((/** @type {any} */ row) => row.file.slice(folder.length + 1)).sort(),
    "nothing else is there",
  );
  assert.equal(kept.files.at(-1).file, file);
  let samples = kept.removed_samples;
  for (const row of kept.files) {
    assert.equal(samplesIn(row.file), row.samples, row.file);
    samples += row.samples;
    const names = readProfile(row.file).samples.flatMap(({ frames }) => frames.map(({ name }) => name));
    if (row.samples > 200) assert.ok(names.some((name) => name.startsWith("gt_erlang:")));
    const top = await runHelper(["top", row.file, "--json"]);
    assert.equal(top.code, 0, top.stderr);
    assert.equal(JSON.parse(top.stdout).quality.samples, row.samples);
  }
  assert.equal(samples, quality.samples);
  const spans = kept.files.map((/** @type {any} */ row) => [row.from_s, row.until_s]);
  for (const [index, [from, until]] of spans.entries()) {
    // A bucket of 20 ms is of both, and samples are named as late as a busy machine lets them.
    const [before, end] = spans[index - 1] ?? [-Infinity, Infinity];
    assert.ok(
      from >= before && from <= end && from <= until && (index === 0 || until >= end),
      `one after the other: ${JSON.stringify(spans)}`,
    );
  }
  assert.ok(spans.at(-1)[1] - spans[0][0] >= 10, `the last ten seconds are there: ${JSON.stringify(spans)}`);
});

test("a killed helper leaves files that open, and the next run continues with them", async (t) => {
  const vm = await workingVm(t);
  const folder = temporaryFolder(t);
  const file = join(folder, "shop.pb.gz");
  await recordKeeping(vm.pid, file, () => numbersIn(folder).length >= 4, { signal: "SIGKILL", keep: "12s" });
  const left = numbersIn(folder);
  for (const number of left.slice(0, -1)) assert.ok(samplesIn(fileOf(folder, number)) >= 0);
  assert.ok(readUnfinishedProfile(fileOf(folder, left.at(-1) ?? 0)));
  const { code, stderr, summary } = await recordKeeping(vm.pid, file, () => !numbersIn(folder).includes(left[0] ?? 0), {
    keep: "12s",
  });
  assert.equal(code, 0, stderr);
  assert.ok(summary.kept.removed_files >= 1, "those of the first run are removed, too");
  assert.ok((numbersIn(folder).at(-1) ?? 0) > (left.at(-1) ?? 0), "numbers go on");
  assert.deepEqual(
    readdirSync(folder).filter((name) => !NAME.test(name)),
    [],
    "no half rewritten file is left",
  );
});

test("on a full disk the oldest files make room, and the summary reports it", async (t) => {
  // Before the folder is removed.
  const undo = undoneAfter(t);
  const vm = await workingVm(t, []);
  const small = join(temporaryFolder(t), "small");
  mkdirSync(small);
  undo(smallDisk(small, "size=40k"));
  const { code, stderr, summary } = await recordKeeping(
    vm.pid,
    join(small, "shop.pb.gz"),
    () => (numbersIn(small)[0] ?? 0) >= 3,
    { keep: "12s" },
  );
  assert.equal(code, 0, stderr);
  assert.ok(summary.kept.removed_for_room >= 1, JSON.stringify(summary.kept));
  for (const row of summary.kept.files) assert.equal(samplesIn(row.file), row.samples);
});

test("a missing folder and an invalid limit are refused", async (t) => {
  const vm = await workingVm(t);
  assertRefused(
    await runHelper(["record", vm.pid, "-d", 1, "--keep", "1h", "-o", join(temporaryFolder(t), "no/such/shop.pb.gz")]),
    1,
  );
  for (const keep of ["1", "5m", "2s", "-1h", "10kB"]) {
    const { code, stderr } = await runHelper(["record", vm.pid, "-d", 1, `--keep=${keep}`]);
    assert.equal(code, 2, keep);
    assert.match(stderr, /--keep/);
  }
});
