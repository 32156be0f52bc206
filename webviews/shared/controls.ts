// Controls of VS Code Elements, with what they need to be used from the keyboard and by screen readers.

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import { element } from "./dom.js";

type Button = HTMLElementTagNameMap["vscode-button"];
type Checkbox = HTMLElementTagNameMap["vscode-checkbox"];
type Textfield = HTMLElementTagNameMap["vscode-textfield"];

export function button(label: string, title: string, onPress: () => void, primary = false): Button {
  const made = element("vscode-button", { title }, label);
  made.secondary = !primary;
  made.addEventListener("click", onPress);
  return made;
}

export function checkbox(label: string, title: string, onChange: (checked: boolean) => void): Checkbox {
  const made = element("vscode-checkbox", { title });
  made.label = label;
  made.addEventListener("change", () => onChange(made.checked));
  return made;
}

export function textField(label: string, placeholder: string, onInput: (value: string) => void): Textfield {
  const made = element("vscode-textfield", {});
  made.label = label;
  made.placeholder = placeholder;
  made.addEventListener("input", () => onInput(made.value));
  return made;
}
