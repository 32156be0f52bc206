// Writes docs/accuracy.md from the measured figures. Text only; nothing is measured here.
/**
 * @typedef {object} Row   one release, engine and workload
 * @property {string} release
 * @property {string} engine
 * @property {string} name       of the workload
 * @property {string} title
 * @property {string} date       of the measurement, YYYY-MM-DD
 * @property {number} samples
 * @property {number} inProcess
 * @property {number} complete
 * @property {number} unproven
 * @property {number} lost
 * @property {{p50: number, p99: number}} skidMicros
 * @property {number | null} checked   null for programs whose true stacks are unknown
 * @property {number} wrong
 * @property {number} wrongBound       the largest share that could be wrong as far as the run shows
 * @property {string[]} reasons        the faults, with counts
 * @property {number | null} allowancePoints
 * @property {({name: string} & import("./statistics.mjs").Share)[]} shares
 * @property {{slope: number, halfWidth: number} | null} slope
 * @property {{median: number, lowest: number, highest: number} | null} overheadPercent
 * @property {string[]} faults
 */

/**
 * @typedef {{cpus: number, kernel: string, event: string, hz: number, seconds: number, recordings: number}} How   a row was measured
 *
 * A row as the page shows it and test/accuracy/rows.json keeps it, until it is measured anew.
 * @typedef {object} KeptRow
 * @property {string} release
 * @property {string} engine
 * @property {string} name       of the workload
 * @property {string} title
 * @property {string} date       of the measurement, YYYY-MM-DD
 * @property {string | null} commit   short, with `+` for changes that were not committed; null where it is not known
 * @property {How} how
 * @property {string[]} cells    of the row in the table of its release, behind workload and engine
 * @property {string[][]} shares   function, true, shown, error
 * @property {number | null} allowancePoints
 * @property {string[]} faults
 *
 * A row that the program makes, run or not.
 * @typedef {Pick<KeptRow, "release" | "engine" | "name" | "title">} KnownRow
 */

/** The cell of a row that no run has had. */
export const NOT_RUN = "not run";

const HEADS = [
  "workload",
  "engine",
  "samples",
  "complete %",
  "unproven %",
  "wrong",
  "share error",
  "slope",
  "overhead %",
  "skid us",
  "measured",
];

/** @param {Row} row @param {How} how @param {string | null} commit @returns {KeptRow} */
export function keptRow(row, how, commit) {
  const { release, engine, name, title, date, allowancePoints, faults } = row;
  const worst = row.shares.toSorted((a, b) => Math.abs(b.error) - Math.abs(a.error))[0];
  const cells = [
    `${row.samples}`,
    percent(row.complete, row.inProcess),
    percent(row.unproven, row.inProcess),
    row.checked === null ? "" : `${row.wrong} of ${row.checked} (< ${boundText(row)})`,
    worst ? `${signed(worst.error)} ± ${worst.halfWidth.toFixed(1)}` : "",
    row.slope ? `${row.slope.slope.toFixed(3)} ± ${row.slope.halfWidth.toFixed(3)}` : "",
    overheadText(row.overheadPercent),
    `${row.skidMicros.p50} / ${row.skidMicros.p99}`,
  ];
  const shares = row.shares.map((share) => [
    `\`${share.name}\``,
    share.expected.toFixed(2),
    share.seen.toFixed(2),
    `${signed(share.error)} ± ${share.halfWidth.toFixed(2)}`,
  ]);
  return { release, engine, name, title, date, commit, how, cells, shares, allowancePoints, faults };
}

/**
 * The rows so far with those of a run in place of the same ones, in the order of the page.
 * @param {KeptRow[]} kept @param {KeptRow[]} fresh @param {string[]} names   of all workloads, in order: rows of others go
 */
export function rowsAfter(kept, fresh, names) {
  const key = (/** @type {KeptRow} */ { release, engine, name }) => `${release} ${engine} ${name}`;
  const rows = new Map([...kept, ...fresh].map((row) => [key(row), row]));
  const place = (/** @type {KeptRow} */ { name, engine }) =>
    names.indexOf(name) * 10 + ["readv", "bpf"].indexOf(engine);
  return [...rows.values()]
    .filter(({ name }) => names.includes(name))
    .sort((a, b) => a.release.localeCompare(b.release) || place(a) - place(b));
}

