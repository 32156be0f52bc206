// The figures promised for the bundled demo at 499 Hz, on every release.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startDemo } from "../vms/demo.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { helperJson, record, sleep, temporaryFolder } from "./helper.mjs";

/** Of the samples in C code for a process, with readv. Measured: 95 to 97 %. */
const LEAST_PROVEN_LATE = 0.9;
/** The same, known all the way down, where it is captured in the kernel. Measured: 99.7 % and more. */
const LEAST_COMPLETE_EXACT = 0.98;
const HZ = 499;
const SECONDS = 10;
const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** Processor time that a process has used. @param {number} pid */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: the demo at 499 Hz`, async (t) => {
    const { pid, kill } = await startDemo(await prepareOtp(release));
    t.after(kill);
    await sleep(2_000);
    const file = join(temporaryFolder(t), "demo.pb.gz");
    const before = processorSeconds(pid);
    const began = performance.now();
    const { quality } = await record(pid, { seconds: SECONDS, hz: HZ, file, engine: "bpf" });
    // Attaching and writing take time, too.
    const busy = ((processorSeconds(pid) - before) * SECONDS * 1000) / (performance.now() - began);
    const late = (await record(pid, { seconds: 4, file: `${file}.readv.pb.gz`, engine: "readv" })).quality.native_in_process;
    const { erlang, native_in_process: native } = quality;
    const bytesPerSample = statSync(file).size / quality.samples;
    t.diagnostic(
      `demo on OTP ${release}: ${quality.samples} samples in ${busy.toFixed(2)} s of processor time; Erlang ${erlang.complete}/${erlang.samples} complete; ` +
        `native ${native.with_erlang}/${native.samples} proven, ${native.complete} complete, with readv ${late.with_erlang}/${late.samples} proven and ${late.unproven} marked unproven; unresolved ${quality.unresolved_frames}/${quality.frames}; ` +
        `truncated ${quality.truncated}; skid ${quality.skid_us.p50}/${quality.skid_us.p99} us; own CPU ${quality.self_cpu_pct} %; ${bytesPerSample.toFixed(1)} bytes per sample`,
    );
    assert.ok(Math.abs(quality.samples / (HZ * busy) - 1) < 0.1, `${quality.samples} samples of ${busy.toFixed(2)} s at ${HZ} Hz`);
    assert.ok(quality.samples > 1_000, `${quality.samples} samples say little`);
    assert.equal(quality.lost, 0);
    assert.ok(erlang.complete >= 0.995 * erlang.samples, JSON.stringify(erlang));
    assert.ok(native.complete >= LEAST_COMPLETE_EXACT * native.samples, JSON.stringify(native));
    assert.ok(late.with_erlang >= LEAST_PROVEN_LATE * late.samples, JSON.stringify(late));
    assert.equal(native.with_erlang + native.unproven, native.samples);
    assert.ok(quality.unresolved_frames < 0.005 * quality.frames, `${quality.unresolved_frames} of ${quality.frames}`);
    assert.ok(quality.self_rss_bytes < 48 * 2 ** 20, `${quality.self_rss_bytes}`);
    assert.ok(bytesPerSample <= 40, `${bytesPerSample} bytes per sample`);
    const { functions } = await helperJson(["top", file, "-n", 0]);
    assert.ok(functions.some((/** @type {any} */ row) => row.function.startsWith("demo_") && row.line > 0 && row.file !== ""));
    for (const group of ["copy_struct", "gc", "ets"]) {
      const blame = await helperJson(["blame", group, file]);
      assert.ok(blame.callers.some((/** @type {any} */ caller) => /^(demo_|lists:|ets:|erlang:|gen_server:)/.test(caller.function)), group);
    }
  });
}
