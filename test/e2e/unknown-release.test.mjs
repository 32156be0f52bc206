// An unseen release: without its row of offsets and its symbols, a known VM has to give the same facts about itself,
// and a capture of it the same shares. A wrong row has to be refused.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertExact, recordEnough, samplesIn } from "./enough.mjs";
import { forgetting, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** @param {any} doctor @returns {string[]} "field value", sorted */
function fieldsOf(doctor) {
  const { found } = doctor.rows.find((/** @type {any} */ row) => row.check === "layout");
  const list = /(?:confirmed by the VM|derived): (.*)$/.exec(found)?.[1] ?? "";
  return list.split(", ").sort();
}

for (const release of /** @type {const} */ (["25"])) {
  test(`OTP ${release}: without its row and without symbols, the VM gives the same layout, and a capture is exact`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_bif", args: ["shares"] });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    const known = await helperJson(["doctor", vm.pid]);
    const derived = await helperJson(["doctor", vm.pid], await forgetting("layouts,symbols"));
    const layout = derived.rows.find((/** @type {any} */ row) => row.check === "layout");
    assert.match(layout.found, /^derived from the running VM; derived: /);
    assert.deepEqual(fieldsOf(derived), fieldsOf(known));
    assert.equal(fieldsOf(known).length, 21);

    const file = join(folder, "derived.pb.gz");
    const { quality } = await recordEnough(
      vm.pid,
      { hz: 997, file, ...(await forgetting("layouts,symbols")) },
      "functions of the load",
      (profile) => samplesIn(profile, ({ frames }) => frames.some(({ name }) => name.startsWith("gt_bif:"))) >= 200,
    );
    // Erlang code is a few percent of this load, and while it starts it faults in fresh stack pages.
    assertExact(quality, { native: 0.9 });
  });
}

for (const release of /** @type {const} */ (["27"])) {
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

test("an unknown interpreter is refused: the place of its registers needs a row of offsets", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("23"), module: "gt_idle" });
  t.after(() => vm.kill());
  for (const words of ["layouts", "symbols", "row=25"]) {
    const run = await runHelper(["pstack", vm.pid], await forgetting(words));
    assert.notEqual(run.code, 0, `OTP 23 was read although it forgot: ${words}`);
    assert.match(
      run.stderr,
      /this VM cannot be read: (no layout is known for OTP 23 \(emu\)|the emulator does not export process_main)/,
    );
    t.diagnostic(`${words}: ${run.stderr.trim()}`);
  }
});
