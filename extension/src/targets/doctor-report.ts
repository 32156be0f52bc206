// What sampling needs and what of it is there, as text. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { DoctorRow } from "../../../contract/protocol.generated.js";
import { helperText } from "../messages/helper-text.js";

/** The commands that fix failing rows, in order, each once. The command of a mere remark fixes no failure. */
export function commandsOf(rows: readonly DoctorRow[]): string[] {
  const worst = rows.some((row) => row.status === "fail") ? ["fail"] : ["warn"];
  return [
    ...new Set(
      rows.flatMap(({ status, command }) =>
        command !== undefined && worst.includes(status) ? [plainText(command, 2000)] : [],
      ),
    ),
  ];
}

/** A member of a row in the user's language, as it is. */
export function rowText(row: DoctorRow, member: "check" | "found" | "needed" | "fix", l10n: Words): string {
  return helperText(row[member] ?? "", row.messages?.[member], l10n);
}

/** The rows as a page of plain text; `about` is the line that names the checked place. */
export function doctorReport(rows: readonly DoctorRow[], about: string, l10n: Words): string {
  const mark = { ok: l10n.t("ok"), warn: l10n.t("warning"), fail: l10n.t("missing") };
  const marks = Math.max(...Object.values(mark).map((text) => text.length));
  const text = (row: DoctorRow, member: "check" | "found" | "needed" | "fix", longest: number) =>
    plainText(rowText(row, member, l10n), longest);
  const names = Math.max(0, ...rows.map((row) => text(row, "check", 60).length));
  const indent = " ".repeat(marks + names + 4);
  const lines = rows.flatMap((row) => {
    const line =
      `${mark[row.status].padEnd(marks)}  ${text(row, "check", 60).padEnd(names)}  ${text(row, "found", 400)}`.trimEnd();
    if (row.status === "ok") return [line];
    const needed = row.needed === "" ? [] : [indent + l10n.t("needed: {0}", text(row, "needed", 400))];
    // The helper's own commands are for terminals: this view does the same.
    const mends =
      row.command === undefined
        ? row.messages?.["fix"] === undefined
          ? ""
          : text(row, "fix", 2000)
        : plainText(row.command, 2000);
    const fix = mends === "" ? [] : [indent + l10n.t("to fix: {0}", mends)];
    return [line, ...needed, ...fix];
  });
  const failing = rows.filter((row) => row.status === "fail").length;
  const warning = rows.filter((row) => row.status === "warn").length;
  const verdict =
    failing > 0
      ? l10n.t("{0} of {1} checks fail.", failing, rows.length)
      : warning > 0
        ? l10n.t("Sampling works; {0} of {1} checks have a remark.", warning, rows.length)
        : l10n.t("All requirements of sampling are met.");
  return [about, "", verdict, "", ...lines, ""].join("\n");
}
