import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { captureOf, CaptureError, decodeCapture, readCapture } from "../../../extension/src/capture/capture-model.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { isNightly } from "../../nightly.mjs";

const FIXTURES = "test/unit/capture/fixtures";
const GROWING = readFileSync(`${FIXTURES}/demo-growing.pb.gz`);

/** The details of one function in so many, which take most of the time: each reads the whole capture. */
const DETAIL_EVERY = isNightly ? 1 : 12;

/** All answers of a capture. @param round decides for which functions the details are there by day */
function answers(capture: Capture, round: number): unknown {
  const { sequence: _, ...flame } = capture.flame({
    inverted: false,
    hideNative: false,
    hideKernel: false,
    collapseRecursion: false,
    groupBy: "none",
  });
  const ofFunctions = capture.functions.map((_, index) => [
    capture.functionCounts(index),
    capture.functionLines(index),
    (index + round) % DETAIL_EVERY === 0 ? capture.placeDetail(index) : null,
  ]);
  const { facts, totals, functions } = capture;
  return {
    facts,
    totals,
    functions,
    ofFunctions,
    top: capture.top(),
    blame: capture.blame("gc"),
    facets: capture.facets(),
    timeline: capture.timeline(20),
    flame,
  };
}

/** The result of reading at once: answers, or the reason why there are none. */
function atOnce(bytes: Uint8Array, round = 0): unknown {
  try {
    return answers(decodeCapture(bytes), round);
  } catch (error) {
    assert.ok(error instanceof CaptureError, String(error));
    return error.message;
  }
}

async function byMembers(bytes: Uint8Array, round = 0): Promise<unknown> {
  try {
    return answers(captureOf(structuredClone(await readCapture(bytes))), round);
  } catch (error) {
    assert.ok(error instanceof CaptureError, String(error));
    return error.message;
  }
}

test("a file read member by member has the same content as when read at once", async () => {
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith(".gz"));
  assert.ok(names.length >= 3, names.join());
  for (const name of names) {
    const bytes = readFileSync(`${FIXTURES}/${name}`);
    assert.deepEqual(await byMembers(bytes), atOnce(bytes), name);
  }
});

test("wherever a file is cut or damaged, both have the same result", async () => {
  const random = generator(11);
  let shown = 0;
  let refused = 0;
  for (let round = 0; round < 60; round++) {
    const at = 1 + (random() % (GROWING.length - 1));
    const bytes = round % 2 === 0 ? GROWING.subarray(0, at) : Buffer.from(GROWING);
    if (round % 2 === 1) bytes[at] = (bytes[at] as number) ^ (1 << (random() % 8));
    const expected = atOnce(bytes, round);
    if (typeof expected === "string") refused++;
    else shown++;
    assert.deepEqual(await byMembers(bytes, round), expected, `round ${round} at ${at}`);
  }
  assert.ok(shown > 10 && refused > 10, `${shown} shown, ${refused} refused`);
});

test("members that are no messages of their own are read as one", async () => {
  const plain = gunzipSync(GROWING);
  const middle = Math.floor(plain.length / 2);
  const bytes = Buffer.concat([gzipSync(plain.subarray(0, middle)), gzipSync(plain.subarray(middle))]);
  assert.deepEqual(await byMembers(bytes), atOnce(GROWING));
});

test("what looks like a member inside of one is none", async () => {
  const header = GROWING.subarray(0, 10);
  // Stored, not compressed, so that the header is there as it is.
  const bytes = Buffer.concat([gzipSync(gunzipSync(GROWING), { level: 0 }), gzipSync(comment(header), { level: 0 })]);
  assert.deepEqual(await byMembers(bytes), atOnce(bytes));
  assert.equal(typeof atOnce(bytes), "object");
});

/** A string of the string table. */
function comment(text: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x32, text.length]), text]);
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}
