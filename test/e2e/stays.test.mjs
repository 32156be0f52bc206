// Long collections and calls of a program that makes them: with their process and kind, and never longer than they were.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { andNightly } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { recordEnough } from "./enough.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** @typedef {import("../pprof-reader.mjs").Stay} Stay */

/** Without names of the emulator's functions, a collection is of an unknown kind. */
const COLLECTIONS = ["collection", "major_collection"];

for (const release of andNightly(/** @type {const} */ (["27"]), /** @type {const} */ (["25", "29"]))) {
  test(`OTP ${release}: a NIF and a collection that last are in the capture, no longer than they did`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_stays" });
    t.after(() => vm.kill());
    const { spinner, collector } = await vm.report();
    const file = join(temporaryFolder(t), "stays.pb.gz");
    const isSpin = (/** @type {Stay} */ { kind, pid }) => kind === "nif" && pid === spinner;
    const isCollection = (/** @type {Stay} */ { kind, pid }) => COLLECTIONS.includes(kind) && pid === collector;
    const { quality } = await recordEnough(
      vm.pid,
      { hz: 997, file, engine: "bpf" },
      "a stay of each",
      ({ stays }) => stays.some(isSpin) && stays.some(isCollection),
    );
    const { stays } = readProfile(file);
    const counts = quality.stays;
    assert.equal(counts.period_us, 1003);
    assert.equal(counts.collections + counts.calls - counts.left_out, stays.length);

    // Those that went on when the recording ended have ended by then.
    const before = await vm.report();
    /** @type {any} */
    let after = before;
    await until("both have ended once more", async () => {
      after = await vm.report();
      return after.spins > before.spins && after.collections > before.collections;
    });
    const spins = stays.filter(isSpin);
    assert.deepEqual(
      spins.filter(({ lastsUs }) => lastsUs > after.longest_spin_us),
      [],
    );
    for (const { scheduler, called, function: caller, samples } of spins) {
      assert.match(scheduler, /^\d+$/);
      assert.match(called, /spin/);
      assert.match(caller, /^gt_stays:spins?\/1$/);
      assert.ok(samples >= 2);
    }
    assert.deepEqual(
      stays.filter((stay) => isCollection(stay) && stay.lastsUs > after.longest_collection_us),
      [],
    );
    const { stays: longest } = await helperJson(["top", file, "-n", 1]);
    const lengths = longest.map((/** @type {any} */ stay) => stay.at_least_ms);
    assert.deepEqual(
      lengths,
      lengths.toSorted((/** @type {number} */ a, /** @type {number} */ b) => b - a),
    );
    assert.ok(longest.some(isSpin) && longest.some(isCollection));
    const { stdout } = await runHelper(["top", file]);
    const line = /^long collections and calls: \d+ collections? \(at least \d+ ms\), \d+ calls? \(at least \d+ ms\); /m;
    assert.match(stdout, line);
    assert.match(stdout, /; longest: .*, at least \d+ ms, at \d+\.\d\d s$/m);
  });
}
