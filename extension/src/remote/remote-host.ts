// A host that is connected to, with the helper that runs there.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { DoctorRow } from "../../../contract/protocol.generated.js";
import { Cancelled, HelperError } from "../helper/helper-error.js";
import { Helper } from "../helper/helper.js";
import { errorText } from "../text/error-text.js";
import { addressName, type HostAddress } from "./host-address.js";
import { checksIn } from "./host-checks.js";
import type { AskpassServer } from "./askpass-server.js";
import { RESUME_SECONDS, startResumableOnHost } from "./resuming-host.js";
import type { StartBy } from "../setting-values.js";
import { compressedHelperForHosts, helperForHosts, type HelperProgram, type HostProgress } from "./ssh-helper.js";
import { questionsReachUser } from "./ssh-command.js";
import { wayTo } from "./way-to.js";

/** The helper that is brought to hosts: the one of this machine, or in a package for other machines one that is for hosts alone. */
const [PROGRAM, COMPRESSED_PROGRAM] = ["dist/helper/linux-x64/extrospect", "dist/helper-for-hosts/linux-x64.gz"];
/** What ssh starts to ask, and what that runs. */
const [ASK_PROGRAM, ASK_MAIN] = ["media/ssh-askpass.sh", "dist/extension/ssh-askpass.cjs"];

/** `cut`: the helper waits there, and is looked for. */
export type HostState = "idle" | "connecting" | "connected" | "cut" | "failed";

/** The helper that runs on a host. */
export interface HelperThere {
  /** As it calls itself, `extrospect 0.1.0`: the host's shell has compared it with ours. */
  readonly version: string;
  /** It is the copy that root installed there; else the one that was sent. */
  readonly isInstalled: boolean;
  /** What started it there. */
  readonly startBy: StartBy;
}

/** The helper of one host. `connect` alone starts it: no request does, and its end is final until the user connects again. */
export class RemoteHost extends Helper {
  readonly #changed: vscode.EventEmitter<void>;
  #state: HostState = "idle";
  #onProgress: (progress: HostProgress) => void = () => {};
  /** Of the connection that was made last: what an older one reports is over. */
  #connection: AbortSignal | undefined;
  #there: HelperThere | undefined;
  #checks: readonly DoctorRow[] | "requested" | undefined;
  #stops = 0;

  /** `state` is another. */
  readonly onDidChangeState: vscode.Event<void>;

