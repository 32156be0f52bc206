// docs/where-it-runs.md out of rows that were run. Text only; nothing is run here.
import { LEAST_COMPLETE, MOST_MEMORY_ERROR } from "./judged.mjs";

/**
 * @typedef {object} Row
 * @property {string} kind    which file made it
 * @property {string} name    unique in its kind
 * @property {string} date    YYYY-MM-DD, of the run
 * @property {string} where   kernel and processors
 * @property {string} [notRun]   why there are no figures
 * @property {import("./judged.mjs").Figures} [figures]
 *
 * @typedef {object} Kind
 * @property {string} kind
 * @property {string} title
 * @property {string} about   the text above its table
 * @property {KnownRow[]} [known]   all that it makes, in the order of the page
 *
 * @typedef {object} KnownRow
 * @property {string} name
 * @property {RegExp} [row]   of the names of such rows, where they have more than that
 */

/** The cell of a row that no run has had. */
export const NOT_RUN = "not run";

/** @type {(keyof import("./judged.mjs").Figures)[]} */
const FIGURES = ["attach", "samples", "complete", "wrong", "processes", "memory"];
const HEADS = ["", "attach", "samples", "complete %", "wrong frames", "`ps`: processes", "`ps`: memory", "on", "date"];

/**
 * The rows of this run in place of those with the same name; of the kinds that were run, rows that are no longer made go.
 * @param {Row[]} earlier
 * @param {Row[]} fresh
 * @param {string[]} whole   kinds that were run whole
 */
export function keptRows(earlier, fresh, whole) {
  const isSame = (/** @type {Row} */ one) => (/** @type {Row} */ other) =>
    one.kind === other.kind && one.name === other.name;
  const kept = earlier.flatMap((row) => fresh.find(isSame(row)) ?? (whole.includes(row.kind) ? [] : [row]));
  return [...kept, ...fresh.filter((row) => !earlier.some(isSame(row)))];
}

/** Cells of a row that fail. @param {Row} row */
export function failingCells({ figures }) {
  return figures === undefined ? [] : FIGURES.filter((name) => figures[name].fails);
}

/** What no run has had. @param {Kind} kind @param {Row[]} rows @returns {KnownRow[]} */
export function missingRows({ kind, known = [] }, rows) {
  const own = rows.filter((row) => row.kind === kind);
  return known.filter((each) => !own.some(({ name }) => isOf(each, name)));
}

/** @param {KnownRow} known @param {string} wanted */
export const isOf = ({ name, row }, wanted) => (row === undefined ? name === wanted : row.test(wanted));

/** @param {Kind[]} kinds @param {Row[]} rows */
export function wherePage(kinds, rows) {
  const run = rows.filter((row) => row.figures !== undefined);
  const failing = run.filter((row) => failingCells(row).length > 0);
  const notRun = rows.length - run.length;
  const missing = kinds.flatMap((kind) => missingRows(kind, rows)).length;
  return `# Where it runs

Results of the helper on machines, kernels, releases, flags and rights. Made by \`npm run matrix\`; do not edit. Each row has the date of its run: ${run.length} rows were run, ${failing.length === 0 ? "none fails" : `${failing.length} ${failing.length === 1 ? "fails" : "fail"}`}, ${notRun} could not be run here, with the reason${missing === 0 ? "" : `; ${missing} more were not run (“${NOT_RUN}” without a reason)`}.

Each row is one VM with a program whose calls are all known (\`test/vms/src/gt_matrix.erl\`), recorded once for some seconds and read once with \`ps\`.

- **attach**: milliseconds until the first sample, and the engine that \`record\` chose; or the reason of its refusal. Emulated machines are many times slower than real ones.
- **complete %**: samples in a process, in Erlang or C code, whose Erlang stack is shown down to its bottom. Below ${LEAST_COMPLETE.bpf} (\`bpf\`) or ${LEAST_COMPLETE.readv} (\`readv\`) the cell fails; the cause is the helper or an overloaded machine.
- **wrong frames**: samples with an impossible stack, of those that could be judged.
- **\`ps\`**: the number of processes; and of 100 processes at rest, those whose memory is within ${MOST_MEMORY_ERROR} % of the VM's own number.
- **on**: kernel, processors, and the load average of the real machine, whose other work slows emulated machines and delays \`readv\`.
- A cell in bold fails.

${kinds
  .map((kind) =>
    section(
      kind,
      rows.filter((row) => row.kind === kind.kind),
      missingRows(kind, rows),
    ),
  )
  .join("\n\n")}

## Again

\`\`\`
npm run matrix                              all of it
npm run matrix -- --only flags releases     those only; rows of other kinds stay as they are, with their dates
npm run matrix -- --only flags --match +P   the rows of a kind whose names contain that
\`\`\`
`;
}

/** @param {Kind} kind @param {Row[]} rows @param {KnownRow[]} missing */
function section({ title, about }, rows, missing) {
  const lines = rows.length + missing.length === 0 ? "Not run yet." : table(rows, missing);
  return `## ${title}\n\n${about}\n\n${lines}`;
}

/** @param {Row[]} rows @param {KnownRow[]} missing */
function table(rows, missing) {
  const notRun = missing.map(({ name }) => HEADS.map((_, column) => [plain(name), NOT_RUN][column] ?? ""));
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(HEADS), line(HEADS.map(() => "---")), ...[...rows.map(cellsOf), ...notRun].map(line)].join("\n");
}

/** @param {Row} row @returns {string[]} */
function cellsOf({ name, date, where, notRun, figures }) {
  if (figures === undefined)
    return [plain(name), `not run: ${plain(notRun ?? "")}`, ...FIGURES.slice(1).map(() => ""), plain(where), date];
  return [plain(name), ...FIGURES.map((figure) => shown(figures[figure])), plain(where), date];
}

/** @param {import("./judged.mjs").Cell} cell */
const shown = ({ text, fails }) => (fails ? `**fails: ${plain(text)}**` : plain(text));

/** The characters that a table of Markdown takes for its own are not in a cell. @param {string} text */
const plain = (text) => text.replaceAll("|", "\\|").replace(/\s+/g, " ").trim();
