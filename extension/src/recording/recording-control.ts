// What captures in this window: one VM, or several under one start. At most one session runs at a time.

import * as vscode from "vscode";
import type { ExtensionServices } from "../extension-services.js";
import type { Cancellation } from "../helper/helper-connection.js";
import type { HostAddress } from "../remote/host-address.js";
import { GroupStatus } from "./group-status.js";
import type { RefusedMember } from "./recording-group.js";
import { RecordingStatus } from "./recording-status.js";
import { RefreshCost } from "./refresh-cost.js";
import type { SessionPhase } from "./session.js";
import { Sessions, type StartClaim } from "./sessions.js";
import { START_QUESTIONS } from "./start-questions.js";
import { WindowSession, type CapturePlan, type RecordingSurroundings } from "./window-session.js";

/** The started session. */
export interface StartedSession {
  /** Of the capture in view. */
  readonly uri: vscode.Uri;
  /** `node` is the name of each in the capture in view. */
  readonly members: readonly { readonly node: string; readonly pid: number; readonly uri: vscode.Uri }[];
}

export interface StartAnswer {
  /** Undefined when all refused. */
  readonly started: StartedSession | undefined;
  readonly refused: readonly RefusedMember[];
}

/** @see Sessions.alone */
export type Begin = (
  plan: CapturePlan,
  token?: Cancellation,
  attached?: (count: number) => void,
) => Promise<StartAnswer>;

export class RecordingControl implements vscode.Disposable {
  readonly #sessions = new Sessions<WindowSession>();
  readonly #single = new RecordingStatus();
  readonly #several = new GroupStatus();
  readonly #didStart = new vscode.EventEmitter<vscode.Uri>();
  /** A capture that the user started is in view: its address. */
  readonly onDidStart = this.#didStart.event;
  readonly refreshCost = new RefreshCost();

  constructor(
    private readonly services: Pick<ExtensionServices, "captures" | "sources" | "log">,
    private readonly surroundings: RecordingSurroundings,
  ) {}

  /** Of the session that runs, or ran last. */
  get phase(): SessionPhase | "none" {
    return this.#sessions.current?.phase ?? "none";
  }

  get isCapturing(): boolean {
    return this.#sessions.running !== undefined;
  }

  /** What the nodes that still run are called in the capture in view. */
  get runningNames(): readonly string[] {
    const { running } = this.#sessions;
    return running?.group.running.map((member) => running.stage.nodeOf(member)) ?? [];
  }

  /** The one VM that is captured now, and where it is. */
  get target(): { readonly pid: number; readonly host: HostAddress | undefined } | undefined {
    const { targets: [only] = [], isTogether } = this.#sessions.running?.stage.plan ?? {};
    return only === undefined || isTogether === true ? undefined : { pid: only.pid, host: only.host };
  }

  /**
   * Does the work of a start while no other is under way, after what runs was ended if the user wants that.
   * @param of identifies the start: a second request for the same one starts nothing
   */
  alone<T>(of: string, work: (begin: Begin) => Promise<T>): Promise<T | undefined> {
    return this.#sessions.alone(of, START_QUESTIONS, (claim) =>
      work((plan, token, attached) => this.#begin(claim, plan, token, attached)),
    );
  }

  /**
   * Ends what runs and waits until its files are complete; does nothing when nothing runs.
   * @param uri ends it only when this is its capture in view
   * @returns the address of its capture in view
   */
  async stop(uri?: vscode.Uri): Promise<vscode.Uri | undefined> {
    const { running } = this.#sessions;
    const shown = running?.stage.opened?.uri;
    if (uri !== undefined && shown?.toString() !== uri.toString()) return undefined;
    await running?.stop();
    return shown;
  }

  /** As `stop`, and waits for the notes in its files, too. */
  async stopAndNote(uri?: vscode.Uri): Promise<vscode.Uri | undefined> {
    const { running } = this.#sessions;
    const stopped = await this.stop(uri);
    if (stopped !== undefined) await running?.noted;
    return stopped;
  }

  dispose(): void {
    this.#sessions.current?.stage.dispose();
    this.#single.dispose();
    this.#several.dispose();
    this.#didStart.dispose();
  }

  /** When none can be captured, there is nothing in view that was not before. */
  async #begin(
    claim: StartClaim<WindowSession>,
    plan: CapturePlan,
    token: Cancellation | undefined,
    attached: ((count: number) => void) | undefined,
  ): Promise<StartAnswer> {
    const stage = new WindowSession(plan, {
      services: this.services,
      surroundings: this.surroundings,
      single: this.#single,
      several: this.#several,
      refreshCost: this.refreshCost,
    });
    this.refreshCost.clear();
    const refused = await claim.begin(stage.session, stage.members(), token, attached);
    const { opened, session } = stage;
    if (opened === undefined) return { started: undefined, refused };
    if (plan.isShownByCaller !== true) this.#didStart.fire(opened.uri);
    const members = session.group.members.map((member) => ({
      node: stage.nodeOf(member),
      pid: member.recording.options.pid,
      uri: vscode.Uri.file(member.recording.file),
    }));
    return { started: { uri: opened.uri, members }, refused };
  }
}
