// Compares capture files: reads them, marks which functions are the user's own, and has the editor's module compute the
// comparison.

import * as vscode from "vscode";
import { fileSize } from "../../../contract/figures.js";
import type {
  Answer,
  CaptureRequest,
  CompareRequest,
  Measure,
  WrittenFormat,
} from "../../../contract/editor-module.generated.js";
import { ENGLISH } from "../../../contract/english.js";
import type { Words } from "../../../contract/plain-text.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { shownType } from "../captures/choose-type.js";
import { captureSize, openedCapture, UnreadableCapture } from "../captures/open-capture.js";
import { LARGEST_FILE_BYTES } from "../captures/capture-limits.js";
import { workspaceGit } from "../commits/workspace-commit.js";
import { compareCaptures } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";
import type { SourceNavigator } from "../sources/source-navigator.js";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import { eachBesideOthers } from "./beside-each-other.js";
import { MOST_CAPTURES, sideNames } from "./comparison-sides.js";
import { OwnLookup } from "./own-lookup.js";
import { sourceTexts } from "./source-texts.js";

/** Captures that are opened at once: each is decoded on a thread of its own, with all its samples in memory. */
const OPENED_AT_ONCE = 2;

export interface CaptureChoice {
  readonly base: readonly vscode.Uri[];
  readonly new: readonly vscode.Uri[];
  readonly measure: Measure | null;
  /** Captures with time in the kernel are compared with captures without it, too. */
  readonly anyway: boolean;
  /** Conditions to judge. */
  readonly failIf?: readonly string[];
}

export interface ComparedSides {
  readonly answer: Answer;
  readonly base: readonly OpenCapture[];
  readonly new: readonly OpenCapture[];
  /** Remarks on the sides, one sentence each. */
  readonly remarks: readonly string[];
}

/** All that the module gets. */
interface Prepared extends Omit<ComparedSides, "answer"> {
  readonly request: CompareRequest;
  /** Of the captures, those of the base first. */
  readonly files: readonly Uint8Array[];
}

/**
 * @param signal ends the computation
 * @throws {UnreadableCapture} when a file is none that can be compared
 */
export async function comparedCaptures(
  choice: CaptureChoice,
  captures: CaptureStore,
  sources: SourceNavigator,
  signal: AbortSignal,
): Promise<ComparedSides> {
  return whileHeld(choice, captures, async () => {
    const { request, files, ...sides } = await prepared(choice, captures, sources, signal, vscode.l10n);
    return { answer: await compareCaptures(moduleFiles(), request, files, signal), ...sides };
  });
}

/**
 * The comparison as a text to share: that of `extrospect diff --format`, in English.
 * @param signal ends the computation
 * @throws {UnreadableCapture} when a file is none that can be compared
 */
export async function writtenComparison(
  format: WrittenFormat,
  choice: CaptureChoice,
  captures: CaptureStore,
  sources: SourceNavigator,
  signal: AbortSignal,
): Promise<Answer> {
  return whileHeld(choice, captures, async () => {
    const { request, files, remarks } = await prepared(choice, captures, sources, signal, ENGLISH);
    return compareCaptures(moduleFiles(), { ...request, written: { format, remarks: [...remarks] } }, files, signal);
  });
}

async function whileHeld<T>(choice: CaptureChoice, captures: CaptureStore, work: () => Promise<T>): Promise<T> {
  const all = [...choice.base, ...choice.new];
  await checkSizes(choice, all);
  const held = vscode.Disposable.from(...all.map((uri) => captures.hold(uri)));
  try {
    return await work();
  } finally {
    held.dispose();
  }
}

