// The order in which tests run: one queue of files, the longest first, as many at a time as the processors bear.

/**
 * @typedef {object} Weight
 * @property {number} cpu          processors that it keeps busy, on average
 * @property {number} seconds      how long it takes
 * @property {string[]} exclusive  its exclusive resources: of two that name the same, one waits
 */

/**
 * The capacity of the processors.
 * @typedef {object} Capacity
 * @property {number} cpu                sum of `cpu` that runs at a time
 * @property {number} [files]            that run at a time when there are idle processors
 * @property {() => number} [idle]       processors that had nothing to do of late; where it is known, files that fit in there begin beyond `cpu`
 * @property {(file: object) => void} [began]
 */

const secondsNow = () => performance.now() / 1000;

/** Files that wait for something leave processors idle for some time: how often the queue looks. */
const LOOK_MS = 1_000;

/**
 * Which waiting file begins now: the longest that shares nothing exclusive with those that run. Where the processors do not bear it, the longest
 * that they bear and that will have ended by the time at which they do, so that a heavy file is not passed over until the end. A file begins in
 * any case when nothing runs.
 * @template {{weight: Weight}} File
 * @param {File[]} waiting
 * @param {{weight: Weight, begunS?: number}[]} running
 * @param {Capacity} capacity
 * @param {number} [nowS]
 * @returns {File | undefined}
 */
export function nextFile(waiting, running, { cpu, files = Infinity, idle }, nowS = 0) {
  const held = new Set(running.flatMap(({ weight }) => weight.exclusive));
  const free = waiting.filter(({ weight }) => !weight.exclusive.some((name) => held.has(name)));
  const next = longest(free);
  if (next === undefined || running.length === 0) return next;
  const busy = running.reduce((sum, { weight }) => sum + weight.cpu, 0);
  const seenIdle = idle === undefined || running.length >= files ? 0 : idle();
  const isBorne = (/** @type {File} */ { weight }) => busy + weight.cpu <= cpu + 1e-9 || weight.cpu <= seenIdle;
  if (isBorne(next)) return next;
  const waits = secondsUntilFree(running, busy + next.weight.cpu - cpu, nowS);
  return longest(free.filter((file) => file.weight.seconds <= waits && isBorne(file)));
}

/** @template {{weight: Weight}} File @param {File[]} files @returns {File | undefined} */
function longest(files) {
  const [first, ...others] = files;
  return first && others.reduce((best, one) => (one.weight.seconds > best.weight.seconds ? one : best), first);
}

/** How long it takes until files that keep so many processors busy have ended, as far as is known. @param {{weight: Weight, begunS?: number}[]} running @param {number} processors @param {number} nowS */
function secondsUntilFree(running, processors, nowS) {
  const left = running.map(({ weight, begunS = nowS }) => ({
    cpu: weight.cpu,
    seconds: Math.max(0, weight.seconds - (nowS - begunS)),
  }));
  let freed = 0;
  for (const { cpu, seconds } of left.toSorted((one, other) => one.seconds - other.seconds)) {
    freed += cpu;
    if (freed >= processors - 1e-9) return seconds;
  }
  return 0;
}

/**
 * Runs all files, each once it is ready.
 * @template {{weight: Weight, ready: Promise<unknown>}} File
 * @template Result
 * @param {File[]} files
 * @param {Capacity} capacity
 * @param {(file: File) => Promise<Result>} run
 * @returns {Promise<Result[]>} in the order of the files; the first error of a run, or of the preparation of a file,
 *   ends the queue
 */
export async function runQueue(files, capacity, run) {
  /** @type {Map<File, Result>} */
  const results = new Map();
  /** @type {Set<File>} */
  const waiting = new Set();
  /** @type {Map<File, {weight: Weight, begunS: number}>} */
  const running = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  let looking;
  const all = new Promise((resolve, reject) => {
    let hasFailed = false;
    const fail = (/** @type {unknown} */ error) => {
      hasFailed = true;
      reject(error);
    };
    const begin = () => {
      if (results.size === files.length) resolve(undefined);
      for (;;) {
        const next = hasFailed ? undefined : nextFile([...waiting], [...running.values()], capacity, secondsNow());
        if (next === undefined) return;
        waiting.delete(next);
        running.set(next, { weight: next.weight, begunS: secondsNow() });
        capacity.began?.(next);
        run(next).then((result) => {
          results.set(next, result);
          running.delete(next);
          begin();
        }, fail);
      }
    };
    for (const [first, group] of byReadiness(files)) {
      first.then(() => {
        for (const file of group) waiting.add(file);
        begin();
      }, fail);
    }
    if (capacity.idle !== undefined) looking = setInterval(begin, LOOK_MS);
    begin();
  });
  await all.finally(() => clearInterval(looking));
  return files.map((file) => /** @type {Result} */ (results.get(file)));
}

/**
 * Files that become ready at once are weighed against each other.
 * @template {{ready: Promise<unknown>}} File
 * @param {File[]} files
 * @returns {Map<Promise<unknown>, File[]>}
 */
function byReadiness(files) {
  /** @type {Map<Promise<unknown>, File[]>} */
  const groups = new Map();
  for (const file of files) groups.set(file.ready, [...(groups.get(file.ready) ?? []), file]);
  return groups;
}