/** @param {KeptRow[]} rows @param {KnownRow[]} [known]   all that the program makes, in the order of the page */
export function accuracyPage(rows, known = []) {
  const missing = known.filter((row) => !rows.some(isSame(row)));
  const releases = [...new Set([...rows, ...missing].map((row) => row.release))].sort();
  const newest = rows.toSorted((a, b) => b.date.localeCompare(a.date))[0]?.how;
  const { hz = 0, seconds = 0, recordings = 0 } = newest ?? {};
  const failed = rows.filter((row) => row.faults.length > 0);
  return `# Accuracy

Figures of the helper, compared with VMs whose answers are known. Made by \`npm run accuracy\`; do not edit. Each row has the date of its measurement, and its commit where it is known (\`+\`: with changes that were not committed).

A virtual machine without a performance monitoring unit; stock VMs of Debian. Other programs ran on the same CPUs: trust ratios, not digits. 99 Hz is the default of the tool.

${howText(rows)}

## How to read it

- **complete**: samples in a process, in Erlang or C code, whose Erlang stack is shown down to its bottom.
- **unproven**: samples that show \`[unproven]\` instead. The rest show a part and a mark. On an interpreter (OTP 23), \`readv\` cannot prove a sample in a system call that writes to the C stack. The programs with short-lived processes make such calls constantly to read their clock; this fails no row.
- **wrong**: samples with an impossible stack. The test programs are so small that every call is known: caller, callee, line, depth and process. Wrong are a built-in function or NIF under any other caller or line, a function that a tail call has left, a frame too many or too few, and another process's pid. In brackets: the share that could be wrong according to this run (99 %).
- **share error**: the largest difference of any function of the workload between its shown and its true share, in percentage points. The true share is the processor time that the VM itself measured around each slice of work, over the same period. The interval (99 %) is derived from the spread between batches of half a second, so it includes every source of error, also that of the VM. A row passes if the error is within the interval plus the stated systematic error, ${statedText(rows)}. Of threads that live for milliseconds, the shown share is with the processor time that the capture states to be in no sample. Of naps, samples are blocks, and shares are of the blocked time, beside that which the NIF measured around each nap.
- **slope**: shown share over true share while one function is made up to six times slower. 1 is right; a difference of 0.03 fails.
- **overhead**: the loss of work of the target while it is sampled at ${hz} Hz, compared with just before and after: median and range of the recordings. Other programs on the machine affect this figure most; \`npm run bench\` measures the slowdown more carefully. At 99 Hz, it is about a tenth.
- **skid**: time from the sample to the last read on which it depends, median and 99th percentile.

${missing.length === 0 ? "" : `${missing.length} rows were not run: they are marked “${NOT_RUN}”. `}${failed.length === 0 ? `Every row${missing.length === 0 ? "" : " that was run"} passes.` : `Rows that fail: ${failed.map((row) => `OTP ${row.release} ${row.engine} ${row.title}: ${row.faults.join("; ")}`).join(" / ")}.`}

${releases
  .map((release) =>
    releaseTable(
      release,
      rows.filter((row) => row.release === release),
      known.filter((row) => row.release === release),
    ),
  )
  .join("\n")}
## Each share

${releases
  .map((release) =>
    shareTable(
      release,
      rows.filter((row) => row.release === release),
    ),
  )
  .join("\n")}
## Again

\`\`\`
npm run accuracy                                    all of it, some ${Math.ceil(((rows.length + missing.length) * (seconds * recordings * 2 + 8)) / 60)} minutes
npm run accuracy -- --otp 27 --engine bpf           only that; the other rows stay as they are, with their dates
npm run accuracy -- --workload bif,exact --seconds 20
\`\`\`

\`npm test\` runs a short form of rows with known answers and fails only for conditions that hold on any machine: no wrong stack, no unreported omission, and with \`bpf\` the completeness of samples that have their copy. Shares and rates, which other work on the machine changes, are judged only here.
`;
}

/** Machines and recordings, by the dates of their rows. @param {KeptRow[]} rows */
function howText(rows) {
  /** @type {Map<string, Set<string>>} */
  const dates = new Map();
  for (const { date, how } of rows) {
    const { cpus, kernel, event, hz, seconds, recordings } = how;
    const text = `${cpus} CPUs, Linux ${kernel}; sampled by ${event} at ${hz} Hz, at least ${recordings} × ${seconds} s for each row`;
    dates.set(text, (dates.get(text) ?? new Set()).add(date));
  }
  return [...dates].map(([text, of]) => `- ${[...of].sort().join(", ")}: ${text}`).join("\n");
}

/** @param {KnownRow} one @returns {(other: KnownRow) => boolean} */
const isSame = (one) => (other) =>
  one.release === other.release && one.engine === other.engine && one.name === other.name;

/** @param {string} release @param {KeptRow[]} rows @param {KnownRow[]} known */
function releaseTable(release, rows, known) {
  const shown = (/** @type {KeptRow} */ { title, engine, cells, date, commit }) => [
    title,
    engine,
    ...cells,
    commit === null ? date : `${date} ${commit}`,
  ];
  const notRun = (/** @type {KnownRow} */ { title, engine }) =>
    HEADS.map((_, column) => [title, engine, NOT_RUN][column] ?? "");
  const lines = [
    ...known.map((row) => {
      const run = rows.find(isSame(row));
      return run === undefined ? notRun(row) : shown(run);
    }),
    ...rows.filter((row) => !known.some(isSame(row))).map(shown),
  ];
  return `## OTP ${release}\n\n${table(HEADS, lines)}`;
}

/** @param {string} release @param {KeptRow[]} rows */
function shareTable(release, rows) {
  const lines = rows.flatMap(({ title, engine, shares, allowancePoints }) =>
    shares.map((share) => [title, engine, ...share, `${allowancePoints ?? ""}`]),
  );
  return `### OTP ${release}\n\n${table(["workload", "engine", "function", "true %", "shown %", "error, points", "stated"], lines)}`;
}

/** @param {string[]} heads @param {string[][]} lines */
function table(heads, lines) {
  const row = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |\n`;
  return row(heads) + row(heads.map(() => "---")) + lines.map(row).join("");
}

/** @param {KeptRow[]} rows */
function statedText(rows) {
  const known = new Map(
    rows.flatMap((row) =>
      row.allowancePoints === null || row.shares.length === 0
        ? []
        : [[`${row.engine} ${row.name}`, row.allowancePoints]],
    ),
  );
  return [...new Set(known.values())]
    .sort()
    .map((points) => {
      const which = [...known].filter(([, of]) => of === points).map(([name]) => name);
      return `${points} (${which.join(", ")})`;
    })
    .join(", ");
}

/** @param {number} part @param {number} all */
const percent = (part, all) => (all === 0 ? "" : ((100 * part) / all).toFixed(2));
/** @param {number} points */
const signed = (points) => `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)}`;
/** @param {Row["overheadPercent"]} of */
const overheadText = (of) =>
  of === null ? "" : `${of.median.toFixed(0)} (${of.lowest.toFixed(0)} to ${of.highest.toFixed(0)})`;
/** @param {Row} row */
const boundText = (row) => `${(100 * row.wrongBound).toFixed(2)} %`;
