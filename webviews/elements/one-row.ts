// A row of controls that never becomes two: those without room are in a menu at its end.

import type { Button } from "./controls.js";
import { iconButton } from "./icons.js";
import { openMenu, type MenuItem } from "./menu.js";

export interface RowControl {
  readonly element: HTMLElement;
  /** The same as entries of a menu. */
  readonly entries: () => readonly MenuItem[];
}

export class OneRow {
  readonly more: Button;

  /**
   * @param row has the controls and the button of the menu as children, in that order; other children come before
   * @param moreLabel of the menu and its button
   */
  constructor(
    private readonly row: HTMLElement,
    private readonly controls: readonly RowControl[],
    moreLabel: string,
  ) {
    this.more = iconButton("more", moreLabel, moreLabel, () => this.#open(moreLabel));
    this.more.setAttribute("aria-haspopup", "menu");
    row.append(...controls.map(({ element }) => element), this.more);
    new ResizeObserver(() => this.fit()).observe(row);
  }

  /** To be called when a control comes or goes; the row does so when its width changes. */
  fit(): void {
    const { row, more, controls } = this;
    const hadFocus = controls.some(({ element }) => element.contains(document.activeElement));
    for (const { element } of controls) element.classList.remove("without-room");
    row.classList.remove("tight");
    more.hidden = true;
    for (let last = controls.length - 1; last >= 0 && row.scrollWidth > row.clientWidth; last--) {
      more.hidden = false;
      controls[last]?.element.classList.add("without-room");
    }
    // Texts of the row give way last.
    row.classList.toggle("tight", row.scrollWidth > row.clientWidth);
    if (hadFocus && document.activeElement === document.body) more.focus();
  }

  #open(label: string): void {
    const { left, bottom } = this.more.getBoundingClientRect();
    const entries = this.controls.flatMap(({ element, entries: entriesOf }) =>
      element.classList.contains("without-room") && !element.hidden ? entriesOf() : [],
    );
    openMenu(label, entries, left, bottom + 2);
  }
}
