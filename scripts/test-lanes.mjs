// The order in which tests run: lanes beside each other, and in each lane a few files at a time.
import { availableParallelism } from "node:os";

/**
 * Editors disturb each other: one file at a time. A file with VMs mostly waits for them, on a busy machine above all, so
 * another one works during that time, and a third once the editors leave their processor; test/machine-lock.mjs parts what
 * the whole machine has once. Files without either
 * fill the processors that are left. Beside other programs their share grows with their number, and falls with their
 * nice value (5: a tenth of a processor beside four busy loops): so twice as many as processors, and only a little nicer.
 * @type {Record<"editor" | "vms" | "pure", {atATime: number, nice: number, oneMoreAfter?: "editor"}>}
 */
export const LANES = {
  editor: { atATime: 1, nice: 0 },
  vms: { atATime: 2, nice: 0, oneMoreAfter: "editor" },
  pure: { atATime: 2 * availableParallelism(), nice: 2 },
};

/** @typedef {keyof typeof LANES} LaneName */

/**
 * Runs the files of all batches, each once its batch is ready.
 * @template File
 * @template Result
 * @param {{lane: LaneName, files: Promise<File[]>}[]} batches   of files that become ready at the same time; the first ones go first in a lane
 * @param {Record<LaneName, {atATime: number, oneMoreAfter?: LaneName}>} lanes   `oneMoreAfter`: once all files of that one have run
 * @param {(file: File, lane: LaneName) => Promise<Result>} run
 * @returns {Promise<Result[]>} in the order of the batches; the first error of a run, or of a batch, ends its lane, and is the error of all
 */
export async function runLanes(batches, lanes, run) {
  /** @type {{lane: LaneName, waiting: (() => void)[]}[]} */
  const ready = batches.map(({ lane }) => ({ lane, waiting: [] }));
  const free = new Map(Object.entries(lanes).map(([name, { atATime }]) => [name, atATime]));
  const beginNext = () => {
    for (const { lane, waiting } of ready) {
      while ((free.get(lane) ?? 0) > 0) {
        const begin = waiting.shift();
        if (begin === undefined) break;
        free.set(lane, (free.get(lane) ?? 0) - 1);
        begin();
      }
    }
  };
  const ended = (/** @type {LaneName} */ lane) => {
    free.set(lane, (free.get(lane) ?? 0) + 1);
    beginNext();
  };
  const ofBatch = async (/** @type {(typeof batches)[number]} */ { lane, files }, /** @type {number} */ at) => {
    const results = (await files).map(
      (file) =>
        new Promise((/** @type {(result: Promise<Result>) => void} */ resolve) => {
          ready[at]?.waiting.push(() => {
            const result = run(file, lane);
            resolve(result);
            // After an error no lane goes on.
            result.then(
              () => ended(lane),
              () => {},
            );
          });
        }),
    );
    beginNext();
    return Promise.all(results);
  };
  const runs = batches.map(ofBatch);
  for (const lane of /** @type {LaneName[]} */ (Object.keys(lanes))) {
    const other = lanes[lane].oneMoreAfter;
    if (other === undefined) continue;
    Promise.all(runs.filter((_run, at) => batches[at]?.lane === other)).then(
      () => ended(lane),
      () => {},
    );
  }
  return (await Promise.all(runs)).flat();
}
