// Messages of every page.

import type { CaptureTotals, PercentOf } from "../capture-answers.js";

/** Of pages that show functions of the capture in view. */
export type PageRequest =
  /** Without a line its head is meant. */
  | { readonly type: "openSource"; readonly functionIndex: number; readonly line?: number }
  | { readonly type: "flameGraph"; readonly functionIndex: number }
  | { readonly type: "copyText"; readonly text: string }
  | EmptyPageRequest;

/** The reader has selected the row of a function: the other views of the capture mark it. */
export interface FunctionSelected {
  readonly type: "selected";
  readonly functionIndex: number;
}

/** The function is selected elsewhere: its row is, too, where it is shown. The focus stays. */
export interface FunctionMark {
  readonly type: "mark";
  readonly functionIndex: number;
}

/** A way out of a page that has nothing to show. */
export interface EmptyPageRequest {
  readonly type: "do";
  readonly action: EmptyPageAction;
}

/** The first message of every page; it is answered with `Translations`. */
export interface TranslationsRequest {
  readonly type: "translations";
}

export interface Translations {
  readonly type: "translations";
  /** By the English text. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The page is to send its content; it is answered with `PageDocument`. */
export interface DocumentRequest {
  readonly type: "document";
}

/** The content of a page, for browsers: without scripts and controls. */
export interface PageDocument {
  readonly type: "pageDocument";
  /** The theme's colours, as the root has them. */
  readonly rootStyle: string;
  /** Classes of the body: the kind of theme. */
  readonly bodyClass: string;
  /** The markup in the body. */
  readonly body: string;
}

/** The facts of its capture that every page shows above the data. */
export interface CaptureHead extends CaptureTotals {
  readonly uri: string;
  readonly title: string;
  readonly live: boolean;
  readonly unit: string;
  /** The base of 100 %. */
  readonly percentOf: PercentOf;
  /** Shares of fewer samples are marked. */
  readonly minimumSamples: number;
}

/** The text that a page shows above the data of its capture, whatever the data is. */
export interface CaptureRemark {
  readonly type: "captureRemark";
  /** Empty for nothing. */
  readonly text: string;
}

/** Whether the panel follows the capture in view: the page keeps it with its own state, for a window that is reloaded. */
export interface PanelFollows {
  readonly type: "panelFollows";
  readonly follows: boolean;
}

export type EmptyPageAction = "attach" | "openCapture";

/** Where a page has nothing to show, and which way out it offers. */
export interface EmptyPage {
  readonly type: "empty";
  readonly text: string;
  readonly actions: readonly EmptyPageAction[];
}
