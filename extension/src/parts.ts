// What the folders that show something share. Each has one `register…(parts)` that `activate` calls.

import type { CaptureStore } from "./captures/capture-store.js";
import type { SourceNavigator } from "./sources/source-navigator.js";
import type { Surroundings } from "./surroundings.js";

export interface Parts extends Surroundings {
  readonly captures: CaptureStore;
  readonly sources: SourceNavigator;
}
