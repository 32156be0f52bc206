// Binaries outside of heaps: four tables of one snapshot, which is taken on request.

import { timeOfDay } from "../../contract/figures.js";
import type { BinariesState, BinaryTableId } from "../../contract/messages/memory.js";
import type { BinariesResult } from "../../contract/protocol.generated.js";
import { button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { Tabs } from "../elements/tabs.js";
import { LANGUAGE } from "../words/figures.js";
import { BINARY_STRINGS } from "./binary-strings.js";
import { allocatedTable, holderTable, keptTable, listTable, type BinaryTableEvents } from "./binary-tables.js";
import { size } from "./sizes.js";
import type { TableViews } from "./table-views.js";

const TABLES = [
  "binaryHolders",
  "binaryList",
  "binariesKept",
  "binariesAllocated",
] as const satisfies readonly BinaryTableId[];

export interface BinariesEvents extends BinaryTableEvents {
  look(): void;
  stop(): void;
  /** Another table came in sight. */
  chosen(): void;
}

export class BinariesPart {
  readonly element: HTMLElement;
  readonly #holders;
  readonly #list;
  readonly #kept;
  readonly #allocated;
  readonly #sums = element("p", {});
  readonly #remarks = element("ul", { class: "remarks plain" });
  readonly #progress = element("p", { class: "quiet", role: "status" });
  readonly #explained = element("p", { class: "quiet" }, BINARY_STRINGS.explained);
  readonly #look;
  readonly #stop;
  readonly #body: HTMLElement;
  readonly #tabs: Tabs<BinaryTableId>;
  #table: BinaryTableId;
  #state: BinariesState = { looking: false, shown: null };
  /** No snapshot of this VM was requested yet. */
  #isNew = true;
  readonly #events: BinariesEvents;

  /** @param saved the table that was in sight before, as it was kept */
  constructor(views: TableViews, saved: unknown, events: BinariesEvents) {
    this.#events = events;
    this.#table = TABLES.find((table) => table === saved) ?? "binaryHolders";
    this.#holders = holderTable(views, events);
    this.#list = listTable(views, events);
    this.#kept = keptTable(views, events);
    this.#allocated = allocatedTable(views, events);
    this.#look = button(BINARY_STRINGS.look, BINARY_STRINGS.lookHelp, () => events.look(), true);
    this.#stop = button(BINARY_STRINGS.stop, BINARY_STRINGS.stopHelp, () => events.stop());
    const contents: Record<BinaryTableId, HTMLElement> = {
      binaryHolders: this.#holders.element,
      binaryList: this.#list.element,
      binariesKept: this.#kept.element,
      binariesAllocated: this.#allocated.element,
    };
    this.#tabs = new Tabs(
      BINARY_STRINGS.tables,
      TABLES.map((id) => ({ id, label: BINARY_STRINGS.tableNames[id], content: contents[id] })),
      (id) => {
        this.#table = id;
        events.chosen();
        this.#arrange();
      },
    );
    this.#body = element(
      "div",
      { class: "tab-panel" },
      this.#sums,
      this.#tabs.element,
      this.#remarks,
      ...TABLES.map((id) => contents[id]),
    );
    this.element = element(
      "div",
      { class: "tab-panel" },
      element("div", { class: "line" }, this.#look, this.#stop, this.#progress),
      this.#explained,
      this.#body,
    );
    this.#tabs.show(this.#table);
    this.#arrange();
  }

  /** The table to copy. */
  get table(): BinaryTableId {
    return this.#table;
  }

  /** Another VM. */
  forget(): void {
    this.#isNew = true;
    this.show({ looking: false, shown: null });
  }

  /** The part came in sight: the first time it looks by itself. */
  opened(): void {
    if (!this.#isNew) return;
    this.#isNew = false;
    this.#events.look();
  }

  show(state: BinariesState): void {
    this.#state = state;
    if (state.looking || state.shown !== null) this.#isNew = false;
    this.#arrange();
  }

  #arrange(): void {
    const { looking, shown } = this.#state;
    this.#look.disabled = looking;
    this.#stop.hidden = !looking;
    const time =
      shown === null
        ? ""
        : BINARY_STRINGS.taken(
            timeOfDay(shown.takenUnixMs, LANGUAGE, "seconds"),
            shown.result.look.took_ms,
            shown.result.look.cpu_ms,
          );
    const progress = looking ? BINARY_STRINGS.looking : time;
    // It is read aloud when it changes.
    if (this.#progress.textContent !== progress) this.#progress.textContent = progress;
    this.#explained.hidden = shown !== null;
    this.#body.hidden = shown === null;
    if (shown === null) return;
    const { held, processes, binaries, kept, allocated, rejected } = shown.result;
    // An older helper has no sum of the VM.
    const { vm_bytes: ofVm = null, unheld_bytes: unheld = null } = shown.result as Partial<BinariesResult>;
    this.#sums.textContent = [
      ...(ofVm === null ? [] : [BINARY_STRINGS.ofVm(size(ofVm))]),
      BINARY_STRINGS.sums(
        held.binaries,
        size(held.bytes),
        held.processes,
        held.references,
        BINARY_STRINGS.isSumAtLeast(rejected),
      ),
      ...(unheld === null || unheld === 0 ? [] : [BINARY_STRINGS.unheld(size(unheld))]),
    ].join(" · ");
    this.#remarks.replaceChildren(...remarks(shown.result, this.#table).map((text) => element("li", {}, text)));
    switch (this.#table) {
      case "binaryHolders":
        return this.#holders.show(processes);
      case "binaryList":
        return this.#list.show(binaries);
      case "binariesKept":
        return this.#kept.show(kept);
      case "binariesAllocated":
        return this.#allocated.show(allocated.by);
    }
  }
}

