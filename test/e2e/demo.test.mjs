// The figures promised for the bundled demo at 499 Hz, on both releases.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { helperJson, record, sleep, temporaryFolder } from "./helper.mjs";

const DEMO = join(dirname(fileURLToPath(import.meta.url)), "../../demo/src");
const LEAST_PROVEN = 0.9; // measured: 95 to 97 %

/**
 * The demo as a stock VM: compiled by the installation's own compiler, ended with the test.
 * @param {import("node:test").TestContext} t
 * @param {import("../vms/otp.mjs").OtpInstallation} otp
 * @returns {Promise<number>} pid
 */
async function startDemo(t, otp) {
  const inside = `/var/tmp/extrospect-demo-${process.pid}-${otp.release}`;
  const here = otp.hostPath(inside);
  mkdirSync(here, { recursive: true });
  t.after(() => rmSync(here, { recursive: true, force: true }));
  cpSync(DEMO, here, { recursive: true });
  cpSync(join(DEMO, "demo.app.src"), join(here, "demo.app"));
  const sources = readdirSync(DEMO).filter((name) => name.endsWith(".erl"));
  const [compile, ...compileArgs] = otp.wrap(["/bin/sh", "-c", 'cd "$0" && exec erlc +debug_info "$@"', inside, ...sources]);
  execFileSync(compile, compileArgs);
  // It ends when its standard input does, that is with this process at the latest.
  const program = "{ok, _} = application:ensure_all_started(demo), io:format(\"~s~n\", [os:getpid()]), io:get_line(\"\"), halt().";
  const [command, ...args] = otp.wrap(["/usr/bin/erl", "-noshell", "-pa", inside, "-eval", program]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], cwd: "/" });
  t.after(() => child.kill("SIGKILL"));
  return Number(await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("close", () => reject(new Error("the demo ended")));
  }));
}

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: the demo at 499 Hz`, async (t) => {
    const pid = await startDemo(t, await prepareOtp(release));
    await sleep(2_000);
    const file = join(temporaryFolder(t), "demo.pb.gz");
    const { quality } = await record(pid, { seconds: 10, file });
    const { erlang, native_in_process: native } = quality;
    const bytesPerSample = statSync(file).size / quality.samples;
    t.diagnostic(
      `demo on OTP ${release}: ${quality.samples} samples; Erlang ${erlang.complete}/${erlang.samples} complete; ` +
        `native ${native.with_erlang}/${native.samples} proven, ${native.complete} complete; unresolved ${quality.unresolved_frames}/${quality.frames}; ` +
        `truncated ${quality.truncated}; skid ${quality.skid_us.p50}/${quality.skid_us.p99} us; own CPU ${quality.self_cpu_pct} %; ${bytesPerSample.toFixed(1)} bytes per sample`,
    );
    assert.ok(quality.samples > 2_000, `${quality.samples} samples`);
    assert.equal(quality.lost, 0);
    assert.ok(erlang.complete >= 0.995 * erlang.samples, JSON.stringify(erlang));
    assert.ok(native.with_erlang >= LEAST_PROVEN * native.samples, JSON.stringify(native));
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
