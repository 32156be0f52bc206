// How sizes went while the panel was open: lines from nothing up, and the same in figures.

import { timeOfDay } from "../../contract/figures.js";
import type { MemoryShown, TrendPoint, TrendSeries } from "../../contract/messages/memory.js";
import { element } from "../elements/dom.js";
import { LANGUAGE } from "../words/figures.js";
import { change, size } from "./sizes.js";
import { STRINGS } from "./strings.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000;
const HEIGHT = 180;
const LINES = 4;
const CHARTS = [
  { title: STRINGS.trendOf.sizes, series: ["rss", "carriers", "blocks", "outside"] },
  { title: STRINGS.trendOf.kinds, series: ["heaps", "binary", "ets"] },
] as const satisfies readonly { title: string; series: readonly TrendSeries[] }[];
const SERIES: readonly TrendSeries[] = CHARTS.flatMap(({ series }) => series);

export class Trend {
  readonly element = element("div", { class: "tab-panel scrolling", tabindex: "0" });
  readonly #span = element("p", { class: "quiet" });
  readonly #charts = element("div", { class: "charts" });
  readonly #rows = element("tbody", {});

  constructor() {
    const { series, first, now, change: changed, least, most } = STRINGS.trendColumns;
    const heads = [series, first, now, changed, least, most].map((name, index) =>
      element("th", { scope: "col", class: index === 0 ? "" : "figure" }, name),
    );
    const table = element(
      "table",
      { class: "figures" },
      element("caption", {}, STRINGS.trendTable),
      element("thead", {}, element("tr", {}, ...heads)),
      this.#rows,
    );
    this.element.append(this.#span, this.#charts, table);
  }

  show({ trend }: MemoryShown): void {
    const [from, to] = [trend[0], trend.at(-1)];
    if (from === undefined || to === undefined) return;
    const time = ({ atUnixMs }: TrendPoint) => timeOfDay(atUnixMs, LANGUAGE, "seconds");
    this.#span.textContent = STRINGS.trendSpan(trend.length, time(from), time(to));
    this.#charts.replaceChildren(...CHARTS.map(({ title, series }) => chart(title, series, trend)));
    this.#rows.replaceChildren(...SERIES.map((series) => row(series, trend)));
  }
}

function row(series: TrendSeries, trend: readonly TrendPoint[]): HTMLElement {
  const values = trend.flatMap((point) => point[series] ?? []);
  const [first = null, now = null] = [values[0] ?? null, values.at(-1) ?? null];
  const figure = (text: string) => element("td", { class: "figure" }, text);
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, swatch(series), STRINGS.series[series]),
    figure(size(first)),
    figure(size(now)),
    figure(first === null || now === null ? "?" : change(now - first)),
    figure(values.length === 0 ? "?" : size(values.reduce((least, value) => Math.min(least, value)))),
    figure(values.length === 0 ? "?" : size(values.reduce((most, value) => Math.max(most, value)))),
  );
}

function swatch(series: TrendSeries): HTMLElement {
  return element("span", { class: `swatch series-${series}`, "aria-hidden": "true" });
}

function chart(title: string, series: readonly TrendSeries[], trend: readonly TrendPoint[]): HTMLElement {
  const most = Math.max(...series.flatMap((name) => trend.map((point) => point[name] ?? 0)), 1);
  const top = niceAbove(most);
  const [from, to] = [trend[0]?.atUnixMs ?? 0, trend.at(-1)?.atUnixMs ?? 0];
  const x = ({ atUnixMs }: TrendPoint) => (to === from ? 0 : ((atUnixMs - from) / (to - from)) * WIDTH);
  const y = (bytes: number) => HEIGHT - (bytes / top) * HEIGHT;
  const drawing = svg("svg", {
    viewBox: `0 0 ${String(WIDTH)} ${String(HEIGHT)}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  for (let line = 0; line <= LINES; line++) {
    const at = String((HEIGHT * line) / LINES);
    drawing.append(svg("line", { class: "axis", x1: "0", x2: String(WIDTH), y1: at, y2: at }));
  }
  for (const name of series)
    for (const points of unbroken(name, trend))
      drawing.append(
        polyline(
          name,
          points.map((point) => `${x(point).toFixed(1)},${y(point[name] ?? 0).toFixed(1)}`),
        ),
      );
  const labels = Array.from({ length: LINES + 1 }, (_, line) =>
    element("span", {}, size((top * (LINES - line)) / LINES)),
  );
  const names = series.map((name) => STRINGS.series[name]).join(", ");
  const legend = series.map((name) =>
    element(
      "li",
      {},
      swatch(name),
      STRINGS.series[name],
      " ",
      element("span", { class: "figure" }, size(trend.at(-1)?.[name])),
    ),
  );
  return element(
    "section",
    { class: "chart" },
    element("h2", {}, title),
    element(
      "div",
      { class: "chart-body" },
      element("div", { class: "chart-labels", "aria-hidden": "true" }, ...labels),
      element("div", { class: "chart-lines", role: "img", "aria-label": STRINGS.trendSummary(names) }, drawing),
    ),
    element("ul", { class: "legend line" }, ...legend),
  );
}

/** Where the kernel reported nothing, a line is broken. */
function unbroken(series: TrendSeries, trend: readonly TrendPoint[]): TrendPoint[][] {
  const parts: TrendPoint[][] = [[]];
  for (const point of trend) {
    if (point[series] === null) parts.push([]);
    else parts.at(-1)?.push(point);
  }
  return parts.filter((part) => part.length > 0);
}

/** A single look is a dot: a line of no length with round ends. */
function polyline(series: TrendSeries, points: readonly string[]): SVGElement {
  const [only = ""] = points;
  return svg("polyline", {
    class: `trend-line series-${series}`,
    points: (points.length === 1 ? [only, only] : points).join(" "),
    "vector-effect": "non-scaling-stroke",
  });
}

/** The next of 1, 2, 4 and 8 times a power of ten, so that quarters of it are short figures. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 8].find((step) => step * power >= value) ?? 10);
}

function svg(tag: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
