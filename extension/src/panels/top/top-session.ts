// What one top table asks of its capture, and when. Knows no editor: its surroundings are handed in.

import type { SampleFilter } from "../../capture/questions.js";
import type { SampleClass } from "../../protocol.generated.js";
import type { ToHost, TopRows, TopView, ToWebview } from "../../../../webviews/top/messages.js";
import { RefreshSchedule, type Clock } from "../refresh-schedule.js";
import { captureHead, emptyPage, type CaptureTexts, type ShownCapture } from "../shown-capture.js";
import { shownName } from "../shown-name.js";
import { functionColumns, topColumns } from "./top-columns.js";

export interface TopSurroundings extends Clock {
  readonly texts: CaptureTexts;
  current(): ShownCapture | undefined;
  post(message: ToWebview): void;
  problem(error: unknown): void;
}

export class TopSession {
  readonly #around: TopSurroundings;
  readonly #schedule: RefreshSchedule;
  #view: TopView = { onlyErlang: false, ofBusy: true };
  /** Of which capture the page knows the functions, and how many of them. */
  #known: { readonly capture: unknown; readonly count: number } = { capture: null, count: 0 };

  constructor(around: TopSurroundings) {
    this.#around = around;
    this.#schedule = new RefreshSchedule(around, () => this.#build());
  }

  receive(message: ToHost): void {
    switch (message.type) {
      case "ready":
        this.#known = { capture: null, count: 0 };
        this.#setView(message.saved.view);
        return this.#schedule.pageReady();
      case "view":
        this.#setView(message.view);
        return this.#schedule.now();
    }
  }

  setVisible(visible: boolean): void {
    this.#schedule.setVisible(visible);
  }

  captureChanged(): void {
    this.#schedule.now();
  }

  captureUpdated(): void {
    this.#schedule.soon();
  }

  dispose(): void {
    this.#schedule.dispose();
  }

  #setView(view: Partial<TopView> | undefined): void {
    if (view) this.#view = { onlyErlang: view.onlyErlang === true, ofBusy: view.ofBusy !== false };
  }

  #build(): void {
    try {
      const shown = this.#around.current();
      const empty = emptyPage(shown, this.#around.texts);
      if (empty) return this.#around.post(empty);
      const { capture } = shown as ShownCapture;
      const rows = this.#rows(shown as ShownCapture);
      const from = this.#known.capture === capture ? this.#known.count : 0;
      if (from === 0 || capture.functions.length > from) this.#around.post(functionColumns(capture.functions, from));
      this.#known = { capture, count: capture.functions.length };
      this.#around.post(rows);
    } catch (error) {
      this.#around.problem(error);
      this.#around.post({ type: "empty", text: this.#around.texts.failed(shownName(error instanceof Error ? error.message : String(error))), actions: [] });
    }
  }

  #rows(shown: ShownCapture): TopRows {
    const { capture } = shown;
    const filter = this.#view.ofBusy ? busyOnly(shown) : undefined;
    const answer = capture.top(filter, this.#view.onlyErlang);
    return { type: "rows", ...captureHead(shown), view: this.#view, of: this.#view.ofBusy ? capture.totals.busy : capture.totals.samples, ...topColumns(answer) };
  }
}

/** Leaves out idle samples; undefined when there are none, which is cheaper to count. */
function busyOnly({ capture }: ShownCapture): SampleFilter | undefined {
  if (capture.totals.busy === capture.totals.samples) return undefined;
  const classes = capture.classSplit().map(({ sampleClass }) => sampleClass);
  return { classes: classes.filter((sampleClass): sampleClass is SampleClass => sampleClass !== null && sampleClass !== "idle") };
}
