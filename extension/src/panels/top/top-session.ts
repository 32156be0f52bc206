// What one top table asks of its capture, and when. Knows no editor: its surroundings are handed in.

import type { SampleFilter } from "../../../../contract/capture-answers.js";
import type { ToHost, TopRows, TopView, ToWebview } from "../../../../contract/messages/top.js";
import type { SampleClass } from "../../../../contract/protocol.generated.js";
import { isWork } from "../../../../contract/sample-classes.js";
import { CaptureSession } from "../capture-panel/capture-session.js";
import { captureHead, type ShownCapture } from "../capture-panel/shown-capture.js";
import { topNodes } from "./top-nodes.js";
import { functionColumns, topColumns } from "./top-columns.js";

export class TopSession extends CaptureSession<ToHost, ToWebview> {
  #view: TopView = { onlyErlang: false, ofBusy: true, withAddresses: false, node: "" };
  /** Of which capture the page knows the functions, and how many of them. */
  #known: { readonly capture: unknown; readonly count: number } = { capture: null, count: 0 };

  /** Name of the function whose row is to be selected. */
  #toReveal: string | null = null;

  /** Selects the row of a function, and takes back the view that hides it. */
  reveal(functionName: string): void {
    this.#toReveal = functionName;
    this.schedule.now();
  }

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
    if (view) this.#view = { onlyErlang: view.onlyErlang === true, ofBusy: view.ofBusy !== false, withAddresses: view.withAddresses === true, node: typeof view.node === "string" ? view.node : "" };
  }

  protected override build(shown: ShownCapture): void {
    const { capture } = shown;
    const revealed = this.#toReveal === null ? -1 : capture.functionNamed(this.#toReveal);
    this.#toReveal = null;
    let rows = this.#rows(shown);
    if (revealed >= 0 && !rows.functionIndex.includes(revealed)) {
      this.#view = { onlyErlang: false, ofBusy: false, withAddresses: true, node: "" };
      rows = this.#rows(shown);
    }
    const from = this.#known.capture === capture ? this.#known.count : 0;
    if (from === 0 || capture.functions.length > from) this.host.post(functionColumns(capture.functions, from));
    this.#known = { capture, count: capture.functions.length };
    this.host.post(rows);
    if (revealed >= 0) this.host.post({ type: "reveal", functionIndex: revealed });
  }

  #rows(shown: ShownCapture): TopRows {
    const { capture } = shown;
    const nodes = topNodes(capture);
    // A node of one capture is none of another.
    const view = nodes.some(({ name }) => name === this.#view.node) ? this.#view : { ...this.#view, node: "" };
    const ofNode = view.node === "" ? undefined : { nodes: [view.node] };
    const totals = ofNode === undefined ? capture.totals : capture.filteredTotals(ofNode);
    const busy = view.ofBusy ? busyOnly(shown) : undefined;
    const answer = capture.top(busy === undefined ? ofNode : { ...busy, ...ofNode }, view);
    return { type: "rows", ...captureHead(shown), view, nodes, measure: shown.measure, of: view.ofBusy ? totals.busy : totals.samples, ...topColumns(answer, shown) };
  }
}

/** Leaves out idle samples; undefined when there are none, which is cheaper to count. */
function busyOnly({ capture }: ShownCapture): SampleFilter | undefined {
  if (capture.totals.busy === capture.totals.samples) return undefined;
  const classes = capture.classSplit().map(({ sampleClass }) => sampleClass);
  return { classes: classes.filter((sampleClass): sampleClass is SampleClass => sampleClass !== null && isWork(sampleClass)) };
}
