// VMs that are not the plain JIT: the interpreter of OTP 23, and JITs started with other flags.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkerOf } from "../accuracy/legality.mjs";
import { startOf } from "../accuracy/measure.mjs";
import { SPLITS } from "../accuracy/workloads.mjs";
import { measured } from "../measured.mjs";
import { andNightly, releasesOf } from "../nightly.mjs";
import { until } from "../until.mjs";
import { batchesOf } from "../accuracy/timeline.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../vms/rabbitmq.mjs";
import { assertCountsAddUp, assertExact, qualityOf, sayRates } from "../e2e/enough.mjs";
import { helperJson, temporaryFolder } from "../e2e/helper.mjs";

const SECONDS = 1.5;
/** Samples are drawn from the time the VM measured: so many standard deviations are by chance once in some 15,000 comparisons. */
const DEVIATIONS = 4;
/** Beside that: the error the accuracy suite states for this program, percentage points. */
const STATED_POINTS = 1;

/**
 * @param {import("node:test").TestContext} t
 * @param {import("../vms/otp.mjs").OtpRelease} release
 * @param {string[]} emulatorFlags
 * @param {"readv" | "bpf"} engine
 */
async function assertRight(t, release, emulatorFlags, engine) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_erlang", emulatorFlags });
  t.after(() => vm.kill());
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const quality = await qualityOf(vm.pid, { seconds: SECONDS, hz: 997, file, engine }, { erlang: 300 });
  const { timeline } = await vm.stop();
  const profile = readProfile(file);
  const batches = batchesOf(
    { startUnixNs: startOf(profile), seconds: SECONDS, samples: profile.samples, countIndex: countIndex(profile) },
    timeline,
  );
  const { erlang } = quality;
  const shares = timeline.functions.map((/** @type {string} */ name, /** @type {number} */ part) => {
    const sumOf = (/** @type {(batch: import("../accuracy/statistics.mjs").Batch) => number[]} */ of) => {
      const all = batches.flatMap((batch) => of(batch)).reduce((sum, each) => sum + each, 0);
      return { all, own: batches.reduce((sum, batch) => sum + (of(batch)[part] ?? 0), 0) };
    };
    const [seen, truth] = [sumOf((batch) => batch.seen), sumOf((batch) => batch.trueNs)];
    const expected = truth.own / truth.all;
    const tolerance = STATED_POINTS + DEVIATIONS * 100 * Math.sqrt((expected * (1 - expected)) / seen.all);
    return { name, expected: 100 * expected, share: (100 * seen.own) / seen.all, tolerance };
  });
  const said = shares.map(
    (/** @type {any} */ { name, expected, share, tolerance }) =>
      `${name} ${share.toFixed(1)} of ${expected.toFixed(1)} +-${tolerance.toFixed(1)}`,
  );
  t.diagnostic(
    `OTP ${release} ${emulatorFlags.join(" ")} ${engine}: Erlang ${erlang.complete}/${erlang.samples} complete; ${said.join(", ")}`,
  );
  assert.equal(shares.length, 3);
  const where = `OTP ${release} ${[...emulatorFlags, engine].join(" ")}`;
  sayRates(t, quality, where);
  // The VM measures itself by the wall clock, so that other processes move its truth: reported, not asserted.
  const worst = Math.max(
    ...shares.map(
      (/** @type {any} */ { expected, share, tolerance }) => (100 * Math.abs(share - expected)) / tolerance,
    ),
  );
  measured(t, "shares beside the VM's own clock, largest error", worst, where);
  for (const { name, share } of shares) assert.ok(share > 0, `${name} is not seen`);
  assertCountsAddUp(quality);
  if (engine === "bpf") assertExact(quality);
  const checker = checkerOf(SPLITS.find(({ module }) => module === "gt_erlang")?.rules ?? assert.fail());
  const judged = profile.samples.map((sample) => checker.check(sample));
  assert.deepEqual([...new Set(judged.map(({ wrong }) => wrong))], [null]);
  assert.ok(judged.filter(({ relevant }) => relevant).length > 10);
}

for (const engine of /** @type {const} */ (["readv", "bpf"])) {
  test(`OTP 23, interpreted, ${engine}: shares and complete stacks`, (t) => assertRight(t, "23", [], engine));
}

/** By day each of them is on one release. @type {[flags: string[], releases: import("../vms/otp.mjs").OtpRelease[], daily: import("../vms/otp.mjs").OtpRelease][]} */
const FLAGS = [
  [["+JPperf", "true"], OTP_RELEASES, "29"],
  [["+JMsingle", "true"], ["27", "29"], "27"],
  [["+JPcover", "true"], ["27"], "27"],
  [["+JPcover", "line_counters"], ["27"], "27"],
  [["+S", "1:1"], ["25", "29"], "25"],
  [["+SDcpu", "1:1", "+hms", "4000", "+A", "4"], ["27"], "27"],
];
for (const [flags, releases, daily] of FLAGS) {
  for (const release of releasesOf(releases, daily))
    test(`OTP ${release} ${flags.join(" ")}`, (t) => assertRight(t, release, flags, "readv"));
}

test("OTP 23: doctor and pstack", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("23"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  const report = JSON.stringify(await helperJson(["doctor", vm.pid]));
  assert.match(report, /OTP 23, ERTS [0-9.]+, emu/);
  // At some moments no scheduler runs a process.
  await until("a stack of the program", async () =>
    JSON.stringify(await helperJson(["pstack", vm.pid])).includes("gt_slices:process/3"),
  );
});

// By day it is under load on another release: test/e2e/quality.
for (const release of andNightly([], /** @type {const} */ (["23"])))
  test(`OTP ${release}: RabbitMQ under load, both engines`, async (t) => {
    const broker = await startRabbitmq(await prepareOtp(release));
    t.after(() => broker.stop());
    const load = await startRabbitmqLoad(await prepareOtp("25"), broker, { seconds: 60 });
    t.after(() => load.kill());
    for (const engine of /** @type {const} */ (["bpf", "readv"])) {
      const file = join(temporaryFolder(t), "capture.pb.gz");
      const quality = await qualityOf(
        broker.pid,
        { seconds: SECONDS, hz: 997, file, engine },
        { erlang: 100, native: 100 },
      );
      sayRates(t, quality, `RabbitMQ on OTP ${release}, ${engine}`);
      if (engine === "bpf") assertExact(quality, { erlang: 0.99 });
      else assertCountsAddUp(quality);
      const { functions } = await helperJson(["top", file, "-n", 500]);
      assert.ok(
        functions.some((/** @type {any} */ row) => row.function.startsWith("rabbit_channel:")),
        "functions of RabbitMQ",
      );
      for (const class_ of ["gc", "copy"]) {
        const { callers } = await helperJson(["blame", class_, file]);
        assert.ok(callers.length > 0, `nothing is shown as the cause of ${class_}`);
      }
    }
  });
