// A lens above each hot function.

import * as vscode from "vscode";
import { plainText, withoutIcons } from "../../../contract/plain-text.js";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { measureAt } from "../captures/measure.js";
import type { Baseline } from "../comparison/baseline.js";
import { COMMANDS } from "../contributions.js";
import type { FileMapper, MappedFile, MappedFunction } from "../sources/mapped-file.js";
import { annotateSettings } from "./annotate-settings.js";
import { changeForLens } from "./change-text.js";
import { generatedFrom, lensText } from "./figures.js";
import { leastShown } from "./heat-level.js";

export class Lenses implements vscode.CodeLensProvider {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** The lenses of each document as last given, as text: what did not change is not asked for again, so nothing flickers. */
  readonly #given = new Map<string, string>();

  constructor(
    private readonly captures: CaptureStore,
    private readonly mapper: FileMapper,
    private readonly baseline: Pick<Baseline, "changeOf">,
  ) {}

  async provideCodeLenses(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    const lenses = await this.#lensesOf(document);
    if (!token.isCancellationRequested) this.#given.set(document.uri.toString(), print(lenses));
    return lenses;
  }

  /** To be called when samples, settings or the capture in view changed. */
  async refresh(documents: readonly vscode.TextDocument[]): Promise<void> {
    for (const document of documents) {
      const lenses = await this.#lensesOf(document);
      if (print(lenses) === (this.#given.get(document.uri.toString()) ?? "")) continue;
      // One event has the editor ask for all documents.
      this.#changed.fire();
      return;
    }
  }

  forget(document: vscode.TextDocument): void {
    this.#given.delete(document.uri.toString());
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #lensesOf(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const opened = this.captures.onSources;
    if (opened === undefined || !annotateSettings().codeLens) return [];
    const mapped = await this.mapper.map(document, opened);
    return mapped === undefined ? [] : lensesFor(document, opened, mapped, this.baseline);
  }
}

function lensesFor(document: vscode.TextDocument, opened: OpenCapture, mapped: MappedFile, baseline: Pick<Baseline, "changeOf">): vscode.CodeLens[] {
  const { codeLensMinimumPercent } = annotateSettings();
  const { capture } = opened;
  const wanted = (codeLensMinimumPercent / 100) * capture.totals.busy;
  const all = mapped.functions.map((place) => ({ place, counts: capture.functionCounts(place.functionIndex) })).filter(({ counts }) => counts.total > 0);
  // Of the functions that are gone as well: which others have a lens is not changed by an edit.
  const leastOwn = leastShown(
    all.map(({ counts }) => counts.own).filter((own) => own > 0),
    wanted,
  );
  const lenses = all
    .filter(({ place, counts }) => place.line > 0 && place.line <= document.lineCount && (counts.total >= wanted || (counts.own > 0 && counts.own >= leastOwn)))
    .map(({ place }) => lensFor(opened, place, mapped, baseline));
  const first = lenses[0];
  if (first === undefined || mapped.fit === "same") return lenses;
  return [driftLens(mapped), ...lenses];
}

function lensFor(opened: OpenCapture, { functionIndex, line }: MappedFunction, { lines, fit }: MappedFile, baseline: Pick<Baseline, "changeOf">): vscode.CodeLens {
  const { capture } = opened;
  const { minimumSamples } = annotateSettings();
  const { language } = vscode.env;
  const { name = "", rawName = "" } = capture.functions[functionIndex] ?? {};
  const counts = capture.functionCounts(functionIndex);
  const figures = lensText(counts, measureAt(capture, functionIndex), capture.totals.busy, { words: vscode.l10n, language, minimumSamples });
  const generated = generatedFrom(rawName);
  const gone = lines.filter((mapped) => mapped.functionIndex === functionIndex && mapped.state === "gone").length;
  const since = baseline.changeOf(opened, functionIndex);
  const changed = since === undefined ? "" : changeForLens(since.change, measureAt(capture, functionIndex), since.baseline, vscode.l10n, language);
  const parts = [
    generated === null ? figures : generated === "fun" ? vscode.l10n.t("fun: {0}", figures) : vscode.l10n.t("comprehension: {0}", figures),
    ...(changed === "" ? [] : [changed]),
    ...(gone > 0 ? [gone === 1 ? vscode.l10n.t("1 hot line is gone") : vscode.l10n.t("{0} hot lines are gone", gone)] : []),
  ];
  const tooltip = [
    plainText(name),
    vscode.l10n.t(
      "Shares of all samples but idle ones. Own: in this function, and in what it called of libraries, OTP, C code and the kernel. Self: in this function and the C code it called. Total: and in all it called.",
    ),
    ...(counts.total < minimumSamples ? [vscode.l10n.t("≈ Too few samples to trust: fewer than {0}. Capture longer, or with more samples per second.", minimumSamples)] : []),
    ...(fit === "differs" ? [vscode.l10n.t("This file differs from what the VM runs.")] : []),
  ].join("\n");
  return new vscode.CodeLens(new vscode.Range(line - 1, 0, line - 1, 0), {
    title: withoutIcons(parts.join(" · ")),
    tooltip,
    command: COMMANDS.functionMenu,
    arguments: [{ functionName: name }],
  });
}

/** Once per file, where it begins. */
function driftLens({ fit, lines }: MappedFile): vscode.CodeLens {
  const changed = lines.filter(({ state }) => state === "changed" || state === "gone").length;
  const title =
    fit === "differs"
      ? vscode.l10n.t("This file differs from what the VM runs: lines may be off")
      : vscode.l10n.t("Edited since the VM's code was compiled: {0} of {1} hot lines changed", changed, lines.length);
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
    title: `$(info) ${title}`,
    command: COMMANDS.showTop,
    tooltip: vscode.l10n.t("Heat follows the text. Lines that are gone count with their function."),
  });
}

function print(lenses: readonly vscode.CodeLens[]): string {
  return lenses.map(({ range, command }) => `${String(range.start.line)} ${command?.title ?? ""}`).join("\n");
}
