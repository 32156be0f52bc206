// Captures that continue in the background: the process that started them has exited, and another one comes back.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertRefused, HELPER, runHelper, temporaryFolder } from "./helper.mjs";
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

/** A process that no parent has waited for yet counts as ended. @param {number} pid */
function lives(pid) {
  return existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

test("it goes on when the session that started it is killed, and is fetched while it runs, stopped and removed", async (t) => {
  const { folder, wrapper, vm, run, row } = await scene(t);
  // A session of its own with a terminal, as a login is: `script` holds the terminal, and is killed with all that is in it.
  const login = spawn(
    "script",
    ["-qec", `${wrapper.join(" ")} "${HELPER}" record ${vm.pid} --detach night; sleep 600`, "/dev/null"],
    { detached: true, stdio: ["pipe", "ignore", "ignore"] },
  );
  const session = /** @type {number} */ (login.pid);
  const recording = await until("a capture in the background", async () =>
    (await row("night"))?.state === "recording" ? row("night") : undefined,
  );
  const stat = readFileSync(`/proc/${recording.facts.recorderPid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  assert.equal(Number(stat[3]), recording.facts.recorderPid, "it leads a session of its own");
  assert.equal(stat[4], "0", "it has no terminal");
  process.kill(-session, "SIGKILL");
  await new Promise((resolve) => login.once("close", resolve));
  const before = (await row("night")).fileBytes;
  const grown = await until("more of it", async () =>
    (await row("night")).fileBytes > before ? row("night") : undefined,
  );
  assert.equal(grown.state, "recording");
  assert.equal(grown.facts.targetPid, vm.pid);

  assertRefused(await run("record", vm.pid, "--detach", "night"), 1);
  assertRefused(await run("detached", "remove", "night"), 1);
  const early = join(folder, "early.pb.gz");
  assert.equal((await run("detached", "fetch", "night", "-o", early)).code, 0);
  const soFar = await samplesIn(early);
  assert.ok(soFar > 0);
  assertRefused(await run("detached", "fetch", "night", "-o", early), 1);

  assert.match((await run("detached", "stop", "night")).stdout, /ended: stopped/);
  const { state, facts } = await row("night");
  assert.equal(state, "ended");
  assert.equal(facts.end, "stopped");
  await until("what recorded to be gone", () => !lives(facts.recorderPid));
  const whole = join(folder, "whole.pb.gz");
  assert.equal((await run("detached", "fetch", "night", "-o", whole)).code, 0);
  assert.equal(await samplesIn(whole), facts.samples);
  const { quality } = JSON.parse((await runHelper(["top", whole, "--json"])).stdout);
  assert.equal(quality.gaps.missing_end, undefined, "the copy of a closed file");
  assert.ok(facts.samples >= soFar);
  assert.equal((await run("detached", "remove", "night")).code, 0);
  assert.equal(await row("night"), undefined);
  assertRefused(await run("detached", "fetch", "night", "-o", join(folder, "none.pb.gz")), 1);
});

test("one that cannot begin reports the reason, with the usual exit code, and leaves no file", async (t) => {
  const { folder, run } = await scene(t);
  assertRefused(await run("record", process.pid, "--detach", "no-vm"), 3);
  assert.ok(!existsSync(join(folder, "extrospect/detached/no-vm")));
  assertRefused(await run("record", 1 << 22, "--detach", "nobody"), 3);
  assert.equal((await run("record", process.pid, "--detach", "../x")).code, 2);
  assert.equal((await run("record", process.pid, "--detach", "a", "-o", "b")).code, 2);
  // A folder for state that belongs to another user, or none.
  rmSync(join(folder, "extrospect"), { recursive: true });
  mkdirSync(join(folder, "other"));
  const refused = await runHelper(["record", process.pid, "--detach", "a"], {
    wrapper: ["env", "XDG_STATE_HOME=/proc"],
  });
  assertRefused(refused, 1);
});

test("by the protocol: it outlives the helper that started it, and another one lists, reads, stops and removes it", async (t) => {
  const { vm, folder } = await scene(t);
  const first = new RpcClient({ XDG_STATE_HOME: folder });
  t.after(() => first.kill());
  await first.initialize();
  const wanted = { name: "far", pid: vm.pid, frequencyHz: 99, durationSeconds: 3_600 };
  const begun = await first.request("extrospect/detached/start", wanted);
  assert.equal(begun.state, "recording");
  assert.match((await first.refused("extrospect/detached/start", wanted)).message, /already/);
  await first.shutdown();

  const second = new RpcClient({ XDG_STATE_HOME: folder });
  t.after(() => second.kill());
  await second.initialize();
  const listed = async () => (await second.request("extrospect/detached/list", {})).captures[0];
  await until("it to go on", async () => ((await listed()).fileBytes > begun.fileBytes ? true : undefined));
  assert.match((await second.refused("extrospect/detached/remove", { name: "far" })).message, /is still running/);
  const { facts } = await second.request("extrospect/detached/stop", { name: "far" });
  assert.equal(facts.end, "stopped");
  const { fileBytes } = await listed();
  const { base64, fileId } = await second.request("extrospect/detached/read", {
    name: "far",
    from: 0,
    maxBytes: 4 << 20,
  });
  assert.equal(Buffer.from(base64, "base64").length, fileBytes);
  assert.match(fileId, /^[0-9a-f]+-[0-9a-f]+$/);
  assert.equal(await second.request("extrospect/detached/remove", { name: "far" }), null);
  assert.equal(await listed(), undefined);
  const bad = await second.refused("extrospect/detached/read", { name: "../far", from: 0, maxBytes: 1 });
  assert.match(bad.message, /cannot be called/);
  assert.match((await second.refused("extrospect/detached/stop", { name: "far" })).message, /no detached capture/);
});
