// A small menu at a place, with the actions for a row.

import { element } from "./dom.js";

export interface MenuItem {
  readonly label: string;
  readonly keys: string;
  /** Of one that is on or off. */
  readonly checked?: boolean;
  run(): void;
}

/** Closes by choice, Escape, Tab or a press elsewhere; the focus goes back to where it was. */
export function openMenu(label: string, items: readonly MenuItem[], x: number, y: number): void {
  const before = document.activeElement;
  const tree = before?.closest<HTMLElement>('[role="tree"]');
  const entries = items.map(({ label: text, keys, checked, run }) => {
    const entry = element(
      "button",
      { type: "button", role: "menuitem", tabindex: "-1" },
      element("span", {}, text),
      element("kbd", { "aria-hidden": "true" }, checked === true ? "✓" : keys),
    );
    if (checked !== undefined) {
      entry.setAttribute("role", "menuitemcheckbox");
      entry.setAttribute("aria-checked", String(checked));
    }
    entry.addEventListener("click", () => {
      close();
      run();
    });
    return entry;
  });
  const menu = element("div", { class: "menu", role: "menu", "aria-label": label }, ...entries);
  const outside = (event: Event) => {
    if (!menu.contains(event.target as Node)) close();
  };
  function close(): void {
    removeEventListener("pointerdown", outside, true);
    removeEventListener("blur", close);
    menu.remove();
    // A tree may have drawn its rows anew since the menu opened: the focus goes to the one that is in the tab order.
    const back = tree && !before?.isConnected ? tree.querySelector<HTMLElement>('[tabindex="0"]') : before;
    if (back instanceof HTMLElement) back.focus({ preventScroll: true });
  }
  menu.addEventListener("keydown", (event) => {
    const at = entries.indexOf(document.activeElement as HTMLButtonElement);
    const goTo = (index: number) => entries[(index + entries.length) % entries.length]?.focus();
    const moves: Record<string, () => void> = {
      ArrowDown: () => goTo(at + 1),
      ArrowUp: () => goTo(at - 1),
      Home: () => goTo(0),
      End: () => goTo(-1),
      Escape: close,
      Tab: close,
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  });
  // On some systems the Menu key requests the browser's own menu once more when it is released.
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  // In the landmark of the element that had the focus.
  (before?.closest("main") ?? document.body).append(menu);
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(Math.min(x, innerWidth - width - 4), 0)}px`;
  menu.style.top = `${Math.max(Math.min(y, innerHeight - height - 4), 0)}px`;
  addEventListener("pointerdown", outside, true);
  addEventListener("blur", close);
  entries[0]?.focus();
}
