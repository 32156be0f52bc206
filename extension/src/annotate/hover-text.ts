// The text of the hover on a hot line, as Markdown. Names come from a VM: each is escaped. No vscode in here.

import { wholeOf } from "../../../contract/capture-answers.js";
import { count, marked, percent } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, type Words } from "../../../contract/plain-text.js";
import { classWordsOf } from "../../../contract/sample-classes.js";
import type { SampleClass } from "../../../contract/protocol.generated.js";
import { leastSamples } from "../../../contract/sample-type-words.js";
import type { CalledShare, NeighbourCounts, PlaceDetail, TypedAnswers } from "../capture/questions.js";
import { otherTypes } from "../captures/other-types.js";
import type { LineState } from "../sources/mapped-file.js";
import type { HeatLine, HeatPlace } from "./document-heat.js";
import { hoverFigures, sumFigures, tooFewText } from "./figures.js";
import { typeFigures, type TypeContext } from "./type-figures.js";

const BAR_CELLS = 20;
const NEIGHBOURS = 5;
/** Rows of what own time went to, the last one for all others: with more of them the editor would cut off who calls the line. */
const MOST_CALLED_ROWS = 6;

export interface HoverContext extends TypeContext {
  /** What changed since the baseline, at the function and at the line; absent or empty without one. */
  changeSince?(functionIndex: number): readonly string[];
  /** A `command:` link that opens the function at the line. */
  link(functionIndex: number, line: number): string;
  /** A `command:` link that shows what work of a class the function causes. */
  workLink(functionIndex: number, sampleClass: SampleClass): string;
}

/** A function's part of a line; the whole function without a line. */
type HoverPlace = Pick<HeatPlace, "functionIndex" | "inlinedFrom"> & Partial<Pick<HeatPlace, "capturedLine">>;

/** Whether a line has figures of its own: several functions have a part in it, or the compiler has put it into another one. */
export function hasWholeLine({ places }: Pick<HeatLine, "places">): boolean {
  return places.length > 1 || places.some(({ inlinedFrom }) => inlinedFrom !== undefined);
}

/** A whole line: the sum that its mark stands for, and where it is. @param changes what changed at it since the baseline */
export function lineMarkdown(
  line: HeatLine,
  changes: readonly string[],
  { capture, words, language, minimumSamples, percentOf }: HoverContext,
): string {
  const { places } = line;
  const { unit } = capture.facts;
  // Own and self time of a sample are on one line of one function: these add up, totals do not.
  const isOwn = places.some(({ functionIndex }) => capture.isOwnCode(functionIndex));
  const sum = sumFigures(isOwn ? line.own : line.self, isOwn ? "own" : "self", wholeOf(capture.totals, percentOf), {
    words,
    language,
    minimumSamples: leastSamples(minimumSamples, unit),
    percentOf,
    unit,
  });
  const title = words.t("Line {0}", count(line.line, language));
  const whole = `**${escapeMarkdown(title)}** · ${escapeMarkdown(`${sum} · ${placesText(places, words, language)}`)}`;
  return [whole, ...changes.map((changed) => escapeMarkdown(words.t("Compared with {0}", changed)))].join("\n\n");
}

/** `in 3 functions`, and where all of them have it of one that was inlined: `handle_event/3 is inlined into 3 functions`. */
function placesText(places: readonly HeatPlace[], words: Words, language: string | undefined): string {
  const all = count(places.length, language);
  const [name, ...others] = new Set(places.map(({ inlinedFrom }) => inlinedFrom));
  if (name === undefined || others.length > 0) return words.t("in {0} functions", all);
  const shown = plainText(name, 120);
  return places.length === 1
    ? words.t("{0} is inlined into 1 function", shown)
    : words.t("{0} is inlined into {1} functions", shown, all);
}

/** One function's part of a line. */
export function hoverMarkdown(place: HoverPlace, detail: PlaceDetail, state: LineState, context: HoverContext): string {
  const { functionIndex } = place;
  const { capture, words, language, percentOf } = context;
  const whole = wholeOf(capture.totals, percentOf);
  const own = capture.isOwnCode(functionIndex) ? detail.own : null;
  const { unit } = capture.facts;
  const minimumSamples = leastSamples(context.minimumSamples, unit);
  const figures = hoverFigures({ ...detail, own }, whole, { words, language, minimumSamples, percentOf, unit });
  const others = otherTypesAt(place, context);
  const split = [
    detail.own > 0 ? calledTable(functionIndex, detail, context) : detail.self > 0 ? classTable(detail, context) : "",
    neighbours(words.t("Called from"), detail.callers, detail.total, context),
    detail.own > 0 ? "" : neighbours(words.t("Calls"), detail.callees, detail.total, context),
  ];
  // The mark is explained wherever one of the shares has it.
  const tooFew = tooFewText([figures, ...others, ...split].join("\n"), context.minimumSamples, words);
  const parts = [titleOf(place, context), escapeMarkdown(figures), ...others, escapeMarkdown(tooFew)];
  for (const changed of context.changeSince?.(functionIndex) ?? [])
    parts.push(escapeMarkdown(words.t("Compared with {0}", changed)));
  return [...parts, driftOf(state, context), ...split].filter((part) => part !== "").join("\n\n");
}

/** The same where there is nothing of the type that is shown; empty where there is nothing of any. */
export function otherTypesMarkdown(place: HoverPlace, state: LineState, context: HoverContext): string {
  const others = otherTypesAt(place, context);
  if (others.length === 0) return "";
  const tooFew = tooFewText(others.join("\n"), context.minimumSamples, context.words);
  return [titleOf(place, context), ...others, escapeMarkdown(tooFew), driftOf(state, context)]
    .filter((part) => part !== "")
    .join("\n\n");
}

