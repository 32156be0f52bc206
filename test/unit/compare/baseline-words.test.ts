// The status bar's text about the baseline, and the place of its file after a rename.
import assert from "node:assert/strict";
import { test } from "node:test";
import { movedPath } from "../../../extension/src/captures/moved-path.js";
import {
  baselineName,
  baselineState,
  notComparedText,
  type BaselineFacts,
} from "../../../extension/src/comparison/baseline-words.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const NOW_MS = new Date(2026, 10, 21, 18, 30).getTime();
const IN_VIEW = { name: "after.pb.gz", isLive: false, isBaseline: false, isSeveral: false };

function state(more: Partial<BaselineFacts>): [boolean, string] {
  const { isTrouble, sentences } = baselineState(
    { name: "before.pb.gz", isGone: false, inView: undefined, ...more },
    ENGLISH,
  );
  return [isTrouble, sentences.join(" ")];
}

test("a baseline is called by its name, or by its time if the name has nothing else", () => {
  const name = (file: string) => baselineName(file, NOW_MS, "en-GB");
  assert.equal(name("before the change.pb.gz"), "before the change");
  assert.equal(name("shop-20261121-180112-ab12cd3.pb.gz"), "18:01");
  assert.equal(name("shop-20261120-180112-2.pb.gz"), "20 Nov 2026, 18:01");
  assert.equal(name(`${"x\u202e".repeat(200)}.pb.gz`).length, 40);
});

test("the status shows the compared captures, the others and the reason", () => {
  const compared = "Captures are compared with the baseline before.pb.gz.";
  assert.deepEqual(state({}), [false, compared]);
  assert.deepEqual(state({ inView: IN_VIEW }), [false, compared]);
  assert.deepEqual(state({ inView: { ...IN_VIEW, isLive: true } }), [
    false,
    `${compared} The capture in view is compared when it ends.`,
  ]);
  assert.deepEqual(state({ inView: { ...IN_VIEW, isBaseline: true } }), [
    false,
    `${compared} It is the capture in view.`,
  ]);
  assert.match(state({ inView: { ...IN_VIEW, isSeveral: true } })[1], /of several files/);
  assert.deepEqual(state({ inView: { ...IN_VIEW, problem: "they are of two projects" } }), [
    true,
    `${compared} after.pb.gz is not compared: they are of two projects`,
  ]);
  assert.deepEqual(state({ isGone: true, inView: IN_VIEW }), [
    true,
    "The baseline before.pb.gz was deleted, renamed or moved.",
  ]);
});

test("why a capture is not compared is in the language of the editor", () => {
  const unread = { capture: "a.pb.gz", problem: "difference", why: "a value of it is below zero" } as const;
  for (const [answer, english, german] of [
    [
      { type: "refused", value: { kind: "no_samples", values: ["after"], text: "" } },
      /^after has no busy samples/,
      /^after hat keine/,
    ],
    [{ type: "unread", value: unread }, /^a\.pb\.gz: values of it are below zero/, /^a\.pb\.gz: Werte darin/],
    [{ type: "failed", value: "the request is cut" }, /^the computation failed/, /^die Berechnung ist fehlgeschlagen/],
  ] satisfies [Parameters<typeof notComparedText>[0], RegExp, RegExp][]) {
    assert.match(notComparedText(answer, ENGLISH), english);
    assert.match(notComparedText(answer, GERMAN), german);
  }
});

test("a rename moves the file itself and what is in a folder, and nothing else", () => {
  assert.equal(movedPath("/a/b.pb.gz", "/a/b.pb.gz", "/a/c.pb.gz"), "/a/c.pb.gz");
  assert.equal(movedPath("/a/b.pb.gz", "/a", "/x/y"), "/x/y/b.pb.gz");
  assert.equal(movedPath("/a/b.pb.gz", "/a/b", "/x"), undefined);
  assert.equal(movedPath("/ab/c.pb.gz", "/a", "/x"), undefined);
});
