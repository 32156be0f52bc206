// What the parts of the extension share. Each folder has one `register…(parts)` that `activate` calls.

import type * as vscode from "vscode";
import type { CaptureStore } from "./captures/capture-store.js";
import type { SourceNavigator } from "./sources/source-navigator.js";

export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly captures: CaptureStore;
  readonly sources: SourceNavigator;
}
