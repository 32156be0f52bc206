// The blame panel: which Erlang functions cause which native work in a capture.

import * as vscode from "vscode";
import { wholeOf } from "../../../../contract/capture-answers.js";
import { marked, percent } from "../../../../contract/figures.js";
import type { ToHost } from "../../../../contract/messages/blame.js";
import { shownName } from "../../../../contract/plain-text.js";
import { amountText, typeOfUnit } from "../../../../contract/sample-type-words.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { captureContent, captureSessionHost, registerCapturePanel, textOf } from "../capture-panel/capture-panel.js";
import { actOn, copy } from "../page/page-actions.js";
import { BlameSession } from "./blame-session.js";
import { blameMarkdown, blameText, type BlameTable, type TableHeads } from "./blame-table.js";

export function registerBlame(services: ExtensionServices): void {
  registerCapturePanel(services, {
    viewType: PANELS.blame,
    page: "blame",
    command: COMMANDS.showBlame,
    title: (captureTitle) =>
      captureTitle === undefined ? vscode.l10n.t("Blame") : vscode.l10n.t("Blame: {0}", captureTitle),
    fill: (panel, current) =>
      captureContent(
        services,
        current,
        new BlameSession(captureSessionHost(panel, services, current)),
        (message: ToHost, session) => act(message, services, session, current()),
      ),
    shown: (session, given) => session.ask({ query: textOf(given.query), functionName: textOf(given.functionName) }),
  });
}

async function act(
  message: ToHost,
  services: ExtensionServices,
  session: BlameSession,
  shown: OpenCapture | undefined,
): Promise<void> {
  switch (message.type) {
    case "copyTable": {
      const table = session.table();
      if (!table) return;
      const heads = tableHeads(table, shown?.title ?? "");
      return copy(
        message.as === "markdown"
          ? blameMarkdown(table, heads, vscode.env.language)
          : blameText(table, heads, vscode.env.language),
      );
    }
    case "openSource":
    case "flameGraph":
    case "copyText":
    case "do":
      return actOn(message, services, shown);
  }
}

function tableHeads(table: BlameTable, captureTitle: string): TableHeads {
  const { language } = vscode.env;
  const { query, matched, percentOf, minimumSamples, unit } = table;
  const texts = [
    shownName(query),
    amountText(matched, unit, vscode.l10n, language),
    marked(percent(matched, wholeOf(table, percentOf), language, "tenths"), matched, minimumSamples),
    captureTitle,
  ] as const;
  const isOfBusy = percentOf === "busy";
  return {
    heading: isOfBusy
      ? vscode.l10n.t("{0}: {1}, {2} of busy ({3})", ...texts)
      : vscode.l10n.t("{0}: {1}, {2} of all ({3})", ...texts),
    fn: vscode.l10n.t("Function"),
    samples: typeOfUnit(unit) === undefined ? vscode.l10n.t("Samples") : vscode.l10n.t("Amount"),
    ofIt: vscode.l10n.t("Of it"),
    ofWhole: isOfBusy ? vscode.l10n.t("Of busy") : vscode.l10n.t("Of all"),
    place: vscode.l10n.t("Where"),
    atOrBelow: vscode.l10n.t("at or below"),
  };
}
