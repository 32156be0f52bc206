// Starts a helper when it is first needed, watches over it, and ends it with the editor.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ProgressType,
  type CancellationToken,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import type { HelperCapabilities, HelperNotifications, Requests } from "../../../contract/protocol.generated.js";
import { withCancellableProgress } from "../messages/show-message.js";
import { errorText } from "../text/error-text.js";
import { FeaturelessClient } from "./featureless-client.js";
import { checkedAnswer, INITIALIZATION_OPTIONS, noHelperAdvice, versionMismatch } from "./handshake.js";
import { Cancelled, HelperError, isCancelled, refusalOf } from "./helper-error.js";
import type {
  Cancellation,
  CaptureListener,
  HelperMethod,
  HelperConnection,
  ProgressListener,
} from "./helper-connection.js";
import { ProgramLives, StartGivenUp } from "./program-lives.js";
import { RestartLimit } from "./restart-limit.js";
import type { ProgramProcess, RunningProgram } from "./running-program.js";
import { traceChannel } from "./trace-channel.js";

/** A start that takes longer is shown. */
const SLOW_START_MS = 15_000;
const STOP_PATIENCE_MS = 2_000;

/** One run of the program. */
interface Life {
  readonly client: FeaturelessClient;
  readonly program: RunningProgram;
  capabilities: HelperCapabilities | undefined;
  /** `requested`: the extension ended it; `byItself`: its output ended before. */
  end: "none" | "requested" | "byItself";
}

/** What starts a helper. */
export interface HelperStart {
  /**
   * Starts the program, which speaks JSON-RPC from then on; the language client does not start child processes itself.
   * Fails soon once `signal` is aborted.
   */
  readonly run: (signal: AbortSignal) => Promise<RunningProgram>;
  /**
   * Any request starts it, and it starts again after an unexpected end; else `start` alone does, by a caller that shows the
   * start to the user.
   */
  readonly startsByItself: boolean;
  /** Milliseconds after which a start that has no answer is shown; without it {@link SLOW_START_MS}. */
  readonly slowAfterMs?: number;
}

/**
 * A helper program, here or on another machine, supervised.
 *
 *     asleep --first request--> starting --handshake--> running --stop, deactivate--> asleep
 *     starting --cannot be started, other version, it ended, the user gave it up--> asleep (the request fails)
 *     starting --stop--> asleep (the request fails; the started program is ended)
 *     running --it ended by itself--> starting, at most 4 times in 3 minutes, else asleep until the user restarts it
 *
 * One that does not start by itself sleeps until `start`, and after each end.
 */
export class Helper implements HelperConnection {
  readonly #limit = new RestartLimit();
  readonly #listeners = new Set<CaptureListener>();
  readonly #gaveUp = new vscode.EventEmitter<HelperError>();
  readonly #hasStarted = new vscode.EventEmitter<void>();
  readonly #trace: vscode.LogOutputChannel;
  readonly #lives: ProgramLives<Life>;
  #progressTokens = 0;

  /** It ended once too often and is not started again until `restart`. */
  readonly onDidGiveUp = this.#gaveUp.event;
  /** It runs and answers requests. */
  readonly onDidStart = this.#hasStarted.event;

