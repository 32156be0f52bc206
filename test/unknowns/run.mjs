// Brings about each state and writes docs/unknowns.md, and the rows that it is made of.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { measuredCommit } from "../../scripts/measured-commit.mjs";
import { rowsOf } from "./look.mjs";
import { notRun, unknownsPage } from "./page.mjs";
import { STATES } from "./states.mjs";

const ROWS = join(import.meta.dirname, "rows.json");
const RUNS = join(import.meta.dirname, "runs.json");
const PAGE = join(import.meta.dirname, "../../docs/unknowns.md");

const wanted = process.argv.slice(2);
/** @type {import("./look.mjs").Row[]} */
let rows = JSON.parse(readFileSync(ROWS, "utf8"));
/** Of which run the rows of a state are. @type {Record<string, import("./page.mjs").Run>} */
let runs = JSON.parse(readFileSync(RUNS, "utf8"));
const commit = measuredCommit("test/unknowns/rows.json", "test/unknowns/runs.json", "docs/unknowns.md");
const date = new Date().toISOString().slice(0, 10);
/** States with the rows of an earlier run, since this one found other sentences. @type {string[]} */
const failed = [];
for (const state of STATES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  try {
    const ran = { otp: "", engines: [] };
    const found = await rowsOf(state, ran);
    console.log(`${state.name}: ${found.length} rows`);
    if (found.length === 0) continue;
    rows = [...rows.filter((row) => row.state !== state.name), ...found];
    runs = { ...runs, [state.name]: { ...ran, commit, date } };
  } catch (error) {
    failed.push(state.name);
    console.error(error instanceof AggregateError ? error.message : error);
  }
}
writeFileSync(ROWS, await format(JSON.stringify(rows), { parser: "json", printWidth: 120 }));
writeFileSync(RUNS, await format(JSON.stringify(runs), { parser: "json", printWidth: 120 }));
writeFileSync(PAGE, await format(unknownsPage(rows, runs), { parser: "markdown", printWidth: 120 }));
for (const { state, names } of notRun(rows)) console.log(`${state}: not run: ${names.join(", ")}`);
for (const name of failed) console.log(`${name}: failed, see above`);
process.exit(failed.length > 0 ? 1 : 0);
