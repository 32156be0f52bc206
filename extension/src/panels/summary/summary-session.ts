// The summary of one capture, as long as its page is open. Knows no editor: its surroundings are handed in.

import type { SummaryData, ToHost, ToWebview } from "../../../../contract/messages/summary.js";
import type { Words } from "../../../../contract/plain-text.js";
import { leastSamples } from "../../../../contract/sample-type-words.js";
import type { Capture } from "../../capture/questions.js";
import { CaptureSession, type CaptureSessionHost } from "../capture-panel/capture-session.js";
import type { ShownCapture } from "../capture-panel/shown-capture.js";
import { MOST_LINES, summaryOf, type OwnLine } from "./summary-data.js";

export interface SummaryHost extends CaptureSessionHost<ToWebview> {
  readonly words: Words;
  readonly language: string | undefined;
  minimumSamples(): number;
  /** The hottest lines of the capture that is shown now, the hottest first. */
  hottestLines(): Promise<readonly OwnLine[]>;
}

interface FoundLines {
  readonly capture: Capture;
  /** Of the samples that were shown during the search. */
  readonly unit: string;
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
    if (this.#isLooking || !isOf(this.#found, shown.capture)) this.#post(shown);
    if (!this.#isLooking) void this.#look(shown.capture);
  }

  async #look(capture: Capture): Promise<void> {
    this.#isLooking = true;
    const { unit } = capture.facts;
    try {
      this.#found = { capture, unit, lines: (await this.host.hottestLines()).slice(0, MOST_LINES) };
    } catch (error) {
      this.host.problem(error);
    }
    this.#isLooking = false;
    const now = this.host.current();
    if (now === undefined) return;
    // Another capture came during the search, or another type of its samples.
    if (now.capture === capture && capture.facts.unit === unit) this.#post(now);
    else this.schedule.now();
  }

  #post(shown: ShownCapture): void {
    const lines = isOf(this.#found, shown.capture) ? this.#found.lines : null;
    this.#shown = summaryOf(shown, lines, {
      minimumSamples: leastSamples(this.host.minimumSamples(), shown.capture.facts.unit),
      words: this.host.words,
      language: this.host.language,
    });
    this.host.post(this.#shown);
  }
}

function isOf(found: FoundLines | undefined, capture: Capture): found is FoundLines {
  return found?.capture === capture && found.unit === capture.facts.unit;
}
