// A lens above each hot function.

import * as vscode from "vscode";
import { plainText, withoutIcons } from "../../../contract/plain-text.js";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { attributionAt, minimumNow, wholeNow } from "../captures/attribution.js";
import { blockedTimeRemark, pageFaultsRemark } from "../captures/quality.js";
import type { Baseline } from "../comparison/baseline.js";
import { COMMANDS, SETTINGS } from "../contributions.js";
import { later } from "../later.js";
import { setting } from "../settings.js";
import type { FileMapper, MappedFile, MappedFunction } from "../sources/mapped-file.js";
import { annotateSettings } from "./annotate-settings.js";
import { changeForLens } from "./change-text.js";
import { baseText, generatedFrom, lensText, tooFewText, type FigureFormat } from "./figures.js";
import { leastShown } from "./heat-level.js";
import { LensChoice, type LensCandidate } from "./lens-choice.js";
import { LensRequests } from "./lens-requests.js";
import { otherTypesOf } from "./type-figures.js";

/** Characters of what a function was called. */
const LONGEST_FORMER_NAME = 80;

export class Lenses implements vscode.CodeLensProvider {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** The last lenses of each document, as text: unchanged lenses are not requested again, so nothing flickers. */
  readonly #given = new Map<string, string>();
  readonly #choice = new LensChoice();
  readonly #requests = new LensRequests(() => this.#changed.fire(), later);

  constructor(
    private readonly captures: CaptureStore,
    private readonly mapper: FileMapper,
    private readonly baseline: Pick<Baseline, "changeOf">,
  ) {}

  async provideCodeLenses(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    const lenses = await this.#lensesOf(document);
    if (token.isCancellationRequested) return lenses;
    this.#given.set(document.uri.toString(), print(lenses));
    this.#requests.answered(document.uri.toString());
    return lenses;
  }

  /** To be called when samples, settings or the capture in view changed. */
  async refresh(documents: readonly vscode.TextDocument[]): Promise<void> {
    const changed: string[] = [];
    for (const document of documents) {
      const lenses = await this.#lensesOf(document);
      const address = document.uri.toString();
      if (print(lenses) !== (this.#given.get(address) ?? "")) changed.push(address);
    }
    this.#requests.changed(changed);
  }

  /** To be called when settings changed: which functions are hot is decided anew. */
  chooseAnew(): void {
    this.#choice.forgetAll();
  }

  forget(document: vscode.TextDocument): void {
    this.#given.delete(document.uri.toString());
    this.#choice.forget(document.uri.toString());
  }

  dispose(): void {
    this.#requests.dispose();
    this.#changed.dispose();
  }

  async #lensesOf(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const opened = this.captures.onSources;
    if (opened === undefined || !annotateSettings().codeLens) return [];
    const mapped = await this.mapper.map(document, opened);
    if (mapped === undefined) return [];
    const chosen = this.#choice.of(document.uri.toString(), candidates(document, opened, mapped), {
      capture: opened,
      live: opened.live,
      nowMs: performance.now(),
      cursorLine: cursorLine(document),
    });
    const lenses = mapped.functions
      .filter(({ functionIndex, line }) => chosen.has(functionIndex) && isInText(line, document))
      .map((place) => lensFor(opened, place, mapped, this.baseline));
    return lenses.length === 0 || mapped.fit === "same" ? lenses : [driftLens(mapped), ...lenses];
  }
}

/** The lowest cursor of the document. */
function cursorLine(document: vscode.TextDocument): number {
  const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
  return Math.max(0, ...editors.map(({ selection }) => selection.active.line + 1));
}

function isInText(line: number, document: vscode.TextDocument): boolean {
  return line > 0 && line <= document.lineCount;
}

