// Controls of VS Code Elements, made fit for the keyboard and for screen readers.

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import { element } from "./dom.js";

export type Button = HTMLElementTagNameMap["vscode-button"];
export type Checkbox = HTMLElementTagNameMap["vscode-checkbox"];
export type TextField = HTMLElementTagNameMap["vscode-textfield"];

export function button(label: string, title: string, onPress: () => void, primary = false): Button {
  const made = element("vscode-button", { title }, label);
  made.secondary = !primary;
  made.addEventListener("click", onPress);
  // Space would scroll the container of the button. Enter would also choose from a menu that the press has opened.
  made.addEventListener("keydown", (event) => {
    if (event.key === " " || event.key === "Enter") event.preventDefault();
  });
  return made;
}

/** A button that is on or off. */
export function toggle(label: string, title: string, onPress: () => void): Button {
  const made = button(label, title, onPress);
  setPressed(made, false);
  return made;
}

export function setPressed(made: Button, pressed: boolean): void {
  made.setAttribute("aria-pressed", String(pressed));
  made.secondary = !pressed;
}

/** @param title empty when the label alone is clear */
export function checkbox(label: string, title: string, onChange: (checked: boolean) => void): Checkbox {
  const made = element("vscode-checkbox", title === "" ? {} : { title });
  made.label = label;
  made.addEventListener("change", () => onChange(made.checked));
  return made;
}

/** For searches. */
export function textField(label: string, placeholder: string, onInput: (text: string) => void): TextField {
  const made = element("vscode-textfield", { title: label });
  made.type = "search";
  made.label = label;
  made.placeholder = placeholder;
  made.spellcheck = false;
  made.addEventListener("input", () => onInput(made.value));
  return made;
}
