// Writes docs/measurements.md from the measured figures. Text only; nothing is measured here.
import { COMPARING_PROGRAMS } from "./comparing-report.mjs";
import { microsPerSample } from "./pairs.mjs";
import { table } from "./table.mjs";
import { verdicts } from "./wanted.mjs";

/** @typedef {import("./stats.mjs").Summary} Summary */

/** The figure that shows the largest part of a sample's cost. */
const OURS = "extrospect bpf 997 Hz";
/** An interrupt with hardly anything else. */
const FLOOR = "perf record, no stacks 997 Hz";

/**
 * @param {any} results   the output of bench/run.mjs with --json
 * @param {string} [before]   the page so far: its sections that were not measured stay
 * @param {Programs} [programs]
 * @returns {string} the page
 */
export function measurementsPage(results, before = "", programs = {}) {
  const { cpus, kernel, node, date, commit, quick, loadBefore } = results;
  const measured = [
    wantedSection(results, before),
    slowdownSection(results),
    partsSection(results),
    stopsSection(results),
    switchSection(results),
    costSection(results),
    attachSection(results),
    flameSection(results),
    modelSection(results),
    firstMinutesSection(results),
    insideSection(results),
  ].filter((section) => section !== "");
  const marked = measured.map((section) => withProgram(section, results.programs?.[titleOf(section)]));
  const head = `# Measurements

The cost of profiling, and the speed of the editor's views. Made by \`npm run bench -- --write\` on ${date}${commit === undefined ? "" : ` at ${commit}`}; do not edit.

Machine: ${cpus} CPUs, Linux ${kernel}, Node.js ${node}; load average before the run ${loadBefore}${quick ? "; a quick run with few rounds" : ""}. The machine is shared: trust ratios, not digits. [accuracy.md](accuracy.md) has the accuracy of the samples.`;
  return stated(head, withKept(marked, before), programs);
}

/** The page with new remarks on the programs of its sections; nothing is measured. @param {string} before @param {Programs} programs */
export function restatedPage(before, programs) {
  const [head = "", ...old] = sectionsOf(before);
  const sections = old.filter((each) => titleOf(each) !== WANTED_TITLE);
  return stated(head, [wantedSection({}, before), ...sections], programs);
}

/**
 * The program of each section as it is now, by title: a hash.
 * @typedef {Record<string, string>} Programs
 */

const PROGRAM = /\n\n<!-- program ([0-9a-f]+) -->$/;
const CHANGED = "Not measured again since its program changed.";
const MAY_HAVE_CHANGED = "It is not known whether its program has changed since it was measured.";
const OLDER =
  "Figures of sections that were not measured again since their program changed are those of the old program.";
const UNMEASURED = "Not measured yet:";

/** @param {string} section @param {string | undefined} program   that measured it; undefined where that is not known */
const withProgram = (section, program) =>
  program === undefined ? section : `${section.replace(PROGRAM, "")}\n\n<!-- program ${program} -->`;

/** What a section states of its program. @param {string} section @param {Programs} programs */
function programRemark(section, programs) {
  const now = programs[titleOf(section)];
  const then = PROGRAM.exec(section)?.[1];
  if (now === undefined || now === then) return undefined;
  return then === undefined ? MAY_HAVE_CHANGED : CHANGED;
}

/** @param {string} section @param {string | undefined} remark   below its title and its date */
function withRemark(section, remark) {
  const plain = [CHANGED, MAY_HAVE_CHANGED, OLDER].reduce((text, each) => text.replace(`\n\n${each}`, ""), section);
  if (remark === undefined) return plain;
  const above = /^## .*(?:\n\nMeasured on [^\n]*)?/.exec(plain)?.[0] ?? "";
  return `${above}\n\n${remark}${plain.slice(above.length)}`;
}

/** @param {string} head @param {string[]} sections @param {Programs} programs */
function stated(head, sections, programs) {
  const had = new Set(sections.map(titleOf));
  const missing = Object.keys(programs).filter((title) => !had.has(title));
  const remarks = sections.map((section) => programRemark(section, programs));
  const isOlder = remarks.some((remark) => remark !== undefined);
  const shown = sections.map((section, index) =>
    withRemark(section, titleOf(section) === WANTED_TITLE && isOlder ? OLDER : remarks[index]),
  );
  const [plain = ""] = head.split(`\n\n${UNMEASURED}`);
  const lacks = missing.length === 0 ? [] : [`${UNMEASURED} ${missing.join("; ")}.`];
  return `${[plain.trim(), ...lacks, ...shown].join("\n\n")}\n`;
}

