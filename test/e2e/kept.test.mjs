// A capture without an end: `record -d 0 --keep`.
import assert from "node:assert/strict";
import { copyFileSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertRefused, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

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

const CAPTURE = join(import.meta.dirname, "../../native-helper/crates/verdict/compare/tests/recorded/run-00.pb.gz");
const OLD_SECONDS = Date.UTC(2020, 0, 1) / 1000;
const NAME = /^shop\.(\d{5})-\d{8}T\d{6}Z\.pb\.gz$/;

/** The numbers of the files that are there. @param {string} folder */
const numbersIn = (folder) =>
  readdirSync(folder)
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

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
      onStart: (child) => void untilIn(child, "enough", isEnough).then(() => child.kill(signal)),
    },
  );
  return { ...run, summary: run.stdout === "" ? null : JSON.parse(run.stdout) };
}

test("files of an earlier run are removed, each that is kept opens by itself, and no sample is missing", async (t) => {
  const vm = await workingVm(t);
  const folder = temporaryFolder(t);
  // Older than is kept: a removal of files of this run would take ten seconds.
  const old = ["shop.00001-20200101T000000Z.pb.gz", "shop.00002-20200101T000010Z.pb.gz"];
  for (const name of old) {
    copyFileSync(CAPTURE, join(folder, name));
    utimesSync(join(folder, name), OLD_SECONDS, OLD_SECONDS);
  }
  const { code, stderr, summary } = await recordKeeping(
    vm.pid,
    join(folder, "shop.pb.gz"),
    () => (numbersIn(folder)[0] ?? 0) >= 3 && numbersIn(folder).length >= 3,
  );
  assert.equal(code, 0, stderr);
  const { kept, quality, file } = summary;
  assert.ok(kept.removed_files >= old.length && kept.removed_for_room === 0, JSON.stringify(kept));
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
