// One VM that is watched until a condition holds, from attaching to its end. No vscode in here.

import type { EngineChoice, FlightEndReason, OriginFacts, TargetFacts } from "../../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";
import { Cancelled, HelperError } from "../helper/helper-error.js";
import { broughtHere } from "../recording/far-file.js";
import { errorText } from "../text/error-text.js";
import { knownFile, knownLook, knownReason, type KnownFile, type KnownLook } from "./flight-facts.js";

export interface FlightOptions {
  readonly pid: number;
  readonly condition: string;
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
  readonly maxFiles: number;
  readonly durationSeconds: number;
  readonly frequencyHz: number;
  readonly includeKernel: boolean;
  readonly engine: EngineChoice;
  /** The types of samples; processor time alone when absent. */
  readonly types?: SampleTypeId[];
  readonly nodeEveryMs?: number;
  /** What its files are named after, once it is known what the target is: an absolute path. The folder must be there. */
  readonly fileFor: (target: TargetFacts) => Promise<string>;
  /** A name that is free now, for a file that comes from another host. */
  readonly freeFile: (stem: string) => string;
  /** Which commit the target was built from; undefined when that is not known. Never fails. */
  readonly origin?: Promise<OriginFacts | undefined>;
}

export interface FlightEnd {
  /** `helperGone`: the helper exited or disconnected. */
  readonly reason: FlightEndReason | "helperGone";
  /** The problem, as a clause; empty without one. */
  readonly why: string;
  /** Captures that are here. */
  readonly files: number;
  /** Those that could not be written to their end, or not be brought here. */
  readonly failed: number;
}

export interface FlightListener {
  /** The readings or the state changed. */
  changed(): void;
  /** A capture is complete and here. */
  written(file: KnownFile & { readonly path: string }): void;
  /** No further calls follow. */
  ended(end: FlightEnd): void;
}

export interface FlightEnvironment {
  readonly helper: HelperConnection;
  /** The helper runs on another machine and cannot write here. */
  readonly isFar: boolean;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Words a problem of the helper, or an error, for the user. */
  readonly problemText: (problem: unknown) => string;
}

/** Notifications that may come before the answer that names it. */
const MOST_EARLY = 100;

/**
 *     starting --flight/start answered--> watching --flight/ended, helper gone--> ended
 *     starting --refused, cancelled, helper gone--> (start() throws; it never was)
 */
export class Flight {
  #flightId: number | undefined;
  #attachmentId: number | undefined;
  #target: TargetFacts | undefined;
  #stem = "";
  #look: KnownLook | undefined;
  #startedAt = 0;
  #isEnded = false;
  #files = 0;
  #failed = 0;
  #lastFailure = "";
  /** Captures come from another host one after the other. */
  #arriving = Promise.resolve();
  #early: (() => void)[] = [];
  #listening: { dispose(): void } | undefined;

  constructor(
    readonly options: FlightOptions,
    private readonly environment: FlightEnvironment,
    private readonly listener: FlightListener,
  ) {}

  /** Known once attached. */
  get target(): TargetFacts | undefined {
    return this.#target;
  }

  /** The last readings; undefined before the first. */
  get look(): KnownLook | undefined {
    return this.#look;
  }

  get files(): number {
    return this.#files;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get elapsedMs(): number {
    return this.#flightId === undefined ? 0 : this.environment.now() - this.#startedAt;
  }

