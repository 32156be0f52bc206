// npm run matrix: everything that the helper is run on, and docs/where-it-runs.md.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KINDS } from "./kinds.mjs";
import { failingCells, keptRows, wherePage } from "./page.mjs";
import { optionsOrExit } from "../../scripts/options.mjs";

const ROWS = join(import.meta.dirname, "rows.json");
const PAGE = join(import.meta.dirname, "../../docs/where-it-runs.md");

const { values: options, positionals } = optionsOrExit("npm run matrix --", {
  allowPositionals: true,
  options: {
    only: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    match: { type: "string" },
    minutes: { type: "string", default: "15" },
    help: { type: "boolean", default: false },
  },
});
const unknown = positionals.find((name) => !KINDS.some(({ kind }) => kind === name));
if (options.help || unknown !== undefined || options.only !== positionals.length > 0) {
  console.log(
    `npm run matrix -- [--only KIND ...] [--match TEXT] [--minutes N] [--page]\n\n  KIND: ${KINDS.map(({ kind }) => kind).join(", ")}\n  --match TEXT   only rows whose names hold it, of emulated machines the suite or the number of processors\n  --minutes N    that an emulated machine gets [${options.minutes}]\n  --page         only writes the page anew, of the rows that are kept`,
  );
  process.exit(options.help ? 0 : 2);
}
if (options.page) {
  write(earlier());
  process.exit(0);
}
const chosen = KINDS.filter(({ kind }) => positionals.length === 0 || positionals.includes(kind));

const folder = mkdtempSync(join(tmpdir(), "extrospect-matrix-"));
chmodSync(folder, 0o1777);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let failing = 0;
for (const { kind, rows } of chosen) {
  /** @type {import("./page.mjs").Row[]} */
  const fresh = [];
  for await (const { name, make } of rows({ folder, timeoutMs: 60_000 * Number(options.minutes) })) {
    if (options.match !== undefined && !` ${name} `.includes(options.match)) continue;
    const made = [await make()].flat();
    fresh.push(...made);
    failing += made.filter((row) => failingCells(row).length > 0).length;
    for (const row of made) console.log(lineOf(row));
    // Finished rows are kept, whatever ends the rest.
    write(keptRows(earlier(), made, []));
  }
  if (options.match === undefined) write(keptRows(earlier(), fresh, [kind]));
}
console.log(`\n${earlier().length} rows, ${failing} of this run fail; ${PAGE}`);
process.exit(failing === 0 ? 0 : 1);

/** @returns {import("./page.mjs").Row[]} */
function earlier() {
  return existsSync(ROWS) ? JSON.parse(readFileSync(ROWS, "utf8")) : [];
}

/** @param {import("./page.mjs").Row[]} rows */
function write(rows) {
  writeFileSync(ROWS, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`);
  writeFileSync(PAGE, wherePage(KINDS, rows));
}

/** @param {import("./page.mjs").Row} row */
function lineOf(row) {
  const { kind, name, notRun, figures } = row;
  if (figures === undefined) return `${kind}, ${name}: not run: ${notRun}`;
  const said = Object.entries(figures).map(([what, { text, fails }]) => `${what} ${text}${fails ? " FAILS" : ""}`);
  return `${kind}, ${name}: ${said.join("; ")}`;
}
