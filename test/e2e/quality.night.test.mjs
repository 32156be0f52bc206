// How much of a real program's samples is complete and proven, at 499 Hz: RabbitMQ under load and a mixed load. The
// conditions for any machine are asserted, the rates are reported (see ../measured.mjs).
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measured } from "../measured.mjs";
import { releasesOf } from "../nightly.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../vms/rabbitmq.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact, qualityOf, sayRates } from "./enough.mjs";
import { helperJson, temporaryFolder } from "./helper.mjs";
import { assertOwned } from "./owned.mjs";

const SECONDS = 4;
/** So many samples are enough to judge by. */
const LEAST = { erlang: 100, native: 100, all: 1000 };

/**
 * The other engine on the same load, shown beside it: the stacks that it marks as unproven.
 * @param {import("node:test").TestContext} t @param {string} name @param {number} pid @param {string} file
 */
async function showLateReads(t, name, pid, file) {
  const quality = await qualityOf(
    pid,
    { seconds: SECONDS / 2, file: `${file}.readv.pb.gz`, engine: "readv" },
    { native: 1 },
  );
  assert.equal(quality.engine.name, "readv");
  assertCountsAddUp(quality);
  sayRates(t, quality, `${name}, readv`);
}

/**
 * The quality of a recording, or of a second one where the first is not exact; anything that cannot be known is missing
 * in both. Seen once, on OTP 25 beside compilers at a load of 16: 11 of 1,527 stacks were cut short. The cause is
 * unknown, so cut stacks are reported.
 * @param {import("node:test").TestContext} t @param {number} pid @param {string} file
 */
async function exactQuality(t, pid, file) {
  const quality = await qualityOf(pid, { seconds: SECONDS, file }, LEAST);
  try {
    assertExact(quality);
    return quality;
  } catch (error) {
    t.diagnostic(`not exact, so once more: ${error}`);
    const stacks = readProfile(file).samples.map(({ frames, labels }) => ({
      names: frames.map(({ name }) => name),
      labels,
    }));
    const cut = stacks.filter(({ names }) =>
      ["[not copied]", "[not unwound]", "[unproven]"].some((mark) => names.includes(mark)),
    );
    for (const { names, labels } of cut.slice(0, 30))
      t.diagnostic(`cut: ${names.slice(0, 8).join(" < ")} … ${names.length} frames, ${JSON.stringify(labels)}`);
    return qualityOf(pid, { seconds: SECONDS, file }, LEAST);
  }
}

/** @param {import("node:test").TestContext} t @param {string} name @param {any} quality @param {string} file */
function assertQuality(t, name, quality, file) {
  sayRates(t, quality, name);
  measured(t, "capture file", statSync(file).size / quality.samples, name);
  assertExact(quality);
}

for (const release of releasesOf(OTP_RELEASES, "29")) {
  test(`OTP ${release}: RabbitMQ under load`, async (t) => {
    const otp = await prepareOtp(release);
    const broker = await startRabbitmq(otp);
    t.after(() => broker.stop());
    const load = await startRabbitmqLoad(otp, broker, { seconds: 600 });
    t.after(() => load.kill());
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const quality = await exactQuality(t, broker.pid, file);
    assertOwned(t, file, quality, `RabbitMQ on OTP ${release}`);
    await showLateReads(t, `RabbitMQ on OTP ${release}`, broker.pid, file);
    const { functions } = await helperJson(["top", file, "-n", 500]);
    assertQuality(t, `RabbitMQ on OTP ${release}`, quality, file);
    const names = functions.map((/** @type {any} */ row) => row.function);
    assert.ok(
      names.some((/** @type {string} */ name) => name.startsWith("rabbit_")),
      "functions of RabbitMQ are named",
    );
    const found = (await helperJson(["list"])).find((/** @type {any} */ vm) => vm.pid === broker.pid);
    assert.equal(found?.otp, release);
    assert.match(found?.node ?? "", /^rabbit_under_test@localhost$/);
    assert.equal(found?.attachable, true);
  });
}

for (const release of releasesOf(OTP_RELEASES, "27")) {
  test(`OTP ${release}: a mixed load on two schedulers`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "bench_load" });
    t.after(() => vm.kill());
    const file = join(temporaryFolder(t), "capture.pb.gz");
    const quality = await exactQuality(t, vm.pid, file);
    assertQuality(t, `mixed load on OTP ${release}`, quality, file);
    await showLateReads(t, `mixed load on OTP ${release}`, vm.pid, file);
  });
}
