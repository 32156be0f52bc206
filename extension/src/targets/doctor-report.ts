// What sampling needs and what of it is there, as text. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { DoctorRow } from "../../../contract/protocol.generated.js";

/** The commands that mend failing rows, in order, each once. */
export function fixesOf(rows: readonly DoctorRow[]): string[] {
  const worst = rows.some((row) => row.status === "fail" && hasFix(row)) ? ["fail"] : ["fail", "warn"];
  return [...new Set(rows.filter((row) => worst.includes(row.status) && hasFix(row)).map((row) => plainText(row.fix ?? "", 2000)))];
}

/** The rows as a page of plain text; `about` says what was looked at. */
export function doctorReport(rows: readonly DoctorRow[], about: string, l10n: Words): string {
  const mark = { ok: l10n.t("ok"), warn: l10n.t("warning"), fail: l10n.t("missing") };
  const marks = Math.max(...Object.values(mark).map((text) => text.length));
  const names = Math.max(0, ...rows.map((row) => plainText(row.check, 60).length));
  const indent = " ".repeat(marks + names + 4);
  const lines = rows.flatMap((row) => {
    const line = `${mark[row.status].padEnd(marks)}  ${plainText(row.check, 60).padEnd(names)}  ${plainText(row.found, 400)}`.trimEnd();
    if (row.status === "ok") return [line];
    const needed = row.needed === "" ? [] : [indent + l10n.t("needed: {0}", plainText(row.needed, 400))];
    const fix = hasFix(row) ? [indent + l10n.t("mend it with: {0}", plainText(row.fix ?? "", 2000))] : [];
    return [line, ...needed, ...fix];
  });
  const failing = rows.filter((row) => row.status === "fail").length;
  const warning = rows.filter((row) => row.status === "warn").length;
  const verdict =
    failing > 0 ? l10n.t("{0} of {1} checks fail.", failing, rows.length)
    : warning > 0 ? l10n.t("Sampling works; {0} of {1} checks have a remark.", warning, rows.length)
    : l10n.t("Everything that sampling needs is there.");
  return [about, "", verdict, "", ...lines, ""].join("\n");
}

function hasFix(row: DoctorRow): boolean {
  return row.fix !== null && row.fix.trim() !== "" && !isOwnCommand(row.fix);
}

// Here the view does what the command line's own commands do, and the program is on no PATH.
function isOwnCommand(fix: string): boolean {
  return fix.startsWith("extrospect ");
}
