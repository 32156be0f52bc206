// Captures that continue in the background: the process that started them has exited, and another one comes back.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { runHelper, temporaryFolder } from "./helper.mjs";
import { RpcClient } from "./rpc-client.mjs";

/** @type {import("../vms/otp.mjs").OtpInstallation} */
let otp;
before(async () => {
  otp = await prepareOtp("25");
});

/** A busy VM, and a helper whose state is in a folder of this test. @param {import("node:test").TestContext} t */
async function scene(t) {
  const folder = temporaryFolder(t);
  const wrapper = ["env", `XDG_STATE_HOME=${folder}`];
  const vm = await runErl({ otp, ...NOW_AND_THEN });
  /** @param {(string | number)[]} args */
  const run = (...args) => runHelper(args, { wrapper });
  /** @param {(string | number)[]} args */
  const json = async (...args) => {
    const { code, stdout, stderr } = await run(...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  /** @param {string} name */
  const row = async (name) => (await json("detached")).find((/** @type {{name: string}} */ each) => each.name === name);
  t.after(async () => {
    for (const { name } of await json("detached")) await run("detached", "stop", name);
    vm.kill();
  });
  return { folder, wrapper, vm, run, json, row };
}

/** @param {string} file */
async function samplesIn(file) {
  const run = await runHelper(["top", file, "--json"]);
  return run.code === 0 ? JSON.parse(run.stdout).samples : 0;
}

test("a killed capture has ended unexpectedly, and is fetched; the end of the VM ends a capture", async (t) => {
  const { folder, vm, run, json, row } = await scene(t);
  const { facts } = await json("record", vm.pid, "--detach", "killed");
  await until("samples", async () => (await row("killed")).fileBytes > 5000 || undefined);
  process.kill(facts.recorderPid, "SIGKILL");
  await until(
    "the end of what was killed",
    async () => (await row("killed")).state === "endedUnexpectedly" || undefined,
  );
  const file = join(folder, "killed.pb.gz");
  assert.equal((await run("detached", "fetch", "killed", "-o", file)).code, 0);
  assert.ok((await samplesIn(file)) > 0);
  assert.equal((await run("detached", "remove", "killed")).code, 0);

  await json("record", vm.pid, "--detach", "gone");
  vm.kill();
  const ended = await until("the end of a VM that ended", async () =>
    (await row("gone")).state === "ended" ? row("gone") : undefined,
  );
  assert.equal(ended.facts.end, "targetGone");
});

test("by the protocol: its file has the commit from the start, and the counted work at the end", async (t) => {
  const { vm, folder, row } = await scene(t);
  const client = new RpcClient({ XDG_STATE_HOME: folder });
  t.after(() => client.kill());
  await client.initialize();
  const counter = join(folder, 'it\'s the "counter".sh');
  const readings = join(folder, "readings");
  writeFileSync(readings, "");
  writeFileSync(
    counter,
    `#!/bin/sh\nprintf '%s\\n' "$1" >> '${readings}'\necho $(($(wc -l < '${readings}') * 100))\n`,
    { mode: 0o755 },
  );
  const argument = "  o'clock $(id) \\";
  const origin = {
    repository: "https://host/shop.git",
    commit: "a".repeat(40),
    branch: "main",
    dirty: true,
    describe: "v1",
    sources: {},
    assigned: false,
  };
  const wanted = { name: "counted", pid: vm.pid, frequencyHz: 99, durationSeconds: 0 };
  const work = { name: "orders", source: { type: "command", command: [counter, argument] } };
  await client.request("extrospect/detached/start", { ...wanted, origin, work });
  const file = join(folder, "extrospect/detached/counted/capture.pb.gz");
  /** Its last comment of that name. @param {string} name */
  const said = (name) => {
    const [text = "{}"] = readProfile(file)
      .comments.flatMap((comment) =>
        comment.startsWith(`extrospect/${name} `) ? [comment.slice(comment.indexOf(" "))] : [],
      )
      .reverse();
    return JSON.parse(text);
  };
  assert.deepEqual(said("origin"), origin);
  assert.equal(readFileSync(readings, "utf8"), `${argument}\n`, "read once, with its argument as it is");
  await client.request("extrospect/detached/stop", { name: "counted" });
  const { name, at_start: before, at_end: after } = said("work");
  assert.deepEqual([name, before, after], ["orders", 100, 200]);
  assert.equal(said("origin").commit, origin.commit);

  const refused = await client.refused("extrospect/detached/start", {
    ...wanted,
    name: "refused",
    work: { source: { type: "metric", metric: "a", url: "file:///etc/passwd" } },
  });
  assert.match(refused.data?.what ?? "", /work\.source\.url/);
  const missing = await client.refused("extrospect/detached/start", {
    ...wanted,
    name: "missing",
    work: { source: { type: "command", command: [join(folder, "nothing")] } },
  });
  assert.match(JSON.stringify(missing.data), /nothing/);
  for (const none of ["refused", "missing"]) assert.equal(await row(none), undefined);
});

test("one that is cancelled while it starts has ended when that is answered: its name is free, and nothing counts work any more", async (t) => {
  const { folder, vm, run, row } = await scene(t);
  const client = new RpcClient({ XDG_STATE_HOME: folder });
  t.after(() => client.kill());
  await client.initialize();
  const marks = join(folder, "counted");
  const counter = {
    name: "orders",
    source: { type: "command", command: ["sh", "-c", `echo x >>${marks}; sleep 2; echo 7`] },
  };
  const how = { pid: vm.pid, name: "again", durationSeconds: 60, frequencyHz: 99 };
  const starting = client.refused("extrospect/detached/start", { ...how, work: counter });
  const id = client.lastId;
  await until("the counter is read", () => existsSync(marks));
  client.send({ method: "$/cancelRequest", params: { id } });
  assert.equal((await starting).code, -32800);
  assert.equal(readFileSync(marks, "utf8"), "x\n");
  const { name } = await client.request("extrospect/detached/start", how);
  assert.equal(name, "again");
  assert.equal((await row("again")).state, "recording");
  assert.equal((await run("detached", "stop", "again")).code, 0);
  assert.equal(readFileSync(marks, "utf8"), "x\n", "it was read once");

  // One that has ended keeps its name and its file, whenever another start by that name is cancelled.
  const { fileBytes } = await row("again");
  for (const delayMs of [0, 5, 20, 60, 150]) {
    const taken = client.refused("extrospect/detached/start", how);
    const takenId = client.lastId;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    client.send({ method: "$/cancelRequest", params: { id: takenId } });
    await taken;
    assert.equal((await row("again"))?.fileBytes, fileBytes, `cancelled after ${delayMs} ms`);
  }
});
