// How much of a real program's samples is complete and proven, at 499 Hz: RabbitMQ under
// load and a mixed load, on both releases. What must hold is asserted, the rest published.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../vms/rabbitmq.mjs";
import { runErl } from "../vms/vm.mjs";
import { helperJson, record, sleep, temporaryFolder } from "./helper.mjs";

const SECONDS = 10;
/** Proven share of native samples in a process. Measured on two cores with other work beside:
 * RabbitMQ 95 to 96 %, mixed load 98 to 99 %. Below this something is broken and not just late. */
const LEAST_PROVEN = 0.9;

/** The same where it is captured in the kernel, all the way down. */
const LEAST_COMPLETE_EXACT = 0.98;

/**
 * The other engine on the same load, to be shown beside it: what it marks as unproven.
 * @param {import("node:test").TestContext} t @param {string} name @param {number} pid @param {string} file
 */
async function showLateReads(t, name, pid, file) {
  const { quality } = await record(pid, { seconds: SECONDS / 2, file: `${file}.readv.pb.gz`, engine: "readv" });
  const { with_erlang: proven, samples, unproven } = quality.native_in_process;
  t.diagnostic(`${name}, readv: native in a process ${proven}/${samples} proven, ${unproven} marked unproven`);
  assert.ok(proven >= LEAST_PROVEN * samples, `native proven ${proven}/${samples}`);
}

/** @param {import("node:test").TestContext} t @param {string} name @param {any} quality @param {string} file */
function assertQuality(t, name, quality, file) {
  const { erlang, native_in_process: native } = quality;
  t.diagnostic(
    `${name}: ${quality.samples} samples; Erlang ${erlang.complete}/${erlang.samples} complete; ` +
      `native in a process ${native.with_erlang}/${native.samples} proven; unresolved frames ${quality.unresolved_frames}; ` +
      `skid ${quality.skid_us.p50}/${quality.skid_us.p99} us; own CPU ${quality.self_cpu_pct} %; ` +
      `RSS ${(quality.self_rss_bytes / 2 ** 20).toFixed(1)} MB; ${(statSync(file).size / quality.samples).toFixed(1)} bytes per sample`,
  );
  assert.ok(quality.samples > SECONDS * 100, `only ${quality.samples} samples`);
  assert.ok(erlang.samples > 0 && native.samples > 0, "both Erlang and native code was sampled");
  assert.ok(erlang.complete >= 0.995 * erlang.samples, `Erlang complete ${erlang.complete}/${erlang.samples}`);
  assert.equal(quality.engine.name, "bpf");
  assert.ok(native.complete >= LEAST_COMPLETE_EXACT * native.samples, `native complete ${native.complete}/${native.samples}`);
  assert.equal(native.with_erlang + native.unproven, native.samples, "every native sample is either proven or marked");
  assert.equal(quality.lost, 0);
  const frames = quality.frames ?? quality.samples;
  assert.ok(quality.unresolved_frames < 0.005 * frames, `${quality.unresolved_frames} of ${frames} frames unresolved`);
  assert.ok(quality.self_rss_bytes < 48 * 2 ** 20, `own RSS ${quality.self_rss_bytes}`);
}

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: RabbitMQ under load`, async (t) => {
    const otp = await prepareOtp(release);
    const broker = await startRabbitmq(otp);
    t.after(() => broker.stop());
    const load = await startRabbitmqLoad(otp, broker, { seconds: SECONDS + 30 });
    t.after(() => load.kill());
    await sleep(2_000);
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const { quality } = await record(broker.pid, { seconds: SECONDS, file });
    await showLateReads(t, `RabbitMQ on OTP ${release}`, broker.pid, file);
    const { functions } = await helperJson(["top", file, "-n", 500]);
    assertQuality(t, `RabbitMQ on OTP ${release}`, quality, file);
    const names = functions.map((/** @type {any} */ row) => row.function);
    assert.ok(names.some((/** @type {string} */ name) => name.startsWith("rabbit_")), "functions of RabbitMQ are named");
    const found = (await helperJson(["list"])).find((/** @type {any} */ vm) => vm.pid === broker.pid);
    assert.equal(found?.otp, release);
    assert.match(found?.node ?? "", /^rabbit_under_test@localhost$/);
    assert.equal(found?.attachable, true);
  });

  test(`OTP ${release}: a mixed load on two schedulers`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "bench_load" });
    t.after(() => vm.kill());
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const { quality } = await record(vm.pid, { seconds: SECONDS, file });
    assertQuality(t, `mixed load on OTP ${release}`, quality, file);
    await showLateReads(t, `mixed load on OTP ${release}`, vm.pid, file);
    const bytesPerSample = statSync(file).size / quality.samples;
    assert.ok(bytesPerSample <= 40, `${bytesPerSample} bytes per sample`);
  });
}
