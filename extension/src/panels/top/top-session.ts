// The queries of one top table to its capture, and their times. Knows no editor: its surroundings are passed in.

import { wholeOf, type SampleFilter } from "../../../../contract/capture-answers.js";
import type { ToHost, TopRows, TopTab, TopView, ToWebview } from "../../../../contract/messages/top.js";
import type { CaptureError } from "../../capture/capture-error.js";
import type { Capture } from "../../capture/questions.js";
import { CaptureSession, type CaptureSessionHost } from "../capture-panel/capture-session.js";
import { busyOnly } from "../capture-panel/busy-only.js";
import { captureHead, type ShownCapture } from "../capture-panel/shown-capture.js";
import { topNodes } from "./top-nodes.js";
import { functionColumns, topColumns } from "./top-columns.js";
import { topTree } from "./top-tree.js";

export class TopSession extends CaptureSession<ToHost, ToWebview> {
  readonly #problemText: (problem: CaptureError) => string;
  #view: Omit<TopView, "ofBusy"> = { onlyErlang: false, withAddresses: false, node: "" };
  #tab: TopTab = "functions";
  /** Of which capture the page knows the functions, and how many of them. */
  #known: { readonly capture: unknown; readonly count: number } = { capture: null, count: 0 };

  /** Name of the function whose row is to be selected. */
  #toReveal: string | null = null;

  /** @param problemText why samples of a node are missing, for the user */
  constructor(host: CaptureSessionHost<ToWebview>, problemText: (problem: CaptureError) => string = ({ why }) => why) {
    super(host);
    this.#problemText = problemText;
  }

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
        this.#tab = message.saved.tab === "tree" ? "tree" : "functions";
        return this.pageReady();
      case "view":
        this.#setView(message.view);
        return this.schedule.now();
      case "tab":
        this.#tab = message.tab === "tree" ? "tree" : "functions";
        return this.schedule.now();
      case "selected":
        return this.select(message.functionIndex);
    }
  }

  #setView(view: Partial<TopView> | undefined): void {
    if (view)
      this.#view = {
        onlyErlang: view.onlyErlang === true,
        withAddresses: view.withAddresses === true,
        node: typeof view.node === "string" ? view.node : "",
      };
  }

  protected override build(shown: ShownCapture): void {
    const { capture } = shown;
    const revealed = this.#toReveal === null ? -1 : capture.functionNamed(this.#toReveal);
    this.#toReveal = null;
    let rows = this.#rows(shown);
    if (revealed >= 0 && !rows.functionIndex.includes(revealed)) {
      this.#view = { onlyErlang: false, withAddresses: true, node: "" };
      rows = this.#rows(shown);
    }
    const from = this.#known.capture === capture ? this.#known.count : 0;
    if (from === 0 || capture.functions.length > from) this.host.post(functionColumns(capture.functions, from));
    this.#known = { capture, count: capture.functions.length };
    this.host.post(rows);
    // It costs more than the table, so it is made for those who look at it.
    if (this.#tab === "tree") this.host.post(topTree(capture, rows.view, countedSamples(capture, rows.view)));
    if (revealed < 0) return;
    this.host.post({ type: "reveal", functionIndex: revealed });
    this.select(revealed);
  }

  protected override mark(functionIndex: number): void {
    this.host.post({ type: "mark", functionIndex });
  }

  #rows(shown: ShownCapture): TopRows {
    const { capture } = shown;
    const nodes = topNodes(capture, this.#problemText);
    // A node of one capture is none of another.
    const node = nodes.some(({ name }) => name === this.#view.node) ? this.#view.node : "";
    const view = { ...this.#view, node, ofBusy: shown.percentOf === "busy" };
    const ofNode = view.node === "" ? undefined : { nodes: [view.node] };
    const totals = ofNode === undefined ? capture.totals : capture.filteredTotals(ofNode);
    const answer = capture.top(countedSamples(capture, view), view);
    return {
      type: "rows",
      ...captureHead(shown),
      view,
      nodes,
      attribution: shown.attribution,
      of: wholeOf(totals, shown.percentOf),
      ...topColumns(answer, shown),
    };
  }
}

/** Those that the table and the tree count; undefined for all. */
function countedSamples(capture: Capture, { node, ofBusy }: TopView): SampleFilter | undefined {
  const ofNode = node === "" ? undefined : { nodes: [node] };
  const busy = ofBusy ? busyOnly(capture) : undefined;
  return busy === undefined ? ofNode : { ...busy, ...ofNode };
}
