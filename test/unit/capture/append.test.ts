import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CaptureError, decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import type { Capture } from "../../../extension/src/capture/questions.js";

const GROWING = readFileSync("test/unit/capture/fixtures/demo-growing.pb.gz");
const FLAME = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: false,
  groupBy: "none",
} as const;
const MEMBERS = membersOf(GROWING);

/** The gzip members of a recording that has not ended. */
function membersOf(bytes: Buffer): Buffer[] {
  const members: Buffer[] = [];
  let start = 0;
  for (let next = 1; next <= bytes.length; next++) {
    if (next < bytes.length && !(bytes[next] === 0x1f && bytes[next + 1] === 0x8b && bytes[next + 2] === 8)) continue;
    try {
      gunzipSync(bytes.subarray(start, next));
    } catch {
      continue; // looks like the start of a member but is inside one
    }
    members.push(bytes.subarray(start, next));
    start = next;
  }
  return members;
}

/** All answers of a capture, except the revision. */
function answers(capture: Capture): unknown {
  const { sequence: _, ...flame } = capture.flame(FLAME);
  return {
    facts: capture.facts,
    totals: capture.totals,
    functions: capture.functions,
    counts: capture.functions.map((_facts, index) => [capture.functionCounts(index), capture.functionLines(index)]),
    top: capture.top(),
    erlang: capture.top({}, { onlyErlang: true }),
    blame: capture.blame("gc"),
    choices: capture.blameChoices(),
    facets: capture.facets(),
    timeline: capture.timeline(50),
    flame,
    late: capture.filteredTotals({ timeMs: { from: 1000, to: 2000 } }),
  };
}

test("the recording has members", () => {
  assert.ok(MEMBERS.length >= 5);
});

test("appending piece by piece and decoding at once give the same answers", () => {
  const whole = answers(decodeCapture(GROWING));
  const grown = newCapture();
  let samples = 0;
  for (const [index, member] of MEMBERS.entries()) {
    grown.append(member);
    assert.equal(grown.revision, index + 1);
    assert.ok(grown.totals.samples >= samples);
    samples = grown.totals.samples;
    answers(grown); // questions in between change nothing
  }
  assert.ok(samples > 500);
  assert.deepEqual(answers(grown), whole);
  const together = newCapture();
  together.append(GROWING);
  assert.deepEqual(answers(together), whole);
});

test("an index of a function stays the same while the capture grows", () => {
  const grown = newCapture();
  let before: string[] = [];
  for (const member of MEMBERS) {
    grown.append(member);
    const names = grown.functions.map(({ name }) => name);
    assert.deepEqual(names.slice(0, before.length), before);
    before = names;
  }
});

test("an increment that makes no sense changes nothing, and the next good one fits", () => {
  const [first, second, ...rest] = MEMBERS as [Buffer, Buffer, ...Buffer[]];
  const capture = newCapture();
  capture.append(first);
  const before = answers(capture);
  const plain = gunzipSync(second);
  const random = generator(7);
  let refused = 0;
  for (let round = 0; round < 60; round++) {
    const broken = Buffer.from(plain);
    for (let flips = 1 + (random() % 4); flips > 0; flips--) {
      const at = random() % broken.length;
      broken[at] = (broken[at] as number) ^ (1 << (random() % 8));
    }
    try {
      const trial = newCapture();
      trial.append(first);
      trial.append(broken);
      continue; // a flip in a number or name can make other, equally good sense
    } catch (error) {
      assert.ok(error instanceof CaptureError, String(error));
    }
    refused++;
    assert.throws(() => capture.append(broken), CaptureError);
  }
  assert.ok(refused > 20, `${refused}`);
  assert.deepEqual(answers(capture), before);
  for (const member of [second, ...rest]) capture.append(member);
  assert.deepEqual(answers(capture), answers(decodeCapture(GROWING)));
});

test("an increment without its beginning is refused", () => {
  const capture = newCapture();
  assert.throws(() => capture.append(MEMBERS[1] as Buffer), CaptureError);
  assert.equal(capture.revision, 0);
  assert.deepEqual(capture.totals, { samples: 0, busy: 0 });
});

test("a cut increment is refused, a cut file is read as far as it goes", () => {
  const bytes = GROWING.subarray(0, GROWING.length - 200);
  const [first] = MEMBERS as [Buffer];
  const capture = newCapture();
  assert.throws(() => capture.append(first.subarray(0, first.length - 9)), CaptureError);
  const whole = decodeCapture(GROWING);
  const cut = decodeCapture(bytes);
  assert.equal(cut.facts.isCut, true);
  assert.ok(cut.totals.samples > 0 && cut.totals.samples < whole.totals.samples);
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}
