// Classes of samples have one home: every class has its words there, and the blame panel knows the query of each class.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SampleClass } from "../../../contract/protocol.generated.js";
import { blameQueryOf, classWordsOf, isSampleClass, SAMPLE_CLASSES } from "../../../contract/sample-classes.js";
import { NATIVE_GROUPS } from "../../../extension/src/capture/answers/native-query.js";

const words = { t: (message: string) => `<${message}>` };

test("every class has words of its own, in the chosen language", () => {
  const wordsOf = classWordsOf(words);
  const all = [...SAMPLE_CLASSES, null].map((sampleClass) => wordsOf(sampleClass));
  for (const key of ["label", "name", "help"] as const) {
    const texts = all.map((found) => found[key]);
    assert.equal(new Set(texts).size, texts.length, key);
    for (const text of texts) assert.match(text, /^<[A-Z].*>$/);
  }
});

test("an unknown class has the words of none", () => {
  const wordsOf = classWordsOf(words);
  for (const strange of ["constructor", "__proto__", "GC", ""]) {
    assert.equal(isSampleClass(strange), false, strange);
    assert.equal(wordsOf(strange as SampleClass), wordsOf(null), strange);
  }
});

test("a class selects a group of C functions, or NIFs", () => {
  const groups = NATIVE_GROUPS.map(({ name }) => name);
  const asked = SAMPLE_CLASSES.map((sampleClass) => blameQueryOf(sampleClass)).filter(
    (query) => query !== "" && query !== "nif:",
  );
  assert.deepEqual([...asked].sort(), [...groups].sort());
  assert.equal(blameQueryOf("nif"), "nif:");
  assert.equal(blameQueryOf(null), "");
});
