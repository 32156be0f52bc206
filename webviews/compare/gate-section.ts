// The conditions of the comparison, each in a field with its answer below it; an empty field takes another.

import {
  LONGEST_CONDITION,
  MOST_CONDITIONS,
  type ComparedGate,
  type ComparedNote,
} from "../../contract/messages/compare.js";
import { element } from "../elements/dom.js";
import { ANSWER_SIGNS, gateText } from "./gate-words.js";
import { STRINGS } from "./strings.js";

const TITLE_ID = "gate-title";
const EXAMPLE = "whole.slower>3%";

export class GateSection {
  readonly #rows = element("ul");
  readonly element = element(
    "section",
    { class: "gates", "aria-labelledby": TITLE_ID },
    element("h2", { id: TITLE_ID }, STRINGS.gate),
    this.#rows,
  );
  readonly #changed: (conditions: readonly string[]) => void;
  #fields: HTMLInputElement[] = [];
  /** The field in which Enter was the last key. */
  #pressed = -1;
  /** The field that Enter has left: it has the keyboard again with its answer. */
  #entered = -1;

  /** @param changed   gets all conditions once one of them was changed */
  constructor(changed: (conditions: readonly string[]) => void) {
    this.#changed = changed;
  }

  /** @param notes   those of the comparison */
  show(gates: readonly ComparedGate[], notes: readonly ComparedNote[]): void {
    const another = gates.length < MOST_CONDITIONS ? [null] : [];
    this.#fields = [];
    this.#rows.replaceChildren(...[...gates, ...another].map((gate, at) => this.#row(gate, at, notes)));
    this.#fields[Math.min(this.#entered, this.#fields.length - 1)]?.focus();
    this.#entered = -1;
  }

  #row(gate: ComparedGate | null, at: number, notes: readonly ComparedNote[]): HTMLElement {
    const field = element("input", {
      type: "text",
      spellcheck: "false",
      autocomplete: "off",
      "aria-label": gate === null ? STRINGS.anotherCondition : STRINGS.condition,
      title: STRINGS.conditionHelp,
      placeholder: EXAMPLE,
      maxlength: String(LONGEST_CONDITION),
    });
    field.value = gate?.condition ?? "";
    field.addEventListener("keydown", ({ key }) => {
      this.#pressed = key === "Enter" ? at : -1;
    });
    field.addEventListener("change", () => {
      // One that an answer replaced while it was edited.
      if (this.#fields[at] !== field) return;
      this.#entered = this.#pressed;
      this.#changed(this.#fields.map(({ value }) => value));
    });
    this.#fields.push(field);
    if (gate === null) return element("li", {}, field);
    const id = `gate-answer-${at}`;
    field.setAttribute("aria-describedby", id);
    if (gate.gate === null) field.setAttribute("aria-invalid", "true");
    const sign = gate.gate === null ? "!" : ANSWER_SIGNS[gate.gate.answer];
    const answer = element(
      "p",
      { id, class: `gate-answer ${gate.gate?.answer ?? "unanswered"}` },
      element("span", { class: "sign", "aria-hidden": "true" }, sign),
      element("span", {}, gateText(gate, notes)),
    );
    return element("li", {}, field, answer);
  }
}
