// Open, close, rename, delete, reveal.

import * as vscode from "vscode";
import { count } from "../../../contract/figures.js";
import { CAPTURE_EDITOR, COMMANDS } from "../contributions.js";
import { showInputBox } from "../messages/pickers.js";
import { showInformationMessage } from "../messages/show-message.js";
import { fileName } from "../text/base-name.js";
import { CAPTURE_ENDING, LONGEST_STEM, renamedTo, stemOf } from "./capture-file.js";
import { captureFolders } from "./capture-folder.js";
import type { CaptureStore, OpenCapture } from "./capture-store.js";
import type { CaptureServices } from "./capture-services.js";
import { captureTitle, summaryOf } from "./capture-summary.js";
import { closeTabs } from "./capture-tabs.js";
import { deleteCaptures, namesOf } from "./delete-captures.js";
import { fileInView, namedCapture } from "./named-capture.js";
import { captureSize, profileFilters, showCapture } from "./open-capture.js";
import { registerReadingCommand } from "./register-command.js";

/** Ends a capture that is being recorded. Recording itself is above this folder. */
export interface LiveCaptureStopper {
  /** Waits until the file is complete. Does nothing to any other capture than this one. */
  stop(uri: vscode.Uri): Promise<unknown>;
}

/** Registers the commands on capture files. They take `{uri}`, a row of the view or nothing: then the capture in view, or they ask. */
export function registerCaptureCommands(services: CaptureServices, recording: LiveCaptureStopper): void {
  const { context, captures, log } = services;
  const files = new CaptureFiles(services, recording);
  const register = (command: string, run: (...given: unknown[]) => Promise<unknown>) =>
    registerReadingCommand(log, command, run);
  context.subscriptions.push(
    register(COMMANDS.openCapture, (given) => files.open(namedCapture(given))),
    register(COMMANDS.openAsCapture, (given) => files.open(namedCapture(given))),
    register(COMMANDS.closeCapture, (given) => files.close(namedCapture(given) ?? captures.current?.uri)),
    register(COMMANDS.renameCapture, (given) => files.rename(namedCapture(given) ?? fileInView(captures))),
    register(COMMANDS.deleteCapture, (given, rows) => files.delete(given, rows)),
    register(COMMANDS.revealCapture, (given) => files.reveal(namedCapture(given) ?? fileInView(captures))),
  );
}

class CaptureFiles {
  private readonly captures: CaptureStore;

  constructor(
    private readonly services: CaptureServices,
    private readonly recording: LiveCaptureStopper,
  ) {
    this.captures = services.captures;
  }

  async open(given: vscode.Uri | undefined): Promise<{ uri: vscode.Uri } | undefined> {
    const uri = given ?? (await this.#ask());
    if (uri === undefined) return undefined;
    // A missing file gets no tab; an unreadable one gets a tab that states the reason.
    if (this.captures.get(uri) === undefined) await captureSize(uri);
    await Promise.all([
      showCapture(uri, this.captures),
      vscode.commands.executeCommand("vscode.openWith", uri, CAPTURE_EDITOR),
    ]);
    return { uri };
  }

  async close(uri: vscode.Uri | undefined): Promise<void> {
    if (uri === undefined) return;
    const open = this.captures.get(uri);
    if (open?.live === true && open.isFollowed !== true) await this.recording.stop(uri);
    this.captures.close(uri);
    await closeTabs(uri);
  }

  async rename(uri: vscode.Uri | undefined): Promise<void> {
    if (uri === undefined || this.#isRunning(uri)) return;
    const l10n = vscode.l10n;
    const old = fileName(uri);
    const typed = await showInputBox({
      title: l10n.t("Rename {0}", old),
      prompt: l10n.t("New name, without {0}", CAPTURE_ENDING),
      value: stemOf(old),
      validate: async (text) => {
        const given = renamedTo(text);
        if ("problem" in given)
          return given.problem === "tooLong"
            ? l10n.t("The name is too long: at most {0} characters", LONGEST_STEM)
            : l10n.t("Not a possible file name");
        return given.name !== old && (await exists(sibling(uri, given.name)))
          ? l10n.t("A file of that name already exists")
          : undefined;
      },
    });
    const given = typed === undefined ? undefined : renamedTo(typed);
    if (given === undefined || "problem" in given || given.name === old) return;
    const { name } = given;
    const target = sibling(uri, name);
    await vscode.workspace.fs.rename(uri, target, { overwrite: false });
    await this.services.baseline.moved(uri, target);
    const open = this.captures.get(uri);
    if (open === undefined) return;
    const wasInView = this.captures.current === open;
    const hadTab = await closeTabs(uri);
    const moved: OpenCapture = {
      uri: target,
      title: captureTitle(summaryOf(open.capture), name, vscode.env.language),
      capture: open.capture,
      live: false,
      ...(open.isElsewhere === undefined ? {} : { isElsewhere: open.isElsewhere }),
      canBeReadAgain: open.canBeReadAgain === true,
    };
    this.captures.move(open, moved);
    if (wasInView) this.captures.show(moved);
    if (hadTab) await vscode.commands.executeCommand("vscode.openWith", target, CAPTURE_EDITOR);
  }

  /** @param rows all rows that are selected, when the command comes from the view */
  async delete(given: unknown, rows: unknown): Promise<void> {
    const selected = Array.isArray(rows) ? rows.flatMap((row) => namedCapture(row) ?? []) : [];
    const one = namedCapture(given) ?? (selected.length > 0 ? undefined : fileInView(this.captures));
    const uris = selected.length > 1 || one === undefined ? selected : [one];
    const [first] = uris;
    if (first === undefined || uris.some((uri) => this.#isRunning(uri))) return;
    const l10n = vscode.l10n;
    if (uris.length === 1) await deleteCaptures(uris, l10n.t("Delete {0}?", fileName(first)), [], this.services);
    else
      await deleteCaptures(
        uris,
        l10n.t("Delete {0} captures?", count(uris.length, vscode.env.language)),
        [namesOf(uris)],
        this.services,
      );
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
    const [folder] = captureFolders(this.services.context);
    const there = folder !== undefined && (await exists(folder)) ? folder : vscode.workspace.workspaceFolders?.[0]?.uri;
    const chosen = await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Open a Capture"),
      openLabel: vscode.l10n.t("Open"),
      filters: profileFilters(),
      ...(there === undefined ? {} : { defaultUri: there }),
    });
    return chosen?.[0];
  }

  #isRunning(uri: vscode.Uri): boolean {
    const open = this.captures.withFile(uri);
    if (open?.live !== true) return false;
    if (open.isFollowed === true) {
      void showInformationMessage(
        vscode.l10n.t("{0} continues on its host. Fetch it, or stop it there first.", fileName(uri)),
      );
      return true;
    }
    const stop = vscode.l10n.t("Stop Capture");
    void showInformationMessage(vscode.l10n.t("{0} is still being written.", fileName(uri)), stop).then((chosen) => {
      if (chosen === stop) void this.recording.stop(open.uri);
    });
    return true;
  }
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
