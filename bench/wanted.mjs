// What the figures should be, and whether they are. A benchmark on a busy machine says little, so
// a miss is told and fails nothing unless somebody asks for it (--strict).

/**
 * @typedef {object} Wanted
 * @property {string} what
 * @property {(results: any) => number | undefined} figure   undefined where it was not measured
 * @property {"at least" | "at most"} side
 * @property {number} limit
 * @property {string} unit
 *
 * @typedef {{what: string, wanted: string, seen: string, verdict: "met" | "missed" | "not measured"}} Verdict
 */

/** @type {Wanted[]} */
export const WANTED = [
  slowdown("extrospect bpf 99 Hz", 0.99),
  slowdown("extrospect bpf 997 Hz", 0.97),
  {
    what: "processor time per sample: perf record dwarf with perf script, over ours",
    figure: (results) => results.cost?.perf_over_helper_cpu_per_sample?.median,
    side: "at least",
    limit: 1,
    unit: "",
  },
  ...["25", "27", "29"].map((release) => ({
    what: `attaching to RabbitMQ on OTP ${release}`,
    figure: (/** @type {any} */ results) => results[`rabbitmq${release}`]?.attach_ms?.median,
    side: /** @type {const} */ ("at most"),
    limit: 300,
    unit: "ms",
  })),
  flame("first paint of our flame graph", "firstPaintMs", 400),
  flame("a frame of our flame graph while zooming, 95th percentile", "frameP95Ms", 16),
];

/** @param {string} profiler @param {number} limit @returns {Wanted} */
function slowdown(profiler, limit) {
  return {
    what: `work per processor second of a stock VM under ${profiler}, over without`,
    figure: (results) => results.slowdown?.[profiler]?.perCpuSecond?.median,
    side: "at least",
    limit,
    unit: "",
  };
}

/** @param {string} what @param {string} field @param {number} limit @returns {Wanted} */
function flame(what, field, limit) {
  return { what, figure: (results) => results.flameGraph?.find((/** @type {any} */ row) => row.name === "extrospect")?.[field], side: "at most", limit, unit: "ms" };
}

/**
 * @param {any} results
 * @param {Wanted[]} [wanted]
 * @returns {Verdict[]}
 */
export function verdicts(results, wanted = WANTED) {
  return wanted.map(({ what, figure, side, limit, unit }) => {
    const seen = figure(results);
    const measured = Number.isFinite(seen);
    const isMet = measured && (side === "at least" ? Number(seen) >= limit : Number(seen) <= limit);
    return {
      what,
      wanted: `${side} ${limit} ${unit}`.trim(),
      seen: measured ? `${Number(Number(seen).toPrecision(4))} ${unit}`.trim() : "",
      verdict: !measured ? "not measured" : isMet ? "met" : "missed",
    };
  });
}
