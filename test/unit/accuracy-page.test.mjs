import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { KNOWN, NAMES } from "../accuracy/known.mjs";
import { accuracyPage, keptRow, rowsAfter } from "../accuracy/report.mjs";

const HOW = { cpus: 2, kernel: "6.1", event: "cpu-clock", hz: 997, seconds: 5, recordings: 3 };
/** @type {import("../accuracy/report.mjs").Row} */
const MEASURED = {
  release: "27",
  engine: "bpf",
  name: "ports",
  title: "sockets and a port's task",
  date: "2026-11-29",
  samples: 5000,
  inProcess: 4000,
  complete: 3998,
  unproven: 2,
  lost: 0,
  skidMicros: { p50: 0, p99: 0 },
  checked: 3900,
  wrong: 0,
  wrongBound: 0.0017,
  reasons: [],
  allowancePoints: 2,
  shares: [
    { name: "gt_tcp:exchanges/2", expected: 60.1, seen: 60.4, error: 0.3, halfWidth: 0.61 },
    { name: "on_timeout", expected: 10, seen: 9.2, error: -0.8, halfWidth: 1.26 },
  ],
  slope: null,
  overheadPercent: { median: 3, lowest: 1, highest: 6 },
  faults: [],
};
const named = (/** @type {import("../accuracy/report.mjs").KeptRow[]} */ rows) =>
  rows.map(({ release, engine, name, date }) => `${release} ${engine} ${name} ${date}`);

test("a measured row is kept as the page shows it, with date and commit", () => {
  const row = keptRow(MEASURED, HOW, "0123abcd+");
  const page = accuracyPage([row]);
  assert.ok(
    page.includes(
      "| sockets and a port's task | bpf | 5000 | 99.95 | 0.05 | 0 of 3900 (< 0.17 %) | −0.8 ± 1.3 |  | 3 (1 to 6) | 0 / 0 | 2026-11-29 0123abcd+ |",
    ),
    page,
  );
  assert.ok(page.includes("| sockets and a port's task | bpf | `on_timeout` | 10.00 | 9.20 | −0.8 ± 1.26 | 2 |"), page);
  assert.match(page, /- 2026-11-29: 2 CPUs, Linux 6\.1; sampled by cpu-clock at 997 Hz, at least 3 × 5 s for each row/);
  assert.match(page, /stated systematic error, 2 \(bpf ports\)\./);
  assert.match(page, /Every row passes\./);
  assert.match(accuracyPage([{ ...row, faults: ["slope 2"] }]), /OTP 27 bpf sockets and a port's task: slope 2/);
});

test("rows that were not measured stay with their dates, in the order of the page; those of no workload go", () => {
  const old = (/** @type {object} */ more) => ({
    ...keptRow(MEASURED, HOW, null),
    date: "2026-11-26",
    ...more,
  });
  const kept = [old({}), old({ name: "erlang" }), old({ release: "29" }), old({ name: "gone" })];
  const fresh = [keptRow(MEASURED, HOW, "0123abcd"), keptRow({ ...MEASURED, engine: "readv" }, HOW, "0123abcd")];
  assert.deepEqual(named(rowsAfter(kept, fresh, ["erlang", "ports"])), [
    "27 bpf erlang 2026-11-26",
    "27 readv ports 2026-11-29",
    "27 bpf ports 2026-11-29",
    "29 bpf ports 2026-11-26",
  ]);
  const page = accuracyPage(rowsAfter(kept, fresh, ["erlang", "ports"]));
  assert.match(page, /\| 2026-11-26 \|\n/, "a commit that is not known is none");
});

test("a row that no run has had is in its place, and called that", () => {
  const row = keptRow(MEASURED, HOW, null);
  const other = { release: "29", engine: "bpf", name: "erlang", title: "pure Erlang" };
  const page = accuracyPage([row], [{ ...row, engine: "readv" }, row, other]);
  const lines = page.split("\n").filter((line) => / \| (?:bpf|readv) \| (?:not run|\d{4}) \|/.test(line));
  assert.deepEqual(
    lines.map((line) => line.split(" | ").slice(0, 3)),
    [
      ["| sockets and a port's task", "readv", "not run"],
      ["| sockets and a port's task", "bpf", "5000"],
      ["| pure Erlang", "bpf", "not run"],
    ],
  );
  for (const line of lines) assert.equal(line.split("|").length, 13, line);
  assert.match(page, /2 rows were not run: they are marked “not run”\. Every row that was run passes\./);
});

test("all rows that are kept are among those that the program makes", () => {
  /** @type {import("../accuracy/report.mjs").KeptRow[]} */
  const rows = JSON.parse(readFileSync(join(ROOT, "test/accuracy/rows.json"), "utf8"));
  const names = (/** @type {import("../accuracy/report.mjs").KnownRow[]} */ all) =>
    all.map(({ release, engine, name }) => `${release} ${engine} ${name}`);
  const known = new Set(names(KNOWN));
  assert.deepEqual(
    names(rows).filter((name) => !known.has(name)),
    [],
  );
  for (const name of ["ports", "tracing", "exits", "short-threads"]) assert.ok(NAMES.includes(name), name);
});

test("the page in docs is made of the rows that are kept beside the workloads", () => {
  const rows = JSON.parse(readFileSync(join(ROOT, "test/accuracy/rows.json"), "utf8"));
  assert.equal(
    readFileSync(join(ROOT, "docs/accuracy.md"), "utf8"),
    accuracyPage(rows, KNOWN),
    "`npm run accuracy -- --page` writes it",
  );
});
