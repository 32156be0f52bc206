// The work that a capture counted, in words. No vscode in here.

import { decimal } from "../../../contract/figures.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import type { RecordedWork } from "../capture/questions.js";
import { unitsDone } from "../capture/work-done.js";

interface Worked {
  readonly work: RecordedWork | null;
  readonly durationMs: number;
  /** Samples that are not idle; 0 when they were not counted. */
  readonly busy: number;
  readonly frequencyHz: number;
}

const LONGEST_NAME = 120;
const LONGEST_PROBLEM = 300;

/** `12,300 orders, 1,230 per second, 4.1 ms of CPU each`; empty when nothing was counted, or to no avail. */
export function workText({ work, durationMs, busy, frequencyHz }: Worked, l10n: Words, language?: string): string {
  const units = work === null ? "still" : unitsDone(work, durationMs);
  if (work === null || typeof units !== "number") return "";
  const parts = [`${amount(units, language)} ${plainText(work.name, LONGEST_NAME)}`];
  if (durationMs > 0) parts.push(l10n.t("{0} per second", amount(units / (durationMs / 1000), language)));
  if (busy > 0 && frequencyHz > 0)
    parts.push(l10n.t("{0} of CPU each", timeText((busy / frequencyHz / units) * 1e6, language)));
  return parts.join(", ");
}

/** Why work that was to be counted is not known. */
export function workProblems({ work, durationMs }: Omit<Worked, "busy">, l10n: Words): string[] {
  if (work === null) return [];
  const name = plainText(work.name, LONGEST_NAME);
  switch (unitsDone(work, durationMs)) {
    case "cut":
      return [l10n.t("The work ({0}) was not counted at the end: the capture still runs, or was cut short.", name)];
    case "notRead":
      return [l10n.t("{0} could not be counted at the end: {1}", name, plainText(work.problem, LONGEST_PROBLEM))];
    case "backwards":
      return [
        l10n.t("The counter of {0} went backwards: the counting program was restarted, so its work is not used.", name),
      ];
    case "still":
      return [l10n.t("The counter of {0} stood still, so its work is not used.", name)];
    default:
      return [];
  }
}

function amount(units: number, language?: string): string {
  return decimal(units, language, units < 100 ? 1 : 0, 0);
}

function timeText(us: number, language?: string): string {
  if (us < 1e3) return `${decimal(us, language, 1)} µs`;
  return us < 1e6 ? `${decimal(us / 1e3, language, 1)} ms` : `${decimal(us / 1e6, language, 1)} s`;
}
