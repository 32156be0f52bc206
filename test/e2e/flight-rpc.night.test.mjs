// The flight recorder of an editor: a VM is watched by JSON-RPC until a condition holds, and the time before and after
// comes as a file.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { tried, worked } from "../editor/tries.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { atEachMoment } from "./give-up-moments.mjs";
import { temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

const NAME = /^surge\.(\d{5})-\d{8}T\d{6}Z\.pb\.gz$/;
/** For looks of the helper at the mailbox, at first. */
const SEVERAL_LOOKS_MS = 2_000;

/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("27");
});

/** @param {import("node:test").TestContext} t @param {Record<string, string>} [env] */
async function started(t, env = {}) {
  const client = new RpcClient(env);
  t.after(() => client.kill());
  await client.initialize();
  return client;
}

/** A VM whose mailbox fills and empties, attached to. @param {import("node:test").TestContext} t @param {RpcClient} client */
async function surging(t, client) {
  const vm = await runErl({ otp, module: "gt_surge", args: ["mailbox"] });
  t.after(() => vm.kill());
  const { attachmentId } = await client.request("extrospect/attach", { pid: vm.pid });
  return { vm, attachmentId };
}

/** @param {number} attachmentId @param {object} [more] */
const wanted = (attachmentId, more = {}) => ({
  attachmentId,
  condition: "mailbox>1000 or memory>900GB",
  beforeSeconds: 3,
  afterSeconds: 1,
  maxFiles: 2,
  durationSeconds: 3600,
  frequencyHz: 99,
  nodeEveryMs: 200,
  ...more,
});

/** @param {RpcClient} client @param {string} what @returns {any[]} */
const told = (client, what) =>
  client.notifications.filter(({ method }) => method === `extrospect/flight/${what}`).map(({ params }) => params);

/**
 * Makes the VM fill or empty its mailbox until that is seen.
 * @param {import("../vms/vm.mjs").RunningVm} vm @param {() => boolean} seen
 */
async function surgeUntil(vm, seen) {
  return tried(
    "it was seen",
    async (patienceMs) => {
      const truth = await vm.report();
      return (await worked(until("a look", seen, patienceMs))) && truth;
    },
    SEVERAL_LOOKS_MS,
  );
}

/** The user's facts in a file. @param {string} file */
function userOf(file) {
  const comment = readProfile(file).comments.findLast((text) => text.startsWith("extrospect/user "));
  return JSON.parse(String(comment).slice("extrospect/user ".length));
}

test("a mailbox that fills twice gives two files, each reported with its condition, and then watching has ended", async (t) => {
  const folder = temporaryFolder(t);
  const client = await started(t);
  const { vm, attachmentId } = await surging(t, client);
  const { flightId, engine } = await client.request(
    "extrospect/flight/start",
    wanted(attachmentId, { file: join(folder, "surge.pb.gz") }),
  );
  assert.ok(["bpf", "readv"].includes(engine.name));
  const [first] = await client.notified("extrospect/flight/looked", 1);
  assert.deepEqual([first.flightId, first.isWriting, first.files, first.failed], [flightId, false, 0, 0]);
  assert.deepEqual(readdirSync(folder), [], "nothing is written while it does not hold");
  const { pid } = await surgeUntil(vm, () => told(client, "ended").length === 1);
  const [ended] = told(client, "ended");
  assert.deepEqual(ended, { flightId, reason: "files", problem: null, files: 2, failed: 0 });
  const written = told(client, "written");
  assert.equal(written.length, 2);
  assert.equal(readdirSync(folder).filter((name) => NAME.test(name)).length, 2);
  assert.equal(readdirSync(folder).length, 2);
  assert.equal(new Set(written.map(({ captureId }) => captureId)).size, 2);
  for (const {
    file,
    fileBytes,
    captureId,
    found,
    fromSeconds: from,
    triggeredSeconds: at,
    untilSeconds: end,
  } of written) {
    assert.equal(readFileSync(file).length, fileBytes);
    const [{ quantity, value, process, isBytes }] = found;
    assert.deepEqual([quantity, process, isBytes], ["mailbox", pid, false]);
    assert.ok(value > 1000 && value <= 5000, String(value));
    assert.ok(from <= at && at - from <= 5 && end >= at + 1, `${from} ${at} ${end}`);
    const { note, tags } = userOf(file);
    assert.ok(note.startsWith(`recorded when mailbox>1000 or memory>900GB: mailbox ${value} of ${pid}, `), note);
    assert.deepEqual(tags, ["when"]);
    assert.ok(readProfile(file).samples.length > 0);
    const read = await client.request("extrospect/capture/read", { captureId, from: 0, maxBytes: 4 << 20 });
    assert.deepEqual(Buffer.from(read.base64, "base64"), readFileSync(file));
    // The client chose the name: the file is the client's.
    assert.equal((await client.refused("extrospect/capture/remove", { captureId })).code, -32602);
  }
  const looks = told(client, "looked");
  assert.ok(looks.some(({ isWriting }) => isWriting));
  const seen = looks.flatMap(({ values }) => values);
  assert.ok(seen.some(({ quantity, value }) => quantity === "mailbox" && value === 5000));
  assert.ok(seen.some(({ quantity, value, isBytes }) => quantity === "memory" && value > 1e6 && isBytes));
  assert.deepEqual(await client.request("extrospect/flight/stop", { flightId }), ended);
  assert.equal((await client.shutdown()).code, 0);
});

