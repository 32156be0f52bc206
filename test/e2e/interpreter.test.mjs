// VMs that are not the plain JIT: the interpreter of OTP 23, and JITs started with other flags.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { helperJson, temporaryFolder } from "./helper.mjs";

const SECONDS = 3;
/** Function by function, its designed share of gt_erlang; the slices are cut by the clock, so a short run strays. */
const SHARES = new Map([["half", 50], ["three_tenths", 30], ["two_tenths", 20]]);
const MAX_OFF_POINTS = 12;

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
  const { quality } = await helperJson(["record", vm.pid, "-d", SECONDS, "-F", 997, "-o", file, "--engine", engine]);
  const { functions } = await helperJson(["top", file, "-n", 500]);
  const { erlang } = quality;
  const selfs = [...SHARES.keys()].map((name) => functions
    .filter((/** @type {any} */ row) => row.function.startsWith(`gt_erlang:${name}/`))
    .reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.self, 0));
  const all = selfs.reduce((sum, self) => sum + self, 0);
  t.diagnostic(`OTP ${release} ${emulatorFlags.join(" ")} ${engine}: Erlang ${erlang.complete}/${erlang.samples} complete; shares ${selfs.map((self) => ((100 * self) / all).toFixed(1)).join(", ")}`);
  assert.ok(erlang.samples > 300, `only ${erlang.samples} samples`);
  assert.ok(erlang.complete >= 0.98 * erlang.samples, `Erlang complete ${erlang.complete}/${erlang.samples}`);
  [...SHARES.values()].forEach((designed, index) => {
    const share = (100 * (selfs[index] ?? 0)) / all;
    assert.ok(Math.abs(share - designed) < MAX_OFF_POINTS, `${share.toFixed(1)} % instead of ${designed}`);
  });
}

for (const engine of /** @type {const} */ (["readv", "bpf"])) {
  test(`OTP 23, interpreted, ${engine}: shares and complete stacks`, (t) => assertRight(t, "23", [], engine));
}

/** @type {[import("../vms/otp.mjs").OtpRelease, string[]][]} */
const FLAGS = [
  ["25", ["+JPperf", "true"]], ["27", ["+JPperf", "true"]], ["29", ["+JPperf", "true"]],
  ["27", ["+JMsingle", "true"]], ["29", ["+JMsingle", "true"]],
  ["27", ["+JPcover", "true"]], ["27", ["+JPcover", "line_counters"]],
  ["25", ["+S", "1"]], ["29", ["+S", "1:1"]], ["27", ["+SDcpu", "1:1", "+hms", "4000", "+A", "4"]],
];
for (const [release, flags] of FLAGS) {
  test(`OTP ${release} ${flags.join(" ")}`, (t) => assertRight(t, release, flags, "readv"));
}

test("OTP 23: doctor and pstack", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("23"), module: "gt_erlang" });
  t.after(() => vm.kill());
  const report = JSON.stringify(await helperJson(["doctor", vm.pid]));
  assert.match(report, /OTP 23, ERTS [0-9.]+, emu/);
  const stacks = JSON.stringify(await helperJson(["pstack", vm.pid]));
  assert.match(stacks, /gt_slices:process\/3/);
});
