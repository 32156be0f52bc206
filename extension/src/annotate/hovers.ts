// Hovering over a line with samples.

import * as vscode from "vscode";
import { escapeMarkdown } from "../../../contract/plain-text.js";
import type { CaptureStore } from "../captures/capture-store.js";
import { attributionAt, attributionOf, wholeNow } from "../captures/attribution.js";
import { blockedTimeRemark, pageFaultsRemark } from "../captures/quality.js";
import type { Baseline } from "../comparison/baseline.js";
import { COMMANDS, SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { ruleText } from "../sources/rule-use.js";
import { annotateSettings } from "./annotate-settings.js";
import { changeForHover, lineForHover } from "./change-text.js";
import { changedLines } from "./changed-lines.js";
import { heatLines, type HeatLine } from "./document-heat.js";
import { hasWholeLine, hoverMarkdown, lineMarkdown, otherTypesMarkdown, type HoverContext } from "./hover-text.js";

/** More on one line would fill the screen. */
const MOST_FUNCTIONS = 3;
/** Links carry the name. No real function has a name longer than this. */
const LONGEST_LINKED_NAME = 1000;

export class Hovers implements vscode.HoverProvider {
  constructor(
    private readonly captures: CaptureStore,
    private readonly mapper: FileMapper,
    private readonly baseline: Pick<Baseline, "changeOf" | "heldAgainst">,
  ) {}

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    const opened = this.captures.onSources;
    if (opened === undefined) return undefined;
    const mapped = await this.mapper.map(document, opened);
    if (mapped === undefined || token.isCancellationRequested) return undefined;
    const { capture } = opened;
    const attribution = attributionOf(capture);
    const lines = heatLines(capture, mapped, { attribution, whole: wholeNow(capture), minimumPercent: 0 });
    const hovered = position.line + 1;
    const others = (await this.mapper.otherLines(document, opened)).filter((there) => there.line === hovered);
    const line = lines.find((there) => there.line === hovered) ?? (others.length > 0 ? emptyLine(hovered) : undefined);
    if (line === undefined || token.isCancellationRequested) return undefined;
    const changes = await changedLines(document, opened, lines, attribution, {
      baseline: this.baseline,
      mapper: this.mapper,
    });
    const nameOf = (functionIndex: number) => capture.functions[functionIndex]?.name ?? "";
    const changesOf = line.places.map(({ functionIndex }) => this.baseline.changeOf(opened, functionIndex));
    const held = changesOf.find((since) => since !== undefined);
    const change = changes?.get(line.line);
    const { percentOf } = annotateSettings();
    const changeWords = { words: vscode.l10n, language: vscode.env.language, percentOf };
    const lineChange =
      held === undefined || change === undefined ? [] : [lineForHover(change, held.baseline, changeWords)];
    const isOfOne = !hasWholeLine(line);
    const context: HoverContext = {
      capture,
      words: vscode.l10n,
      language: vscode.env.language,
      minimumSamples: setting(SETTINGS.minimumSamples),
      percentOf,
      changeSince: (functionIndex) => {
        const since = this.baseline.changeOf(opened, functionIndex);
        if (since === undefined) return [];
        const ofFunction = changeForHover(
          since.change,
          attributionAt(capture, functionIndex),
          since.baseline,
          changeWords,
        );
        return [ofFunction, ...(isOfOne ? lineChange : [])];
      },
      link: (functionIndex, at) => commandLink(COMMANDS.openSource, nameOf(functionIndex), { line: at }),
      workLink: (functionIndex, sampleClass) =>
        capture.isBlameGroup(sampleClass)
          ? commandLink(COMMANDS.showBlame, nameOf(functionIndex), { query: sampleClass })
          : commandLink(COMMANDS.showFlameGraph, nameOf(functionIndex), {}),
    };
    const ofFunctions = [
      ...line.places.map(
        (place) => () =>
          hoverMarkdown(place, capture.placeDetail(place.functionIndex, place.capturedLine), line.state, context),
      ),
      ...others.map((place) => () => otherTypesMarkdown(place, place.state, context)),
    ];
    const parts = [
      ...(isOfOne ? [] : [lineMarkdown(line, lineChange, context)]),
      ...ofFunctions.slice(0, MOST_FUNCTIONS).map((markdown) => markdown()),
    ];
    // Once for all functions: these are about the capture, and about the file.
    const remarks = [
      blockedTimeRemark(capture.facts, vscode.l10n, vscode.env.language),
      pageFaultsRemark(capture.facts, vscode.l10n, vscode.env.language),
      mapped.rule === undefined ? "" : ruleText(mapped.rule, vscode.l10n),
    ];
    parts.push(...remarks.filter((text) => text !== "").map((text) => `_${escapeMarkdown(text)}_`));
    const markdown = new vscode.MarkdownString(parts.join("\n\n---\n\n"));
    markdown.isTrusted = { enabledCommands: [COMMANDS.openSource, COMMANDS.showBlame, COMMANDS.showFlameGraph] };
    return new vscode.Hover(markdown, document.lineAt(position.line).range);
  }
}

/** A line with samples of other types alone. */
function emptyLine(line: number): HeatLine {
  return { line, own: 0, self: 0, total: 0, level: 0, state: "exact", places: [] };
}

function commandLink(command: string, functionName: string, rest: object): string {
  const given = functionName.length <= LONGEST_LINKED_NAME ? [{ functionName, ...rest }] : [{}];
  return `command:${command}?${encodeURIComponent(JSON.stringify(given))}`;
}
