// The blame panel: which Erlang functions cause which native work in the capture in view.

import * as vscode from "vscode";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { Parts } from "../../parts.js";
import type { ToHost } from "../../../../webviews/blame/messages.js";
import { bringBack, bringIntoView, captureTexts, follow, shownCapture } from "../follow-captures.js";
import { copy, emptyPageAction, functionCommand, openFunction } from "../page-actions.js";
import { shownName } from "../shown-name.js";
import { editorClock, postTo, SinglePanel, type PanelContent } from "../single-panel.js";
import { BlameSession } from "./blame-session.js";
import { blameMarkdown, blameText } from "./blame-table.js";

interface ShowArguments {
  readonly query?: unknown;
  /** As shown in the capture in view: what native work it causes. */
  readonly functionName?: unknown;
  /** A capture to bring into view first. */
  readonly uri?: unknown;
}

interface BlameContent extends PanelContent<ToHost> {
  readonly session: BlameSession;
}

export function registerBlame(parts: Parts): void {
  const { captures, context, log } = parts;
  const panel = new SinglePanel<ToHost, BlameContent>(parts, {
    viewType: PANELS.blame,
    page: "blame",
    title: () => (captures.current ? vscode.l10n.t("Blame: {0}", captures.current.title) : vscode.l10n.t("Blame")),
    restored: (state) => void bringBack(parts, (state as ShowArguments | null | undefined)?.uri),
    fill: (shown) => {
      const session = new BlameSession({
        ...editorClock,
        texts: captureTexts(),
        current: () => shownCapture(captures),
        post: (message) => postTo(shown, message),
        problem: (error) => log.error(error instanceof Error ? error : String(error)),
      });
      const following = follow(captures, session);
      return {
        session,
        receive: (message) => act(message, parts, session),
        setVisible: (visible) => session.setVisible(visible),
        dispose: () => {
          following.dispose();
          session.dispose();
        },
      };
    },
  });
  context.subscriptions.push(
    captures.onDidChangeCurrent(() => panel.retitle()),
    vscode.commands.registerCommand(COMMANDS.showBlame, async (told?: ShowArguments) => {
      if (!(await bringIntoView(captures, told?.uri))) return;
      panel.show().session.ask({ query: textOf(told?.query), functionName: textOf(told?.functionName) });
    }),
  );
}

async function act(message: ToHost, parts: Parts, session: BlameSession): Promise<void> {
  session.receive(message);
  switch (message.type) {
    case "openSource":
      return openFunction(parts, message.functionIndex, message.line);
    case "flameGraph":
      return functionCommand(parts, COMMANDS.showFlameGraph, message.functionIndex);
    case "copyText":
      return copy(String(message.text));
    case "copyTable": {
      const table = session.table();
      if (!table) return;
      const heads = {
        heading: vscode.l10n.t("{0}: {1} samples, {2} % of busy ({3})", shownName(table.query), table.matched, ((100 * table.matched) / Math.max(table.busy, 1)).toFixed(1), parts.captures.current?.title ?? ""),
        fn: vscode.l10n.t("Function"),
        samples: vscode.l10n.t("Samples"),
        ofIt: vscode.l10n.t("Of it"),
        ofAll: vscode.l10n.t("Of all"),
        place: vscode.l10n.t("Where"),
        atOrBelow: vscode.l10n.t("at or below"),
      };
      return copy(message.as === "markdown" ? blameMarkdown(table, heads) : blameText(table, heads));
    }
    case "do":
      return emptyPageAction(message.action);
  }
}

function textOf(told: unknown): string | undefined {
  return typeof told === "string" && told !== "" ? told : undefined;
}
