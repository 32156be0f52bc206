import assert from "node:assert/strict";
import { test } from "node:test";
import { count, decimal, fileSize, percent, type Precision } from "../../../contract/figures.js";
import { pidOf } from "../../../extension/src/targets/attach-arguments.js";
import { asSentence } from "../../../extension/src/text/as-sentence.js";
import { baseName, fileName } from "../../../extension/src/text/base-name.js";

test("a clause becomes a sentence once", () => {
  for (const [clause, sentence] of [
    ["the file is empty", "The file is empty."],
    ["Is it?", "Is it?"],
    ["it goes on…", "It goes on…"],
    ["ärger.", "Ärger."],
    ["", ""],
  ] as const)
    assert.equal(asSentence(clause), sentence);
});

test("shares are written as the language writes them", () => {
  const english = (part: number, whole: number, precision: Precision) => percent(part, whole, "en", precision);
  assert.deepEqual(
    [english(1, 3, "tenths"), english(1, 2, "tenths"), english(0, 0, "tenths"), english(5, -1, "tenths")],
    ["33.3%", "50.0%", "0.0%", "0.0%"],
  );
  assert.deepEqual(
    [english(1, 3, "rough"), english(1, 2, "rough"), english(1.5, 1, "rough"), english(0, 9, "rough")],
    ["33.3%", "50%", "150%", "0%"],
  );
  assert.deepEqual(
    [english(1, 3, "hundredths"), english(1, 12, "hundredths"), english(0, 9, "hundredths")],
    ["33.3%", "8.33%", "0.00%"],
  );
  assert.equal(percent(12.34, 100, "en", "whole"), "12%");
  assert.equal(percent(1, 3, "de", "tenths"), "33,3\u00a0%");
});

test("a share that is not nothing does not look like nothing, but where it changes all the time", () => {
  const parts = [0.4, 0.05, 0.004, 0.001, 0.000_9];
  assert.deepEqual(
    parts.map((part) => percent(part, 100, "en", "tenths")),
    ["0.4%", "0.1%", "0.004%", "0.001%", "< 0.001%"],
  );
  assert.deepEqual(
    parts.map((part) => percent(part, 100, "en", "hundredths")),
    ["0.40%", "0.05%", "0.004%", "0.001%", "< 0.001%"],
  );
  assert.equal(percent(0.004, 100, "en", "rough"), "0.004%");
  assert.equal(percent(0.000_9, 100, "de", "rough"), "< 0,001\u00a0%");
  assert.equal(percent(0.4, 100, "en", "whole"), "0%");
});

test("counts, numbers and sizes of files", () => {
  assert.deepEqual(
    [count(1234, "en"), count(1234, "de"), decimal(1234.56, "en", 1), decimal(3, "en", 1), decimal(3, "en", 1, 0)],
    ["1,234", "1.234", "1,234.6", "3.0", "3"],
  );
  assert.deepEqual(
    [fileSize(12_345, "en"), fileSize(4_560_000, "en"), fileSize(4_560_000, "de")],
    ["12.3 kB", "4.6 MB", "4,6 MB"],
  );
});

test("the last part of a path, of a reported one on any system", () => {
  assert.deepEqual(["/a/b.erl", "b.erl", "C:\\a\\b.erl", "/a/b/", "/", ""].map(baseName), [
    "b.erl",
    "b.erl",
    "b.erl",
    "b",
    "",
    "",
  ]);
  assert.deepEqual(
    ["/a/b.pb.gz", "/a\\b.pb.gz", "/"].map((path) => fileName({ path })),
    ["b.pb.gz", "a\\b.pb.gz", ""],
  );
});

test("the process id among arguments", () => {
  assert.deepEqual(
    [
      { pid: 7 },
      { pid: 7, node: "x" },
      { pid: 0 },
      { pid: -1 },
      { pid: 1.5 },
      { pid: "7" },
      { pid: 2 ** 30 },
      {},
      null,
      undefined,
      7,
    ].map(pidOf),
    [7, 7, ...Array.from({ length: 9 }, () => undefined)],
  );
});
