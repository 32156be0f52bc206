// The hottest function in the status bar.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { hottestText } from "../../../extension/src/captures/hottest-text.js";

const capture = decodeCapture(readFileSync("test/unit/capture/fixtures/demo.pb.gz"));

test("the share of the hottest function has the base that is set, and is marked where its own samples are few", () => {
  const self = capture.functions.map(({ kind }, index) => (kind === "erlang" ? capture.functionCounts(index).self : 0));
  const most = Math.max(...self);
  const { samples, busy } = capture.totals;
  const of = (whole: number, minimumSamples: number) =>
    hottestText(capture, { attribution: "self", whole, minimumSamples, language: "en" })?.long;
  const name = capture.functions[self.indexOf(most)]?.name ?? "";
  const percent = (whole: number) => `${String(Math.round((100 * most) / whole))}%`;
  assert.equal(of(busy, most), `${name} ${percent(busy)}`);
  assert.equal(of(samples, most), `${name} ${percent(samples)}`);
  // The capture has enough of them, the function does not have enough.
  assert.ok(busy > most + 1);
  assert.equal(of(busy, most + 1), `${name} ≈ ${percent(busy)}`);
});
