// Emulators that no package has: `npm run test:built` builds them when they are not there yet.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { enginesHere } from "../accuracy/engines.mjs";
import { measure } from "../accuracy/measure.mjs";
import { describe, faultsOf } from "../accuracy/verdict.mjs";
import { EXACT, SPLITS } from "../accuracy/workloads.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { builtOtp } from "../vms/built.mjs";
import { runErl } from "../vms/vm.mjs";

/** @typedef {import("../../scripts/build-otp.mjs").BuiltRelease} BuiltRelease */
/** @typedef {import("../vms/built.mjs").BuiltKind} BuiltKind */

const folder = mkdtempSync(join(tmpdir(), "extrospect-built-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The interpreter's own stack is never in the sample: with `readv` all of it is read late, and a
 * few more samples of Erlang code are marked than of a JIT's.
 */
const LEAST_ERLANG_COMPLETE = 0.98;

/** @param {BuiltKind} kind */
const named = ({ flavor, type, stripped }) =>
  [flavor, type, stripped ? "stripped" : "with symbols"].filter(Boolean).join(", ");

const ALL = ["erlang", "bif", "gc", "exact"];
/** @type {[BuiltRelease, BuiltKind, string[]][]} */
const FULL = [
  ["25", { flavor: "emu" }, ALL],
  ["25", { flavor: "emu", stripped: true }, ["exact"]],
  ["27", { flavor: "emu" }, ALL],
  ["27", { flavor: "emu", stripped: true }, ["exact"]],
  ["25", { flavor: "jit" }, ["exact"]],
  ["25", { flavor: "jit", stripped: true }, ["exact"]],
  ["27", { flavor: "jit" }, ["exact"]],
  ["27", { flavor: "jit", stripped: true }, ["exact"]],
  ["27", { flavor: "jit", type: "lcnt" }, ["erlang", "exact"]],
];

for (const [release, kind, names] of FULL) {
  test(`OTP ${release} ${named(kind)}: doctor finds nothing wrong, top and blame name what runs`, async (t) => {
    const vm = await runErl({ otp: await builtOtp(release, kind), module: "gt_gc" });
    t.after(() => vm.kill());
    const { rows } = await helperJson(["doctor", vm.pid]);
    const release_ = rows.find((/** @type {any} */ row) => row.check === "release");
    assert.match(JSON.stringify(release_), new RegExp(`OTP ${release}, ERTS [0-9.]+, ${kind.flavor}`));
    const failing = rows.filter((/** @type {any} */ row) => row.status === "fail");
    assert.deepEqual(failing, []);
    const file = join(temporaryFolder(t), "capture.pb.gz");
    await helperJson(["record", vm.pid, "-d", 2, "-F", 499, "-o", file]);
    const { functions } = await helperJson(["top", file, "-n", 500]);
    assert.ok(
      functions.some((/** @type {any} */ row) => row.function.startsWith("gt_gc:")),
      JSON.stringify(functions.slice(0, 5)),
    );
    const blame = await helperJson(["blame", "gc", file]);
    assert.match(JSON.stringify(blame), /gt_gc:/);
  });
  for (const engine of await enginesHere()) {
    for (const workload of [...SPLITS, EXACT].filter(({ name }) => names.includes(name))) {
      test(`OTP ${release} ${named(kind)}, ${engine}: ${workload.title}`, async (t) => {
        const otp = await builtOtp(release, kind);
        const seen = await measure(workload, {
          release,
          otp,
          engine,
          hz: 997,
          seconds: 3.5,
          recordings: 1,
          more: 2,
          enough: 2.5,
          folder,
        });
        for (const line of describe(workload, engine, seen)) t.diagnostic(line);
        t.diagnostic(
          `Erlang complete ${seen.erlang.complete}/${seen.erlang.samples}, C code complete ${seen.native.complete}/${seen.native.samples}`,
        );
        assert.ok(
          seen.erlang.complete + 2 >= LEAST_ERLANG_COMPLETE * seen.erlang.samples,
          `Erlang complete ${seen.erlang.complete}/${seen.erlang.samples}`,
        );
        assert.deepEqual(faultsOf(workload, engine, seen), []);
      });
    }
  }
}

for (const release of /** @type {BuiltRelease[]} */ (["25", "27"])) {
  test(`OTP ${release} built for debugging: refused, with the reason and what to do`, async (t) => {
    const vm = await runErl({ otp: await builtOtp(release, { flavor: "emu", type: "debug" }), module: "gt_idle" });
    t.after(() => vm.kill());
    const run = await runHelper(["record", vm.pid, "-d", 1, "-o", join(temporaryFolder(t), "capture.pb.gz")]);
    assertRefused(run, 1);
    assert.match(run.stderr, /built for debugging \(-emu_type debug\).*nothing was read; start it without -emu_type/);
    const doctor = await runHelper(["doctor", vm.pid]);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /FAIL\s+attach.*built for debugging/);
    assert.match(doctor.stdout, /-emu_type/);
  });
}
