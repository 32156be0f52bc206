// A choice of a few. Apart from the other controls because it weighs as much as all of them.

import "@vscode-elements/elements/dist/vscode-option/index.js";
import "@vscode-elements/elements/dist/vscode-single-select/index.js";
import { element } from "./dom.js";

type SingleSelect = HTMLElementTagNameMap["vscode-single-select"];

/** @param options value and label of each */
export function singleSelect(
  label: string,
  options: readonly (readonly [string, string])[],
  value: string,
  onChange: (value: string) => void,
): SingleSelect {
  const made = element(
    "vscode-single-select",
    {},
    ...options.map(([id, text]) => element("vscode-option", { value: id, selected: id === value }, text)),
  );
  made.label = label;
  made.addEventListener("change", () => onChange(made.value));
  return made;
}
