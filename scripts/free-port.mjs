// A port of loopback for programs that must be given one. Programs that report the port that they got are given 0.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

/** Services of the machine are mostly below. */
const FIRST_PORT = 10_000;
const RANGE = "/proc/sys/net/ipv4/ip_local_port_range";

/**
 * Nothing listens on it now, and no program gets it that lets the kernel choose: until its user listens there,
 * only another one that names it could take it.
 * @returns {Promise<number>}
 */
export async function freePort() {
  const end = firstChosenByKernel();
  for (;;) {
    // 0 where the kernel may choose any.
    const port = await boundPort(end > FIRST_PORT ? randomInt(FIRST_PORT, end) : 0);
    if (port !== undefined) return port;
  }
}

export function firstChosenByKernel() {
  try {
    return Number(readFileSync(RANGE, "utf8").split(/\s+/)[0]);
  } catch {
    return 0;
  }
}

/** The port, undefined when it is taken. @param {number} wanted */
async function boundPort(wanted) {
  const server = createServer();
  try {
    await once(server.listen(wanted, "127.0.0.1"), "listening");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EADDRINUSE") return undefined;
    throw error;
  }
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}