  /**
   * Attaches and begins to watch. To be called once.
   * @throws {HelperError} when it cannot be attached to
   * @throws {Cancelled}
   */
  async start(token?: Cancellation): Promise<void> {
    const { helper, isFar, now } = this.environment;
    const { pid, fileFor, freeFile: _, origin: finding, ...how } = this.options;
    let gone: string | undefined;
    const endIfGone = () => {
      if (gone !== undefined) throw new HelperError("ended", "", gone, "");
    };
    this.#listening = helper.listen({
      increment: () => {},
      resync: () => {},
      ended: () => {},
      flightLooked: (params) => {
        this.#of(params.flightId, () => {
          this.#look = knownLook(params);
          this.listener.changed();
        });
      },
      flightWritten: (params) => {
        this.#of(params.flightId, () => {
          this.#written(knownFile(params));
        });
      },
      flightEnded: ({ flightId, reason, problem, failed }) => {
        this.#of(flightId, () => {
          this.#finish(knownReason(reason), problem, Number.isInteger(failed) ? failed : 0);
        });
      },
      helperGone: (why) => {
        gone = why;
        if (this.#flightId !== undefined) this.#finish("helperGone", why, 0);
      },
    });
    try {
      const { attachmentId, target } = await helper.request("extrospect/attach", { pid }, token);
      // The end of the helper before this one is of no concern.
      gone = undefined;
      this.#attachmentId = attachmentId;
      this.#target = target;
      this.#stem = await fileFor(target);
      const origin = await finding;
      endIfGone();
      const { flightId } = await helper.request(
        "extrospect/flight/start",
        { ...how, attachmentId, ...(isFar ? {} : { file: this.#stem }), ...(origin && { origin }) },
        token,
      );
      endIfGone();
      // The answer and the cancelling may have passed each other on the way.
      if (token?.isCancellationRequested === true) throw new Cancelled();
      this.#flightId = flightId;
    } catch (error) {
      this.#listening.dispose();
      this.#isEnded = true;
      // No caller knows a flight that was started and then cancelled: detaching ends it. The end of the helper does that,
      // too, and the next one has other attachments of the same numbers.
      if (gone === undefined) this.#detach();
      throw error;
    }
    this.#startedAt = now();
    this.listener.changed();
    for (const early of this.#early.splice(0)) early();
  }

  /** Requests the end; the listener is called when the files are complete. A second call does no harm. */
  async stop(): Promise<void> {
    if (this.#flightId === undefined || this.#isEnded) return;
    const flightId = this.#flightId;
    try {
      // The notification of the end comes before this answer or shortly after it.
      await this.environment.helper.request("extrospect/flight/stop", { flightId });
    } catch (error) {
      // An answer may be missing before the end of the helper is reported.
      const isGone = error instanceof HelperError && error.problem === "ended";
      this.#finish(isGone ? "helperGone" : "failed", errorText(error), 0);
    }
  }

  #of(flightId: number, act: () => void): void {
    if (this.#flightId !== undefined) {
      if (flightId === this.#flightId && !this.#isEnded) act();
      return;
    }
    if (this.#early.length < MOST_EARLY)
      this.#early.push(() => {
        this.#of(flightId, act);
      });
  }

  #written(file: KnownFile | undefined): void {
    if (file === undefined) return;
    if (!this.environment.isFar) {
      this.#kept(file, file.file);
      return;
    }
    this.#arriving = this.#arriving.then(async () => {
      const path = this.options.freeFile(this.#stem);
      try {
        await broughtHere(this.environment.helper, file.captureId, path);
        this.#kept(file, path);
      } catch (error) {
        this.#failed += 1;
        this.#lastFailure = this.environment.problemText(error);
      }
    });
  }

  #kept(file: KnownFile, path: string): void {
    this.#files += 1;
    this.listener.written({ ...file, path });
  }

  #finish(reason: FlightEnd["reason"], problem: unknown, failed: number): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#listening?.dispose();
    this.listener.changed();
    void this.#arriving.then(() => {
      if (reason !== "helperGone") this.#detach();
      const why = problem === null || problem === undefined ? this.#lastFailure : this.environment.problemText(problem);
      this.listener.ended({ reason, why, files: this.#files, failed: this.#failed + failed });
    });
  }

  #detach(): void {
    if (this.#attachmentId === undefined) return;
    // This only frees memory of the helper: nothing waits for it, and a failure loses nothing.
    this.environment.helper.request("extrospect/detach", { attachmentId: this.#attachmentId }).catch(() => {});
  }
}
