// A port mapper of a test's own is up, or the test fails: it waits for no other program.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { freePort } from "../../scripts/free-port.mjs";
import { HOST, startEpmd } from "../vms/own-epmd.mjs";

test("a port mapper whose port has a program that never answers gets another one", async (t) => {
  const mute = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, HOST);
  await once(mute, "listening");
  t.after(() => mute.close());
  const { port: taken } = /** @type {import("node:net").AddressInfo} */ (mute.address());
  const ports = [taken];
  const epmd = await startEpmd({ findPort: () => Promise.resolve(ports.pop() ?? freePort()) });
  t.after(() => epmd.stop());
  assert.notEqual(epmd.port, taken);
  assert.equal(epmd.env["ERL_EPMD_PORT"], String(epmd.port));
});

test("a port mapper that is not there is named", async () => {
  await assert.rejects(startEpmd({ program: "/nowhere/epmd" }), /\/nowhere\/epmd does not start: it ended with -?\d+/);
});
