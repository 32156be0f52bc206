// `serve --stdio` from the handshake to the end, over real pipes.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
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

test("a whole conversation", async (t) => {
  const vm = await vmFor(t);
  const client = new RpcClient();
  t.after(() => client.kill());
  const hello = await client.initialize();
  assert.equal(hello.serverInfo.name, "extrospect");
  assert.equal(hello.protocolVersion, 1);
  assert.ok(hello.capabilities.experimental.maxFrequencyHz >= 999);

  const { beams } = await client.request("extrospect/list");
  assert.equal(beams.find((/** @type {any} */ beam) => beam.pid === vm.pid)?.attachable, true);
  const { rows } = await client.request("extrospect/doctor", { pid: vm.pid });
  assert.ok(rows.some((/** @type {any} */ row) => row.check === "attach" && row.status === "ok"));

  const attached = await client.request("extrospect/attach", { pid: vm.pid });
  assert.equal(attached.target.otp, "25");
  assert.ok(attached.target.schedulers >= 1);
  assert.ok(attached.selfCheck.atoms >= 1000 && attached.selfCheck.modules > 50);
  assert.ok(
    attached.selfCheck.rows.every((/** @type {any} */ row) => row.status === "ok"),
    JSON.stringify(attached.selfCheck.rows),
  );

  const file = join(temporaryFolder(t), "capture.pb.gz");
  const started = await client.request("extrospect/capture/start", {
    attachmentId: attached.attachmentId,
    frequencyHz: 499,
    durationSeconds: 0,
    file,
  });
  assert.equal(started.file, file);
  // How many samples a second brings depends on how much of it the VM runs.
  await until("300 samples", () => sampledBy(client) > 300);
  const increments = await client.notified("extrospect/capture/increment", 4);
  let bytes = 0;
  const profile = [];
  for (const [index, increment] of increments.entries()) {
    assert.equal(increment.captureId, started.captureId);
    assert.equal(increment.sequence, index);
    const member = Buffer.from(increment.gzipBase64, "base64");
    bytes += member.length;
    assert.equal(increment.fileBytes, bytes);
    profile.push(gunzipSync(member));
  }
  measured(t, "processor time of the helper while it serves", increments.at(-1).quality.self_cpu_pct);
  assert.equal(
    client.notifications.some((it) => it.method === "extrospect/capture/resync"),
    false,
    "a client that reads needs no resync",
  );
  assert.ok(Buffer.concat(profile).includes("gt_erlang"), "the increments name what runs");
  assert.deepEqual(
    readFileSync(file).subarray(0, bytes),
    Buffer.concat(increments.map((it) => Buffer.from(it.gzipBase64, "base64"))),
    "the increments are the file",
  );

  // The program rests now and then: all schedulers are idle at such a moment.
  await until("a look at what a scheduler does", async () => {
    const { threads } = await client.request("extrospect/pstack", { pid: vm.pid, all: false });
    return threads.some((/** @type {any} */ it) => it.frames.length > 0);
  });

  const stopped = await client.request("extrospect/capture/stop", { captureId: started.captureId });
  assert.equal(stopped.reason, "stopped");
  assert.equal(stopped.problem, null);
  assert.deepEqual((await client.notified("extrospect/capture/ended", 1))[0], stopped);
  const counted = readProfile(file).samples.length;
  assert.ok(counted > 0 && stopped.quality.samples > 300);
  assert.deepEqual(
    await client.request("extrospect/capture/stop", { captureId: started.captureId }),
    stopped,
    "requested again",
  );

  assert.deepEqual(await client.shutdown(), { code: 0, signal: null });
  assert.equal(client.stderr, "");
});

test("a capture ends with its time, in a private folder when no file is named", async (t) => {
  const vm = await vmFor(t);
  const state = temporaryFolder(t);
  const client = await clientFor(t, { XDG_STATE_HOME: state });
  const { file } = await startCapture(client, vm.pid, { durationSeconds: 1.5 });
  assert.ok(isAbsolute(file) && file.startsWith(`${state}/extrospect/captures/`));
  assert.equal(statSync(join(state, "extrospect/captures")).mode & 0o777, 0o700);
  const [ended] = await client.notified("extrospect/capture/ended", 1);
  assert.equal(ended.reason, "duration");
  assert.ok(readProfile(file).samples.length > 0);
});

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

