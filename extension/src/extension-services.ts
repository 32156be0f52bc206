// What the folders that show something share. Each has one `register…(services)` that `activate` calls.

import type { CaptureStore } from "./captures/capture-store.js";
import type { SourceNavigator } from "./sources/source-navigator.js";
import type { ActivationContext } from "./activation-context.js";

export interface ExtensionServices extends ActivationContext {
  readonly captures: CaptureStore;
  readonly sources: SourceNavigator;
}
