import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  bisectionsSection,
  powerSection,
  realGateSection,
  RECIPE_ANSWERS,
  RECIPE_JOB,
  recipeGatesSection,
  releasesSection,
  sameProgramSection,
} from "../../bench/comparing-report.mjs";
import { firstMinutesIn } from "../../bench/first-minutes.mjs";
import { PROJECTS } from "../../bench/projects/releases.mjs";
import { hashOf, programs, programsOf } from "../../bench/measured-by.mjs";
import { measurementsPage, restatedPage, withSection } from "../../bench/report.mjs";
import { summary } from "../../bench/stats.mjs";
import { stopsIn } from "../../bench/stops.mjs";
import { priceOf } from "../../bench/switches.mjs";
import { ratesOf } from "../../bench/throughput.mjs";
import { verdicts } from "../../bench/wanted.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { measuredLine } from "../measured.mjs";

test("work rates are those between the first and the last line", () => {
  const progress = [
    { units: 100, ms: 1000, cpu_ms: 400 },
    { units: 150, ms: 1500, cpu_ms: 1200 },
    { units: 300, ms: 2000, cpu_ms: 2000 },
  ];
  assert.deepEqual(ratesOf(progress), { perSecond: 200, perCpuSecond: 125 });
  assert.throws(() => ratesOf(progress.slice(0, 1)), /too short/);
});

test("another program's turn on the CPU is no stop, and its time is not the thread's", () => {
  const { perSecond, stoppedShare, medianUs } = stopsIn(1_000_000_000, [10_000, 20_000, 30_000, 500_000_000]);
  assert.equal(perSecond, 6);
  assert.equal(stoppedShare, 60_000 / 500_000_000);
  assert.equal(medianUs, 20);
});

