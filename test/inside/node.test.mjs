// node: a VM as a whole, compared with its own report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** Atoms and ports that a VM may gain while it is read. */
const GAINED = 50;

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: how full its tables are, and who has nothing to do`, async (t) => {
    const vm = await runErl({
      otp: await prepareOtp(release),
      module: "gt_inside",
      args: [10],
      emulatorFlags: ["+P", "5000"],
    });
    t.after(() => vm.kill());
    const { counts } = await vm.report();
    const node = await helperJson(["node", vm.pid]);
    assert.deepEqual(node.processes, { count: counts.processes, limit: counts.process_limit });
    assert.equal(node.ports.limit, counts.port_limit);
    assert.equal(node.atoms.limit, counts.atom_limit);
    for (const table of ["ports", "atoms"]) assertNear(node[table].count, counts[table]);
    assert.equal(node.run_queue, 0);
    const busy = node.schedulers.filter((/** @type {any} */ one) => one.busy_pct > 50);
    assert.deepEqual(busy, [], "nobody works");
    assert.ok(Number.isInteger(node.uptime_s) && node.uptime_s < 3600, String(node.uptime_s));
  });
}

/** The counters of a VM, by the names of `node --json` and of gt_inside's `statistics`. */
const COUNTED = ["collections", "reclaimed_words", "reductions", "context_switches", "io_in_bytes", "io_out_bytes"];

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: what it has counted, and its memory`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [10] });
    t.after(() => vm.kill());
    // The code that the first report loads is there by then.
    await vm.report();
    const before = await helperJson(["node", vm.pid]);
    const { statistics } = await vm.report();
    const after = await helperJson(["node", vm.pid]);
    assert.deepEqual(after.unknown, {});
    assert.ok(Number.isInteger(after.timers) && after.timers < 1000, `${after.timers} timers`);
    for (const counted of COUNTED) {
      assert.ok(
        before[counted] <= statistics[counted],
        `${counted} was ${before[counted]}, the VM says ${statistics[counted]}`,
      );
      assert.ok(
        statistics[counted] <= after[counted],
        `${counted} is ${after[counted]}, the VM said ${statistics[counted]}`,
      );
    }
    // Nothing but the report itself lies between the two looks.
    const { collections, context_switches: switches } = after;
    assert.ok(
      collections - before.collections < 100 && switches - before.context_switches < 1000,
      JSON.stringify([before, after]),
    );
    const { total } = statistics.memory;
    assert.ok(
      after.memory_bytes > total * 0.9 && after.memory_bytes < total * 1.1,
      `${after.memory_bytes}, the VM says ${JSON.stringify(statistics.memory)}`,
    );
    assert.ok(after.rss_bytes > 1e7 && after.rss_bytes < 1e9);
    assert.deepEqual(after.port_queues, { ports: 0, bytes: 0, longest: [], rejected: 0 });
  });
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: ports that have something to write`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_ports", args: [3] });
    t.after(() => vm.kill());
    // The system may take some more into its pipes, on a busy machine late: figures that are the same before and after
    // a look were the same during it.
    const { ports, queues } = await until("a look while nothing is written", async () => {
      const { ports } = await vm.report();
      const { port_queues: queues } = await helperJson(["node", vm.pid]);
      return isDeepStrictEqual((await vm.report()).ports, ports) && { ports, queues };
    });
    const waiting = ports.filter((/** @type {any} */ port) => port.queue_bytes > 0);
    assert.equal(waiting.length, 3);
    assert.equal(queues.ports, 3);
    assert.equal(queues.rejected, 0);
    assert.equal(
      queues.bytes,
      waiting.reduce((/** @type {number} */ all, /** @type {any} */ port) => all + port.queue_bytes, 0),
    );
    const longestFirst = waiting.sort(
      (/** @type {any} */ one, /** @type {any} */ other) => other.queue_bytes - one.queue_bytes,
    );
    assert.deepEqual(
      queues.longest.map((/** @type {any} */ { busy: _, ...port }) => port),
      longestFirst.map((/** @type {any} */ port) => ({ ...port, name: port.name.split(" ")[0] })),
    );
    assert.ok(queues.longest[0].busy, "more than its high watermark waits");
  });
}

test("a scheduler that always has something to run is busy, those beside it are not", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_queue", args: [1], emulatorFlags: ["+S", "2:1"] });
  t.after(() => vm.kill());
  // A look at a machine that is busy with other things may find the scheduler between two processes more often.
  await until("one of them is busy", async () => {
    const { schedulers } = await helperJson(["node", vm.pid]);
    const normal = schedulers.filter((/** @type {any} */ one) => one.kind === "normal");
    assert.deepEqual(
      normal.map((/** @type {any} */ one) => one.number),
      [1, 2],
    );
    const shares = normal
      .map((/** @type {any} */ one) => one.busy_pct)
      .sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
    assert.ok(shares[1] > 80 && shares[0] < 20, `${shares} % busy`);
    return true;
  });
});

test("what is no VM is refused by all that look inside", async () => {
  for (const command of ["node", "ps"]) assertRefused(await runHelper([command, process.pid]), 3);
});

/** @param {number} shown @param {number} said */
function assertNear(shown, said) {
  assert.ok(Math.abs(shown - said) <= GAINED, `${shown}, the VM says ${said}`);
}
