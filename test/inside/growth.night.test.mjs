// growth: planted leaks are found and named, mere churn is not.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { isNightly } from "../nightly.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** Within a minute all of them have to be found. */
const SECONDS = 45;
const CHURNING = 10_000;
/** The leaks here grow at least twofold within that time. */
const DRIFT = 1.1;

// They wait most of the time, so that all releases do at once.
describe("among 10,000 processes", { concurrency: true }, () => {
  for (const release of isNightly ? ALL_OTP_RELEASES : /** @type {const} */ (["27"])) {
    test(`OTP ${release}: one leak of each kind is named, and nothing that churns`, async (t) => {
      const vm = await runErl({ otp: await prepareOtp(release), module: "gt_leaks", args: [CHURNING] });
      t.after(() => vm.kill());
      const { seconds, snapshots, growth, unknown } = await helperJson(["growth", vm.pid, "-d", SECONDS]);
      assert.ok(snapshots >= 8, `${snapshots} snapshots`);
      const grown = (/** @type {string} */ what) =>
        growth.filter((/** @type {any} */ one) => one.what === what).map((/** @type {any} */ one) => one.name);
      assert.ok(grown("process memory").includes("leaky_state"), JSON.stringify(growth));
      assert.deepEqual(grown("mailbox"), ["deaf_receiver"]);
      // Its list is long: on a busy machine it may have gone on before it was read, at most looks. The helper reports
      // that then.
      const { binaries: seldomTold, ...others } = unknown;
      assert.ok(
        grown("binaries").includes("binary_hoarder") ||
          /^binary_hoarder\b.* could not be read at most snapshots/.test(seldomTold),
        JSON.stringify({ growth, unknown }),
      );
      assert.deepEqual(grown("processes"), ["gt_leaks:idle/0"]);
      assert.ok(
        grown("ets").some((/** @type {string} */ name) => name.startsWith("leaky_table of <")),
        JSON.stringify(growth),
      );
      assert.deepEqual(grown("atoms"), ["atoms"]);
      assert.ok(grown("outside allocators").includes("malloc"), JSON.stringify(growth));
      assert.deepEqual(grown("ports").toSorted(), ["all", "udp_inet of port_hoarder"]);
      assert.deepEqual(grown("ets tables"), ["table_hoarder"]);
      assert.deepEqual(grown("timers"), ["timers"]);
      assert.deepEqual(others, {});
      assert.ok(grown("allocator").includes("literal_alloc"), JSON.stringify(growth));
      // Where other work slows them, the memory of all of them drifts by some percent for a while, which is growth. A
      // leak has no end.
      const churn = growth.filter(
        (/** @type {any} */ one) => one.name.startsWith("gt_leaks:churn") && one.after > DRIFT * one.before,
      );
      assert.deepEqual(churn, []);
      for (const { before, after, per_minute: rate } of growth) {
        assert.ok(after > before);
        // No growth takes longer than the watch.
        assert.ok(rate >= (after - before) * (60 / seconds), `${rate} a minute`);
      }
    });
  }
});

test("a VM that rests has nothing that grows; a time that is none is refused", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle" });
  t.after(() => vm.kill());
  const { growth } = await helperJson(["growth", vm.pid, "-d", "3"]);
  assert.deepEqual(growth, []);
  for (const time of ["0", "-1", "soon", "1e99"]) {
    const run = await runHelper(["growth", vm.pid, `-d=${time}`]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /seconds|number/);
  }
  assertRefused(await runHelper(["growth", process.pid, "-d", "1"]), 3);
});
