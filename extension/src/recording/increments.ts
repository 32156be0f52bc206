// From the helper's notifications to a growing capture, with nothing left out. No vscode in here.

import type { CaptureIncrementParams, CaptureResyncParams } from "../../../contract/protocol.generated.js";
import type { Capture } from "../capture/questions.js";

/** Reads bytes `from` up to but not including `to` of a file. */
export type ReadRange = (file: string, from: number, to: number) => Promise<Uint8Array>;

type Step =
  | { readonly sequence: number; readonly fileBytes: number; readonly bytes: Uint8Array }
  | { readonly resync: CaptureResyncParams };

/**
 * Appends increments in their order. What the helper left out is read from the file: increments are members of the
 * file, so the bytes after the last one appended are the ones that are missing.
 */
export class Increments {
  #waiting: Step[] = [];
  #nextSequence = 0;
  #fileBytes = 0;
  #resynced = false;
  #problem: Error | undefined;

  constructor(
    readonly capture: Capture,
    private readonly readRange: ReadRange,
    /** Receives the appended bytes, in the order of the file. */
    private readonly keep: (bytes: Uint8Array) => void = () => {},
  ) {}

  /** Whether increments were left out: then the whole file is read again after the end, as the protocol demands. */
  get needsWholeFile(): boolean {
    return this.#resynced || this.#problem !== undefined;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** No increment has been appended. */
  get hasNothing(): boolean {
    return this.#fileBytes === 0;
  }

  /** Why the capture in memory stopped growing; the file still does. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  add({ sequence, fileBytes, gzipBase64 }: CaptureIncrementParams): void {
    this.#waiting.push({ sequence, fileBytes, bytes: Buffer.from(gzipBase64, "base64") });
  }

  resync(params: CaptureResyncParams): void {
    this.#resynced = true;
    this.#waiting.push({ resync: params });
  }

  /**
   * Appends all that waits. Never throws: see `problem`.
   * @returns whether the capture grew, and how long decoding and counting took, waiting for the disk not included
   */
  async flush(): Promise<{ grew: boolean; costMs: number }> {
    let costMs = 0;
    let grew = false;
    while (this.#problem === undefined) {
      const step = this.#waiting.shift();
      if (step === undefined) break;
      try {
        const bytes = "resync" in step ? await this.#missing(step.resync) : this.#inOrder(step);
        if (bytes.length === 0) continue;
        this.keep(bytes);
        const start = performance.now();
        this.capture.append(bytes);
        costMs += performance.now() - start;
        grew = true;
      } catch (error) {
        this.#problem = error instanceof Error ? error : new Error(String(error));
        this.#waiting = [];
      }
    }
    return { grew, costMs };
  }

  #inOrder({ sequence, fileBytes, bytes }: Extract<Step, { sequence: number }>): Uint8Array {
    if (sequence !== this.#nextSequence)
      throw new Error(`increment ${String(sequence)} came instead of ${String(this.#nextSequence)}`);
    this.#nextSequence = sequence + 1;
    this.#fileBytes = fileBytes;
    return bytes;
  }

  async #missing({ file, fileBytes, nextSequence }: CaptureResyncParams): Promise<Uint8Array> {
    const from = this.#fileBytes;
    this.#nextSequence = nextSequence;
    this.#fileBytes = fileBytes;
    return fileBytes > from ? this.readRange(file, from, fileBytes) : new Uint8Array();
  }
}
