// Controls that choose which samples or rows a page shows. A page that is written as a document has no controls: there
// they are text.

/** As the controls of VS Code Elements are. */
export interface FilterControl extends HTMLElement {
  readonly label: string;
  readonly value: string;
  readonly checked?: boolean;
}

const MARK = "data-filter";
/** Selector of these controls. */
export const FILTERS = `[${MARK}]`;

/** Marks a control as one of these. */
export function asFilter<Control extends HTMLElement>(control: Control): Control {
  control.setAttribute(MARK, "");
  return control;
}

/** Empty where everything passes. */
export function filterText(control: FilterControl): string {
  const { localName, label, value } = control;
  if (localName === "vscode-checkbox") return control.checked === true ? label : "";
  if (value === "") return "";
  const options = [...control.querySelectorAll("vscode-option")];
  const option = options.find((each) => each.getAttribute("value") === value);
  return `${label}: ${option?.textContent ?? value}`;
}
