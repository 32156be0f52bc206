// A series in figures: a row for each commit, the newest first.

import type { ShownCommit, ShownHistory, ShownSeries } from "../../contract/messages/history.js";
import { element, nameText } from "../elements/dom.js";
import { LANGUAGE } from "../words/figures.js";
import { figure, stepFigure, STRINGS } from "./strings.js";

export class HistoryTable {
  readonly element: HTMLElement;
  readonly #rows = element("tbody");
  readonly #compare: (commit: number) => void;

  constructor(compare: (commit: number) => void) {
    this.#compare = compare;
    const { step, commit, date, captures, value, interval } = STRINGS.columns;
    const heads = [step, commit, date, captures, value, interval].map((name, index) =>
      element("th", { scope: "col", class: index > 2 ? "figure" : "" }, name),
    );
    this.element = element(
      "table",
      { class: "figures" },
      element("caption", {}, STRINGS.table),
      element("thead", {}, element("tr", {}, ...heads)),
      this.#rows,
    );
  }

  show({ commits }: ShownHistory, series: ShownSeries): void {
    const rows = commits.map((commit, position) => this.#row(commit, position, series));
    this.#rows.replaceChildren(...rows.toReversed());
  }

  #row(commit: ShownCommit, position: number, { points, steps, measure }: ShownSeries): HTMLElement {
    const point = points[position];
    const step = steps.find(({ at }) => at === position);
    const cell = (text: string, name = "") => element("td", { class: name }, text);
    return element(
      "tr",
      {},
      cell(step === undefined ? "" : stepFigure(step), "step"),
      element(
        "th",
        { scope: "row", title: commit.captures.join(", ") },
        this.#name(commit, position),
        " ",
        nameText(commit.subject, "quiet"),
      ),
      cell(commit.madeUnixMs === 0 ? "?" : new Date(commit.madeUnixMs).toLocaleDateString(LANGUAGE)),
      cell(String(commit.captures.length), "figure"),
      cell(point === undefined ? "?" : figure(point.value, measure), "figure"),
      cell(
        point === undefined ? "?" : STRINGS.interval(figure(point.low, measure), figure(point.high, measure)),
        "figure",
      ),
    );
  }

  /** The first commit has none before it. */
  #name({ name }: ShownCommit, position: number): HTMLElement {
    if (position === 0) return nameText(name);
    const made = element("button", { type: "button", class: "link", title: STRINGS.stepHelp }, nameText(name));
    made.addEventListener("click", () => this.#compare(position));
    return made;
  }
}
