// The summary of one capture: the headline, the hottest own lines, and the next steps. Knows no editor: its surroundings are handed in.

import { percent } from "../../../../contract/figures.js";
import type { SummaryData, SummaryLine, ToHost, ToWebview } from "../../../../contract/messages/summary.js";
import { plainText, shownName, type Words } from "../../../../contract/plain-text.js";
import { hottestFunctions, headlineOf, type Headline } from "../../capture/answers/headline.js";
import type { Capture } from "../../capture/questions.js";
import { qualityProblems } from "../../captures/quality.js";
import { CaptureSession, type CaptureSessionHost } from "../capture-panel/capture-session.js";
import { captureHead, type ShownCapture } from "../capture-panel/shown-capture.js";
import { headlineWords } from "./headline-words.js";
import { adviceFor, isIdle, nextSteps } from "./next-steps.js";

/** A hot line of the user's own code, as it is now. */
export interface OwnLine {
  /** Path below the workspace folder, and line. */
  readonly place: string;
  readonly functionIndex: number;
  readonly samples: number;
  readonly text: string;
  open(): Promise<void>;
}

export interface SummaryHost extends CaptureSessionHost<ToWebview> {
  readonly words: Words;
  readonly language: string | undefined;
  minimumSamples(): number;
  /** The hottest lines of the capture that is shown now, the hottest first. */
  hottestLines(): Promise<readonly OwnLine[]>;
}

export const MOST_LINES = 5;
const LONGEST_LINE = 120;

interface FoundLines {
  readonly capture: Capture;
  readonly lines: readonly OwnLine[];
}

export class SummarySession extends CaptureSession<ToHost, ToWebview, SummaryHost> {
  #found: FoundLines | undefined;
  #isLooking = false;
  #shown: SummaryData | undefined;

  override receive(message: ToHost): void {
    if (message.type === "ready") this.schedule.pageReady();
  }

  /** The content of the page; undefined before there was any. */
  get shown(): SummaryData | undefined {
    return this.#shown;
  }

  line(index: unknown): OwnLine | undefined {
    return typeof index === "number" ? this.#found?.lines[index] : undefined;
  }

  protected override build(shown: ShownCapture): void {
    // The lines come later, as files are read for them. Without lines of this capture, the rest does not wait for them.
    if (this.#isLooking || this.#found?.capture !== shown.capture) this.#post(shown);
    if (!this.#isLooking) void this.#look(shown.capture);
  }

  async #look(capture: Capture): Promise<void> {
    this.#isLooking = true;
    try {
      this.#found = { capture, lines: (await this.host.hottestLines()).slice(0, MOST_LINES) };
    } catch (error) {
      this.host.problem(error);
    }
    this.#isLooking = false;
    const now = this.host.current();
    if (now === undefined) return;
    // Another capture came during the search.
    if (now.capture === capture) this.#post(now);
    else this.schedule.now();
  }

  #post(shown: ShownCapture): void {
    const { capture, attribution } = shown;
    const { words, language } = this.host;
    const headline = headlineOf(capture, attribution);
    const lines = this.#found?.capture === capture ? this.#found.lines : null;
    this.#shown = {
      type: "data",
      ...captureHead(shown),
      minimumSamples: this.host.minimumSamples(),
      headline: headlineWords(headline, {
        functions: capture.functions,
        totals: capture.totals,
        percentOf: shown.percentOf,
        isWaits: capture.facts.waits !== undefined,
        minimumSamples: this.host.minimumSamples(),
        words,
        language,
      }),
      details: this.#details(shown, headline),
      split: capture.classSplit(),
      lines: lines && lines.map((line) => this.#shownLine(shown, line)),
      functions:
        lines?.length === 0
          ? hottestFunctions(capture, attribution, MOST_LINES).map((fn) => ({
              ...fn,
              name: shownName(capture.functions[fn.functionIndex]?.name ?? ""),
            }))
          : [],
      steps: nextSteps(
        {
          largest: headline.kinds[0]?.sampleClass,
          hasLines: lines !== null && lines.length > 0,
          mostlyIdle: isIdle(capture.totals),
          // Until the lines are known, the sources may be there.
          hasSources: lines !== null && capture.facts.isOwn,
        },
        words,
      ),
      problems: capture.facts.quality === null ? [] : qualityProblems(capture.facts.quality, words, language),
    };
    this.host.post(this.#shown);
  }

  #details({ capture }: ShownCapture, { kinds }: Headline): string[] {
    const { words, language, minimumSamples } = this.host;
    const { samples, busy } = capture.totals;
    const idle = isIdle(capture.totals)
      ? words.t("The schedulers were idle in {0} of all samples.", percent(samples - busy, samples, language, "whole"))
      : "";
    const queue = capture.facts.runQueue;
    const waiting =
      queue !== undefined && queue.mean >= 1
        ? words.t(
            "On average {0} processes waited for a scheduler.",
            queue.mean.toLocaleString(language, { maximumFractionDigits: 1 }),
          )
        : "";
    const advice = busy < minimumSamples() ? "" : adviceFor(kinds[0]?.sampleClass, words);
    return [idle, waiting, advice].filter((text) => text !== "");
  }

  #shownLine({ capture }: ShownCapture, { place, functionIndex, samples, text }: OwnLine): SummaryLine {
    return {
      place: plainText(place, 200),
      name: shownName(capture.functions[functionIndex]?.name ?? ""),
      samples,
      text: plainText(text, LONGEST_LINE),
    };
  }
}