/** Remarks without which a table would be misread. */
function remarks(
  { held, kept, looked_into: lookedInto, allocated, rejected, ...leftOut }: BinariesResult,
  table: BinaryTableId,
): string[] {
  const torn = rejected.entries.freed + rejected.entries.torn;
  const missing = [
    ...(rejected.restless > 0 ? [BINARY_STRINGS.restless(rejected.restless)] : []),
    ...(rejected.messages > 0 ? [BINARY_STRINGS.messages(rejected.messages)] : []),
    ...(torn > 0 ? [BINARY_STRINGS.torn(torn)] : []),
  ];
  const smaller = (rows: number) => (rows > 0 ? [BINARY_STRINGS.leftOut(rows)] : []);
  switch (table) {
    case "binaryHolders":
      return [...smaller(leftOut.processes_left_out), ...missing];
    case "binaryList":
      return [...smaller(leftOut.binaries_left_out), ...missing];
    case "binariesKept": {
      const scope = BINARY_STRINGS.keptScope(lookedInto.processes, size(lookedInto.bytes), size(held.bytes));
      const givenUp = lookedInto.given_up > 0 ? [BINARY_STRINGS.givenUp(lookedInto.given_up)] : [];
      return [
        ...(kept.length > 0 ? [BINARY_STRINGS.keptAdvice] : []),
        scope,
        ...givenUp,
        ...smaller(leftOut.kept_left_out),
      ];
    }
    case "binariesAllocated": {
      const isOff = allocated.not_managed.length > 0;
      const tags = {
        process: [],
        library: [BINARY_STRINGS.tagsLibrary],
        none: isOff ? [] : [BINARY_STRINGS.tagsNone],
        unknown: [BINARY_STRINGS.tagsUnknown],
      };
      const switchedOff = isOff ? [BINARY_STRINGS.switchedOff(allocated.not_managed.join(", "))] : [];
      const unread = allocated.unread_carriers > 0 ? [BINARY_STRINGS.unread(allocated.unread_carriers)] : [];
      return [...tags[allocated.tags], ...smaller(allocated.left_out), ...unread, ...switchedOff];
    }
  }
}
