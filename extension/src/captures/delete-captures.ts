// The one way in which capture files are deleted.

import * as vscode from "vscode";
import { count } from "../../../contract/figures.js";
import { isConfirmed } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import type { CaptureServices } from "./capture-services.js";
import { closeTabs } from "./capture-tabs.js";
import { deleteAfterAsking, type Disposal } from "./deletion.js";
import { UnreadableCapture } from "./open-capture.js";

/** Captures named in the question; the others are only counted. */
const NAMED = 10;

/**
 * Prompts the user, deletes the captures, and forgets those that are gone.
 * @param question the captures are named below it
 * @param details  further facts for the question, one sentence each
 * @returns whether any was deleted
 * @throws {UnreadableCapture} when one stays that was to go
 */
export async function deleteCaptures(
  uris: readonly vscode.Uri[],
  question: string,
  details: readonly string[],
  { captures, baseline }: Pick<CaptureServices, "captures" | "baseline">,
): Promise<boolean> {
  const l10n = vscode.l10n;
  const base = uris.find((uri) => baseline.is(uri));
  const lost =
    base === undefined
      ? []
      : [l10n.t("{0} is the baseline: afterwards, there is no baseline to compare captures with.", fileName(base))];
  const wanted = { files: uris, question, details: [...details, ...lost] };
  const { deleted, failed } = await deleteAfterAsking(wanted, DISPOSAL, l10n);
  for (const uri of deleted) {
    if (baseline.is(uri)) await baseline.choose(undefined);
    captures.close(uri);
    await closeTabs(uri);
  }
  const [first] = failed;
  if (first !== undefined)
    throw new UnreadableCapture(
      l10n.t("{0} cannot be deleted", fileName(first.file)),
      first.why,
      l10n.t("Check that you may write to its folder."),
    );
  return deleted.length > 0;
}

/** `a.pb.gz, b.pb.gz, and 12 others.` */
export function namesOf(uris: readonly vscode.Uri[]): string {
  const names = uris.slice(0, NAMED).map(fileName);
  const others = uris.length - NAMED;
  if (others > 0) names.push(vscode.l10n.t("and {0} others", count(others, vscode.env.language)));
  return `${names.join(", ")}.`;
}

const DISPOSAL: Disposal<vscode.Uri> = {
  // The editor moves only files of the machine it shows its windows on to a trash, and even there it can fail.
  hasTrash: (uri) => uri.scheme === "file" && vscode.env.remoteName === undefined,
  moveToTrash: (uri) => goneAfter(vscode.workspace.fs.delete(uri, { useTrash: true })),
  deleteForGood: (uri) => goneAfter(vscode.workspace.fs.delete(uri)),
  isConfirmed,
};

/** A file that another program has deleted is gone as well. */
async function goneAfter(deleting: Thenable<void>): Promise<void> {
  try {
    await deleting;
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError && error.code === "FileNotFound")) throw error;
  }
}
