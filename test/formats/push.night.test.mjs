// push and record --push against a real store.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { assertRefused, HELPER, record, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { isNightly } from "../nightly.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { Store } from "./store.mjs";

const execFileAsync = promisify(execFile);

/** @type {Store} */
let store;
/** @type {string} */
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "extrospect-store-"));
  store = await Store.start(folder);
});
after(async () => {
  await store?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** @param {import("node:test").TestContext} t @param {string} module @param {string} [node] */
async function vmFor(t, module, node) {
  const emulatorFlags = node === undefined ? [] : ["-name", node, "-start_epmd", "false", "-dist_listen", "false"];
  // All that is wanted of it is samples now and then.
  const vm = await runErl({ otp: await prepareOtp("25"), module, args: NOW_AND_THEN.args, emulatorFlags });
  t.after(() => vm.kill());
  return vm;
}

/**
 * A recording that continues until it is stopped.
 * @param {import("node:test").TestContext} t @param {(string | number)[]} args
 */
function recording(t, args) {
  const child = spawn(HELPER, ["record", ...args.map(String), "--json"], { stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = once(child, "close");
  return {
    said: () => stderr,
    /** @returns {Promise<any>} the summary */
    async stop() {
      child.kill("SIGINT");
      const [code] = await ended;
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}

/** Profiles that wait for the store to come back. */
const AWAY = isNightly ? 6 : 2;

/** Files that wait in a buffer. @param {string} buffer */
const waiting = (buffer) => readdirSync(buffer).filter((name) => name.endsWith(".profile")).length;

test("a capture is pushed: its functions are in the store, its labels name node, host, release and commit, and no process", async (t) => {
  const vm = await vmFor(t, "gt_erlang", "pushed@127.0.0.1");
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const { quality } = await record(vm.pid, { seconds: 2, file });
  const run = await runHelper(["push", file, "--to", store.url, "--commit", "abc123", "--label", "team=shop"]);
  assert.equal(run.code, 0, run.stderr);
  const found = await until("the profile can be queried", async () => {
    const found = await store.profile('service_name="pushed"');
    return found.total > 0 && found;
  });
  assert.ok(
    found.names.some((name) => name.startsWith("gt_erlang:")),
    found.names.join(),
  );
  const period = 1e9 / 499;
  assert.ok(
    Math.abs(found.total / period - quality.samples) < 1,
    `${found.total / period} of ${quality.samples} samples`,
  );
  const series = (await store.series()).filter((labels) => labels.service_name === "pushed");
  assert.ok(series.length > 0);
  for (const labels of series) {
    assert.equal(labels.node, "pushed@127.0.0.1");
    assert.equal(labels.otp, "25");
    assert.equal(labels.commit, "abc123");
    assert.equal(labels.team, "shop");
    assert.ok(labels.host);
    for (const name of ["pid", "process", "thread", "scheduler"]) assert.equal(labels[name], undefined);
  }
});

test("OTLP: the same capture is in the store with the same functions, totals and labels", async (t) => {
  const vm = await vmFor(t, "gt_erlang", "otlp@127.0.0.1");
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const { quality } = await record(vm.pid, { seconds: 2, file });
  for (const [service, ...more] of [["bypprof"], ["byotlp", "--otlp"]]) {
    const run = await runHelper([
      "push",
      file,
      "--to",
      store.url,
      "--service",
      String(service),
      "--commit",
      "abc123",
      ...more,
    ]);
    assert.equal(run.code, 0, run.stderr);
  }
  const [pprof, otlp] = await until("both can be queried", async () => {
    const found = await Promise.all(["bypprof", "byotlp"].map((service) => store.profile(`service_name="${service}"`)));
    return found.every(({ total }) => total > 0) && found;
  });
  assert.equal(otlp?.total, pprof?.total);
  assert.deepEqual([...new Set(otlp?.names)].sort(), [...new Set(pprof?.names)].sort());
  const period = 1e9 / 499;
  assert.ok(Math.abs((otlp?.total ?? 0) / period - quality.samples) < 1);
  const series = (await store.series()).filter((labels) => labels.service_name === "byotlp");
  assert.ok(series.length > 0);
  for (const { node, otp, commit, host, pid } of series) {
    assert.deepEqual(
      { node, otp, commit, pid },
      { node: "otlp@127.0.0.1", otp: "25", commit: "abc123", pid: undefined },
    );
    assert.ok(host);
  }
});

test("OTLP: a recording continues as with pprof; data that a store cannot take is reported", async (t) => {
  const vm = await vmFor(t, "gt_erlang", "otlprecorded@127.0.0.1");
  const buffer = join(temporaryFolder(t), "buffer");
  const sources = temporaryFolder(t);
  const commit = await repository(sources);
  const run = await runHelper([
    "record",
    vm.pid,
    "-d",
    2,
    "--push",
    store.url,
    "--otlp",
    "--source-dir",
    sources,
    "--buffer",
    buffer,
    "--json",
  ]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(JSON.parse(run.stdout).profiles.sent, 1, run.stdout);
  await until(
    "the profile can be queried by its commit",
    async () => (await store.profile(`service_name="otlprecorded",commit="${commit}"`)).total > 0,
  );
  const file = join(temporaryFolder(t), "x.folded");
  writeFileSync(file, "all;work 7\nall;rest 3\n");
  assert.equal((await runHelper(["push", file, "--to", store.url, "--service", "foldedotlp", "--otlp"])).code, 0);
  await answering(t, Buffer.from([0x0a, 0x07, 0x08, 0x01, 0x12, 0x03, ...Buffer.from("no!")]), async (url) => {
    const run = await runHelper(["push", file, "--to", url, "--otlp"]);
    assertRefused(run, 1);
    assert.match(run.stderr, /no!/);
  });
});

/** A repository with one commit. @param {string} folder @returns {Promise<string>} the commit */
async function repository(folder) {
  const git = async (/** @type {string[]} */ ...args) =>
    (await execFileAsync("git", ["-C", folder, "-c", "user.name=x", "-c", "user.email=x", ...args])).stdout.trim();
  await git("init", "-q");
  writeFileSync(join(folder, "gt_erlang.erl"), "-module(gt_erlang).\n");
  await git("add", ".");
  await git("commit", "-q", "-m", "first");
  return await git("rev-parse", "HEAD");
}

/**
 * A server that takes everything and answers the same.
 * @param {import("node:test").TestContext} t @param {Buffer} body @param {(url: string) => Promise<void>} work
 */
async function answering(t, body, work) {
  const server = createServer((request, response) => request.resume().on("end", () => response.end(body))).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await work(`http://127.0.0.1:${port}`);
}

test("another tool's profile is pushed", async (t) => {
  const file = join(temporaryFolder(t), "x.folded");
  writeFileSync(file, "all;work 7\nall;rest 3\n");
  const run = await runHelper(["push", file, "--to", store.url, "--service", "foldedwork"]);
  assert.equal(run.code, 0, run.stderr);
});

test("a refusal of the store and a missing store are reported in one line", async (t) => {
  const old = join(process.cwd(), "test/unit/capture/fixtures/demo.pb.gz");
  assertRefused(await runHelper(["push", old, "--to", store.url]), 1);
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const file = join(temporaryFolder(t), "x.folded");
  writeFileSync(file, "a;b 1\n");
  assertRefused(await runHelper(["push", file, "--to", nobody]), 1);
  assertRefusedArgument(await runHelper(["push", file, "--to", "http://me:secret@h"]));
});

/** @param {import("../e2e/helper.mjs").Run} run */
function assertRefusedArgument(run) {
  assert.equal(run.code, 2);
  assert.match(run.stderr, /--credentials FILE/);
}

test("credentials go with each profile, and into nothing else", async (t) => {
  /** @type {import("node:http").IncomingHttpHeaders[]} */
  const heard = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    request.resume().on("end", () => response.end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const folder = temporaryFolder(t);
  const credentials = join(folder, "credentials");
  writeFileSync(credentials, "Authorization: Bearer hush-1\n", { mode: 0o600 });
  const vm = await vmFor(t, "gt_erlang");
  const buffer = join(folder, "buffer");
  const seen = new Set();
  const job = recording(t, [
    vm.pid,
    "-d",
    0,
    "--push",
    `http://127.0.0.1:${port}`,
    "--credentials",
    credentials,
    "--buffer",
    buffer,
  ]);
  await until("a profile arrives", () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        seen.add(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
      } catch {
        // It has ended.
      }
    }
    return heard.length > 0;
  });
  assert.equal(heard[0]?.authorization, "Bearer hush-1");
  const { profiles } = await job.stop();
  assert.equal(profiles.dropped_refused, 0);
  assert.ok(![...seen].some((command) => command.includes("hush")), "it is not among arguments");
  assert.doesNotMatch(job.said(), /hush/);
});

test("a store that is killed and comes back has what came meanwhile; what was dropped is counted", async (t) => {
  const vm = await vmFor(t, "gt_erlang", "away@127.0.0.1");
  const folder = temporaryFolder(t);
  const buffer = join(folder, "buffer");
  const job = recording(t, [vm.pid, "-d", 0, "-F", 199, "--push", store.url, "--buffer", buffer, "--commit", "away1"]);
  await until("the first profile is in the store", async () => (await store.profile('service_name="away"')).total > 0);
  await store.kill();
  // Each is ten seconds long: the store is away for twenty, by night for a minute.
  await until(`${AWAY} profiles wait`, () => waiting(buffer) >= AWAY);
  assert.match(job.said(), /the store is away/);
  await store.up();
  await until("nothing waits any more", () => waiting(buffer) === 0);
  const summary = await job.stop();
  assert.ok(summary.profiles.sent_late >= AWAY, JSON.stringify(summary));
  assert.equal(summary.dropped, 0, JSON.stringify(summary));
  assert.equal(summary.profiles.waiting, 0);
  // A killed store loses the samples that it has not written yet: only later ones are required.
  await until("what came late is in the store", async () => {
    const { total } = await store.profile('service_name="away"');
    return (
      total / (1e9 / 199) > summary.samples / 2 || assert.fail(`${total / (1e9 / 199)} of ${summary.samples} samples`)
    );
  });
});

test("what could not be sent at all waits on disk, and the next run sends it", async (t) => {
  const vm = await vmFor(t, "gt_erlang", "full@127.0.0.1");
  const buffer = join(temporaryFolder(t), "buffer");
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const first = await runHelper(["record", vm.pid, "-d", 11, "--push", nobody, "--buffer", buffer, "--json"]);
  assert.equal(first.code, 0, first.stderr);
  const summary = JSON.parse(first.stdout);
  const left = summary.profiles.waiting;
  // Ten seconds are one profile, and any later samples another.
  assert.ok(left >= 1 && left <= 2, first.stdout);
  assert.equal(summary.profiles.sent + summary.dropped, 0, first.stdout);
  const second = await runHelper(["record", vm.pid, "-d", 1, "--push", store.url, "--buffer", buffer, "--json"]);
  assert.ok(second.stderr.includes(`of an earlier run: ${left} profile${left === 1 ? "" : "s"}\n`), second.stderr);
  assert.equal(JSON.parse(second.stdout).profiles.sent, left + 1, second.stdout);
});

test("--all takes every VM, also one that comes later, and goes on when one ends", async (t) => {
  const first = await vmFor(t, "gt_erlang", "first@127.0.0.1");
  const buffer = join(temporaryFolder(t), "buffer");
  const job = recording(t, ["--all", "-d", 0, "-F", 199, "--push", store.url, "--buffer", buffer]);
  await until("the first VM is in the store", async () => (await store.profile('service_name="first"')).total > 0);
  first.kill();
  const second = await vmFor(t, "gt_gc", "second@127.0.0.1");
  await until("the second VM is in the store", async () => (await store.profile('service_name="second"')).total > 0);
  second.kill();
  const summary = await job.stop();
  assert.ok(summary.vms >= 2, JSON.stringify(summary));
  assert.equal(summary.dropped, 0, JSON.stringify(summary));
  const nodes = new Set((await store.series()).map(({ node }) => node));
  assert.ok(nodes.has("first@127.0.0.1") && nodes.has("second@127.0.0.1"), [...nodes].join());
});
