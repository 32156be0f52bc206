// The Targets view and what belongs to it.

import * as vscode from "vscode";
import { COMMANDS } from "../contributions.js";
import type { Helper } from "../helper/helper.js";
import type { Parts } from "../parts.js";
import type { RecordingControl } from "../recording/recording-control.js";
import { registerDoctor } from "./doctor-command.js";
import { TargetsView } from "./targets-view.js";

export function registerTargets({ context, log }: Pick<Parts, "context" | "log">, helper: Helper, recording: RecordingControl): void {
  const view = new TargetsView(helper, log, () => recording.isCapturing);
  registerDoctor(context, log, helper, (pid) => view.row(pid));
  context.subscriptions.push(
    view,
    vscode.commands.registerCommand(COMMANDS.refreshTargets, () => view.refresh()),
  );
}
