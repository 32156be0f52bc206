// Figures of tests: reported by the tests, judged by the bench.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { judge, nodeOutput, unsaid } from "../../bench/tests-say.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { isWanted, measuredAndJudged, measuredLine, measurementsIn } from "../measured.mjs";

test("reported figures can be read again, from the output of any runner", () => {
  const lines = [
    `    # ${measuredLine("list", 123.4567, "OTP 25")}`,
    `ℹ ${measuredLine("bpf, C code complete", 99.912, "RabbitMQ on OTP 27, bpf")}`,
    measuredLine("flame graph of 500,000 frames, first paint", 1234.5),
    "measured: no such figure: 1 ms",
    measuredLine("samples lost", NaN),
  ];
  const read = measurementsIn(lines.join("\n"));
  assert.deepEqual(
    read.map(({ name, where }) => [name, where]),
    [
      ["list", "OTP 25"],
      ["bpf, C code complete", "RabbitMQ on OTP 27, bpf"],
      ["flame graph of 500,000 frames, first paint", ""],
      ["samples lost", ""],
    ],
  );
  assert.deepEqual(
    read.map(({ value }) => value),
    [123.5, 99.91, 1235, NaN],
  );
});

test("a figure is wanted on the right side of its limits, and one that is none never", () => {
  assert.deepEqual([isWanted("list", 1000), isWanted("list", 1001)], [true, false]);
  assert.deepEqual([isWanted("bpf, C code complete", 98), isWanted("bpf, C code complete", 97.9)], [true, false]);
  assert.deepEqual(
    [isWanted("samples beside the processor time used", 89), isWanted("samples beside the processor time used", 101)],
    [false, true],
  );
  assert.equal(isWanted("list", NaN), false);
  assert.equal(isWanted("no such figure", 1), false);
});

test("a test that the bench does not run states itself whether its figure is as wanted, and does not fail", () => {
  const said = (/** @type {number} */ minutes) => {
    /** @type {string[]} */
    const lines = [];
    const t = { diagnostic: (/** @type {string} */ line) => void lines.push(line) };
    measuredAndJudged(t, "gate beside a disturbance, longest run", minutes, "run 2 of 10");
    return lines;
  };
  const name = "measured: gate beside a disturbance, longest run";
  assert.deepEqual(said(17), [`${name}: 17 min (run 2 of 10)`, "as wanted: at most 30 min"]);
  assert.deepEqual(said(30.5), [`${name}: 30.5 min (run 2 of 10)`, "NOT AS WANTED: at most 30 min"]);
});

test("the worst of several decides", () => {
  const said = [
    { name: "list", value: 100, where: "a" },
    { name: "list", value: 2000, where: "b" },
    { name: "bpf, C code complete", value: 99, where: "c" },
  ];
  assert.deepEqual(
    judge(said).map(({ name, worst, where, passes }) => ({ name, worst, where, passes })),
    [
      { name: "list", worst: 2000, where: "b", passes: false },
      { name: "bpf, C code complete", worst: 99, where: "c", passes: true },
    ],
  );
});

test("the bench runs tests as by night: some figures have their subject only then", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-measured-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "figure.test.mjs");
  const line = JSON.stringify(measuredLine("list", 1, "by night"));
  writeFileSync(
    file,
    `import { test } from "node:test";
     import { isNightly } from ${JSON.stringify(pathToFileURL(join(ROOT, "test/nightly.mjs")))};
     test("one", (t) => t.diagnostic(isNightly ? ${line} : "by day"));`,
  );
  assert.deepEqual(measurementsIn(await nodeOutput([file])), [{ name: "list", value: 1, where: "by night" }]);
});

test("a figure that no test reports is listed, and one that the bench measures itself is not", () => {
  const missing = unsaid(judge([{ name: "list", value: 1, where: "" }]));
  assert.deepEqual(
    [
      ...["list", "pstack", "attaching to RabbitMQ on OTP 25"],
      // Its tests take hours: the bench does not run them.
      "gate beside a disturbance, longest run",
    ].map((name) => missing.includes(name)),
    [false, true, false, false],
  );
});
