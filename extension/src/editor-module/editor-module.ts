// Comparisons, histories, profiles of other tools and builds of a workspace, computed by the helper's own code on a thread of its own. It needs no helper,
// so it is the same on every desktop.

import { Worker } from "node:worker_threads";
import type {
  Answer,
  BuildsAnswer,
  BuildsRequest,
  CompareRequest,
  ConvertRequest,
  Converted,
  CountAnswer,
  CountRequest,
  HistoryAnswer,
  HistoryRequest,
} from "../../../contract/editor-module.generated.js";
import type { ModuleCall } from "./editor-module-thread.js";
import { splitAnswer, withLength } from "./module-call.js";

/** Where the parts of the product are that a call needs. */
export interface ModuleFiles {
  /** The WebAssembly. */
  readonly module: string;
  /** The bundle of editor-module-thread.ts. */
  readonly thread: string;
}

/** A profile of another tool; `profile` is a pprof message. */
export interface ConvertedProfile {
  readonly converted: Converted;
  readonly profile: Uint8Array;
}

/**
 * Compares captures.
 * @param captures the files, those of the base first, in the order of the request; they are copied
 * @param signal ends the thread
 */
export async function compareCaptures(files: ModuleFiles, request: CompareRequest, captures: readonly Uint8Array[], signal?: AbortSignal): Promise<Answer> {
  const answer = await callOnThread({ module: files.module, function: "compare", parts: [withLength(JSON.stringify(request)), ...captures] }, files.thread, signal);
  return JSON.parse(new TextDecoder().decode(answer)) as Answer;
}

/** Makes a capture of a profile of another tool. @param request which event, where it has several */
export async function convertProfile(files: ModuleFiles, request: ConvertRequest, bytes: Uint8Array, signal?: AbortSignal): Promise<ConvertedProfile> {
  const answer = await callOnThread({ module: files.module, function: "convert", parts: [withLength(JSON.stringify(request)), bytes] }, files.thread, signal);
  const { json, rest } = splitAnswer(answer);
  return { converted: JSON.parse(json) as Converted, profile: rest };
}

/**
 * Holds the builds of a workspace against what a capture says of its own.
 * @param contents of the files that have one, in the order of the request; they are copied
 * @param signal ends the thread
 */
export async function matchBuilds(files: ModuleFiles, request: BuildsRequest, contents: readonly Uint8Array[], signal?: AbortSignal): Promise<BuildsAnswer> {
  const answer = await callOnThread({ module: files.module, function: "builds", parts: [withLength(JSON.stringify(request)), ...contents] }, files.thread, signal);
  return JSON.parse(new TextDecoder().decode(answer)) as BuildsAnswer;
}

/**
 * Counts captures for a history.
 * @param captures the files, in the order of the request; they are copied
 * @param signal ends the thread
 */
export async function countCaptures(files: ModuleFiles, request: CountRequest, captures: readonly Uint8Array[], signal?: AbortSignal): Promise<CountAnswer> {
  const answer = await callOnThread({ module: files.module, function: "count", parts: [withLength(JSON.stringify(request)), ...captures] }, files.thread, signal);
  return JSON.parse(new TextDecoder().decode(answer)) as CountAnswer;
}

/** Makes a history of what was counted. @param signal ends the thread */
export async function makeHistory(files: ModuleFiles, request: HistoryRequest, signal?: AbortSignal): Promise<HistoryAnswer> {
  const answer = await callOnThread({ module: files.module, function: "history", parts: [withLength(JSON.stringify(request))] }, files.thread, signal);
  return JSON.parse(new TextDecoder().decode(answer)) as HistoryAnswer;
}

function callOnThread(call: ModuleCall, program: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // Arguments of the editor's own process are not for this thread.
    const worker = new Worker(program, { workerData: call, execArgv: [] });
    const cancel = (): void => void worker.terminate();
    signal?.addEventListener("abort", cancel, { once: true });
    worker.once("message", resolve);
    worker.once("error", (error) => reject(new Error(`the thread that computes it failed: ${error instanceof Error ? error.message : String(error)}`)));
    worker.once("exit", (code) => {
      signal?.removeEventListener("abort", cancel);
      reject(signal?.aborted === true ? new Error("cancelled") : new Error(`the thread that computes it ended without an answer (code ${code})`));
    });
  });
}
