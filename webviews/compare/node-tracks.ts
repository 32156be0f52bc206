// The figures of the VMs of both sides during the captures: averages, and how far the captures of a side lie apart.

import type { TrackChange, TrackKind, TrackMean } from "../../contract/editor-module.generated.js";
import { memorySize } from "../../contract/figures.js";
import { element } from "../elements/dom.js";
import { decimal, count, LANGUAGE } from "../words/figures.js";
import { STRINGS } from "./strings.js";

/** Below this, figures have a digit behind the point. */
const SMALL = 100;

/** Hidden where one of the sides has no figures. */
export class NodeTracks {
  readonly #rows = element("tbody");
  readonly element = element(
    "details",
    { class: "tracks", hidden: true },
    element("summary", {}, STRINGS.tracks),
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ...[STRINGS.trackColumn, STRINGS.columns.base.title, STRINGS.columns.new.title, STRINGS.verdict].map(
            (label) => element("th", { scope: "col" }, label),
          ),
        ),
      ),
      this.#rows,
    ),
  );

  show(changes: readonly TrackChange[]): void {
    this.element.hidden = changes.length === 0;
    this.#rows.replaceChildren(
      ...changes.map(({ track, base, new: newer, verdict }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, STRINGS.trackNames[track]),
          element("td", { class: "figure" }, meanText(track, base)),
          element("td", { class: "figure" }, meanText(track, newer)),
          element("td", {}, verdict === null ? "" : STRINGS.trackVerdicts[verdict]),
        ),
      ),
    );
  }
}

function meanText(track: TrackKind, { captures, mean, least, most }: TrackMean): string {
  const text = figure(track, mean);
  return captures === 1 ? text : STRINGS.meanWithin(text, figure(track, least), figure(track, most));
}

function figure(track: TrackKind, value: number): string {
  if (track === "memory" || track === "rss" || track === "ioRate") return memorySize(value, LANGUAGE);
  return value < SMALL ? decimal(value) : count(Math.round(value));
}
