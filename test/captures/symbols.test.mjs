// C functions without symbols: named by the tables of NIF libraries and drivers.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { recordEnough } from "../e2e/enough.mjs";
import { helperJson, temporaryFolder } from "../e2e/helper.mjs";

/** @param {any[]} rows @param {string} check */
const rowOf = (rows, check) => rows.find((row) => row.check === check);

for (const release of /** @type {const} */ (["29"])) {
  test(`OTP ${release}: static functions of a stripped NIF library are named, dirty ones too`, async (t) => {
    const otp = await prepareOtp(release);
    const vm = await runErl({ otp, module: "gt_nif_tables" });
    t.after(() => vm.kill());
    const { rows } = await helperJson(["doctor", vm.pid]);
    const tables = rowOf(rows, "NIFs and drivers");
    assert.equal(tables.status, "ok", tables.found);
    for (const known of ["prim_file", "zlib", "gt_nif_tables", "tcp_inet"])
      assert.ok(tables.found.includes(known), `${known}: ${tables.found}`);
    const [, functions = 0, named = 0] =
      /^(\d+) functions of the emulator, (\d+) named: /.exec(rowOf(rows, "names").found) ?? [];
    assert.ok(
      Number(functions) > 4_000 && Number(named) > 500 && Number(named) < Number(functions),
      rowOf(rows, "names").found,
    );

    const file = join(temporaryFolder(t), "capture.pb.gz");
    /** The Erlang functions that the samples of a C function were called by. @param {string} name */
    const callersOf = (name, { samples } = readProfile(file)) => {
      const own = samples.filter(({ frames }) => frames.some((frame) => frame.name === name));
      const callers = own.map(({ frames }) => {
        const below = frames.slice(frames.findIndex((frame) => frame.name === name));
        return below.find((frame) => /^gt_nif_tables:\w+\/0$/.test(frame.name))?.name;
      });
      return { count: own.length, callers: [...new Set(callers.filter(Boolean))] };
    };
    const SHARED = "gt_nif_tables:shared_a/1 or gt_nif_tables:shared_b/1";
    const all = ["gt_nif_tables:busy/1", SHARED, "gt_nif_tables:busy_dirty/1"];
    await recordEnough(vm.pid, { hz: 997, file }, "samples of all three functions", (profile) =>
      all.every((name) => callersOf(name, profile).count > 3),
    );
    await vm.stop();
    const busy = callersOf("gt_nif_tables:busy/1");
    assert.deepEqual(busy.callers, ["gt_nif_tables:call_busy/0"]);
    // Only the C function knows which of the two it is: the name states that.
    const shared = callersOf(SHARED);
    assert.deepEqual(shared.callers, ["gt_nif_tables:call_shared/0"]);
    const dirty = callersOf("gt_nif_tables:busy_dirty/1");
    assert.deepEqual(dirty.callers, ["gt_nif_tables:dirty_runner/0"]);
    const unnamed = readProfile(file).samples.filter(({ frames }) =>
      frames.some((frame) => frame.name.startsWith("gt_nif_tables.so!")),
    );
    assert.equal(unnamed.length, 0);
  });
}
