// The blame panel: which Erlang functions cause which native work in the capture in view.

import * as vscode from "vscode";
import { count, percent } from "../../../../contract/figures.js";
import type { ToHost } from "../../../../contract/messages/blame.js";
import { shownName } from "../../../../contract/plain-text.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { Parts } from "../../parts.js";
import { captureContent, captureSurroundings, registerCapturePanel, textOf } from "../capture-panel/capture-panel.js";
import { actOn, copy } from "../page/page-actions.js";
import { BlameSession } from "./blame-session.js";
import { blameMarkdown, blameText, type BlameTable, type TableHeads } from "./blame-table.js";

export function registerBlame(parts: Parts): void {
  registerCapturePanel(parts, {
    viewType: PANELS.blame,
    page: "blame",
    command: COMMANDS.showBlame,
    title: (captureTitle) => (captureTitle === undefined ? vscode.l10n.t("Blame") : vscode.l10n.t("Blame: {0}", captureTitle)),
    fill: (panel, current) => captureContent(parts, current, new BlameSession(captureSurroundings(panel, parts, current)), (message: ToHost, session) => act(message, parts, session)),
    shown: (session, told) => session.ask({ query: textOf(told.query), functionName: textOf(told.functionName) }),
  });
}

async function act(message: ToHost, parts: Parts, session: BlameSession): Promise<void> {
  switch (message.type) {
    case "copyTable": {
      const table = session.table();
      if (!table) return;
      const heads = tableHeads(table, parts.captures.current?.title ?? "");
      return copy(message.as === "markdown" ? blameMarkdown(table, heads, vscode.env.language) : blameText(table, heads, vscode.env.language));
    }
    case "openSource":
    case "flameGraph":
    case "copyText":
    case "do":
      return actOn(message, parts);
  }
}

function tableHeads({ query, matched, busy }: BlameTable, captureTitle: string): TableHeads {
  const { language } = vscode.env;
  return {
    heading: vscode.l10n.t("{0}: {1} samples, {2} of busy ({3})", shownName(query), count(matched, language), percent(matched, busy, language, "tenths"), captureTitle),
    fn: vscode.l10n.t("Function"),
    samples: vscode.l10n.t("Samples"),
    ofIt: vscode.l10n.t("Of it"),
    ofAll: vscode.l10n.t("Of all"),
    place: vscode.l10n.t("Where"),
    atOrBelow: vscode.l10n.t("at or below"),
  };
}
