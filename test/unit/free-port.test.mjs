// Ports for programs that must be given one.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { firstChosenByKernel, freePort } from "../../scripts/free-port.mjs";

test("a free port can be listened on, and is none that the kernel gives to others", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  const end = firstChosenByKernel();
  for (const port of ports) assert.ok(port >= 10_000 && (port < end || end <= 10_000), String(port));
  const server = createServer().listen(ports[0], "127.0.0.1");
  await once(server, "listening");
  server.close();
});
