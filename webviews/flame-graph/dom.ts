// Buttons of the flame graph.

import { element } from "../shared/dom.js";

export { element };

export function button(label: string, title: string, onPress: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title }, label);
  made.addEventListener("click", onPress);
  return made;
}

/** A button that is on or off. */
export function toggle(label: string, title: string, onPress: () => void): HTMLButtonElement {
  const made = button(label, title, onPress);
  made.setAttribute("aria-pressed", "false");
  return made;
}
