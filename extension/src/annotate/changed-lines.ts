// What changed at the lines of a document since the baseline: lines of both captures, each mapped onto the text by its own commit or file.

import type * as vscode from "vscode";
import type { Attribution } from "../../../contract/capture-answers.js";
import { typeOfUnit } from "../../../contract/sample-type-words.js";
import type { OpenCapture } from "../captures/capture-store.js";
import type { Baseline } from "../comparison/baseline.js";
import { lineChanges, type CountedLines, type LineChange } from "../comparison/line-changes.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { heatLines, type HeatLine } from "./document-heat.js";

export type LineChanges = ReadonlyMap<number, LineChange>;

/** @param lines of the capture in view @returns undefined without a baseline, and where the baseline has nothing in this document or no text that fits it */
export async function changedLines(
  document: vscode.TextDocument,
  opened: OpenCapture,
  lines: readonly HeatLine[],
  attribution: Attribution,
  { baseline, mapper }: { readonly baseline: Pick<Baseline, "heldAgainst">; readonly mapper: FileMapper },
): Promise<LineChanges | undefined> {
  const held = baseline.heldAgainst(opened);
  const mapped = held && (await mapper.map(document, held.baseline));
  if (held === undefined || mapped === undefined || mapped.fit === "differs") return undefined;
  const { capture } = held.baseline;
  // The baseline may show another type of its samples, as it is a capture like others: its lines are then no earlier figures of these.
  if (typeOfUnit(capture.facts.unit) !== typeOfUnit(opened.capture.facts.unit)) return undefined;
  // As for functions: more idle time is no change of a line.
  const [whole, now] = [capture.totals.busy, opened.capture.totals.busy];
  const before = counted(heatLines(capture, mapped, { attribution, whole, minimumPercent: 0 }), attribution, whole);
  return lineChanges(before, counted(lines, attribution, now), held.spreadPercent);
}

function counted(lines: readonly HeatLine[], attribution: Attribution, whole: number): CountedLines {
  return {
    whole,
    lines: lines.map((heat) => ({
      line: heat.line,
      samples: heat[attribution],
      isUnsure: heat.state === "changed" || heat.state === "unknown",
    })),
  };
}
