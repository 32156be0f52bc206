// A conversation that outlives the connections that carry it: bytes that the other side has not confirmed are kept, and
// sent again over the next one.
// No vscode in here.

import { PassThrough, Writable, type Readable } from "node:stream";
import { encodeFrame, ForeignFrame, FrameReader, MAX_DATA_BYTES, type LinkFrame } from "./link-frames.js";
import { UnboundedMessage } from "./message-bounds.js";

/** Limit of bytes that are sent and not confirmed: beyond it, writers wait. */
const MAX_UNCONFIRMED_BYTES = 16 * 1024 * 1024;

interface Connection {
  readonly input: Writable;
  readonly frames: FrameReader;
  /** Stops listening to it. */
  readonly leave: () => void;
  /** The position of the next byte to send to it; undefined before its hello. */
  next: number | undefined;
}

export class ResumableLink {
  /** The bytes of the other side, whatever connections carry them; it ends with the conversation. */
  readonly output = new PassThrough();
  /** To the other side; its end states that this side will not reconnect. */
  readonly input: Writable;
  #unconfirmed: Buffer[] = [];
  #unconfirmedBytes = 0;
  #confirmed = 0;
  #received = 0;
  #connection: Connection | undefined;
  /** Resumes the writer that waits for room. */
  #waiting: (() => void) | undefined;
  #isOver = false;
  #receivedBye = false;

  /** @param check receives the bytes of the other side before any reader does; throws {@link UnboundedMessage} */
  constructor(private readonly check: (bytes: Buffer) => void = () => {}) {
    this.input = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#say(Buffer.from(chunk), done);
      },
      final: (done) => {
        this.#send({ kind: "bye" });
        done();
      },
    });
    // A writer after the end may not know of it yet.
    this.input.on("error", () => {});
  }

  /** The other side ended it, or it was given up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It was the other side that ended it. */
  get receivedBye(): boolean {
    return this.#receivedBye;
  }

  /**
   * Goes on over this connection, in place of any other.
   * @param fromHost its bytes belong to the conversation from here on
   * @param refused is called when its bytes make no sense; it is not read any further
   */
  connect(fromHost: Readable, toHost: Writable, refused: (why: string) => void): void {
    this.#connection?.leave();
    const listener = (bytes: Buffer) => {
      try {
        const before = this.#received;
        for (const frame of connection.frames.feed(bytes)) this.#take(connection, frame);
        if (this.#received > before) this.#send({ kind: "received", received: this.#received });
      } catch (error) {
        if (!(error instanceof ForeignFrame || error instanceof UnboundedMessage)) throw error;
        connection.leave();
        refused(error.message);
        return;
      }
      if (this.output.writableNeedDrain) {
        fromHost.pause();
        this.output.once("drain", () => fromHost.resume());
      }
    };
    const connection: Connection = {
      input: toHost,
      frames: new FrameReader(),
      leave: () => fromHost.off("data", listener),
      next: undefined,
    };
    this.#connection = connection;
    // A write to a connection that has ended is reported by its end.
    toHost.on("error", () => {});
    this.#send({ kind: "hello", received: this.#received });
    fromHost.on("data", listener);
  }

  /** The connection has ended; there may be another one. */
  disconnect(): void {
    this.#connection?.leave();
    this.#connection = undefined;
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.disconnect();
    this.output.end();
    this.#waiting?.();
  }

  #take(connection: Connection, frame: LinkFrame): void {
    if (frame.kind !== "hello" && frame.kind !== "bye" && connection.next === undefined)
      throw new ForeignFrame("it sends something before hello");
    switch (frame.kind) {
      case "hello":
        if (connection.next !== undefined) throw new ForeignFrame("it sends hello twice");
        this.#confirm(frame.received);
        connection.next = frame.received;
        this.#sendRest();
        return;
      case "data":
        this.check(frame.bytes);
        this.#received += frame.bytes.length;
        this.output.write(frame.bytes);
        return;
      case "received":
        this.#confirm(frame.received);
        return;
      case "bye":
        this.#receivedBye = true;
        this.end();
    }
  }

  #say(bytes: Buffer, done: () => void): void {
    this.#unconfirmed.push(bytes);
    this.#unconfirmedBytes += bytes.length;
    this.#sendRest();
    if (this.#isOver || this.#unconfirmedBytes <= MAX_UNCONFIRMED_BYTES) done();
    else this.#waiting = done;
  }

  /** What the connection has not got yet. */
  #sendRest(): void {
    const connection = this.#connection;
    if (connection?.next === undefined) return;
    let position = this.#confirmed;
    for (const bytes of this.#unconfirmed) {
      const skipped = Math.max(0, connection.next - position);
      for (let at = skipped; at < bytes.length; at += MAX_DATA_BYTES)
        this.#send({ kind: "data", bytes: bytes.subarray(at, at + MAX_DATA_BYTES) });
      position += bytes.length;
    }
    connection.next = position;
  }

  #confirm(received: number): void {
    if (received < this.#confirmed || received > this.#confirmed + this.#unconfirmedBytes)
      throw new ForeignFrame("it has received bytes that were never sent");
    let count = received - this.#confirmed;
    this.#confirmed = received;
    this.#unconfirmedBytes -= count;
    for (let first = this.#unconfirmed[0]; first !== undefined && count > 0; first = this.#unconfirmed[0]) {
      if (first.length > count) {
        this.#unconfirmed[0] = first.subarray(count);
        break;
      }
      count -= first.length;
      this.#unconfirmed.shift();
    }
    if (this.#unconfirmedBytes > MAX_UNCONFIRMED_BYTES) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #send(frame: LinkFrame): void {
    this.#connection?.input.write(encodeFrame(frame));
  }
}