test("a switch costs the work that is lacking, divided by the waits, and has a section once it was measured", () => {
  const rates = (/** @type {number} */ units) => ({ units, naps: 0.005 });
  assert.ok(Math.abs(priceOf(rates(11), rates(9), rates(9)) - 20) < 1e-9);
  assert.equal(priceOf(rates(10), rates(10), rates(10)), 0);
  const switches = { "extrospect stat": summary([1, 2, 3]), "waits a second": summary([5000, 5000, 5000]) };
  const page = measurementsPage({ ...MACHINE, switches }, "", programs());
  assert.match(page, /^## Price of a switch$/m);
  assert.match(page, /^\| extrospect stat \| 2\.0 \(1\.5 to 2\.5\) \|$/m);
  assert.match(measurementsPage(MACHINE, "", programs()), /^Not measured yet: .*Price of a switch/m);
});

test("a figure beyond its limit is missed, and an absent one not measured", () => {
  /** @type {Record<string, import("../../bench/wanted.mjs").Wanted>} */
  const table = {
    a: { least: 0.97, unit: "", measured: (results) => results.a },
    b: { most: 300, unit: "ms", measured: (results) => results.b },
    c: { least: 90, most: 110, unit: "%", measured: (results) => results.c },
    d: { most: 16, unit: "ms", measured: (results) => results.d },
    "said by tests": { most: 1, unit: "ms" },
  };
  assert.deepEqual(verdicts({ a: 0.96, b: 300, c: 111, d: NaN }, table), [
    { what: "a", wanted: "at least 0.97", seen: "0.96", verdict: "missed" },
    { what: "b", wanted: "at most 300 ms", seen: "300 ms", verdict: "met" },
    { what: "c", wanted: "at least 90, at most 110 %", seen: "111 %", verdict: "missed" },
    { what: "d", wanted: "at most 16 ms", seen: "", verdict: "not measured" },
  ]);
});

const MACHINE = { cpus: 2, kernel: "6.1", node: "v20", date: "2026-01-02", loadBefore: "0.1", rounds: 3 };

/** @param {number} ratio @param {number} halfWidth */
const paired = (ratio, halfWidth, hz = 997) => {
  const each = { ratio, halfWidth, count: 40 };
  return { hz, perCpuSecond: each, perSecond: { ...each, ratio: ratio - 0.01 } };
};
const SLOWDOWN = {
  stock: {
    "nothing (control)": paired(1.0004, 0.002, 0),
    "extrospect bpf 997 Hz": paired(0.97, 0.004),
    "perf record, no stacks 997 Hz": paired(0.976, 0.002),
  },
  framePointers: {},
  parts: { program: 4, reading: 2, resolving: 9, watching: 1, other: 0.5, serving: 0.2 },
};

test("the page has a row for each profiler with its interval, and an interval that is too wide is missed", () => {
  const page = measurementsPage({ ...MACHINE, slowdown: SLOWDOWN });
  assert.match(page, /\| nothing \(control\) \| 1\.0004 ± 0\.0020 \| 0\.9904 ± 0\.0020 \| 40 \|/);
  assert.match(page, /\| extrospect bpf 997 Hz \| 0\.9700 ± 0\.0040 \| 0\.9600 ± 0\.0040 \| 40 \|/);
  assert.match(page, /under extrospect bpf 997 Hz, over without \| at least 0\.99 \| 0\.97 \| missed \|/);
  assert.match(page, /under extrospect bpf 997 Hz, to each side \| at most 0\.3 % \| 0\.4 % \| missed \|/);
  assert.match(page, /nothing over nothing, to each side \| at most 0\.3 % \| 0\.2 % \| met \|/);
  assert.match(page, /under extrospect bpf 99 Hz, to each side \| at most 0\.3 % \|  \| not measured \|/);
  assert.doesNotMatch(page, /Attaching/);
});

test("the page has the first minutes of each project, and the slowest one is judged", () => {
  const seconds = "from an open window to the hottest line";
  const actions = "actions from an open window to the hottest line";
  const output = [
    measuredLine(seconds, 6.123, "Erlang, rebar3"),
    measuredLine(actions, 3, "Erlang, rebar3"),
    measuredLine(seconds, 15.5, "RabbitMQ"),
    measuredLine(actions, 4, "RabbitMQ"),
  ];
  const page = measurementsPage({ ...MACHINE, firstMinutes: firstMinutesIn(output.join("\n")) });
  assert.match(page, /## The first minutes of a new user\n/);
  assert.match(page, /\| Erlang, rebar3 \| 3 \| 6\.123 \|/);
  assert.match(page, /\| from an open window to the hottest line \| at most 15 s \| 15\.5 s \| missed \|/);
  assert.match(page, /\| actions from an open window to the hottest line \| at most 4 actions \| 4 actions \| met \|/);
});

test("the page names the parts of a sample's time and the largest, and none where one is not known", () => {
  const page = measurementsPage({ ...MACHINE, slowdown: SLOWDOWN });
  assert.match(page, /\| the thread that is sampled: all of it \| 30\.1 ± 4\.0 \|/);
  assert.match(page, /the rest: interrupt, event, and what the caches have lost \| 26\.1 \|/);
  assert.match(page, /an interrupt without a stack \(`perf record`\) \| 24\.1 ± 2\.0 \|/);
  assert.match(page, /The largest part is the interrupt and what follows from it\./);
  const uncounted = { ...SLOWDOWN, parts: { ...SLOWDOWN.parts, program: null } };
  const unknown = measurementsPage({ ...MACHINE, slowdown: uncounted });
  assert.match(unknown, /the program in the kernel, with its copy of the stack \| not known \|/);
  assert.doesNotMatch(unknown, /The largest part/);
});

test("sections and figures that were not measured stay, with their date", () => {
  const cost = { helper_samples: summary([1, 2, 3]) };
  const stops = { "extrospect bpf 997 Hz": summary([30]), "perf record, no stacks 997 Hz": summary([25]) };
  const before = measurementsPage({ ...MACHINE, date: "2026-01-01", cost, stops, slowdown: SLOWDOWN });
  const newer = { stock: { "extrospect bpf 997 Hz": paired(0.98, 0.002) }, framePointers: {}, parts: null };
  const page = measurementsPage({ ...MACHINE, slowdown: newer }, before);
  assert.match(page, /Made by .* on 2026-01-02; do not edit/);
  assert.match(page, /## Processor time of the profiler\n\nMeasured on 2026-01-01\.\n\n/);
  assert.match(page, /stops its thread, over an interrupt without a stack \| at most 1\.2 \| 1\.2 \| met \|/);
  assert.match(page, /under extrospect bpf 997 Hz, over without \| at least 0\.99 \| 0\.98 \| missed \|/);
  assert.doesNotMatch(page, /## Slowdown of the target\n\nMeasured on/);
  const titles = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
  assert.deepEqual(titles, [
    "Wanted and seen",
    "Slowdown of the target",
    "Where the time of a sample goes",
    "How long a sample stops its thread",
    "Processor time of the profiler",
  ]);
  const again = measurementsPage({ ...MACHINE, date: "2026-01-03", slowdown: newer }, page);
  assert.match(again, /## Processor time of the profiler\n\nMeasured on 2026-01-01\.\n\n/, "the first date stays");
});

test("a section whose program has changed since states it, and those that were never measured are named", () => {
  const cost = { helper_samples: summary([1, 2, 3]) };
  const stops = { "extrospect bpf 997 Hz": summary([30]) };
  const [costTitle, stopsTitle] = ["Processor time of the profiler", "How long a sample stops its thread"];
  const now = { [stopsTitle]: "aaaaaaaaaaaa", [costTitle]: "bbbbbbbbbbbb", Bisections: "cccccccccccc" };
  const results = { ...MACHINE, commit: "0123abcd", cost, stops, programs: now };
  const page = measurementsPage(results, "", now);
  assert.match(page, /on 2026-01-02 at 0123abcd; do not edit/);
  assert.match(page, /\n\nNot measured yet: Bisections\.\n\n## Wanted and seen\n\n\| figure/);
  assert.doesNotMatch(page, /its program changed/);
  assert.equal(restatedPage(page, now), page);

  const changed = restatedPage(page, { ...now, [costTitle]: "dddddddddddd" });
  const remark = "Not measured again since its program changed.";
  assert.match(changed, new RegExp(`## ${costTitle}\n\n${remark}\n\nFor the whole run`));
  assert.equal(changed.split(remark).length, 2, "the other section stays as it is");
  assert.match(changed, /## Wanted and seen\n\nFigures of sections that were not measured again since/);
  assert.equal(restatedPage(changed, now), page, "what no longer is so goes");

  // All except one section is measured anew.
  const later = { ...MACHINE, date: "2026-01-03", stops, programs: { [stopsTitle]: "eeeeeeeeeeee" } };
  const newer = { ...now, [stopsTitle]: "eeeeeeeeeeee", [costTitle]: "dddddddddddd" };
  const again = measurementsPage(later, changed, newer);
  assert.match(again, new RegExp(`## ${costTitle}\n\nMeasured on 2026-01-02 at 0123abcd\\.\n\n${remark}\n\n`));
  assert.match(again, new RegExp(`## ${stopsTitle}\n\nA NIF `));
  assert.equal(restatedPage(again, newer), again);

  const unknown = measurementsPage({ ...results, programs: undefined }, "", now);
  assert.match(unknown, /\n\nIt is not known whether its program has changed since it was measured\.\n\n/);
});

test("a program is its file and those that it imports, without those that only make text", () => {
  /** @type {Record<string, string>} */
  const files = {
    "a.mjs": 'import { b } from "./b.mjs";\nimport { page } from "./report.mjs";\nimport "node:fs";\n',
    "b.mjs": 'export const c = await import("./c.mjs");\n',
    "c.mjs": "1",
    "report.mjs": "1",
    "d.mjs": "1",
  };
  const of = (/** @type {Record<string, string>} */ other) => hashOf("a.mjs", (name) => ({ ...files, ...other })[name]);
  const hash = of({});
  assert.match(hash, /^[0-9a-f]{12}$/);
  for (const name of ["a.mjs", "b.mjs", "c.mjs"]) assert.notEqual(of({ [name]: `${files[name]} ` }), hash, name);
  for (const name of ["report.mjs", "d.mjs"]) assert.equal(of({ [name]: "2" }), hash, name);
  const all = programs();
  for (const [title, program] of Object.entries(programsOf(["slowdown", "stops"]))) assert.equal(all[title], program);
});

test("the page in docs states which sections are of an older program", () => {
  const page = readFileSync(join(ROOT, "docs/measurements.md"), "utf8");
  assert.equal(page, restatedPage(page, programs()), "`npm run bench -- --page` writes it");
});

test("a section of a program of its own takes the place of its older one, and stays in a page that is measured anew", () => {
  /** @type {import("../../bench/comparing-report.mjs").GateRow} */
  const row = {
    commit: "28a84621c3d5defba28e92a88ce45c440d57e178",
    subject: "Log a | b",
    planted: { percent: 10, function: "parse_qs/1", rounds: 700 },
    clock: { changePct: 10.25, halfWidthPct: 0.5 },
    job: "holds",
    gates: [
      { condition: "touched.slower>5%", answer: "holds", met_by: ["cow_qs:parse_qs/1"] },
      { condition: "whole.slower>25%", answer: "cannot_tell", met_by: [] },
    ],
    whole: { change: 9.5, low: -1, high: 21.25 },
    seconds: 240.4,
  };
  /** @type {import("../../bench/comparing-report.mjs").GateRow} */
  const other = { ...row, planted: null, clock: { changePct: null, halfWidthPct: null }, job: "cannot_tell" };
  const run = { project: "here", release: "25", machine: "2 processors", pairs: 5, seconds: 20, rows: [row, other] };
  const section = (/** @type {string} */ date) => realGateSection({ ...run, date });
  const before = measurementsPage({ ...MACHINE, slowdown: SLOWDOWN });
  const page = withSection(section("2026-01-04"), withSection(section("2026-01-03"), before));
  assert.ok(page.startsWith(before.trimEnd()), "the other sections are as they were");
  assert.equal(page.match(/^## A gate on a real repository$/gm)?.length, 1);
  assert.match(page, /\n\nMeasured on 2026-01-04\.\n\n/);
  assert.match(
    page,
    /^\| 28a8462 Log a \\\| b \| 10 %, `parse_qs\/1` \| 10\.3 ± 0\.5 % \| holds \| holds \| cannot tell \| 9\.5 % \(-1\.0 … 21\.3\) \| 240 \|$/m,
  );
  assert.match(page, /^\| 28a8462 Log a .* \|  \| not measured \| cannot tell \| holds \| cannot tell \|/m);
  assert.match(page, /with a planted regression \(1\): holds 1, does not hold 0, cannot tell 0\. Without \(1\)/);
  const again = measurementsPage({ ...MACHINE, date: "2026-01-05", slowdown: SLOWDOWN }, page);
  assert.ok(again.includes(section("2026-01-04")), "its date stays");
});

test("releases of a project stand beside what their notes state, and what the clock shows", () => {
  const project = PROJECTS["jason"];
  assert.ok(project);
  const rows = [
    { section: "the whole", truePct: -12.25, change_pct: -10, low_pct: -25, high_pct: 8, verdict: "noise" },
    { section: "encode_floats", truePct: -68, change_pct: -66, low_pct: -70, high_pct: -61, verdict: "faster" },
    { section: "encode_maps", truePct: -0.5, change_pct: 9, low_pct: 2, high_pct: 17, verdict: "slower" },
    { section: "decode_maps", truePct: 0, change_pct: null, low_pct: null, high_pct: null, verdict: "too_few" },
  ];
  const run = {
    name: "jason",
    project,
    date: "2026-01-04",
    release: "25",
    machine: "2 processors",
    pairs: 5,
    seconds: 8,
  };
  const section = releasesSection({ ...run, rows });
  assert.match(section, /^## Two releases of jason\n\nMeasured on 2026-01-04\.\n\n/);
  assert.match(section, /v1\.3\.0 and v1\.4\.0 of https:/);
  assert.match(
    section,
    /Of 1 sections .* 1 are so by the clock, of which 1 have .* 2 of 4 intervals .* 1 verdicts are contrary/,
  );
  assert.match(section, /^\| encode_floats \| faster \| -68\.0 \| -66\.0 \| -70\.0 … -61\.0 \| faster \| yes \|$/m);
  assert.match(section, /^\| decode_maps \|  \| 0\.0 \| not known \| not known \| too_few \| no \|$/m);
  const page = withSection(section, measurementsPage({ ...MACHINE, slowdown: SLOWDOWN }));
  assert.ok(page.trimEnd().endsWith(section));
});

test("each section on comparisons has its date, its counts, and its place on the page", () => {
  const run = { date: "2026-01-04", machine: "2 processors", release: "25" };
  const same = sameProgramSection({
    ...run,
    seconds: 10,
    hz: 997,
    table: [
      {
        ...{ captures_a_side: 1, paired: false, drawn: false, comparisons: 100, claiming_a_change: 3, of_the_whole: 1 },
        ...{ whole_without_0: 2, intervals: 4000, without_0: 100 },
      },
    ],
  });
  assert.match(same, /^\| 1 a side \| 100 \| 2 \| 1 \| 2 \| 100 of 4000 \(2\.5 %\) \|$/m);
  const power = powerSection({
    ...run,
    hz: 997,
    runs: 6,
    table: [
      {
        ...{ seconds: 30, captures_a_side: 3, paired: true, comparisons: 20, claimed_the_contrary: 0 },
        ...{ found: { 2: 0, 10: 0.6, 15: 1 }, smallest_found_9_of_10: 15 },
      },
    ],
  });
  assert.match(power, /^\| capture \| captures \| comparisons \| 2 % \| 10 % \| 15 % \|/m);
  assert.match(power, /^\| 30 s \| 3 pairs \| 20 \| 0 % \| 60 % \| 100 % \| 15 % \| 0 \|$/m);
  const bisections = bisectionsSection({
    ...{ ...run, captures: 5, seconds: 4, slower: 40, measure: "work", once: false },
    results: [
      { culprit: 1, right: true, wrong: false, steps: 3, unknown: 0, load: 0.5 },
      { culprit: 2, right: false, wrong: false, steps: 3, unknown: 2, load: undefined },
    ],
  });
  assert.match(bisections, /5 pairs in each step of 4 s, by work, limit 13 %/);
  assert.match(bisections, /Of 2 bisections 1 found the commit, 0 named another one, the others none\. 2 of 6 steps/);
  assert.match(bisections, /^\| 2 \| none named \| 3 \| 2 \| not known \|$/m);
  const counts = (/** @type {number} */ red) => ({
    "touched.slower>5%": { [RECIPE_ANSWERS.holds]: red, [RECIPE_ANSWERS.does_not_hold]: 10 - red },
    [RECIPE_JOB]: { [RECIPE_ANSWERS.holds]: red, [RECIPE_ANSWERS.cannot_tell]: 10 - red },
  });
  const whole = { change_pct: 7.34, low_pct: 1.2, high_pct: 13.8 };
  const recipes = (/** @type {number} */ beside) =>
    recipeGatesSection({
      ...{ ...run, pool: 12, pairs: 5, seconds: 20, draws: 10, planted: 10, beside, callee: false },
      results: [
        { kind: "none", whole: { ...whole, low_pct: -8.5 }, counts: counts(0), visible: 10.26 },
        { kind: "planted", whole, counts: counts(9), visible: undefined },
      ],
    });
  const [quiet, noisy] = [recipes(0), recipes(2)];
  assert.match(quiet, /^## Gates of the recipes$/m);
  assert.match(quiet, /10 draws of 5 pairs of 20 s from 12 pairs of each/);
  assert.match(quiet, /^\| gate \| none planted: red \|.*\| 10 % planted: red \| 10 % planted: green \|/m);
  assert.match(quiet, /^\| `touched\.slower>5%` \| 0 \| 10 \| 0 \| 9 \| 1 \| 0 \|$/m);
  assert.match(quiet, /^\| the job of docs\/ci \| 0 \| 0 \| 10 \| 9 \| 0 \| 1 \|$/m);
  assert.match(quiet, /7\.3 % \(-8\.5 … 13\.8\) with none planted, .* 10\.3 % in the median; .* is not known\./);
  assert.match(noisy, /^## Gates of the recipes, beside other work$/m);
  assert.match(noisy, /`node bench\/ci-gates\.mjs --beside 2`/);
  const before = measurementsPage({ ...MACHINE, slowdown: SLOWDOWN });
  const page = [noisy, bisections, quiet, same, power].reduce((all, section) => withSection(section, all), before);
  assert.equal(page, `${[before.trimEnd(), same, power, bisections, quiet, noisy].join("\n\n")}\n`);
});

test("a figure names the size that was measured: a quick run has none of the large flame graph", () => {
  const row = { name: "extrospect", firstPaintMs: 90, frameMs: 3, frameP95Ms: 5, note: "" };
  const seen = (/** @type {number} */ frames) =>
    verdicts({ flameGraph: [{ ...row, frames }] })
      .filter(({ what }) => what.startsWith("flame graph of 500,000 frames"))
      .map(({ verdict }) => verdict);
  assert.deepEqual(seen(100_000), ["not measured", "not measured", "not measured"]);
  assert.deepEqual(seen(500_000), ["met", "met", "met"]);
});
