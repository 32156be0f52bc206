// The panel with the history of a program: the captures of the Captures view, by commit.

import * as vscode from "vscode";
import type { History } from "../../../../contract/editor-module.generated.js";
import type { HistoryProblem, ToHost, ToWebview } from "../../../../contract/messages/history.js";
import { shownName } from "../../../../contract/plain-text.js";
import { commitHistory } from "../../captures/commit-history.js";
import type { CaptureRow } from "../../captures/captures-view.js";
import { savePage } from "../../captures/save-page.js";
import { registerReadingCommand } from "../../captures/register-command.js";
import { MOST_CAPTURES } from "../../comparison/comparison-sides.js";
import { historyPage, madeHistory, type LeftOut } from "../../comparison/made-history.js";
import { refusalText } from "../../comparison/refusal-words.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { showInformationMessage } from "../../messages/show-message.js";
import { showInputBox, showManyPick, type PickerRow } from "../../messages/pickers.js";
import { errorWords, forLog } from "../../text/error-text.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo, type PanelContent } from "../page/webview-page.js";
import { historyForPage } from "./history-for-page.js";
import { HistorySession } from "./history-session.js";
import { shownHistory } from "./shown-history.js";

/** A history, and the captures that were left out before it was made. */
interface MadeOf {
  readonly history: History;
  readonly unreadable: readonly LeftOut[];
}

interface HistoryContent extends PanelContent<ToHost> {
  readonly session: HistorySession;
  readonly shown: () => MadeOf | null;
}

/** @param listed all captures, read, the newest first */
export function registerHistory(services: ExtensionServices, listed: () => Promise<readonly CaptureRow[]>): void {
  const { context, log } = services;
  const { l10n } = vscode;
  const panel = new SinglePanel<ToHost, HistoryContent>(services, {
    viewType: PANELS.history,
    page: "history",
    title: () => l10n.t("History"),
    fill: (shownIn) => {
      /** The history in the panel. */
      let shown: MadeOf | null = null;
      const session = new HistorySession({
        made: async (functions, progress, signal) => {
          const made = await historyOf(functions, progress, signal);
          shown = made.made;
          return made.message;
        },
        chosen: (functions) => chosenFunctions(shown?.history ?? null, functions),
        compare: async (commit) => {
          const [base, newer] = [shown?.history.commits[commit - 1], shown?.history.commits[commit]];
          if (base === undefined || newer === undefined) return;
          const [baseCaptures, newCaptures] = [base, newer].map(({ captures }) => captures.slice(-MOST_CAPTURES));
          await vscode.commands.executeCommand(COMMANDS.compareCaptures, { base: baseCaptures, new: newCaptures });
        },
        problem: (error) => {
          log.error(forLog(error));
          return problem(errorWords(error, vscode.l10n));
        },
        post: (message) => postTo(shownIn, message),
      });
      return {
        session,
        shown: () => shown,
        receive: (message) => session.receive(message),
        setVisible: () => {},
        dispose: () => session.dispose(),
      };
    },
    // The page sends which functions it had when it is ready.
    restored: () => {},
  });

  async function historyOf(
    functions: readonly string[],
    progress: (done: number, all: number) => void,
    signal: AbortSignal,
  ): Promise<{ made: MadeOf | null; message: ToWebview }> {
    const [rows, newestFirst] = await Promise.all([listed(), commitHistory()]);
    const captures = rows.map(({ uri }) => uri);
    if (captures.length === 0)
      return { made: null, message: problem(l10n.t("there is no capture in the Captures view")) };
    const order = newestFirst.map(({ commit }) => commit).toReversed();
    const dates = new Map(newestFirst.map(({ commit, madeUnixMs }) => [commit, madeUnixMs]));
    const wanted = { captures, order, made: dates, question: { functions: [...functions], measure: null } };
    const made = await madeHistory(wanted, (done) => progress(done, captures.length), signal);
    if (made.type === "refused") return { made: null, message: problem(refusalText(made.refused, l10n)) };
    const subjects = new Map(newestFirst.map(({ commit, subject }) => [commit, subject]));
    const { history, unreadable } = made;
    return {
      made: { history, unreadable },
      message: {
        type: "history",
        history: shownHistory(history, unreadable, { order, subjects, made: dates }, l10n),
        functions,
      },
    };
  }

  /** The history that the panel shows. */
  async function exportHistory(): Promise<void> {
    const shown = panel.content?.shown();
    if (!shown) {
      await showInformationMessage(l10n.t("There is no history to export yet."));
      return;
    }
    const name = l10n.t("History");
    await savePage({
      name,
      stem: "history",
      folder: undefined,
      make: () => historyPage(historyForPage(shown.history, shown.unreadable)),
    });
  }

  context.subscriptions.push(
    registerReadingCommand(log, COMMANDS.exportHistory, exportHistory),
    registerReadingCommand(log, COMMANDS.showHistory, async () => {
      await panel.show(false).session.show();
    }),
  );
}

async function chosenFunctions(
  history: History | null,
  functions: readonly string[],
): Promise<readonly string[] | undefined> {
  const { l10n } = vscode;
  const offered = [...new Set([...functions, ...(history?.frequent ?? [])])];
  const other = {
    icon: "add",
    label: l10n.t("Another function…"),
    description: l10n.t("type its name"),
    alwaysShow: true,
    picked: false,
    name: "",
  };
  const rows = [...offered.map((name) => ({ label: shownName(name), picked: functions.includes(name), name })), other];
  const chosen = await showManyPick<PickerRow & { readonly name: string }>(rows, {
    title: l10n.t("History"),
    placeHolder: l10n.t("Functions to follow over the commits"),
  });
  if (chosen === undefined) return undefined;
  const names = chosen.map(({ name }) => name).filter((name) => name !== "");
  if (names.length === chosen.length) return names;
  const typed = await showInputBox({
    title: l10n.t("History"),
    prompt: l10n.t("Name of the function, as the tables show it: module:function/arity, or that of a C function"),
    validate: (text) => (text.trim() === "" ? l10n.t("Enter the name of a function.") : undefined),
  });
  return typed === undefined ? undefined : [...new Set([...names, typed.trim()])];
}

function problem(why: string): HistoryProblem {
  return { type: "problem", what: vscode.l10n.t("There is no history"), why: shownName(why) };
}
