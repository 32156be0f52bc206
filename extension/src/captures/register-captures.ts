// The Captures view, the editor of capture files and the commands on them.

import * as vscode from "vscode";
import { COMMANDS, SETTINGS } from "../contributions.js";
import { showInputBox } from "../messages/pickers.js";
import { setting } from "../settings.js";
import { registerCaptureCommands, type LiveCaptureStopper } from "./capture-commands.js";
import { fillWithSummary, registerCaptureEditor, type FillCaptureEditor } from "./capture-editor.js";
import { registerCaptureFacts, type RegisterOnCapture } from "./capture-facts-commands.js";
import { registerCaptureInView } from "./capture-in-view.js";
import type { CaptureServices } from "./capture-services.js";
import { exportCapture, exportCaptures, importCaptures } from "./capture-transfer.js";
import { CapturesView } from "./captures-view.js";
import { fileInView, namedCapture } from "./named-capture.js";
import { openTogetherCommand } from "./open-together.js";
import { exportPage } from "./export-page.js";
import { registerReadingCommand } from "./register-command.js";
import { TidyReminder, tidyCaptures } from "./tidy-captures.js";

/** `fill` makes the content of the editor of a capture file. Answers the view, which knows what every file is. */
export function registerCaptures(
  services: CaptureServices,
  recording: LiveCaptureStopper,
  fill: FillCaptureEditor = fillWithSummary,
): CapturesView {
  const { context, log, captures } = services;
  const view = new CapturesView(services);
  registerCaptureCommands(services, recording);
  registerCaptureInView(services, () => view.allRows());
  const tidy = async () => {
    try {
      await tidyCaptures(await view.allRows(), services);
    } finally {
      await view.refresh();
    }
  };
  const register = (command: string, run: (...given: unknown[]) => Promise<unknown>) =>
    registerReadingCommand(log, command, run);
  const registerOnCapture: RegisterOnCapture = (command, run) =>
    register(command, async (given) => {
      const uri = namedCapture(given) ?? fileInView(captures);
      return uri === undefined ? undefined : run(uri);
    });
  context.subscriptions.push(
    view,
    registerCaptureEditor(captures, log, fill),
    registerCaptureFacts(registerOnCapture, captures, log, () => view.refresh()),
    register(COMMANDS.refreshCaptures, () => view.refresh()),
    register(COMMANDS.filterCaptures, () => filterCaptures(view)),
    register(COMMANDS.showAllCaptures, () => Promise.resolve(view.setFilter(""))),
    register(COMMANDS.groupCaptures, () => view.setGrouping(view.grouping === "time" ? "commit" : "time")),
    registerOnCapture(COMMANDS.exportCapture, exportCapture),
    registerOnCapture(COMMANDS.exportPage, (uri) => exportPage(uri, captures)),
    register(COMMANDS.exportCaptures, async () =>
      exportCaptures((await view.shownRows()).flatMap(({ uri, stat }) => (stat === undefined ? [] : [uri]))),
    ),
    register(COMMANDS.importCaptures, async () => {
      const imported = await importCaptures(context);
      await view.refresh();
      return { uris: imported };
    }),
    register(COMMANDS.tidyCaptures, tidy),
    register(
      COMMANDS.openTogether,
      openTogetherCommand(captures, () => view.allRows()),
    ),
    remindOfLimits(services, view, tidy),
  );
  return view;
}

/** As the words are typed, so that the first ones show what there is. */
async function filterCaptures(view: CapturesView): Promise<void> {
  const l10n = vscode.l10n;
  const typed = await showInputBox({
    title: l10n.t("Filter Captures"),
    prompt: l10n.t(
      "Words from name, target, branch, commit, #tag or note; is:pinned for pinned captures; empty shows all",
    ),
    value: view.filter,
    validate: (text) => {
      view.setFilter(text);
      return undefined;
    },
  });
  if (typed !== undefined) view.setFilter(typed);
}

/** Captures become more when one was recorded. */
function remindOfLimits(
  services: CaptureServices,
  view: CapturesView,
  tidy: () => Promise<unknown>,
): vscode.Disposable {
  const reminder = new TidyReminder();
  const running = new Set<string>();
  return services.captures.onDidUpdate(({ uri, live }) => {
    if (live) running.add(uri.toString());
    else if (running.delete(uri.toString()) && (setting(SETTINGS.keepAtMost) > 0 || setting(SETTINGS.keepDays) > 0))
      void view.allRows().then((rows) => reminder.remind(rows, services, tidy));
  });
}
