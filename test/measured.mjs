// Times and rates that tests come by and that depend on the machine. No test fails for one: it says it,
// and `npm run bench -- --only tests` runs those tests, collects what they say and judges it. The wanted figures are here.

/**
 * @typedef {object} Wanted
 * @property {number} [least]
 * @property {number} [most]
 * @property {string} unit
 */

/** @satisfies {Record<string, Wanted>} */
export const WANTED = {
  "flame graph of 500,000 frames, first paint": { most: 400, unit: "ms" },
  "flame graph of 500,000 frames, median frame": { most: 16, unit: "ms" },
  "flame graph, live refresh": { most: 20, unit: "ms" },
  "table of 100,000 functions, median scroll frame": { most: 16, unit: "ms" },
  "table of 100,000 functions, sorting": { most: 1000, unit: "ms" },
  "line map of 20,000 lines": { most: 200, unit: "ms" },
  "editor, from opening a capture to its heat": { most: 1500, unit: "ms" },
  "editor, from choosing a VM to the first lens": { most: 3000, unit: "ms" },
  "editor, refresh of a live capture": { most: 20, unit: "ms" },
  "editor, refresh of a live capture and what follows it": { most: 100, unit: "ms" },
  "editor, opening a capture of another tool": { most: 30_000, unit: "ms" },
  "npm start again, to the capture": { most: 15_000, unit: "ms" },
  list: { most: 1000, unit: "ms" },
  pstack: { most: 3000, unit: "ms" },
  "refusing an old process that is no VM": { most: 900, unit: "ms" },
  "reading the emulator's object": { most: 1000, unit: "ms" },
  "unwinding one C frame, optimised test build": { most: 1000, unit: "ns" },
  "bpf, Erlang complete": { least: 99.5, unit: "%" },
  "bpf, C code complete": { least: 98, unit: "%" },
  "readv, Erlang complete": { least: 98, unit: "%" },
  "readv, C code proven": { least: 90, unit: "%" },
  "readv, C code of short and suspended lives complete": { least: 70, unit: "%" },
  "frames without a name": { most: 0.5, unit: "%" },
  "samples lost": { most: 0, unit: "samples" },
  "samples without their capture": { most: 0.5, unit: "%" },
  "samples beside the processor time used": { least: 90, most: 110, unit: "%" },
  "capture file": { most: 40, unit: "bytes a sample" },
  "memory of the helper": { most: 48, unit: "MiB" },
  "processor time of the helper while it serves": { most: 50, unit: "%" },
  "two captures of one load, largest difference of a share": { most: 100, unit: "% of what chance and drift allow" },
  "shares beside the VM's own clock, largest error": { most: 100, unit: "% of what is allowed" },
  "blame of copying beside the VM's own clock, error": { most: 10, unit: "points" },
};

/** How a line begins; what follows is `NAME: VALUE UNIT`. */
export const MEASURED = "measured: ";

/**
 * The line that says a measurement.
 * @param {keyof typeof WANTED} name
 * @param {number} value
 * @param {string} [where]   release, program: what the figure is of
 */
export function measuredLine(name, value, where = "") {
  const { unit } = WANTED[name];
  return `${MEASURED}${name}: ${Number(value.toPrecision(4))} ${unit}${where ? ` (${where})` : ""}`;
}

/**
 * @param {{diagnostic: (message: string) => void}} t   the test
 * @param {keyof typeof WANTED} name
 * @param {number} value
 * @param {string} [where]
 */
export function measured(t, name, value, where) {
  t.diagnostic(measuredLine(name, value, where));
}

/**
 * The measurements in what a test runner printed.
 * @param {string} output
 * @returns {{name: string, value: number, where: string}[]}
 */
export function measurementsIn(output) {
  const names = Object.keys(WANTED);
  return [...output.matchAll(/measured: (.+?): (-?[\d.e+-]+|NaN|Infinity) .*?(?:\(([^()]*)\))?$/gm)]
    .map(([, name = "", value, where = ""]) => ({ name, value: Number(value), where }))
    .filter(({ name }) => names.includes(name));
}

/**
 * @param {string} name
 * @param {number} value
 * @returns {boolean} whether it is what is wanted
 */
export function isWanted(name, value) {
  /** @type {Wanted | undefined} */
  const wanted = /** @type {Record<string, Wanted>} */ (WANTED)[name];
  if (wanted === undefined || Number.isNaN(value)) return false;
  return value >= (wanted.least ?? -Infinity) && value <= (wanted.most ?? Infinity);
}
