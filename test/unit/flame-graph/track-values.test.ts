import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketAfter, linesText, trackSummary, trackValue } from "../../../webviews/flame-graph/track-values.js";

test("values have their unit, and a value that was not read is not 0", () => {
  assert.equal(trackValue("largestMailbox", 12_345), "12,345");
  assert.equal(trackValue("memory", 2.5e9), "2.50 GB");
  assert.equal(trackValue("collectionRate", 3.25), "3.3 per second");
  assert.equal(trackValue("reductionRate", 1_234_567.8), "1,234,568 per second");
  assert.equal(trackValue("ioInRate", 1500), "1.50 kB per second");
  assert.equal(trackValue("runQueue", Number.NaN), "not read");
});

test("all of a track is its least and its most", () => {
  assert.equal(trackSummary("runQueue", Float64Array.of(Number.NaN, 3, 20, Number.NaN)), "3 to 20");
  assert.equal(trackSummary("runQueue", Float64Array.of(5, 5)), "5");
  assert.equal(trackSummary("runQueue", Float64Array.of(Number.NaN)), "not read");
});

test("each of several VMs has its name, up to a number that can be read aloud", () => {
  assert.equal(linesText([{ node: undefined, figure: "3 to 20" }]), "3 to 20");
  assert.equal(
    linesText([
      { node: "a@h", figure: "3" },
      { node: "b@h", figure: "not read" },
    ]),
    "a@h: 3; b@h: not read",
  );
  const many = Array.from({ length: 32 }, (_, at) => ({ node: `n${at}`, figure: "1" }));
  assert.match(linesText(many), /; n7: 1 and 24 more$/);
  assert.equal(linesText([]), "not read", "the filter left no VM");
});

test("keys go from bucket to bucket and stay inside", () => {
  assert.equal(bucketAfter("ArrowRight", null, 30), 0);
  assert.equal(bucketAfter("ArrowLeft", null, 30), 29);
  assert.equal(bucketAfter("ArrowRight", 29, 30), 29);
  assert.equal(bucketAfter("PageDown", 12, 30), 2);
  assert.equal(bucketAfter("PageDown", 5, 30), 0);
  assert.equal(bucketAfter("Home", 5, 30), 0);
  assert.equal(bucketAfter("End", 5, 30), 29);
  assert.equal(bucketAfter("Escape", 5, 30), null);
  assert.equal(bucketAfter("Escape", null, 30), undefined);
  assert.equal(bucketAfter("a", 5, 30), undefined);
});
