// Why nothing of a VM runs, or that this is not known, as pages show it. No vscode in here.

import type { Standstill } from "../../../contract/messages/standstill.js";
import { shownName } from "../../../contract/plain-text.js";
import type { Explanation } from "../../../contract/protocol.generated.js";

const LONGEST_CODE = 100;
const LONGEST_COMMAND = 500;

/** @returns null when the VM runs */
export function shownStandstill(standstill: Explanation | undefined, unknown?: Explanation): Standstill | null {
  const explanation = standstill ?? unknown;
  // Nothing has to be resumed where it is not known to be halted.
  if (explanation === undefined) return null;
  return made(explanation.messages?.["what"]?.code ?? "", standstill?.command ?? "");
}

/** The same of a page: the editor keeps it, so that it may be of another version, or be made up. */
export function standstillOfPage(kept: unknown): Standstill | null {
  if (typeof kept !== "object" || kept === null) return null;
  const { code, command } = kept as Partial<Record<keyof Standstill, unknown>>;
  return typeof code === "string" && typeof command === "string" ? made(code, command) : null;
}

function made(code: string, command: string): Standstill {
  return { code: code.slice(0, LONGEST_CODE), command: shownName(command, LONGEST_COMMAND) };
}
