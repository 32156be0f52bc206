// An unseen release: without its row of offsets and its symbols, a known VM has to give the same facts about itself,
// and a capture of it the same shares. A wrong row has to be refused.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { measured as say } from "../measured.mjs";
import { releasesOf } from "../nightly.mjs";
import { until } from "../until.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertExact, qualityOf } from "./enough.mjs";
import { forgetting, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

const SECONDS = 2;
/** Standard deviations between two captures of the same load: one comparison in 15,000 is further off by chance. */
const DEVIATIONS = 4;
/** Two captures one after the other see the load at two times, and its own shares drift that much. */
const DRIFT_POINTS = 1.5;

/** A function of this share is in one of a thousand samples, except by a chance of 1 in 20,000. */
const SURELY_SEEN = 0.01;

/** @param {any} doctor @returns {string[]} "field value", sorted */
function fieldsOf(doctor) {
  const { found } = doctor.rows.find((/** @type {any} */ row) => row.check === "layout");
  const list = /(?:confirmed by the VM|derived): (.*)$/.exec(found)?.[1] ?? "";
  return list.split(", ").sort();
}

/**
 * Share of samples that have each function of the module in their stack, with its standard deviation.
 * @param {any} top @param {number} samples
 */
function shares(top, samples) {
  const ours = top.functions.filter((/** @type {any} */ row) => row.function.startsWith("gt_bif:"));
  return new Map(
    ours.map((/** @type {any} */ row) => {
      const share = row.total / samples;
      // A share of a handful of samples is as uncertain as that of ten.
      const uncertain = Math.max(share, 10 / samples);
      return [row.function, { share, variance: (uncertain * (1 - uncertain)) / samples }];
    }),
  );
}

for (const release of releasesOf(OTP_RELEASES, "25")) {
  test(`OTP ${release}: without its row and without symbols, the VM gives the same layout and the same shares`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_bif", args: ["shares"] });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    const known = await helperJson(["doctor", vm.pid]);
    const derived = await helperJson(["doctor", vm.pid], await forgetting("layouts,symbols"));
    const layout = derived.rows.find((/** @type {any} */ row) => row.check === "layout");
    assert.match(layout.found, /^derived from the running VM; derived: /);
    assert.deepEqual(fieldsOf(derived), fieldsOf(known));
    assert.equal(fieldsOf(known).length, 21);

    /** @type {Map<string, {share: number, variance: number}>[]} */
    const measured = [];
    for (const [index, options] of [{}, await forgetting("layouts,symbols")].entries()) {
      const file = join(folder, `${index}.pb.gz`);
      const quality = await qualityOf(vm.pid, { seconds: SECONDS, hz: 997, file, ...options }, { native: 1_000 });
      // Erlang code is a few percent of this load, and while it starts it faults in fresh stack pages.
      assertExact(quality, { native: 0.9 });
      measured.push(shares(await helperJson(["top", file, "-n", 0]), quality.samples));
    }
    const [withRow, without] = measured;
    assert.ok(withRow && without && withRow.size >= 6, "functions of the load are there");
    const lines = [...withRow].map(
      ([name, { share }]) =>
        `${name} ${(100 * share).toFixed(1)} / ${(100 * (without.get(name)?.share ?? 0)).toFixed(1)} %`,
    );
    t.diagnostic(`OTP ${release}: with / without: ${lines.join(", ")}`);
    let worst = 0;
    for (const [name, { share, variance }] of withRow) {
      const other = without.get(name) ?? { share: 0, variance: 0 };
      const tolerated = DEVIATIONS * Math.sqrt(variance + other.variance) + DRIFT_POINTS / 100;
      worst = Math.max(worst, Math.abs(share - other.share) / tolerated);
      if (share >= SURELY_SEEN) assert.ok(other.share > 0, `${name} is not seen: ${lines.join(", ")}`);
    }
    // The load divides its time by the clock on the wall, and others that take the processor from it move that.
    say(t, "two captures of one load, largest difference of a share", 100 * worst, `OTP ${release}`);
  });
}

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: the row of another release is refused`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_idle" });
    t.after(() => vm.kill());
    for (const other of OTP_RELEASES.filter((candidate) => candidate !== release)) {
      const run = await runHelper(["pstack", vm.pid], await forgetting(`row=${other}`));
      assert.notEqual(run.code, 0, `OTP ${release} was read with the row of OTP ${other}`);
      assert.match(run.stderr, /cannot be read: (layout check failed: |atom table does not look right: )/);
    }
  });
}

test("one scheduler of each kind and the smallest process table are enough to derive a layout", async (t) => {
  const emulatorFlags = ["+S", "1:1", "+SDcpu", "1:1", "+SDio", "1", "+P", "1024"];
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_erlang", emulatorFlags });
  t.after(() => vm.kill());
  const { rows } = await helperJson(["doctor", vm.pid], await forgetting("layouts"));
  const of = (/** @type {string} */ check) => rows.find((/** @type {any} */ row) => row.check === check);
  assert.equal(of("schedulers").found, "1 normal, 1 dirty CPU, 1 dirty I/O; each shows whether it waits");
  assert.equal(of("layout").status, "ok", of("layout").found);
  const options = await forgetting("layouts");
  // At some moments its one process is elsewhere.
  await until("a stack of the program", async () => {
    const run = await runHelper(["pstack", vm.pid, "--all"], options);
    assert.equal(run.code, 0, run.stderr);
    return run.stdout.includes("gt_erlang:");
  });
});

test("an unknown interpreter is refused: the place of its registers needs a row of offsets", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("23"), module: "gt_idle" });
  t.after(() => vm.kill());
  for (const words of ["layouts", "symbols", "layouts,symbols", "row=25", "row=29"]) {
    const run = await runHelper(["pstack", vm.pid], await forgetting(words));
    assert.notEqual(run.code, 0, `OTP 23 was read although it forgot: ${words}`);
    assert.match(
      run.stderr,
      /this VM cannot be read: (no layout is known for OTP 23 \(emu\)|the emulator does not export process_main)/,
    );
    t.diagnostic(`${words}: ${run.stderr.trim()}`);
  }
});
