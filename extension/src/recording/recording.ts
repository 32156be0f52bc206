// One capture of one VM, from attaching to its end. No vscode in here.

import type {
  CaptureEndedParams,
  CaptureEndReason,
  CaptureStartResult,
  EngineChoice,
  EngineInUse,
  ErrorData,
  OriginFacts,
  QualityRecord,
  TargetFacts,
  WorkCounter,
} from "../../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { Capture } from "../capture/questions.js";
import { Cancelled, HelperError } from "../helper/helper-error.js";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";
import { errorText } from "../text/error-text.js";
import { FarFile } from "./far-file.js";
import type { RequestedBetween } from "./clock-ahead.js";
import { Increments, type ReadRange } from "./increments.js";

export interface RecordingOptions {
  readonly pid: number;
  readonly frequencyHz: number;
  /** 0: until stopped. */
  readonly durationSeconds: number;
  readonly includeKernel: boolean;
  readonly engine: EngineChoice;
  /** The types of samples, each one that the helper records; processor time alone when absent. */
  readonly types?: SampleTypeId[];
  /** How often the target is read as a whole, milliseconds; about once a second when absent. */
  readonly nodeEveryMs?: number;
  /** The counter of work during the capture; undefined without one. */
  readonly work?: WorkCounter | undefined;
  /** Where the capture goes, once it is known what the target is; absolute path. The folder must be there. */
  readonly fileFor: (target: TargetFacts) => Promise<string>;
  /** Which commit the target was built from; undefined when that is not known. Never fails. */
  readonly origin?: Promise<OriginFacts | undefined>;
}

export type RecordingPhase = "attaching" | "recording" | "stopping" | "ended";

export interface RecordingEnd {
  /** `helperGone`: the helper exited or disconnected before it reported the capture's end. */
  readonly reason: CaptureEndReason | "helperGone";
  readonly problem: ErrorData | null;
}

/** Receives the changes of a recording, to show them. */
export interface RecordingListener {
  /** Phase, quality or both changed. */
  changed(): void;
  /** The capture grew; `costMs` is what appending took. */
  grew(costMs: number): void;
  /** Nothing follows. `capture` in memory is complete unless `isComplete` is false. */
  ended(end: RecordingEnd): void;
}

/** What a recording calls; tests pass their own. */
export interface RecordingEnvironment {
  readonly helper: HelperConnection;
  readonly newCapture: () => Capture;
  readonly readRange: ReadRange;
  /** Deletes a file of this machine, if it is there. */
  readonly remove: (file: string) => Promise<void>;
  /** The helper runs on another machine and cannot write here. */
  readonly isFar?: boolean;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Calls back once, later. */
  readonly later: (run: () => void, ms: number) => { dispose(): void };
}

/** Shortest time between two refreshes. The helper sends about one increment a second; after a hold-up several at once. */
const REFRESH_MS = 700;
/** On a machine that is busy a notification may be read long after it was sent. */
const END_PATIENCE_MS = 10_000;

/**
 *     attaching --capture/start answered--> recording --stop()--> stopping --capture/ended--> ended
 *     attaching --refused, cancelled, helper gone--> (start() throws; the recording never was)
 *     recording --capture/ended: duration, targetGone, writeFailed, failed, shutdown--> ended
 *     recording, stopping --helper gone--> ended (the samples so far are kept, here and in the file)
 */
export class Recording {
  #phase: RecordingPhase = "attaching";
  #target: TargetFacts | undefined;
  #captureId: number | undefined;
  #file = "";
  #farFile: FarFile | undefined;
  #quality: QualityRecord | undefined;
  #engine: EngineInUse | undefined;
  #startedAt = 0;
  #startRequested: RequestedBetween | undefined;
  #stopRequestedUnixMs: number | undefined;
  #stopRequested: RequestedBetween | undefined;
  #endedAt: number | undefined;
  #refreshedAt = -Infinity;
  #timer: { dispose(): void } | undefined;
  #flushing = Promise.resolve();
  readonly #increments: Increments;
  readonly #early: (() => void)[] = [];
  #listening: { dispose(): void } | undefined;
  #attachmentId = 0;