  constructor(
    readonly address: HostAddress,
    private readonly context: vscode.ExtensionContext,
    log: vscode.LogOutputChannel,
    private readonly askpass: () => Promise<AskpassServer>,
  ) {
    super({ run: (signal) => this.#connected(log, signal), startsByItself: false }, log, context.subscriptions);
    this.#changed = new vscode.EventEmitter<void>();
    this.onDidChangeState = this.#changed.event;
    this.listen({ increment: () => {}, resync: () => {}, ended: () => {}, helperGone: () => this.#become("idle") });
    context.subscriptions.push(
      this.#changed,
      this.onDidStart(() => {
        this.#become("connected");
      }),
    );
  }

  /** What people call it. */
  get name(): string {
    return addressName(this.address);
  }

  get state(): HostState {
    return this.#state;
  }

  /** What runs there; undefined while nothing is known to. */
  get there(): HelperThere | undefined {
    return this.#state === "connected" || this.#state === "cut" ? this.#there : undefined;
  }

  /**
   * The doctor's report on the whole machine; undefined until it is known. The first read requests it, and
   * `onDidChangeState` fires when it is known.
   */
  get checks(): readonly DoctorRow[] | undefined {
    if (this.#state === "connected" && this.#checks === undefined) void this.#check();
    return this.#checks === "requested" ? undefined : this.#checks;
  }

  /**
   * Connects, unless it is connected.
   * @param onProgress receives the progress
   * @throws {HelperError} with the remedy; {@link Cancelled} when it was given up, by the token or by `stop`
   */
  async connect(token: vscode.CancellationToken, onProgress: (progress: HostProgress) => void): Promise<void> {
    this.#onProgress = onProgress;
    const stops = this.#stops;
    const isGivenUp = () => token.isCancellationRequested || stops !== this.#stops;
    const listening = token.onCancellationRequested(() => this.giveUpStart());
    try {
      const connecting = this.start();
      if (token.isCancellationRequested) this.giveUpStart();
      await connecting;
      if (stops !== this.#stops) throw new Cancelled();
    } catch (error) {
      // After a stop the state no longer belongs to this connection.
      if (stops === this.#stops) this.#become(token.isCancellationRequested ? "idle" : "failed");
      throw isGivenUp() ? new Cancelled() : error;
    } finally {
      listening.dispose();
      if (this.#onProgress === onProgress) this.#onProgress = () => {};
    }
  }

  override async stop(): Promise<void> {
    this.#stops += 1;
    const stopping = super.stop();
    // At once: a connection from now on begins anew.
    this.#become("idle");
    await stopping;
  }

  protected override asleep(): HelperError {
    const { l10n } = vscode;
    return new HelperError(
      "unreachable",
      l10n.t("{0} is not connected", this.name),
      "",
      l10n.t("Connect to it, then try again."),
    );
  }

  async #connected(log: vscode.LogOutputChannel, signal: AbortSignal) {
    this.#connection = signal;
    this.#become("connecting");
    log.info(`Connecting to ${this.name}`);
    const way = wayTo(this.address, this.context);
    const asking = questionsReachUser(process.platform) ? await this.askpass() : undefined;
    const version = `extrospect ${(this.context.extension.packageJSON as { version: string }).version}`;
    const program = await startResumableOnHost(
      {
        destination: this.name,
        way,
        helper: await broughtHelper((path) => this.context.asAbsolutePath(path), version),
        version,
        environment:
          asking?.environment(this.context.asAbsolutePath(ASK_PROGRAM), this.context.asAbsolutePath(ASK_MAIN)) ?? {},
        onProgress: (progress) => {
          this.#onProgress(progress);
        },
        signal,
      },
      {
        forSeconds: RESUME_SECONDS,
        onLine: (line, why) => {
          log.warn(line === "cut" ? `The line to ${this.name} was cut: ${why}` : `The line to ${this.name} is back`);
          if (this.#connection === signal) this.#become(line === "cut" ? "cut" : "connected");
        },
      },
      vscode.l10n,
    );
    this.#there = { version, isInstalled: program.isInstalled, startBy: way.startBy };
    this.#checks = undefined;
    return program;
  }

  async #check(): Promise<void> {
    this.#checks = "requested";
    try {
      this.#checks = checksIn(await this.request("extrospect/doctor", {}));
    } catch {
      // The row then shows no rights; *Check Permissions and Setup* states the reason.
      this.#checks = [];
    }
    this.#changed.fire();
  }

  #become(state: HostState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#changed.fire();
  }
}

let brought: Promise<HelperProgram> | undefined;

/** The helper for hosts, read once in this window; undefined when this package has none. */
async function broughtHelper(pathOf: (path: string) => string, version: string): Promise<HelperProgram | undefined> {
  const [program, compressed] = [pathOf(PROGRAM), pathOf(COMPRESSED_PROGRAM)];
  if (existsSync(program)) brought ??= readFile(program).then((bytes) => helperForHosts(bytes, version));
  else if (existsSync(compressed))
    brought ??= readFile(compressed).then((bytes) => compressedHelperForHosts(bytes, version));
  try {
    return await brought;
  } catch (error) {
    brought = undefined;
    throw new HelperError(
      "unreachable",
      vscode.l10n.t("The helper cannot be read"),
      errorText(error),
      vscode.l10n.t("Install the extension again."),
    );
  }
}
