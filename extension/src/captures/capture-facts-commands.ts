// The user's facts of a capture: note, tags, whether it is kept, and the commit of one that was taken elsewhere.

import * as vscode from "vscode";
import type { BuildFacts } from "../../../contract/editor-module.generated.js";
import { scanCapture } from "../capture/capture-scan.js";
import type { UserFacts } from "../capture/questions.js";
import { COMMANDS } from "../contributions.js";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import { fileName } from "../text/base-name.js";
import { appendOrigin, appendUser } from "./append-facts.js";
import type { CaptureStore } from "./capture-store.js";
import { tagsIn } from "./capture-tags.js";
import { commitHistory, commitNamed, workspaceRemote } from "./commit-history.js";
import { matchedCommits } from "./matched-commits.js";
import { shortCommit } from "../commits/short-commit.js";

const LONGEST_NOTE = 2_000;
/** Commits that are offered; any other can be typed. */
const MOST_OFFERED = 500;
const NO_FACTS: UserFacts = { note: "", tags: [], pinned: false };

/** Runs a command on the capture that it is given, or on the one in view. */
export type RegisterOnCapture = (command: string, run: (uri: vscode.Uri) => Promise<unknown>) => vscode.Disposable;

export function registerCaptureFacts(
  register: RegisterOnCapture,
  captures: CaptureStore,
  log: vscode.LogOutputChannel,
  changed: () => Promise<void>,
): vscode.Disposable {
  const say = async (uri: vscode.Uri, words: (before: UserFacts) => Promise<UserFacts | undefined>): Promise<void> => {
    const facts = await words(await userFacts(uri, captures));
    if (facts === undefined) return;
    await appendUser(uri, facts, captures);
    await changed();
  };
  return vscode.Disposable.from(
    register(COMMANDS.noteCapture, (uri) => say(uri, (before) => askForNote(uri, before))),
    register(COMMANDS.tagCapture, (uri) => say(uri, (before) => askForTags(uri, before))),
    register(COMMANDS.pinCapture, (uri) =>
      say(uri, (before) => Promise.resolve({ ...before, pinned: !before.pinned })),
    ),
    register(COMMANDS.assignCommit, async (uri) => {
      const chosen = await chooseCommit(uri, captures, log);
      if (chosen === undefined) return;
      const origin = { repository: await workspaceRemote(), branch: "", sources: {}, assigned: true, ...chosen };
      await appendOrigin(uri, origin, captures);
      await changed();
    }),
  );
}

async function userFacts(uri: vscode.Uri, captures: CaptureStore): Promise<UserFacts> {
  const opened = captures.get(uri);
  if (opened !== undefined) return opened.capture.facts.user ?? NO_FACTS;
  // An address that is no file is refused when facts are added.
  return uri.scheme === "file" ? ((await scanCapture(uri.fsPath)).user ?? NO_FACTS) : NO_FACTS;
}

async function askForNote(uri: vscode.Uri, before: UserFacts): Promise<UserFacts | undefined> {
  const l10n = vscode.l10n;
  const note = await showInputBox({
    title: l10n.t("Note on {0}", fileName(uri)),
    prompt: l10n.t("Describe this capture; an empty text removes the note"),
    value: before.note,
    validate: (text) => (text.length > LONGEST_NOTE ? l10n.t("At most {0} characters", LONGEST_NOTE) : undefined),
  });
  return note === undefined || note.trim() === before.note ? undefined : { ...before, note: note.trim() };
}

async function askForTags(uri: vscode.Uri, before: UserFacts): Promise<UserFacts | undefined> {
  const l10n = vscode.l10n;
  const typed = await showInputBox({
    title: l10n.t("Tags of {0}", fileName(uri)),
    prompt: l10n.t("Words to find it by, separated by spaces or commas; empty removes them"),
    value: before.tags.join(" "),
    validate: () => undefined,
  });
  return typed === undefined ? undefined : { ...before, tags: tagsIn(typed) };
}

interface CommitRow extends PickerRow {
  /** Undefined: to be typed. */
  readonly commit?: string;
  readonly dirty?: boolean;
}

interface ChosenCommit {
  readonly commit: string;
  readonly describe: string;
  /** The capture is of more than the commit. */
  readonly dirty: boolean;
}

/** Matches come first, each with its reason; nothing is chosen automatically. */
async function chooseCommit(
  uri: vscode.Uri,
  captures: CaptureStore,
  log: vscode.LogOutputChannel,
): Promise<ChosenCommit | undefined> {
  const l10n = vscode.l10n;
  const matched = await matchedCommits(await buildFacts(uri, captures), log);
  const history = await commitHistory(MOST_OFFERED);
  const rows: CommitRow[] = [
    ...matched,
    { icon: "edit", label: l10n.t("Another commit, branch or tag…"), alwaysShow: true },
    ...history.map(({ commit, subject }) => ({
      icon: "git-commit",
      label: shortCommit(commit),
      description: subject,
      commit,
    })),
  ];
  const title = l10n.t("Commit of {0}", fileName(uri));
  const chosen =
    rows.length === 1
      ? rows[0]
      : await showQuickPick(rows, { title, placeHolder: l10n.t("The commit that the VM was built from") });
  if (chosen === undefined) return undefined;
  const { dirty = false } = chosen;
  const typed = chosen.commit ?? (await askForCommit(title));
  const named = typed === undefined ? undefined : await commitNamed(typed);
  return named === undefined ? undefined : { ...named, dirty };
}

async function askForCommit(title: string): Promise<string | undefined> {
  const l10n = vscode.l10n;
  const typed = await showInputBox({
    title,
    prompt: l10n.t("Commit, branch or tag of the repository in the workspace, or the full hash of any commit"),
    validate: async (text) =>
      text.trim() === "" || (await commitNamed(text.trim())) === undefined
        ? l10n.t("There is no such commit here")
        : undefined,
  });
  return typed?.trim();
}

async function buildFacts(uri: vscode.Uri, captures: CaptureStore): Promise<BuildFacts | undefined> {
  const opened = captures.get(uri);
  if (opened !== undefined) return opened.capture.facts.build;
  return uri.scheme === "file" ? (await scanCapture(uri.fsPath)).build : undefined;
}
