// A helper that a test talks with through nothing but pipes, and a VM for it.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import {
  type CancellationToken,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import type { InitializationOptions } from "../../../contract/protocol.generated.js";
import { newCapture } from "../../../extension/src/capture/capture-model.js";
import { INITIALIZATION_OPTIONS } from "../../../extension/src/helper/handshake.js";
import type { ProgramProcess } from "../../../extension/src/helper/running-program.js";
import { Cancelled, isCancelled, refusalOf } from "../../../extension/src/helper/helper-error.js";
import type { CaptureListener, HelperConnection } from "../../../extension/src/helper/helper-connection.js";
import { Recording, type RecordingEnd } from "../../../extension/src/recording/recording.js";
import { ENGLISH } from "./fakes.js";
import { busyShell } from "../../vms/busy-shell.mjs";

export const HELPER = resolve("dist/helper/linux-x64/extrospect");
/** A helper that was started here or elsewhere. */
export class PipedHelper implements HelperConnection {
  readonly child: ProgramProcess;
  readonly connection: MessageConnection;
  readonly #listeners = new Set<CaptureListener>();
  /** Attachments that the helper was to forget, and the last answer to that. */
  readonly detached: number[] = [];
  settled: Promise<unknown> = Promise.resolve();

  constructor(
    t: TestContext,
    { child, input, output }: { child: ProgramProcess; input: Writable; output: Readable } = startedHere(),
  ) {
    this.child = child;
    this.connection = createMessageConnection(new StreamMessageReader(output), new StreamMessageWriter(input));
    this.connection.onNotification("extrospect/capture/increment", (params) => {
      for (const it of this.#listeners) it.increment(params);
    });
    this.connection.onNotification("extrospect/capture/resync", (params) => {
      for (const it of this.#listeners) it.resync(params);
    });
    this.connection.onNotification("extrospect/capture/ended", (params) => {
      for (const it of this.#listeners) it.ended(params);
    });
    this.connection.onClose(() => {
      for (const it of [...this.#listeners]) it.helperGone("it closed its output");
    });
    this.connection.onError(() => {});
    this.connection.listen();
    t.after(() => {
      this.connection.dispose();
      child.kill("SIGKILL");
    });
  }

  initialize(initializationOptions: InitializationOptions = INITIALIZATION_OPTIONS): Promise<unknown> {
    return this.connection.sendRequest("initialize", { processId: null, capabilities: {}, initializationOptions });
  }

  readonly request: HelperConnection["request"] = async (method, params, token) => {
    const answer =
      token === undefined
        ? this.connection.sendRequest<never>(method, params)
        : this.connection.sendRequest<never>(method, params, token as CancellationToken);
    if (method === "extrospect/detach") {
      this.detached.push((params as { attachmentId: number }).attachmentId);
      this.settled = answer.catch(() => {});
    }
    try {
      return await answer;
    } catch (error) {
      if (isCancelled(error)) throw new Cancelled();
      throw refusalOf(error, ENGLISH) ?? error;
    }
  };

  listen(listener: CaptureListener): { dispose(): void } {
    this.#listeners.add(listener);
    return {
      dispose: () => {
        this.#listeners.delete(listener);
      },
    };
  }
}

function startedHere() {
  const child = spawn(HELPER, ["serve", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  return { child, input: child.stdin, output: child.stdout };
}

/** @param uid the owner of the VM; the test's own user when absent */
export async function busyVm(t: TestContext, uid?: number): Promise<ChildProcess & { pid: number }> {
  const shell = spawn("erl", busyShell(), {
    stdio: ["pipe", "pipe", "inherit"],
    ...(uid !== undefined && { uid, gid: uid, cwd: "/", env: { ...process.env, HOME: "/tmp" } }),
  });
  t.after(() => {
    shell.kill("SIGKILL");
  });
  await new Promise<void>((ready, failed) => {
    shell.once("error", failed);
    shell.stdout.once("data", () => {
      ready();
    });
  });
  assert.ok(shell.pid !== undefined);
  return shell as ChildProcess & { pid: number };
}

/** @param isFar the helper cannot write here */
export function recordingOf(
  t: TestContext,
  helper: HelperConnection,
  pid: number,
  durationSeconds: number,
  isFar = false,
  frequencyHz = 499,
) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-recording-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const costs: number[] = [];
  let tellEnd: (end: RecordingEnd) => void;
  const ended = new Promise<RecordingEnd>((resolveEnd) => {
    tellEnd = resolveEnd;
  });
  const recording = new Recording(
    {
      pid,
      frequencyHz,
      durationSeconds,
      includeKernel: true,
      engine: "auto" as const,
      fileFor: () => Promise.resolve(join(folder, "x.pb.gz")),
    },
    {
      helper,
      isFar,
      newCapture,
      now: () => performance.now(),
      later: (run, ms) => {
        // A wait in vain keeps no test from its end.
        const timer = setTimeout(run, ms).unref();
        return {
          dispose: () => {
            clearTimeout(timer);
          },
        };
      },
      remove: (file) => rm(file, { force: true }),
      readRange: async (file, from, to) => {
        const handle = await open(file);
        try {
          return (await handle.read(new Uint8Array(to - from), 0, to - from, from)).buffer;
        } finally {
          await handle.close();
        }
      },
    },
    {
      changed: () => {},
      grew: (cost) => costs.push(cost),
      ended: (end) => {
        tellEnd(end);
      },
    },
  );
  return { recording, ended, costs };
}
