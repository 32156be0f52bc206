// The pane of one process: its facts in the list, and its heap once that was requested.

import type { InsideProblem } from "../../contract/messages/inside.js";
import type { ShownHeap, ShownLine } from "../../contract/messages/processes.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { atLeast, count, memorySize } from "../words/figures.js";
import { HEAP_SECTIONS, type HeapActions } from "./heap-sections.js";
import { HEAP_STRINGS } from "./heap-strings.js";
import { titleOf } from "./line-source.js";
import { problemText } from "./problem-box.js";
import { STRINGS } from "./strings.js";

export interface DetailsActions extends HeapActions {
  askHeap(key: string): void;
  stopHeap(): void;
  openLine(key: string): void;
  closed(): void;
}

export class Details {
  readonly element = element("section", { class: "details", tabindex: "-1", hidden: true });
  readonly #actions: DetailsActions;
  readonly #title = element("h2", {});
  readonly #look = button(HEAP_STRINGS.look, HEAP_STRINGS.lookHelp, () => this.#askOrStop(), true);
  readonly #facts = element("dl", { class: "facts" });
  readonly #note = element("p", { class: "quiet", role: "status" });
  readonly #heap = element("div", { class: "heap" });
  #key = "";
  /** The button is not disabled during that time: that would take the focus from it. */
  #isLooking = false;
  #shownFacts = "";

  constructor(actions: DetailsActions) {
    this.#actions = actions;
    const close = button(HEAP_STRINGS.close, HEAP_STRINGS.closeHelp, () => this.close());
    this.element.append(
      element("div", { class: "line details-head" }, this.#title, element("div", { class: "line" }, this.#look, close)),
      this.#facts,
      this.#note,
      this.#heap,
    );
    // Wherever the focus is, except menus, which keep it for themselves, and the filter, which it empties.
    document.addEventListener("keydown", (event) => {
      if (
        event.key === "Escape" &&
        !event.defaultPrevented &&
        (event.target as HTMLElement).closest("vscode-textfield") === null
      )
        this.close();
    });
  }

  /** Empty while it is closed. */
  get key(): string {
    return this.#key;
  }

  /** Shows a process; one that is shown already gets its figures anew. */
  show(line: ShownLine): void {
    if (line.key !== this.#key) {
      this.#key = line.key;
      this.#shownFacts = "";
      this.#heap.replaceChildren();
      this.#note.textContent = HEAP_STRINGS.notLooked;
      this.#look.textContent = HEAP_STRINGS.look;
      this.#isLooking = false;
    }
    this.element.hidden = false;
    this.#update(line);
  }

  askHeap(): void {
    if (this.#key === "" || this.#isLooking) return;
    this.#isLooking = true;
    this.#note.textContent = HEAP_STRINGS.looking;
    this.#look.textContent = HEAP_STRINGS.stop;
    this.#actions.askHeap(this.#key);
  }

  #askOrStop(): void {
    if (this.#isLooking) this.#actions.stopHeap();
    else this.askHeap();
  }

  showProgress(key: string, bytes: number, percent: number): void {
    if (key === this.#key && this.#isLooking) this.#note.textContent = HEAP_STRINGS.lookingAt(bytes, percent);
  }

  /** The known figures of its heap stay. */
  showStopped(key: string): void {
    if (key === this.#key) this.#answered(HEAP_STRINGS.stopped);
  }

  showHeap(key: string, heap: ShownHeap, time: string): void {
    if (key !== this.#key) return;
    this.#answered(HEAP_STRINGS.taken(time));
    this.#heap.replaceChildren(
      ...HEAP_SECTIONS.flatMap((make) => {
        const made = make(heap, this.#actions);
        return made === null ? [] : [made];
      }),
    );
  }

  /** The known figures of its heap stay. */
  showProblem(key: string, problem: InsideProblem): void {
    if (key === this.#key) this.#answered(problemText(problem));
  }

  close(): void {
    if (this.#key === "") return;
    this.forget();
    this.#actions.closed();
  }

  /** The VM is another. */
  forget(): void {
    this.#key = "";
    this.element.hidden = true;
  }

  #answered(note: string): void {
    this.#isLooking = false;
    this.#look.textContent = HEAP_STRINGS.lookAgain;
    this.#note.replaceChildren(nameText(note));
  }

  #update(line: ShownLine): void {
    const text = JSON.stringify(line);
    const { process } = line;
    if (text === this.#shownFacts || process === null) return;
    this.#shownFacts = text;
    const title = titleOf(line);
    this.element.setAttribute("aria-label", HEAP_STRINGS.details(title));
    this.#title.replaceChildren(
      nameText(title),
      ...(title === process.pid ? [] : [" ", nameText(process.pid, "quiet")]),
    );
    const { facts } = HEAP_STRINGS;
    // A focused link keeps the focus while figures change.
    const wasOnLink = this.#facts.contains(document.activeElement);
    const rows: [string, string | HTMLElement | null][] = [
      [facts.label, process.labelKnown ? process.label : HEAP_STRINGS.unknown],
      [facts.initialCall, process.initialCall],
      [facts.current, this.#current(line)],
      [facts.inC, line.inC === null ? null : STRINGS.inC(line.inC.function)],
      [facts.thread, line.inC === null ? null : HEAP_STRINGS.sleeps(line.inC.thread, line.inC.seconds)],
      [facts.status, STRINGS.status(process.status, line.inC !== null)],
      [facts.priority, process.priority],
      [facts.mailbox, atLeast(line.mailboxAtLeast, count(line.mailbox))],
      [facts.memory, atLeast(line.memoryAtLeast, memorySize(line.memory))],
      [facts.messageBytes, line.messageBytes === 0 ? null : memorySize(line.messageBytes)],
      [facts.heap, HEAP_STRINGS.heapFact(line.heapUsedWords, line.heapWords)],
      [facts.binaries, line.binaryBytes === null ? HEAP_STRINGS.unknown : memorySize(line.binaryBytes)],
      [facts.reductions, count(process.reductions)],
      [facts.collections, HEAP_STRINGS.sinceFull(process.minorGcs)],
      [facts.parent, process.parent],
      [facts.supervisor, line.supervisor],
      [facts.application, line.application],
    ];
    this.#facts.replaceChildren(
      ...rows
        .filter(([, value]) => value !== null && value !== "")
        .map(([name, value]) =>
          element(
            "div",
            {},
            element("dt", {}, name),
            element("dd", {}, typeof value === "string" ? nameText(value) : (value ?? "")),
          ),
        ),
    );
    if (wasOnLink) this.#facts.querySelector("button")?.focus();
  }

  #current({ key, process }: ShownLine): string | HTMLElement {
    if (process === null || process.current === "" || process.place === "") return process?.current ?? "";
    const press = element(
      "button",
      { type: "button", class: "link", title: HEAP_STRINGS.goTo(process.place) },
      nameText(process.current),
    );
    press.addEventListener("click", () => this.#actions.openLine(key));
    return press;
  }
}
