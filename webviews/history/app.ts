// Puts the panel with the history of a program together: messages of the extension host in, the user's actions out.

import type { SavedState, ShownHistory, ShownSeries, ToHost, ToWebview } from "../../contract/messages/history.js";
import { noteText } from "../compare/strings.js";
import { button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { singleSelect } from "../elements/single-select.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { HistoryChart } from "./history-chart.js";
import { HistoryTable } from "./history-table.js";
import { figure, newestText, noiseText, seriesTitle, stepText, STRINGS } from "./strings.js";

export class HistoryApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #summary = element("p", { class: "quiet" });
  readonly #measure = element("p", { class: "quiet" });
  readonly #seriesRoom = element("span");
  readonly #chosen = element("p", { class: "chosen", role: "status" });
  readonly #compare = button(STRINGS.compare, STRINGS.stepHelp, () => this.#ask(this.#commit));
  readonly #steps = element("ul", { class: "steps" });
  readonly #latest = element("p");
  readonly #noise = element("p", { class: "quiet" });
  readonly #remarks = element("ul", { class: "steps" });
  readonly #skippedTitle = element("summary");
  readonly #skippedList = element("ul");
  readonly #skipped = element("details", {}, this.#skippedTitle, this.#skippedList);
  readonly #chart = new HistoryChart({
    choose: (commit) => this.#choose(commit),
    compare: (commit) => this.#ask(commit),
  });
  readonly #table = new HistoryTable((commit) => this.#ask(commit));
  readonly #body: HTMLElement;
  #history: ShownHistory | null = null;
  #functions: readonly string[] = [];
  #series = 0;
  /** The series that was in sight when the page was left, until there is a history. */
  #saved: Partial<SavedState["shown"]> | undefined;
  #commit = 0;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    this.#saved = saved.shown;
    const send = (type: "again" | "chooseFunctions") => () => this.#host.send({ type });
    const tools = element(
      "div",
      { class: "line tools" },
      this.#seriesRoom,
      button(STRINGS.functions, STRINGS.functionsHelp, send("chooseFunctions")),
      button(STRINGS.refresh, STRINGS.refresh, send("again")),
      this.#summary,
    );
    this.#body = element(
      "div",
      { class: "body", hidden: true },
      element("header", {}, element("h1", { class: "unseen" }, STRINGS.title), tools, this.#measure),
      element(
        "main",
        { class: "body-main", tabindex: "0" },
        this.#remarks,
        this.#chart.element,
        element("div", { class: "line" }, this.#chosen, this.#compare),
        element("h2", {}, STRINGS.steps),
        this.#steps,
        this.#latest,
        this.#noise,
        this.#skipped,
        this.#table.element,
      ),
    );
    root.append(this.#notice.element, this.#body);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready", saved });
  }

  #receive(message: ToWebview): void {
    const again = { label: STRINGS.again, run: () => this.#host.send({ type: "again" }) };
    switch (message.type) {
      case "busy":
        return this.#say(message.all === 0 ? STRINGS.making : STRINGS.reading(message.done, message.all), [
          { label: STRINGS.cancel, run: () => this.#host.send({ type: "cancel" }) },
        ]);
      case "cancelled":
        return this.#say(STRINGS.cancelled, [again]);
      case "problem":
        return this.#say(STRINGS.problem(message.what, message.why), [again]);
      case "history":
        this.#series = this.#positionIn(message.functions, message.history);
        this.#saved = undefined;
        this.#functions = message.functions;
        return this.#show(message.history);
    }
  }

  #say(text: string, actions: Parameters<Notice["say"]>[1]): void {
    this.#body.hidden = true;
    this.#notice.say(text, actions);
  }

  /**
   * A newly chosen function comes into view, in itself or else with its callees. Otherwise the series that was shown
   * stays in view: other functions before it make its position another one.
   */
  #positionIn(functions: readonly string[], { series }: ShownHistory): number {
    const added = this.#history === null ? undefined : functions.find((name) => !this.#functions.includes(name));
    const its = series.flatMap(({ functionName, points }, position) =>
      functionName === added ? [{ position, isSeen: points.some(({ value }) => value > 0) }] : [],
    );
    const before = this.#saved ?? this.#shown;
    return (
      (its.find(({ isSeen }) => isSeen) ?? its[0])?.position ??
      series.findIndex(({ of, functionName }) => of === before?.of && functionName === before.functionName)
    );
  }

  #show(history: ShownHistory): void {
    this.#history = history;
    this.#notice.hide();
    this.#body.hidden = false;
    if (history.series[this.#series] === undefined) this.#series = 0;
    this.#summary.textContent = STRINGS.summary(history);
    const remarks = [...history.remarks, ...history.notes.map(noteText)];
    this.#remarks.hidden = remarks.length === 0;
    this.#remarks.replaceChildren(...remarks.map((text) => element("li", {}, text)));
    this.#skipped.hidden = history.skipped.length === 0;
    this.#skippedTitle.textContent = STRINGS.skipped(history.skipped.length);
    this.#skippedList.replaceChildren(...history.skipped.map((text) => element("li", {}, text)));
    this.#seriesRoom.replaceChildren(
      singleSelect(
        STRINGS.series,
        history.series.map((series, position) => [String(position), seriesTitle(series)] as const),
        String(this.#series),
        (position) => {
          this.#series = Number(position);
          this.#arrange();
        },
      ),
    );
    this.#arrange();
  }

  #arrange(): void {
    const [history, series] = [this.#history, this.#shown];
    if (history === null || series === undefined) return;
    const { of, functionName } = series;
    this.#host.save({ functions: this.#functions, shown: { of, functionName } });
    this.#measure.textContent = STRINGS.measures[series.measure](history.work);
    this.#chart.show(history, series);
    this.#table.show(history, series);
    this.#steps.replaceChildren(
      ...(series.steps.length === 0
        ? [element("li", {}, STRINGS.noStep)]
        : series.steps.map((step) => this.#step(history, step))),
    );
    const latest = newestText(history.doubts, series);
    this.#latest.hidden = latest === "";
    this.#latest.textContent = latest;
    this.#noise.textContent = noiseText(series.noise);
  }

  #step(history: ShownHistory, step: ShownSeries["steps"][number]): HTMLElement {
    const name = (commit: number) => history.commits[commit]?.name ?? "";
    const compare = element("button", { type: "button", class: "link", title: STRINGS.stepHelp }, stepText(step, name));
    compare.addEventListener("click", () => this.#ask(step.at));
    return element("li", {}, compare, ...step.notes.map((note) => element("p", { class: "quiet" }, noteText(note))));
  }

  #choose(commit: number): void {
    const [of, point, measure] = [this.#history?.commits[commit], this.#shown?.points[commit], this.#shown?.measure];
    if (of === undefined || point === undefined || measure === undefined) return;
    this.#commit = commit;
    const interval = STRINGS.interval(figure(point.low, measure), figure(point.high, measure));
    const name = of.subject === "" ? of.name : `${of.name} ${of.subject}`;
    this.#chosen.textContent = STRINGS.point(name, figure(point.value, measure), interval, of.captures.length);
    this.#compare.disabled = commit === 0;
  }

  #ask(commit: number): void {
    if (commit > 0) this.#host.send({ type: "compare", commit });
  }

  get #shown(): ShownSeries | undefined {
    return this.#history?.series[this.#series];
  }
}
