// Attaching to a VM in its first moments: while the process is still the launcher, while the emulator's
// tables are empty or half made, while hundreds of modules are being loaded.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runHelper, sleep } from "./helper.mjs";

/** How long after its start each VM is attached to; the helper itself takes some milliseconds more. */
const DELAYS_MS = [0, 10, 20, 40, 70, 100, 140, 200];

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: a VM is attached to from its first millisecond on`, async (t) => {
    const otp = await prepareOtp(release);
    /** @type {{delayMs: number, code: number | null, tookMs: number, stderr: string}[]} */
    const runs = [];
    for (const delayMs of DELAYS_MS) {
      const [command = "", ...args] = otp.wrap([
        "/usr/bin/erl",
        "-noshell",
        "-eval",
        "receive after infinity -> ok end.",
      ]);
      const vm = spawn(command, args, { stdio: "ignore" });
      try {
        await sleep(delayMs);
        const begun = performance.now();
        const { code, stderr } = await runHelper(["pstack", vm.pid ?? 0]);
        runs.push({ delayMs, code, tookMs: Math.round(performance.now() - begun), stderr });
      } finally {
        vm.kill("SIGKILL");
      }
    }
    t.diagnostic(
      `OTP ${release}: took ${runs.map(({ delayMs, tookMs }) => `${tookMs} ms after ${delayMs}`).join(", ")}`,
    );
    assert.deepEqual(
      runs.filter(({ code }) => code !== 0),
      [],
    );
  });
}

test("a young process that is no VM is refused after a moment, an old one at once", async (t) => {
  const startedMs = performance.now();
  const other = spawn("sleep", ["600"], { stdio: "ignore" });
  t.after(() => other.kill("SIGKILL"));
  /** Milliseconds that refusing takes. */
  const refused = async () => {
    const begun = performance.now();
    const run = await runHelper(["pstack", other.pid ?? 0]);
    assert.notEqual(run.code, 0);
    assert.match(run.stderr, /is not an Erlang VM/);
    return performance.now() - begun;
  };
  assert.ok((await refused()) >= 1000, "it may still become a VM");
  // A process counts as young for two seconds.
  await until("it is older than that", () => performance.now() - startedMs > 2_500);
  measured(t, "refusing an old process that is no VM", await refused());
});
