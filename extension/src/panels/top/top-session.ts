// What one top table asks of its capture, and when. Knows no editor: its surroundings are handed in.

import type { SampleFilter } from "../../../../contract/capture-answers.js";
import type { ToHost, TopRows, TopView, ToWebview } from "../../../../contract/messages/top.js";
import type { SampleClass } from "../../../../contract/protocol.generated.js";
import { CaptureSession } from "../capture-panel/capture-session.js";
import { captureHead, type ShownCapture } from "../capture-panel/shown-capture.js";
import { functionColumns, topColumns } from "./top-columns.js";

export class TopSession extends CaptureSession<ToHost, ToWebview> {
  #view: TopView = { onlyErlang: false, ofBusy: true };
  /** Of which capture the page knows the functions, and how many of them. */
  #known: { readonly capture: unknown; readonly count: number } = { capture: null, count: 0 };

  override receive(message: ToHost): void {
    switch (message.type) {
      case "ready":
        this.#known = { capture: null, count: 0 };
        this.#setView(message.saved.view);
        return this.schedule.pageReady();
      case "view":
        this.#setView(message.view);
        return this.schedule.now();
    }
  }

  #setView(view: Partial<TopView> | undefined): void {
    if (view) this.#view = { onlyErlang: view.onlyErlang === true, ofBusy: view.ofBusy !== false };
  }

  protected override build(shown: ShownCapture): void {
    const { capture } = shown;
    const rows = this.#rows(shown);
    const from = this.#known.capture === capture ? this.#known.count : 0;
    if (from === 0 || capture.functions.length > from) this.host.post(functionColumns(capture.functions, from));
    this.#known = { capture, count: capture.functions.length };
    this.host.post(rows);
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
