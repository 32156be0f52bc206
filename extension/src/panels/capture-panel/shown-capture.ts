// The capture that a panel shows, as its page receives it.

import type { Attribution, PercentOf } from "../../../../contract/capture-answers.js";
import type { CaptureHead, EmptyPage } from "../../../../contract/messages/any-page.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { CodeOrigin } from "../../sources/source-navigator.js";
import type { Capture, CaptureFacts } from "../../capture/questions.js";

export interface ShownCapture {
  readonly capture: Capture;
  readonly title: string;
  readonly live: boolean;
  readonly uri: string;
  /** The attribution of the views. */
  readonly attribution: Attribution;
  /** The base of percentages. */
  readonly percentOf: PercentOf;
  /** Shares of fewer samples are marked. */
  readonly minimumSamples: number;
  /** Whose code a function is, as far as that is known. */
  originOf(functionIndex: number): CodeOrigin | undefined;
}

export function captureHead({ capture, title, live, uri, percentOf, minimumSamples }: ShownCapture): CaptureHead {
  const { samples, busy } = capture.totals;
  return { uri, title, live, unit: capture.facts.unit, samples, busy, percentOf, minimumSamples };
}

/** The texts of all capture panels. */
export interface CaptureTexts {
  readonly noCapture: string;
  /** Why a capture that is over has none. */
  noSamples(facts: CaptureFacts): string;
  noSamplesYet(facts: CaptureFacts): string;
  /** The end of the file is missing, and all samples with it. */
  readonly noSamplesLeft: string;
  failed(reason: string): string;
  /** A remark on all figures of a capture; empty for none. */
  remark(facts: CaptureFacts): string;
}

/** The page instead of a capture's data, for no capture and for one without samples. */
export function emptyPage(shown: ShownCapture | undefined, texts: CaptureTexts): EmptyPage {
  if (!shown) return { type: "empty", text: texts.noCapture, actions: ["attach", "openCapture"] };
  return {
    type: "empty",
    text: shown.live ? texts.noSamplesYet(shown.capture.facts) : noSamplesText(shown.capture, texts),
    actions: [],
  };
}

/** Why a capture that is over has no samples. */
export function noSamplesText({ facts }: Capture, texts: CaptureTexts): string {
  return facts.isCut === true ? texts.noSamplesLeft : texts.noSamples(facts);
}

/** The page after a failed computation. */
export function failedPage(reason: string, texts: CaptureTexts): EmptyPage {
  return { type: "empty", text: texts.failed(shownName(reason)), actions: [] };
}
