// Hovering over a line with samples.

import * as vscode from "vscode";
import type { CaptureStore } from "../captures/capture-store.js";
import { COMMANDS } from "../contributions.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { heatLines } from "./document-heat.js";
import { hoverMarkdown } from "./hover-text.js";

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
    const opened = this.captures.current;
    if (opened === undefined) return undefined;
    const mapped = await this.mapper.map(document, opened);
    if (mapped === undefined || token.isCancellationRequested) return undefined;
    const { capture } = opened;
    const line = heatLines(capture, mapped, { busy: capture.totals.busy, minimumPercent: 0 }).find((there) => there.line === position.line + 1);
    if (line === undefined) return undefined;
    const context = { capture, words: vscode.l10n, language: vscode.env.language, link: (functionIndex: number, at: number) => openSourceLink(capture.functions[functionIndex]?.name ?? "", at) };
    const parts = line.places.slice(0, MOST_FUNCTIONS).map(({ functionIndex, capturedLine }) => hoverMarkdown(functionIndex, capture.placeDetail(functionIndex, capturedLine), line.state, context));
    const markdown = new vscode.MarkdownString(parts.join("\n\n---\n\n"));
    markdown.isTrusted = { enabledCommands: [COMMANDS.openSource] };
    return new vscode.Hover(markdown, document.lineAt(position.line).range);
  }
}

function openSourceLink(functionName: string, line: number): string {
  const given = functionName.length <= LONGEST_LINKED_NAME ? [{ functionName, line }] : [{}];
  return `command:${COMMANDS.openSource}?${encodeURIComponent(JSON.stringify(given))}`;
}