test("without a name its files are in the helper's own folder, and go when they were read", async (t) => {
  const state = temporaryFolder(t);
  const client = await started(t, { XDG_STATE_HOME: state });
  const { vm, attachmentId } = await surging(t, client);
  const { flightId } = await client.request("extrospect/flight/start", wanted(attachmentId));
  await surgeUntil(vm, () => told(client, "written").length > 0);
  const [{ captureId, file }] = told(client, "written");
  assert.ok(file.startsWith(join(state, "extrospect", "captures")), file);
  assert.equal(await client.request("extrospect/capture/remove", { captureId }), null);
  assert.equal(existsSync(file), false);
  const stopped = await client.request("extrospect/flight/stop", { flightId });
  assert.equal(stopped.reason, "stopped");
});

test("a file that is written at a stop, or at the end of the VM or the conversation, is a whole capture", async (t) => {
  for (const end of ["stop", "detach", "kill", "shutdown"]) {
    const folder = temporaryFolder(t);
    const client = await started(t);
    const { vm, attachmentId } = await surging(t, client);
    const { flightId } = await client.request(
      "extrospect/flight/start",
      wanted(attachmentId, { afterSeconds: 3600, file: join(folder, "surge.pb.gz") }),
    );
    await surgeUntil(vm, () => told(client, "looked").some(({ isWriting }) => isWriting));
    if (end === "stop") await client.request("extrospect/flight/stop", { flightId });
    else if (end === "detach") await client.request("extrospect/detach", { attachmentId });
    else if (end === "kill") vm.kill();
    else await client.shutdown();
    const [ended] = await client.notified("extrospect/flight/ended", 1);
    assert.equal(
      ended.reason,
      { stop: "stopped", detach: "stopped", kill: "targetGone", shutdown: "shutdown" }[end],
      end,
    );
    assert.equal(ended.problem === null, end !== "kill");
    assert.deepEqual([ended.files, ended.failed], [1, 0], end);
    const [written] = told(client, "written");
    assert.deepEqual(
      readdirSync(folder).map((name) => join(folder, name)),
      [written.file],
      "no half rewritten file is left",
    );
    assert.equal(readFileSync(written.file).length, written.fileBytes);
    assert.ok(readProfile(written.file).readings.some((reading) => Number(reading["largestMailbox"]) > 1000));
  }
});

