// What the parts of this folder share.

import type { ActivationContext } from "../activation-context.js";
import type { CaptureStore } from "./capture-store.js";
import type { ChosenBaseline } from "./chosen-baseline.js";

export interface CaptureServices extends ActivationContext {
  readonly captures: CaptureStore;
  /** The capture that the others are compared with. */
  readonly baseline: ChosenBaseline;
}
