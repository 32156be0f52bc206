// A series as a chart: a dot for each commit with its interval, the mean between steps, a sign and a figure at each step.

import type { ShownHistory, ShownSeries } from "../../contract/messages/history.js";
import { element } from "../elements/dom.js";
import { chartScale, HEIGHT, TOP, type ChartScale } from "./chart-scale.js";
import { figure, seriesTitle, stepFigure, STRINGS } from "./strings.js";

const SVG = "http://www.w3.org/2000/svg";
const USUAL_WIDTH = 900;
const CAP = 3;
const DOT = 3.5;

export interface ChartActions {
  /** A commit is under the pointer, or the keys are at it. */
  choose(commit: number): void;
  compare(commit: number): void;
}

export class HistoryChart {
  readonly element = element("div", { class: "chart" });
  readonly #labels = element("div", { class: "chart-labels", "aria-hidden": "true" });
  readonly #room = element("div", { class: "chart-room", tabindex: "0", role: "group" });
  readonly #actions: ChartActions;
  #scale: ChartScale | null = null;
  #cursor: SVGElement | null = null;
  #count = 0;
  #chosen = 0;
  /** By a click: the pointer chooses no other one on its way. */
  #isPinned = false;
  #shown: { readonly history: ShownHistory; readonly series: ShownSeries } | null = null;

  constructor(actions: ChartActions) {
    this.#actions = actions;
    this.element.append(this.#labels, this.#room);
    this.#room.addEventListener("keydown", (event) => this.#onKey(event));
    // The pointer goes over other commits on its way to the button that compares the chosen one.
    this.#room.addEventListener("pointermove", (event) => {
      if (!this.#isPinned) this.#choose(this.#commitAt(event));
    });
    this.#room.addEventListener("click", (event) => {
      this.#choose(this.#commitAt(event));
      this.#isPinned = true;
    });
    this.#room.addEventListener("dblclick", (event) => this.#actions.compare(this.#commitAt(event)));
    new ResizeObserver(() => this.#onResize()).observe(this.#room);
  }

  show(history: ShownHistory, series: ShownSeries): void {
    this.#isPinned = false;
    this.#draw(history, series);
    this.#choose(history.commits.length - 1);
    // The newest commits matter most.
    this.#room.scrollLeft = this.#room.scrollWidth;
  }

  /** A chart that was drawn while the page was hidden had no width at all. */
  #onResize(): void {
    const [shown, scale] = [this.#shown, this.#scale];
    if (shown === null || scale === null) return;
    if (chartScale(shown.series, this.#room.clientWidth || USUAL_WIDTH).width === scale.width) return;
    this.#draw(shown.history, shown.series);
    this.#choose(this.#chosen);
    this.#scrollToChosen();
  }

  #draw(history: ShownHistory, series: ShownSeries): void {
    const { commits } = history;
    this.#shown = { history, series };
    const scale = chartScale(series, this.#room.clientWidth || USUAL_WIDTH);
    this.#scale = scale;
    this.#count = commits.length;
    const drawing = svg("svg", { width: String(scale.width), height: String(HEIGHT), "aria-hidden": "true" });
    drawing.append(...scale.lines.map((value) => line("axis", 0, scale.y(value), scale.width, scale.y(value))));
    this.#cursor = drawing.appendChild(svg("rect", { class: "cursor", y: "0", height: String(HEIGHT) }));
    drawing.append(
      ...meanLines(series, scale),
      ...series.points.flatMap((_, commit) => pointMarks(series, commit, scale)),
      ...series.steps.flatMap((step) => stepMarks(step, scale)),
    );
    this.#labels.replaceChildren(
      ...scale.lines.map((value) => {
        const label = element("span", {}, figure(value, series.measure));
        label.style.insetBlockStart = `${String(scale.y(value))}px`;
        return label;
      }),
    );
    this.#room.setAttribute("aria-label", STRINGS.chart(seriesTitle(series)));
    this.#room.replaceChildren(drawing);
  }

  #onKey(event: KeyboardEvent): void {
    const to = { ArrowLeft: this.#chosen - 1, ArrowRight: this.#chosen + 1, Home: 0, End: this.#count - 1 }[event.key];
    if (to !== undefined) {
      this.#choose(to);
      this.#scrollToChosen();
    } else if (event.key === "Enter") this.#actions.compare(this.#chosen);
    else return;
    event.preventDefault();
  }

  #choose(commit: number): void {
    if (this.#scale === null || this.#count === 0) return;
    this.#chosen = Math.min(Math.max(commit, 0), this.#count - 1);
    const width = this.#scale.x(1) - this.#scale.x(0);
    this.#cursor?.setAttribute("x", String(this.#scale.x(this.#chosen) - width / 2));
    this.#cursor?.setAttribute("width", String(width));
    this.#actions.choose(this.#chosen);
  }

  #scrollToChosen(): void {
    const at = this.#scale?.x(this.#chosen) ?? 0;
    const { scrollLeft, clientWidth } = this.#room;
    if (at < scrollLeft || at > scrollLeft + clientWidth) this.#room.scrollLeft = at - clientWidth / 2;
  }

  #commitAt({ clientX }: MouseEvent): number {
    const drawing = this.#room.firstElementChild?.getBoundingClientRect();
    if (this.#scale === null || drawing === undefined) return 0;
    return Math.floor((clientX - drawing.left) / (this.#scale.x(1) - this.#scale.x(0)));
  }
}

/** The interval with a cap at each end, and the value in it. */
function pointMarks({ points }: ShownSeries, commit: number, scale: ChartScale): SVGElement[] {
  const point = points[commit];
  if (point === undefined) return [];
  const [x, low, high] = [scale.x(commit), scale.y(point.low), scale.y(point.high)];
  return [
    line("interval", x, low, x, high),
    line("interval", x - CAP, low, x + CAP, low),
    line("interval", x - CAP, high, x + CAP, high),
    svg("circle", { class: "dot", cx: String(x), cy: String(scale.y(point.value)), r: String(DOT) }),
  ];
}

/** The mean from each step to the next. */
function meanLines({ points, steps }: ShownSeries, scale: ChartScale): SVGElement[] {
  const half = (scale.x(1) - scale.x(0)) / 2;
  return steps.flatMap((step, index) => {
    const from = steps[index - 1]?.at ?? 0;
    const to = steps[index + 1]?.at ?? points.length;
    const mean = (value: number, first: number, end: number) =>
      line("mean", scale.x(first) - half, scale.y(value), scale.x(end - 1) + half, scale.y(value));
    return [...(index === 0 ? [mean(step.before, from, step.at)] : []), mean(step.after, step.at, to)];
  });
}

/** A line between the two commits, above it the direction as a shape and the size as a figure. */
function stepMarks(step: ShownSeries["steps"][number], scale: ChartScale): SVGElement[] {
  const x = (scale.x(step.at - 1) + scale.x(step.at)) / 2;
  const text = svg("text", { class: "step-text", x: String(x), y: String(TOP / 2), "text-anchor": "middle" });
  text.textContent = stepFigure(step);
  return [line("step-line", x, TOP - 10, x, HEIGHT), text];
}

function line(name: string, x1: number, y1: number, x2: number, y2: number): SVGElement {
  return svg("line", { class: name, x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1) });
}

function svg(tag: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
