// Writes docs/measurements.md from the measured figures. Text only; nothing is measured here.
import { verdicts } from "./wanted.mjs";

/** @typedef {import("./stats.mjs").Summary} Summary */

/**
 * @param {any} results   the output of bench/run.mjs with --json
 * @returns {string} the page
 */
export function measurementsPage(results) {
  const { cpus, kernel, node, date, quick, loadBefore } = results;
  const sections = [
    wantedSection(results),
    slowdownSection(results),
    stopsSection(results),
    costSection(results),
    attachSection(results),
    flameSection(results),
    modelSection(results),
    insideSection(results),
  ];
  return `# Measurements

The cost of profiling, and the speed of the editor's views. Made by \`npm run bench -- --write\` on ${date}; do not edit.

Machine: ${cpus} CPUs, Linux ${kernel}, Node.js ${node}; load average before the run ${loadBefore}${quick ? "; a quick run with few rounds" : ""}. The machine is shared: trust ratios, not digits. [accuracy.md](accuracy.md) has the accuracy of the samples.

${sections.filter((section) => section !== "").join("\n\n")}
`;
}

/** @param {any} results */
function wantedSection(results) {
  const rows = verdicts(results).map(({ what, wanted, seen, verdict }) => [what, wanted, seen, verdict]);
  return `## Wanted and seen\n\n${table(["figure", "wanted", "seen", ""], rows)}`;
}

/** @param {any} results */
function slowdownSection({ slowdown, slowdownFramePointers, rounds }) {
  if (slowdown === undefined) return "";
  const rows = Object.entries({ ...slowdown, ...slowdownFramePointers }).map(([name, { perSecond, perCpuSecond }]) => [
    name,
    withInterval(perCpuSecond),
    withInterval(perSecond),
  ]);
  return `## Slowdown of the target

The ratio of work with a profiler to work without; 1 is no slowdown. Median of ${rounds} pairs of windows of one running VM that keeps both CPUs busy, and the 95 % interval of their mean. Work per processor second shows the effect on the target; work per second includes the profiler's own share of the CPUs. \`perf record fp\` needs a VM started with \`+JPperf true\`.

${table(["profiler", "work per processor second", "work per second"], rows)}`;
}

/** @param {any} results */
function stopsSection({ stops }) {
  if (stops === undefined) return "";
  const rows = Object.entries(stops).map(([name, each]) => [
    name,
    plain(each, 1),
    `${(each.median * 0.0997).toFixed(2)} %`,
    `${(each.median * 0.0099).toFixed(2)} %`,
  ]);
  return `## How long a sample stops its thread

A NIF reads the processor's clock continuously and lists each gap. The figure is the time that sampling adds to the gaps, divided by the samples. The first row is an interrupt that copies almost nothing, the minimum for any profiler that samples by a timer on this machine. The last columns are the share of one busy scheduler.

${table(["profiler", "us per sample", "at 997 Hz", "at 99 Hz"], rows)}`;
}

/** @param {any} results */
function costSection({ cost }) {
  if (cost === undefined) return "";
  const rows = Object.entries(cost).map(([name, each]) => [
    name.replaceAll("_", " "),
    plain(/** @type {Summary} */ (each), 2),
  ]);
  return `## Processor time of the profiler\n\nFor the whole run at 997 Hz, from the first sample to named stacks. \`perf\` copies stacks and includes \`perf script\`.\n\n${table(["", "median (quartiles)"], rows)}`;
}

/** @param {any} results */
function attachSection(results) {
  const rows = Object.entries(results)
    .filter(([name]) => name.startsWith("rabbitmq"))
    .map(([name, { attach_ms: ms, cpu_ms: cpuMs, ps_cpu_ms: psMs, bare_cpu_ms: bareMs, bare_ps_cpu_ms: barePsMs }]) => [
      `OTP ${name.slice("rabbitmq".length)}`,
      ...[ms, cpuMs, psMs, bareMs, barePsMs].map((/** @type {Summary | undefined} */ each) =>
        each === undefined ? "" : plain(each, 0),
      ),
    ]);
  return rows.length === 0
    ? ""
    : `## Attaching\n\nTo RabbitMQ under load, and to an idle VM. Processor time of \`extrospect heap PID '<0.0.0>'\`, which attaches and reads the small heap of \`init\`, and of \`extrospect ps\`, which also lists the processes.\n\n${table(["", "RabbitMQ, ms", "processor time, ms", "with \`ps\`, ms", "bare VM, processor time, ms", "with \`ps\`, ms"], rows)}`;
}

/** @param {any} results */
function flameSection({ flameGraph }) {
  if (flameGraph === undefined) return "";
  const ms = (/** @type {number | null} */ value) => (value === null || Number.isNaN(value) ? "" : value.toFixed(1));
  const rows = flameGraph.map((/** @type {any} */ row) => [
    row.name,
    String(row.frames),
    ms(row.firstPaintMs),
    ms(row.frameMs),
    ms(row.frameP95Ms),
    row.note,
  ]);
  return `## Flame graphs in headless Chromium\n\n${table(["", "frames", "first paint, ms", "a frame while zooming, ms", "95th percentile, ms", ""], rows)}`;
}

/** @param {any} results */
function insideSection({ inside }) {
  if (inside === undefined) return "";
  const parts = inside.map((/** @type {import("./inside.mjs").InsideCost} */ { processes, targetMs }) => {
    const rows = Object.entries(targetMs).map(([name, each]) => [name, plain(each, 2)]);
    return `${processes.toLocaleString("en")} processes:\n\n${table(["a table of processes each second", "ms (quartiles)"], rows)}`;
  });
  return `## Cost of a process table for the VM\n\nProcessor time of a VM at rest for one process table per second: read by Extrospect from outside, and by tools that run in the VM. The first row is the VM without any tool.\n\n${parts.join("\n\n")}`;
}

/** @param {any} results */
function modelSection({ captureModel }) {
  if (captureModel === undefined) return "";
  const parts = Object.entries(captureModel).map(([title, times]) => {
    const rows = Object.entries(times).map(([name, each]) => [name, plain(each, 1)]);
    return `${title}:\n\n${table(["", "median (quartiles)"], rows)}`;
  });
  return `## The editor's model of a capture\n\n${parts.join("\n\n")}`;
}

/** @param {Summary} of @param {number} digits */
function plain({ median, q1, q3, n }, digits) {
  return n === 0 ? "not measured" : `${median.toFixed(digits)} (${q1.toFixed(digits)} to ${q3.toFixed(digits)})`;
}

/** @param {Summary} of */
function withInterval({ median, mean, halfWidth }) {
  return `${median.toFixed(3)}; mean ${mean.toFixed(3)} ± ${Number.isFinite(halfWidth) ? halfWidth.toFixed(3) : "unknown"}`;
}

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
