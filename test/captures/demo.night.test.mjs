// The figures promised for the bundled demo at 499 Hz, by night on every release.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measured } from "../measured.mjs";
import { releasesOf } from "../nightly.mjs";
import { startDemo } from "../vms/demo.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { assertCountsAddUp, assertExact, processorSeconds, qualityOf, recordUntil, sayRates } from "../e2e/enough.mjs";
import { helperJson, record, temporaryFolder } from "../e2e/helper.mjs";

const HZ = 499;
const SECONDS = 5;

for (const release of releasesOf(OTP_RELEASES, "25")) {
  test(`OTP ${release}: the demo at 499 Hz`, async (t) => {
    const { pid, kill } = await startDemo(await prepareOtp(release));
    t.after(kill);
    const file = join(temporaryFolder(t), "demo.pb.gz");
    const before = processorSeconds(pid);
    const began = performance.now();
    const { quality } = await record(pid, { seconds: SECONDS, hz: HZ, file, engine: "bpf" });
    // Attaching and writing take time, too.
    const busy = ((processorSeconds(pid) - before) * SECONDS * 1000) / (performance.now() - began);
    const late = await qualityOf(pid, { seconds: 2, file: `${file}.readv.pb.gz`, engine: "readv" }, { native: 1 });
    const name = `demo on OTP ${release}`;
    measured(t, "samples beside the processor time used", (100 * quality.samples) / (HZ * busy), name);
    measured(t, "capture file", statSync(file).size / quality.samples, name);
    for (const [recorded, where] of [
      [quality, name],
      [late, `${name}, readv`],
    ])
      sayRates(t, recorded, where);
    assertExact(quality);
    assertCountsAddUp(late);
    const { functions } = await helperJson(["top", file, "-n", 0]);
    assert.ok(
      functions.some((/** @type {any} */ row) => row.function.startsWith("demo_") && row.line > 0 && row.file !== ""),
    );
    // A machine that leaves the demo little time needs longer until each of them is seen to be caused.
    const uncaused = async () => {
      const missing = [];
      for (const group of ["copy_struct", "gc", "ets"]) {
        const { callers } = await helperJson(["blame", group, file]);
        if (
          !callers.some((/** @type {any} */ { function: name }) =>
            /^(demo_|lists:|ets:|erlang:|gen_server:)/.test(name),
          )
        )
          missing.push(group);
      }
      return missing;
    };
    if ((await uncaused()).length > 0)
      await recordUntil(
        pid,
        { seconds: SECONDS, hz: HZ, file, engine: "bpf" },
        "who causes copying, collections and ETS",
        uncaused,
        (missing) => missing.length === 0,
      );
  });
}
