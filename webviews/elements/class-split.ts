// Shares of the classes: a stacked bar for the eye, and the same figures as a list of text.

import type { ClassShare } from "../../contract/capture-answers.js";
import { count, percent, share } from "../words/figures.js";
import { classStyle, classWords } from "../words/sample-classes.js";
import { blameQueryOf, isWork, type ClassWords } from "../../contract/sample-classes.js";
import { element } from "./dom.js";

/** Split into the VM's work, and the time in which it did nothing: asleep, and with a processor of its own. */
export interface ClassParts {
  readonly busy: readonly ClassShare[];
  readonly idle: number;
  readonly busyWait: number;
}

export function classParts(split: readonly ClassShare[]): ClassParts {
  const samplesOf = (wanted: string) => split.find(({ sampleClass }) => sampleClass === wanted)?.samples ?? 0;
  return {
    busy: split.filter(({ sampleClass, samples }) => isWork(sampleClass) && samples > 0),
    idle: samplesOf("idle"),
    busyWait: samplesOf("busy_wait"),
  };
}

export interface ClassSplitTexts {
  ask(label: string, help: string): string;
}

export class ClassSplitView {
  readonly element: HTMLElement;
  readonly #bar = element("div", { class: "split-bar", "aria-hidden": "true" });
  readonly #legend = element("ul", { class: "split-legend" });
  readonly #texts: ClassSplitTexts;
  readonly #ask: (query: string) => void;
  readonly #entries = new Map<string, HTMLElement>();

  constructor(texts: ClassSplitTexts, ask: (query: string) => void) {
    this.#texts = texts;
    this.#ask = ask;
    this.element = element("div", { class: "split" }, this.#bar, this.#legend);
  }

  /** @param of the samples that are 100 %; a bar of less has a gap @param inView the query, which is marked */
  show(
    shares: readonly ClassShare[],
    { of, label }: { readonly of: number; readonly label: string },
    inView: string,
  ): void {
    this.#legend.setAttribute("aria-label", label);
    this.#bar.replaceChildren(
      ...shares.map(({ sampleClass, samples }) => {
        const part = element("div", {
          class: `split-part ${classStyle(sampleClass)}`,
          title: `${classWords(sampleClass).label}: ${percent(samples, of)}`,
        });
        part.style.flexGrow = String(share(samples, of));
        return part;
      }),
    );
    // Entries are kept while they are on screen: a refresh must not take the focus away.
    const wanted = shares.map(({ sampleClass, samples }) => {
      const words = classWords(sampleClass);
      const query = blameQueryOf(sampleClass);
      const entry = this.#entries.get(words.label) ?? this.#entry(words, query, classStyle(sampleClass));
      this.#entries.set(words.label, entry);
      entry.querySelector(".split-figure")?.replaceChildren(percent(samples, of));
      entry.querySelector(".split-samples")?.replaceChildren(count(samples));
      const isChosen = query !== "" && query === inView;
      entry.querySelector("button")?.setAttribute("aria-pressed", String(isChosen));
      return entry;
    });
    const known = [...this.#legend.children];
    if (wanted.length !== known.length || wanted.some((entry, index) => entry !== known[index])) {
      const focused = document.activeElement;
      this.#legend.replaceChildren(...wanted);
      if (focused instanceof HTMLElement && this.#legend.contains(focused)) focused.focus();
    }
  }

  #entry({ label, help }: ClassWords, query: string, style: string): HTMLElement {
    const content = [
      element("span", { class: `swatch ${style}`, "aria-hidden": "true" }),
      element("span", {}, label),
      element("span", { class: "split-figure" }),
      element("span", { class: "split-samples" }),
    ];
    if (query === "") return element("li", { title: help }, element("span", { class: "split-entry" }, ...content));
    const press = element(
      "button",
      { type: "button", class: "split-entry", title: this.#texts.ask(label, help) },
      ...content,
    );
    press.addEventListener("click", () => this.#ask(query));
    return element("li", {}, press);
  }
}
