// node bench/linking.mjs [--pairs N] [--seconds S] [--allocator STRATEGY]
// One load on two emulators that were linked of the same objects in another order, compared by C function and unit of work: docs/linking.md.
// With --allocator on one emulator, whose heaps have another strategy (`+MHas gf`) on one side.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkingExperiment, RELEASE } from "../test/built/linking-experiment.mjs";
import { meanOf } from "./sections.mjs";
import { optionsOrExit } from "../scripts/options.mjs";

const LEAST_PCT = 1;
const ROWS = 15;

const { values } = optionsOrExit("node bench/linking.mjs", {
  options: {
    pairs: { type: "string", default: "5" },
    seconds: { type: "string", default: "10" },
    allocator: { type: "string" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "extrospect-linking-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const { allocator } = values;
for (const stripped of allocator === undefined ? [false, true] : [false]) {
  const { given, other, comparison } = await linkingExperiment({
    stripped,
    folder,
    pairs: Number(values.pairs),
    seconds: Number(values.seconds),
    ...(allocator === undefined ? {} : { allocator }),
    progress: (text) => void process.stderr.write(`  ${text}\n`),
  });
  const { whole } = comparison;
  const truth = (meanOf(other, "") / meanOf(given, "") - 1) * 100;
  const change = (/** @type {any} */ row) =>
    `${row.change_pct?.toFixed(1)} | ${row.low_pct?.toFixed(1)} … ${row.high_pct?.toFixed(1)} | ${row.verdict}`;
  console.log(
    `\nOTP ${RELEASE}, ${stripped ? "stripped" : "with symbols"}: ${allocator === undefined ? "the other link order" : `+MHas ${allocator}`}: ${given.length} and ${other.length} captures of ${values.seconds} s, in pairs`,
  );
  console.log(`the whole: ${change(whole)}; by the clock of the scheduler's thread ${truth.toFixed(1)} %`);
  const runtime = comparison.functions.filter((/** @type {any} */ row) => row.group === "runtime");
  const large = runtime.filter(
    (/** @type {any} */ row) =>
      row.self.base > (whole.base * LEAST_PCT) / 100 || row.self.new > (whole.base * LEAST_PCT) / 100,
  );
  const changed = large.filter((/** @type {any} */ row) => ["slower", "faster"].includes(row.self.verdict));
  console.log(
    `C functions with ${LEAST_PCT} % of it and more: ${large.length}; on both sides ${large.filter((/** @type {any} */ row) => row.matched_by !== null).length}; changed ${changed.length}`,
  );
  console.log(
    "| C function | matched by | base, us | new, us | change % | 95 % interval | verdict |\n|---|---|--:|--:|--:|--:|---|",
  );
  const shown = large
    .toSorted(
      (/** @type {any} */ a, /** @type {any} */ b) =>
        Math.abs(b.self.new - b.self.base) - Math.abs(a.self.new - a.self.base),
    )
    .slice(0, ROWS);
  for (const row of shown)
    console.log(
      `| \`${row.function}\` | ${row.matched_by} | ${row.self.base.toFixed(2)} | ${row.self.new.toFixed(2)} | ${change(row.self)} |`,
    );
}
