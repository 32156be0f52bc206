// The status bar's text about the capture in view, and the places of the previous and the next one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { neighbourOf } from "../../../extension/src/captures/capture-neighbour.js";
import { captureName } from "../../../extension/src/captures/capture-name.js";
import { shortCaptureText, type CaptureSummary } from "../../../extension/src/captures/capture-summary.js";
import { ageText } from "../../../extension/src/text/age.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const STARTED_MS = new Date(2026, 10, 21, 14, 3).getTime();
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
  imported: null,
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

test("target and time are named, and the user's own name if there is one", () => {
  const text = (fileName: string) => shortCaptureText(SUMMARY, { ...LATER, fileName }, ENGLISH, "en-GB");
  assert.equal(text("shop@localhost-20261121-140312.pb.gz"), "shop@localhost · 14:03");
  assert.equal(text("shop@localhost-20261121-140312-2.pb.gz"), "shop@localhost · 14:03");
  assert.equal(text("shop-20261121-140312.00001-20261121T130312Z.pb.gz"), "shop@localhost · 14:03");
  assert.equal(text("before the change.pb.gz"), "before the change · shop@localhost · 14:03");
});

test("a running capture is live, and one that names neither target nor time is its file", () => {
  assert.equal(
    shortCaptureText(SUMMARY, { ...LATER, isLive: true, fileName: "a-20261121-140312.pb.gz" }, ENGLISH, "en-GB"),
    "shop@localhost · 14:03 · live",
  );
  const foreign = { ...SUMMARY, target: "", startedUnixMs: 0, durationMs: 0 };
  assert.equal(
    shortCaptureText(foreign, { ...LATER, fileName: "go-20261121-140312.pb.gz" }, ENGLISH, "en"),
    "go-20261121-140312",
  );
});

test("a long or hostile name is one short line", () => {
  const text = shortCaptureText(
    { ...SUMMARY, target: "x\n".repeat(500) },
    { ...LATER, fileName: `${"y\u202e".repeat(500)}.pb.gz` },
    ENGLISH,
    "en",
  );
  assert.ok(text.length < 120, text);
  assert.doesNotMatch(text, /[\n\u202e]/);
});

test("target and time come first, and with the date when it is not today's", () => {
  const name = (file: string, more: Partial<CaptureSummary> | null = {}, days = 0) =>
    captureName(file, more && { ...SUMMARY, ...more }, {
      nowUnixMs: STARTED_MS + days * 24 * 60 * MINUTE_MS,
      language: "en-GB",
    });
  const generated = "shop-20261121-140312-ab12cd3.pb.gz";
  assert.deepEqual(name(generated), { label: "shop@localhost · 14:03", details: "" });
  assert.deepEqual(name(generated, {}, 1), { label: "shop@localhost · 21 Nov 2026, 14:03", details: "" });
  assert.deepEqual(name("before the change.pb.gz"), { label: "before the change", details: "shop@localhost · 14:03" });
  // Nothing but its file names it.
  assert.deepEqual(name("go.pb.gz", { target: "", startedUnixMs: 0 }), { label: "go", details: "" });
  assert.deepEqual(name(generated, null), { label: "shop-20261121-140312-ab12cd3", details: "" });
});

test("waits of processes are distinguished from the CPU time of the same VM and time", () => {
  assert.deepEqual(
    captureName(
      "shop-waits-20261121-140312.pb.gz",
      { ...SUMMARY, isWaits: true },
      { nowUnixMs: STARTED_MS, language: "en-GB" },
    ),
    { label: "shop-waits · 14:03", details: "shop@localhost" },
  );
});

test("ages are shown in the largest unit that fits, in the reader's language", () => {
  assert.equal(ageText(-5, "en"), "now");
  assert.equal(ageText(59_999, "en"), "now");
  assert.equal(ageText(MINUTE_MS, "en"), "1 min. ago");
  assert.equal(ageText(90 * MINUTE_MS, "en"), "1 hr. ago");
  assert.equal(ageText(49 * 60 * MINUTE_MS, "en"), "2 days ago");
  assert.equal(
    shortCaptureText(SUMMARY, { ...LATER, fileName: "vorher.pb.gz", isLive: true }, GERMAN, "de"),
    "vorher · shop@localhost · 14:03 · live",
  );
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
