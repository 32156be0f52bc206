// Deleting files: always after a question, to the trash where there is one, and for good only when the question
// announced it. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { errorText } from "../text/error-text.js";

/** What files are deleted with. */
export interface Disposal<File> {
  hasTrash(file: File): boolean;
  /** @throws when it stays */
  moveToTrash(file: File): Promise<void>;
  /** @throws when it stays */
  deleteForGood(file: File): Promise<void>;
  isConfirmed(question: string, yes: string, detail: string): Promise<boolean>;
}

export interface Wanted<File> {
  readonly files: readonly File[];
  readonly question: string;
  /** Facts that the user needs before the answer, one sentence each. */
  readonly details: readonly string[];
}

export interface Deleted<File> {
  readonly deleted: readonly File[];
  /** Those that are still there although they were to go. */
  readonly failed: readonly { readonly file: File; readonly why: string }[];
}

/**
 * Where any file has no trash, the first question states so. Where the trash fails, a second question comes before
 * anything is deleted for good.
 */
export async function deleteAfterAsking<File>(
  { files, question, details }: Wanted<File>,
  disposal: Disposal<File>,
  l10n: Words,
): Promise<Deleted<File>> {
  const forGood = files.filter((file) => !disposal.hasTrash(file));
  const isTrash = forGood.length === 0;
  const noTrash = isTrash ? [] : [l10n.t("There is no trash here: deleted files cannot be restored.")];
  const permanently = l10n.t("Delete Permanently");
  const yes = isTrash ? l10n.t("Move to Trash") : permanently;
  if (!(await disposal.isConfirmed(question, yes, [...noTrash, ...details].join(" "))))
    return { deleted: [], failed: [] };
  const toTrash = files.filter((file) => disposal.hasTrash(file));
  const trashed = await each(toTrash, (file) => disposal.moveToTrash(file));
  const gone = await each(forGood, (file) => disposal.deleteForGood(file));
  const [refused] = trashed.failed;
  if (refused === undefined) return joined(trashed, gone);
  const again =
    files.length === 1
      ? question
      : l10n.t("{0} of {1} files cannot be moved to the trash. Delete them?", trashed.failed.length, files.length);
  const why = l10n.t("It cannot be moved to the trash: {0}", refused.why);
  const kept = trashed.failed.map(({ file }) => file);
  const wanted = (await disposal.isConfirmed(again, permanently, why)) ? kept : [];
  const after = await each(wanted, (file) => disposal.deleteForGood(file));
  return joined({ deleted: trashed.deleted, failed: [] }, joined(gone, after));
}

/** One that fails keeps none of the others from going. */
async function each<File>(files: readonly File[], remove: (file: File) => Promise<void>): Promise<Deleted<File>> {
  const deleted: File[] = [];
  const failed: { file: File; why: string }[] = [];
  for (const file of files) {
    try {
      await remove(file);
      deleted.push(file);
    } catch (error) {
      failed.push({ file, why: errorText(error) });
    }
  }
  return { deleted, failed };
}

function joined<File>(one: Deleted<File>, other: Deleted<File>): Deleted<File> {
  return { deleted: [...one.deleted, ...other.deleted], failed: [...one.failed, ...other.failed] };
}
