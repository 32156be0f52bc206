// How a capture is taken: by the arguments, else by the settings.

import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import type { AttachArguments } from "../targets/attach-arguments.js";
import { isCpuAlone } from "./recorded-types.js";
import type { RecordingOptions } from "./recording.js";
import { workCounter } from "./work-counter.js";

/** What holds for any VM that is captured. */
export type WantedCapture = Pick<
  RecordingOptions,
  "frequencyHz" | "durationSeconds" | "includeKernel" | "engine" | "types" | "nodeEveryMs" | "work"
>;

export function wantedCapture({
  frequencyHz,
  durationSeconds,
  kernelFrames,
  engine,
  types = setting(SETTINGS.captureTypes),
}: AttachArguments): WantedCapture {
  return {
    frequencyHz: frequencyHz ?? setting(SETTINGS.frequencyHz),
    durationSeconds: durationSeconds ?? setting(SETTINGS.durationSeconds),
    includeKernel: kernelFrames ?? setting(SETTINGS.kernelFrames),
    engine: engine ?? setting(SETTINGS.engine),
    ...(isCpuAlone(types) ? {} : { types: [...types] }),
    ...nodeInterval(),
    work: workCounter({
      command: setting(SETTINGS.workCommand),
      metric: setting(SETTINGS.workMetric),
      name: setting(SETTINGS.workName),
    }),
  };
}

/**
 * Sent only when it differs from the helper's default, so that a helper of an earlier version accepts the request too.
 */
function nodeInterval(): Pick<RecordingOptions, "nodeEveryMs"> {
  const everyMs = Math.round(setting(SETTINGS.nodeEverySeconds) * 1000);
  return everyMs === 1000 ? {} : { nodeEveryMs: everyMs };
}
