// waits: the processes that wait for a lock of mnesia, and its holders, compared with transactions that were made to
// wait for each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { helperJson, runHelper } from "../e2e/helper.mjs";
import { releasesOf } from "../nightly.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

const SHORT = ["-d", "1"];
const lock = (/** @type {string} */ table, /** @type {string | null} */ key, /** @type {object} */ more = {}) => ({
  table,
  key,
  is_write: true,
  holders: 1,
  is_ahead: false,
  ...more,
});
/**
 * The process that waits, the one that it waits for, and the lock. The key 17, and parts of other keys, are values:
 * they are not shown.
 */
const WAITS = /** @type {const} */ ([
  ["writer_0", "holder", lock("shop", "_")],
  ["writer_1", "holder", lock("shop", "_")],
  ["caller", "holder", lock("shop", "_")],
  ["reader", "holder", lock("shop", "_", { is_write: false })],
  ["binary", "holder_binary", lock("shop", "{user, _}", { is_write: false })],
  ["many", "holder_many", lock("cart", "_", { holders: 2 })],
  ["whole", "holder_whole", lock("stock", null, { holders: 2 })],
  ["ahead", "holder_busy", lock("busy", "_")],
  ["behind", "ahead", lock("busy", "_", { is_write: false, is_ahead: true })],
  ["chained", "holder_chain", lock("chain", "_", { is_write: false })],
]);

for (const release of releasesOf(ALL_OTP_RELEASES, "25")) {
  test(`OTP ${release}: who waits for a lock of mnesia waits for the process that has it`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_locks" });
    t.after(() => vm.kill());
    const { pids, queued, held } = await vm.report();
    assert.equal(queued, WAITS.length, "by mnesia's own account");
    assert.ok(held > 3000, `${held} locks`);
    const { waits_for: graph } = await helperJson(["waits", vm.pid, ...SHORT]);
    const found = graph.edges.filter((/** @type {any} */ edge) => edge.lock !== null);
    const by = new Map(Object.entries(pids).map(([name, pid]) => [pid, name]));
    assert.deepEqual(
      found
        .flatMap((/** @type {any} */ edge) =>
          edge.pids.map((/** @type {string} */ pid) => [by.get(pid), by.get(edge.target.pid), edge.lock]),
        )
        .toSorted(),
      WAITS.toSorted(),
    );
    assert.equal(graph.unproven, 0);

    // Through a lock to its holder, which calls one that waits for another lock.
    const end = graph.ends.find((/** @type {any} */ { process }) => process.pid === pids.holder);
    assert.deepEqual([end.direct, end.all], [4, 6]);
    const text = (await runHelper(["waits", vm.pid, ...SHORT])).stdout;
    assert.match(text, /1 +binary +<\S+> holder_binary, with a lock on \{shop, \{user, _\}\}, to read/);
    assert.match(text, /<\S+> ahead, which waits before them for \{busy, _\}, to read/);
    assert.match(text, /<\S+> holder_whole and 1 more, with a lock on all of stock, to write/);
    assert.doesNotMatch(text, /, 17|customer/);
  });
}
