// Tabs: one part of the page at a time, moved through by the arrow keys.

import { element } from "./dom.js";

export interface TabPart<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly content: HTMLElement;
}

export class Tabs<Id extends string> {
  readonly element: HTMLElement;
  readonly #parts: readonly TabPart<Id>[];
  readonly #buttons: readonly HTMLButtonElement[];
  readonly #chosen: (id: Id) => void;

  constructor(label: string, parts: readonly TabPart<Id>[], chosen: (id: Id) => void) {
    this.#parts = parts;
    this.#chosen = chosen;
    this.#buttons = parts.map(({ id, label: text, content }) => {
      const made = element(
        "button",
        { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` },
        text,
      );
      made.addEventListener("click", () => this.#choose(id));
      content.id = `panel-${id}`;
      content.setAttribute("role", "tabpanel");
      content.setAttribute("aria-labelledby", `tab-${id}`);
      return made;
    });
    this.element = element("div", { class: "tabs", role: "tablist", "aria-label": label }, ...this.#buttons);
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  show(id: Id): void {
    this.#parts.forEach((part, index) => {
      const isShown = part.id === id;
      part.content.hidden = !isShown;
      this.#buttons[index]?.setAttribute("aria-selected", String(isShown));
      this.#buttons[index]?.setAttribute("tabindex", isShown ? "0" : "-1");
    });
  }

  /** The part in sight. */
  focus(): void {
    this.#buttons.find((made) => made.getAttribute("aria-selected") === "true")?.focus();
  }

  #choose(id: Id): void {
    this.show(id);
    this.#chosen(id);
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#buttons.indexOf(document.activeElement as HTMLButtonElement);
    const last = this.#buttons.length - 1;
    const moves: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const to = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    const part = to === undefined ? undefined : this.#parts[to];
    if (at < 0 || to === undefined || part === undefined) return;
    event.preventDefault();
    this.#buttons[to]?.focus();
    this.#choose(part.id);
  }
}
