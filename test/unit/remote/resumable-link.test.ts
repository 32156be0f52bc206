// A conversation over connections that are cut at any byte: each side receives exactly the messages of the other.
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import {
  encodeFrame,
  ForeignFrame,
  FrameReader,
  MAX_DATA_BYTES,
  type LinkFrame,
} from "../../../extension/src/remote/link-frames.js";
import { ResumableLink } from "../../../extension/src/remote/resumable-link.js";
import { until } from "../../until.mjs";

const FRAMES: readonly LinkFrame[] = [
  { kind: "hello", received: 2 ** 40 },
  { kind: "data", bytes: Buffer.from("Content-Length: 2\r\n\r\n{}") },
  { kind: "data", bytes: Buffer.alloc(MAX_DATA_BYTES, 7) },
  { kind: "received", received: Number.MAX_SAFE_INTEGER },
  { kind: "bye" },
];

test("frames come back as they were, whatever pieces they come in", () => {
  const bytes = Buffer.concat(FRAMES.map(encodeFrame));
  for (const pieceBytes of [1, 2, 5, 4096, bytes.length]) {
    const reader = new FrameReader();
    const read: LinkFrame[] = [];
    for (let at = 0; at < bytes.length; at += pieceBytes)
      read.push(...reader.feed(bytes.subarray(at, at + pieceBytes)));
    assert.deepEqual(read, FRAMES);
  }
});

test("what is no frame is refused before it is waited for", () => {
  const foreign = [
    [9, 0, 0, 0, 0],
    [2, 255, 255, 255, 255],
    [3, 0, 0, 0, 3],
    [4, 0, 0, 0, 1],
    [1, 0, 0, 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0],
    [3, 0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 255],
  ];
  for (const bytes of foreign) assert.throws(() => new FrameReader().feed(Buffer.from(bytes)), ForeignFrame);
});

/** A connection of two sides that carries so many bytes each way and is cut then. */
function connect(one: ResumableLink, other: ResumableLink, cutAfterBytes: number): void {
  const limited = () => {
    const stream = new PassThrough();
    let left = cutAfterBytes;
    const write = stream.write.bind(stream);
    stream.write = ((bytes: Buffer) => {
      const carried = bytes.subarray(0, left);
      left -= carried.length;
      return carried.length > 0 && write(carried);
    }) as PassThrough["write"];
    return stream;
  };
  const [there, back] = [limited(), limited()];
  one.connect(back, there, assert.fail);
  other.connect(there, back, assert.fail);
}

function heard(link: ResumableLink) {
  const pieces: Buffer[] = [];
  let length = 0;
  link.output.on("data", (bytes: Buffer) => {
    pieces.push(bytes);
    length += bytes.length;
  });
  return { length: () => length, bytes: () => Buffer.concat(pieces) };
}

test("over connections that are cut after any number of bytes nothing is lost, doubled or out of order", async () => {
  const [one, other] = [new ResumableLink(), new ResumableLink()];
  const [atOther, atOne] = [heard(other), heard(one)];
  const said: Buffer[] = [];
  for (let cutAfterBytes = 0; cutAfterBytes < 200; cutAfterBytes++) {
    for (const link of [one, other]) {
      const piece = Buffer.from(`piece ${String(cutAfterBytes)} `);
      link.input.write(piece);
      if (link === one) said.push(piece);
    }
    connect(one, other, cutAfterBytes);
    await new Promise(setImmediate);
  }
  connect(one, other, Infinity);
  const text = Buffer.concat(said);
  await until("all is heard", () => atOther.length() >= text.length && atOne.length() >= text.length);
  assert.deepEqual([atOther.bytes(), atOne.bytes()], [text, text]);
});

test("a sender beyond the confirmed bytes waits, and continues once they are confirmed", async () => {
  const [one, other] = [new ResumableLink(), new ResumableLink()];
  const atOther = heard(other);
  const piece = Buffer.alloc(1 << 20, 1);
  let taken = 0;
  for (let count = 0; count < 40; count++) one.input.write(piece, () => taken++);
  await new Promise(setImmediate);
  assert.ok(taken <= 17, `${String(taken)} MiB are kept at most`);
  connect(one, other, Infinity);
  await until("all is heard", () => atOther.length() === 40 * piece.length);
  assert.equal(taken, 40);
});

test("a host that confirms unsent bytes, or sends invalid frames, is reported and left", () => {
  const nonsense: LinkFrame[][] = [
    [{ kind: "data", bytes: Buffer.from("before hello") }],
    [{ kind: "hello", received: 1 }],
    [
      { kind: "hello", received: 0 },
      { kind: "hello", received: 0 },
    ],
    [
      { kind: "hello", received: 0 },
      { kind: "received", received: 9 },
    ],
  ];
  for (const frames of nonsense) {
    const link = new ResumableLink();
    const [fromHost, toHost] = [new PassThrough(), new PassThrough()];
    let why = "";
    link.connect(fromHost, toHost, (told) => (why = told));
    fromHost.emit("data", Buffer.concat(frames.map(encodeFrame)));
    assert.notEqual(why, "");
    assert.equal(fromHost.listenerCount("data"), 0);
    assert.equal(link.isOver, false);
  }
});

test("bye ends the stream, and bytes before it are received", async () => {
  const [one, other] = [new ResumableLink(), new ResumableLink()];
  const atOther = heard(other);
  connect(one, other, Infinity);
  await new Promise(setImmediate);
  one.input.end("last words");
  await until("it is over", () => other.isOver && other.output.readableEnded);
  assert.equal(atOther.bytes().toString(), "last words");
});
