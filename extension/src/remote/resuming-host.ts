// A helper on another machine whose line may be cut: it waits there for a while, and the editor comes back to it. No vscode in here.

import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Words } from "../../../contract/plain-text.js";
import { Deadline } from "../deadline.js";
import { HelperError } from "../helper/helper-error.js";
import type { ProgramProcess, RunningProgram } from "../helper/running-program.js";
import { errorText } from "../text/error-text.js";
import { MessageBounds } from "./message-bounds.js";
import { ResumableLink } from "./resumable-link.js";
import { startOnHost, type HostProgram, type HostWish } from "./ssh-helper.js";

/** How long helper and editor wait for each other. */
export const RESUME_SECONDS = 60;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** A connection that lasts so long is one; what ends sooner counts as the same cut. */
const STABLE_MS = 10_000;

export interface ResumeWish {
  /** How long the helper there waits for a reconnection, and this side tries to make one. */
  readonly forSeconds: number;
  /** The line was cut, or is back. */
  readonly onLine: (line: "cut" | "back", why: string) => void;
}

/**
 * Connects and starts, as {@link startOnHost}; a line that is cut later is connected again. Its signal ends the
 * conversation, whenever that is.
 * @throws {HelperError} with the remedy
 */
export async function startResumableOnHost(wish: HostWish, resume: ResumeWish, l10n: Words): Promise<HostProgram> {
  const name = randomBytes(16).toString("hex");
  const first = await startOnHost({ ...wish, session: { name, keepForSeconds: resume.forSeconds } }, l10n);
  const session = new HostSession({ ...wish, session: { name } }, resume, l10n);
  session.goOn(first);
  // An abort before the answer, by the same signal, leaves nothing behind either.
  wish.signal?.addEventListener("abort", () => session.kill("SIGKILL"), { once: true });
  return {
    ...first,
    child: session,
    input: session.link.input,
    output: session.link.output,
    gone: (how) => session.gone(how),
    endedEarly: (how) =>
      session.foreignOutput === ""
        ? first.endedEarly(how)
        : new HelperError(
            "unreachable",
            l10n.t("The helper on {0} did not start", wish.destination),
            session.foreignOutput,
            first.advice?.noHelper ?? "",
          ),
  };
}

/** What carries the conversation at the moment, as if it were one process. */
class HostSession extends EventEmitter implements ProgramProcess {
  readonly #bounds = new MessageBounds();
  readonly link = new ResumableLink((bytes) => {
    this.#bounds.feed(bytes);
  });
  readonly stderr = new PassThrough();
  #program: RunningProgram | undefined;
  #hasEnded = false;
  #why = "";
  #foreignOutput = "";
  #connectedAtMs = 0;
  #cutAtMs = -Infinity;
  #pauseMs = FIRST_PAUSE_MS;
  readonly #givenUp = new AbortController();
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  constructor(
    private readonly wish: HostWish,
    private readonly resume: ResumeWish,
    private readonly l10n: Words,
  ) {
    super();
    // There may be no listener.
    this.stderr.resume();
    // The last bytes were sent: the connection that carries them may end.
    this.link.input.once("finish", () => this.#program?.input.end());
  }

  get pid(): number | undefined {
    return this.#program?.child.pid;
  }

  /** The part of its output that no helper would write, one clause; empty without one. */
  get foreignOutput(): string {
    return this.#foreignOutput;
  }

  /** No reconnection will follow. */
  kill(signal?: NodeJS.Signals): boolean {
    this.#givenUp.abort();
    const killed = this.#program?.child.kill(signal) ?? false;
    if (this.#program === undefined) this.#end();
    return killed;
  }

  /** Why it is gone. @param how one clause, of the connection that was last */
  gone(how: string): string {
    const isMissing = this.#why !== "" && this.link.receivedBye && !this.#givenUp.signal.aborted;
    return isMissing
      ? this.l10n.t(
          "{0}; after the reconnection, the helper there was gone: it had ended, or the host had restarted",
          this.#why,
        )
      : this.#why || how;
  }

  /** Goes on over a connection that has just been made. */
  goOn(program: RunningProgram): void {
    this.#program = program;
    this.#connectedAtMs = performance.now();
    const { child, input, output } = program;
    child.stderr?.on("data", (bytes: Buffer) => this.stderr.write(bytes));
    output.once("end", () => {
      this.#lost(program);
    });
    child.once("exit", () => {
      // There may be no reader of its remaining output.
      output.resume();
      this.#lost(program);
    });
    this.link.connect(output, input, (why) => {
      // The line is not the cause.
      this.#foreignOutput = this.#why = this.l10n.t("it does not answer like a helper: {0}", why);
      this.kill();
    });
  }

  #lost(program: RunningProgram): void {
    const { child, output } = program;
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (program !== this.#program || !hasEnded || !output.readableEnded) return;
    this.#program = undefined;
    this.exitCode = child.exitCode;
    this.signalCode = child.signalCode;
    const isWanted = this.link.isOver || this.link.input.writableFinished || this.#givenUp.signal.aborted;
    if (isWanted) {
      this.#end();
      return;
    }
    this.link.disconnect();
    this.#why = program.gone(this.l10n.t("it ended with exit code {0}", child.exitCode ?? "?"));
    this.resume.onLine("cut", this.#why);
    if (performance.now() - this.#connectedAtMs > STABLE_MS || this.#cutAtMs < 0) {
      this.#cutAtMs = performance.now();
      this.#pauseMs = FIRST_PAUSE_MS;
    }
    void this.#comeBack();
  }

  async #comeBack(): Promise<void> {
    const deadline = new Deadline(Math.max(0, this.#cutAtMs + this.resume.forSeconds * 1_000 - performance.now()));
    const isBack = await this.#isBackBefore(deadline);
    deadline.dispose();
    if (isBack) this.resume.onLine("back", "");
    else this.#end();
  }

  async #isBackBefore(deadline: Deadline): Promise<boolean> {
    const signal = AbortSignal.any([this.#givenUp.signal, deadline.signal]);
    while (!signal.aborted) {
      await sleep(this.#pauseMs, undefined, { signal }).catch(() => {});
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
      if (signal.aborted) break;
      try {
        this.goOn(await startOnHost({ ...this.wish, signal, onProgress: () => {} }, this.l10n));
        return true;
      } catch (error) {
        const why = error instanceof HelperError ? error.why : errorText(error);
        // Repeated prompts for a passphrase do not help.
        if (/permission denied|verification failed/i.test(why)) break;
      }
    }
    return false;
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.exitCode ??= this.signalCode === null ? 1 : null;
    this.link.end();
    this.emit("exit");
  }
}
