// node bench/releases.mjs --project NAME --repo CLONE [--pairs N] [--seconds S] [--keep FOLDER] [--json FILE] [--write]
// node bench/releases.mjs --driver FILE.erl --base FOLDER --new FOLDER [--own] [--pairs N] [--seconds S] [--path EBIN]… [--keep FOLDER] [--json FILE]
// Two releases of a project outside of this repository, compared: the claims of `diff` about each section of a driver,
// against the counts of the VM's own processor clock. FOLDER is a checkout that was built (ebin, or
// _build/*/lib/*/ebin); the driver is described in test/vms/src/bench_sections.erl. Captures are taken in pairs, in
// turn; `--base` and `--new` of one folder show false claims.
//   --project   jsx, jason or decimal (bench/projects/releases.mjs): its driver, two of its releases, which are built, and
//               what the notes of the newer one state
//   --repo      a clone of that project, which is only read
//   --write     makes the section of docs/measurements.md of that project
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { tmpdir } from "node:os";
import { ROOT } from "../scripts/project.mjs";
import { HELPER } from "../test/e2e/helper.mjs";
import { machineText, otpRelease } from "./machine.mjs";
import { mustRun } from "./measured-command.mjs";
import { builtRelease, librariesOf, PROJECTS } from "./projects/releases.mjs";
import { releasesSection } from "./comparing-report.mjs";
import { programs } from "./measured-by.mjs";
import { withSection } from "./report.mjs";
import { compileDriver, meanOf, recordSections } from "./sections.mjs";
import { optionsOrExit } from "../scripts/options.mjs";

const HZ = 499;
const CLAIMS = new Set(["slower", "faster", "new", "gone"]);

