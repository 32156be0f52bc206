// A capture as a row of a picker.

import * as vscode from "vscode";
import type { PickerRow } from "../messages/pickers.js";
import { ageText } from "../text/age.js";
import { fileName } from "../text/base-name.js";
import { stemOf } from "./capture-file.js";
import type { FileState } from "./capture-index.js";
import { captureName, joined } from "./capture-name.js";
import { captureDescription, type CaptureSummary } from "./capture-summary.js";

export interface PickedCapture {
  readonly uri: vscode.Uri;
  readonly summary: CaptureSummary | null | undefined;
  readonly stat?: FileState | undefined;
}

/** Named as its row of the Captures view. The file's name comes last, for the search, and to distinguish captures of one minute. */
export function capturePickerRow<Picked extends PickedCapture>(
  capture: Picked,
): PickerRow & { readonly capture: Picked } {
  const { uri, summary, stat } = capture;
  const [file, language, nowUnixMs] = [fileName(uri), vscode.env.language, Date.now()];
  const { label, details } = captureName(file, summary, { nowUnixMs, language });
  const facts = summary ? captureDescription(summary, vscode.l10n, language) : "";
  const age = summary || stat === undefined ? "" : ageText(nowUnixMs - stat.mtime, language);
  return { capture, label, description: joined(details, facts, age, label === stemOf(file) ? "" : file) };
}
