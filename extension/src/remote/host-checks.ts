// What the doctor of a host answered, made sure of: a host may answer anything. No vscode in here.

import type { DoctorRow } from "../../../contract/protocol.generated.js";

const MOST_ROWS = 100;

/** The rows that have the form of one, reduced to the members that the view of hosts uses. */
export function checksIn(answer: unknown): DoctorRow[] {
  const rows = isObject(answer) ? answer["rows"] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.slice(0, MOST_ROWS).flatMap((row: unknown): DoctorRow[] => {
    if (!isObject(row)) return [];
    const { check, status, found, needed, messages, command } = row;
    if (
      typeof check !== "string" ||
      typeof found !== "string" ||
      typeof needed !== "string" ||
      (status !== "ok" && status !== "warn" && status !== "fail")
    )
      return [];
    return [
      {
        check,
        status,
        found,
        needed,
        fix: null,
        ...codesIn(messages),
        ...(typeof command === "string" && { command }),
      },
    ];
  });
}

/** Members that are used by their code and not by their text. */
const READ_CODES = ["check", "found"];

function codesIn(messages: unknown): Pick<DoctorRow, "messages"> {
  if (!isObject(messages)) return {};
  const codes = READ_CODES.flatMap((member) => {
    const code = isObject(messages[member]) ? messages[member]["code"] : undefined;
    return typeof code === "string" ? [[member, { code }] as const] : [];
  });
  return codes.length === 0 ? {} : { messages: Object.fromEntries(codes) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
