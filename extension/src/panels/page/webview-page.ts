// The page of a webview panel: the only folder it may load from, and what answers it.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { PageDocument, Translations, TranslationsRequest } from "../../../../contract/messages/any-page.js";
import { showErrorMessage } from "../../messages/show-message.js";
import type { ExtensionServices } from "../../extension-services.js";
import { errorWords, forLog } from "../../text/error-text.js";
import { addPage, isPageDocument } from "./open-pages.js";
import { webviewPage } from "./page-html.js";
import { PageStart } from "./page-start.js";

/** What fills a panel for as long as it is open. */
export interface PanelContent<Message> extends vscode.Disposable {
  receive(message: Message): void | Promise<void>;
  setVisible(visible: boolean): void;
}

/**
 * Sets the page of a panel and lets it talk with its content until the panel is closed. Disposing of the answer earlier is allowed.
 * @param page folder of webviews/
 */
export function fillPanel<Message>(
  panel: vscode.WebviewPanel,
  services: ExtensionServices,
  page: string,
  content: PanelContent<Message>,
): vscode.Disposable {
  const failed = (error: unknown) => {
    services.log.error(forLog(error));
    void showErrorMessage(errorWords(error, vscode.l10n));
  };
  const load = () => {
    panel.webview.html = pageOf(panel.webview, services, page, panel.title);
  };
  const start = new PageStart(
    () => {
      services.log.warn(`The page ${page} has not begun: it is loaded again.`);
      load();
    },
    () => void loadOnRequest(),
  );
  const loadOnRequest = async () => {
    services.log.error(`The page ${page} has not begun.`);
    const reload = vscode.l10n.t("Load Again");
    const text = vscode.l10n.t("{0} does not load: the editor has not run its page.", panel.title);
    if ((await showErrorMessage(text, reload)) === reload && isOpen) start.again();
  };
  const setVisible = () => {
    content.setVisible(panel.visible);
    start.setVisible(panel.visible);
  };
  let isOpen = true;
  const open = addPage(panel, page);
  const filled = vscode.Disposable.from(
    panel.webview.onDidReceiveMessage((message: Message | TranslationsRequest | PageDocument) => {
      start.begun();
      if (isTranslationsRequest(message)) return postTo(panel, translations());
      if (isPageDocument(message)) return open.arrived(message);
      Promise.resolve(message)
        // A page that is being closed may have sent its last message already.
        .then((received) => (isOpen ? content.receive(received) : undefined))
        .catch(failed);
    }),
    panel.onDidChangeViewState(setVisible),
    panel.onDidDispose(() => filled.dispose()),
    content,
    start,
    open,
    { dispose: () => void (isOpen = false) },
  );
  setVisible();
  panel.webview.options = webviewOptions(services);
  load();
  return filled;
}

/**
 * A panel that is closed takes no message: reading its `webview` throws, and messages on their way to it are rejected.
 */
export function postTo(panel: vscode.WebviewPanel, message: unknown): void {
  try {
    panel.webview.postMessage(message).then(undefined, () => {});
  } catch {
    // No user is left to see it.
  }
}

/** The editor's own language is in the sources: then there is nothing to translate. */
function translations(): Translations {
  return { type: "translations", texts: vscode.l10n.bundle ?? {} };
}

function isTranslationsRequest(message: unknown): message is TranslationsRequest {
  return typeof message === "object" && message !== null && "type" in message && message.type === "translations";
}

export function webviewOptions(services: ExtensionServices): vscode.WebviewOptions {
  return { enableScripts: true, localResourceRoots: [webviewFolder(services)] };
}

export function webviewFolder(services: ExtensionServices): vscode.Uri {
  return vscode.Uri.joinPath(services.context.extensionUri, "dist", "webviews");
}

function pageOf(webview: vscode.Webview, services: ExtensionServices, name: string, title: string): string {
  const file = (fileName: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(webviewFolder(services), fileName)).toString();
  return webviewPage(title, {
    nonce: randomBytes(16).toString("base64url"),
    cspSource: webview.cspSource,
    scriptUri: file(`${name}.js`),
    styleUri: file(`${name}.css`),
    language: pageLanguage(),
  });
}

/** Of the texts in a page. */
export function pageLanguage(): string {
  return vscode.l10n.bundle === undefined ? "en" : vscode.env.language;
}
