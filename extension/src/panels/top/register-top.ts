// The top table: self and total of every function of the capture in view.

import * as vscode from "vscode";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { Parts } from "../../parts.js";
import type { ToHost } from "../../../../webviews/top/messages.js";
import { bringBack, bringIntoView, captureTexts, follow, shownCapture } from "../follow-captures.js";
import { copy, emptyPageAction, functionCommand, openFunction } from "../page-actions.js";
import { editorClock, postTo, SinglePanel, type PanelContent } from "../single-panel.js";
import { TopSession } from "./top-session.js";

interface ShowArguments {
  /** A capture to bring into view first. */
  readonly uri?: unknown;
}

export function registerTop(parts: Parts): void {
  const { captures, context, log } = parts;
  const panel = new SinglePanel<ToHost, PanelContent<ToHost>>(parts, {
    viewType: PANELS.top,
    page: "top",
    title: () => (captures.current ? vscode.l10n.t("Hot Functions: {0}", captures.current.title) : vscode.l10n.t("Hot Functions")),
    restored: (state) => void bringBack(parts, (state as ShowArguments | null | undefined)?.uri),
    fill: (shown) => {
      const session = new TopSession({
        ...editorClock,
        texts: captureTexts(),
        current: () => shownCapture(captures),
        post: (message) => postTo(shown, message),
        problem: (error) => log.error(error instanceof Error ? error : String(error)),
      });
      const following = follow(captures, session);
      return {
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
    vscode.commands.registerCommand(COMMANDS.showTop, async (told?: ShowArguments) => {
      if (await bringIntoView(captures, told?.uri)) panel.show();
    }),
  );
}

async function act(message: ToHost, parts: Parts, session: TopSession): Promise<void> {
  session.receive(message);
  switch (message.type) {
    case "openSource":
      return openFunction(parts, message.functionIndex, 0);
    case "flameGraph":
      return functionCommand(parts, COMMANDS.showFlameGraph, message.functionIndex);
    case "blame":
      return blame(parts, message.functionIndex);
    case "copyText":
      return copy(String(message.text));
    case "do":
      return emptyPageAction(message.action);
  }
}

/** Erlang functions cause native work, others are caused. */
async function blame({ captures }: Parts, functionIndex: number): Promise<void> {
  const fn = captures.current?.capture.functions[functionIndex];
  if (fn) await vscode.commands.executeCommand(COMMANDS.showBlame, fn.kind === "erlang" ? { functionName: fn.name } : { query: fn.name });
}
