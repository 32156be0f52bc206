// The speed of the editor's model of a capture: the wait of a user who opens a capture, and the cost of a live one
// every second.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ROOT } from "../scripts/project.mjs";
import { repeatCapture } from "./large-capture.mjs";
import { summary } from "./stats.mjs";

const REAL = "test/unit/capture/fixtures/demo.pb.gz";
/** @type {import("../contract/capture-answers.js").FlameOptions} */
const PLAIN = { inverted: false, hideNative: false, hideKernel: false, collapseRecursion: false, groupBy: "none" };

/**
 * @param {object} wanted
 * @param {string} wanted.folder        where the bundled model goes
 * @param {number} wanted.rounds
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<Record<string, Record<string, import("./stats.mjs").Summary>>>} milliseconds by action, by capture
 */
export async function captureModelTimes({ folder, rounds, progress }) {
  /** @type {typeof import("../extension/src/capture/capture-model.js")} */
  const model = await import(await bundled("capture-model.ts", "esm", folder));
  const opener = await bundled("thread/open-in-thread.ts", "esm", folder);
  /** @type {typeof import("../extension/src/capture/thread/open-in-thread.js")} */
  const { openInThread } = await import(opener);
  const thread = fileURLToPath(await bundled("thread/capture-thread.ts", "cjs", folder));
  const real = readFileSync(join(ROOT, REAL));
  /** @type {Record<string, Record<string, import("./stats.mjs").Summary>>} */
  const results = {};
  for (const [samples, variety] of /** @type {const} */ ([
    [1_000_000, 0.05],
    [520_000, 1],
  ])) {
    const made = repeatCapture(real, { samples, variety });
    const bytes = Buffer.concat(made.members);
    const times = new Times();
    for (let round = 0; round < rounds; round++) {
      const own = Uint8Array.from(bytes);
      await times.wait("open, as the editor does: on a thread of its own", () => openInThread(own, thread));
      const capture = times.take("decode", () => model.decodeCapture(bytes));
      times.take("flame graph", () => capture.flame(PLAIN));
      times.take("flame graph, inverted", () => capture.flame({ ...PLAIN, inverted: true }));
      times.take("flame graph of a process and a second", () =>
        capture.flame(PLAIN, {
          processes: [capture.facets().processes[0]?.value ?? ""],
          timeMs: { from: 1000, to: 2000 },
        }),
      );
      times.take("top", () => capture.top());
      times.take("blame gc", () => capture.blame("gc"));
      times.take("hover of a function", () => capture.placeDetail(capture.functionNamed("lists:foldl/3")));
    }
    addMemory(times, { folder, opener, thread, bytes });
    results[`${samples} sample records, ${made.stacks} different stacks, ms`] = times.summaries();
    progress(`capture model, ${samples} sample records`);
  }
  results["One more second of a capture of 1000000 samples (997 Hz, 2 schedulers), ms"] = appendTimes(
    model,
    real,
    rounds,
  );
  return results;
}

/**
 * The memory of a separate process that opens the capture: this process also holds the data that the capture is made
 * from.
 * @param {Times} times @param {{folder: string, opener: string, thread: string, bytes: Uint8Array}} what
 */
function addMemory(times, { folder, opener, thread, bytes }) {
  const file = join(folder, "large.pb.gz");
  writeFileSync(file, bytes);
  const program = join(ROOT, "bench", "opened-capture.mjs");
  const { opened, answered, peak } = JSON.parse(
    execFileSync(process.execPath, ["--expose-gc", program, opener, thread, file], { encoding: "utf8" }),
  );
  times.add("memory of a process that has opened it, MiB", opened);
  times.add("memory once it has answered, MiB", answered);
  times.add("most memory on the way, MiB", peak);
}

/** @param {string} source below extension/src/capture @param {"esm" | "cjs"} format @param {string} folder @returns {Promise<string>} its URL */
async function bundled(source, format, folder) {
  const outfile = join(folder, basename(source).replace(/\.ts$/, format === "esm" ? ".mjs" : ".cjs"));
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: ROOT,
    entryPoints: [`extension/src/capture/${source}`],
    bundle: true,
    format,
    platform: "node",
    outfile,
    logLevel: "error",
  });
  return pathToFileURL(outfile).href;
}

/** @param {typeof import("../extension/src/capture/capture-model.js")} model @param {Uint8Array} real @param {number} rounds */
function appendTimes(model, real, rounds) {
  const PER_SECOND = 2_000;
  // Members as long as the real capture first, then some of a second each.
  const large = repeatCapture(real, { samples: 1_000_000, variety: 0.05 }).members;
  const seconds = repeatCapture(real, {
    samples: 1_000_000 + rounds * 10 * PER_SECOND,
    variety: 0.05,
    tailSamples: PER_SECOND,
    tailFrom: 1_000_000,
  }).members.slice(large.length);
  const capture = model.newCapture();
  for (const member of large) capture.append(member);
  const times = new Times();
  for (const member of seconds) {
    times.take("append", () => capture.append(member));
    times.take("counts and lines of 200 functions", () => {
      for (let index = 0; index < 200; index++) capture.functionLines(index);
    });
  }
  return times.summaries();
}

class Times {
  /** @type {Map<string, number[]>} */
  #values = new Map();

  /**
   * @template T
   * @param {string} name
   * @param {() => T} what
   * @returns {T}
   */
  take(name, what) {
    const start = performance.now();
    const result = what();
    this.add(name, performance.now() - start);
    return result;
  }

  /** @param {string} name @param {() => Promise<unknown>} what */
  async wait(name, what) {
    const start = performance.now();
    await what();
    this.add(name, performance.now() - start);
  }

  /** @param {string} name @param {number} value */
  add(name, value) {
    this.#values.set(name, [...(this.#values.get(name) ?? []), value]);
  }

  summaries() {
    return Object.fromEntries([...this.#values].map(([name, values]) => [name, summary(values)]));
  }
}
