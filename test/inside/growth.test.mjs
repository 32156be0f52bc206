// growth: one leak is named. All kinds of leaks among processes that churn are found by night.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { untilAnswered } from "../until.mjs";
import { letGo } from "../vms/held.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { holdWhole } from "../vms/stopped.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";

/** The fewest snapshots that show a growth. */
const SNAPSHOTS = 8;
const FIRST_WATCH_S = 5;
const MEASURES = [
  "allocator",
  "atoms",
  "binaries",
  "ets",
  "ets tables",
  "mailbox",
  "modules",
  "outside allocators",
  "ports",
  "process memory",
  "processes",
  "resident memory",
  "timers",
];

test("a mailbox that grows is named, and nothing that is not there; a time that is none is refused", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_leaks", args: [0] });
  t.after(() => vm.kill());
  let watch = {
    snapshots: 0,
    halted_snapshots: 0,
    growth: /** @type {any[]} */ ([]),
    followed: [""],
    newest_modules: [""],
    native_libraries: [{ file: "", modules: [""], drivers: [""] }],
    unknown: {},
  };
  const grown = (/** @type {string} */ what) => watch.growth.filter((one) => one.what === what).map((one) => one.name);
  const isNamed = () => ["mailbox", "atoms", "modules"].every((what) => grown(what).length > 0);
  // What a NIF takes from the C library is a row of its own: as soon as there is nothing left that was freed before.
  const isFound = () => watch.snapshots >= SNAPSHOTS && isNamed() && grown("outside allocators").includes("malloc");
  // Each is twice as long as the one before: how long a snapshot takes is the machine's, and where the VM stands still
  // for a part of a short watch, nothing grows steadily.
  for (let seconds = FIRST_WATCH_S; !isFound(); seconds *= 2)
    watch = await helperJson(["growth", vm.pid, "-d", seconds]);
  assert.deepEqual(grown("mailbox"), ["deaf_receiver"]);
  assert.deepEqual(grown("atoms"), ["atoms"]);
  assert.deepEqual(grown("modules"), ["modules"]);
  // Beside it are the libraries that may have it.
  const library = watch.native_libraries.find(({ file }) => file === "gt_taken.so");
  assert.deepEqual(library, { file: "gt_taken.so", modules: ["gt_taken"], drivers: [] });
  const numbers = watch.newest_modules.map((name) => Number(/^gt_module_(\d{5})$/.exec(name)?.[1]));
  assert.equal(numbers.length, 5, watch.newest_modules.join(", "));
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => b - a),
    "the newest first",
  );
  for (const { before, after } of watch.growth) assert.ok(after > before);
  // Nothing is called steady that was not looked at.
  assert.deepEqual([...watch.followed, ...Object.keys(watch.unknown)].toSorted(), MEASURES);
  for (const time of ["0", "-1", "soon", "1e99"]) {
    const run = await runHelper(["growth", vm.pid, `-d=${time}`]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /seconds|number/);
  }
  assertRefused(await runHelper(["growth", process.pid, "-d", "1"]), 3);
});

test("of a halted VM nothing is claimed", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => letGo(vm.pid));
  t.after(() => vm.kill());
  await holdWhole(vm.pid);
  const { stdout } = await runHelper(["growth", vm.pid, "-d", 1]);
  assert.match(stdout, /^the VM was halted at (\d+) of \1 snapshots?: nothing of it can grow then\n/);
  assert.doesNotMatch(stdout, /grew/);
});

test("of a VM that ends the snapshots until then are shown", async (t) => {
  const otp = await prepareOtp("25");
  await untilAnswered("few snapshots, one of them of a VM that runs", async () => {
    const vm = await runErl({ otp, ...NOW_AND_THEN });
    t.after(() => vm.kill());
    const ended = await runHelper(["growth", vm.pid, "-d", 60], {
      wrapper: ["env", "EXTROSPECT_PROGRESS=1"],
      onStart: (child) => child.stderr?.on("data", (text) => String(text).includes("snapshot 2,") && vm.kill()),
    });
    assert.equal(ended.code, 5, ended.stderr);
    assert.match(ended.stderr, /has ended/);
    const [, few] = /^([1-7]) snapshots? in \d+ s: fewer than 8 /m.exec(ended.stdout) ?? [];
    const [, halted, all] = /^the VM was halted at (\d+) of (\d+) snapshots?: /m.exec(ended.stdout) ?? [];
    if (few !== undefined) {
      assert.ok(halted === undefined || (all === few && Number(halted) < Number(few)), ended.stdout);
      return true;
    }
    // Something else may have halted the VM at each snapshot, or this test, so that the end came after more of them.
    const [, many] = /(\d+) snapshots\b(?!:)/.exec(ended.stdout) ?? [];
    const isHalted = halted !== undefined && halted === all;
    assert.ok(isHalted ? many === undefined : Number(many) >= SNAPSHOTS, ended.stdout);
    t.diagnostic(`watched again: ${ended.stdout}`);
    return undefined;
  });
});
