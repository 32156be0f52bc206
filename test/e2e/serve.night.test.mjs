// `serve --stdio` from the handshake to the end, over real pipes.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { until } from "../until.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { atEachMoment } from "./give-up-moments.mjs";
import { temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("25");
});

/** @param {import("node:test").TestContext} t @param {Record<string, string>} [env] */
async function clientFor(t, env) {
  const client = new RpcClient(env);
  t.after(() => client.kill());
  await client.initialize();
  return client;
}

/** @param {import("node:test").TestContext} t @param {string} [module] */
async function vmFor(t, module) {
  const vm = await runErl({ otp, ...(module === undefined ? NOW_AND_THEN : { module }) });
  t.after(() => vm.kill());
  return vm;
}

/** @param {RpcClient} client @param {number} pid @param {object} [more] */
async function startCapture(client, pid, more = {}) {
  const { attachmentId } = await client.request("extrospect/attach", { pid });
  const params = { attachmentId, frequencyHz: 499, durationSeconds: 0, ...more };
  return { attachmentId, ...(await client.request("extrospect/capture/start", params)) };
}

/** Processes that a process has started and waits for, by whichever of its threads. @param {number} pid */
function startedBy(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/children`);
  return tasks.flatMap((file) => (existsSync(file) ? readFileSync(file, "utf8").split(" ").filter(Boolean) : []));
}

/** Samples of the capture, by the last message to the client. @param {RpcClient} client */
const sampledBy = (client) =>
  client.notifications.findLast(({ method }) => method === "extrospect/capture/increment")?.params.quality.samples ?? 0;

test("two captures at a time; detaching ends both", async (t) => {
  const vm = await vmFor(t);
  const client = await clientFor(t, { XDG_STATE_HOME: temporaryFolder(t) });
  const first = await startCapture(client, vm.pid);
  const second = await client.request("extrospect/capture/start", {
    attachmentId: first.attachmentId,
    frequencyHz: 99,
    durationSeconds: 0,
  });
  assert.notEqual(first.file, second.file);
  assert.notEqual(first.captureId, second.captureId);
  await client.notified("extrospect/capture/increment", 4);
  await client.request("extrospect/detach", { attachmentId: first.attachmentId });
  const ended = await client.notified("extrospect/capture/ended", 2);
  assert.deepEqual(
    ended.map((it) => it.reason),
    ["stopped", "stopped"],
  );
  for (const { file } of [first, second]) readProfile(file);
  assert.equal((await client.refused("extrospect/detach", { attachmentId: first.attachmentId })).code, -32602);
});

test("a capture that is given up while it starts goes on nowhere and leaves no file", async (t) => {
  const vm = await vmFor(t);
  const state = temporaryFolder(t);
  const client = await clientFor(t, { XDG_STATE_HOME: state });
  const folder = join(state, "extrospect/captures");
  const left = () => (existsSync(folder) ? readdirSync(folder) : []);
  let [attachmentId, id] = [0, 0];
  const begin = async () => {
    ({ attachmentId } = await client.request("extrospect/attach", { pid: vm.pid }));
    const starting = client.request("extrospect/capture/start", { attachmentId, frequencyHz: 99, durationSeconds: 0 });
    id = client.lastId;
    return [
      starting.then(
        ({ captureId }) => ({ captureId, code: 0 }),
        ({ code }) => ({ captureId: undefined, code }),
      ),
    ];
  };
  const seen = new Set();
  await atEachMoment(begin, async (answer, when) => {
    client.send({ method: "$/cancelRequest", params: { id } });
    const { captureId, code } = await answer;
    if (captureId !== undefined) {
      await client.request("extrospect/capture/stop", { captureId });
      await client.request("extrospect/capture/remove", { captureId });
    } else assert.equal(code, -32800);
    seen.add(captureId === undefined ? "cancelled" : "started");
    assert.deepEqual(left(), [], `given up ${when}`);
    await client.request("extrospect/detach", { attachmentId });
  });
  assert.deepEqual([...seen].sort(), ["cancelled", "started"]);
  await atEachMoment(begin, async (answer, when) => {
    await client.request("extrospect/detach", { attachmentId });
    const { captureId } = await answer;
    if (captureId !== undefined) await client.request("extrospect/capture/remove", { captureId });
    assert.deepEqual(left(), [], `detached ${when}`);
  });
  await until("nobody samples", () => startedBy(/** @type {number} */ (client.child.pid)).length === 0);
});

test("an editor's capture counts work, as who started the helper and without its rights", async (t) => {
  const vm = await vmFor(t, "gt_work");
  const { port } = await vm.report();
  const client = await clientFor(t);
  const rights =
    "awk '/^NoNewPrivs:/ { rights += $2 } /^Cap(Amb|Inh):/ { rights += ($2 == 0) } END { print rights }' /proc/self/status";
  const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
  const start = (/** @type {any} */ work, /** @type {string} */ file) => ({
    attachmentId,
    frequencyHz: 499,
    durationSeconds: 0,
    file: join(folder, file),
    work,
  });
  const folder = temporaryFolder(t);
  const byMetric = {
    name: "orders",
    source: { type: "metric", metric: "shop_orders_total", url: `http://127.0.0.1:${port}/metrics` },
  };
  const started = await client.request("extrospect/capture/start", start(byMetric, "metric.pb.gz"));
  await until("100 samples", () => sampledBy(client) > 100);
  await client.request("extrospect/capture/stop", { captureId: started.captureId });
  const said = (/** @type {string} */ file) => {
    const comments = readProfile(file).comments.filter((/** @type {string} */ comment) =>
      comment.startsWith("extrospect/work "),
    );
    return comments.map((/** @type {string} */ comment) => JSON.parse(comment.slice("extrospect/work ".length)));
  };
  const [work, ...more] = said(started.file);
  assert.equal(more.length, 0);
  assert.equal(work.name, "orders");
  assert.ok(work.at_end > work.at_start && work.end_unix_ms > work.start_unix_ms, JSON.stringify(work));

  const byCommand = { source: { type: "command", command: ["/bin/sh", "-c", rights] } };
  const other = await client.request("extrospect/capture/start", start(byCommand, "command.pb.gz"));
  await client.request("extrospect/capture/stop", { captureId: other.captureId });
  assert.deepEqual([said(other.file)[0].name, said(other.file)[0].at_start], ["sh", 3]);

  const none = await client.refused(
    "extrospect/capture/start",
    start({ source: { ...byMetric.source, metric: "shop_order_total" } }, "none.pb.gz"),
  );
  assert.match(
    none.data?.what ?? "",
    /the work cannot be counted: .*the page has no metric shop_order_total; it has shop_orders_total/,
  );
  assert.match(none.data?.fix ?? "", /open the page|fetch the page/);
  assert.throws(() => statSync(join(folder, "none.pb.gz")), "nothing was recorded");
  const odd = await client.refused(
    "extrospect/capture/start",
    start({ source: { type: "command", command: [] } }, "odd.pb.gz"),
  );
  assert.equal(odd.code, -32602);
});
