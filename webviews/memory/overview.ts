// The first part in sight: conclusions from the figures, the places of memory, the VM's own counts, and the unread
// parts.

import type { MemoryShown } from "../../contract/messages/memory.js";
import { button } from "../elements/controls.js";
import { element } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import { percent, share } from "../words/figures.js";
import { drawPicture } from "./picture.js";
import { size } from "./sizes.js";
import { STRINGS } from "./strings.js";

export class Overview {
  readonly element: HTMLElement;
  readonly #advice = element("section", { class: "advice", "aria-label": STRINGS.advice, hidden: true });
  readonly #picture = element("div", { class: "picture" });
  readonly #remarks = element("ul", { class: "remarks" });
  readonly #split = element("tbody", {});
  readonly #atoms = element("p", { class: "figure-line" });
  readonly #atomsBar = element("div", { class: "meter", "aria-hidden": "true" });
  readonly #adviceLines = element("div", {});
  #flag = "";

  /** @param copy puts a flag into the clipboard */
  constructor(copy: (text: string) => void) {
    this.#advice.append(
      element("h2", {}, STRINGS.advice),
      this.#adviceLines,
      button(STRINGS.copyFlag, STRINGS.copyFlag, () => copy(this.#flag)),
    );
    const { what, bytes, share: part } = STRINGS.splitColumns;
    const heads = [what, bytes, part].map((name, index) =>
      element("th", { scope: "col", class: index === 0 ? "" : "figure" }, name),
    );
    const split = element(
      "table",
      { class: "figures" },
      element("thead", {}, element("tr", {}, ...heads)),
      this.#split,
    );
    this.element = element(
      "div",
      { class: "tab-panel scrolling", tabindex: "0" },
      this.#advice,
      element(
        "section",
        { "aria-label": STRINGS.picture },
        element("h2", {}, STRINGS.picture),
        this.#picture,
        this.#remarks,
      ),
      element(
        "div",
        { class: "columns" },
        element("section", { "aria-label": STRINGS.split }, element("h2", {}, STRINGS.split), split),
        element(
          "section",
          { "aria-label": STRINGS.atoms },
          element("h2", {}, STRINGS.atoms),
          this.#atoms,
          this.#atomsBar,
        ),
      ),
    );
  }

  show(shown: MemoryShown): void {
    this.#showAdvice(shown);
    this.#picture.replaceChildren(...drawPicture(shown));
    this.#remarks.replaceChildren(...remarks(shown).map((text) => element("li", {}, text)));
    this.#showSplit(shown);
    const { atoms } = shown.node;
    this.#atoms.textContent = STRINGS.atomsOf(atoms.count, atoms.limit, percent(atoms.count, atoms.limit));
    this.#atomsBar.style.setProperty("--share", String(share(atoms.count, atoms.limit)));
  }

  #showAdvice({ memory: { advice } }: MemoryShown): void {
    this.#advice.hidden = advice === null;
    if (advice === null) return;
    this.#flag = advice.flag;
    const lines = [
      STRINGS.fragmented(advice.allocator, size(advice.lost_bytes), size(advice.blocks_bytes)),
      STRINGS.fragmentedFlag(`erl ${advice.flag}`),
      STRINGS.fragmentedTrade,
    ];
    this.#adviceLines.replaceChildren(...lines.map((line) => element("p", {}, line)));
  }

  #showSplit({ memory: { memory } }: MemoryShown): void {
    const {
      total,
      total_at_least: atLeast,
      process_heaps: heaps,
      binary,
      ets,
      ets_names: names,
      jit_code: code,
      literals,
    } = memory;
    const known = [heaps, binary, ets, literals, code].reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
    const rows: [string, number | null][] = [
      [atLeast ? STRINGS.splitNames.totalAtLeast : STRINGS.splitNames.total, total],
      [STRINGS.splitNames.process_heaps, heaps],
      [STRINGS.splitNames.binary, binary],
      [ets !== null && names === null ? STRINGS.splitNames.etsAtLeast : STRINGS.splitNames.ets, ets],
      ...(code === null ? [] : [[STRINGS.splitNames.jit_code, code] as [string, number]]),
      [STRINGS.splitNames.literals, literals],
      [STRINGS.splitNames.rest, Math.max(total - known, 0)],
    ];
    this.#split.replaceChildren(
      ...rows.map(([name, bytes]) => {
        const cell = element("td", { class: "figure bar-cell" });
        if (bytes !== null) cell.append(...percentBar(bytes, total));
        const figure = bytes === null ? STRINGS.notManaged : size(bytes);
        return element(
          "tr",
          {},
          element("th", { scope: "row" }, name),
          element("td", { class: "figure" }, figure),
          cell,
        );
      }),
    );
  }
}

/** Further remarks about the figures. */
export function remarks({ memory, carriersLeftOut }: MemoryShown): string[] {
  const { resident, rejected, ets_left_out: tablesLeftOut, code_left_out: modulesLeftOut } = memory;
  const kinds: [number, (count: number) => string][] = [
    [resident?.lazily_freed_bytes ?? 0, (bytes) => STRINGS.lazilyFreed(size(bytes))],
    [resident?.swapped_bytes ?? 0, (bytes) => STRINGS.swapped(size(bytes))],
    [rejected.allocators, STRINGS.rejected.allocators],
    [rejected.carriers, STRINGS.rejected.carriers],
    [rejected.tables, STRINGS.rejected.tables],
    [carriersLeftOut, STRINGS.rejected.carriersLeftOut],
    [tablesLeftOut, STRINGS.rejected.tablesLeftOut],
    [modulesLeftOut, STRINGS.rejected.modulesLeftOut],
  ];
  const switchedOff = memory.not_managed.length === 0 ? [] : [STRINGS.switchedOff(memory.not_managed.join(", "))];
  const libraries = memory.native_libraries.map(
    ({ file, modules, drivers }) => `${file} (${[...modules, ...drivers].join(", ")})`,
  );
  const native = libraries.length === 0 ? [] : [STRINGS.nativeLibraries(libraries.join(", "))];
  const counted = kinds.filter(([count]) => count > 0).map(([count, words]) => words(count));
  return [...switchedOff, ...native, ...counted];
}
