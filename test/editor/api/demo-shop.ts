// Common to the API tests: the extension, the demo project and its VM.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import type { Api } from "../../../extension/src/activate.js";

export const PRICING = "demo/src/demo_pricing.erl";
const PATIENCE_MS = 120_000;
/** In the stack of whatever the extension itself calls. */
const EXTENSION_CODE = "dist/extension/main.cjs";

export interface Attached {
  readonly pid: number;
  readonly uri: vscode.Uri;
}

/** The extension as another one would get it. */
export async function api(): Promise<Api> {
  const extension = vscode.extensions.getExtension<Api>("extrospect.extrospect");
  assert.ok(extension, "the extension is installed");
  return extension.activate();
}

export function demoPid(): number {
  const pid = Number(process.env["EXTROSPECT_DEMO_PID"]);
  assert.ok(pid > 1, "EXTROSPECT_DEMO_PID is set");
  return pid;
}

export function shopFile(path: string): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, "a folder is open");
  return vscode.Uri.joinPath(folder.uri, path);
}

/** Captures the demo VM for so long, and waits until it is done. */
export async function captured(seconds: number, frequencyHz = 499): Promise<Attached> {
  const { recording } = await api();
  const attached = await vscode.commands.executeCommand<Attached | undefined>("extrospect.attach", {
    pid: demoPid(),
    durationSeconds: seconds,
    frequencyHz,
  });
  assert.ok(attached, "attach answers what it started");
  await eventually("the end of the capture", () => recording.phase === "ended" && !recording.isCapturing);
  return attached;
}

/**
 * Captures the demo VM until a function has time of its own: on a busy machine, customers that rest leave it few
 * samples.
 */
export async function capturedWithOwnTime(functionName: string): Promise<Attached> {
  for (let seconds = 3; ; seconds *= 2) {
    const attached = await captured(seconds);
    if (((await bodyLinesOf(functionName))[0]?.own ?? 0) > 0) return attached;
    assert.ok(seconds < 60, `${functionName} has no time of its own in ${String(seconds)} s`);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: attached.uri.toString() });
  }
}

export async function lensesOf(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  await vscode.workspace.openTextDocument(uri);
  return (
    (await vscode.commands.executeCommand<vscode.CodeLens[] | undefined>("vscode.executeCodeLensProvider", uri)) ?? []
  );
}

/** The lenses with figures, by line from 0. */
export async function figuresOf(uri: vscode.Uri): Promise<Map<number, string>> {
  const figures = (await lensesOf(uri)).filter(({ command }) => command?.command === "extrospect.functionMenu");
  return new Map(figures.map(({ range, command }) => [range.start.line, command?.title ?? ""]));
}

/** The text about the file as a whole, above its first line. */
export async function fileLens(uri: vscode.Uri): Promise<string> {
  return (
    (await lensesOf(uri)).find(
      ({ range, command }) => range.start.line === 0 && command?.command === "extrospect.showTop",
    )?.command?.title ?? ""
  );
}

/** Our hover at a line, from 0. */
export async function hoverOf(uri: vscode.Uri, line: number): Promise<vscode.MarkdownString | undefined> {
  await vscode.workspace.openTextDocument(uri);
  const hovers =
    (await vscode.commands.executeCommand<vscode.Hover[] | undefined>(
      "vscode.executeHoverProvider",
      uri,
      new vscode.Position(line, 4),
    )) ?? [];
  return hovers
    .flatMap(({ contents }) => contents)
    .find(
      (content): content is vscode.MarkdownString =>
        content instanceof vscode.MarkdownString && / (?:own|self) ± /.test(unescaped(content)),
    );
}

/** Markdown as it is read. */
export function unescaped(text: vscode.MarkdownString | undefined): string {
  return (text?.value ?? "").replaceAll(/\\(.)/g, "$1");
}