async function prepared(
  choice: CaptureChoice,
  captures: CaptureStore,
  sources: SourceNavigator,
  signal: AbortSignal,
  words: Words,
): Promise<Prepared> {
  const all = [...choice.base, ...choice.new];
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .map(({ uri }) => uri)
    .filter(({ scheme }) => scheme === "file");
  const git = await workspaceGit();
  const own = new OwnLookup<OpenCapture>(git, folders, {
    now: (one) => sources.findOwnCode(one),
    then: (one, then) => sources.ownCodeThen(one, then),
  });
  const read = await eachBesideOthers(
    all,
    OPENED_AT_ONCE,
    async (uri) => ({ uri, one: await openedCapture(uri, captures), bytes: await contentOf(uri) }),
    signal,
  );
  const opened = read.map(({ one }) => one);
  const type = typeToCompare(opened, opened[choice.base.length]);
  // Graphs of the comparison, and other views beside it, show the same type.
  if (type !== undefined) for (const one of opened) captures.showType(one, type);
  const files = read.map(({ bytes }) => bytes);
  const requests: CaptureRequest[] = [];
  // One after the other: remarks name captures in their order.
  for (const { uri, one } of read) {
    signal.throwIfAborted();
    requests.push({
      name: fileName(uri),
      own: await own.functionsOf(one),
      ...(type === undefined ? {} : { sample_type: type }),
    });
  }
  signal.throwIfAborted();
  const [base, newer] = [opened.slice(0, choice.base.length), opened.slice(choice.base.length)];
  const names = sideNames(base, newer, words);
  const workspace = { git, folder: folders[0]?.fsPath, ruledFiles: (reported: string) => sources.ruledFiles(reported) };
  const found = await sourceTexts(
    { name: names.base, captures: base },
    { name: names.new, captures: newer },
    workspace,
    words,
  );
  signal.throwIfAborted();
  // Where nothing is the user's own on either side, there is no such column.
  const hasOwn = requests.some(({ own: functions }) => functions !== null && functions.length > 0);
  const sent = hasOwn ? requests : requests.map((one) => ({ ...one, own: null }));
  const request = {
    base: { name: names.base, captures: sent.slice(0, base.length) },
    new: { name: names.new, captures: sent.slice(base.length) },
    measure: choice.measure,
    anyway: choice.anyway,
    fail_if: [...(choice.failIf ?? [])],
    ...found.texts,
  };
  const remarks = [...own.remarks(words), ...(found.remark === undefined ? [] : [found.remark])];
  return { request, files, base, new: newer, remarks };
}

/** The type of samples that the newer side shows; undefined where no capture has a choice. */
function typeToCompare(all: readonly OpenCapture[], newer: OpenCapture | undefined): SampleTypeId | undefined {
  const hasChoice = all.some(({ capture }) => capture.facts.types !== undefined);
  return hasChoice && newer !== undefined ? shownType(newer.capture) : undefined;
}

async function checkSizes(choice: CaptureChoice, all: readonly vscode.Uri[]): Promise<void> {
  const l10n = vscode.l10n;
  const what = l10n.t("The captures cannot be compared");
  const fix = l10n.t("Choose fewer or shorter captures; `extrospect diff` compares them on the command line.");
  if (choice.base.length === 0 || choice.new.length === 0)
    throw new UnreadableCapture(
      what,
      l10n.t("one side has none"),
      l10n.t("Choose at least one capture for each side."),
    );
  if (Math.max(choice.base.length, choice.new.length) > MOST_CAPTURES)
    throw new UnreadableCapture(what, l10n.t("a side has more than {0} captures", MOST_CAPTURES), fix);
  let bytes = 0;
  for (const uri of all) bytes += await captureSize(uri);
  if (bytes <= LARGEST_FILE_BYTES) return;
  const language = vscode.env.language;
  throw new UnreadableCapture(
    what,
    l10n.t(
      "together they have {0}, and at most {1} can be opened",
      fileSize(bytes, language),
      fileSize(LARGEST_FILE_BYTES, language),
    ),
    fix,
  );
}

async function contentOf(uri: vscode.Uri): Promise<Uint8Array> {
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    const l10n = vscode.l10n;
    throw new UnreadableCapture(
      l10n.t("{0} cannot be compared", fileName(uri)),
      l10n.t("it cannot be read: {0}", errorText(error)),
      l10n.t("Check that the file exists and that you may read it."),
    );
  }
}
