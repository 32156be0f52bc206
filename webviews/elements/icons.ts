// Buttons with a picture in place of a label. The label is their name for screen readers, and in a menu.

import { button, setPressed, type Button } from "./controls.js";
import { element } from "./dom.js";

/** Lines on 16 by 16. */
const PICTURES = {
  flame: "M2 13h12M4 9.5h8M6 6h4M7 2.5h2",
  inverted: "M5 13V3M2.5 5.5 5 3l2.5 2.5M11 3v10M8.5 10.5 11 13l2.5-2.5",
  hideNative: "M11.5 5.3a4.3 4.3 0 1 0 0 5.4M2 2l12 12",
  hideKernel:
    "M4.5 4.5h7v7h-7zM6.5 4.5v-2M9.5 4.5v-2M6.5 13.5v-2M9.5 13.5v-2M4.5 6.5h-2M4.5 9.5h-2M13.5 6.5h-2M13.5 9.5h-2M2 2l12 12",
  collapseRecursion: "M12.5 8a4.5 4.5 0 1 1-1.6-3.4M12.8 2v3h-3",
  filters: "M2 3h12L9.5 8.5V13l-3-1.5v-3z",
  group: "M2 2.5h12v3H2zM2 8.5h5v5H2zM9 8.5h5v5H9z",
  tree: "M2.5 3h4M8 8h5.5M8 13h5.5M4.5 3v10H8M4.5 8H8",
  unfoldAll: "M4.5 6 8 2.5 11.5 6M4.5 10 8 13.5l3.5-3.5M2.5 8h11",
  resetZoom: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  export: "M8 2v8M5 7l3 3 3-3M2.5 11v2.5h11V11",
  keys: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.4a1.8 1.8 0 1 1 2.4 1.7c-.5.2-.7.5-.7 1.1M8 11.2v.3",
  previous: "M8 13V3M4 7l4-4 4 4",
  next: "M8 3v10M4 9l4 4 4-4",
  more: "M3 7.5h.5v.5H3zM7.75 7.5h.5v.5h-.5zM12.5 7.5h.5v.5h-.5z",
} as const;
export type Icon = keyof typeof PICTURES;

export function iconButton(icon: Icon, label: string, title: string, onPress: () => void): Button {
  const made = button("", title, onPress);
  made.classList.add("icon-button");
  made.setAttribute("aria-label", label);
  made.replaceChildren(picture(icon), element("span", { class: "unseen" }, label));
  return made;
}

/** One that is on or off. */
export function iconToggle(icon: Icon, label: string, title: string, onPress: () => void): Button {
  const made = iconButton(icon, label, title, onPress);
  setPressed(made, false);
  return made;
}

/** A native list under a picture: it opens outside of a narrow panel. */
export function underIcon(icon: Icon, list: HTMLSelectElement): HTMLElement {
  return element("span", { class: "icon-select" }, picture(icon), list);
}

function picture(icon: Icon): SVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", PICTURES[icon]);
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}