  constructor(
    readonly options: RecordingOptions,
    private readonly environment: RecordingEnvironment,
    private readonly listener: RecordingListener,
  ) {
    const readRange: ReadRange = (file, from, to) =>
      (this.#farFile?.readRange ?? environment.readRange)(file, from, to);
    this.#increments = new Increments(environment.newCapture(), readRange, (bytes) => this.#farFile?.append(bytes));
  }

  get phase(): RecordingPhase {
    return this.#phase;
  }

  /** Grows until the end. */
  get capture(): Capture {
    return this.#increments.capture;
  }

  /** Why the capture in memory stopped growing before its end; undefined when it did not. */
  get problem(): Error | undefined {
    return this.#increments.problem ?? this.fileProblem;
  }

  /** Why the file of a capture on another host is not complete here; undefined where it is. */
  get fileProblem(): Error | undefined {
    return this.#farFile?.problem;
  }

  /** Whether the file holds more than `capture` in memory: read it anew. */
  get needsWholeFile(): boolean {
    // The helper adds to a file that was begun that sampling ended early.
    const isNoted = this.#quality?.gaps.ended_early === true && !this.#increments.hasNothing;
    return this.#increments.needsWholeFile || isNoted;
  }

  /** Known once attached. */
  get target(): TargetFacts | undefined {
    return this.#target;
  }

  /** The VM is on another host. */
  get isFar(): boolean {
    return this.#farFile !== undefined;
  }

  /** Absolute path; empty while attaching. */
  get file(): string {
    return this.#file;
  }

  /** How Erlang stacks are obtained, and why so; undefined while attaching. */
  get engine(): EngineInUse | undefined {
    return this.#engine;
  }

  /** Quality record of the whole capture so far; undefined before the first increment. */
  get quality(): QualityRecord | undefined {
    return this.#quality;
  }

  /**
   * The range of the capture's start by the clock here; undefined while attaching. Its file contains the start by the
   * clock there.
   */
  get startRequested(): RequestedBetween | undefined {
    return this.#startRequested;
  }

  /** The range of its end by the clock here; undefined before that, and when it ended without a request. */
  get stopRequested(): RequestedBetween | undefined {
    return this.#stopRequested;
  }

  get elapsedMs(): number {
    if (this.#phase === "attaching") return 0;
    return (this.#endedAt ?? this.environment.now()) - this.#startedAt;
  }

  /**
   * Attaches and starts the capture. To be called once.
   * @throws {HelperError} when it cannot be attached to or written
   * @throws {Cancelled}
   */
  async start(token?: Cancellation): Promise<void> {
    const { helper, isFar = false } = this.environment;
    const { pid, frequencyHz, durationSeconds, includeKernel, engine, types, nodeEveryMs, work, fileFor } =
      this.options;
    let gone: string | undefined;
    const endIfGone = () => {
      if (gone !== undefined) throw new HelperError("ended", "", gone, "");
    };
    this.#listening = helper.listen({
      increment: (params) => {
        this.#of(params.captureId, () => {
          this.#quality = params.quality;
          this.#increments.add(params);
          this.#soon();
        });
      },
      resync: (params) => {
        this.#of(params.captureId, () => {
          this.#increments.resync(params);
          this.#soon();
        });
      },
      ended: (params) => {
        this.#of(params.captureId, () => {
          this.#ended(params);
        });
      },
      helperGone: (why) => {
        gone = why;
        if (this.#phase !== "attaching")
          this.#finish({ reason: "helperGone", problem: { what: "", why, fix: "", exitCode: 1 } });
      },
    });
    try {
      const { attachmentId, target } = await helper.request("extrospect/attach", { pid }, token);
      // The end of the helper before this one is of no concern.
      gone = undefined;
      this.#attachmentId = attachmentId;
      this.#target = target;
      const file = await fileFor(target);
      const origin = await this.options.origin;
      endIfGone();
      const fromUnixMs = Date.now();
      const started = await helper.request(
        "extrospect/capture/start",
        {
          attachmentId,
          frequencyHz,
          durationSeconds,
          includeKernel,
          engine,
          ...(types && { types }),
          ...(isFar ? {} : { file }),
          ...(origin && { origin }),
          ...(work && { work }),
          ...(nodeEveryMs !== undefined && { nodeEveryMs }),
        },
        token,
      );
      this.#startRequested = { fromUnixMs, toUnixMs: Date.now() };
      endIfGone();
      // The answer and the cancelling may have passed each other on the way.
      if (token?.isCancellationRequested === true) {
        await this.#discard(started);
        throw new Cancelled();
      }
      this.#captureId = started.captureId;
      this.#file = isFar ? file : started.file;
      if (isFar) this.#farFile = new FarFile(helper, started.captureId, file);
      this.#engine = started.engine;
    } catch (error) {
      this.#listening.dispose();
      this.#phase = "ended";
      // No caller knows a capture whose start was not answered: detaching ends it. The end of the helper does that, too,
      // and the next one has other attachments of the same numbers.
      if (gone === undefined) this.#detach();
      throw error;
    }
    this.#startedAt = this.environment.now();
    this.#phase = "recording";
    this.listener.changed();
    for (const early of this.#early.splice(0)) early();
  }

  /** Requests the end; the listener is called when the file is complete. A second call does no harm. */
  async stop(): Promise<void> {
    if (this.#phase !== "recording" || this.#captureId === undefined) return;
    this.#phase = "stopping";
    this.#stopRequestedUnixMs = Date.now();
    this.listener.changed();
    try {
      const ended = await this.environment.helper.request("extrospect/capture/stop", { captureId: this.#captureId });
      this.#noteEnd();
      // The notification of the end comes after the last increment, but this answer may come before it. So the notification is given some time to come first.
      this.environment.later(() => {
        this.#ended(ended);
      }, END_PATIENCE_MS);
    } catch (error) {
      // The capture may have ended just before: a notification reports that. After any other failure the recording must
      // not stay in `stopping` for ever. An answer may be missing before the end of the helper is reported.
      const reason = error instanceof HelperError && error.problem === "ended" ? "helperGone" : "failed";
      if (!this.#isEnded())
        this.#finish({ reason, problem: { what: "", why: errorText(error), fix: "", exitCode: 1 } });
    }
  }

  #of(captureId: number, act: () => void): void {
    if (this.#phase === "attaching")
      this.#early.push(() => {
        this.#of(captureId, act);
      });
    else if (captureId === this.#captureId && this.#phase !== "ended") act();
  }

  /** The first word of the end: the answer to stop, or the notification. */
  #noteEnd(): void {
    if (this.#stopRequestedUnixMs !== undefined)
      this.#stopRequested ??= { fromUnixMs: this.#stopRequestedUnixMs, toUnixMs: Date.now() };
  }

  #ended({ reason, problem, quality }: CaptureEndedParams): void {
    if (this.#isEnded()) return;
    if (reason === "stopped") this.#noteEnd();
    this.#quality = quality;
    this.#finish({ reason, problem });
  }

  #isEnded(): boolean {
    return this.#phase === "ended";
  }

  #finish(end: RecordingEnd): void {
    if (this.#isEnded()) return;
    this.#phase = "ended";
    this.#endedAt = this.environment.now();
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#listening?.dispose();
    const farFile = this.#farFile;
    const isThere = end.reason !== "helperGone";
    if (farFile === undefined && isThere) this.#detach();
    void this.#flush().then(async () => {
      if (farFile !== undefined && isThere) {
        await farFile.complete();
        this.#detach();
      }
      await farFile?.settled();
      this.listener.changed();
      this.listener.ended(end);
    });
  }

  /** Removes a capture that was started and then cancelled. Remains that cannot be removed do no harm. */
  async #discard({ captureId, file }: CaptureStartResult): Promise<void> {
    const { helper, remove, isFar = false } = this.environment;
    try {
      await helper.request("extrospect/capture/stop", { captureId });
      await (isFar ? helper.request("extrospect/capture/remove", { captureId }) : remove(file));
    } catch {
      // It ends with its attachment.
    }
  }

  #detach(): void {
    if (this.#attachmentId === 0) return;
    // This only frees memory of the helper: nothing waits for it, and a failure loses nothing.
    this.environment.helper.request("extrospect/detach", { attachmentId: this.#attachmentId }).catch(() => {});
  }

  #soon(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#refreshedAt + REFRESH_MS - this.environment.now());
    this.#timer = this.environment.later(() => {
      this.#timer = undefined;
      void this.#flush();
    }, wait);
  }

  #flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      if (this.#increments.isEmpty) return;
      this.#refreshedAt = this.environment.now();
      const { grew, costMs } = await this.#increments.flush();
      if (grew) this.listener.grew(costMs);
      this.listener.changed();
    });
    return this.#flushing;
  }
}
