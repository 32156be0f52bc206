// A line of some delay and few bits a second, as a relay: kernels of test machines have no netem.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { Transform } from "node:stream";

/**
 * Lets bytes through so late and so slowly as a line does.
 * @param {number} delayMs @param {number} bitsPerSecond @param {(bytes: number) => void} [passed]   of each piece
 */
function slowed(delayMs, bitsPerSecond, passed = () => {}) {
  let freeAtMs = 0;
  return new Transform({
    readableHighWaterMark: 4096,
    writableHighWaterMark: 4096,
    transform(/** @type {Buffer} */ chunk, _encoding, done) {
      const nowMs = performance.now();
      // The next piece may go on the line when this one has; this one arrives after the delay.
      freeAtMs = Math.max(freeAtMs, nowMs) + (chunk.length * 8000) / bitsPerSecond;
      setTimeout(() => this.push(chunk), freeAtMs - nowMs + delayMs);
      passed(chunk.length);
      setTimeout(done, freeAtMs - nowMs);
    },
    flush(done) {
      setTimeout(done, Math.max(0, freeAtMs - performance.now()) + delayMs);
    },
  });
}

/**
 * A port that leads to another over such a line.
 * @param {{after: (undo: () => unknown) => unknown}} t @param {number} port @param {{delayMs: number, bitsPerSecond: number}} line
 */
export async function slowLine(t, port, { delayMs, bitsPerSecond }) {
  const carried = { bytesHome: 0 };
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    // One end that is gone is no end to wait for.
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ])
      socket?.on("error", () => other?.destroy());
    near.pipe(slowed(delayMs, bitsPerSecond)).pipe(far);
    far.pipe(slowed(delayMs, bitsPerSecond, (bytes) => (carried.bytesHome += bytes))).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { port: address.port, carried };
}
