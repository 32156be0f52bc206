// What a host answers before its helper speaks: lines of the start script among whatever else start-up files write. No vscode in here, and nothing is read or written.

import { ANSWERS, STEPS, type FailedStep } from "./start-script.js";

export type HostAnswer =
  | { readonly kind: "need" }
  | { readonly kind: "none" }
  | { readonly kind: "unfit"; readonly machine: string }
  | { readonly kind: "failed"; readonly step: FailedStep; readonly detail: string }
  | { readonly kind: "start"; readonly isInstalled: boolean; /** The bytes after that line. */ readonly rest: Buffer };

/** So much may be written before the first answer: a long greeting, not an endless stream. */
export const MAX_NOISE_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 4096;
const MAX_DETAIL = 300;
const NEWLINE = 10;

/** The host writes endlessly, without any answer. */
export class TooMuchNoise extends Error {
  override readonly name = "TooMuchNoise";
}

/** Finds the answers in what a host writes, in pieces of any length. */
export class HostAnswers {
  #line: Buffer = Buffer.alloc(0);
  #noiseBytes = 0;
  #hasStarted = false;

  /** @param word what the lines of the script begin with */
  constructor(private readonly word: string) {}

  /**
   * The answers that are complete by now. After `start` no more may be fed.
   * @throws {TooMuchNoise}
   */
  feed(bytes: Buffer): HostAnswer[] {
    if (this.#hasStarted) throw new RangeError("the helper speaks by now");
    const answers: HostAnswer[] = [];
    let rest = bytes;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([this.#line, rest.subarray(0, end)]);
      this.#line = Buffer.alloc(0);
      rest = rest.subarray(end + 1);
      const answer = this.#answer(line.subarray(0, MAX_LINE_BYTES).toString("utf8"), rest);
      if (answer === undefined) {
        this.#count(line.length + 1);
        continue;
      }
      answers.push(answer);
      if (answer.kind !== "start") continue;
      this.#hasStarted = true;
      return answers;
    }
    // A line without an end yet counts as well.
    this.#line = Buffer.concat([this.#line, rest]);
    if (this.#noiseBytes + this.#line.length > MAX_NOISE_BYTES) throw new TooMuchNoise();
    return answers;
  }

  #count(bytes: number): void {
    this.#noiseBytes += bytes;
    if (this.#noiseBytes > MAX_NOISE_BYTES) throw new TooMuchNoise();
  }

  /** Something without a newline may stand before the line: a prompt, a greeting. */
  #answer(line: string, rest: Buffer): HostAnswer | undefined {
    const at = line.indexOf(`${this.word} `);
    if (at < 0) return undefined;
    const [keyword, ...more] = line
      .slice(at + this.word.length + 1)
      .replace(/\r$/, "")
      .split(" ");
    const detail = (from: number) => more.slice(from).join(" ").slice(0, MAX_DETAIL);
    switch (keyword) {
      case ANSWERS.need:
        return { kind: "need" };
      case ANSWERS.none:
        return { kind: "none" };
      case ANSWERS.unfit:
        return { kind: "unfit", machine: detail(0) };
      case ANSWERS.start:
        return { kind: "start", isInstalled: more[0] === "installed", rest };
      case ANSWERS.failed: {
        const step = STEPS.find((known) => known === more[0]);
        return step === undefined ? undefined : { kind: "failed", step, detail: detail(1) };
      }
      default:
        return undefined;
    }
  }
}
