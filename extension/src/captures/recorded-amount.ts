// How much a capture has, in the unit of its first type of samples. No vscode in here.

import { count } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";
import type { QualityRecord } from "../../../contract/protocol.generated.js";
import { amountText, COUNTED_UNITS, SAMPLES } from "../../../contract/sample-type-words.js";

export interface RecordedAmount {
  readonly amount: number;
  readonly unit: string;
  /** Of blocked time: in how many blocks, each as often as it stands for. */
  readonly blocks?: number;
}

/**
 * Samples of processor time; where that is not recorded, the time without a processor that is not idle, and where that is
 * not, either, page faults.
 */
export function recordedAmount(quality: QualityRecord | undefined): RecordedAmount {
  // No event was sampled: there is no processor time.
  if (quality === undefined || quality.event !== "") return { amount: quality?.samples ?? 0, unit: SAMPLES };
  const { off_cpu: blocked, faults } = quality;
  if (faults !== undefined && (blocked === undefined || blocked.refused !== undefined))
    return { amount: faults.faults, unit: COUNTED_UNITS.faults.unit };
  if (blocked === undefined) return { amount: quality.samples, unit: SAMPLES };
  return {
    amount: blocked.blocked_ms + blocked.preempted_ms,
    unit: COUNTED_UNITS["off-cpu"].unit,
    blocks: Math.max(0, blocked.blocks - blocked.short_blocks),
  };
}

/** Of several captures together, which record the same types. One that has nothing yet does not show which. */
export function addedAmounts(amounts: readonly RecordedAmount[]): RecordedAmount {
  const unit = amounts.find(({ amount, blocks = 0 }) => amount > 0 || blocks > 0)?.unit ?? SAMPLES;
  const alike = amounts.filter((one) => one.unit === unit);
  const amount = alike.reduce((sum, one) => sum + one.amount, 0);
  const blocks = alike.flatMap((one) => one.blocks ?? []);
  return blocks.length === 0 ? { amount, unit } : { amount, unit, blocks: blocks.reduce((sum, one) => sum + one, 0) };
}

/** Whether there is nothing yet. A block may be shorter than a millisecond. */
export function isNothing({ amount, blocks = 0 }: RecordedAmount): boolean {
  return amount === 0 && blocks === 0;
}

/** `1,234 samples`, `12,300 ms of blocked time in 4,210 blocks`. */
export function recordedText({ amount, unit, blocks }: RecordedAmount, l10n: Words, language?: string): string {
  const text = amountText(amount, unit, l10n, language);
  if (blocks === undefined) return text;
  return blocks === 1 ? l10n.t("{0} in 1 block", text) : l10n.t("{0} in {1} blocks", text, count(blocks, language));
}
