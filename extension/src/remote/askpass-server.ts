// Receives ssh's questions: passphrases, one-time codes, keys of hosts. ssh starts a program for each, which passes the
// question to this server. No vscode in here; no answer is kept or logged.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A question of ssh. */
export interface SshQuestion {
  /** The text from ssh; it may contain any name of a host or a key. */
  readonly text: string;
  /** `confirm`: yes or no; `none`: a notice without an answer; `secret`: typed unseen. */
  readonly kind: "confirm" | "none" | "secret";
}

/**
 * The answer; undefined when the user gives none: that connection's further questions are not shown.
 * @param over aborted when ssh no longer waits for it
 */
export type Answerer = (question: SshQuestion, over: AbortSignal) => Promise<string | undefined>;

const MAX_QUESTION_BYTES = 16 * 1024;

const OWN_FOLDER = "extrospect-ask-";
const SOCKET = "ask";
/** Linux takes 107 bytes, macOS 103. Of a longer address Node may take the start, which names a socket outside of our folder. */
const MAX_ADDRESS_BYTES = 100;

/** The folder for temporary files; where its path is too long for a socket below it, the system's. */
function placeOfSocket(): string {
  const own = tmpdir();
  const address = join(own, `${OWN_FOLDER}xxxxxx`, SOCKET);
  return Buffer.byteLength(address) <= MAX_ADDRESS_BYTES ? own : "/tmp";
}

export class AskpassServer {
  readonly #server: Server;
  readonly #folder: string;
  readonly #word = randomBytes(24).toString("hex");
  readonly #address: string;
  #connections = 0;
  /** Connections that the user did not want to answer for. ssh may ask again, for a code three times. */
  readonly #givenUp = new Set<string>();

  private constructor(private readonly answerer: Answerer) {
    // Only this user may enter it. Windows has no such sockets, and no question comes from there: see `questionsReachUser`.
    this.#folder = mkdtempSync(join(placeOfSocket(), OWN_FOLDER));
    this.#address = join(this.#folder, SOCKET);
    this.#server = createServer((socket) => {
      this.#serve(socket);
    });
  }

  /** @param answerer called for each question, one at a time or several */
  static async listening(answerer: Answerer): Promise<AskpassServer> {
    const server = new AskpassServer(answerer);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject).listen(server.#address, resolve);
    });
    server.#server.unref();
    return server;
  }

  /**
   * The environment of ssh for one connection.
   * @param program the program that ssh starts for a question
   * @param main the script that this program runs by `node`
   */
  environment(program: string, main: string, node = process.execPath): NodeJS.ProcessEnv {
    return {
      SSH_ASKPASS: program,
      SSH_ASKPASS_REQUIRE: "force",
      // Versions before 8.4 use it only where there is a display.
      DISPLAY: process.env["DISPLAY"] ?? ":0",
      EXTROSPECT_ASK_NODE: node,
      EXTROSPECT_ASK_MAIN: main,
      EXTROSPECT_ASK_ADDRESS: this.#address,
      EXTROSPECT_ASK_WORD: this.#word,
      EXTROSPECT_ASK_FOR: String((this.#connections += 1)),
    };
  }

  close(): void {
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #serve(socket: Socket): void {
    let text = "";
    socket.setEncoding("utf8").on("error", () => {});
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MAX_QUESTION_BYTES) socket.destroy();
      if (!text.includes("\n")) return;
      socket.removeAllListeners("data");
      const parsed = this.#question(text);
      if (parsed === undefined) {
        socket.destroy();
        return;
      }
      const { question, connection } = parsed;
      if (this.#givenUp.has(connection)) {
        socket.end("{}\n");
        return;
      }
      const over = new AbortController();
      socket.once("close", () => over.abort());
      void this.answerer(question, over.signal)
        .catch(() => undefined)
        .then((answer) => {
          if (answer === undefined) this.#givenUp.add(connection);
          socket.end(`${JSON.stringify(answer === undefined ? {} : { answer })}\n`);
        });
    });
  }

  #question(line: string): { readonly question: SshQuestion; readonly connection: string } | undefined {
    try {
      const { word, connection, text, kind } = JSON.parse(line) as Partial<
        Record<"word" | "connection" | "text" | "kind", unknown>
      >;
      if (
        typeof connection !== "string" ||
        typeof word !== "string" ||
        typeof text !== "string" ||
        word.length !== this.#word.length
      )
        return undefined;
      if (!timingSafeEqual(Buffer.from(word), Buffer.from(this.#word))) return undefined;
      // Questions about host keys come without a hint.
      const isConfirm = kind === "confirm" || /\(yes\/no(\/\[fingerprint\])?\)\?\s*$/.test(text.trimEnd());
      return { question: { text, kind: isConfirm ? "confirm" : kind === "none" ? "none" : "secret" }, connection };
    } catch {
      return undefined;
    }
  }
}
