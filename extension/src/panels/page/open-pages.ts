// The pages of open panels, each of which can send its content as a document.

import * as vscode from "vscode";
import type { DocumentRequest, PageDocument } from "../../../../contract/messages/any-page.js";

interface Waiting {
  resolve(document: PageDocument): void;
  reject(error: Error): void;
}

/** A page that is open. */
class OpenPage {
  #waiting: Waiting | undefined;

  /** @param name folder of webviews/ */
  constructor(
    readonly panel: vscode.WebviewPanel,
    readonly name: string,
  ) {}

  /** @throws {Error} the panel was closed, or the document requested anew */
  document(): Promise<PageDocument> {
    this.#giveUp();
    const request: DocumentRequest = { type: "document" };
    const arrived = new Promise<PageDocument>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    void this.panel.webview.postMessage(request);
    return arrived;
  }

  arrived(document: PageDocument): void {
    this.#waiting?.resolve(document);
    this.#waiting = undefined;
  }

  dispose(): void {
    pages.delete(this);
    this.#giveUp();
  }

  #giveUp(): void {
    this.#waiting?.reject(new Error(vscode.l10n.t("The view did not send its content.")));
    this.#waiting = undefined;
  }
}

const pages = new Set<OpenPage>();

export function addPage(panel: vscode.WebviewPanel, name: string): OpenPage {
  const page = new OpenPage(panel, name);
  pages.add(page);
  return page;
}

/** The page of the active panel. */
export function activePage(): OpenPage | undefined {
  return [...pages].find(({ panel }) => panel.active);
}

export function isPageDocument(message: unknown): message is PageDocument {
  return typeof message === "object" && message !== null && "type" in message && message.type === "pageDocument";
}
