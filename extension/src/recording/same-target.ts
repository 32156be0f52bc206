// Which of the VMs that run now is the one of a capture, and how it was sampled. No vscode in here.

import type { BeamRow, EngineChoice } from "../../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { CaptureFacts, RecordedTarget } from "../capture/questions.js";
import { isEngine, isFrequency } from "../setting-values.js";

export type Repeated = Pick<CaptureFacts, "target" | "quality" | "durationMs" | "frequencyHz" | "includeKernel">;

/** Those of the same node; of a VM without a name those with the same command. The very same process comes alone. */
export function sameTargets({ pid, node, command }: RecordedTarget, beams: readonly BeamRow[]): BeamRow[] {
  // The list shortens long commands.
  const isSame = (beam: BeamRow) =>
    node === ""
      ? (beam.node ?? "") === "" && beam.command !== "" && command.startsWith(beam.command.replace(/\.\.\.$/, ""))
      : beam.node === node;
  const same = beams.filter((beam) => beam.attachable && isSame(beam));
  const itself = same.find((beam) => beam.pid === pid);
  return itself === undefined ? same : [itself];
}

/** Arguments of `extrospect.attach` that repeat the sampling of the capture; the settings supply the rest. */
export function settingsOf({ quality, durationMs, frequencyHz, includeKernel }: Repeated): {
  durationSeconds?: number;
  frequencyHz?: number;
  kernelFrames?: boolean;
  engine?: EngineChoice;
  types?: SampleTypeId[];
} {
  const engine = quality?.engine.name;
  const seconds = Math.round(durationMs / 1000);
  return {
    ...(seconds > 0 ? { durationSeconds: seconds } : {}),
    ...(isFrequency(frequencyHz) ? { frequencyHz } : {}),
    ...(includeKernel === undefined ? {} : { kernelFrames: includeKernel }),
    ...(isEngine(engine) ? { engine } : {}),
    ...typesOf(quality),
  };
}

/** The types of samples that were recorded; nothing where that is not known. */
function typesOf(quality: Repeated["quality"]): { types?: SampleTypeId[] } {
  if (quality === null) return {};
  const { event, off_cpu: blocked, faults } = quality;
  const others: SampleTypeId[] = [];
  if (blocked !== undefined && blocked.refused === undefined) others.push("off-cpu");
  if (faults !== undefined && faults.refused === undefined) others.push("faults");
  // Without samples of processor time there is no event that was sampled.
  return { types: event === "" && others.length > 0 ? others : ["cpu", ...others] };
}
