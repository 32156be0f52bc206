// Work that is counted while a real VM is recorded, by a real command and by a real page of metrics.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { IDLE_SLEEPS } from "../vms/idle-sleeps.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

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
          await untilIn(child, "the first reading", async () => (await vm.report()).readings > readings);
          await untilIn(child, "samples", () => readUnfinishedProfile(file).samples.length > 0);
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
      const recorded = await recordAround(file, counter, async () => {
        await until("some orders", async () => (await vm.report()).orders > orders + 1000);
      });
      assert.equal(recorded.code, 0, recorded.stderr);
      const most = (await vm.report()).orders - orders;
      const top = await helperJson(["top", file]);
      const { work } = top;
      assert.equal(work.name, "orders");
      assert.ok(work.units > 0 && work.units <= most, `${work.units} of ${most}`);
      assert.ok(work.cpu_us_each > 0);
      const told = await runHelper(["top", file]);
      assert.match(told.stdout, /\nwork: [\d,]+ orders, [\d.]+ (µs|ms) of CPU each\n$/);
    }
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
