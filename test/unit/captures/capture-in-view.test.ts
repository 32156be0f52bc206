// What the status bar says of the capture in view, and where the previous and the next one are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { neighbourOf } from "../../../extension/src/captures/capture-neighbour.js";
import { shortCaptureText, type CaptureSummary } from "../../../extension/src/captures/capture-summary.js";
import { ageText } from "../../../extension/src/text/age.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const STARTED_MS = Date.UTC(2026, 10, 21, 14, 3);
const MINUTE_MS = 60_000;
const SUMMARY: CaptureSummary = {
  target: "shop@localhost",
  otp: "25",
  pid: 4242,
  startedUnixMs: STARTED_MS,
  durationMs: 30_000,
  samples: 1,
  frequencyHz: 99,
  unit: "samples",
  isOwn: true,
  isWaits: false,
  isCut: false,
  quality: null,
  includeKernel: false,
  commit: "",
  branch: "",
  describe: "",
  repository: "",
  release: "",
  isDirty: false,
  sources: 0,
  host: null,
  work: null,
  note: "",
  tags: [],
  isPinned: false,
};
const LATER = { isLive: false, nowUnixMs: STARTED_MS + 30_000 + 5 * MINUTE_MS };

test("target and age are told, and the name when somebody gave it one", () => {
  const text = (fileName: string) => shortCaptureText(SUMMARY, { ...LATER, fileName }, ENGLISH, "en");
  assert.equal(text("shop@localhost-20261121-140312.pb.gz"), "shop@localhost · 5 min. ago");
  assert.equal(text("shop@localhost-20261121-140312-2.pb.gz"), "shop@localhost · 5 min. ago");
  assert.equal(text("before the change.pb.gz"), "before the change · shop@localhost · 5 min. ago");
});

test("a running capture is live, and one that names neither target nor time is its file", () => {
  assert.equal(shortCaptureText(SUMMARY, { ...LATER, isLive: true, fileName: "a-20261121-140312.pb.gz" }, ENGLISH, "en"), "shop@localhost · live");
  const foreign = { ...SUMMARY, target: "", startedUnixMs: 0, durationMs: 0 };
  assert.equal(shortCaptureText(foreign, { ...LATER, fileName: "go-20261121-140312.pb.gz" }, ENGLISH, "en"), "go-20261121-140312");
});

test("a long or hostile name is one short line", () => {
  const text = shortCaptureText({ ...SUMMARY, target: "x\n".repeat(500) }, { ...LATER, fileName: `${"y\u202e".repeat(500)}.pb.gz` }, ENGLISH, "en");
  assert.ok(text.length < 120, text);
  assert.doesNotMatch(text, /[\n\u202e]/);
});

test("ages are told in the largest unit that fits, in the reader's language", () => {
  assert.equal(ageText(-5, "en"), "now");
  assert.equal(ageText(59_999, "en"), "now");
  assert.equal(ageText(MINUTE_MS, "en"), "1 min. ago");
  assert.equal(ageText(90 * MINUTE_MS, "en"), "1 hr. ago");
  assert.equal(ageText(49 * 60 * MINUTE_MS, "en"), "2 days ago");
  assert.equal(shortCaptureText(SUMMARY, { ...LATER, fileName: "vorher.pb.gz" }, GERMAN, "de"), "vorher · shop@localhost · vor 5 Min.");
});

test("previous is older, next is newer, and there are two ends", () => {
  const newestFirst = ["c", "b", "a"];
  assert.equal(neighbourOf(newestFirst, "c", "older"), 1);
  assert.equal(neighbourOf(newestFirst, "a", "newer"), 1);
  assert.equal(neighbourOf(newestFirst, "a", "older"), undefined);
  assert.equal(neighbourOf(newestFirst, "c", "newer"), undefined);
  assert.equal(neighbourOf(newestFirst, undefined, "older"), 0);
  assert.equal(neighbourOf([], undefined, "newer"), undefined);
});
