// Starts the helper when it is first needed, watches over it, and ends it with the editor.

import { spawn, type ChildProcess } from "node:child_process";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, ProgressType, type CancellationToken, type LanguageClientOptions } from "vscode-languageclient/node";
import { plainText } from "../../../contract/plain-text.js";
import type { HelperCapabilities, HelperNotifications, Requests } from "../../../contract/protocol.generated.js";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import { errorText } from "../text/error-text.js";
import { FeaturelessClient } from "./featureless-client.js";
import { checkedAnswer, correctSetting, INITIALIZATION_OPTIONS, versionMismatch } from "./handshake.js";
import { Cancelled, HelperError, isCancelled, refusalOf } from "./helper-error.js";
import { bundledProgram, helperProgram, isHelperMissing, type ChosenProgram, type HelperPlace } from "./helper-program.js";
import type { Cancellation, CaptureListener, HelperMethod, HelperConnection, ProgressListener } from "./helper-connection.js";
import { INSTALLED_PROGRAM } from "./privileged-helper.js";
import { RestartLimit } from "./restart-limit.js";
import { traceChannel } from "./trace-channel.js";

const HANDSHAKE_PATIENCE_MS = 15_000;
const STOP_PATIENCE_MS = 2_000;
const MAX_COMPLAINT = 400;

/** One run of the program. */
interface Life {
  readonly client: FeaturelessClient;
  readonly child: ChildProcess;
  readonly program: ChosenProgram;
  /** The last of what it wrote about itself. */
  readonly complaints: () => string;
  capabilities: HelperCapabilities | undefined;
  /** Somebody wanted it to end. */
  unwanted: boolean;
}

/**
 * The helper program, supervised.
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
  readonly #foundOtherVersion = new vscode.EventEmitter<void>();
  #toldOfOtherVersion = false;
  readonly #trace: vscode.LogOutputChannel;
  #life: Promise<Life> | undefined;
  #children = new Set<Life>();
  #progressTokens = 0;

  /** It ended once too often and is not started again until `restart`. */
  readonly onDidGiveUp = this.#gaveUp.event;
  /** Root has installed a copy of another version, which is not used; told once. */
  readonly onDidFindOtherVersion = this.#foundOtherVersion.event;
  /** It runs and can be asked. */
  readonly onDidStart = this.#started.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#trace = traceChannel(log, context.subscriptions);
    context.subscriptions.push(this.#gaveUp, this.#started, this.#foundOtherVersion);
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

  /**
   * The helper that comes with the extension, whichever is used.
   * @throws {HelperError} when there is none
   */
  bundledProgram(): string {
    return bundledProgram(this.#place, vscode.l10n);
  }

  /** Whether this package has no helper for this machine, and the user has named none. */
  get isMissing(): boolean {
    return isHelperMissing(this.#place);
  }

  /** Process id of the helper; undefined while it does not run. */
  get pid(): number | undefined {
    return [...this.#children].at(-1)?.child.pid;
  }

  /** Ends it in an orderly way: captures are completed first. */
  async stop(): Promise<void> {
    this.#life = undefined;
    await Promise.all([...this.#children].map((life) => this.#end(life)));
  }

  get #place(): HelperPlace {
    return {
      configured: setting(SETTINGS.helperPath),
      bundled: (path) => this.context.asAbsolutePath(path),
      installed: process.getuid?.() === 0 ? null : INSTALLED_PROGRAM,
      startBy: setting(SETTINGS.helperStartBy),
      platform: `${process.platform}-${process.arch}`,
    };
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
    const program = helperProgram(this.#place, vscode.l10n);
    if (program.otherVersion && !this.#toldOfOtherVersion) {
      this.#toldOfOtherVersion = true;
      this.#foundOtherVersion.fire();
    }
    this.log.info(`Starting ${[...program.startedBy, program.path].join(" ")}`);
    const child = await spawned(program);
    const life: Life = { child, program, complaints: lastOf(child), client: this.#client(child, () => this.#closed(life)), capabilities: undefined, unwanted: false };
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

  #client(child: ChildProcess, closed: () => void): FeaturelessClient {
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
    const client = new FeaturelessClient("extrospect", "Extrospect", () => Promise.resolve(child), options);
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
    return client;
  }

  async #shakeHands(life: Life): Promise<void> {
    const { client, child } = life;
    const program = life.program.path;
    const l10n = vscode.l10n;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new HelperError("noAnswer", l10n.t("{0} does not answer", program), l10n.t("it may be another program than the Extrospect helper"), correctSetting(l10n)));
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
      const [starter] = life.program.startedBy;
      if (hasEnded && starter !== undefined) throw notLent(starter, program, life.complaints() || endOf(child));
      const why = hasEnded ? endOf(child) : errorText(error);
      throw new HelperError("noAnswer", l10n.t("The helper {0} did not start", program), why, correctSetting(l10n));
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
      const why = endOf(life.child);
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
    const { child, client } = life;
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
    child.stdin?.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS / 2);
    // What root's sudo has started may not be killed by us; it ends with its input all the same.
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, STOP_PATIENCE_MS).unref())]);
    clearTimeout(timer);
    if (!wasUnwanted) for (const listener of [...this.#listeners]) listener.helperGone(vscode.l10n.t("it was stopped"));
  }
}

/** Waits until the program runs. The language client would report a failure to start it later, and less clearly. */
function spawned({ path, startedBy }: ChosenProgram): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const [command = path, ...args] = [...startedBy, path, "serve", "--stdio"];
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], cwd: dirname(path) });
    child.once("spawn", () => {
      child.on("error", () => {});
      resolve(child);
    });
    child.once("error", (error) => {
      reject(new HelperError("notRunnable", vscode.l10n.t("The helper {0} cannot be started", path), error.message, correctSetting(vscode.l10n)));
    });
  });
}

/** The last line that it wrote to its standard error. */
function lastOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => (text = `${text}${chunk.toString()}`.slice(-MAX_COMPLAINT)));
  return () => plainText(text.trimEnd().split("\n").at(-1) ?? "", MAX_COMPLAINT);
}

/** sudo or doas has refused, mostly since it would have to ask for a password. */
function notLent(starter: string, program: string, why: string): HelperError {
  const { l10n } = vscode;
  const fix =
    starter === "sudo"
      ? l10n.t("Let root add the rule `{0}` (visudo), or set `extrospect.helper.startBy` to `itself`.", `USER ALL=(root) NOPASSWD: ${program}`)
      : l10n.t("Let root add the rule `{0}` (/etc/doas.conf), or set `extrospect.helper.startBy` to `itself`.", `permit nopass USER as root cmd ${program}`);
  return new HelperError("notRunnable", l10n.t("{0} does not start the helper {1}", starter, program), why, fix);
}

function isRequested(token: Cancellation | undefined): boolean {
  return token?.isCancellationRequested ?? false;
}

function endOf(child: ChildProcess): string {
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
