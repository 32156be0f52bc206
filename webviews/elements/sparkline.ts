// A small line of values over time. For the eye alone: the figure beside it and the title have the same content.

import { HEIGHT, pathOf, WIDTH } from "./sparkline-path.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param points  place in time and value, in the order of time; places that are not beside each other are not joined
 * @param last    the place at the right edge
 * @param places  how many places there are in all
 */
export function sparkline(
  points: readonly (readonly [place: number, value: number])[],
  last: number,
  places: number,
): SVGSVGElement {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("class", "sparkline");
  made.setAttribute("viewBox", `0 0 ${String(WIDTH)} ${String(HEIGHT)}`);
  made.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", pathOf(points, last, places));
  made.append(line);
  return made;
}