/** @param {string} page */
const sectionsOf = (page) => page.split(/\n+(?=## )/).map((section) => section.trim());

/** @param {string[]} sections */
const inOrder = (sections) => sections.toSorted((a, b) => TITLES.indexOf(titleOf(a)) - TITLES.indexOf(titleOf(b)));

/** The page with one section that was measured by a program of its own, and has its date. @param {string} section @param {string} before @param {Programs} [programs] */
export function withSection(section, before, programs = {}) {
  const [head = "", ...old] = sectionsOf(before);
  const others = old.filter((each) => titleOf(each) !== titleOf(section));
  return stated(head, inOrder([...others, withProgram(section, programs[titleOf(section)])]), programs);
}

/** The sections of the page, in its order: those that were measured, and those of the page before that were not, with their date. @param {string[]} measured @param {string} before */
function withKept(measured, before) {
  const [head = "", ...old] = sectionsOf(before);
  const date = / on (\d{4}-\d{2}-\d{2}(?: at [0-9a-f]+\+?)?); do not edit/.exec(head)?.[1];
  const isMeasured = new Set(measured.map(titleOf));
  const kept = old
    .filter((section) => !isMeasured.has(titleOf(section)))
    .map((section) => (KEPT_SINCE.test(section) ? section : section.replace("\n\n", `\n\nMeasured on ${date}.\n\n`)));
  return inOrder([...measured, ...kept]);
}

const KEPT_SINCE = /\n\nMeasured on \d{4}-\d{2}-\d{2}(?: at [0-9a-f]+\+?)?\.\n\n/;
const WANTED_TITLE = "Wanted and seen";
const TITLES = [
  WANTED_TITLE,
  "Slowdown of the target",
  "Where the time of a sample goes",
  "How long a sample stops its thread",
  "Price of a switch",
  "Processor time of the profiler",
  "Attaching",
  "Flame graphs in headless Chromium",
  "The editor's model of a capture",
  "The first minutes of a new user",
  "Cost of a process table for the VM",
  ...Object.keys(COMPARING_PROGRAMS),
];

/** @param {string} section */
function titleOf(section) {
  return /^## (.*)$/m.exec(section)?.[1] ?? "";
}

/** A figure that was not measured stays as it was. @param {any} results @param {string} before */
function wantedSection(results, before) {
  const old = new Map(
    before
      .split("\n")
      .map((line) => line.split(" | "))
      .filter((cells) => cells.length === 4)
      .map(([what = "", , seen = "", verdict = ""]) => [
        what.replace("| ", ""),
        { seen, verdict: verdict.replace(/ \|$/, "") },
      ]),
  );
  const rows = verdicts(results).map(({ what, wanted, seen, verdict }) => {
    const shown = (verdict === "not measured" && old.get(what)) || { seen, verdict };
    return [what, wanted, shown.seen, shown.verdict];
  });
  return `## ${WANTED_TITLE}\n\n${table(["figure", "wanted", "seen", ""], rows)}`;
}

/** @param {any} results */
function slowdownSection({ slowdown }) {
  if (slowdown?.stock === undefined) return "";
  const rows = Object.entries({ ...slowdown.stock, ...slowdown.framePointers }).map(([name, paired]) => {
    const { perCpuSecond, perSecond } = /** @type {import("./pairs.mjs").Paired} */ (paired);
    return [name, ratioText(perCpuSecond), ratioText(perSecond), String(perCpuSecond.count)];
  });
  return `## Slowdown of the target

The ratio of work with a profiler to work without; 1 is no slowdown. One VM with one scheduler on a processor of its own works all the time and publishes its work with the processor time of that thread. Windows of 0.75 s with and without a profiler alternate in fours (off, on, on, off, or the other way round, as drawn), of one VM and one attached session. Each figure is the trimmed mean over the fours with its 95 % interval; fours are added until it is ± 0.3 %, or up to a limit. The first row is nothing compared with nothing by the same method. Work per processor second shows the effect on the target; work per second includes the time that the profiler takes from that processor. \`perf record fp\` needs a VM started with \`+JPperf true\`.

${table(["profiler", "work per processor second", "work per second", "fours"], rows)}`;
}

/** @param {any} results */
function partsSection({ slowdown }) {
  const whole = microsPerSample(slowdown?.stock?.[OURS]);
  if (whole === undefined) return "";
  const { parts } = slowdown;
  const floor = microsPerSample(slowdown.stock[FLOOR]);
  const between = (/** @type {{us: number, halfWidth: number} | undefined} */ each) =>
    each === undefined ? "not measured" : `${each.us.toFixed(1)} ± ${each.halfWidth.toFixed(1)}`;
  const known = (/** @type {number | null | undefined} */ us) => us?.toFixed(1) ?? "not known";
  const program = parts?.program;
  const rest = typeof program === "number" ? whole.us - program : undefined;
  const rows = [
    ["the thread that is sampled: all of it", between(whole)],
    ["– the program in the kernel, with its copy of the stack", known(parts?.program)],
    ["– the rest: interrupt, event, and what the caches have lost", known(rest)],
    ["for comparison: an interrupt without a stack (`perf record`)", between(floor)],
    ["the helper: emptying the rings", known(parts?.reading)],
    ["the helper: naming frames and writing the capture", known(parts?.resolving)],
    ["the helper: following the VM's code", known(parts?.watching)],
    ["the helper: other threads that sample", known(parts?.other)],
    ["the helper: conversation with the editor", known(parts?.serving)],
  ];
  return `## Where the time of a sample goes

Of ${OURS}, microseconds per sample. The time of the thread is the slowdown above, divided by the samples. The kernel counts the time of its program (\`kernel.bpf_stats_enabled\`, in a recording of its own); it cannot be divided further. The times of the helper are those of its threads, and are spent on any processor.

${table(["part", "us per sample"], rows)}${largestText({ ...parts, rest })}`;
}

/** @type {Record<string, string>} */
const PARTS = {
  program: "the program in the kernel",
  rest: "the interrupt and what follows from it",
  reading: "emptying the rings",
  resolving: "naming frames and writing the capture",
  watching: "following the VM's code",
  other: "other threads that sample",
  serving: "the conversation with the editor",
};

/** The largest of the parts, where all are known. @param {Record<string, number | null | undefined>} parts */
function largestText(parts) {
  const all = Object.entries(PARTS).map(([part, name]) => ({ name, us: parts[part] ?? NaN }));
  if (all.some(({ us }) => Number.isNaN(us))) return "";
  const [largest] = all.toSorted((a, b) => b.us - a.us);
  return `\n\nThe largest part is ${largest?.name}.`;
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
function switchSection({ switches }) {
  if (switches === undefined) return "";
  const rows = Object.entries(switches).map(([name, each]) => [name, plain(/** @type {Summary} */ (each), 1)]);
  return `## Price of a switch

One thread of a VM waits in a NIF some thousand times a second, another one works on the same processor. The figure is the work that the processor loses while blocked time is recorded or counters are read, divided by the waits: microseconds for both switches of a wait, out and in. The first row is nothing by the same method. Of the profiler, only threads that it binds to that processor run there, and are in the figure.

${table(["", "us for each wait (quartiles)"], rows)}`;
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

/** @param {{firstMinutes?: import("./first-minutes.mjs").FirstMinutes[]}} results */
function firstMinutesSection({ firstMinutes }) {
  if (firstMinutes === undefined) return "";
  const rows = firstMinutes.map(({ project, actions, seconds }) => [
    project,
    actions === undefined ? "not measured" : String(actions),
    String(seconds),
  ]);
  return `## The first minutes of a new user

From an open window to the cursor on the hottest line of own code, by a script: the command *Start Capture…*, the VM, the first link of the summary. The pictures that the script takes on the way are part of the time.

${table(["project", "actions", "seconds"], rows)}`;
}

/** @param {Summary} of @param {number} digits */
function plain({ median, q1, q3, n }, digits) {
  return n === 0 ? "not measured" : `${median.toFixed(digits)} (${q1.toFixed(digits)} to ${q3.toFixed(digits)})`;
}

/** @param {import("./pairs.mjs").PairedRatio} paired */
function ratioText({ ratio, halfWidth }) {
  return `${ratio.toFixed(4)} ± ${halfWidth.toFixed(4)}`;
}
