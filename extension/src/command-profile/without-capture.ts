// The message after a command of which no VM was captured. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";

/** Exit codes that shells, and the helper, have for these. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** @param exitCode undefined when the command did not end by itself */
export function withoutCaptureText(line: string, exitCode: number | undefined, l10n: Words): string {
  // Only the text of the helper in the terminal has which of the two it was.
  const noVm = l10n.t("It started no Erlang VM, or none that could be sampled; its terminal shows which.");
  switch (exitCode) {
    case undefined:
      return l10n.t("`{0}` has no capture: it did not end by itself. {1}", line, noVm);
    case 0:
      return l10n.t("`{0}` succeeded but has no capture. {1}", line, noVm);
    case NOT_EXECUTABLE:
      return l10n.t(
        "`{0}` has no capture: it ended with exit code 126, which means that the shell may not execute a command.",
        line,
      );
    case NOT_FOUND:
      return l10n.t(
        "`{0}` has no capture: it ended with exit code 127, which means that the shell did not find a command.",
        line,
      );
    default:
      return l10n.t("`{0}` has no capture: it ended with exit code {1}. {2}", line, exitCode, noVm);
  }
}
