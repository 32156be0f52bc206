// Starts a helper when it is first needed, watches over it, and ends it with the editor.

import * as vscode from "vscode";
import { CloseAction, ErrorAction, ProgressType, type CancellationToken, type LanguageClientOptions } from "vscode-languageclient/node";
import type { HelperCapabilities, HelperNotifications, Requests } from "../../../contract/protocol.generated.js";
import { errorText } from "../text/error-text.js";
import { FeaturelessClient } from "./featureless-client.js";
import { checkedAnswer, INITIALIZATION_OPTIONS, noHelperAdvice, versionMismatch } from "./handshake.js";
import { Cancelled, HelperError, isCancelled, refusalOf } from "./helper-error.js";
import type { Cancellation, CaptureListener, HelperMethod, HelperConnection, ProgressListener } from "./helper-connection.js";
import { RestartLimit } from "./restart-limit.js";
import type { ProgramProcess, RunningProgram } from "./running-program.js";
import { traceChannel } from "./trace-channel.js";

const HANDSHAKE_PATIENCE_MS = 15_000;
const STOP_PATIENCE_MS = 2_000;

/** One run of the program. */
interface Life {
  readonly client: FeaturelessClient;
  readonly program: RunningProgram;
  capabilities: HelperCapabilities | undefined;
  /** Somebody wanted it to end. */
  unwanted: boolean;
}

/**
 * A helper program, here or on another machine, supervised.
 *
 *     asleep --first request--> starting --handshake--> running --stop, deactivate--> asleep
 *     starting --cannot be started, other version, no answer--> asleep (the request fails)
 *     running --it ended by itself--> starting, at most 4 times in 3 minutes, else asleep until the user restarts it
 */
export class Helper implements HelperConnection {
  readonly #limit = new RestartLimit();
  readonly #listeners = new Set<CaptureListener>();
  readonly #gaveUp = new vscode.EventEmitter<HelperError>();
  readonly #started = new vscode.EventEmitter<void>();
  readonly #trace: vscode.LogOutputChannel;
  #life: Promise<Life> | undefined;
  #children = new Set<Life>();
  #progressTokens = 0;

  /** It ended once too often and is not started again until `restart`. */
  readonly onDidGiveUp = this.#gaveUp.event;
  /** It runs and can be asked. */
  readonly onDidStart = this.#started.event;

  /** @param run starts the program, which speaks JSON-RPC from then on; the language client's own child processes are not asked for */
  constructor(
    private readonly run: () => Promise<RunningProgram>,
    private readonly log: vscode.LogOutputChannel,
    subscriptions: vscode.Disposable[],
  ) {
    this.#trace = traceChannel(log, subscriptions);
    subscriptions.push(this.#gaveUp, this.#started);
  }

  async request<M extends HelperMethod>(method: M, params: Requests[M]["params"], token?: Cancellation, told?: ProgressListener): Promise<Requests[M]["result"]> {
    const { client } = await this.#running();
    if (isRequested(token)) throw new Cancelled();
    const progress = told === undefined ? undefined : this.#progress(client, told);
    const sent = progress === undefined ? params : { ...params, workDoneToken: progress.token };
    try {
      return await (token === undefined ? client.sendRequest(method, sent) : client.sendRequest(method, sent, token as CancellationToken));
    } catch (error) {
      if (isCancelled(error) || isRequested(token)) throw new Cancelled();
      const refusal = client.isRunning() ? refusalOf(error, vscode.l10n) : undefined;
      throw refusal ?? new HelperError("ended", vscode.l10n.t("The helper ended before it answered"), errorText(error), vscode.l10n.t("Look at the log, then try again."));
    } finally {
      progress?.dispose();
    }
  }

  /** A token for progress, and somebody who hears of it. */
  #progress(client: FeaturelessClient, told: ProgressListener): { token: string; dispose(): void } {
    this.#progressTokens += 1;
    const token = `progress-${String(this.#progressTokens)}`;
    const listening = client.onProgress(new ProgressType<HelperNotifications["$/progress"]["value"]>(), token, (value) => {
      if (value.kind === "report") told(value.message, value.percentage);
    });
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

  /** What it can do here; starts it. */
  async capabilities(): Promise<HelperCapabilities | undefined> {
    return (await this.#running()).capabilities;
  }

  /** Ends it, captures included, and starts it again: the user asked for it. */
  async restart(): Promise<void> {
    await this.stop();
    this.#limit.forget();
    await this.#running();
  }

  /** Process id of what was started here; undefined while it does not run. */
  get pid(): number | undefined {
    return [...this.#children].at(-1)?.program.child.pid;
  }

  /** Ends it in an orderly way: captures are completed first. */
  async stop(): Promise<void> {
    this.#life = undefined;
    await Promise.all([...this.#children].map((life) => this.#end(life)));
  }

  #running(): Promise<Life> {
    this.#life ??= this.#start().catch((error: unknown) => {
      this.#life = undefined;
      throw error;
    });
    return this.#life;
  }

  async #start(): Promise<Life> {
    // The manifest hides what starts it, but commands can be run by anybody.
    if (!vscode.workspace.isTrusted) throw untrusted();
    if (!this.#limit.allowsStart) throw tooManyRestarts();
    const program = await this.run();
    const { child } = program;
    const life: Life = { program, client: this.#client(program, () => this.#closed(life)), capabilities: undefined, unwanted: false };
    this.#children.add(life);
    child.once("exit", () => this.#children.delete(life));
    try {
      await this.#shakeHands(life);
    } catch (error) {
      life.unwanted = true;
      void this.#end(life);
      throw error;
    }
    this.#started.fire();
    return life;
  }

  #client({ input, output, child }: RunningProgram, closed: () => void): FeaturelessClient {
    const options: LanguageClientOptions = {
      outputChannel: this.log,
      traceOutputChannel: this.#trace,
      initializationOptions: INITIALIZATION_OPTIONS,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (_error, _message, count) => ({ action: (count ?? 0) <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true }),
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
    const client = new FeaturelessClient("extrospect", "Extrospect", () => Promise.resolve({ writer: input, reader: output, detached: true }), options);
    child.stderr?.on("data", (chunk: Buffer) => {
      this.log.append(chunk.toString());
    });
    const forward = <N extends keyof HelperNotifications>(method: N, deliver: (listener: CaptureListener, params: HelperNotifications[N]) => void) => {
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

  async #shakeHands(life: Life): Promise<void> {
    const { client, program } = life;
    const { child, name } = program;
    const l10n = vscode.l10n;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new HelperError("noAnswer", l10n.t("{0} does not answer", name), l10n.t("it may be another program than the Extrospect helper"), noHelperAdvice(program, l10n)));
      }, HANDSHAKE_PATIENCE_MS);
    });
    try {
      await Promise.race([client.start(), tooLate]);
    } catch (error) {
      if (error instanceof HelperError) throw error;
      const refusal = refusalOf(error, l10n);
      if (refusal?.problem === "versionMismatch") throw versionMismatch(program, refusal.why, l10n);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (hasEnded) throw program.endedEarly(endOf(child));
      throw new HelperError("noAnswer", l10n.t("The helper {0} did not start", name), errorText(error), noHelperAdvice(program, l10n));
    } finally {
      clearTimeout(timer);
    }
    life.capabilities = checkedAnswer(client.initializeResult, program, l10n).capabilities.experimental;
  }

