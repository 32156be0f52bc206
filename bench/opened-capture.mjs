// A separate program for one capture: its memory for opening the capture on a thread and answering a panel's first
// requests.
// Usage: node --expose-gc opened-capture.mjs OPENER THREAD FILE
import { readFileSync } from "node:fs";
import { argv } from "node:process";

const MIB = 2 ** 20;
/** @type {import("../contract/capture-answers.js").FlameOptions} */
const PLAIN = { inverted: false, hideNative: false, hideKernel: false, collapseRecursion: false, groupBy: "none" };

const [, , opener = "", thread = "", file = ""] = argv;
/** @type {typeof import("../extension/src/capture/thread/open-in-thread.js")} */
const { openInThread } = await import(opener);
const before = resident();
const capture = await openInThread(Uint8Array.from(readFileSync(file)), thread);
await settled();
const opened = resident();
const openPeak = peak();
capture.flame(PLAIN);
capture.flame({ ...PLAIN, inverted: true });
capture.top();
capture.blame("gc");
await settled();
process.stdout.write(
  `${JSON.stringify({ before, opened, openPeak, answered: resident(), peak: peak(), columns: process.memoryUsage().arrayBuffers / MIB, samples: capture.totals.samples })}\n`,
);

/** The thread has ended and released memory is free. */
async function settled() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await new Promise((done) => setTimeout(done, 50));
  }
}

function resident() {
  return process.memoryUsage().rss / MIB;
}

function peak() {
  const status = readFileSync("/proc/self/status", "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
