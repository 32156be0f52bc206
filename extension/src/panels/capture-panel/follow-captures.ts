// Keeps what a panel shows in step with the capture in view.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../../captures/capture-store.js";
import { kernelTimeRemark } from "../../captures/kernel-time.js";
import { namedCapture } from "../../captures/named-capture.js";
import { measureOf } from "../../captures/measure.js";
import { COMMANDS, SETTINGS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { errorText } from "../../text/error-text.js";
import type { SourceNavigator } from "../../sources/source-navigator.js";
import type { CaptureTexts, ShownCapture } from "./shown-capture.js";

interface Following {
  captureChanged(): void;
  captureUpdated(): void;
}

export function shownCapture(opened: OpenCapture | undefined, sources: SourceNavigator): ShownCapture | undefined {
  return (
    opened && {
      capture: opened.capture,
      title: opened.title,
      live: opened.live,
      uri: opened.uri.toString(),
      measure: measureOf(opened.capture),
      originOf: (functionIndex) => sources.originOf(opened, functionIndex),
    }
  );
}

/** @param current called each time for the capture that is shown */
export function follow(captures: CaptureStore, current: () => OpenCapture | undefined, following: Following): vscode.Disposable {
  let shown = current();
  const look = () => {
    if (current() === shown) return;
    shown = current();
    following.captureChanged();
  };
  return vscode.Disposable.from(
    captures.onDidChangeCurrent(look),
    captures.onDidClose(look),
    captures.onDidUpdate((opened) => {
      if (opened === current()) following.captureUpdated();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`extrospect.${SETTINGS.measure}`)) following.captureUpdated();
    }),
  );
}

export function captureTexts(): CaptureTexts {
  return {
    noCapture: vscode.l10n.t("No capture is in view. Attach to a running VM, or open a saved capture."),
    noSamples: vscode.l10n.t("This capture has no samples: the VM did nothing while it was recorded, or it was recorded too briefly."),
    noSamplesYet: vscode.l10n.t("No samples yet. They show up here as soon as the VM does something."),
    noSamplesLeft: vscode.l10n.t("The end of this file is missing, and no sample comes before it: the recording or a copy was cut short. Record or copy it again."),
    remark: (facts) => kernelTimeRemark(facts, vscode.l10n, vscode.env.language),
    failed: (reason) => vscode.l10n.t("This could not be computed: {0}\nThe log has more (“Extrospect: Show the Log”).", reason),
  };
}

/** Brings a capture into view, opening its file when it is not open. @returns whether it is in view now; if not, the command that opens files has shown why */
export async function bringIntoView(captures: CaptureStore, uri: vscode.Uri): Promise<boolean> {
  if (captures.current?.uri.toString() === uri.toString()) return true;
  const opened = captures.get(uri);
  if (opened) captures.show(opened);
  else await vscode.commands.executeCommand(COMMANDS.openCapture, { uri });
  return captures.current?.uri.toString() === uri.toString();
}

/** After a restart: the capture the page showed, if its file is still there. */
export async function bringBack({ captures, log }: ExtensionServices, savedUri: unknown): Promise<void> {
  if (captures.current) return;
  try {
    const uri = namedCapture({ uri: savedUri });
    if (!uri) return;
    await vscode.workspace.fs.stat(uri);
    await bringIntoView(captures, uri);
  } catch (error) {
    log.info(`The capture that was shown before is not shown again: ${errorText(error)}`);
  }
}
