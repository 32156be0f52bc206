// Elements without markup strings: names from a profiled VM are text, never HTML.

type Attributes = Record<string, string | boolean>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "string") made.setAttribute(name, value);
    else made.toggleAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** A name from the VM: whatever writing direction is in it stays in it. */
export function nameText(name: string, className = "name"): HTMLElement {
  return element("bdi", { class: className, dir: "ltr" }, name);
}
