// Below the table: the commits that touched a function.

import type { AskingWhose, ShownCommit, ShownTouch, WhoseLines } from "../../contract/messages/whose-line.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { WHOSE_STRINGS } from "./whose-strings.js";

export interface WhoseEvents {
  /** Numbers of a commit and of one of the places that it touched. */
  open(commit: number, touch: number): void;
  /** The answer is no longer needed. */
  stop(): void;
  /** It was put away: the focus belongs to where it came from. */
  closed(): void;
}

export class WhoseSection {
  readonly #title = element("h2", { id: "whose-title", tabindex: "-1" });
  readonly #content = element("div", { class: "whose-content", "aria-live": "polite" });
  readonly #events: WhoseEvents;
  #isAsking = false;
  readonly element: HTMLElement;

  constructor(events: WhoseEvents) {
    this.#events = events;
    this.element = element(
      "section",
      { class: "whose", "aria-labelledby": "whose-title", hidden: true },
      element(
        "div",
        { class: "line whose-head" },
        this.#title,
        button(WHOSE_STRINGS.close, WHOSE_STRINGS.close, () => this.#close()),
      ),
      this.#content,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.#close();
    });
  }

  asking({ name }: AskingWhose): void {
    this.#isAsking = true;
    this.#show(
      name,
      element(
        "p",
        { class: "line" },
        WHOSE_STRINGS.asking,
        button(WHOSE_STRINGS.stop, WHOSE_STRINGS.stop, () => this.#close()),
      ),
    );
    this.#title.focus();
  }

  show({ name, range, commits, notes }: WhoseLines): void {
    this.#isAsking = false;
    const list = element("ol", { class: "whose-commits" }, ...commits.map((commit, at) => this.#commit(commit, at)));
    this.#show(
      name,
      ...(range === null
        ? []
        : [
            element(
              "p",
              { class: "quiet" },
              WHOSE_STRINGS.range(range),
              " ",
              commits.length > 0 ? WHOSE_STRINGS.order : "",
            ),
          ]),
      ...(notes.length === 0
        ? []
        : [element("ul", { class: "whose-notes" }, ...notes.map((note) => element("li", {}, note)))]),
      ...(commits.length > 0 ? [list] : range === null ? [] : [element("p", {}, WHOSE_STRINGS.none)]),
    );
  }

  /** The function that it was about is not shown any longer. */
  hide(): void {
    this.#isAsking = false;
    this.element.hidden = true;
  }

  #show(name: string, ...content: Node[]): void {
    this.element.hidden = false;
    this.#title.replaceChildren(nameText(WHOSE_STRINGS.title(name)));
    this.#content.replaceChildren(...content);
  }

  #close(): void {
    if (this.#isAsking) this.#events.stop();
    this.hide();
    this.#events.closed();
  }

  #commit(commit: ShownCommit, at: number): HTMLElement {
    const isCommitted = commit.commit !== "";
    const name = isCommitted
      ? element("code", {}, commit.commit)
      : element("strong", { title: WHOSE_STRINGS.notCommittedHelp }, WHOSE_STRINGS.notCommitted);
    const about = [commit.author, WHOSE_STRINGS.date(commit)].filter((part) => part !== "");
    return element(
      "li",
      {},
      element(
        "div",
        { class: "whose-commit" },
        name,
        nameText(commit.subject, "whose-subject"),
        ...(commit.isMerge ? [element("span", { class: "whose-merge" }, WHOSE_STRINGS.merge)] : []),
        ...about.map((part) => nameText(part, "quiet")),
      ),
      element("ul", {}, ...commit.touches.map((touch, index) => this.#touch(commit, touch, at, index))),
    );
  }

  #touch(commit: ShownCommit, touch: ShownTouch, at: number, index: number): HTMLElement {
    const title = WHOSE_STRINGS.open(touch.place, commit.commit);
    const link = element("button", { type: "button", class: "whose-link", title, "aria-label": title }, touch.place);
    link.addEventListener("click", () => this.#events.open(at, index));
    return element("li", {}, link, " ", nameText(WHOSE_STRINGS.touched(touch), ""));
  }
}
