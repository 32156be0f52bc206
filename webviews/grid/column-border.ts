// The border of a column in the head of a table: dragged, moved by keys, or set to the width of the content.

import { element } from "../elements/dom.js";
import { l10n } from "../words/l10n.js";
import { boundedWidth, NARROWEST_PX, WIDEST_PX } from "./column-fit.js";

const STRINGS = {
  label: (column: string) => l10n.t("Width of the column {0}", column),
  title: l10n.t("Drag to resize; double-click to fit the content"),
  pixels: (px: number) => l10n.t("{0} pixels", px),
} as const;
const STEP_PX = 16;
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX };

export interface BorderEvents {
  width(): number;
  resize(px: number): void;
  /** The width that its content needs. */
  fit(): void;
  /** The focus goes back to the title. */
  leave(): void;
}

export class ColumnBorder {
  readonly element: HTMLElement;

  constructor(
    column: string,
    private readonly events: BorderEvents,
  ) {
    this.element = element("div", {
      class: "column-border",
      role: "separator",
      // The title is in the tab order; its Alt+Left and Alt+Right lead here.
      tabindex: "-1",
      title: STRINGS.title,
      "aria-label": STRINGS.label(column),
      "aria-orientation": "vertical",
      "aria-valuemin": String(NARROWEST_PX),
      "aria-valuemax": String(WIDEST_PX),
    });
    this.show(NARROWEST_PX);
    this.element.addEventListener("pointerdown", (event) => this.#drag(event));
    this.element.addEventListener("dblclick", () => this.events.fit());
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
  }

  show(px: number): void {
    this.element.setAttribute("aria-valuenow", String(boundedWidth(px)));
    this.element.setAttribute("aria-valuetext", STRINGS.pixels(boundedWidth(px)));
  }

  /** Whether it was a key for the border; from the title it brings the focus along. */
  stepFromTitle(event: KeyboardEvent): boolean {
    const step = event.altKey && !event.ctrlKey && !event.metaKey ? STEPS[event.key] : undefined;
    if (step === undefined) return false;
    this.element.focus({ preventScroll: true });
    this.#step(step);
    return true;
  }

  #step(px: number): void {
    this.events.resize(this.events.width() + px);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey) return;
    const step = STEPS[event.key];
    if (step !== undefined) this.#step(step);
    else if (event.key === "Enter") this.events.fit();
    else if (event.key === "Escape") this.events.leave();
    else return;
    event.preventDefault();
    // In the editor, Alt+Left goes to where the cursor was before.
    event.stopPropagation();
  }

  #drag(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    const [startX, startPx] = [event.clientX, this.events.width()];
    this.element.setPointerCapture(event.pointerId);
    this.element.classList.add("dragged");
    const move = ({ clientX }: PointerEvent) => {
      if (clientX !== startX) this.events.resize(startPx + clientX - startX);
    };
    const end = () => {
      this.element.removeEventListener("pointermove", move);
      this.element.classList.remove("dragged");
    };
    this.element.addEventListener("pointermove", move);
    this.element.addEventListener("lostpointercapture", end, { once: true });
  }
}