function titleOf({ functionIndex, inlinedFrom }: HoverPlace, { capture, words }: HoverContext): string {
  const name = plainText(capture.functions[functionIndex]?.name ?? "", 120);
  const shown = `**${escapeMarkdown(name)}**`;
  return inlinedFrom === undefined ? shown : `${escapeMarkdown(words.t("inlined into"))} ${shown}`;
}

function driftOf(state: LineState, { words }: HoverContext): string {
  const drift = stateText(state, words);
  return drift === "" ? "" : `_${escapeMarkdown(drift)}_`;
}

/** What a place has of each type that is not shown, with the function that has the largest part of it. */
function otherTypesAt({ functionIndex, capturedLine }: HoverPlace, context: HoverContext): string[] {
  return otherTypes(context.capture).flatMap((answers) => {
    const detail = answers.placeDetail(functionIndex, capturedLine);
    const figures = typeFigures(answers, functionIndex, detail, context);
    if (figures === "") return [];
    const largest = largestPart(detail, answers, context);
    return [[escapeMarkdown(figures), ...(largest === "" ? [] : [largest])].join(" · ")];
  });
}

/** `97.7% of it in prim_file:sync/1`: of own time the function that was called, else the next one. Empty where that is none of Erlang. */
function largestPart(
  { own, total, called, callees }: PlaceDetail,
  { unit }: TypedAnswers,
  context: HoverContext,
): string {
  const { capture, words, link } = context;
  const [largest] = own > 0 ? called : callees;
  if (largest === undefined) return "";
  const { functionIndex, samples } = largest;
  const { kind, name: fullName } = capture.functions[functionIndex] ?? { kind: "marker", name: "" };
  if (kind !== "erlang" && kind !== "bif") return "";
  const share = escapeMarkdown(shareText(samples, own > 0 ? own : total, context, unit));
  const name = escapeMarkdown(plainText(fullName, 80));
  return words.t("{0} of it in {1}", share, `[${name}](${link(functionIndex, 0)})`);
}

/** What drift did to a line; empty when nothing. */
export function stateText(state: LineState, words: Words): string {
  switch (state) {
    case "exact":
    case "moved":
      return "";
    case "changed":
      return words.t("This line was edited after the VM's code was compiled: the figures are of the line as it was.");
    case "gone":
      return words.t("The line is gone.");
    case "unknown":
      return words.t("This file differs from the text that the VM runs, so the line may not be the right one.");
  }
}

function classTable({ self, classes }: PlaceDetail, context: HoverContext): string {
  const { words } = context;
  const wordsOf = classWordsOf(words);
  const rows = classes
    .filter(({ samples }) => samples > 0)
    .map(({ sampleClass, samples }) => shareRow(escapeMarkdown(wordsOf(sampleClass).name), samples, self, context));
  return table(words.t("Its own time"), rows);
}

/** What the time of own code went to: functions it called, and what the VM did for it. */
function calledTable(functionIndex: number, { own, called }: PlaceDetail, context: HoverContext): string {
  const { words, language } = context;
  const most = called.length > MOST_CALLED_ROWS ? MOST_CALLED_ROWS - 1 : MOST_CALLED_ROWS;
  const shown = called.slice(0, most);
  const rest = called.slice(most).reduce((sum, { samples }) => sum + samples, 0);
  const rows = shown.map((share) => shareRow(calledText(functionIndex, share, context), share.samples, own, context));
  if (rest > 0)
    rows.push(
      shareRow(escapeMarkdown(words.t("{0} others", count(called.length - most, language))), rest, own, context),
    );
  return table(words.t("Own time spent in"), rows);
}

function calledText(
  caller: number,
  { functionIndex, sampleClass }: CalledShare,
  { capture, words, link, workLink }: HoverContext,
): string {
  if (functionIndex >= 0)
    return `[${escapeMarkdown(plainText(capture.functions[functionIndex]?.name ?? "", 80))}](${link(functionIndex, 0)})`;
  const text = escapeMarkdown(
    sampleClass === "erlang" ? words.t("the function itself") : classWordsOf(words)(sampleClass).name,
  );
  return sampleClass === null || sampleClass === "erlang" ? text : `[${text}](${workLink(caller, sampleClass)})`;
}

function shareRow(name: string, samples: number, of: number, context: HoverContext): string {
  // Empty for what rounds to nothing: the share beside it has the figure.
  const cells = Math.round((samples / of) * BAR_CELLS);
  return `| ${name} | ${escapeMarkdown(shareText(samples, of, context))} | ${"█".repeat(Math.min(cells, BAR_CELLS))} |`;
}

/** With `≈` before the share of too few samples. */
function shareText(
  samples: number,
  of: number,
  { capture, language, minimumSamples }: HoverContext,
  unit = capture.facts.unit,
): string {
  return marked(percent(samples, of, language, "tenths"), samples, leastSamples(minimumSamples, unit));
}

function table(title: string, rows: readonly string[]): string {
  return rows.length === 0 ? "" : [`| ${escapeMarkdown(title)} | | |`, "|:--|--:|:--|", ...rows].join("\n");
}

function neighbours(title: string, all: readonly NeighbourCounts[], total: number, context: HoverContext): string {
  if (all.length === 0) return "";
  const shown = all.slice(0, NEIGHBOURS).map(({ functionIndex, line, samples }) => {
    const name = escapeMarkdown(plainText(context.capture.functions[functionIndex]?.name ?? "", 80));
    return `[${name}](${context.link(functionIndex, line)}) ${escapeMarkdown(shareText(samples, total, context))}`;
  });
  const more = all.length > NEIGHBOURS ? escapeMarkdown(` … +${String(all.length - NEIGHBOURS)}`) : "";
  return `${escapeMarkdown(title)}: ${shown.join(" · ")}${more}`;
}