  constructor(
    private readonly how: HelperStart,
    private readonly log: vscode.LogOutputChannel,
    subscriptions: vscode.Disposable[],
  ) {
    this.#lives = new ProgramLives({
      make: (signal) => this.#made(signal),
      greet: (life, signal) => this.#shakeHands(life, signal),
      end: (life) => this.#end(life),
    });
    this.#trace = traceChannel(log, subscriptions);
    subscriptions.push(this.#gaveUp, this.#hasStarted);
  }

  async request<M extends HelperMethod>(
    method: M,
    params: Requests[M]["params"],
    token?: Cancellation,
    onProgress?: ProgressListener,
  ): Promise<Requests[M]["result"]> {
    const { client } = await unlessCancelled(namesHeld(params) ? this.#holding() : this.#running(), token);
    if (isRequested(token)) throw new Cancelled();
    const progress = onProgress === undefined ? undefined : this.#progress(client, onProgress);
    const sent = progress === undefined ? params : { ...params, workDoneToken: progress.token };
    try {
      return await (token === undefined
        ? client.sendRequest(method, sent)
        : client.sendRequest(method, sent, token as CancellationToken));
    } catch (error) {
      if (isCancelled(error) || isRequested(token)) throw new Cancelled();
      const refusal = client.isRunning() ? refusalOf(error, vscode.l10n) : undefined;
      throw refusal ?? endedBefore(errorText(error), vscode.l10n.t("Check the log, then try again."));
    } finally {
      progress?.dispose();
    }
  }

  /** A token for progress, and its listener. */
  #progress(client: FeaturelessClient, onProgress: ProgressListener): { token: string; dispose(): void } {
    this.#progressTokens += 1;
    const token = `progress-${String(this.#progressTokens)}`;
    const listening = client.onProgress(
      new ProgressType<HelperNotifications["$/progress"]["value"]>(),
      token,
      (value) => {
        if (value.kind === "report") onProgress(value.message, value.percentage);
      },
    );
    return {
      token,
      dispose: () => {
        listening.dispose();
      },
    };
  }

  listen(listener: CaptureListener): vscode.Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** The abilities that it has here; starts it, as any request. */
  async capabilities(): Promise<HelperCapabilities | undefined> {
    return (await this.#running()).capabilities;
  }

  /** Ends it, captures included, and starts it again on the user's command. */
  async restart(): Promise<void> {
    await this.stop();
    this.#limit.forget();
    await this.start();
  }

  /** Process id of the program on this machine; undefined while it does not run. */
  get pid(): number | undefined {
    return this.#lives.latest?.program.child.pid;
  }

  /** Ends it in an orderly way: captures are completed first. One that is being started is given up. */
  stop(): Promise<void> {
    return this.#lives.stop();
  }

  /** Starts it, unless it runs. */
  protected async start(): Promise<void> {
    await this.#started();
  }

  /** Gives up a start that was not answered; what runs goes on. */
  protected giveUpStart(): void {
    this.#lives.giveUpStart();
  }

  /** What to say of a request that would start one that does not start by itself. */
  protected asleep(): HelperError {
    return new HelperError("ended", vscode.l10n.t("The helper does not run"), "", vscode.l10n.t("Restart the helper."));
  }

  async #running(): Promise<Life> {
    if (!this.how.startsByItself && !this.#lives.isWanted) throw this.asleep();
    return this.#started();
  }

  /**
   * The one that holds what a request names by its number. The next one counts from one again, so the number could be
   * that of another VM there.
   */
  async #holding(): Promise<Life> {
    const life = this.#lives.answering;
    if (life !== undefined) return life;
    // Listeners are notified of the end before the request fails.
    await this.#lives.ended();
    throw this.how.startsByItself ? endedBefore("", vscode.l10n.t("Try again.")) : this.asleep();
  }

  async #started(): Promise<Life> {
    try {
      return await this.#lives.running();
    } catch (error) {
      if (!(error instanceof StartGivenUp)) throw error;
      throw endedBefore(vscode.l10n.t("it was stopped"), vscode.l10n.t("Try again."));
    }
  }

  async #made(signal: AbortSignal): Promise<Life> {
    // The manifest hides the commands that start it, but any extension can run commands.
    if (!vscode.workspace.isTrusted) throw untrusted();
    if (!this.#limit.allowsStart) throw tooManyRestarts();
    const program = await this.how.run(signal);
    const life: Life = {
      program,
      client: this.#client(program, () => this.#closed(life)),
      capabilities: undefined,
      end: "none",
    };
    return life;
  }

  #client({ input, output, child }: RunningProgram, closed: () => void): FeaturelessClient {
    const options: LanguageClientOptions = {
      outputChannel: this.log,
      traceOutputChannel: this.#trace,
      initializationOptions: INITIALIZATION_OPTIONS,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (_error, _message, count) => ({
          action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
          handled: true,
        }),
        closed: () => {
          closed();
          return { action: CloseAction.DoNotRestart, handled: true, message: "The helper closed its output" };
        },
      },
      middleware: {
        workspace: { handleApplyEdit: () => ({ applied: false }) },
        window: { showDocument: () => Promise.resolve({ success: false }) },
      },
    };
    const client = new FeaturelessClient(
      "extrospect",
      "Extrospect",
      () => Promise.resolve({ writer: input, reader: output, detached: true }),
      options,
    );
    child.stderr?.on("data", (chunk: Buffer) => {
      this.log.append(chunk.toString());
    });
    const forward = <N extends keyof HelperNotifications>(
      method: N,
      deliver: (listener: CaptureListener, params: HelperNotifications[N]) => void,
    ) => {
      client.onNotification(method, (params: HelperNotifications[N]) => {
        for (const listener of [...this.#listeners]) deliver(listener, params);
      });
    };
    forward("extrospect/capture/increment", (listener, params) => {
      listener.increment(params);
    });
    forward("extrospect/capture/resync", (listener, params) => {
      listener.resync(params);
    });
    forward("extrospect/capture/ended", (listener, params) => {
      listener.ended(params);
    });
    forward("extrospect/flight/looked", (listener, params) => listener.flightLooked?.(params));
    forward("extrospect/flight/written", (listener, params) => listener.flightWritten?.(params));
    forward("extrospect/flight/ended", (listener, params) => listener.flightEnded?.(params));
    return client;
  }

  async #shakeHands(life: Life, signal: AbortSignal): Promise<void> {
    const { client, program } = life;
    const { child, name } = program;
    const l10n = vscode.l10n;
    try {
      const answered = client.start();
      await (this.how.startsByItself ? this.#unlessGivenUp(program, answered) : answered);
    } catch (error) {
      if (error instanceof HelperError) throw error;
      const refusal = refusalOf(error, l10n);
      if (refusal?.problem === "versionMismatch") throw versionMismatch(program, refusal.why, l10n);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded) throw program.endedEarly(endOf(child));
      throw new HelperError(
        "noAnswer",
        l10n.t("The helper {0} did not start", name),
        errorText(error),
        noHelperAdvice(program, l10n),
      );
    }
    life.capabilities = checkedAnswer(client.initializeResult, program, l10n).capabilities.experimental;
    if (!signal.aborted) this.#hasStarted.fire();
  }

  /**
   * A helper that is stopped, or that starts on a busy machine, answers late: its end fails the start, and not the time. The
   * user may give it up: another program may never answer.
   */
  async #unlessGivenUp(program: RunningProgram, answered: Promise<void>): Promise<void> {
    const { l10n } = vscode;
    let timer: NodeJS.Timeout | undefined;
    const givenUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        void withCancellableProgress(l10n.t("The helper {0} has not answered yet", program.name), (token) => {
          token.onCancellationRequested(() => {
            reject(
              new HelperError(
                "noAnswer",
                l10n.t("{0} does not answer", program.name),
                l10n.t("it may be a program other than the Extrospect helper"),
                noHelperAdvice(program, l10n),
              ),
            );
          });
          return answered.catch(() => {});
        });
      }, this.how.slowAfterMs ?? SLOW_START_MS);
    });
    try {
      await Promise.race([answered, givenUp]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Its output ended: it is gone or going. */
  #closed(life: Life): void {
    if (life.end !== "none" || life.capabilities === undefined) return;
    life.end = "byItself";
    if (this.how.startsByItself) this.#limit.ended();
    void this.#lives.gone(life).then((mayStart) => {
      if (!mayStart || !this.how.startsByItself) return;
      if (!this.#limit.allowsStart) this.#gaveUp.fire(tooManyRestarts());
      else
        this.#started().catch((error: unknown) => {
          this.log.error(errorText(error));
        });
    });
  }

  async #end(life: Life): Promise<void> {
    const { client, program } = life;
    const { child } = program;
    if (life.end === "byItself") {
      // A moment later the exit code is known.
      await new Promise((resolve) => setTimeout(resolve, 50));
      const why = program.gone(endOf(child));
      this.log.error(`The helper ended by itself: ${why}`);
      this.#reportGone(why);
    }
    const exited = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else
        child.once("exit", () => {
          resolve();
        });
    });
    if (life.end === "none") {
      life.end = "requested";
      try {
        await client.stop(STOP_PATIENCE_MS);
      } catch (error) {
        this.log.debug(`Stopping the helper: ${errorText(error)}`);
      }
    }
    // It ends with its input; only one that hangs is killed.
    program.input.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS / 2);
    // What root's sudo has started may not be killed by us; it ends with its input all the same.
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, STOP_PATIENCE_MS).unref())]);
    clearTimeout(timer);
    if (life.end === "requested" && life.capabilities !== undefined) this.#reportGone(vscode.l10n.t("it was stopped"));
  }

  #reportGone(why: string): void {
    for (const listener of [...this.#listeners]) listener.helperGone(why);
  }
}

