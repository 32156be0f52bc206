// The limits of the figures that the bench measures and that tests produce, in one table. A figure outside its limits
// is reported and fails nothing without --strict: a figure of a busy machine is not reliable.
import { NOTHING, WANTED_HALF_WIDTH } from "./pairs.mjs";

/**
 * @typedef {object} Wanted
 * @property {number} [least]
 * @property {number} [most]
 * @property {string} unit
 * @property {(results: any) => number | undefined} [measured]
 *   from the results of bench/run.mjs; undefined where they lack it. Without it, tests print the figure
 *   (test/measured.mjs).
 * @property {string} [by]   the command whose tests print the figure and judge it themselves, since they take hours
 *
 * @typedef {{what: string, wanted: string, seen: string, verdict: "met" | "missed" | "not measured"}} Verdict
 */

/** @satisfies {Record<string, Wanted>} */
export const WANTED = {
  "work per processor second, nothing over nothing": {
    least: 0.997,
    most: 1.003,
    unit: "",
    measured: pairedUnder(NOTHING, ({ ratio }) => ratio),
  },
  "work per processor second of a stock VM under extrospect bpf 99 Hz, over without": {
    least: 0.99,
    unit: "",
    measured: pairedUnder("extrospect bpf 99 Hz", ({ ratio }) => ratio),
  },
  "work per processor second of a stock VM under extrospect bpf 997 Hz, over without": {
    least: 0.99,
    unit: "",
    measured: pairedUnder("extrospect bpf 997 Hz", ({ ratio }) => ratio),
  },
  "95 % interval of the work per processor second, nothing over nothing, to each side": {
    most: 100 * WANTED_HALF_WIDTH,
    unit: "%",
    measured: pairedUnder(NOTHING, ({ halfWidth }) => 100 * halfWidth),
  },
  "95 % interval of the work per processor second under extrospect bpf 99 Hz, to each side": {
    most: 100 * WANTED_HALF_WIDTH,
    unit: "%",
    measured: pairedUnder("extrospect bpf 99 Hz", ({ halfWidth }) => 100 * halfWidth),
  },
  "95 % interval of the work per processor second under extrospect bpf 997 Hz, to each side": {
    most: 100 * WANTED_HALF_WIDTH,
    unit: "%",
    measured: pairedUnder("extrospect bpf 997 Hz", ({ halfWidth }) => 100 * halfWidth),
  },
  "how long a sample of extrospect bpf 997 Hz stops its thread, over an interrupt without a stack": {
    most: 1.2,
    unit: "",
    measured: ({ stops }) =>
      stops && stops["extrospect bpf 997 Hz"]?.median / stops["perf record, no stacks 997 Hz"]?.median,
  },
  "processor time per sample: perf record dwarf with perf script, over ours": {
    least: 1,
    unit: "",
    measured: ({ cost }) => cost?.perf_over_helper_cpu_per_sample?.median,
  },
  "attaching to RabbitMQ on OTP 25": {
    most: 300,
    unit: "ms",
    measured: ({ rabbitmq25 }) => rabbitmq25?.attach_ms?.median,
  },
  "attaching to RabbitMQ on OTP 27": {
    most: 300,
    unit: "ms",
    measured: ({ rabbitmq27 }) => rabbitmq27?.attach_ms?.median,
  },
  "attaching to RabbitMQ on OTP 29": {
    most: 300,
    unit: "ms",
    measured: ({ rabbitmq29 }) => rabbitmq29?.attach_ms?.median,
  },
  "attaching to a bare VM of OTP 25, processor time": {
    most: 40,
    unit: "ms",
    measured: ({ rabbitmq25 }) => rabbitmq25?.bare_cpu_ms?.median,
  },
  "attaching to RabbitMQ on OTP 25, processor time": {
    most: 60,
    unit: "ms",
    measured: ({ rabbitmq25 }) => rabbitmq25?.cpu_ms?.median,
  },
  "attaching to a bare VM of OTP 27, processor time": {
    most: 40,
    unit: "ms",
    measured: ({ rabbitmq27 }) => rabbitmq27?.bare_cpu_ms?.median,
  },
  "attaching to RabbitMQ on OTP 27, processor time": {
    most: 60,
    unit: "ms",
    measured: ({ rabbitmq27 }) => rabbitmq27?.cpu_ms?.median,
  },
  "attaching to a bare VM of OTP 29, processor time": {
    most: 40,
    unit: "ms",
    measured: ({ rabbitmq29 }) => rabbitmq29?.bare_cpu_ms?.median,
  },
  "attaching to RabbitMQ on OTP 29, processor time": {
    most: 60,
    unit: "ms",
    measured: ({ rabbitmq29 }) => rabbitmq29?.cpu_ms?.median,
  },
  "flame graph of 500,000 frames, first paint": { most: 400, unit: "ms", measured: ourFlameGraph("firstPaintMs") },
  "flame graph of 500,000 frames, 95th percentile of frames while zooming": {
    most: 16,
    unit: "ms",
    measured: ourFlameGraph("frameP95Ms"),
  },
  "flame graph of 500,000 frames, median frame": { most: 16, unit: "ms", measured: ourFlameGraph("frameMs") },
  "flame graph, live refresh": { most: 20, unit: "ms" },
  "table of 100,000 functions, median scroll frame": { most: 16, unit: "ms" },
  "comparison of 100,000 functions, median scroll frame": { most: 16, unit: "ms" },
  "two captures of 1,000,000 samples compared, command line": {
    most: 1000,
    unit: "ms",
    measured: ({ comparing }) => comparing?.command_line_ms?.median,
  },
  "two captures of 1,000,000 samples compared, editor": {
    most: 1000,
    unit: "ms",
    measured: ({ comparing }) => comparing?.editor_ms?.median,
  },
  "two captures of 1,000,000 samples compared, editor without a helper": {
    most: 1000,
    unit: "ms",
    measured: ({ comparing }) => comparing?.editor_without_helper_ms?.median,
  },
  "a history of 1,000 captures of 10 s at 997 Hz, command line": {
    most: 5000,
    unit: "ms",
    measured: ({ history }) => history?.history_ms?.median,
  },
  "editor, 32 nodes at 99 Hz with graph and table in sight": {
    most: 10,
    unit: "% of a core",
    measured: ({ nodes }) => nodes?.all,
  },
  "a table of 10,000 processes each second, processor time of the VM: the cheapest tool in it, over ours": {
    least: 20,
    unit: "",
    measured: toolsOverOurs(10_000),
  },
  "a table of 100,000 processes each second, processor time of the VM: the cheapest tool in it, over ours": {
    least: 20,
    unit: "",
    measured: toolsOverOurs(100_000),
  },
  "table of 100,000 functions, sorting": { most: 1000, unit: "ms" },
  "line map of 20,000 lines": { most: 200, unit: "ms" },
  "10,000 captures that the index knows, listed": { most: 1000, unit: "ms" },
  "10,000 captures, filtered and grouped by commit": { most: 100, unit: "ms" },
  "reading what one capture says of itself": { most: 50, unit: "ms" },
  "from an open window to the hottest line": {
    most: 15,
    unit: "s",
    measured: worstOfProjects(({ seconds }) => seconds),
  },
  "actions from an open window to the hottest line": {
    most: 4,
    unit: "actions",
    measured: worstOfProjects(({ actions }) => actions),
  },
  "editor, from opening a capture to its heat": { most: 1500, unit: "ms" },
  "editor, from a host to its first samples": { most: 5000, unit: "ms" },
  "editor, from choosing a host to the first lens, helper sent": { most: 15000, unit: "ms" },
  "editor, from choosing a host to the first lens, helper there": { most: 5000, unit: "ms" },
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
  "processor time of a short command in its samples and before them, percent": { least: 95, unit: "%" },
  "gate beside a disturbance, longest run": { most: 30, unit: "min", by: "npm run nightly -- --only chaos" },
  "samples lost": { most: 0, unit: "samples" },
  "samples without their capture": { most: 0.5, unit: "%" },
  "samples beside the processor time used": { least: 90, most: 110, unit: "%" },
  "capture file": { most: 40, unit: "bytes a sample" },
  "memory of the helper": { most: 48, unit: "MiB" },
  "processor time of the helper while it serves": { most: 50, unit: "%" },
  "two captures of one load, largest difference of a share": { most: 100, unit: "% of what chance and drift allow" },
  "a function slower by a tenth, found": { least: 1, unit: "" },
  "a NIF slower by a third, found": { least: 1, unit: "" },
  "functions called changed that are not": { most: 0, unit: "" },
  "shares beside the VM's own clock, largest error": { most: 100, unit: "% of what is allowed" },
  "blame of copying beside the VM's own clock, error": { most: 10, unit: "points" },
};

