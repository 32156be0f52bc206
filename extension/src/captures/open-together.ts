// *Open Together*: several capture files as one capture, each with its node.

import * as vscode from "vscode";
import { CaptureError } from "../capture/capture-error.js";
import { joinedCapture } from "../capture/joined-capture.js";
import { COMMANDS } from "../contributions.js";
import { showManyPick } from "../messages/pickers.js";
import { showInformationMessage, withStatusBarProgress } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import { capturePickerRow } from "./capture-picker-row.js";
import { summaryOf, type CaptureSummary } from "./capture-summary.js";
import type { CaptureStore, OpenCapture } from "./capture-store.js";
import { namedCapture } from "./named-capture.js";
import { openedCapture, UnreadableCapture } from "./open-capture.js";
import { groupTagOf, isTogether, TogetherCapture, togetherUri } from "./together.js";
import { captureErrorWords } from "./unreadable-words.js";

/** A capture in the list. */
export interface Listed {
  readonly uri: vscode.Uri;
  readonly summary: CaptureSummary | null | undefined;
}

/** More files at once would fill the memory. */
const MOST_FILES = 64;

/** @returns the command's work. @param listed all captures, read, the newest first */
export function openTogetherCommand(
  captures: CaptureStore,
  listed: () => Promise<readonly Listed[]>,
): (...given: unknown[]) => Promise<{ uri: vscode.Uri } | undefined> {
  return async (given, rows) => {
    const files = (await wantedFiles(given, rows, captures, listed)) ?? (await pickFiles(await listed()));
    if (files === undefined) return undefined;
    if (files.length < 2) {
      void showInformationMessage(
        vscode.l10n.t(
          "Two captures or more can be opened together. Select them in the view, or one that was taken together with others.",
        ),
      );
      return undefined;
    }
    const { uri } = await openTogether(files, captures);
    await vscode.commands.executeCommand(COMMANDS.showFlameGraph);
    return { uri };
  };
}

/** Puts them into view as one capture. @throws {UnreadableCapture} when one cannot be read, or does not go with the others */
export async function openTogether(files: readonly vscode.Uri[], captures: CaptureStore): Promise<OpenCapture> {
  const l10n = vscode.l10n;
  if (files.length > MOST_FILES)
    throw new UnreadableCapture(
      l10n.t("{0} captures", files.length),
      l10n.t("at most {0} can be opened together", MOST_FILES),
      l10n.t("Select fewer."),
    );
  return withStatusBarProgress(l10n.t("Opening {0} captures…", files.length), async () => {
    const joined = joinedCapture();
    const ofNode = new Map<string, vscode.Uri>();
    const tags = new Set<string | undefined>();
    for (const file of files) {
      const { capture } = await readBeside(file, captures);
      const summary = summaryOf(capture);
      try {
        ofNode.set(joined.addNode(summary.target === "" ? fileName(file) : summary.target, capture), file);
      } catch (error) {
        if (!(error instanceof CaptureError)) throw error;
        throw new UnreadableCapture(
          l10n.t("{0} cannot be opened together with the others", fileName(file)),
          captureErrorWords(error, l10n),
          l10n.t("Open it alone, or choose captures that were taken together."),
        );
      }
      tags.add(groupTagOf(summary.tags));
      joined.catchUp();
    }
    const [tag] = tags.size === 1 ? tags : [undefined];
    const opened = new TogetherCapture(togetherUri(tag ?? "together", files), joined, ofNode, {
      live: false,
      startedUnixMs: joined.facts.startedUnixMs,
    });
    captures.show(opened);
    return opened;
  });
}

async function readBeside(file: vscode.Uri, captures: CaptureStore): Promise<OpenCapture> {
  const opened = await openedCapture(file, captures);
  const refused = (why: string, fix: string) =>
    new UnreadableCapture(vscode.l10n.t("{0} cannot be opened together with the others", fileName(file)), why, fix);
  if (isTogether(file))
    throw refused(vscode.l10n.t("it is several captures already"), vscode.l10n.t("Choose their files."));
  if (opened.live) throw refused(vscode.l10n.t("it is still being written"), vscode.l10n.t("Stop the capture first."));
  return opened;
}

/** Those that are selected, or all that were taken with the one that is named. */
async function wantedFiles(
  given: unknown,
  rows: unknown,
  captures: CaptureStore,
  listed: () => Promise<readonly Listed[]>,
): Promise<vscode.Uri[] | undefined> {
  const named = Array.isArray(rows) ? rows : urisIn(given);
  if (named !== undefined && named.length > 1) return distinct(named.map((row) => namedCapture(row)));
  const one = namedCapture(named?.[0] ?? given);
  if (one === undefined) return undefined;
  const all = await listed();
  const opened = captures.get(one)?.capture.facts.user?.tags ?? [];
  const tag = groupTagOf(all.find(({ uri }) => uri.toString() === one.toString())?.summary?.tags ?? opened);
  if (tag === undefined) return [one];
  // In the order in which they are called, so that nodes have the same order each time.
  return distinct([
    one,
    ...all.filter(({ summary }) => summary?.tags.includes(tag) === true).map(({ uri }) => uri),
  ]).sort((a, b) => (fileName(a) < fileName(b) ? -1 : 1));
}

/** Arguments of another extension: `{uris: […]}`. */
function urisIn(given: unknown): unknown[] | undefined {
  const uris: unknown = typeof given === "object" && given !== null && "uris" in given ? given.uris : undefined;
  return Array.isArray(uris) ? uris.map((uri: unknown) => ({ uri })) : undefined;
}

function distinct(uris: readonly (vscode.Uri | undefined)[]): vscode.Uri[] {
  return [...new Map(uris.flatMap((uri) => (uri === undefined ? [] : [[uri.toString(), uri]]))).values()];
}

async function pickFiles(listed: readonly Listed[]): Promise<vscode.Uri[] | undefined> {
  const { l10n } = vscode;
  const rows = listed.filter(({ summary }) => summary?.isOwn === true).map(capturePickerRow);
  const chosen = await showManyPick(rows, {
    title: l10n.t("Open Captures Together"),
    placeHolder: l10n.t("Captures of the nodes to show as one"),
  });
  return chosen?.map(({ capture }) => capture.uri);
}
