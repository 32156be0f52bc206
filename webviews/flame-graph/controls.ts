// The editor's own look for standard controls.

import { VscodeButton } from "@vscode-elements/elements/dist/vscode-button/vscode-button.js";
import { VscodeCheckbox } from "@vscode-elements/elements/dist/vscode-checkbox/vscode-checkbox.js";
import { VscodeTextfield } from "@vscode-elements/elements/dist/vscode-textfield/vscode-textfield.js";

export type Words = readonly [label: string, title: string];

export function button([label, title]: Words, onPress: () => void): VscodeButton {
  const made = new VscodeButton();
  made.secondary = true;
  made.textContent = label;
  made.title = title;
  made.addEventListener("click", onPress);
  // Space would scroll what the button is in.
  made.addEventListener("keydown", (event) => {
    if (event.key === " ") event.preventDefault();
  });
  return made;
}

/** A button that is on or off. */
export function toggle(words: Words, onPress: () => void): VscodeButton {
  const made = button(words, onPress);
  setPressed(made, false);
  return made;
}

export function setPressed(made: VscodeButton, pressed: boolean): void {
  made.setAttribute("aria-pressed", String(pressed));
  made.secondary = !pressed;
}

export function textField(label: string, placeholder: string, onInput: (text: string) => void): VscodeTextfield {
  const made = new VscodeTextfield();
  made.type = "search";
  made.label = label;
  made.placeholder = placeholder;
  made.title = label;
  made.spellcheck = false;
  made.addEventListener("input", () => onInput(made.value));
  return made;
}

export function checkbox(label: string, checked: boolean, onChange: (checked: boolean) => void): VscodeCheckbox {
  const made = new VscodeCheckbox();
  made.label = label;
  made.checked = checked;
  made.addEventListener("change", () => onChange(made.checked));
  return made;
}

export type { VscodeButton, VscodeCheckbox, VscodeTextfield };
