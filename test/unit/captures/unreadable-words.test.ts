// Why the helper's reader does not read a capture, in both languages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { ReadProblem } from "../../../contract/editor-module.generated.js";
import { ENGLISH } from "../../../contract/english.js";
import { CaptureError } from "../../../extension/src/capture/capture-error.js";
import { unreadableWords } from "../../../extension/src/captures/unreadable-words.js";
import { GERMAN } from "../german.js";

const GENERATED = readFileSync("contract/editor-module.generated.ts", "utf8");

test("each kind of reason has words and a remedy in either language", () => {
  const [, kinds = ""] = /^export type ReadProblem = (.*);$/m.exec(GENERATED) ?? [];
  const problems = [...kinds.matchAll(/"(\w+)"/g)].map(([, kind = ""]) => kind as ReadProblem);
  assert.ok(problems.length > 0);
  for (const problem of problems) {
    const error = new CaptureError(problem, "there is no function 17");
    const [english, german] = [unreadableWords(error, ENGLISH), unreadableWords(error, GERMAN)];
    assert.notEqual(english.why, german.why, problem);
    assert.notEqual(english.fix, german.fix, problem);
    for (const { why, fix } of [english, german]) assert.doesNotMatch(why + fix, /\{\d\}/, problem);
  }
});

test("the two profiles that a difference is made of can be compared", () => {
  const { why, fix } = unreadableWords(new CaptureError("difference", "a value of it is below zero"), ENGLISH);
  assert.equal(why, "values of it are below zero, as in the difference of two profiles");
  assert.match(fix, /compare them/);
});
