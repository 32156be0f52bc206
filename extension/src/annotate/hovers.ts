// Hovering over a line with samples.

import * as vscode from "vscode";
import type { CaptureStore } from "../captures/capture-store.js";
import { measureOf } from "../captures/measure.js";
import { COMMANDS } from "../contributions.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { heatLines } from "./document-heat.js";
import { hoverMarkdown, type HoverContext } from "./hover-text.js";

/** More on one line would fill the screen. */
const MOST_FUNCTIONS = 3;
/** Links carry the name: nobody names a function like this. */
const LONGEST_LINKED_NAME = 1000;

export class Hovers implements vscode.HoverProvider {
  constructor(
    private readonly captures: CaptureStore,
    private readonly mapper: FileMapper,
  ) {}

  async provideHover(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken): Promise<vscode.Hover | undefined> {
    const opened = this.captures.onSources;
    if (opened === undefined) return undefined;
    const mapped = await this.mapper.map(document, opened);
    if (mapped === undefined || token.isCancellationRequested) return undefined;
    const { capture } = opened;
    const line = heatLines(capture, mapped, { measure: measureOf(capture), busy: capture.totals.busy, minimumPercent: 0 }).find((there) => there.line === position.line + 1);
    if (line === undefined) return undefined;
    const groups = new Set(capture.blameChoices().flatMap(({ query, isGroup }) => (isGroup ? [query] : [])));
    const nameOf = (functionIndex: number) => capture.functions[functionIndex]?.name ?? "";
    const context: HoverContext = {
      capture,
      words: vscode.l10n,
      language: vscode.env.language,
      link: (functionIndex, at) => commandLink(COMMANDS.openSource, nameOf(functionIndex), { line: at }),
      workLink: (functionIndex, sampleClass) =>
        groups.has(sampleClass) ? commandLink(COMMANDS.showBlame, nameOf(functionIndex), { query: sampleClass }) : commandLink(COMMANDS.showFlameGraph, nameOf(functionIndex), {}),
    };
    const parts = line.places.slice(0, MOST_FUNCTIONS).map(({ functionIndex, capturedLine }) => hoverMarkdown(functionIndex, capture.placeDetail(functionIndex, capturedLine), line.state, context));
    const markdown = new vscode.MarkdownString(parts.join("\n\n---\n\n"));
    markdown.isTrusted = { enabledCommands: [COMMANDS.openSource, COMMANDS.showBlame, COMMANDS.showFlameGraph] };
    return new vscode.Hover(markdown, document.lineAt(position.line).range);
  }
}

function commandLink(command: string, functionName: string, rest: object): string {
  const given = functionName.length <= LONGEST_LINKED_NAME ? [{ functionName, ...rest }] : [{}];
  return `command:${command}?${encodeURIComponent(JSON.stringify(given))}`;
}
