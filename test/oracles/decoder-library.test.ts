// The helper's decoding core, as a library behind C functions: the fixtures of its Rust tests, each against the second
// reader's result for the same bytes. A live VM is read through it by night.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type BlobFixture, type StackFixture, readFixtures } from "./decoder-fixtures.js";
import { type DecoderLibrary, STATUS, loadDecoder } from "./decoder-library.js";

const RELEASES = ["25", "27", "29"] as const;

let decoder: DecoderLibrary;
before(async () => {
  decoder = await loadDecoder();
  assert.equal(decoder.version(), 1);
});

test("fixtures: blobs", () => {
  const cases = readFixtures<BlobFixture>("blobs.json");
  assert.ok(cases.length > 5);
  for (const { name, bytes, expect } of cases) assert.deepEqual(decoder.blob(Buffer.from(bytes, "hex")), expect, name);
});

test("fixtures: stacks", () => {
  for (const release of RELEASES) {
    const cases = readFixtures<StackFixture>(`stacks-${release}.json`);
    assert.ok(cases.length > 3);
    for (const { name, otp, descriptor, process, bytes, expect } of cases) {
      assert.deepEqual(
        decoder.stack(Buffer.from(bytes, "hex"), otp, Number(descriptor), Number(process)),
        expect,
        `${release}, ${name}`,
      );
    }
  }
});

test("what is wrong with a call is a status, at every length", () => {
  const { bytes = "", otp = 0, descriptor = "", process = "" } = readFixtures<StackFixture>("stacks-27.json")[0] ?? {};
  const snapshot = Buffer.from(bytes, "hex");
  const stack = (of: Buffer, release = otp): unknown => decoder.stack(of, release, Number(descriptor), Number(process));
  assert.deepEqual(stack(snapshot, 19), { status: STATUS.unknownRelease });
  assert.deepEqual(stack(snapshot.subarray(0, -1)), { status: STATUS.malformed });
  assert.deepEqual(stack(Buffer.alloc(0)), { status: STATUS.notInSnapshot });
  for (let length = 0; length < snapshot.length; length += 7) {
    const outcome = decoder.stack(snapshot.subarray(0, length), otp, Number(descriptor), Number(process));
    assert.ok("status" in outcome && outcome.status !== STATUS.panicked, `${length} bytes: ${JSON.stringify(outcome)}`);
  }
  const room = Buffer.alloc(64);
  const raw = decoder.rawBlob;
  assert.equal(raw(null, 8, room, room.length, [0]), STATUS.nullPointer);
  assert.equal(raw(room, room.length, null, 8, [0]), STATUS.nullPointer);
  assert.equal(raw(room, room.length, room, room.length, null), STATUS.nullPointer);
  assert.equal(raw(room, 2 ** 40, Buffer.alloc(8), 8, [0]), STATUS.tooLong);
});
