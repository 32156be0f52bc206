// The recording of this window: at most one runs at a time.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { timeOfDay } from "../../../contract/figures.js";
import { plainText } from "../../../contract/plain-text.js";
import type { TargetFacts } from "../../../contract/protocol.generated.js";
import { openBytes } from "../captures/open-bytes.js";
import { captureFileName, freeName } from "../captures/capture-file.js";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { appendElsewhere, appendOrigin } from "../captures/append-facts.js";
import type { FolderCommit } from "../commits/folder-commit.js";
import { hashSources } from "../commits/source-hashes.js";
import { COMMANDS, CONTEXT } from "../contributions.js";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";
import { errorInWords } from "../messages/helper-text.js";
import { showWarningMessage } from "../messages/show-message.js";
import { targetName } from "../targets/target-description.js";
import { fileName } from "../text/base-name.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import { errorText } from "../text/error-text.js";
import type { RunningCaptureMemory } from "./interrupted-recording.js";
import { LiveCapture } from "./live-capture.js";
import { sharesFiles } from "./shared-files.js";
import { recordingEnvironment } from "./recording-environment.js";
import { RecordingStatus } from "./recording-status.js";
import { Recording, type RecordingEnd, type RecordingOptions, type RecordingPhase } from "./recording.js";
import { RefreshCost } from "./refresh-cost.js";
import { endText } from "./status-text.js";

export interface StartedRecording {
  readonly pid: number;
  readonly uri: vscode.Uri;
}

type Wanted = Omit<RecordingOptions, "fileFor" | "origin">;

/** Where the VM is. */
export interface Whereabouts {
  readonly helper: HelperConnection;
  /** The host, when it is not this machine. */
  readonly host: HostAddress | undefined;
  /** Whether the line to that host is cut, and looked for again. */
  readonly isCut?: () => boolean;
}

/** What a recording gets from the workspace. */
export interface RecordingSurroundings {
  /** Where captures go; absolute path of a folder that is there. */
  readonly folder: () => Promise<string>;
  /** Which commit the sources are at. Never fails. */
  readonly commit: () => Promise<FolderCommit | undefined>;
  /** The user's own sources that a capture names; absolute paths. */
  readonly sourceFiles: (opened: OpenCapture) => Promise<readonly string[]>;
  /** A host is called so by what runs there: by that its captures are known as its own. */
  readonly sawMachine: (host: HostAddress, machine: string) => void;
  /** What is left of a capture when the window goes away. */
  readonly memory: RunningCaptureMemory;
}

/** Starts and stops recordings, keeps the store of captures, the status bar and the context key up to date, and shows how each ended. */
export class RecordingControl implements vscode.Disposable {
  readonly #status = new RecordingStatus();
  readonly #changed = new vscode.EventEmitter<void>();
  #recording: Recording | undefined;
  #shown: LiveCapture | undefined;
  #commit: FolderCommit | undefined;
  #host: HostAddress | undefined;

  /** The phase or the samples changed. */
  readonly onDidChange = this.#changed.event;
  readonly refreshCost = new RefreshCost();

  constructor(
    private readonly captures: CaptureStore,
    private readonly log: vscode.LogOutputChannel,
    private readonly surroundings: RecordingSurroundings,
  ) {}

  /** Of the recording that runs, or ran last. */
  get phase(): RecordingPhase | "none" {
    return this.#recording?.phase ?? "none";
  }

  get isCapturing(): boolean {
    return this.phase === "recording" || this.phase === "stopping";
  }

