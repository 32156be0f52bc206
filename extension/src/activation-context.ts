// What the editor gives the extension when it starts it, and what every folder may use.

import type * as vscode from "vscode";

export interface ActivationContext {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
}