const { values: options } = optionsOrExit("node bench/releases.mjs", {
  options: {
    project: { type: "string" },
    repo: { type: "string" },
    driver: { type: "string" },
    base: { type: "string" },
    new: { type: "string" },
    own: { type: "boolean", default: false },
    pairs: { type: "string", default: "3" },
    seconds: { type: "string", default: "8" },
    path: { type: "string", multiple: true, default: [] },
    keep: { type: "string" },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const project = PROJECTS[options.project ?? ""];
if (
  project === undefined
    ? options.project !== undefined || !options.driver || !options.base || !options.new || options.write
    : options.repo === undefined
) {
  console.error(
    `--project ${Object.keys(PROJECTS).join("|")} --repo CLONE, or --driver FILE.erl --base FOLDER --new FOLDER`,
  );
  process.exit(2);
}
const root = resolve(options.keep ?? mkdtempSync(join(tmpdir(), "extrospect-releases-")));
// Several projects may share it: each has a folder of its own.
const folder = join(root, options.project ?? "");
mkdirSync(folder, { recursive: true });
if (options.keep === undefined) process.on("exit", () => rmSync(root, { recursive: true, force: true }));
const source =
  project === undefined
    ? String(options.driver)
    : join(import.meta.dirname, "projects", `${options.project}_sections.erl`);
const driver = basename(source, ".erl");
const [baseFolder, newFolder] = /** @type {const} */ (["base", "new"]).map((side) =>
  project === undefined
    ? resolve(String(options[side]))
    : builtRelease(project, project[side], resolve(String(options.repo)), join(folder, "releases")),
);
const libraries = project === undefined ? options.path : librariesOf(project);
const isOwn = options.own || project !== undefined;
compileDriver(folder, source);
const progress = (/** @type {string} */ text) => process.stderr.write(`  ${text}\n`);

/** Where the compiled code of a checkout is. @param {string} checkout */
function codePaths(checkout) {
  const builds = join(checkout, "_build");
  const released = existsSync(builds) ? readdirSync(builds).map((name) => join(builds, name, "lib")) : [];
  const libraries = released
    .filter((lib) => existsSync(lib))
    .flatMap((lib) => readdirSync(lib).map((name) => join(lib, name, "ebin")));
  return [join(checkout, "ebin"), ...libraries].filter((path) => existsSync(path));
}

/** @param {string} checkout @param {string} name */
const recorded = (checkout, name) =>
  recordSections({
    folder,
    name,
    driver,
    erl: ["erl"],
    paths: [...codePaths(checkout), ...libraries],
    seconds: Number(options.seconds),
    hz: HZ,
    record: ["--source-dir", checkout],
  });

const [base, newer] = [
  /** @type {import("./sections.mjs").Recorded[]} */ ([]),
  /** @type {import("./sections.mjs").Recorded[]} */ ([]),
];
for (let pair = 1; pair <= Number(options.pairs); pair++) {
  const turns = [
    { side: base, checkout: String(baseFolder), name: `base-${pair}` },
    { side: newer, checkout: String(newFolder), name: `new-${pair}` },
  ];
  // Base, new, new, base: a drift hits both alike.
  for (const { side, checkout, name } of pair % 2 === 1 ? turns : turns.reverse()) {
    progress(name);
    side.push(await recorded(checkout, name));
  }
}

/** @param {string[]} more */
async function compared(more) {
  const own = isOwn ? ["--own", String(newFolder)] : [];
  const { stdout } = await mustRun(
    [
      HELPER,
      "diff",
      ...base.map(({ file }) => file),
      "--",
      ...newer.map(({ file }) => file),
      "--source-dir",
      String(newFolder),
      ...own,
      "--json",
      "--all",
      "-n",
      "0",
      ...more,
    ],
    { keepOutput: true },
  );
  return JSON.parse(stdout);
}

const sections = [...(base[0]?.truth.keys() ?? [])];
const results = [];
for (const [how, more] of /** @type {const} */ ([
  ["plain", []],
  ["paired", ["--paired"]],
])) {
  if (how === "paired" && base.length < 2) continue;
  const comparison = await compared([...more]);
  const rows = sections.map((section) => {
    const change =
      section === ""
        ? comparison.whole
        : comparison.functions.find((/** @type {any} */ row) => row.function === `${driver}:${section}/0`)?.total;
    const truePct = (meanOf(newer, section) / meanOf(base, section) - 1) * 100;
    const unknown = { change_pct: null, low_pct: null, high_pct: null, verdict: "no samples" };
    return { section: section === "" ? "the whole" : section, truePct, ...unknown, ...change };
  });
  results.push({
    how,
    rows,
    claims: comparison.functions
      .filter((/** @type {any} */ row) => ["self", "total", "own"].some((column) => CLAIMS.has(row[column]?.verdict)))
      .map((/** @type {any} */ row) => row.function),
  });
  console.log(`\n${how}: ${base.length} and ${newer.length} captures of ${options.seconds} s at ${HZ} Hz`);
  console.log(
    "| section | true change % | measured % | 95 % interval | verdict | interval holds the truth |\n|---|--:|--:|--:|---|---|",
  );
  for (const row of rows) {
    const holds = row.low_pct <= row.truePct && row.truePct <= row.high_pct;
    const contrary = (row.verdict === "slower" && row.truePct < 0) || (row.verdict === "faster" && row.truePct > 0);
    console.log(
      `| ${row.section} | ${row.truePct.toFixed(1)} | ${row.change_pct?.toFixed(1)} | ${row.low_pct?.toFixed(1)} … ${row.high_pct?.toFixed(1)} | ${row.verdict}${contrary ? " (contrary)" : ""} | ${holds ? "yes" : "no"} |`,
    );
  }
  console.log(`claims of ${results.at(-1)?.claims.length} functions of ${comparison.functions.length}`);
}
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results));
if (project !== undefined) {
  const section = releasesSection({
    name: String(options.project),
    project,
    date: new Date().toISOString().slice(0, 10),
    release: otpRelease(),
    machine: machineText(),
    pairs: base.length,
    seconds: Number(options.seconds),
    rows: results.at(-1)?.rows ?? [],
  });
  console.log(`\n${section}`);
  const page = join(ROOT, "docs/measurements.md");
  if (options.write) writeFileSync(page, withSection(section, readFileSync(page, "utf8"), programs()));
}