  /** Shown name of the target of the recording that runs. */
  get name(): string {
    return this.isCapturing ? nameOf(this.#recording?.target) : "";
  }

  /** The VM that is captured now, and where it is. */
  get target(): { readonly pid: number; readonly host: HostAddress | undefined } | undefined {
    return this.isCapturing && this.#recording !== undefined ? { pid: this.#recording.options.pid, host: this.#host } : undefined;
  }

  /** Shown in the store while it runs and after. */
  get opened(): LiveCapture | undefined {
    return this.#shown;
  }

  /**
   * Attaches and starts.
   * @throws {HelperError} {@link Cancelled}
   */
  async start(wanted: Wanted, { helper, host, isCut }: Whereabouts, token?: Cancellation): Promise<StartedRecording> {
    // Both may take a while: git tells the commit while the VM is attached to.
    const commit = this.surroundings.commit().catch((error: unknown) => void this.log.warn(`The capture names no commit: ${errorText(error)}`));
    const origin = commit.then((found) => found?.origin);
    const fileFor = async (target: TargetFacts): Promise<string> => {
      if (host !== undefined) this.surroundings.sawMachine(host, target.host);
      const folder = await this.surroundings.folder();
      const name = captureFileName(target.node, target.pid, new Date(), (await origin)?.commit);
      return join(
        folder,
        freeName(name, (taken) => existsSync(join(folder, taken))),
      );
    };
    const recording: Recording = new Recording({ ...wanted, fileFor, origin }, recordingEnvironment(helper, host !== undefined), {
      changed: () => {
        this.#refresh(recording);
      },
      grew: (costMs) => {
        this.#grew(recording, costMs);
      },
      ended: (end) => void this.#ended(recording, end),
    });
    this.refreshCost.clear();
    // Known before the first increment, which may follow the answer at once.
    this.#recording = recording;
    this.#commit = undefined;
    this.#shown = undefined;
    try {
      await recording.start(token);
    } catch (error) {
      if (this.#recording === recording) this.#recording = undefined;
      throw error;
    }
    this.#commit = (await commit) ?? undefined;
    const uri = vscode.Uri.file(recording.file);
    const name = nameOf(recording.target);
    this.#host = host;
    const where = host === undefined ? "" : ` on ${addressName(host)}`;
    this.log.info(`Capturing ${name}, process ${String(wanted.pid)}${where}, to ${recording.file}; engine ${recording.engine?.name ?? "?"}: ${recording.engine?.reason ?? ""}`);
    void this.surroundings.memory.begun({ files: [{ file: recording.file, name }], durationSeconds: wanted.durationSeconds });
    this.#shown = new LiveCapture(uri, titleOf(name, new Date()), recording.capture, host !== undefined || !sharesFiles(wanted.pid));
    this.captures.show(this.#shown);
    this.#status.follow(recording, name, () => (host !== undefined && isCut?.() === true ? addressName(host) : undefined));
    this.#announceCapturing(true);
    return { pid: wanted.pid, uri };
  }

  /** Ends the running recording and waits until its file is complete; does nothing when none runs. */
  async stop(): Promise<vscode.Uri | undefined> {
    const [recording, shown] = [this.#recording, this.#shown];
    if (recording === undefined || !this.isCapturing) return undefined;
    const ended = new Promise<void>((resolve) => {
      const listening = this.onDidChange(() => {
        if (shown?.live === true) return;
        listening.dispose();
        resolve();
      });
    });
    void recording.stop();
    await ended;
    return shown?.uri;
  }

  dispose(): void {
    this.#status.dispose();
    this.#changed.dispose();
  }

  #refresh(recording: Recording): void {
    if (recording !== this.#recording) return;
    this.#status.refresh();
    this.#changed.fire();
  }

  #grew(recording: Recording, appendMs: number): void {
    if (recording !== this.#recording || this.#shown === undefined) return;
    const start = performance.now();
    this.captures.updated(this.#shown);
    const ms = appendMs + performance.now() - start;
    this.refreshCost.add(ms);
    this.log.debug(`Live refresh: ${ms.toFixed(1)} ms, ${appendMs.toFixed(1)} ms of it counting`);
  }

  async #ended(recording: Recording, end: RecordingEnd): Promise<void> {
    const shown = this.#shown;
    if (recording.problem !== undefined) this.log.error(`The capture could not be followed: ${recording.problem.message}`);
    shown?.end();
    if (shown !== undefined && recording.needsWholeFile) await this.#readAnew(shown, recording.file);
    if (shown !== undefined) this.captures.updated(this.captures.get(shown.uri) ?? shown);
    this.#announceCapturing(false);
    this.#refresh(recording);
    const ended = shown === undefined ? undefined : this.captures.get(shown.uri);
    if (ended !== undefined && end.reason !== "helperGone") void this.#note(ended, this.#commit, recording.isFar);
    const samples = recording.quality?.samples ?? 0;
    const name = nameOf(recording.target);
    const { problem, reason } = end;
    const words = problem === null ? undefined : errorInWords(problem, vscode.l10n);
    const why = plainText([words?.what, words?.why].filter((part) => part !== undefined && part !== "").join(": "), 500);
    const { text, isTrouble } = endText(reason, why, name, samples, vscode.l10n, vscode.env.language);
    this.log.info(`${text} ${recording.file}`);
    // When the window goes away, trouble is said to nobody, and this goes no further.
    const isAgain = isTrouble && (await this.#say(text, reason));
    await this.surroundings.memory.ended(recording.file);
    if (isAgain) await this.#again(recording);
  }

  // The status bar shows an end that was wanted; only trouble is worth a message.
  async #say(text: string, reason: RecordingEnd["reason"]): Promise<boolean> {
    const l10n = vscode.l10n;
    const [again, showLog] = [l10n.t("Restart the Capture"), l10n.t("Show Log")];
    const buttons = reason === "targetGone" ? [showLog] : [again, showLog];
    const chosen = await showWarningMessage(text, ...buttons);
    if (chosen === showLog) this.log.show(true);
    return chosen === again;
  }

  async #again({ options }: Recording): Promise<void> {
    const { pid, durationSeconds, frequencyHz, includeKernel, engine } = options;
    await vscode.commands.executeCommand(COMMANDS.attach, { pid, host: this.#host, durationSeconds, frequencyHz, kernelFrames: includeKernel, engine });
  }

  async #note(opened: OpenCapture, commit: FolderCommit | undefined, isFar: boolean): Promise<void> {
    if (isFar) await appendElsewhere(opened.uri, this.captures).catch((error: unknown) => void this.log.warn(`${opened.uri.fsPath} does not say that it is of another host: ${errorText(error)}`));
    if (commit !== undefined) await this.#noteSources(opened, commit);
  }

  /** The commit is in the capture from its start; what its sources look like is known when it is known which they are. */
  async #noteSources(opened: OpenCapture, { top, origin }: FolderCommit): Promise<void> {
    try {
      const sources = await hashSources(top, await this.surroundings.sourceFiles(opened), origin.commit);
      if (Object.keys(sources).length > 0) await appendOrigin(opened.uri, { ...origin, sources }, this.captures);
    } catch (error) {
      this.log.warn(`The sources of ${opened.uri.fsPath} were not noted in it: ${errorText(error)}`);
    }
  }

  async #readAnew(shown: LiveCapture, file: string): Promise<void> {
    try {
      const whole = new LiveCapture(shown.uri, shown.title, await openBytes(await readFile(file)), shown.isElsewhere);
      whole.end();
      this.captures.replace(whole);
      this.#shown = whole;
    } catch (error) {
      this.log.error(`${fileName({ path: file })} could not be read after its end: ${errorText(error)}`);
    }
  }

  #announceCapturing(isCapturing: boolean): void {
    void vscode.commands.executeCommand("setContext", CONTEXT.capturing, isCapturing);
    this.#changed.fire();
  }
}

function nameOf(target: TargetFacts | undefined): string {
  return target === undefined ? "" : targetName(target);
}

function titleOf(name: string, at: Date): string {
  return `${name}, ${timeOfDay(at.getTime(), vscode.env.language)}`;
}