function isRequested(token: Cancellation | undefined): boolean {
  return token?.isCancellationRequested ?? false;
}

/** The result of a wait, unless the wait is cancelled before. */
async function unlessCancelled<T>(wait: Promise<T>, token: Cancellation | undefined): Promise<T> {
  if (token === undefined) return wait;
  let cancel = () => {};
  const cancelled = new Promise<never>((_, reject) => {
    cancel = () => {
      reject(new Cancelled());
    };
  });
  const listening = token.onCancellationRequested(() => {
    cancel();
  });
  try {
    return await Promise.race([wait, cancelled]);
  } finally {
    listening.dispose();
  }
}

/** How a program ended. */
export function endOf(child: ProgramProcess): string {
  if (child.signalCode !== null) return vscode.l10n.t("it was ended by signal {0}", child.signalCode);
  if (child.exitCode !== null) return vscode.l10n.t("it ended with exit code {0}", child.exitCode);
  return vscode.l10n.t("it closed its output");
}

/** Numbers that one helper has given: of attachments, captures and others. */
const HELD = ["attachmentId", "captureId", "flightId", "insideId"];

function namesHeld(params: object): boolean {
  return HELD.some((name) => name in params);
}

function endedBefore(why: string, fix: string): HelperError {
  return new HelperError("ended", vscode.l10n.t("The helper ended before it answered"), why, fix);
}

function untrusted(): HelperError {
  return new HelperError(
    "untrusted",
    vscode.l10n.t("Captures can be started in a trusted workspace only"),
    vscode.l10n.t("it starts a program on this machine"),
    vscode.l10n.t("Trust this workspace. Captures can be opened all the same."),
  );
}

function tooManyRestarts(): HelperError {
  return new HelperError(
    "tooManyRestarts",
    vscode.l10n.t("The helper ended by itself five times within three minutes"),
    vscode.l10n.t("it is not restarted automatically; the log has more details"),
    vscode.l10n.t("Restart the helper."),
  );
}
