// Finding and opening sources, and the commands that do.

import * as vscode from "vscode";
import { LONGEST_SHOWN_NAME, shownName } from "../../../contract/plain-text.js";
import type { CaptureStore } from "../captures/capture-store.js";
import { showMissing } from "../captures/show-missing.js";
import { COMMANDS } from "../contributions.js";
import { showWarningMessage } from "../messages/show-message.js";
import type { ActivationContext } from "../activation-context.js";
import { DocumentMapper } from "./mapping/document-mapper.js";
import type { FileMapper } from "./mapped-file.js";
import { showRules } from "./rules-menu.js";
import type { SourceNavigator } from "./source-navigator.js";
import { Sources } from "./sources.js";

/** Made before the other parts, which all may ask it. */
export function createSources({ context, log, captures }: ActivationContext & { readonly captures: CaptureStore }): {
  readonly navigator: SourceNavigator;
  readonly mapper: FileMapper;
} {
  const sources = new Sources(context, log, captures);
  const mapper = new DocumentMapper(sources.finder, sources.views, sources.ownCode);
  context.subscriptions.push(
    sources,
    vscode.commands.registerCommand(COMMANDS.forgetSources, () => sources.forget()),
    vscode.commands.registerCommand(COMMANDS.sourceRules, () => showRules(sources.rules)),
    vscode.commands.registerCommand(
      COMMANDS.openSource,
      async (wanted?: { functionName?: unknown; line?: unknown }) => {
        const opened = captures.current;
        if (opened === undefined) {
          void showMissing("inView");
          return;
        }
        const { capture } = opened;
        const name = typeof wanted?.functionName === "string" ? wanted.functionName : "";
        const fn = capture.functions[capture.functionNamed(name)];
        if (fn === undefined) {
          const shown = shownName(name, LONGEST_SHOWN_NAME);
          void showWarningMessage(vscode.l10n.t("The capture in view contains no function named “{0}”.", shown));
          return;
        }
        await sources.open(
          fn,
          typeof wanted?.line === "number" && Number.isInteger(wanted.line) ? wanted.line : fn.headLine,
          opened,
        );
      },
    ),
  );
  return { navigator: sources, mapper };
}
