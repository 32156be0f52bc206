// Bounds on a host's messages: the reader of JSON-RPC keeps a message until it is complete, whatever length it claims.
// No vscode in here.

/** The helper's own bound; see docs/protocol.md. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Headers of Extrospect take some dozens. */
const MAX_HEADER_BYTES = 4096;
const HEADER_END = "\r\n\r\n";

/** The message is longer than any of a helper, or has no length at all. */
export class UnboundedMessage extends Error {
  override readonly name = "UnboundedMessage";
}

/** Goes through a stream of messages, each with its length before it, and keeps none. */
export class MessageBounds {
  #header = "";
  #bodyBytesLeft = 0;

  /** @throws {UnboundedMessage} nothing that follows makes sense */
  feed(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#bodyBytesLeft > 0) {
        const skipped = Math.min(this.#bodyBytesLeft, bytes.length - at);
        this.#bodyBytesLeft -= skipped;
        at += skipped;
        continue;
      }
      const before = this.#header.length;
      this.#header += bytes.toString("latin1", at, at + MAX_HEADER_BYTES + HEADER_END.length);
      const end = this.#header.indexOf(HEADER_END);
      // The last bytes may begin its end: whatever pieces it comes in, the same headers pass.
      const leastHeaderBytes = end < 0 ? this.#header.length - HEADER_END.length + 1 : end;
      if (leastHeaderBytes > MAX_HEADER_BYTES) throw new UnboundedMessage("it sends no messages");
      if (end < 0) return;
      this.#bodyBytesLeft = bodyBytes(this.#header.slice(0, end));
      at += end + HEADER_END.length - before;
      this.#header = "";
    }
  }
}

function bodyBytes(header: string): number {
  const [, digits = ""] = /^content-length:\s*(\d{1,16})\s*$/im.exec(header) ?? [];
  if (digits === "") throw new UnboundedMessage("it sends a message without a length");
  if (Number(digits) > MAX_MESSAGE_BYTES) throw new UnboundedMessage(`it sends a message of ${digits} bytes`);
  return Number(digits);
}