test("a time that is over ends it, with nothing written, and what cannot be is refused", async (t) => {
  const folder = temporaryFolder(t);
  const client = await started(t);
  const { attachmentId } = await surging(t, client);
  const file = join(folder, "surge.pb.gz");
  await client.request("extrospect/flight/start", wanted(attachmentId, { durationSeconds: 1, file }));
  const [ended] = await client.notified("extrospect/flight/ended", 1);
  assert.deepEqual([ended.reason, ended.problem, ended.files], ["duration", null, 0]);
  assert.deepEqual(readdirSync(folder), []);
  for (const [more, why] of /** @type {[object, RegExp][]} */ ([
    [{ condition: "mailbox>" }, /at character 9: expected a number, 0 or more/],
    [{ maxFiles: 0 }, /maxFiles must be 1 to 1000/],
    [{ beforeSeconds: 0 }, /beforeSeconds and afterSeconds must be 1 to 3600/],
    [{ durationSeconds: 0 }, /durationSeconds must be more than 0/],
    [{ attachmentId: 77 }, /never made/],
    [{ file: join(folder, "not-there", "surge.pb.gz") }, /not-there|no such/i],
  ])) {
    const refused = await client.refused("extrospect/flight/start", wanted(attachmentId, { file, ...more }));
    assert.match(`${refused.data?.what} ${refused.data?.why}`, why);
  }
  assert.equal((await client.refused("extrospect/flight/stop", { flightId: 4711 })).code, -32602);
});

test("no more than eight are watched at a time", async (t) => {
  const folder = temporaryFolder(t);
  const client = await started(t);
  const { attachmentId } = await surging(t, client);
  const start = (/** @type {number} */ number) =>
    wanted(attachmentId, {
      file: join(folder, `surge-${number}.pb.gz`),
      frequencyHz: 9,
      nodeEveryMs: 1000,
      condition: "memory>900GB",
    });
  for (let number = 0; number < 8; number++) await client.request("extrospect/flight/start", start(number));
  const refused = await client.refused("extrospect/flight/start", start(8));
  assert.equal(refused.code, 1007);
  await client.request("extrospect/detach", { attachmentId });
  const ended = await client.notified("extrospect/flight/ended", 8);
  assert.ok(ended.every(({ reason, files }) => reason === "stopped" && files === 0));
});

test("a text is judged as it is typed", async (t) => {
  const client = await started(t);
  const check = async (/** @type {string} */ condition) =>
    (await client.request("extrospect/flight/check", { condition })).fault;
  assert.equal(await check("mailbox>10000 or runqueue>20 or memory>8GB"), null);
  assert.deepEqual(await check("mailbox=1"), { at: 8, expected: "operator", options: [">", ">=", "<", "<="] });
  assert.deepEqual(await check("größe>1 or"), {
    at: 1,
    expected: "quantity",
    options: ["mailbox", "messages", "runqueue", "memory", "rss", "processes", "collections/s", "reductions/s"],
  });
  assert.deepEqual(await check("mailbox>10 or memory>8 giga"), { at: 24, expected: "joiner", options: ["or", "and"] });
  assert.deepEqual(await check("x".repeat(1001)), { at: 1001, expected: "endOfText", options: [] });
  assert.equal((await client.refused("extrospect/flight/check", {})).code, -32602);
});

test("one that is given up while it starts leaves no file, though its condition holds at once", async (t) => {
  const state = temporaryFolder(t);
  const client = await started(t, { XDG_STATE_HOME: state });
  const { vm } = await surging(t, client);
  const folder = join(state, "extrospect/captures");
  const left = () => (existsSync(folder) ? readdirSync(folder) : []);
  let [attachmentId, id] = [0, 0];
  const begin = async () => {
    ({ attachmentId } = await client.request("extrospect/attach", { pid: vm.pid }));
    const starting = client.request(
      "extrospect/flight/start",
      wanted(attachmentId, { condition: "memory>1", nodeEveryMs: 100 }),
    );
    id = client.lastId;
    return [
      starting.then(
        () => true,
        () => false,
      ),
    ];
  };
  for (const giveUp of /** @type {const} */ (["cancel", "detach"])) {
    const seen = new Set();
    await atEachMoment(begin, async (answer, when) => {
      if (giveUp === "cancel") client.send({ method: "$/cancelRequest", params: { id } });
      else await client.request("extrospect/detach", { attachmentId });
      const hasStarted = await answer;
      seen.add(hasStarted);
      if (!hasStarted) assert.deepEqual(left(), [], `${giveUp} ${when}`);
      if (giveUp === "cancel") await client.request("extrospect/detach", { attachmentId });
      // The client owns the files of one that had started.
      for (const name of left()) rmSync(join(folder, name));
    });
    assert.ok(seen.has(true) && seen.has(false), "each of its moments was met");
  }
});
