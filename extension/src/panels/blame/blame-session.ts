// The queries of one blame panel to its capture, and their times. Knows no editor: its surroundings are passed in.

import type { BlameChoice } from "../../../../contract/capture-answers.js";
import type {
  BlameShown,
  FunctionInFocus,
  SavedState,
  ToHost,
  ToWebview,
} from "../../../../contract/messages/blame.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { BlameAnswer, Capture } from "../../capture/questions.js";
import { CaptureSession } from "../capture-panel/capture-session.js";
import { captureHead, type ShownCapture } from "../capture-panel/shown-capture.js";
import { openRows } from "./blame-rows.js";
import type { BlameTable } from "./blame-table.js";

const MOST_CHOICES = 2000;
const MOST_SYMBOLS = 500;
const MOST_CALLEES = 12;
const LONGEST_QUERY = 1000;

export interface BlameQuestion {
  readonly query?: string | undefined;
  readonly functionName?: string | undefined;
}

export class BlameSession extends CaptureSession<ToHost, ToWebview> {
  #query = "";
  #functionName = "";
  /** Of a capture of several; empty for all. */
  #node = "";
  #expanded = new Set<string>();
  /** Native functions by the name the page has for them, where it differs. */
  #realQueries = new Map<string, string>();
  /** Requested by a command: the state that the page kept does not count. */
  #isRequested = false;
  /** The function was requested since the last answer. */
  #isNewFocus = false;

  ask({ query, functionName }: BlameQuestion): void {
    if (query === undefined && functionName === undefined) return;
    this.#isRequested = true;
    this.#functionName = functionName ?? "";
    this.#isNewFocus = true;
    // Without a query, the largest native part of the function is taken when the page is built.
    this.#setQuery(query ?? "");
    this.schedule.now();
  }

