// Open, close, rename, delete, reveal.

import * as vscode from "vscode";
import { CAPTURE_EDITOR, COMMANDS } from "../contributions.js";
import { showInputBox } from "../messages/pickers.js";
import { isConfirmed, showInformationMessage } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import { CAPTURE_ENDING, renamedTo } from "./capture-file.js";
import { captureFolders } from "./capture-folder.js";
import type { CaptureStore } from "./capture-store.js";
import { captureTitle, summaryOf } from "./capture-summary.js";
import { fileInView, namedCapture } from "./named-capture.js";
import { captureSize, showCapture } from "./open-capture.js";
import { registerReadingCommand } from "./register-command.js";

/** Ends the capture that is being recorded. Recording itself is above this folder. */
export interface LiveCaptureStopper {
  /** Waits until the file is complete. */
  stop(): Promise<unknown>;
}

/** Registers the commands on capture files. They take `{uri}`, a row of the view or nothing: then the capture in view, or they ask. */
export function registerCaptureCommands(context: vscode.ExtensionContext, captures: CaptureStore, recording: LiveCaptureStopper, log: vscode.LogOutputChannel): void {
  const files = new CaptureFiles(context, captures, recording);
  const register = (command: string, run: (given: unknown) => Promise<unknown>) => registerReadingCommand(log, command, run);
  context.subscriptions.push(
    register(COMMANDS.openCapture, (given) => files.open(namedCapture(given))),
    register(COMMANDS.openAsCapture, (given) => files.open(namedCapture(given))),
    register(COMMANDS.closeCapture, (given) => files.close(namedCapture(given) ?? captures.current?.uri)),
    register(COMMANDS.renameCapture, (given) => files.rename(namedCapture(given) ?? fileInView(captures))),
    register(COMMANDS.deleteCapture, (given) => files.delete(namedCapture(given) ?? fileInView(captures))),
    register(COMMANDS.revealCapture, (given) => files.reveal(namedCapture(given) ?? fileInView(captures))),
  );
}

class CaptureFiles {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly captures: CaptureStore,
    private readonly recording: LiveCaptureStopper,
  ) {}

  async open(given: vscode.Uri | undefined): Promise<{ uri: vscode.Uri } | undefined> {
    const uri = given ?? (await this.#ask());
    if (uri === undefined) return undefined;
    // A file that is not there gets no tab; one that cannot be read gets a tab that says why.
    if (this.captures.get(uri) === undefined) await captureSize(uri);
    await Promise.all([showCapture(uri, this.captures), vscode.commands.executeCommand("vscode.openWith", uri, CAPTURE_EDITOR)]);
    return { uri };
  }

  async close(uri: vscode.Uri | undefined): Promise<void> {
    if (uri === undefined) return;
    const open = this.captures.get(uri);
    if (open?.live === true && open.isFollowed !== true) await this.recording.stop();
    this.captures.close(uri);
    await closeTabs(uri);
  }

  async rename(uri: vscode.Uri | undefined): Promise<void> {
    if (uri === undefined || this.#isRunning(uri)) return;
    const l10n = vscode.l10n;
    const old = fileName(uri);
    const stem = old.endsWith(CAPTURE_ENDING) ? old.slice(0, -CAPTURE_ENDING.length) : old;
    const typed = await showInputBox({
      title: l10n.t("Rename {0}", old),
      prompt: l10n.t("New name, without {0}", CAPTURE_ENDING),
      value: stem,
      validate: async (text) => {
        const name = renamedTo(text);
        if (name === undefined) return l10n.t("No file can be called that");
        return name !== old && (await exists(sibling(uri, name))) ? l10n.t("There is a file of that name already") : undefined;
      },
    });
    const name = typed === undefined ? undefined : renamedTo(typed);
    if (name === undefined || name === old) return;
    const target = sibling(uri, name);
    await vscode.workspace.fs.rename(uri, target, { overwrite: false });
    const open = this.captures.get(uri);
    if (open === undefined) return;
    const wasInView = this.captures.current === open;
    const hadTab = await closeTabs(uri);
    this.captures.close(uri);
    if (wasInView)
      this.captures.show({
        uri: target,
        title: captureTitle(summaryOf(open.capture), name, vscode.env.language),
        capture: open.capture,
        live: false,
        ...(open.isElsewhere === undefined ? {} : { isElsewhere: open.isElsewhere }),
      });
    if (hadTab) await vscode.commands.executeCommand("vscode.openWith", target, CAPTURE_EDITOR);
  }

  async delete(uri: vscode.Uri | undefined): Promise<void> {
    if (uri === undefined || this.#isRunning(uri)) return;
    const l10n = vscode.l10n;
    const [toTrash, permanently] = [l10n.t("Move to Trash"), l10n.t("Delete Permanently")];
    const question = l10n.t("Delete {0}?", fileName(uri));
    if (hasTrash(uri)) {
      if (!(await isConfirmed(question, toTrash))) return;
      try {
        await vscode.workspace.fs.delete(uri, { useTrash: true });
      } catch (error) {
        const detail = l10n.t("It cannot be moved to the trash: {0}", errorText(error));
        if (!(await isConfirmed(question, permanently, detail))) return;
        await vscode.workspace.fs.delete(uri);
      }
    } else {
      if (!(await isConfirmed(question, permanently, l10n.t("There is no trash here: the file cannot be brought back.")))) return;
      await vscode.workspace.fs.delete(uri);
    }
    this.captures.close(uri);
    await closeTabs(uri);
  }

  async reveal(uri: vscode.Uri | undefined): Promise<void> {
    if (uri === undefined) return;
    try {
      await vscode.commands.executeCommand("revealFileInOS", uri);
    } catch {
      // In a browser there is no file manager.
      await vscode.commands.executeCommand("revealInExplorer", uri);
    }
  }

  async #ask(): Promise<vscode.Uri | undefined> {
    const [folder] = captureFolders(this.context);
    const there = folder !== undefined && (await exists(folder)) ? folder : vscode.workspace.workspaceFolders?.[0]?.uri;
    const chosen = await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Open a Capture"),
      openLabel: vscode.l10n.t("Open"),
      filters: { [vscode.l10n.t("Captures and pprof profiles")]: ["pb.gz", "gz"], [vscode.l10n.t("Profiles of other tools")]: ["*"] },
      ...(there === undefined ? {} : { defaultUri: there }),
    });
    return chosen?.[0];
  }

  #isRunning(uri: vscode.Uri): boolean {
    const open = this.captures.get(uri);
    if (open?.live !== true) return false;
    if (open.isFollowed === true) {
      void showInformationMessage(vscode.l10n.t("{0} goes on where it is recorded. Fetch it, or stop it there first.", fileName(uri)));
      return true;
    }
    const stop = vscode.l10n.t("Stop the Capture");
    void showInformationMessage(vscode.l10n.t("{0} is still being written.", fileName(uri)), stop).then((chosen) => {
      if (chosen === stop) void this.recording.stop();
    });
    return true;
  }
}

/** The editor moves only files of the machine it shows its windows on to a trash, and even there it can fail. */
function hasTrash(uri: vscode.Uri): boolean {
  return uri.scheme === "file" && vscode.env.remoteName === undefined;
}

function sibling(uri: vscode.Uri, name: string): vscode.Uri {
  return vscode.Uri.joinPath(uri, "..", name);
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}

/** @returns whether there were any */
async function closeTabs(uri: vscode.Uri): Promise<boolean> {
  const ofFile = (tab: vscode.Tab) => tab.input instanceof vscode.TabInputCustom && tab.input.uri.toString() === uri.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(ofFile);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  return tabs.length > 0;
}