test("a capture that is cancelled while it starts ends and leaves no file", async (t) => {
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
  await until("nothing samples", () => startedBy(/** @type {number} */ (client.child.pid)).length === 0);
});

test("the end of stdin ends helper and captures; the files are whole", async (t) => {
  const vm = await vmFor(t);
  const client = await clientFor(t);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  await startCapture(client, vm.pid, { file });
  await until("100 samples", () => sampledBy(client) > 100);
  client.child.stdin.end();
  const { code, signal } = await client.ended;
  assert.equal(signal, null);
  assert.equal(code, 1, "without shutdown");
  assert.ok(readProfile(file).samples.length > 0);
  assert.equal(client.stderr, "");
});

test("a killed helper leaves a valid file", async (t) => {
  const vm = await vmFor(t);
  const client = await clientFor(t);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  await startCapture(client, vm.pid, { file });
  await until("100 samples", () => sampledBy(client) > 100);
  client.kill();
  await client.ended;
  assert.ok(readUnfinishedProfile(file).samples.length > 0);
});

test("a VM that ends during the capture: reported, and the capture is kept", async (t) => {
  const vm = await vmFor(t);
  const client = await clientFor(t);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const { attachmentId } = await startCapture(client, vm.pid, { file });
  await until("100 samples", () => sampledBy(client) > 100);
  vm.kill();
  const [ended] = await client.notified("extrospect/capture/ended", 1);
  assert.equal(ended.reason, "targetGone");
  assert.equal(ended.problem.exitCode, 5);
  assert.ok(readProfile(file).samples.length > 0);
  const refused = await client.refused("extrospect/capture/start", {
    attachmentId,
    frequencyHz: 99,
    durationSeconds: 1,
  });
  assert.ok([1003, 1005].includes(refused.code), JSON.stringify(refused));
  assert.equal(
    (await client.request("extrospect/list")).beams.some((/** @type {any} */ it) => it.pid === vm.pid),
    false,
  );
});

test("a request that fails is answered with the problem, the reason and the remedy", async (t) => {
  const client = await clientFor(t);
  const notABeam = await client.refused("extrospect/attach", { pid: process.pid });
  assert.equal(notABeam.code, 1003);
  assert.equal(notABeam.data?.exitCode, 3);
  // In words of the editor: a client of this protocol has no command line.
  assert.equal(notABeam.data?.fix, "the Targets view lists the VMs here");
  const unknown = { attachmentId: 77, frequencyHz: 99, durationSeconds: 1 };
  assert.equal((await client.refused("extrospect/capture/start", unknown)).code, -32602);
  assert.equal((await client.refused("extrospect/capture/stop", { captureId: 77 })).code, -32602);
  const vm = await vmFor(t, "gt_idle");
  const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
  const bad = { attachmentId, frequencyHz: 99, durationSeconds: 1, file: "/no/such/folder/x.pb.gz" };
  assert.match((await client.refused("extrospect/capture/start", bad)).message, /no\/such\/folder/);
  assert.deepEqual(await client.shutdown(), { code: 0, signal: null });
});

test("garbage is answered and work continues", async (t) => {
  const client = await clientFor(t);
  client.sendRaw("Content-Length: 2\r\n\r\n}{");
  client.sendRaw('Content-Length: 17\r\n\r\n[1,2,"no request"');
  client.send({ id: 900, method: "extrospect/attach", params: { pid: "x" } });
  assert.equal((await client.refused("no/such/method")).code, -32601);
  assert.equal((await client.refused("extrospect/attach", { pid: -1 })).code, -32602);
  assert.equal((await client.refused("extrospect/attach", [])).code, -32602);
  assert.ok(Array.isArray((await client.request("extrospect/list")).beams));
  assert.ok(client.strayErrors.some((error) => error.code === -32700));
  assert.deepEqual(await client.shutdown(), { code: 0, signal: null });
});

test("an editor's capture counts work as the user who started the helper, without its rights", async (t) => {
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