/** @typedef {keyof typeof WANTED} Figure */

/**
 * @param {string} profiler @param {(paired: import("./pairs.mjs").PairedRatio) => number} figure
 * @returns {(results: any) => number | undefined}
 */
function pairedUnder(profiler, figure) {
  return ({ slowdown }) => {
    const paired = slowdown?.stock?.[profiler]?.perCpuSecond;
    return paired && figure(paired);
  };
}

/**
 * @param {(one: import("./first-minutes.mjs").FirstMinutes) => number | undefined} figure
 * @returns {(results: any) => number | undefined}
 */
function worstOfProjects(figure) {
  return ({ firstMinutes }) => firstMinutes && Math.max(...firstMinutes.map(figure));
}

/** Frames of the graph that limits are for; a quick run measures a smaller one, which is another figure. */
const WANTED_FRAMES = 500_000;

/** @param {string} field @returns {(results: any) => number | undefined} */
function ourFlameGraph(field) {
  return ({ flameGraph }) =>
    flameGraph?.find((/** @type {any} */ row) => row.name === "extrospect" && row.frames === WANTED_FRAMES)?.[field];
}

/**
 * The limits of a figure; undefined for a figure that is not in the table.
 * @param {string} figure @returns {Wanted | undefined}
 */
export function wantedOf(figure) {
  return Object.hasOwn(WANTED, figure) ? /** @type {Record<string, Wanted>} */ (WANTED)[figure] : undefined;
}

