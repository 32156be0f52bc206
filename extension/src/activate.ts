// The extension starts here. Each part registers what it owns; nothing runs before a user asks for it.

import * as vscode from "vscode";
import { registerAnnotate } from "./annotate/register-annotate.js";
import { CaptureStore } from "./captures/capture-store.js";
import { CONTEXT } from "./contributions.js";
import type { Parts } from "./parts.js";
import { registerSources } from "./sources/sources.js";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Extrospect", { log: true });
  const captures = new CaptureStore();
  context.subscriptions.push(log, captures);
  context.subscriptions.push(
    captures.onDidChangeCurrent((current) => void vscode.commands.executeCommand("setContext", CONTEXT.captureInView, current !== undefined)),
  );
  const sources = registerSources(context, log, captures);
  const parts: Parts = { context, log, captures, sources };
  registerAnnotate(parts, sources);
}
