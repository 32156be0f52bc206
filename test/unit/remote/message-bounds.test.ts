// The most that a host may send at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageBounds, UnboundedMessage } from "../../../extension/src/remote/message-bounds.js";

const message = (body: string) => `Content-Length: ${String(body.length)}\r\nContent-Type: x\r\n\r\n${body}`;

test("messages pass, whatever pieces they come in", () => {
  const bytes = Buffer.from(
    [message('{"a":1}'), message(""), message("x".repeat(100_000)), message("\r\n\r\n")].join(""),
  );
  for (const pieceBytes of [1, 3, 4096, bytes.length]) {
    const bounds = new MessageBounds();
    for (let at = 0; at < bytes.length; at += pieceBytes) bounds.feed(bytes.subarray(at, at + pieceBytes));
    assert.throws(() => {
      bounds.feed(Buffer.from("no header\r\n\r\n"));
    }, UnboundedMessage);
  }
});

test("lengths that no helper sends, and none, end it", () => {
  for (const said of [
    "Content-Length: 16777217\r\n\r\n",
    "Content-Length: 99999999999999999999\r\n\r\n",
    "Content-Length: -1\r\n\r\n",
    "\r\n\r\n",
    "y\n".repeat(4096),
  ])
    assert.throws(() => {
      new MessageBounds().feed(Buffer.from(said));
    }, UnboundedMessage);
});

test("the longest message passes after the longest header, and one byte more does not, whatever the pieces", () => {
  const header = (bytes: number, length: number) => {
    const said = `Content-Length: ${String(length)}\r\nX: `;
    return Buffer.from(`${said}${"x".repeat(bytes - said.length)}\r\n\r\n`);
  };
  for (const isPieces of [false, true]) {
    const fed = (bytes: Buffer) => {
      const bounds = new MessageBounds();
      if (isPieces) for (const byte of bytes) bounds.feed(Buffer.from([byte]));
      else bounds.feed(bytes);
      return bounds;
    };
    const longest = fed(header(4096, 16_777_216));
    longest.feed(Buffer.alloc(16_777_216));
    longest.feed(Buffer.from(message("the next one")));
    assert.throws(() => fed(header(4096, 16_777_217)), UnboundedMessage);
    assert.throws(() => fed(header(4097, 1)), UnboundedMessage);
  }
});

test("the longest header passes, and a longer one ends it, whatever pieces they come in", () => {
  const withHeaderOf = (length: number) => Buffer.from(`${"Content-Length: 0\r\n".padEnd(length, "x")}\r\n\r\n`);
  const feed = (bytes: Buffer, pieceBytes: number) => {
    const bounds = new MessageBounds();
    for (let at = 0; at < bytes.length; at += pieceBytes) bounds.feed(bytes.subarray(at, at + pieceBytes));
  };
  for (const pieceBytes of [1, 2, 3, 4000, 4096, 8192]) {
    for (const length of [4093, 4094, 4095, 4096]) {
      const longest = withHeaderOf(length);
      assert.doesNotThrow(
        () => {
          feed(longest, pieceBytes);
        },
        `${String(length)} bytes in pieces of ${String(pieceBytes)}`,
      );
    }
    for (const length of [4097, 4100, 5000])
      assert.throws(
        () => {
          feed(withHeaderOf(length), pieceBytes);
        },
        UnboundedMessage,
        `${String(length)} bytes in pieces of ${String(pieceBytes)}`,
      );
  }
});
