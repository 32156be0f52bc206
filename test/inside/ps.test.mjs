// ps: processes as they are read from outside, compared with the VM's own report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetting, helperJson } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** Looks at a VM in which processes come and go. */
const LOOKS = 10;
/** Of each of ten kinds. */
const EACH = 100;
/** Of a binary that is being appended to: OTP 25 does not list it. */
const APPENDED_BYTES = 72;

/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release */
async function startVm(t, release) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH] });
  t.after(() => vm.kill());
  return vm;
}

/** The VM's report of a process, in the shape of ps. @param {Record<string, any>} said */
function asPs(said) {
  return Object.fromEntries(Object.entries(said).map(([key, value]) => [key, value === "null" ? null : value]));
}

/** @param {Record<string, any>} shown @param {Record<string, any>} said @param {string[]} keys */
function assertSame(shown, said, keys) {
  const pick = (/** @type {Record<string, any>} */ of) => Object.fromEntries(keys.map((key) => [key, of[key]]));
  assert.deepEqual(pick(shown), pick(said), `process ${said.pid}`);
}

const NAMES = ["pid", "name", "label", "initial_call"];
const NUMBERS = ["status", "priority", "mailbox", "minor_gcs"];

/** @param {string} release @param {any} vm @param {() => Promise<any>} look */
async function assertEqual(release, vm, look) {
  const before = (await vm.report()).processes;
  const { processes, rejected } = await look();
  const after = new Map((await vm.report()).processes.map((/** @type {any} */ process) => [process.pid, process]));
  assert.deepEqual(rejected, { freed: 0, torn: 0 });
  const shown = new Map(processes.map((/** @type {any} */ process) => [process.pid, process]));
  assert.equal(shown.size, processes.length, "no pid twice");
  let rested = 0;
  // A queried process works for its answer, each for the same.
  const askedFor = (/** @type {any} */ one) => after.get(one.pid)?.reductions - one.reductions;
  const asking = Math.min(...before.filter((/** @type {any} */ one) => one.known).map(askedFor));
  for (const one of before.map(asPs)) {
    const there = shown.get(one.pid);
    assert.ok(there, `${one.pid} is among them`);
    assertSame(there, one, NAMES);
    if (one.parent !== "unknown") assert.equal(there.parent, one.parent);
    // Those of the VM's own may have worked in between.
    if (!one.known && askedFor(one) !== asking) continue;
    rested += 1;
    assertSame(there, one, NUMBERS);
    // The question itself may lie in a fragment of the heap.
    const fragments = there.heap_words - one.heap_words;
    assert.ok(
      [0, one.fragments_words].includes(fragments),
      `process ${one.pid}: ${there.heap_words} words, ${one.heap_words} and ${one.fragments_words}`,
    );
    assert.equal(there.heap_used_words - fragments, one.heap_used_words, `process ${one.pid}`);
    // An answer with a binary that was being appended to makes it as short as its contents.
    const unlisted = there.binary_bytes - after.get(one.pid).binary_bytes;
    assert.ok(
      unlisted === 0 || (release === "25" && unlisted === APPENDED_BYTES),
      `process ${one.pid}: ${there.binary_bytes} bytes of binaries`,
    );
    assert.ok(
      there.reductions >= one.reductions && there.reductions <= one.reductions + askedFor(one),
      `process ${one.pid}: ${there.reductions} reductions, ${one.reductions} before`,
    );
    assert.equal(there.current, one.current, `process ${one.pid}`);
    if (one.current !== "erlang:hibernate/3")
      assert.equal(there.line, one.line, `process ${one.pid}: ${there.current}`);
    const asked = one.fragments_words * 8;
    assert.ok(
      Math.abs(one.memory - there.memory) <= one.memory / 100 + asked,
      `process ${one.pid}: ${there.memory} of ${one.memory} bytes`,
    );
    assert.equal(there.memory_at_least, false, `process ${one.pid}`);
  }
  assert.ok(rested >= 10 * EACH, `${rested} rested`);
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: what is read of a process is what the VM says of it`, async (t) => {
    const vm = await startVm(t, release);
    await assertEqual(release, vm, () => helperJson(["ps", vm.pid]));
  });
}

for (const release of releasesOf(ALL_OTP_RELEASES, "27")) {
  test(`OTP ${release}: beside a storm of processes no entry of one that rests is wrong, missing or doubled`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH, "storm"] });
    t.after(() => vm.kill());
    const known = (await vm.report()).processes.filter((/** @type {any} */ one) => one.known).map(asPs);
    assert.equal(known.length, 10 * EACH);
    let others = 0;
    for (let look = 0; look < LOOKS; look++) {
      const { processes } = await helperJson(["ps", vm.pid]);
      const shown = new Map(processes.map((/** @type {any} */ process) => [process.pid, process]));
      assert.equal(shown.size, processes.length, "no pid twice");
      for (const one of known) assertSame(shown.get(one.pid) ?? {}, one, [...NAMES, ...NUMBERS]);
      others += processes.length - known.length;
    }
    assert.ok(others > LOOKS, "others come and go");
  });
}

test("OTP 29 and 25 with symbols and layouts forgotten: the same", async (t) => {
  const options = await forgetting("symbols,layouts");
  for (const release of /** @type {const} */ (["25", "29"])) {
    const vm = await startVm(t, release);
    await assertEqual(release, vm, () => helperJson(["ps", vm.pid], options));
  }
});
