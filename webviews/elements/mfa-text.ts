// Names of functions where room is short: cut in the middle, so that the start of the module and the function with its arity stay.

import { element } from "./dom.js";
import { nameParts } from "./name-parts.js";

/** Characters that stay of the module, and of the start of the function. */
const MODULE_STAYS = 6;
const START_STAYS = 4;

/** The caller sets a title with the whole name. @param className of the whole */
export function mfaText(name: string, className = "name"): HTMLElement {
  const { module, start, end } = nameParts(name);
  const part = (text: string, stays: number, cssClass: string) => {
    const made = element("span", { class: cssClass }, text);
    made.style.minInlineSize = `${Math.min(text.length, stays)}ch`;
    return made;
  };
  return element(
    "bdi",
    { class: `${className} mfa`, dir: "ltr" },
    ...(module === "" ? [] : [part(module, MODULE_STAYS, "mfa-module")]),
    ...(start === "" ? [] : [part(start, START_STAYS, "mfa-start")]),
    element("span", { class: "mfa-end" }, end),
  );
}
