// What the doctor of a host answered, made sure of: a host may answer anything. No vscode in here.

import type { DoctorRow } from "../../../contract/protocol.generated.js";

const MOST_ROWS = 100;

/** The rows that have the form of one, with what is read of them without asking. */
export function checksIn(answer: unknown): DoctorRow[] {
  const rows = isObject(answer) ? answer["rows"] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.slice(0, MOST_ROWS).flatMap((row: unknown): DoctorRow[] => {
    if (!isObject(row)) return [];
    const { check, status, found, needed, messages, command } = row;
    if (typeof check !== "string" || typeof found !== "string" || typeof needed !== "string" || (status !== "ok" && status !== "warn" && status !== "fail")) return [];
    const code = isObject(messages) && isObject(messages["check"]) ? messages["check"]["code"] : undefined;
    return [{ check, status, found, needed, fix: null, ...(typeof code === "string" && { messages: { check: { code } } }), ...(typeof command === "string" && { command }) }];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
