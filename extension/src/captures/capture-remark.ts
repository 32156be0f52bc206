// What limits the figures of a capture, above each of its views, and why a capture has no samples. No vscode in here.

import { decimal } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";
import type { QualityRecord } from "../../../contract/protocol.generated.js";
import type { CaptureFacts } from "../capture/questions.js";
import { kernelTimeRemark } from "./kernel-time.js";
import { processorProblems, standstillProblem, stateProblems } from "./quality.js";

type Facts = Pick<CaptureFacts, "quality" | "nodes" | "waits">;

/** Sentences that each view has, whatever it shows; empty where nothing limits the figures. */
export function captureRemark(facts: Facts, l10n: Words, language?: string): string {
  const { quality, nodes, waits } = facts;
  const of = (record: QualityRecord | null) => (record === null ? [] : stateProblems(record, l10n, language));
  const states =
    nodes === undefined
      ? of(quality)
      : nodes.flatMap((node) => of(node.quality).map((text) => `${node.name}: ${text}`));
  const ofWaits = processorProblems(waits?.processors ?? undefined, l10n, language);
  return [kernelTimeRemark(facts, l10n, language), ...states, ...ofWaits].filter((text) => text !== "").join(". ");
}

/** A capture that is over: the VM may have been halted, or have used no processor; only known facts are stated. */
export function noSamplesReason({ quality }: Facts, l10n: Words, language?: string): string {
  const none = l10n.t("This capture has no samples.");
  // Of another program.
  if (quality === null) return none;
  const [standstill] = standstillProblem(quality, l10n, language);
  if (standstill !== undefined) return `${none} ${standstill}`;
  const cpu = quality.process_time?.cpu_ns;
  const reason =
    cpu === undefined
      ? l10n.t("It does not contain the reason.")
      : l10n.t("The VM used {0} s of processor time by its own clock.", decimal(cpu / 1e9, language, 3));
  return `${none} ${reason}`;
}

/** A capture that is running. */
export function noSamplesYet({ quality }: Facts, l10n: Words, language?: string): string {
  const [standstill] = quality === null ? [] : standstillProblem(quality, l10n, language);
  return standstill === undefined
    ? l10n.t("No samples yet. They show up here as soon as there are some.")
    : l10n.t("No samples yet. {0}", standstill);
}