  /** Its output ended: it is gone or going. */
  #closed(life: Life): void {
    const wasRunning = life.capabilities !== undefined;
    if (life.unwanted || !wasRunning) return;
    this.#life = undefined;
    this.#limit.ended();
    // A moment later the exit code is known.
    setTimeout(() => {
      const why = life.program.gone(endOf(life.program.child));
      this.log.error(`The helper ended by itself: ${why}`);
      for (const listener of [...this.#listeners]) listener.helperGone(why);
      if (!this.#limit.allowsStart) this.#gaveUp.fire(tooManyRestarts());
      else
        void this.#running().catch((error: unknown) => {
          this.log.error(errorText(error));
        });
    }, 50);
  }

  async #end(life: Life): Promise<void> {
    const { client, program } = life;
    const { child } = program;
    const wasUnwanted = life.unwanted;
    life.unwanted = true;
    const exited = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else
        child.once("exit", () => {
          resolve();
        });
    });
    try {
      await client.stop(STOP_PATIENCE_MS);
    } catch (error) {
      this.log.debug(`Stopping the helper: ${errorText(error)}`);
    }
    // It ends with its input; only one that hangs is killed.
    program.input.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS / 2);
    // What root's sudo has started may not be killed by us; it ends with its input all the same.
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, STOP_PATIENCE_MS).unref())]);
    clearTimeout(timer);
    if (!wasUnwanted) for (const listener of [...this.#listeners]) listener.helperGone(vscode.l10n.t("it was stopped"));
  }
}

function isRequested(token: Cancellation | undefined): boolean {
  return token?.isCancellationRequested ?? false;
}

/** How a program ended. */
export function endOf(child: ProgramProcess): string {
  if (child.signalCode !== null) return vscode.l10n.t("it was ended by signal {0}", child.signalCode);
  if (child.exitCode !== null) return vscode.l10n.t("it ended with exit code {0}", child.exitCode);
  return vscode.l10n.t("it closed its output");
}

function untrusted(): HelperError {
  return new HelperError(
    "untrusted",
    vscode.l10n.t("Attaching needs a trusted workspace"),
    vscode.l10n.t("it starts a program on this machine"),
    vscode.l10n.t("Trust this workspace. Captures can be opened all the same."),
  );
}

function tooManyRestarts(): HelperError {
  return new HelperError(
    "tooManyRestarts",
    vscode.l10n.t("The helper ended by itself five times within three minutes"),
    vscode.l10n.t("it is not started again by itself; the log tells more"),
    vscode.l10n.t("Restart the helper."),
  );
}
