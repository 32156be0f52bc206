// The text of a page when the inside of a VM cannot be read. No vscode in here.

import type { InsideProblem, InsideProblemKind } from "../../../contract/messages/inside.js";
import { shownName } from "../../../contract/plain-text.js";
import { ErrorCodes } from "../../../contract/protocol.generated.js";
import { HelperError } from "../helper/helper-error.js";
import { errorText } from "../text/error-text.js";
import { isEndOfVm } from "./inside-vm.js";

const LONGEST = 1000;

/** @param command the one that the check of what sampling needs names, where the error has none */
export function insideProblem(error: unknown, command: string | undefined): InsideProblem {
  if (!(error instanceof HelperError))
    return { kind: "other", what: shownName(errorText(error), LONGEST), why: "", fix: "", command: "" };
  const [what, why, fix] = [error.what, error.why, error.fix].map((text) => shownName(text, LONGEST)) as [
    string,
    string,
    string,
  ];
  return { kind: kindOf(error), what, why, fix, command: error.command ?? command ?? "" };
}

function kindOf(error: HelperError): InsideProblemKind {
  if (isEndOfVm(error)) return "vmEnded";
  if (error.code === ErrorCodes.notPermitted) return "notPermitted";
  return ["ended", "tooManyRestarts", "unreachable"].includes(error.problem) ? "helperGone" : "other";
}
