// The hosts of a window, by a real sshd: who connects, and who does not.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import { Sshd } from "../../hosts/sshd.mjs";
import { slowLine } from "../../hosts/slow-line.mjs";
import { until } from "../../until.mjs";
import { inWindow } from "../helper/in-window.js";
import { needsRoot } from "./connected-host.js";

async function hostsOf(t: TestContext) {
  const sshd = await Sshd.start(t);
  const { Hosts, vscode, context, log } = await inWindow(t);
  vscode.settings["remote.sshProgram"] = sshd.ssh;
  const hosts = new Hosts({ context, log });
  t.after(async () => {
    await hosts.stop();
    hosts.dispose();
  });
  return { sshd, hosts };
}

test(
  "a host that is forgotten while it is connected to is not remembered, and nothing is left",
  needsRoot,
  async (t) => {
    const { sshd, hosts } = await hostsOf(t);
    const { port } = await slowLine(t, sshd.port, { delayMs: 1, bitsPerSecond: 4e6 });
    sshd.addHost("slow", port);
    const connecting = assert.rejects(hosts.connected({ ssh: "slow" }), { name: "Cancelled" });
    await until(
      "it is being connected to",
      () => hosts.find({ ssh: "slow" })?.state === "connecting" && sshd.clients > 0,
    );
    await hosts.forget({ ssh: "slow" });
    assert.equal(hosts.find({ ssh: "slow" })?.state, "idle");
    await connecting;
    assert.deepEqual(hosts.remembered.addresses, []);
    await until("no ssh is left here", () => sshd.clients === 0);
    await until("no process is left there", () => sshd.processes() === 0);
  },
);

test("a host whose helper ends is connected to by the user alone", needsRoot, async (t) => {
  const { sshd, hosts } = await hostsOf(t);
  const far = { ssh: "far" };
  const host = await hosts.connected(far);
  const states: string[] = [];
  host.onDidChangeState(() => states.push(host.state));
  for (const pid of sshd.helpers("serve --stdio --session")) process.kill(pid, "SIGKILL");
  await until("its end is known", () => host.state === "idle");
  // A request of a view does not connect either.
  await assert.rejects(host.request("extrospect/list", {}), { problem: "unreachable", what: "far is not connected" });
  await sleep(300);
  assert.deepEqual([sshd.clients, states.filter((state) => state === "connecting")], [0, []]);
  // As often as the user wants.
  for (let times = 1; times <= 5; times += 1) {
    await (await hosts.connected(far)).request("extrospect/list", {});
    for (const pid of sshd.helpers("serve --stdio --session")) process.kill(pid, "SIGKILL");
    await until("its end is known", () => host.state === "idle");
  }
  await hosts.connected(far);
  assert.equal(host.state, "connected");
});

test("a host that is left and connected to again at once has one helper", needsRoot, async (t) => {
  const { sshd, hosts } = await hostsOf(t);
  const far = { ssh: "far" };
  await hosts.connected(far);
  const leaving = hosts.disconnect(far);
  const host = await hosts.connected(far);
  await leaving;
  assert.equal(host.state, "connected");
  await host.request("extrospect/list", {});
  assert.equal(sshd.helpers("serve --stdio --session").length, 1);
});

test("a place for ssh's questions that could not be made is made by the next connection", needsRoot, async (t) => {
  const { hosts } = await hostsOf(t);
  const folder = mkdtempSync(join(tmpdir(), "extrospect-hosts-"));
  const before = process.env["TMPDIR"];
  const restore = () => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  };
  t.after(() => {
    restore();
    rmSync(folder, { recursive: true });
  });
  process.env["TMPDIR"] = join(folder, "missing");
  await assert.rejects(hosts.connected({ ssh: "far" }), /ENOENT/);
  restore();
  assert.equal((await hosts.connected({ ssh: "far" })).state, "connected");
});
