// docs/unknowns.md: what each command prints, and each view shows, when a part of the truth cannot be known.
import { COMMANDS } from "./cells.mjs";
import { STATES } from "./states.mjs";
import { VIEW_NAMES, viewName } from "./view-cells.mjs";

/** The cell of a command or view that no run has had in the state. */
export const NOT_RUN = "not run yet";

const INTRODUCTION = `# When something cannot be known

The sentence of each command, and of each view of the editor, in states in which a part of the truth cannot be known. Where a command or view needs nothing that the state takes away, the table has the reason; “${NOT_RUN}” marks those that are newer than the last run. \`node test/unknowns/run.mjs\` brings about each state for real and makes this page; the same run is a night test.

NORMAL is the capture of a VM in none of these states, CAPTURE that of \`record\` in the state; the comparisons have further [caveats](compare.md). The table of \`detached\` is that of \`detached stop\`. \`top\`, \`blame\` and \`export\` of a process id record first, with the sentences of both. \`push\` has the sentences of \`export\`. \`import\` reads files of other tools, which contain none of them. *Compare Captures* has NORMAL and the *live capture*.
`;

const COLUMN_OF_COMMANDS = {
  names: Object.keys(COMMANDS),
  shown: (/** @type {string[]} */ names) => names.map((name) => `\`${name}\``).join(", "),
};
const COLUMN_OF_VIEWS = {
  names: VIEW_NAMES.map(viewName),
  shown: (/** @type {string[]} */ names) =>
    `${names.length === 1 ? "view" : "views"}: ${names.map((name) => name.replace(viewName(""), "")).join(", ")}`,
};

/** @typedef {import("./look.mjs").Ran & {commit: string, date: string}} Run   that gave the rows of a state */

/** The releases, engines and commit of the rows. @param {readonly import("./look.mjs").Row[]} rows @param {Record<string, Run>} runs */
function aboutRuns(rows, runs) {
  const had = STATES.filter(({ name }) => rows.some(({ state }) => state === name));
  const known = had.flatMap(({ name, title }) => {
    const run = runs[name];
    return run === undefined ? [] : [{ title, run }];
  });
  const whenOf = (/** @type {Run} */ { date, commit }) => `${date}, at commit \`${commit}\``;
  const lines = [...new Set(known.map(({ run }) => whenOf(run)))].map((when) => {
    const of = known.filter(({ run }) => whenOf(run) === when);
    const otp = inOrder(of.map(({ run }) => run.otp));
    const engines = inOrder(of.flatMap(({ run }) => run.engines.map((engine) => `\`${engine}\``)));
    const which = of.length === had.length ? "" : `: ${of.map(({ title }) => `“${title}”`).join(", ")}`;
    return `Last run on ${when}, with OTP ${otp}, sampled by ${engines || "no engine"}${which}.`;
  });
  if (known.length === had.length) return lines;
  const others = known.length === 0 ? "the last run" : "the other sections";
  return [...lines, `Commit, OTP and engines of ${others} were not recorded.`];
}

/** @param {readonly string[]} words */
const inOrder = (words) => [...new Set(words)].toSorted().join(" and ");

/** @param {readonly import("./look.mjs").Row[]} rows @param {Record<string, Run>} runs   by state @returns {string} */
export function unknownsPage(rows, runs) {
  const sections = STATES.map(({ name, title }) => {
    const own = rows.filter(({ state }) => state === name);
    const lines = [COLUMN_OF_COMMANDS, COLUMN_OF_VIEWS].flatMap(({ names, shown }) => {
      const texts = [...new Set(names.map((name) => cellOf(rowOf(own, name))))];
      return texts.map((text) => `| ${shown(names.filter((name) => cellOf(rowOf(own, name)) === text))} | ${text} |`);
    });
    return `## ${title}\n\n| Commands and views | Sentence |\n| --- | --- |\n${lines.join("\n")}\n`;
  });
  return [INTRODUCTION, ...aboutRuns(rows, runs).map((line) => `${line}\n`), ...sections].join("\n");
}

/** What no run has had: the names of commands and views by state. @param {readonly import("./look.mjs").Row[]} rows */
export const notRun = (rows) =>
  STATES.flatMap(({ name }) => {
    const own = rows.filter(({ state }) => state === name);
    const names = [...COLUMN_OF_COMMANDS.names, ...COLUMN_OF_VIEWS.names].filter((each) => !rowOf(own, each));
    return names.length === 0 ? [] : [{ state: name, names }];
  });

/** @param {readonly import("./look.mjs").Row[]} rows @param {string} wanted */
const rowOf = (rows, wanted) => rows.find(({ command }) => command === wanted);

/** Process ids are those of one run, so equal sentences differ in nothing else. @param {import("./look.mjs").Row | undefined} row */
function cellOf(row) {
  if (row === undefined) return NOT_RUN;
  const escaped = row.text
    .replaceAll("|", "\\|")
    .replaceAll(/process \d+|pid \d+|-CONT \d+|VM \d+|\/proc\/\d+/gi, (words) => words.replace(/\d+/, "PID"))
    .replace(/^\d+: /, "");
  if (row.kind === "sentence") return `“${escaped.replaceAll(/[<>*_]/g, "\\$&")}”`;
  return row.kind === "same" ? `as always: ${escaped}` : `nothing: ${escaped}`;
}