/**
 * The cost of the cheapest other tool for the VM, as a multiple of the cost of Extrospect. The latter cannot be told
 * apart from the variation of the VM at rest, so at least that variation is counted for it.
 * @param {number} processes
 */
function toolsOverOurs(processes) {
  return (/** @type {any} */ { inside }) => {
    const costs = inside?.find((/** @type {any} */ one) => one.processes === processes)?.targetMs;
    if (costs === undefined) return undefined;
    const rest = costs["nothing"];
    const above = (/** @type {string} */ name) => costs[name].median - rest.median;
    const ours = Math.max(above("extrospect, panel"), rest.q3 - rest.q1, 0.01);
    const tools = Object.keys(costs).filter((name) => name !== "nothing" && !name.startsWith("extrospect"));
    return Math.min(...tools.map(above)) / ours;
  };
}

/**
 * How far a value is outside its limits; 0 at a limit, negative inside, and infinite for no number.
 * @param {Wanted} wanted @param {number} value
 */
export function distance({ least = -Infinity, most = Infinity }, value) {
  return Number.isNaN(value) ? Infinity : Math.max(value - most, least - value);
}

/** `at least 90, at most 110 %`. @param {Wanted} wanted */
export function limitsText({ least, most, unit }) {
  const limits = [least === undefined ? "" : `at least ${least}`, most === undefined ? "" : `at most ${most}`];
  return `${limits.filter(Boolean).join(", ")} ${unit}`.trim();
}

/**
 * The figures that the bench measures itself, with their limits.
 * @param {any} results
 * @param {Record<string, Wanted>} [table]
 * @returns {Verdict[]}
 */
export function verdicts(results, table = WANTED) {
  return Object.entries(table).flatMap(([what, wanted]) => {
    if (wanted.measured === undefined) return [];
    const value = wanted.measured(results) ?? NaN;
    const isMeasured = Number.isFinite(value);
    const seen = isMeasured ? `${Number(value.toPrecision(4))} ${wanted.unit}`.trim() : "";
    return [
      {
        what,
        wanted: limitsText(wanted),
        seen,
        verdict: !isMeasured ? "not measured" : distance(wanted, value) <= 0 ? "met" : "missed",
      },
    ];
  });
}
