// The scan of a capture that no user requested: files of any content, in pieces of any size, cost no more than their
// length.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CaptureError, decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { readComments } from "../../../extension/src/capture/decode/profile-comments.js";
import { MOST_KEPT, ProfileScanner, type ProfileScan } from "../../../extension/src/capture/decode/profile-scan.js";
import { MAX_COMMENT_BYTES, MAX_COMMENTS } from "../../../extension/src/capture/limits.generated.js";
import { ProfileBuilder } from "./profile-builder.js";

const DEMO = gunzipSync(readFileSync("test/unit/capture/fixtures/demo.pb.gz"));
const MIB = 1024 * 1024;
const [STRING, COMMENT] = [6, 13];
/** A tag and a length are copied when they come in two pieces. */
const HEAD = 20;

function varint(value: number): Buffer {
  const bytes = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}

/** The beginning of a field that claims so many bytes. */
function claim(field: number, length: number): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(length)]);
}

function text(content: string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([claim(STRING, bytes.length), bytes]);
}

function fed(bytes: Uint8Array, size: number, scanner = new ProfileScanner()): ProfileScanner {
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
  return scanner;
}

/** The result, or the error's text. */
function outcome(bytes: Uint8Array, sizes: () => number): ProfileScan | string {
  const scanner = new ProfileScanner();
  try {
    for (let at = 0; at < bytes.length;) {
      const size = sizes();
      scanner.push(bytes.subarray(at, at + size));
      at += size;
    }
    return scanner.result();
  } catch (error) {
    assert.ok(error instanceof CaptureError, String(error));
    return error.message;
  }
}

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("packed comments that claim a gigabyte are read as they come, and nothing of them is kept but the last ones", () => {
  const scanner = new ProfileScanner();
  scanner.push(Buffer.concat([text(""), text('extrospect/user {"note":"kept"}'), claim(COMMENT, 1024 * MIB)]));
  const piece = Buffer.alloc(16 * 1024, 1);
  for (let sent = 0; sent < 8 * MIB; sent += piece.length) scanner.push(piece);
  assert.equal(scanner.copiedBytes, 0);
  const { comments, isWhole } = scanner.result();
  assert.deepEqual(comments, ['extrospect/user {"note":"kept"}'], "once, however often it is named");
  assert.equal(isWhole, false);
});

test("packed numbers may be cut anywhere, and one that never ends is refused", () => {
  const builder = new ProfileBuilder();
  const wanted = Array.from({ length: 300 }, (_, number) =>
    builder.string(`extrospect/user {"note":"${String(number)}"}`),
  );
  const packed = Buffer.concat(wanted.map(varint));
  const message = Buffer.concat([gunzipSync(builder.gzip()), claim(COMMENT, packed.length), packed]);
  for (const size of [1, 2, 3, 1000, message.length])
    assert.equal(readComments(fed(message, size).result().comments).user?.note, "299", String(size));
  const endless = Buffer.concat([claim(COMMENT, 100), Buffer.alloc(100, 0xff)]);
  const cut = Buffer.concat([claim(COMMENT, 2), Buffer.from([1, 0x80]), text("more")]);
  for (const bytes of [endless, cut])
    for (const size of [1, bytes.length]) assert.throws(() => fed(bytes, size), CaptureError);
});

test("a string of others is passed over byte by byte, and one of ours is copied once", () => {
  const other = Buffer.concat([claim(STRING, MIB), Buffer.from("extrospecT"), Buffer.alloc(MIB - 10, 97)]);
  const passed = fed(other, 1);
  assert.ok(passed.copiedBytes <= HEAD, String(passed.copiedBytes));
  assert.deepEqual([passed.result().strings, passed.result().isWhole, passed.keptCharacters], [1, true, 0]);
  const ours = text(`extrospect/user ${JSON.stringify({ note: "x".repeat(MIB) })}`);
  for (const size of [1, 1000]) {
    const scanner = fed(Buffer.concat([ours, Buffer.from([COMMENT * 8, 0])]), size);
    assert.ok(scanner.copiedBytes <= ours.length + 2 * HEAD, String(scanner.copiedBytes));
    assert.equal(scanner.result().comments[0]?.length, ours.length - claim(STRING, ours.length).length);
  }
  const whole = fed(ours, ours.length);
  assert.equal(whole.copiedBytes, 0);
});

test("a length that is claimed takes no memory, and none is too large to be passed over", () => {
  for (const length of [MAX_COMMENT_BYTES + 1, 2 ** 40, 2 ** 53, 2 ** 63]) {
    const scanner = fed(Buffer.concat([claim(STRING, length), Buffer.from("extrospect/user {}")]), 1);
    assert.deepEqual([scanner.keptCharacters, scanner.result().isWhole], [0, false]);
  }
});

test("of more text than is kept the newest of each kind counts, and what no reader knows is never kept", () => {
  const scanner = new ProfileScanner();
  scanner.push(text('extrospect/target {"pid":7,"node":"shop@localhost"}'));
  let strings = 1;
  for (let number = 0; number < 40; number += 1) {
    scanner.push(text(`extrospect/user ${JSON.stringify({ note: `${String(number)} ${"x".repeat(MIB)}` })}`));
    scanner.push(text(`extrospect/kind-${String(number)} ${"y".repeat(MIB)}`));
    strings += 2;
    assert.ok(scanner.keptCharacters <= MOST_KEPT + MAX_COMMENT_BYTES, String(scanner.keptCharacters));
  }
  for (let index = 0; index < strings; index += 1)
    scanner.push(Buffer.concat([Buffer.from([COMMENT * 8]), varint(index)]));
  const facts = readComments(scanner.result().comments);
  assert.equal(facts.target?.node, "shop@localhost");
  assert.match(facts.user?.note ?? "", /^39 /);
});

test("a capture that is read parses a comment once, however often the file names it", () => {
  const builder = new ProfileBuilder().type("samples", "count");
  const index = builder.string(`extrospect/user ${JSON.stringify({ note: "kept", tags: Array(10_000).fill("x") })}`);
  const packed = Buffer.concat(Array<Buffer>(MAX_COMMENTS).fill(varint(index)));
  const message = Buffer.concat([gunzipSync(builder.gzip()), claim(COMMENT, packed.length), packed]);
  const parse = JSON.parse.bind(JSON);
  let parsed = 0;
  JSON.parse = (...given: Parameters<typeof JSON.parse>): unknown => {
    parsed += 1;
    return parse(...given);
  };
  try {
    assert.equal(decodeCapture(message).facts.user?.note, "kept");
  } finally {
    JSON.parse = parse;
  }
  assert.ok(parsed <= 2, String(parsed));
});

test("damaged messages come to the same in pieces of any size", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const next = numbers(seed);
    const bytes = Buffer.from(DEMO.subarray(0, 200 + next(4000)));
    for (let times = next(6); times > 0; times -= 1) bytes[next(bytes.length)] = next(256);
    const whole = outcome(bytes, () => bytes.length);
    assert.deepEqual(
      outcome(bytes, () => 1),
      whole,
      `seed ${String(seed)}, byte by byte`,
    );
    assert.deepEqual(
      outcome(bytes, () => 1 + next(40)),
      whole,
      `seed ${String(seed)}, in pieces`,
    );
  }
});
