// The group of captures of this window: at most one runs at a time, and none beside a single capture.

import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TargetFacts } from "../../../contract/protocol.generated.js";
import { joinedCapture, type JoinedCapture } from "../capture/joined-capture.js";
import { captureFileName, freeName } from "../captures/capture-file.js";
import type { CaptureStore } from "../captures/capture-store.js";
import { newGroupTag, TogetherCapture, togetherUri } from "../captures/together.js";
import { CONTEXT } from "../contributions.js";
import type { Cancellation } from "../helper/helper-connection.js";
import { targetName } from "../targets/target-description.js";
import { errorText } from "../text/error-text.js";
import { clockAheadMs } from "./clock-ahead.js";
import type { RunningCapture } from "./interrupted-recording.js";
import { clocksAtEnd, noteInFiles, readAnew, tellEnd, type ShownGroup } from "./group-end.js";
import { GroupStatus } from "./group-status.js";
import type { RecordingSurroundings, Whereabouts } from "./recording-control.js";
import { later, recordingEnvironment } from "./recording-environment.js";
import { RecordingGroup, type RefusedMember, type WantedMember } from "./recording-group.js";
import { Recording, type RecordingOptions } from "./recording.js";
import { RefreshCost } from "./refresh-cost.js";
import { sharesFiles } from "./shared-files.js";

/** One VM to be captured. */
export interface GroupTarget extends Whereabouts {
  readonly pid: number;
  /** Shown until the VM has said what it is called. */
  readonly name: string;
}

export interface StartedGroup {
  readonly uri: vscode.Uri;
  /** In the capture in view each is called `node`. */
  readonly members: readonly { readonly node: string; readonly pid: number; readonly uri: vscode.Uri }[];
  readonly refused: readonly RefusedMember[];
}

type Wanted = Omit<RecordingOptions, "fileFor" | "origin" | "pid">;

/** However many VMs there are, the views are brought up to date so often. */
const REFRESH_MS = 1000;

export class GroupControl implements vscode.Disposable {
  readonly #status = new GroupStatus();
  readonly #changed = new vscode.EventEmitter<void>();
  #running: ShownGroup | undefined;
  #isStarting = false;
  #refreshing: { dispose(): void } | undefined;
  #appendMs = 0;

  /** The phase or the samples changed. */
  readonly onDidChange = this.#changed.event;
  /** Of one refresh of all nodes. */
  readonly refreshCost = new RefreshCost();

  constructor(
    private readonly captures: CaptureStore,
    private readonly log: vscode.LogOutputChannel,
    private readonly surroundings: RecordingSurroundings,
  ) {}

  get isStarting(): boolean {
    return this.#isStarting;
  }

  get isCapturing(): boolean {
    return this.#running?.shown.live === true;
  }

  /** What the nodes that still run are called. */
  get runningNames(): readonly string[] {
    const { group, names } = this.#running ?? {};
    return group?.running.map(({ recording }) => names?.get(recording) ?? "") ?? [];
  }

