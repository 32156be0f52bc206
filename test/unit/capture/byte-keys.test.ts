import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteKeys } from "../../../extension/src/capture/columns/byte-keys.js";

test("keys of any length are found again, and none is taken for another", () => {
  const random = generator(3);
  const message = new Uint8Array(200_000);
  // Few different bytes, so that many keys differ in one only.
  for (let at = 0; at < message.length; at++) message[at] = random() % 3;
  const keys = new ByteKeys();
  keys.readFrom(message);
  const known = new Map<string, number>();
  for (let round = 0; round < 40_000; round++) {
    const start = random() % (message.length - 40);
    const end = start + (random() % 40);
    const text = message.subarray(start, end).join("");
    assert.equal(keys.find(start, end), known.get(text) ?? -1, text);
    if (known.has(text)) continue;
    keys.addMissed(start, end, known.size);
    known.set(text, known.size);
  }
  assert.ok(known.size > 10_000, `${known.size} different keys`);
});

test("what one message has taught holds for the next, wherever in its memory that begins", () => {
  const keys = new ByteKeys();
  keys.readFrom(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9]));
  assert.equal(keys.find(0, 9), -1);
  keys.addMissed(0, 9, 7);
  keys.readFrom(Uint8Array.from([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).subarray(3));
  assert.equal(keys.find(0, 9), 7);
  assert.equal(keys.find(0, 8), -1);
});

test("keys made to want the same slot cost no more than others: most are not kept", () => {
  const PAIRS = 12;
  const keys = new ByteKeys();
  const message = new Uint8Array((1 << PAIRS) * PAIRS * 16);
  const view = new DataView(message.buffer);
  // A change of the highest bit of a word comes out of the multiplication as it went in, and that of the next word of the same sum takes it back.
  for (let key = 0; key < 1 << PAIRS; key++) {
    for (let pair = 0; pair < PAIRS; pair++) {
      if ((key & (1 << pair)) === 0) continue;
      view.setUint32((key * PAIRS + pair) * 16, 0x80000000, true);
      view.setUint32((key * PAIRS + pair) * 16 + 8, 0x80010000, true);
    }
  }
  keys.readFrom(message);
  const span = (key: number) => [key * PAIRS * 16, (key + 1) * PAIRS * 16] as const;
  for (let key = 0; key < 1 << PAIRS; key++) {
    assert.equal(keys.find(...span(key)), -1);
    keys.addMissed(...span(key), key);
  }
  const found = Array.from({ length: 1 << PAIRS }, (_, key) => keys.find(...span(key)));
  const kept = found.filter((value) => value >= 0).length;
  assert.ok(kept > 0 && kept < 1000, `${kept} kept`);
  assert.ok(found.every((value, key) => value === -1 || value === key));
});

/** The same numbers every time. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}
