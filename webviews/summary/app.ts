// The summary: a headline, the hottest lines as links, and what to do next.

import { wholeOf } from "../../contract/capture-answers.js";
import { marked } from "../../contract/figures.js";
import type { SavedState, SentencePart, SummaryData, ToHost, ToWebview } from "../../contract/messages/summary.js";
import { ClassSplitView, classParts } from "../elements/class-split.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { connectHost } from "../page/host.js";
import { Notice, waysOut } from "../page/notice.js";
import { percent } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { STRINGS } from "./strings.js";

/** A link to source, and its figures. */
interface HotPlace {
  readonly label: string;
  readonly title: string;
  readonly name: string;
  readonly text: string;
  readonly samples: number;
  readonly open: ToHost;
}

export class SummaryApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #body: HTMLElement;
  readonly #totals = element("p", { class: "quiet" });
  readonly #headline = element("h1", { class: "headline" });
  readonly #details = element("p", { class: "details" });
  readonly #split = new ClassSplitView({ ask: STRINGS.blame }, (query) => this.#host.send({ type: "blame", query }));
  readonly #placesTitle = element("h2");
  readonly #places = element("ol", { class: "places" });
  readonly #noPlaces = element("p", { class: "quiet" });
  readonly #steps = element("ul", { class: "steps" });
  readonly #problems = element("ul");
  readonly #problemsBox = element("section", {}, element("h2", {}, STRINGS.problems), this.#problems);
  readonly #announcer = element("div", { class: "unseen", role: "status" });
  /** What a list was made of: a refresh that changes nothing keeps the focus. */
  readonly #made = new Map<HTMLElement, string>();

  constructor(root: HTMLElement) {
    this.#body = element(
      "main",
      { class: "body summary", hidden: true },
      this.#headline,
      this.#details,
      this.#totals,
      this.#split.element,
      element("section", {}, this.#placesTitle, this.#places, this.#noPlaces),
      element("section", { class: "in-editor" }, element("h2", {}, STRINGS.steps), this.#steps),
      this.#problemsBox,
      element(
        "div",
        { class: "in-editor" },
        button(STRINGS.copy, STRINGS.copyHelp, () => this.#host.send({ type: "copy" })),
      ),
    );
    root.append(this.#notice.element, this.#body, this.#announcer);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready" });
  }

  #receive(message: ToWebview): void {
    if (message.type === "empty") {
      this.#body.hidden = true;
      return this.#notice.say(
        message.text,
        waysOut(message.actions, (request) => this.#host.send(request)),
      );
    }
    this.#notice.hide();
    this.#body.hidden = false;
    this.#show(message);
    this.#host.save({ uri: message.uri });
  }

  #show(data: SummaryData): void {
    const { busy } = classParts(data.split);
    this.#totals.replaceChildren(
      nameText(data.title),
      ` · ${STRINGS.totals(data.samples, data.busy, data.samples - data.busy, data.unit)}`,
      ...(data.live ? [` · ${SHARED_STRINGS.live}`] : []),
    );
    this.#remake(this.#headline, data.headline, () => {
      this.#announcer.textContent = data.headline.map((part) => (typeof part === "string" ? part : part.name)).join("");
      return data.headline.map((part) => this.#sentencePart(part));
    });
    this.#details.textContent = data.details.join(" ");
    this.#details.hidden = data.details.length === 0;
    this.#split.show(busy, { of: wholeOf(data, data.percentOf), label: STRINGS.split(data.percentOf, data.unit) }, "");
    this.#showPlaces(data);
    this.#remake(this.#steps, data.steps, () =>
      data.steps.map(({ action, label, help }, index) =>
        element(
          "li",
          {},
          button(label, help, () => this.#host.send({ type: "step", action }), index === 0),
          element("span", { class: "quiet" }, help),
        ),
      ),
    );
    this.#problemsBox.hidden = data.problems.length === 0;
    this.#remake(this.#problems, data.problems, () => data.problems.map((problem) => element("li", {}, problem)));
  }

  #showPlaces(data: SummaryData): void {
    const { lines, functions } = data;
    const places = lines === null || lines.length > 0 ? linePlaces(data) : functionPlaces(data);
    this.#placesTitle.textContent = lines?.length === 0 ? STRINGS.functions : STRINGS.lines;
    const note =
      lines === null
        ? STRINGS.linesLoading
        : lines.length > 0
          ? ""
          : functions.length > 0
            ? STRINGS.noLines
            : STRINGS.noFunctions;
    this.#noPlaces.textContent = note;
    this.#noPlaces.hidden = note === "";
    const whole = wholeOf(data, data.percentOf);
    this.#places.hidden = places.length === 0;
    const { percentOf, minimumSamples, unit } = data;
    this.#remake(this.#places, [places, whole, percentOf, minimumSamples, unit], () =>
      places.map((place) => this.#place(place, whole, data)),
    );
  }

  #place(
    { label, title, name, text, samples, open }: HotPlace,
    whole: number,
    { percentOf, minimumSamples, unit }: Pick<SummaryData, "percentOf" | "minimumSamples" | "unit">,
  ) {
    const link = element("button", { type: "button", class: "link", title }, nameText(label));
    link.addEventListener("click", () => this.#host.send(open));
    const share = STRINGS.share(samples, whole, percentOf, unit);
    const help = samples < minimumSamples ? `${share}. ${SHARED_STRINGS.tooFew(minimumSamples)}` : share;
    const figure = element("span", { class: "figure", title: help });
    figure.append(marked(percent(samples, whole), samples, minimumSamples));
    return element(
      "li",
      {},
      element("div", { class: "place-head" }, figure, link, ...(name === "" ? [] : [nameText(name, "name quiet")])),
      ...(text === "" ? [] : [element("code", { class: "source", dir: "ltr" }, text)]),
    );
  }

  #sentencePart(part: SentencePart): Node | string {
    if (typeof part === "string") return part;
    const { functionIndex, name } = part;
    const link = element(
      "button",
      { type: "button", class: "link", title: STRINGS.openFunction(name) },
      nameText(name),
    );
    link.addEventListener("click", () => this.#host.send({ type: "openFunction", functionIndex }));
    return link;
  }

  /** Fills an element anew when its data has changed; the focus stays at its place in it. */
  #remake(list: HTMLElement, data: unknown, children: () => (Node | string)[]): void {
    const made = JSON.stringify(data);
    if (this.#made.get(list) === made) return;
    this.#made.set(list, made);
    const controls = () => [...list.querySelectorAll<HTMLElement>("button, vscode-button")];
    const focused = controls().indexOf(document.activeElement as HTMLElement);
    list.replaceChildren(...children());
    if (focused >= 0) controls()[focused]?.focus();
  }
}

function linePlaces({ lines }: SummaryData): HotPlace[] {
  return (lines ?? []).map(({ place, name, samples, text }, index) => ({
    label: place,
    title: STRINGS.openLine(place),
    name,
    text,
    samples,
    open: { type: "openLine", index },
  }));
}

function functionPlaces({ functions }: SummaryData): HotPlace[] {
  return functions.map(({ functionIndex, name, samples }) => ({
    label: name,
    title: STRINGS.openFunction(name),
    name: "",
    text: "",
    samples,
    open: { type: "openFunction", functionIndex },
  }));
}
