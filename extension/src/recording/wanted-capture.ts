// How a capture is taken: as was asked for, else as is set.

import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import type { AttachArguments } from "../targets/attach-arguments.js";
import type { RecordingOptions } from "./recording.js";
import { workCounter } from "./work-counter.js";

/** What holds for any VM that is captured. */
export type WantedCapture = Pick<RecordingOptions, "frequencyHz" | "durationSeconds" | "includeKernel" | "engine" | "nodeEveryMs" | "work">;

export function wantedCapture({ frequencyHz, durationSeconds, kernelFrames, engine }: AttachArguments): WantedCapture {
  return {
    frequencyHz: frequencyHz ?? setting(SETTINGS.frequencyHz),
    durationSeconds: durationSeconds ?? setting(SETTINGS.durationSeconds),
    includeKernel: kernelFrames ?? setting(SETTINGS.kernelFrames),
    engine: engine ?? setting(SETTINGS.engine),
    ...nodeInterval(),
    work: workCounter({ command: setting(SETTINGS.workCommand), metric: setting(SETTINGS.workMetric), name: setting(SETTINGS.workName) }),
  };
}

/** Said only where it is not what the helper does by itself, so that one of an earlier version takes it too. */
function nodeInterval(): Pick<RecordingOptions, "nodeEveryMs"> {
  const everyMs = Math.round(setting(SETTINGS.nodeEverySeconds) * 1000);
  return everyMs === 1000 ? {} : { nodeEveryMs: everyMs };
}
