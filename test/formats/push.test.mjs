// push and record --push: the requests that a store gets, from a server that keeps them. A real store is for the night.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

const FIXTURE = fileURLToPath(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
/** The labels that distinguish samples inside a VM stay here. */
const OF_THE_VM = ["pid", "process", "thread", "scheduler"];
/** The answer of OTLP to a profile that is not taken: `partial_success`, one profile, and why. */
const NOT_TAKEN = Buffer.from([0x0a, 0x07, 0x08, 0x01, 0x12, 0x03, ...Buffer.from("no!")]);

/**
 * @typedef {object} Received
 * @property {string} line      method and address
 * @property {import("node:http").IncomingHttpHeaders} headers
 * @property {Buffer} body
 * @property {string[]} commands   of all processes that run at that moment
 */

/**
 * A server that keeps all requests and gives each the same answer.
 * @param {import("node:test").TestContext} t @param {number} status @param {Buffer} [answer]
 */
async function keeping(t, status, answer = Buffer.alloc(0)) {
  /** @type {Received[]} */
  const heard = [];
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { method, url, headers } = request;
      heard.push({ line: `${method} ${url}`, headers, body: Buffer.concat(parts), commands: commandsHere() });
      response.writeHead(status).end(answer);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, heard };
}

function commandsHere() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8")];
      } catch {
        return []; // It has ended.
      }
    });
}

/** @param {import("node:test").TestContext} t @param {Buffer} body   of a request */
function profileOf(t, body) {
  const file = join(temporaryFolder(t), "sent.pb.gz");
  writeFileSync(file, body);
  return readProfile(file);
}

test("a capture is pushed: the address has service, labels and times, the body is its pprof without what is of the VM", async (t) => {
  const { url, heard } = await keeping(t, 200);
  const run = await runHelper([
    "push",
    FIXTURE,
    "--to",
    url,
    "--service",
    "shop",
    "--commit",
    "abc123",
    "--label",
    "team=shop",
  ]);
  assert.equal(run.code, 0, run.stderr);
  const [{ line, headers, body } = assert.fail("nothing was sent"), ...others] = heard;
  assert.deepEqual(others, []);
  const name = encodeURIComponent("shop{commit=abc123,host=vm,otp=25,team=shop}");
  assert.equal(line, `POST /ingest?name=${name}&from=1795249849&until=1795249865&format=pprof&spyName=extrospect`);
  assert.equal(headers["content-type"], "application/octet-stream");
  const { samples } = await helperJson(["top", FIXTURE]);
  const sent = profileOf(t, body);
  assert.equal(
    sent.samples.reduce((sum, { values }) => sum + (values[0] ?? 0), 0),
    samples,
  );
  assert.ok(sent.samples.some(({ frames }) => frames.some(({ name }) => name === "demo_pricing:best_price/2")));
  for (const { labels } of sent.samples) for (const name of OF_THE_VM) assert.equal(labels[name], undefined);
});

