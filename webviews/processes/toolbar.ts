// The controls above the list.

import { COPY_FORMATS, PROCESS_GROUPINGS, type CopyFormat } from "../../contract/messages/processes.js";
import type { ProcessGrouping } from "../../contract/protocol.generated.js";
import { button, type Button, checkbox, setPressed, textField, toggle } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { openMenu } from "../elements/menu.js";
import { singleSelect } from "../elements/single-select.js";
import { COLUMNS } from "./columns.js";
import { STRINGS } from "./strings.js";

/** Typing is followed by one question, not by one for each letter. */
const FILTER_PAUSE_MS = 250;

export interface ToolbarEvents {
  filter(text: string): void;
  grouping(grouping: ProcessGrouping): void;
  onlyAlarming(only: boolean): void;
  pause(paused: boolean): void;
  lookNow(): void;
  copy(format: CopyFormat): void;
  toggleColumn(id: string): void;
  isHidden(id: string): boolean;
  pick(): void;
}

export class Toolbar {
  /** For the line of filters, and for the header. */
  readonly filters: HTMLElement;
  readonly actions: HTMLElement;
  readonly #filter;
  readonly #grouping;
  readonly #onlyAlarming;
  readonly #pause;
  /** Buttons without a use before the VM is read. */
  readonly #ofLooks: readonly Button[];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(events: ToolbarEvents) {
    this.#filter = textField(STRINGS.filter, STRINGS.filter, (text) => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => events.filter(text), FILTER_PAUSE_MS);
    });
    this.#grouping = singleSelect(
      STRINGS.grouping,
      PROCESS_GROUPINGS.map((grouping) => [grouping, STRINGS.groupings[grouping]] as const),
      "none",
      (value) => events.grouping(PROCESS_GROUPINGS.find((each) => each === value) ?? "none"),
    );
    this.#onlyAlarming = checkbox(STRINGS.onlyAlarming, STRINGS.onlyAlarmingHelp, (checked) =>
      events.onlyAlarming(checked),
    );
    this.#pause = toggle(STRINGS.pause, STRINGS.pauseHelp, () =>
      events.pause(this.#pause.getAttribute("aria-pressed") !== "true"),
    );
    const columns = button(STRINGS.columnsMenu, STRINGS.columnsHelp, () => {
      const { left, bottom } = columns.getBoundingClientRect();
      const items = COLUMNS.slice(1).map(({ id, title }) => ({
        label: title,
        keys: events.isHidden(id) ? "" : "✓",
        run: () => events.toggleColumn(id),
      }));
      openMenu(STRINGS.columnsHelp, items, left, bottom);
    });
    const copy = button(STRINGS.copyMenu, STRINGS.copyHelp, () => {
      const { left, bottom } = copy.getBoundingClientRect();
      openMenu(
        STRINGS.copyHelp,
        COPY_FORMATS.map((format) => ({
          label: STRINGS.copyFormats[format],
          keys: "",
          run: () => events.copy(format),
        })),
        left,
        bottom,
      );
    });
    this.filters = element(
      "div",
      { class: "line tools" },
      this.#filter,
      this.#grouping,
      this.#onlyAlarming,
      columns,
      copy,
    );
    this.#ofLooks = [this.#pause, button(STRINGS.lookNow, STRINGS.lookNowHelp, () => events.lookNow()), copy];
    this.actions = element(
      "div",
      { class: "line" },
      ...this.#ofLooks.slice(0, 2),
      button(STRINGS.pick, STRINGS.pickHelp, () => events.pick()),
    );
  }

  /** @param filter shown where the reader does not type just now */
  show(filter: string, grouping: ProcessGrouping, onlyAlarming: boolean): void {
    if (this.#filter.value !== filter && document.activeElement !== this.#filter) this.#filter.value = filter;
    if (this.#grouping.value !== grouping) this.#grouping.value = grouping;
    this.#onlyAlarming.checked = onlyAlarming;
  }

  showPaused(paused: boolean): void {
    setPressed(this.#pause, paused);
  }

  setLooking(isLooking: boolean): void {
    for (const tool of this.#ofLooks) if (tool.disabled === isLooking) tool.disabled = !isLooking;
  }

  focusFilter(): void {
    this.#filter.focus();
  }
}
