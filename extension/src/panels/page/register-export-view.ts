// *Export as HTML* of the views of a VM, and of those of a capture without a flame graph: the page itself, as it is in sight.

import * as vscode from "vscode";
import { registerReadingCommand } from "../../captures/register-command.js";
import { savePage } from "../../captures/save-page.js";
import { COMMANDS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { showInformationMessage } from "../../messages/show-message.js";
import { exportedPage } from "./exported-page.js";
import { activePage } from "./open-pages.js";
import { pageLanguage, webviewFolder } from "./webview-page.js";

export function registerExportView(services: ExtensionServices): void {
  services.context.subscriptions.push(
    registerReadingCommand(services.log, COMMANDS.exportView, () => exportView(services)),
  );
}

async function exportView(services: ExtensionServices): Promise<void> {
  const page = activePage();
  if (page === undefined) {
    await showInformationMessage(vscode.l10n.t("There is no view to export."));
    return;
  }
  const { title } = page.panel;
  // The content of now, not of the moment when the file is chosen.
  const document = await page.document();
  await savePage({
    name: title,
    stem: title.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-+|-+$/g, "") || page.name,
    folder: undefined,
    make: async () => {
      const file = vscode.Uri.joinPath(webviewFolder(services), `${page.name}.css`);
      const style = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
      return new TextEncoder().encode(exportedPage({ title, language: pageLanguage(), style, document }));
    },
  });
}
