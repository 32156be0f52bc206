// Elements without markup strings: names from a profiled VM are text, never HTML.

type Attributes = Record<string, string | boolean>;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "string") made.setAttribute(name, value);
    else made.toggleAttribute(name, value);
  }
  made.append(...children);
  return made;
}

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
