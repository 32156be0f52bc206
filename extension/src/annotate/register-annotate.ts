import * as vscode from "vscode";
import type { Parts } from "../parts.js";
import { SOURCE_GLOB } from "../sources/module-file.js";
import type { Sources } from "../sources/sources.js";
import { Annotator } from "./annotator.js";
import { DocumentHeats } from "./document-heats.js";
import { DriftStatus } from "./drift-status.js";
import { Figures } from "./figures.js";
import { HeatPainter } from "./heat-painter.js";
import { HeatLenses } from "./lens-provider.js";

/** Heat on sources: lenses, marks, hovers, and the commands about them. */
export function registerAnnotate(parts: Parts, sources: Sources): void {
  const { context, captures, log } = parts;
  const figures = new Figures(vscode.env.language);
  const heats = new DocumentHeats(captures, sources.views);
  const lenses = new HeatLenses(heats, figures);
  const painter = new HeatPainter(context, heats, figures);
  const status = new DriftStatus(heats, figures);
  // By file name: without a language extension Erlang files are plain text.
  const selector: vscode.DocumentSelector = { scheme: "file", pattern: SOURCE_GLOB };
  context.subscriptions.push(heats, lenses, painter, status, new Annotator(captures, sources, lenses, painter, status, log), vscode.languages.registerCodeLensProvider(selector, lenses));
}
