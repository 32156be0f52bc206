// A session as the window shows it: in the store of captures, in the status bar, and in messages.

import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TargetFacts } from "../../../contract/protocol.generated.js";
import { captureFileName, freeName } from "../captures/capture-file.js";
import type { OpenCapture } from "../captures/capture-store.js";
import { newGroupTag } from "../captures/together.js";
import type { FolderCommit } from "../commits/folder-commit.js";
import { COMMANDS, CONTEXT } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import { targetName } from "../targets/target-description.js";
import { errorText } from "../text/error-text.js";
import { showEnd } from "./end-message.js";
import type { GroupStatus } from "./group-status.js";
import { noteEnd } from "./note-end.js";
import { later, recordingEnvironment } from "./recording-environment.js";
import type { Member, RecordingGroup, WantedMember } from "./recording-group.js";
import type { RecordingStatus } from "./recording-status.js";
import { Recording, type RecordingEnd } from "./recording.js";
import type { RefreshCost } from "./refresh-cost.js";
import { runningFile, type RunningCapture, type RunningCaptureMemory } from "./running-memory.js";
import { Session, type SessionStage } from "./session.js";
import { sharesFiles } from "./shared-files.js";
import { ShownAlone, ShownTogether, type Clocks, type ShownSession } from "./shown-session.js";
import type { WantedCapture } from "./wanted-capture.js";

/** One VM to be captured, and where it is. */
export interface CaptureTarget {
  readonly pid: number;
  /** Shown until the name of the VM is known. */
  readonly name: string;
  readonly helper: HelperConnection;
  /** The host, when it is not this machine. */
  readonly host: HostAddress | undefined;
  /** Whether the line to that host is cut, and looked for again. */
  readonly isCut?: () => boolean;
}

/** The VMs to capture, and how. */
export interface CapturePlan {
  readonly targets: readonly CaptureTarget[];
  readonly wanted: WantedCapture;
  /** Several are shown as one, even if only one of them can be captured. */
  readonly isTogether: boolean;
  /** Another view than that of captures shows it: none opens by itself. */
  readonly isShownByCaller?: boolean;
}

/** What a session gets from the workspace. */
export interface RecordingSurroundings {
  /** Where captures go; absolute path of a folder that is there. */
  readonly folder: () => Promise<string>;
  /** Which commit the sources are at. Never fails. */
  readonly commit: () => Promise<FolderCommit | undefined>;
  /** A host is called so by what runs there: by that its captures are known as its own. */
  readonly sawMachine: (host: HostAddress, machine: string) => void;
  /** Remembers running captures for the case that the window closes. */
  readonly memory: RunningCaptureMemory;
}

/** What all sessions of a window share. */
export interface SessionWindow {
  readonly services: Pick<ExtensionServices, "captures" | "sources" | "log">;
  readonly surroundings: RecordingSurroundings;
  readonly single: RecordingStatus;
  readonly several: GroupStatus;
  readonly refreshCost: RefreshCost;
}

/** A window that is still there so long after an end was not the cause of it. */
const OUTLIVED_MS = 60_000;
/** However many VMs there are, the views are brought up to date so often. */
const REFRESH_MS = 1000;

export class WindowSession implements SessionStage {
  readonly session: Session<WindowSession> = new Session<WindowSession>(this);
  readonly #finding: Promise<FolderCommit | undefined>;
  #commit: FolderCommit | undefined;
  /** When all were attached to. */
  #at: Date | undefined;
  #tag = "";
  #shown: ShownSession | undefined;
  #clocks: Clocks = new Map();
  #refreshing: { dispose(): void } | undefined;
  #outliving: { dispose(): void } | undefined;
  #appendMs = 0;

