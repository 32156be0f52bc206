// The Captures view, the editor of capture files and the commands on them.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import type { ActivationContext } from "../activation-context.js";
import { registerCaptureCommands, type LiveCaptureStopper } from "./capture-commands.js";
import { fillWithSummary, registerCaptureEditor, type FillCaptureEditor } from "./capture-editor.js";
import { registerCaptureInView } from "./capture-in-view.js";
import type { CaptureStore } from "./capture-store.js";
import { CapturesView } from "./captures-view.js";

/** `fill` makes the content of the editor of a capture file. */
export function registerCaptures({ context, log, captures }: ActivationContext & { readonly captures: CaptureStore }, recording: LiveCaptureStopper, fill: FillCaptureEditor = fillWithSummary): void {
  const view = new CapturesView(context, captures, log);
  registerCaptureCommands(context, captures, recording, log);
  registerCaptureInView({ context, log, captures });
  context.subscriptions.push(
    view,
    registerCaptureEditor(captures, log, fill),
    vscode.commands.registerCommand(COMMANDS.refreshCaptures, () => view.refresh()),
  );
}
