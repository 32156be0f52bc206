// The capture a panel shows, as a page hears of it.

import type { Measure } from "../../../../contract/capture-answers.js";
import type { CaptureHead, EmptyPage } from "../../../../contract/messages/any-page.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { CodeOrigin } from "../../sources/source-navigator.js";
import type { Capture, CaptureFacts } from "../../capture/questions.js";

export interface ShownCapture {
  readonly capture: Capture;
  readonly title: string;
  readonly live: boolean;
  readonly uri: string;
  /** What the views go by. */
  readonly measure: Measure;
  /** Whose code a function is, as far as that is known. */
  originOf(functionIndex: number): CodeOrigin | undefined;
}

export function captureHead({ capture, title, live, uri }: ShownCapture): CaptureHead {
  return { uri, title, live, unit: capture.facts.unit, samples: capture.totals.samples, busy: capture.totals.busy };
}

/** The texts of all capture panels. */
export interface CaptureTexts {
  readonly noCapture: string;
  readonly noSamples: string;
  readonly noSamplesYet: string;
  /** The end of the file is missing, and all samples with it. */
  readonly noSamplesLeft: string;
  failed(reason: string): string;
  /** What has to be known of all figures of a capture; empty for nothing. */
  remark(facts: CaptureFacts): string;
}

/** The page instead of a capture's data, for no capture and for one without samples. */
export function emptyPage(shown: ShownCapture | undefined, texts: CaptureTexts): EmptyPage {
  if (!shown) return { type: "empty", text: texts.noCapture, actions: ["attach", "openCapture"] };
  return { type: "empty", text: shown.live ? texts.noSamplesYet : noSamplesText(shown.capture, texts), actions: [] };
}

/** Why a capture that is over has no samples. */
export function noSamplesText({ facts }: Capture, texts: CaptureTexts): string {
  return facts.isCut === true ? texts.noSamplesLeft : texts.noSamples;
}

/** The page instead of what could not be computed. */
export function failedPage(reason: string, texts: CaptureTexts): EmptyPage {
  return { type: "empty", text: texts.failed(shownName(reason)), actions: [] };
}
