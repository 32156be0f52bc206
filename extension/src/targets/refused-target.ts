// Why a VM cannot be attached to, with the one remedy that fits. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { BeamRow, DoctorRow } from "../../../contract/protocol.generated.js";
import { errorInWords } from "../messages/helper-text.js";
import { commandsOf, rowText } from "./doctor-report.js";
import { refusalText } from "./target-description.js";

/**
 * Remedies of a refusal that did not examine what the machine allows. The check has, and knows when installing a copy
 * would not help.
 */
const UNCHECKED_REMEDIES: readonly string[] = [
  "toGiveRights",
  "toGiveRightsForOthers",
  "toAskDoctor",
  "toAskDoctorFound",
  "toAskDoctorMissing",
];

export interface RefusedTarget {
  readonly why: string;
  /** The remedy from the check; undefined where `why` contains it itself, or none is known. */
  readonly mends: string | undefined;
  /** The shell command of the shown remedy. */
  readonly command: string | undefined;
}

/**
 * @param row    of the list of VMs; undefined when the process is not in it
 * @param checks what the check of this process found
 * @returns undefined when nothing refuses it
 */
export function refusedTarget(
  row: Pick<BeamRow, "refusal" | "reason"> | undefined,
  checks: readonly DoctorRow[],
  l10n: Words,
): RefusedTarget | undefined {
  const refused = row === undefined ? undefined : refusalText(row, l10n);
  const failing = checks.find((check) => check.status === "fail");
  const commands = commandsOf(checks);
  // Where no command would help, the advice is shown.
  const advice = failing?.messages?.["fix"] === undefined ? undefined : plainText(rowText(failing, "fix", l10n), 500);
  const checked = { mends: commands[0] ?? advice, command: commands[0] };
  if (refused === undefined)
    return failing === undefined
      ? undefined
      : {
          why: l10n.t("{0} (needed: {1})", rowText(failing, "found", l10n), rowText(failing, "needed", l10n)),
          ...checked,
        };
  const refusal = row?.refusal;
  // Without parts the remedy is indistinguishable from the reason.
  const hasRemedy = refusal === undefined || refusal.fix !== "";
  if (!hasRemedy) return { why: refused, ...checked };
  const own = {
    why: refused,
    mends: undefined,
    command: refusal?.command ?? commands.find((command) => refused.includes(command)),
  };
  const isNamed = [...commands, ...(advice === undefined ? [] : [advice])].some((remedy) => refused.includes(remedy));
  const isUnchecked = refusal !== undefined && UNCHECKED_REMEDIES.includes(refusal.messages?.["fix"]?.code ?? "");
  if (isNamed || !isUnchecked || checked.mends === undefined) return own;
  const { what, why } = errorInWords(refusal, l10n);
  return { why: [what, why].filter((part) => part !== "").join("; "), ...checked };
}
