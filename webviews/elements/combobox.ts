// A text field with a list below it: choose one of many, or type a text that is not in the list.

import { count } from "../words/figures.js";
import { findChoices, type Choice } from "./choice-search.js";
import { element, nameText } from "./dom.js";

const MOST_SHOWN = 100;

export interface ComboboxTexts {
  readonly label: string;
  readonly placeholder: string;
  readonly group: string;
  readonly open: string;
  /** For the text as it was typed. */
  free(typed: string): string;
  samples(samples: number): string;
}

export class Combobox {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  readonly #texts: ComboboxTexts;
  readonly #chosen: (value: string) => void;
  #choices: readonly Choice[] = [];
  #shown: readonly string[] = [];
  #value = "";
  #active = -1;

  constructor(id: string, texts: ComboboxTexts, chosen: (value: string) => void) {
    this.#texts = texts;
    this.#chosen = chosen;
    this.#list = element("ul", {
      class: "combobox-list",
      id: `${id}-list`,
      role: "listbox",
      "aria-label": texts.label,
      hidden: true,
    });
    this.#input = element("input", {
      id,
      type: "text",
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": texts.label,
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": `${id}-list`,
      placeholder: texts.placeholder,
    });
    const arrow = element(
      "button",
      { type: "button", class: "combobox-arrow", tabindex: "-1", "aria-label": texts.open },
      "▾",
    );
    this.element = element("div", { class: "combobox" }, this.#input, arrow, this.#list);
    this.#input.addEventListener("input", () => this.#open(this.#input.value));
    this.#input.addEventListener("click", () => this.#list.hidden && this.#open(""));
    this.#input.addEventListener("focus", () => this.#input.select());
    this.#input.addEventListener("keydown", (event) => this.#onKey(event));
    this.#input.addEventListener("blur", () => this.#leave());
    // Pressing in the list must not take the focus from the field.
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", (event) => {
      const index = [...this.#list.children].indexOf((event.target as HTMLElement).closest("li") as HTMLElement);
      if (index >= 0) this.#choose(this.#shown[index] ?? "");
    });
    arrow.addEventListener("mousedown", (event) => event.preventDefault());
    arrow.addEventListener("click", () => {
      this.#input.focus();
      if (this.#list.hidden) this.#open("");
      else this.#close();
    });
  }

  focus(): void {
    this.#input.focus();
  }

  /** New choices; an open list is left alone until the next key. */
  setChoices(choices: readonly Choice[], value: string): void {
    this.#choices = choices;
    if (this.#value === value) return;
    this.#value = value;
    if (document.activeElement !== this.#input || this.#list.hidden) this.#input.value = value;
  }

  #open(typed: string): void {
    const found = findChoices(this.#choices, typed, MOST_SHOWN);
    const text = typed.trim();
    const isFree = text !== "" && !found.some(({ value }) => value === text);
    this.#shown = [...found.map(({ value }) => value), ...(isFree ? [text] : [])];
    const entries = found.map(({ value, isGroup, samples }) => [
      nameText(value),
      element(
        "span",
        { class: "combobox-note" },
        isGroup ? `${this.#texts.group} · ${this.#texts.samples(samples)}` : count(samples),
      ),
    ]);
    if (isFree) entries.push([element("span", { class: "name" }, this.#texts.free(text)), element("span", {})]);
    this.#list.replaceChildren(
      ...entries.map((entry, index) =>
        element(
          "li",
          {
            role: "option",
            id: `${this.#input.id}-${index}`,
            "aria-selected": String(this.#shown[index] === this.#value),
          },
          ...entry,
        ),
      ),
    );
    this.#list.hidden = this.#shown.length === 0;
    this.#input.setAttribute("aria-expanded", String(!this.#list.hidden));
    this.#activate(text === "" ? this.#shown.indexOf(this.#value) : this.#shown.length > 0 ? 0 : -1);
  }

  #close(): void {
    this.#list.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
    this.#active = -1;
  }

  #leave(): void {
    this.#close();
    this.#input.value = this.#value;
  }

  #activate(index: number): void {
    this.#active = index;
    [...this.#list.children].forEach((entry, at) => entry.classList.toggle("active", at === index));
    const entry = this.#list.children[index];
    if (entry) {
      this.#input.setAttribute("aria-activedescendant", entry.id);
      entry.scrollIntoView({ block: "nearest" });
    } else {
      this.#input.removeAttribute("aria-activedescendant");
    }
  }

  #choose(value: string): void {
    this.#close();
    if (value === "") return;
    this.#value = value;
    this.#input.value = value;
    this.#chosen(value);
  }

  #onKey(event: KeyboardEvent): void {
    const isOpen = !this.#list.hidden;
    const last = this.#shown.length - 1;
    switch (event.key) {
      case "ArrowDown":
        if (isOpen) this.#activate(this.#active >= last ? 0 : this.#active + 1);
        else this.#open("");
        break;
      case "ArrowUp":
        if (isOpen) this.#activate(this.#active <= 0 ? last : this.#active - 1);
        else this.#open("");
        break;
      case "Enter":
        this.#choose(isOpen ? (this.#shown[this.#active] ?? this.#input.value.trim()) : this.#input.value.trim());
        break;
      case "Escape":
        if (!isOpen) return;
        this.#leave();
        break;
      default:
        return;
    }
    event.preventDefault();
  }
}