/** The lines of a function below its heads, those with most own time first. */
async function bodyLinesOf(functionName: string) {
  const { captures } = await api();
  const capture = captures.current?.capture;
  assert.ok(capture, "a capture is in view");
  const index = capture.functionNamed(functionName);
  if (index < 0) return [];
  const text = readFileSync(shopFile(capture.functions[index]?.file ?? "").fsPath, "utf8").split("\n");
  return capture
    .functionLines(index)
    .filter(({ line }) => /^\s/.test(text[line - 1] ?? ""))
    .sort((a, b) => b.own - a.own);
}

/** The line, from 0, below its heads that a function of the capture has most of its own time on. */
export async function hottestLineOf(functionName: string): Promise<number> {
  const [hottest] = await bodyLinesOf(functionName);
  assert.ok(hottest, `${functionName} has lines with samples`);
  return hottest.line - 1;
}

/** Takes back the edits of the file. */
export async function reverted(uri: vscode.Uri): Promise<void> {
  await vscode.window.showTextDocument(uri);
  await vscode.commands.executeCommand("workbench.action.files.revert");
}

/** The messages of the extension during some work. Each is put away at once: no user is there to answer. */
export async function messagesDuring(work: () => Thenable<unknown>): Promise<string[]> {
  const said: string[] = [];
  const put = (text: string) => {
    said.push(text);
    return Promise.resolve(undefined);
  };
  // Tests lie in the folder of the extension, so the editor gives both the same functions.
  const { showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
  Object.assign(vscode.window, { showInformationMessage: put, showWarningMessage: put, showErrorMessage: put });
  try {
    await work();
  } finally {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage, showErrorMessage });
  }
  return said;
}

/**
 * Timers that the extension sets while something is done ring at once, whatever their time, and have rung when this returns:
 * nothing is left that could still happen later.
 */
export async function withTimersRung<T>(work: () => Thenable<T>): Promise<T> {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const waiting = new Set<unknown>();
  const setAtOnce = (ring: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) => {
    if (!(new Error().stack ?? "").includes(EXTENSION_CODE)) return set(ring, ms, ...values);
    const timer = set(() => {
      waiting.delete(timer);
      ring(...values);
    }, 0);
    waiting.add(timer);
    return timer;
  };
  const clearIt = (timer: NodeJS.Timeout | undefined) => {
    waiting.delete(timer);
    clear(timer);
  };
  Object.assign(globalThis, { setTimeout: setAtOnce, clearTimeout: clearIt });
  try {
    const done = await work();
    await eventually("the extension's timers", () => waiting.size === 0);
    return done;
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }
}

/** Closes every capture and every editor. */
export async function tidied(): Promise<void> {
  const { captures } = await api();
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  for (const { uri } of captures.all) captures.close(uri);
}

/** Whether it is done within the time; its errors are thrown. */
export async function isDoneWithin(ms: number, work: Thenable<unknown>): Promise<boolean> {
  return Promise.race([Promise.resolve(work).then(() => true), sleep(ms).then(() => false)]);
}

/**
 * Runs the command until the work that waits for an answer is done: on a busy machine the question is shown late, and
 * there is nothing to close before.
 */
export async function endedBy(command: string, work: Thenable<unknown>): Promise<void> {
  await eventually(`an end by ${command}`, async () => {
    await vscode.commands.executeCommand(command);
    return isDoneWithin(500, work);
  });
}

/** Line, from 0, of the first line that begins so. */
export function headLine(uri: vscode.Uri, text: string): number {
  const line = readFileSync(uri.fsPath, "utf8")
    .split("\n")
    .findIndex((candidate) => candidate.startsWith(text));
  assert.ok(line >= 0, `${text} is in ${uri.fsPath}`);
  return line;
}

/** Checks until the answer is true: the editor works in its own time. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  for (const until = performance.now() + patienceMs; !(await isSo()); await sleep(50)) {
    if (performance.now() > until) assert.fail(`${what}: not within ${String(patienceMs / 1000)} s`);
  }
}
