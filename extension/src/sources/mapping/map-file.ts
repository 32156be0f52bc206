import type { Capture } from "../../capture/questions.js";
import type { DocumentView } from "./document-view.js";
import type { MappedFile, MappedFunction, MappedLine } from "../mapped-file.js";

/** Functions and lines with samples, in the lines of today's text. */
export function mapFile(capture: Capture, view: DocumentView): MappedFile {
  const functions: MappedFunction[] = [];
  const lines: MappedLine[] = [];
  const placed = new Set(
    view.functions.filter((fn) => fn.headLine > 0).map((fn) => capture.functions[fn.index]?.rawName),
  );
  for (const fn of view.functions) {
    // Seen at places the VM has no line for as well; one lens is enough.
    if (fn.headLine === 0 && placed.has(capture.functions[fn.index]?.rawName)) continue;
    const line = view.headLine(fn);
    const formerName = view.formerName(fn);
    functions.push({
      functionIndex: fn.index,
      line,
      endLine: fn.isInner ? line : Math.max(line, line === 0 ? 0 : view.endLine(fn)),
      ...(formerName === undefined ? {} : { formerName }),
    });
    for (const { line: capturedLine } of capture.functionLines(fn.index)) {
      if (capturedLine <= 0) continue;
      const inlinedFrom = view.inlinedFrom(fn, capturedLine);
      lines.push({
        functionIndex: fn.index,
        capturedLine,
        ...view.map(fn, capturedLine),
        ...(inlinedFrom === undefined ? {} : { inlinedFrom }),
      });
    }
  }
  return {
    functions: functions.sort((a, b) => a.line - b.line),
    lines: lines.sort((a, b) => a.line - b.line),
    fit: view.fit,
    ...(view.rule === undefined ? {} : { rule: view.rule }),
  };
}
