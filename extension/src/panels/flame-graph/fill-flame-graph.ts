// What a flame graph's panel is filled with, be it our own panel or the editor of a capture file.

import * as vscode from "vscode";
import type { GroupBy } from "../../../../contract/flame-data.js";
import type { ToHost, ToWebview } from "../../../../contract/messages/flame-graph.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { FunctionFacts } from "../../capture/questions.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { showInformationMessage, showStatusBarMessage } from "../../messages/show-message.js";
import type { ExtensionServices } from "../../extension-services.js";
import { captureContent, captureSessionHost } from "../capture-panel/capture-panel.js";
import type { CaptureContent } from "../capture-panel/capture-panels.js";
import { copy, leaveEmptyPage, openFunction, showInBlame, showInTop } from "../page/page-actions.js";
import { fillPanel } from "../page/webview-page.js";
import { FlameSession } from "./flame-session.js";
import { saveExport, saveForMarkdown } from "./save-export.js";

/** A capture in Markdown, for a text with its flame graph. */
export type SummaryOf = (opened: OpenCapture) => Promise<string>;

/** Folder of webviews/. */
export const FLAME_PAGE = "flame-graph";

/**
 * Sets the page of `panel` and keeps it up to date until the panel is closed. Disposing of the answer earlier is allowed.
 * @param current the capture the panel shows; it may be another one at the next call
 */
export function fillFlameGraph(
  panel: vscode.WebviewPanel,
  services: ExtensionServices,
  current: () => OpenCapture | undefined,
  summaryOf: SummaryOf,
): { readonly session: FlameSession; readonly filled: vscode.Disposable } {
  const content = flameContent(panel, services, current, summaryOf);
  return { session: content.session, filled: fillPanel(panel, services, FLAME_PAGE, content) };
}

export function flameContent(
  panel: vscode.WebviewPanel,
  services: ExtensionServices,
  current: () => OpenCapture | undefined,
  summaryOf: SummaryOf,
): CaptureContent<ToHost, FlameSession> {
  const host = captureSessionHost<ToWebview>(panel, services, current);
  const session = new FlameSession({
    ...host,
    texts: {
      ...host.texts,
      noMatch: vscode.l10n.t("No sample passes the filters."),
      groupName,
      notShown: (name) => vscode.l10n.t("{0} has no samples in the capture in view.", shownName(name)),
    },
    notice: (text) => void showInformationMessage(text),
    debug: (text) => services.log.debug(text),
  });
  return captureContent(services, current, session, (message) => act(message, services, current(), summaryOf));
}

/** Names of processes and nodes are as the capture has them; schedulers are numbers there. */
function groupName(groupBy: GroupBy, value: string): string {
  if (groupBy === "scheduler")
    return value === "" ? vscode.l10n.t("No scheduler") : vscode.l10n.t("Scheduler {0}", value);
  if (groupBy === "node") return value === "" ? vscode.l10n.t("All of one node") : value;
  return value === "" ? vscode.l10n.t("No process") : value;
}

/** The page's requests to the editor. */
async function act(
  message: ToHost,
  services: ExtensionServices,
  shown: OpenCapture | undefined,
  summaryOf: SummaryOf,
): Promise<void> {
  switch (message.type) {
    case "copy":
      return copy(message.text, message.what === "name" ? vscode.l10n.t("Name copied") : vscode.l10n.t("Stack copied"));
    case "export":
      return saveExport(message, shown?.uri);
    case "pictureForMarkdown":
      return shown && saveForMarkdown(message, shown.uri, () => summaryOf(shown));
    case "pictureCopied":
      return pictureCopied(String(message.problem));
    case "openSource":
      return openFunction(services, functionOf(shown, message.functionName, message.file), message.line, shown);
    case "showFunction": {
      const fn = functionOf(shown, message.functionName, message.file);
      if (fn && shown) await (message.where === "top" ? showInTop : showInBlame)(fn, shown.uri);
      return;
    }
    case "do":
      return leaveEmptyPage(message);
  }
}

async function pictureCopied(problem: string): Promise<void> {
  const { l10n } = vscode;
  if (problem === "") showStatusBarMessage(l10n.t("Picture copied"), 2000);
  else
    await showInformationMessage(
      l10n.t("The picture was not copied: {0}. Export it as an SVG picture instead.", shownName(problem)),
    );
}

/** Functions may share a shown name; the file distinguishes them. */
function functionOf(opened: OpenCapture | undefined, name: string, file: string): FunctionFacts | undefined {
  if (!opened) return undefined;
  const { capture } = opened;
  return (
    capture.functions.find((fn) => fn.name === name && fn.file === file) ??
    capture.functions[capture.functionNamed(name)]
  );
}
