// A helper and a clock whose hands the tests move.
import { rm } from "node:fs/promises";
import type { QualityRecord, Requests, TargetFacts } from "../../../contract/protocol.generated.js";
import { newCapture } from "../../../extension/src/capture/capture-model.js";
import type {
  CaptureListener,
  HelperMethod,
  HelperConnection,
} from "../../../extension/src/helper/helper-connection.js";
import type {
  RecordingEnd,
  RecordingListener,
  RecordingEnvironment,
} from "../../../extension/src/recording/recording.js";

export { ENGLISH } from "../../../contract/english.js";

export const TARGET: TargetFacts = {
  pid: 4242,
  otp: "25",
  erts: "13.1.5",
  flavor: "jit",
  node: "shop@localhost",
  buildId: null,
  host: "localhost",
  command: "beam.smp -sname shop",
  schedulers: 2,
  dirtyCpuSchedulers: 2,
  dirtyIoSchedulers: 10,
};

export function qualityOf(samples: number, more: Partial<QualityRecord> = {}): QualityRecord {
  return {
    samples,
    lost: 0,
    throttled: 0,
    erlang: { samples, complete: samples },
    native_in_process: { samples: 0, with_erlang: 0, complete: 0, bracketed: 0, unproven: 0 },
    scheduler: 0,
    other: 0,
    unresolved_frames: 0,
    frames: samples * 10,
    unnamed_static_frames: 0,
    truncated: 0,
    stacks_cut: 0,
    reloaded: 0,
    unwind_failed: 0,
    skid_us: { p50: 9, p99: 41, max: 350 },
    self_cpu_pct: 1.5,
    self_rss_bytes: 1,
    event: "cpu-clock",
    engine: {
      name: "readv",
      reason: "asked for",
      matched: 0,
      unmatched: 0,
      orphaned: 0,
      dropped: 0,
      cut: 0,
      copy_failed: 0,
    },
    gaps: { cpus: [], cpus_reason: "", threads: 0, threads_reason: "", reader_failures: 0, failed_looks: 0 },
    ...more,
  };
}

/** Records requests; each waits until the test answers it. */
export class FakeHelper implements HelperConnection {
  readonly asked: { method: HelperMethod; params: unknown }[] = [];
  listener: CaptureListener | undefined;
  answers: Partial<{ [M in HelperMethod]: () => Requests[M]["result"] | Promise<Requests[M]["result"]> }> = {
    "extrospect/attach": () => ({
      attachmentId: 7,
      target: TARGET,
      selfCheck: { layout: "", atoms: 0, modules: 0, rows: [], tookMs: 1 },
    }),
    "extrospect/capture/start": () => ({
      captureId: 3,
      file: "/captures/x.pb.gz",
      engine: { name: "readv", reason: "asked for" },
    }),
    "extrospect/capture/stop": () => ({
      captureId: 3,
      reason: "stopped",
      problem: null,
      file: "/captures/x.pb.gz",
      quality: qualityOf(10),
    }),
    "extrospect/detach": () => null,
  };

  async request<M extends HelperMethod>(method: M, params: Requests[M]["params"]): Promise<Requests[M]["result"]> {
    this.asked.push({ method, params });
    const answer = this.answers[method];
    if (answer === undefined) throw new Error(`${method} was not expected`);
    return (await answer()) as Requests[M]["result"];
  }

  listen(listener: CaptureListener): { dispose(): void } {
    this.listener = listener;
    return {
      dispose: () => {
        if (this.listener === listener) this.listener = undefined;
      },
    };
  }

  methods(): string[] {
    return this.asked.map(({ method }) => method);
  }
}

/** The reports of a recording, and its clock. */
export class Stage implements RecordingListener {
  nowMs = 1000;
  readonly files = new Map<string, Uint8Array>();
  readonly reads: [string, number, number][] = [];
  readonly costs: number[] = [];
  readonly ends: RecordingEnd[] = [];
  #due: { at: number; run: () => void }[] = [];

  environment(helper: HelperConnection): RecordingEnvironment {
    return {
      helper,
      newCapture,
      now: () => this.nowMs,
      remove: (file) => rm(file, { force: true }),
      readRange: (file, from, to) => {
        this.reads.push([file, from, to]);
        const bytes = this.files.get(file);
        return bytes === undefined
          ? Promise.reject(new Error(`no ${file}`))
          : Promise.resolve(bytes.subarray(from, to));
      },
      later: (run, ms) => {
        const entry = { at: this.nowMs + ms, run };
        this.#due.push(entry);
        return {
          dispose: () => {
            this.#due = this.#due.filter((other) => other !== entry);
          },
        };
      },
    };
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    const due = this.#due.filter(({ at }) => at <= this.nowMs);
    this.#due = this.#due.filter(({ at }) => at > this.nowMs);
    for (const { run } of due) run();
    await settled();
  }

  readonly changed = (): void => {};

  grew(costMs: number): void {
    this.costs.push(costMs);
  }

  ended(end: RecordingEnd): void {
    this.ends.push(end);
  }
}

/** All promises that can go on have gone on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