test("what limits a capture is stated when it is pushed: its store shows none of it", async (t) => {
  const { url, heard } = await keeping(t, 200);
  const cut = join(temporaryFolder(t), "cut.pb.gz");
  writeFileSync(cut, readFileSync(FIXTURE.replace("demo.pb", "demo-growing.pb")).subarray(0, -10));
  const run = await runHelper(["push", cut, "--to", url]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(heard.length, 1);
  assert.match(run.stderr, /^extrospect: \S+cut\.pb\.gz ends in the middle, or something else follows/m);
});

test("OTLP: the same capture in one message; data that a store does not take is reported", async (t) => {
  const { url, heard } = await keeping(t, 200);
  const pushed = ["push", FIXTURE, "--service", "shop", "--commit", "abc123", "--otlp"];
  const run = await runHelper([...pushed, "--to", url]);
  assert.equal(run.code, 0, run.stderr);
  const [{ line, headers, body } = assert.fail("nothing was sent")] = heard;
  assert.equal(line, "POST /v1development/profiles");
  assert.deepEqual([headers["content-type"], headers["content-encoding"]], ["application/x-protobuf", "gzip"]);
  const message = gunzipSync(body).toString("latin1");
  for (const text of ["service.name", "shop", "abc123", "demo_pricing:best_price/2"])
    assert.ok(message.includes(text), text);
  const refusing = await keeping(t, 200, NOT_TAKEN);
  const refused = await runHelper([...pushed, "--to", refusing.url]);
  assertRefused(refused, 1);
  assert.match(refused.stderr, /no!/);
});

test("another tool's profile is pushed; a refusal of the store and a missing store are reported in one line", async (t) => {
  const file = join(temporaryFolder(t), "x.folded");
  writeFileSync(file, "all;work 7\nall;rest 3\n");
  const { url, heard } = await keeping(t, 200);
  assert.equal((await runHelper(["push", file, "--to", url, "--service", "foldedwork"])).code, 0);
  assert.match(heard[0]?.line ?? "", /^POST \/ingest\?name=foldedwork/);
  const refusing = await keeping(t, 422);
  assertRefused(await runHelper(["push", file, "--to", refusing.url]), 1);
  assert.equal(refusing.heard.length, 1);
  // Nothing listens on the first port of all.
  assertRefused(await runHelper(["push", file, "--to", "http://127.0.0.1:1"]), 1);
  const secret = await runHelper(["push", file, "--to", "http://me:secret@h"]);
  assert.equal(secret.code, 2);
  assert.match(secret.stderr, /--credentials FILE/);
});

test("a recording whose store is away keeps its profile, and the next run sends it, with credentials that no other user sees", async (t) => {
  const vm = await runErl({
    otp: await prepareOtp("25"),
    module: "gt_erlang",
    emulatorFlags: ["-name", "pushed@127.0.0.1", "-start_epmd", "false", "-dist_listen", "false"],
  });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  const [buffer, credentials] = [join(folder, "buffer"), join(folder, "credentials")];
  writeFileSync(credentials, "Authorization: Bearer hush-1\n", { mode: 0o600 });
  /** As long as it takes until there is a sample; `sent`: by all these recordings. @param {string} url */
  const recorded = async (url) => {
    for (let [seconds, sent] = [1, 0]; ; seconds *= 2) {
      const args = ["-d", seconds, "--push", url, "--buffer", buffer, "--credentials", credentials, "--json"];
      const run = await runHelper(["record", vm.pid, ...args]);
      assert.equal(run.code, 0, run.stderr);
      assert.doesNotMatch(run.stderr, /hush/);
      const summary = JSON.parse(run.stdout);
      sent += summary.profiles.sent;
      if (summary.samples > 0 || seconds > 100) return { ...summary, sent };
    }
  };
  const away = await keeping(t, 503);
  const first = await recorded(away.url);
  const left = first.profiles.waiting;
  assert.ok(left >= 1 && first.sent + first.dropped === 0, JSON.stringify(first));
  const here = await keeping(t, 200);
  const second = await recorded(here.url);
  assert.equal(second.sent, here.heard.length, JSON.stringify(second));
  assert.ok(here.heard.length > left && second.profiles.dropped_refused === 0, JSON.stringify(second));
  for (const { line, headers, body, commands } of here.heard) {
    assert.match(decodeURIComponent(line), /^POST \/ingest\?name=pushed\{.*node=pushed@127\.0\.0\.1,otp=25\}/);
    assert.equal(headers.authorization, "Bearer hush-1");
    assert.ok(
      profileOf(t, body).samples.some(({ frames }) => frames.some(({ name }) => name.startsWith("gt_erlang:"))),
    );
    assert.ok(!commands.some((command) => command.includes("hush")), "among the arguments of a program");
  }
});

test("a recording of two types sends both", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_dozes" });
  t.after(() => vm.kill());
  vm.go();
  const buffer = join(temporaryFolder(t), "buffer");
  const { url, heard } = await keeping(t, 200);
  /** As long as it takes until both processes have napped. @param {import("../pprof-reader.mjs").Profile} profile */
  const hasNaps = ({ sampleTypes, samples }) =>
    ["gt_dozes:naps/1", "gt_dozes:dirty_naps/1"].every((name) =>
      samples.some(
        ({ values, frames }) =>
          Number(values[sampleTypes.indexOf("off_cpu")]) > 0 && frames.some((frame) => frame.name === name),
      ),
    );
  for (let seconds = 1; ; seconds *= 2) {
    const args = ["-d", seconds, "--engine", "bpf", "--event", "cpu,off-cpu", "--push", url, "--buffer", buffer];
    const run = await runHelper(["record", vm.pid, ...args]);
    assert.equal(run.code, 0, run.stderr);
    const profiles = heard.map(({ body }) => profileOf(t, body));
    for (const { sampleTypes } of profiles) {
      assert.deepEqual(sampleTypes, ["samples", "cpu", "off_cpu_blocks", "off_cpu"]);
    }
    if (profiles.some(hasNaps) || seconds > 100) {
      assert.ok(profiles.some(hasNaps));
      break;
    }
  }
});