  /** Shown name of what runs. */
  get name(): string {
    return this.isCapturing ? (this.#running?.shown.title ?? "") : "";
  }

  /**
   * Attaches to all and starts those that can be. When none can, there is nothing in view that was not before.
   * @param attached hears to how many VMs it is attached
   * @throws {Cancelled}
   */
  async start(targets: readonly GroupTarget[], wanted: Wanted, token?: Cancellation, attached?: (count: number) => void): Promise<StartedGroup | readonly RefusedMember[]> {
    this.#isStarting = true;
    try {
      return await this.#start(targets, wanted, token, attached);
    } finally {
      this.#isStarting = false;
    }
  }

  async #start(targets: readonly GroupTarget[], wanted: Wanted, token?: Cancellation, attached?: (count: number) => void): Promise<StartedGroup | readonly RefusedMember[]> {
    const at = new Date();
    const finding = this.surroundings.commit().catch((error: unknown) => void this.log.warn(`The captures name no commit: ${errorText(error)}`));
    const origin = finding.then((found) => found?.origin);
    const taken = new Set<string>();
    const fileFor = async (target: TargetFacts): Promise<string> => {
      const folder = await this.surroundings.folder();
      const name = freeName(captureFileName(target.node, target.pid, at, (await origin)?.commit), (other) => taken.has(other) || existsSync(join(folder, other)));
      taken.add(name);
      return join(folder, name);
    };
    /** Settle when the user has heard of ends that nobody wanted. */
    const heard: Promise<void>[] = [];
    const group: RecordingGroup = new RecordingGroup({
      changed: () => {
        this.#refreshStatus(group);
      },
      grew: (costMs) => {
        this.#appendMs += costMs;
        this.#refreshSoon(group);
      },
      memberEnded: (member, end) => {
        heard.push(tellEnd(member, end, group, this.log));
      },
      ended: () => void this.#ended(group, heard),
    });
    const members = targets.map(({ pid, name, helper, host }): WantedMember => ({
      name,
      recording: (listener, begin) =>
        new Recording(
          {
            ...wanted,
            pid,
            origin,
            fileFor: async (target) => {
              if (host !== undefined) this.surroundings.sawMachine(host, target.host);
              await begin();
              return fileFor(target);
            },
          },
          recordingEnvironment(helper, host !== undefined),
          listener,
        ),
    }));
    this.refreshCost.clear();
    this.#appendMs = 0;
    const refused = await group.start(members, token, attached);
    if (group.members.length === 0) return refused;
    const commit = (await finding) ?? undefined;
    const running = { group, tag: newGroupTag(at), commit, ...joinedOf(group) };
    const files = new Map(group.members.map(({ recording }) => [running.names.get(recording) ?? "", vscode.Uri.file(recording.file)]));
    const isElsewhere = targets.some(({ pid, host }) => host !== undefined || !sharesFiles(pid));
    const shown = new TogetherCapture(togetherUri(running.tag, [...files.values()]), running.joined, files, { live: true, startedUnixMs: at.getTime(), isElsewhere });
    this.#running = { ...running, shown };
    this.captures.show(shown);
    this.#status.follow(group);
    void this.surroundings.memory.begun(rememberedGroup(this.#running, targets, wanted));
    void vscode.commands.executeCommand("setContext", CONTEXT.capturing, true);
    this.log.info(`Capturing ${String(group.members.length)} VMs together, ${running.tag}: ${group.members.map(({ recording }) => recording.file).join(", ")}`);
    this.#refreshSoon(group);
    if (group.running.length === 0) void this.#ended(group, heard);
    const started = group.members.map(({ recording }) => ({ node: running.names.get(recording) ?? "", pid: recording.options.pid, uri: vscode.Uri.file(recording.file) }));
    return { uri: shown.uri, members: started, refused };
  }

  /** Ends all captures of the group and waits until their files are complete; does nothing when none runs. */
  async stop(): Promise<vscode.Uri | undefined> {
    const running = this.#running;
    if (running === undefined || !this.isCapturing) return undefined;
    const ended = new Promise<void>((resolve) => {
      const listening = this.onDidChange(() => {
        if (this.isCapturing) return;
        listening.dispose();
        resolve();
      });
    });
    void running.group.stop();
    await ended;
    return this.#running?.shown.uri;
  }

  dispose(): void {
    this.#refreshing?.dispose();
    this.#status.dispose();
    this.#changed.dispose();
  }

  #refreshStatus(group: RecordingGroup): void {
    if (group !== this.#running?.group) return;
    this.#status.refresh();
    this.#changed.fire();
  }

  #refreshSoon(group: RecordingGroup): void {
    this.#refreshing ??= later(() => {
      this.#refreshing = undefined;
      if (group === this.#running?.group) this.#refresh(this.#running);
    }, REFRESH_MS);
  }

  #refresh({ shown }: ShownGroup): void {
    const start = performance.now();
    if (!shown.capture.catchUp()) return;
    const takenInMs = performance.now() - start;
    this.captures.updated(shown);
    const ms = this.#appendMs + performance.now() - start;
    this.log.debug(`Live refresh of ${String(shown.files.size)} nodes: ${ms.toFixed(1)} ms, ${this.#appendMs.toFixed(1)} ms of it counting, ${takenInMs.toFixed(1)} ms joining`);
    this.#appendMs = 0;
    this.refreshCost.add(ms);
  }

  async #ended(group: RecordingGroup, heard: readonly Promise<void>[]): Promise<void> {
    const running = this.#running;
    if (running === undefined || running.group !== group || !running.shown.live) return;
    this.#refreshing?.dispose();
    this.#refreshing = undefined;
    const anew = await readAnew(running, this.log);
    if (anew !== undefined) {
      running.shown = anew.shown;
      this.captures.replace(running.shown);
    }
    running.shown.capture.catchUp();
    // Before it is told that they have ended: nothing draws the table of nodes after that.
    const clocks = clocksAtEnd(group, anew?.whole);
    for (const [recording, { aheadAtEndMs }] of clocks) running.shown.capture.clockAtEnd(running.names.get(recording) ?? "", aheadAtEndMs);
    running.shown.end();
    this.captures.updated(running.shown);
    this.#status.refresh();
    void vscode.commands.executeCommand("setContext", CONTEXT.capturing, false);
    await noteInFiles(running, clocks, { captures: this.captures, log: this.log, surroundings: this.surroundings });
    this.#changed.fire();
    await Promise.all(heard);
    await this.surroundings.memory.ended(group.members[0]?.recording.file ?? "");
  }
}

/** What is left of it when the window goes away. */
function rememberedGroup({ group, tag, names }: ShownGroup, targets: readonly GroupTarget[], wanted: Wanted): RunningCapture {
  const { durationSeconds, frequencyHz, includeKernel, engine } = wanted;
  const same = group.members.map(({ index, recording }) => ({ pid: recording.options.pid, host: targets[index]?.host }));
  return {
    files: group.members.map(({ recording }) => ({ file: recording.file, name: names.get(recording) ?? "" })),
    durationSeconds,
    group: { tag, again: { targets: same, durationSeconds, frequencyHz, kernelFrames: includeKernel, engine } },
  };
}

/** What all are taken in by, and what each is called there. */
function joinedOf(group: RecordingGroup): { readonly joined: JoinedCapture; readonly names: Map<Recording, string> } {
  const joined = joinedCapture();
  const names = new Map<Recording, string>();
  for (const { recording, name } of group.members) {
    const node = recording.target === undefined ? name : targetName(recording.target);
    names.set(
      recording,
      joined.addNode(node, recording.capture, () => clockAheadMs(recording, recording.isFar)),
    );
  }
  return { joined, names };
}
