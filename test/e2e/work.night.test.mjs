// Work that is counted while a real VM is recorded, by a real command and by a real page of metrics; and the changes
// that it shows and shares hide.
import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { IDLE_SLEEPS } from "../vms/idle-sleeps.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../vms/rabbitmq.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

const SECONDS = 2;
const HZ = 997;

describe("work that is counted", () => {
  /** @type {Awaited<ReturnType<typeof runErl>>} */
  let vm;
  let address = "";
  const ask = async (/** @type {string} */ path) => assert.equal((await fetch(`${address}${path}`)).status, 200);
  before(async () => {
    vm = await runErl({ otp: await prepareOtp("25"), module: "gt_work", emulatorFlags: IDLE_SLEEPS });
    address = `http://127.0.0.1:${(await vm.report()).port}`;
  });
  after(() => vm.stop());

  /** @param {string} file @param {(string | number)[]} counter */
  const recordWith = (file, counter) => runHelper(["record", vm.pid, "-d", SECONDS, "-F", HZ, "-o", file, ...counter]);
  const byCommand = () => ["--work-name", "orders", "--work-command", `curl -s ${address}/count`];
  const byMetric = (metric = 'shop_orders_total{kind="new"}') => [
    "--work-name",
    "orders",
    "--work-metric",
    metric,
    "--work-url",
    `${address}/metrics`,
  ];

  /** Records until something was sampled and `act` was done, then ends it as Ctrl-C does. @param {string} file @param {string[]} counter @param {() => Promise<void>} act */
  async function recordAround(file, counter, act) {
    const readings = (await vm.report()).readings;
    /** @type {Promise<void>} */
    let acting = Promise.resolve();
    const run = await runHelper(["record", vm.pid, "-d", 0, "-F", HZ, "-o", file, ...counter], {
      onStart: (child) => {
        acting = (async () => {
          await until("the first reading", async () => (await vm.report()).readings > readings);
          await until("the first increment", () => Promise.resolve(existsSync(file) && statSync(file).size > 0));
          const first = statSync(file).size;
          await until("samples", () => Promise.resolve(statSync(file).size > first));
          await act();
          child.kill("SIGINT");
        })();
      },
    });
    await acting;
    return run;
  }

  test("a command and a metric count the same orders, and the output has the cost of each", async (t) => {
    const folder = temporaryFolder(t);
    for (const [name, counter] of /** @type {const} */ ([
      ["command", byCommand()],
      ["metric", byMetric()],
    ])) {
      const file = join(folder, `${name}.pb.gz`);
      const orders = (await vm.report()).orders;
      const recorded = await helperJson(["record", vm.pid, "-d", SECONDS, "-F", HZ, "-o", file, ...counter]);
      const most = (await vm.report()).orders - orders;
      const { work } = recorded;
      t.diagnostic(
        `${name}: ${work.units.toFixed(0)} of at most ${most} orders, ${work.cpu_us_each.toFixed(1)} µs each`,
      );
      assert.equal(work.name, "orders");
      assert.ok(work.units > 0 && work.units <= most, `${work.units} of ${most}`);
      assert.ok(work.cpu_us_each > 0);
      const top = await helperJson(["top", file]);
      assert.equal(top.work.units, work.units);
      // The end compacts the file and changes no sample.
      assert.ok(Math.abs(top.work.cpu_us_each / work.cpu_us_each - 1) < 0.001, JSON.stringify([top.work, work]));
      const told = await runHelper(["top", file]);
      assert.match(told.stdout, /\nwork: [\d,]+ orders, [\d.]+ (µs|ms) of CPU each\n$/);
    }
    // Both series of the metric: one of them stands still.
    const all = await helperJson([
      "record",
      vm.pid,
      "-d",
      1,
      "-o",
      join(folder, "all.pb.gz"),
      ...byMetric("shop_orders_total"),
    ]);
    assert.ok(all.work.units > 0);
  });

  test("a function that did not change grows in share, and not for each order", async (t) => {
    const folder = temporaryFolder(t);
    const record = async (/** @type {string} */ name) => {
      const file = join(folder, `${name}.pb.gz`);
      assert.equal((await recordWith(file, byMetric())).code, 0);
      return file;
    };
    const base = [await record("base-1"), await record("base-2")];
    await ask("/faster");
    const newer = [await record("new-1"), await record("new-2")];
    const compared = (/** @type {string[]} */ ...options) => helperJson(["diff", ...base, "--", ...newer, ...options]);
    const changeOf = (/** @type {any} */ comparison, /** @type {string} */ name) =>
      comparison.functions.find((/** @type {any} */ row) => row.function === name).self;
    const byWork = await compared();
    assert.equal(byWork.measure, "work");
    assert.equal(byWork.work, "orders");
    assert.ok(byWork.new.work > byWork.base.work, "more orders are done when each takes less");
    const byShare = await compared("--measure", "share");
    const [steadyByShare, steadyByWork] = [byShare, byWork].map((comparison) =>
      changeOf(comparison, "gt_work:steady/2"),
    );
    t.diagnostic(
      `steady/2, which did not change: ${steadyByShare.base.toFixed(1)} to ${steadyByShare.new.toFixed(1)} % (${steadyByShare.change_pct.toFixed(0)} %), ${steadyByWork.base.toFixed(1)} to ${steadyByWork.new.toFixed(1)} µs (${steadyByWork.change_pct.toFixed(1)} %, ${steadyByWork.verdict})`,
    );
    assert.equal(steadyByShare.verdict, "slower");
    assert.ok(
      Math.abs(steadyByWork.change_pct) < steadyByShare.change_pct / 3,
      "what an order costs in steady/2 is as it was, its share is not",
    );
    assert.equal(changeOf(byWork, "gt_work:heavy/2").verdict, "faster");
    const markdown = await runHelper(["diff", ...base, "--", ...newer, "--measure", "work", "--markdown"]);
    assert.equal(markdown.code, 0, markdown.stderr);
    assert.match(
      markdown.stdout,
      /µs of CPU per unit of work \(orders\); 2 and 2 captures, .* [\d,]+ and [\d,]+ orders;/,
    );
    // With an older capture that counted nothing, only shares are left, and a note states that.
    const silent = join(folder, "silent.pb.gz");
    await helperJson(["record", vm.pid, "-d", 1, "-F", HZ, "-o", silent]);
    const mixed = await helperJson(["diff", silent, "--", ...newer]);
    assert.equal(mixed.measure, "share");
    assert.ok(mixed.notes.some((/** @type {any} */ note) => note.kind === "work_partly"));
    assertRefused(await runHelper(["diff", silent, "--", ...newer, "--measure", "work"]), 1);
  });

  test("a counter that was reset is not used, with a report", async (t) => {
    const file = join(temporaryFolder(t), "restarted.pb.gz");
    const run = await recordAround(file, byCommand(), () => ask("/restart"));
    assert.equal(run.code, 0, run.stderr);
    assert.match(
      run.stdout,
      /\nwork: not known: the counter of orders went backwards, from \d+ to \d+: the counting program was restarted\n/,
    );
    assert.equal((await helperJson(["top", file])).work.units, undefined);
  });

  test("a counter that cannot be read at the start prevents the capture, with the remedy", async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, "none.pb.gz");
    const count = join(folder, "count.sh");
    writeFileSync(count, "#!/bin/sh\necho two 3\n", { mode: 0o755 });
    for (const [counter, code, said] of /** @type {[string[], number, RegExp][]} */ ([
      [
        ["--work-command", count],
        1,
        /the work cannot be counted: count\.sh printed no single number: two 3; .* run the command yourself/,
      ],
      [["--work-command", "/nowhere/count"], 1, /count: it cannot be started/],
      [
        byMetric("shop_order_total"),
        1,
        /the page has no metric shop_order_total; it has shop_orders_total; .* fetch the page with curl/,
      ],
      [
        byMetric('shop_orders_total{kind="odd"}'),
        1,
        /the page has no shop_orders_total\{kind="odd"\}, but shop_orders_total\{kind="new"\}/,
      ],
      [["--work-metric", "a", "--work-url", "http://127.0.0.1:1/metrics"], 1, /it cannot be reached/],
    ])) {
      const run = await recordWith(file, counter);
      assertRefused(run, code);
      assert.match(run.stderr, said);
      assert.ok(!existsSync(file), "nothing was recorded");
    }
    for (const wrong of [
      ["--work-command", "a 'b"],
      ["--work-metric", "a b", "--work-url", "http://h/"],
      ["--work-metric", "a"],
      ["--work-metric", "a", "--work-url", "http://me:secret@h/"],
      ["--work-metric", "a", "--work-url", "file:///etc/passwd"],
      ["--work-name", "orders"],
    ])
      assert.equal((await recordWith(file, wrong)).code, 2, wrong.join(" "));
    // A pushed capture counts no work.
    for (const ignored of [
      ["--work-url", "http://h/"],
      ["--work-name", "orders"],
    ]) {
      const pushed = await runHelper(["record", vm.pid, "--push", "http://127.0.0.1:1", ...ignored]);
      assert.deepEqual([pushed.code, pushed.stderr.includes("--push")], [2, true], pushed.stderr);
    }
  });

  test("a counter that cannot be read at the end loses no samples", async (t) => {
    const file = join(temporaryFolder(t), "away.pb.gz");
    const run = await recordAround(file, byMetric(), () => ask("/away"));
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /\nwork: not known: orders could not be counted at the end: .*there is no such page\n/);
    const top = await helperJson(["top", file]);
    assert.ok(top.samples > 0);
    assert.match(top.work.problem, /there is no such page/);
  });
});

test("messages of a RabbitMQ broker, by its own page of metrics", async (t) => {
  const otp = await prepareOtp("25");
  const broker = await startRabbitmq(otp, { withMetrics: true, config: ["collect_statistics_interval = 1000"] });
  const running = [broker.stop];
  t.after(async () => {
    for (const stop of running) await stop();
  });
  const load = await startRabbitmqLoad(otp, broker, { seconds: 600, restMs: 50 });
  // Before the broker: it would complain of the connections that it loses.
  running.unshift(async () => void (await load.stop()));
  const file = join(temporaryFolder(t), "broker.pb.gz");
  const counter = [
    "--work-name",
    "messages",
    "--work-metric",
    "rabbitmq_global_messages_received_total",
    "--work-url",
    broker.metrics,
  ];
  // A broker's figures of itself are some time old: the page is not counted anew for each request.
  const { work } = await helperJson(["record", broker.pid, "-d", 6, "-F", HZ, "-o", file, ...counter]);
  t.diagnostic(`${work.units?.toFixed(0)} messages, ${work.cpu_us_each?.toFixed(1)} µs each`);
  assert.ok(work.units > 0, JSON.stringify(work));
  assert.ok(work.cpu_us_each > 0);
});
