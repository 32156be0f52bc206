// Time on a processor, ready and waiting as shares of one bar.

import { element } from "../elements/dom.js";
import { percent, share } from "../words/figures.js";
import { STRINGS } from "./strings.js";

const PARTS = ["cpu", "ready", "waiting"] as const;
export type Times = Readonly<Record<(typeof PARTS)[number], number>>;

/** @param of the time that all of the bar stands for; the parts together where they are more */
export function timeBar(times: Times, of = 0): [HTMLElement, HTMLElement] {
  const whole = Math.max(of, times.cpu + times.ready + times.waiting);
  const parts = PARTS.map((part) => {
    const made = element("span", { class: `time-${part}` });
    made.style.setProperty("inline-size", `${String(share(times[part], whole) * 100)}%`);
    return made;
  });
  const [cpu, ready, waiting] = PARTS.map((part) => percent(times[part], whole));
  const bar = element(
    "span",
    { class: "time-bar", "aria-hidden": "true", title: STRINGS.shares(cpu ?? "", ready ?? "", waiting ?? "") },
    ...parts,
  );
  return [bar, element("span", { class: "time-share" }, STRINGS.cpuShare(cpu ?? ""))];
}

/** The meaning of the colours of a bar. */
export function barLegend(): HTMLElement {
  const entries = PARTS.map((part) =>
    element(
      "span",
      { class: "legend-entry" },
      element("span", { class: `legend-colour time-${part}`, "aria-hidden": "true" }),
      STRINGS.parts[part],
    ),
  );
  return element("p", { class: "line legend" }, ...entries);
}

/** The value that a bar is sorted by. */
export function cpuShare(times: Times, of = 0): number {
  return share(times.cpu, Math.max(of, times.cpu + times.ready + times.waiting));
}