  override receive(message: ToHost): void {
    switch (message.type) {
      case "ready":
        if (!this.#isRequested) this.#restore(message.saved);
        this.#isRequested = false;
        return this.pageReady();
      case "ask":
        this.#setQuery(this.#realQueries.get(message.query) ?? String(message.query));
        return this.schedule.now();
      case "toggle":
        if (message.open) this.#expanded.add(String(message.key));
        else this.#expanded.delete(String(message.key));
        return this.schedule.now();
      case "node":
        this.#node = String(message.node);
        this.#expanded.clear();
        return this.schedule.now();
      case "leaveFunction":
        this.#functionName = "";
        return this.schedule.now();
      case "selected":
        return this.select(message.functionIndex);
    }
  }

  /** The answer as it is open in the page; null when there is none. */
  table(): BlameTable | null {
    const shown = this.host.current();
    if (!shown || this.#query === "") return null;
    const answer = this.#blame(shown);
    return {
      query: this.#query,
      matched: answer.matched,
      busy: answer.busy,
      samples: answer.samples,
      percentOf: shown.percentOf,
      minimumSamples: shown.minimumSamples,
      unit: shown.capture.facts.unit,
      rows: openRows(answer.callers, this.#expanded).rows,
    };
  }

  #setQuery(query: string): void {
    const wanted = query.trim().slice(0, LONGEST_QUERY);
    if (wanted === this.#query) return;
    this.#query = wanted;
    this.#expanded.clear();
  }

  #restore(saved: Partial<SavedState>): void {
    if (typeof saved.query === "string") this.#query = saved.query.slice(0, LONGEST_QUERY);
    if (typeof saved.node === "string") this.#node = saved.node;
    if (typeof saved.functionName === "string") this.#functionName = saved.functionName;
    if (Array.isArray(saved.expanded))
      this.#expanded = new Set(saved.expanded.filter((key) => typeof key === "string"));
    if (typeof saved.uri === "string") this.uri = saved.uri;
  }

  /** Keys name functions of one capture. */
  protected override forgetCapture(): void {
    this.#node = "";
    this.#expanded.clear();
  }

  protected override build(shown: ShownCapture): void {
    const { capture } = shown;
    const nodes = capture.nodeShares();
    const ofNode = nodes.find(({ name }) => name === this.#node);
    this.#node = ofNode?.name ?? "";
    const choices = capture.blameChoices();
    const shownChoices = choices
      .slice(0, MOST_CHOICES)
      .map((choice) => ({ ...choice, query: shownName(choice.query) }));
    this.#realQueries = new Map(
      shownChoices
        .map(({ query }, at) => [query, choices[at]?.query ?? query] as const)
        .filter(([query, real]) => query !== real),
    );
    const index = this.#functionName === "" ? -1 : capture.functionNamed(this.#functionName);
    // The facts of one function are those of all nodes together.
    const focus = index < 0 || ofNode !== undefined ? null : inFocus(capture, index);
    if (this.#query === "") this.#query = largestPart(focus, choices);
    this.host.post({
      type: "data",
      ...captureHead(shown),
      ...(ofNode === undefined ? {} : { samples: ofNode.samples, busy: ofNode.busy }),
      split: ofNode?.classes ?? capture.classSplit(),
      choices: shownChoices,
      query: shownName(this.#query),
      answer: this.#query === "" ? null : this.#answer(shown),
      ownCode: this.#isOfOwnCode(shown),
      nodes: nodes.map(({ name }) => name),
      node: this.#node,
      focus,
      notFound: this.#functionName !== "" && index < 0 ? shownName(this.#functionName) : "",
    });
    if (this.#isNewFocus) this.select(index);
    this.#isNewFocus = false;
  }

  protected override mark(functionIndex: number): void {
    this.host.post({ type: "mark", functionIndex });
  }

  #blame(shown: ShownCapture): BlameAnswer {
    return shown.capture.blame(
      this.#query,
      this.#node === "" ? undefined : { nodes: [this.#node] },
      this.#isOfOwnCode(shown),
    );
  }

  /**
   * Where the views show own time, the causes are the user's own functions; except for a question about a function that
   * is not own code.
   */
  #isOfOwnCode({ capture, attribution }: ShownCapture): boolean {
    const index = this.#functionName === "" ? -1 : capture.functionNamed(this.#functionName);
    return attribution === "own" && (index < 0 || capture.isOwnCode(index));
  }

  #answer(shown: ShownCapture): BlameShown {
    const { matched, symbols, callers } = this.#blame(shown);
    return {
      matched,
      symbols: symbols.slice(0, MOST_SYMBOLS).map((symbol) => shownName(symbol)),
      symbolCount: symbols.length,
      ...openRows(callers, this.#expanded),
    };
  }
}

function inFocus(capture: Capture, functionIndex: number): FunctionInFocus {
  const { self, total, classes, callees } = capture.placeDetail(functionIndex);
  const named = callees.slice(0, MOST_CALLEES).map(({ functionIndex: callee, samples }) => {
    const fn = capture.functions[callee];
    return {
      name: shownName(fn?.name ?? ""),
      samples,
      isNative: fn !== undefined && fn.kind !== "erlang" && fn.kind !== "marker",
    };
  });
  return {
    name: shownName(capture.functions[functionIndex]?.name ?? ""),
    functionIndex,
    self,
    total,
    classes,
    callees: named,
  };
}

/** The default query: the largest group of the function, or of the whole capture. */
function largestPart(focus: FunctionInFocus | null, choices: readonly BlameChoice[]): string {
  const groups = choices.filter(({ isGroup, samples }) => isGroup && samples > 0);
  const ofFunction = focus?.classes.find(({ sampleClass }) =>
    groups.some(({ query }) => query === sampleClass),
  )?.sampleClass;
  return (
    ofFunction ??
    groups.reduce<BlameChoice | null>((best, group) => (best && best.samples >= group.samples ? best : group), null)
      ?.query ??
    ""
  );
}