/** The functions with samples in the text as it is now. */
function candidates(document: vscode.TextDocument, opened: OpenCapture, mapped: MappedFile): LensCandidate[] {
  const { codeLensMinimumPercent } = annotateSettings();
  const { capture } = opened;
  const wanted = (codeLensMinimumPercent / 100) * wholeNow(capture);
  const all = mapped.functions
    .map((place) => ({ place, counts: capture.functionCounts(place.functionIndex) }))
    .filter(({ counts }) => counts.total > 0);
  // Of the functions that are gone as well: which others have a lens is not changed by an edit.
  const leastOwn = leastShown(
    all.map(({ counts }) => counts.own).filter((own) => own > 0),
    wanted,
  );
  return all
    .filter(({ place }) => isInText(place.line, document))
    .map(({ place: { functionIndex, line }, counts }) => ({
      functionIndex,
      line,
      heat: Math.max(counts.total / wanted, counts.own > 0 ? counts.own / leastOwn : 0),
    }));
}

function lensFor(
  opened: OpenCapture,
  { functionIndex, line, formerName }: MappedFunction,
  { lines, fit }: MappedFile,
  baseline: Pick<Baseline, "changeOf">,
): vscode.CodeLens {
  const { capture } = opened;
  const { language } = vscode.env;
  const format: FigureFormat = {
    words: vscode.l10n,
    language,
    minimumSamples: minimumNow(capture),
    percentOf: annotateSettings().percentOf,
    unit: capture.facts.unit,
  };
  const { name = "", rawName = "" } = capture.functions[functionIndex] ?? {};
  const counts = capture.functionCounts(functionIndex);
  const minimumSamples = setting(SETTINGS.minimumSamples);
  const others = otherTypesOf(functionIndex, { ...format, capture, minimumSamples });
  const attribution = attributionAt(capture, functionIndex);
  const figures = lensText(counts, attribution, wholeNow(capture), format);
  const generated = generatedFrom(rawName);
  const gone = lines.filter((mapped) => mapped.functionIndex === functionIndex && mapped.state === "gone").length;
  const since = baseline.changeOf(opened, functionIndex);
  const changed =
    since === undefined ? "" : changeForLens(since.change, attribution, since.baseline, vscode.l10n, language);
  const parts = [
    generated === null
      ? figures
      : generated === "fun"
        ? vscode.l10n.t("fun: {0}", figures)
        : vscode.l10n.t("comprehension: {0}", figures),
    ...(formerName === undefined ? [] : [vscode.l10n.t("was {0}", plainText(formerName, LONGEST_FORMER_NAME))]),
    ...(changed === "" ? [] : [changed]),
    ...(gone > 0
      ? [gone === 1 ? vscode.l10n.t("1 hot line is gone") : vscode.l10n.t("{0} hot lines are gone", gone)]
      : []),
  ];
  const tooltip = [
    plainText(name),
    baseText(format),
    vscode.l10n.t(
      "Own: this function, including the libraries, OTP, C code and kernel functions that it called. Self: this function and the C code it called. Total: this function and everything it called.",
    ),
    ...others,
    tooFewText([figures, ...others].join("\n"), minimumSamples, vscode.l10n),
    blockedTimeRemark(capture.facts, vscode.l10n, language),
    pageFaultsRemark(capture.facts, vscode.l10n, language),
    fit === "differs" ? vscode.l10n.t("This file differs from the text that the VM runs.") : "",
  ]
    .filter((text) => text !== "")
    .join("\n");
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
      ? vscode.l10n.t("This file differs from the text that the VM runs: lines may be off")
      : vscode.l10n.t("Edited since the VM's code was compiled: {0} of {1} hot lines changed", changed, lines.length);
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
    title: `$(info) ${title}`,
    command: COMMANDS.showTop,
    tooltip: vscode.l10n.t("Heat follows the text. Lines that are gone count for their function."),
  });
}

/** With the tooltips, whose figures may change alone. */
function print(lenses: readonly vscode.CodeLens[]): string {
  return lenses
    .map(({ range, command }) => `${String(range.start.line)} ${command?.title ?? ""}\n${command?.tooltip ?? ""}`)
    .join("\n");
}
