// The extension starts here. Each part registers what it owns; nothing runs before a user asks for it.

import * as vscode from "vscode";
import { CaptureStore } from "./captures/capture-store.js";
import { CONTEXT } from "./contributions.js";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Extrospect", { log: true });
  const captures = new CaptureStore();
  context.subscriptions.push(log, captures);
  context.subscriptions.push(
    captures.onDidChangeCurrent((current) => void vscode.commands.executeCommand("setContext", CONTEXT.captureInView, current !== undefined)),
  );
}