  constructor(
    readonly plan: CapturePlan,
    private readonly window: SessionWindow,
  ) {
    this.#finding = window.surroundings
      .commit()
      .catch((error: unknown) => {
        window.services.log.warn(`The capture names no commit: ${errorText(error)}`);
        return undefined;
      })
      .then((found) => (this.#commit = found));
  }

  /** In the store, while it runs and after. */
  get opened(): OpenCapture | undefined {
    return this.#shown?.opened;
  }

  /** Shown. */
  get name(): string {
    const [only] = this.session.group.members;
    return this.plan.isTogether || only === undefined ? (this.opened?.title ?? "") : nameOf(only);
  }

  /** What a VM is called in the capture in view. */
  nodeOf(member: Member): string {
    return this.#shown?.nameOf(member) ?? "";
  }

  /** To be started together, each with a file of its own. */
  members(): WantedMember[] {
    const { targets, wanted } = this.plan;
    const taken = new Set<string>();
    const origin = this.#finding.then((found) => found?.origin);
    return targets.map(({ pid, name, helper, host }): WantedMember => ({
      name,
      recording: (listener, begin) =>
        new Recording(
          {
            ...wanted,
            pid,
            origin,
            fileFor: async (target) => {
              if (host !== undefined) this.window.surroundings.sawMachine(host, target.host);
              await begin();
              return this.#fileFor(target, taken);
            },
          },
          recordingEnvironment(helper, host !== undefined),
          listener,
        ),
    }));
  }

  begun(group: RecordingGroup): void {
    const { captures, log } = this.window.services;
    const shown = (this.#shown = this.plan.isTogether ? this.#together(group) : this.#alone(group));
    captures.show(shown.opened);
    this.#follow(group);
    void this.window.surroundings.memory.begun(this.#remembered(group));
    announce(true);
    for (const member of group.members) {
      const { recording } = member;
      const { host } = this.#targetOf(member);
      log.info(
        `Capturing ${nameOf(member)}, process ${String(recording.options.pid)}${host === undefined ? "" : ` on ${addressName(host)}`}, to ${recording.file}; engine ${recording.engine?.name ?? "?"}: ${recording.engine?.reason ?? ""}`,
      );
    }
    if (this.plan.isTogether) this.#refreshSoon();
  }

  changed(): void {
    this.#refreshStatus();
  }

  grew(costMs: number): void {
    this.#appendMs += costMs;
    if (this.plan.isTogether) this.#refreshSoon();
    else this.#refresh();
  }

  memberEnded(member: Member, end: RecordingEnd): Promise<unknown> {
    const { isTogether } = this.plan;
    const others = this.session.group.running.length;
    const one = { recording: member.recording, name: nameOf(member), end, others, mayRestart: !isTogether };
    const shown = showEnd(one, this.window.services.log);
    void shown.then((again) => (again ? this.#again(member) : undefined));
    return shown;
  }

  async complete(): Promise<void> {
    const { captures, log } = this.window.services;
    const before = this.opened;
    try {
      await this.#shown?.readAnew();
    } catch (error) {
      log.error(`A file could not be read after its end: ${errorText(error)}`);
    }
    if (this.opened !== undefined && this.opened !== before) captures.replace(this.opened);
  }

  ended(): void {
    this.#refreshing?.dispose();
    this.#refreshing = undefined;
    if (this.#shown !== undefined) {
      this.#clocks = this.#shown.end();
      this.window.services.captures.updated(this.#shown.opened);
    }
    announce(false);
    this.#refreshStatus();
  }

  async note(): Promise<void> {
    const complete = this.session.group.members.filter(({ end }) => end?.reason !== "helperGone");
    const files = complete.map(({ recording }) => ({
      uri: vscode.Uri.file(recording.file),
      isFar: recording.isFar,
      clock: this.#clocks.get(recording),
    }));
    const tag = this.plan.isTogether ? this.#tag : undefined;
    const { opened } = this;
    await noteEnd({ files, tag, commit: this.#commit, ...(opened && { opened }) }, this.window.services);
  }

  async forgetMember({ recording }: Member): Promise<void> {
    await this.window.surroundings.memory.memberEnded(recording.file);
  }

  outlived(): Promise<void> {
    return new Promise((resolve) => {
      this.#outliving = later(resolve, OUTLIVED_MS);
    });
  }

  async forget(): Promise<void> {
    this.#outliving?.dispose();
    await this.window.surroundings.memory.ended(this.session.group.members[0]?.recording.file ?? "");
  }

  dispose(): void {
    this.#refreshing?.dispose();
    this.#outliving?.dispose();
  }

  async #fileFor(target: TargetFacts, taken: Set<string>): Promise<string> {
    const at = (this.#at ??= new Date());
    const folder = await this.window.surroundings.folder();
    const commit = (await this.#finding)?.origin.commit;
    const name = freeName(
      captureFileName(target.node, target.pid, at, commit),
      (other) => taken.has(other) || existsSync(join(folder, other)),
    );
    taken.add(name);
    return join(folder, name);
  }

  #alone({ members }: RecordingGroup): ShownSession {
    const [member] = members;
    if (member === undefined) throw new Error("a session without a member is not shown");
    return new ShownAlone(member, nameOf(member), isElsewhere(this.#targetOf(member)));
  }

  #together(group: RecordingGroup): ShownSession {
    const at = (this.#at ??= new Date());
    this.#tag = newGroupTag(at);
    return new ShownTogether(group, this.#tag, nameOf, {
      startedUnixMs: at.getTime(),
      isElsewhere: this.plan.targets.some(isElsewhere),
    });
  }

  #follow(group: RecordingGroup): void {
    const [only] = group.members;
    if (this.plan.isTogether || only === undefined) {
      this.window.several.follow(group);
      return;
    }
    const { host, isCut } = this.#targetOf(only);
    this.window.single.follow(only.recording, nameOf(only), () =>
      host !== undefined && isCut?.() === true ? addressName(host) : undefined,
    );
  }

  #targetOf({ index }: Member): Pick<CaptureTarget, "pid" | "host" | "isCut"> {
    return this.plan.targets[index] ?? { pid: 0, host: undefined };
  }

  /** The facts to remember for the case that the window closes. */
  #remembered(group: RecordingGroup): RunningCapture {
    const { durationSeconds } = this.plan.wanted;
    const files = group.members.map((member) => runningFile(member, nameOf(member)));
    if (!this.plan.isTogether) return { files, durationSeconds };
    const targets = group.members.map((member) => this.#place(member));
    return { files, durationSeconds, group: { tag: this.#tag, again: { targets, ...this.#settings() } } };
  }

  #place(member: Member): object {
    const { pid, host } = this.#targetOf(member);
    return { pid, host };
  }

  /** Arguments of a start that captures in the same way. */
  #settings(): object {
    const { durationSeconds, frequencyHz, includeKernel, engine, types = ["cpu"] } = this.plan.wanted;
    return { durationSeconds, frequencyHz, kernelFrames: includeKernel, engine, types };
  }

  async #again(member: Member): Promise<void> {
    await this.session.ended;
    await vscode.commands.executeCommand(COMMANDS.attach, { ...this.#place(member), ...this.#settings() });
  }

  #refreshStatus(): void {
    if (this.plan.isTogether) this.window.several.refresh();
    else this.window.single.refresh();
  }

  #refreshSoon(): void {
    this.#refreshing ??= later(() => {
      this.#refreshing = undefined;
      this.#refresh();
    }, REFRESH_MS);
  }

  #refresh(): void {
    const start = performance.now();
    if (this.#shown?.catchUp() !== true) return;
    const takenInMs = performance.now() - start;
    this.window.services.captures.updated(this.#shown.opened);
    const ms = this.#appendMs + performance.now() - start;
    this.window.services.log.debug(
      `Live refresh of ${this.name}: ${ms.toFixed(1)} ms, ${this.#appendMs.toFixed(1)} ms of it counting, ${takenInMs.toFixed(1)} ms joining`,
    );
    this.#appendMs = 0;
    this.window.refreshCost.add(ms);
  }
}

function nameOf({ name, recording: { target } }: Member): string {
  return target === undefined ? name : targetName(target);
}

function isElsewhere({ pid, host }: Pick<CaptureTarget, "pid" | "host">): boolean {
  return host !== undefined || !sharesFiles(pid);
}

function announce(isCapturing: boolean): void {
  void vscode.commands.executeCommand("setContext", CONTEXT.capturing, isCapturing);
}
