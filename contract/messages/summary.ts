// Everything that crosses between the extension host and the summary of a capture.

import type { ClassShare } from "../capture-answers.js";
import type { CaptureHead, EmptyPage, EmptyPageRequest } from "./any-page.js";

/** A part of a sentence: text, or the name of a function that is a link to its source. */
export type SentencePart = string | { readonly functionIndex: number; readonly name: string };

/** One of the hottest lines of the user's own code. */
export interface SummaryLine {
  /** Path below the workspace folder, and line from 1: `src/shop.erl:42`. */
  readonly place: string;
  /** The function with most of the samples. */
  readonly name: string;
  /** Of the chosen attribution. */
  readonly samples: number;
  /** The line itself, cut. */
  readonly text: string;
}

/** A hot function, where no line of the workspace is hot. */
export interface SummaryFunction {
  readonly functionIndex: number;
  readonly name: string;
  readonly samples: number;
}

/** What a button of the summary does. */
export type StepAction = "hottestLine" | "blame" | "flameGraph" | "top" | "waits" | "sourceRules";

export interface NextStep {
  readonly action: StepAction;
  readonly label: string;
  readonly help: string;
}

export interface SummaryData extends CaptureHead {
  readonly type: "data";
  readonly headline: readonly SentencePart[];
  /** Sentences below the headline. */
  readonly details: readonly string[];
  readonly split: readonly ClassShare[];
  /** The hottest first. Null while they are looked for. */
  readonly lines: readonly SummaryLine[] | null;
  /** Filled when `lines` is empty. */
  readonly functions: readonly SummaryFunction[];
  readonly steps: readonly NextStep[];
  /** What limits the figures of this capture. */
  readonly problems: readonly string[];
}

export type ToWebview = SummaryData | EmptyPage;

export type ToHost =
  | { readonly type: "ready" }
  /** @property index among the lines that were sent last */
  | { readonly type: "openLine"; readonly index: number }
  | { readonly type: "openFunction"; readonly functionIndex: number }
  | { readonly type: "step"; readonly action: StepAction }
  /** The causes of a class of samples. */
  | { readonly type: "blame"; readonly query: string }
  | { readonly type: "copy" }
  | EmptyPageRequest;

export interface SavedState {
  readonly uri: string;
}
