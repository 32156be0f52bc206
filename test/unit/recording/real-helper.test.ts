// The recording against the real helper and a real VM, through nothing but pipes.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test, type TestContext } from "node:test";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter, type MessageConnection } from "vscode-jsonrpc/node";
import { ErrorCodes, type InitializationOptions } from "../../../contract/protocol.generated.js";
import { decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import { checkedAnswer, INITIALIZATION_OPTIONS } from "../../../extension/src/helper/handshake.js";
import { HelperError, refusalOf } from "../../../extension/src/helper/helper-error.js";
import type { CaptureListener, HelperConnection } from "../../../extension/src/helper/helper-connection.js";
import { until } from "../../until.mjs";
import { Recording, type RecordingEnd } from "../../../extension/src/recording/recording.js";
import { ENGLISH } from "./fakes.js";

const HELPER = resolve("dist/helper/linux-x64/extrospect");
const BUSY = 'Loop = fun Loop() -> lists:sort([erlang:phash2(N) || N <- lists:seq(1, 3000)]), Loop() end, spawn(Loop), io:format("ready~n"), io:get_line(""), init:stop().';

/** A helper as child of the test. */
class PipedHelper implements HelperConnection {
  readonly child: ChildProcess;
  readonly connection: MessageConnection;
  readonly #listeners = new Set<CaptureListener>();
  /** Attachments that were asked to be forgotten, and the last answer to that. */
  readonly detached: number[] = [];
  settled: Promise<unknown> = Promise.resolve();

  constructor(t: TestContext) {
    const child = spawn(HELPER, ["serve", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    this.child = child;
    this.connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
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

  readonly request: HelperConnection["request"] = async (method, params) => {
    const answer = this.connection.sendRequest<never>(method, params);
    if (method === "extrospect/detach") {
      this.detached.push((params as { attachmentId: number }).attachmentId);
      this.settled = answer.catch(() => {});
    }
    try {
      return await answer;
    } catch (error) {
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

async function busyVm(t: TestContext): Promise<ChildProcess & { pid: number }> {
  const shell = spawn("erl", ["-noshell", "-eval", BUSY], { stdio: ["pipe", "pipe", "inherit"] });
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

function recordingOf(t: TestContext, helper: HelperConnection, pid: number, durationSeconds: number) {
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
    { pid, frequencyHz: 499, durationSeconds, includeKernel: true, engine: "auto" as const, fileFor: () => Promise.resolve(join(folder, "x.pb.gz")) },
    {
      helper,
      newCapture,
      now: () => performance.now(),
      later: (run, ms) => {
        const timer = setTimeout(run, ms);
        return {
          dispose: () => {
            clearTimeout(timer);
          },
        };
      },
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

test("a capture grows while it runs, and in the end says what its file says", async (t) => {
  const [helper, vm] = [new PipedHelper(t), await busyVm(t)];
  checkedAnswer(await helper.initialize(), HELPER, ENGLISH);
  const { recording, ended, costs } = recordingOf(t, helper, vm.pid, 0);
  await recording.start();
  assert.equal(recording.phase, "recording");
  const samples = () => recording.capture.totals.samples;
  await until("more than 100 samples", () => samples() > 100);
  const halfway = samples();
  await until("more of them, by another refresh", () => samples() > halfway && costs.length >= 2);
  void recording.stop();
  assert.deepEqual(await ended, { reason: "stopped", problem: null });
  assert.equal(recording.problem, undefined);
  assert.ok(recording.capture.totals.samples > halfway);
  assert.ok(costs.length >= 2, `${String(costs.length)} refreshes`);
  const file = decodeCapture(readFileSync(recording.file));
  assert.deepEqual(recording.capture.totals, file.totals);
  assert.deepEqual(recording.quality, file.facts.quality);
  assert.equal(file.facts.target?.pid, vm.pid);
  const sort = recording.capture.top().rows.find(({ name }) => name.startsWith("lists:"));
  assert.ok(sort !== undefined, "the VM sorts");
  // Nothing is left behind: the recording detached by itself, and the helper no longer knows the attachment.
  assert.deepEqual(helper.detached, [1]);
  await helper.settled;
  await assert.rejects(helper.request("extrospect/detach", { attachmentId: 1 }), HelperError);
});

test("the helper is killed: what came so far stays, in memory and in the file", async (t) => {
  const [helper, vm] = [new PipedHelper(t), await busyVm(t)];
  await helper.initialize();
  const { recording, ended } = recordingOf(t, helper, vm.pid, 0);
  await recording.start();
  await until("more than 100 samples", () => recording.capture.totals.samples > 100);
  helper.child.kill("SIGKILL");
  assert.equal((await ended).reason, "helperGone");
  const { samples } = recording.capture.totals;
  assert.ok(samples > 100);
  assert.ok(decodeCapture(readFileSync(recording.file)).totals.samples >= samples);
});

test("the VM ends: the capture ends with it and says so", async (t) => {
  const [helper, vm] = [new PipedHelper(t), await busyVm(t)];
  await helper.initialize();
  const { recording, ended } = recordingOf(t, helper, vm.pid, 0);
  await recording.start();
  await until("samples", () => recording.capture.totals.samples > 0);
  vm.kill("SIGKILL");
  assert.equal((await ended).reason, "targetGone");
  assert.ok(recording.capture.totals.samples > 0);
});

test("refusals come in words", async (t) => {
  const helper = new PipedHelper(t);
  await helper.initialize();
  const { recording } = recordingOf(t, helper, process.pid, 0);
  await assert.rejects(recording.start(), (error) => {
    assert.ok(error instanceof HelperError);
    assert.equal(error.code, ErrorCodes.noSuchTarget);
    assert.ok(error.what !== "" && error.fix !== "");
    return true;
  });
  assert.equal(recording.phase, "ended");
});

test("another protocol version is refused as such", async (t) => {
  const helper = new PipedHelper(t);
  await assert.rejects(helper.initialize({ ...INITIALIZATION_OPTIONS, protocolVersion: 999 }), (error) => {
    assert.equal(refusalOf(error, ENGLISH)?.problem, "versionMismatch");
    return true;
  });
});
