import type { Capture } from "../../capture/questions.js";
import { otherTypes } from "../../captures/other-types.js";
import type { PlacedFunction } from "./capture-places.js";
import type { DocumentView } from "./document-view.js";
import type { MappedFile, MappedFunction, MappedLine } from "../mapped-file.js";

/** Functions and lines with samples, in the lines of today's text. */
export function mapFile(capture: Capture, view: DocumentView): MappedFile {
  const functions: MappedFunction[] = [];
  const lines: MappedLine[] = [];
  for (const fn of functionsOf(capture, view)) {
    const line = view.headLine(fn);
    const formerName = view.formerName(fn);
    functions.push({
      functionIndex: fn.index,
      line,
      endLine: fn.isInner ? line : Math.max(line, line === 0 ? 0 : view.endLine(fn)),
      ...(formerName === undefined ? {} : { formerName }),
    });
    for (const { line: capturedLine } of capture.functionLines(fn.index)) {
      if (capturedLine > 0) lines.push(mappedLine(view, fn, capturedLine));
    }
  }
  return {
    functions: functions.sort((a, b) => a.line - b.line),
    lines: lines.sort((a, b) => a.line - b.line),
    fit: view.fit,
    ...(view.rule === undefined ? {} : { rule: view.rule }),
  };
}

/** Lines with samples of other types than the one that is shown, and none of that one. */
export function otherLines(capture: Capture, view: DocumentView): MappedLine[] {
  const others = otherTypes(capture);
  if (others.length === 0) return [];
  return functionsOf(capture, view).flatMap((fn) => {
    const shown = new Set(capture.functionLines(fn.index).map(({ line }) => line));
    const lines = new Set(others.flatMap((answers) => answers.functionLines(fn.index).map(({ line }) => line)));
    return [...lines].filter((line) => line > 0 && !shown.has(line)).map((line) => mappedLine(view, fn, line));
  });
}

function functionsOf(capture: Capture, { functions }: DocumentView): PlacedFunction[] {
  const rawName = (fn: PlacedFunction) => capture.functions[fn.index]?.rawName;
  const placed = new Set(functions.filter((fn) => fn.headLine > 0).map(rawName));
  // Seen at places the VM has no line for as well; one lens is enough.
  return functions.filter((fn) => fn.headLine !== 0 || !placed.has(rawName(fn)));
}

function mappedLine(view: DocumentView, fn: PlacedFunction, capturedLine: number): MappedLine {
  const inlinedFrom = view.inlinedFrom(fn, capturedLine);
  return {
    functionIndex: fn.index,
    capturedLine,
    ...view.map(fn, capturedLine),
    ...(inlinedFrom === undefined ? {} : { inlinedFrom }),
  };
}
