// The map of carriers: for each allocator, the largest first, its carriers by address, each a strip as long as it is large and coloured as far
// as it is full. To assistive technology it is a list of which one entry at a time is in the document.

import type { MemoryShown } from "../../contract/messages/memory.js";
import type { CarrierPlace, MemoryResult } from "../../contract/protocol.generated.js";
import { element, nameText } from "../elements/dom.js";
import { onPixelRatioChange } from "../elements/pixel-ratio.js";
import { carrierKey, carrierText } from "./carriers.js";
import { bytesPerPixel, stripAt, stripBeside, strips, LINE_PX, STRIP_PX, type Strip } from "./map-layout.js";
import { size, sumOf } from "./sizes.js";
import { STRINGS } from "./strings.js";

interface Group {
  readonly carriers: readonly CarrierPlace[];
  readonly strips: readonly Strip[];
  readonly canvas: HTMLCanvasElement;
}

const SCALE_PX = 100;
/** Of a carrier in which nothing is in use: it has to be seen. */
const LEAST_SHADE = 0.1;

export class CarrierMap {
  readonly element: HTMLElement;
  readonly #map: HTMLElement;
  readonly #groupsElement = element("div", { class: "map-groups", "aria-hidden": "true" });
  readonly #option = element("div", { class: "unseen", role: "option", "aria-selected": "true" });
  readonly #tooltip = element("div", { class: "map-tooltip", "aria-hidden": "true", hidden: true });
  readonly #scale = element("span", { class: "quiet" });
  readonly #selected: (key: string) => void;
  #groups: Group[] = [];
  #order: readonly CarrierPlace[] = [];
  #memory: MemoryResult | null = null;
  #shown: MemoryShown | null = null;
  #key = "";
  #optionsMade = 0;
  #widthPx = 0;

  /** @param selected receives the key of the carrier that the user goes to */
  constructor(selected: (key: string) => void) {
    this.#selected = selected;
    this.#map = element(
      "div",
      { class: "map", role: "listbox", tabindex: "0", "aria-label": STRINGS.map, "aria-description": STRINGS.mapHelp },
      this.#option,
      this.#groupsElement,
    );
    this.#map.addEventListener("keydown", (event) => this.#onKey(event));
    this.#map.addEventListener("focus", () => this.#key === "" && this.#goTo(this.#order[0]));
    this.#groupsElement.addEventListener("pointermove", (event) => this.#point(event));
    this.#groupsElement.addEventListener("pointerleave", () => (this.#tooltip.hidden = true));
    this.#groupsElement.addEventListener("click", (event) => {
      const carrier = this.#carrierAt(event);
      if (carrier) this.#goTo(carrier);
    });
    const key = (name: string, words: string) =>
      element(
        "span",
        { class: "map-key" },
        element("span", { class: `map-swatch ${name}`, "aria-hidden": "true" }),
        words,
      );
    const legend = element(
      "p",
      { class: "line map-legend" },
      key("shade", `${STRINGS.mapLegendFree} – ${STRINGS.mapLegendUsed}`),
      key("unknown", STRINGS.mapLegendUnknown),
      this.#scale,
    );
    this.element = element(
      "div",
      { class: "map-part" },
      element("p", { class: "quiet" }, STRINGS.mapHelp),
      legend,
      this.#map,
      this.#tooltip,
    );
    new ResizeObserver(() => this.#fit()).observe(this.#map);
    onPixelRatioChange(() => this.redraw());
  }

  show(shown: MemoryShown): void {
    this.#shown = shown;
    this.#memory = shown.memory;
    this.#arrange();
  }

  /** Goes to a carrier without calling back. */
  goTo(key: string): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#announce();
    this.redraw();
  }

  /** After the theme has changed, too. */
  redraw(): void {
    const style = getComputedStyle(this.#map);
    for (const group of this.#groups) this.#draw(group, style);
  }

  #fit(): void {
    const width = Math.floor(this.#groupsElement.clientWidth);
    if (width > 0 && width !== this.#widthPx) this.#arrange();
  }

  #arrange(): void {
    const [shown, memory] = [this.#shown, this.#memory];
    this.#widthPx = Math.floor(this.#groupsElement.clientWidth);
    if (shown === null || memory === null || this.#widthPx <= 0) return;
    const scale = bytesPerPixel(
      shown.carriers.map(({ bytes }) => bytes),
      this.#widthPx,
    );
    this.#scale.textContent = STRINGS.mapScale(size(scale * SCALE_PX));
    const groups = memory.allocators.map((allocator, index) => {
      const carriers = shown.carriers.filter((carrier) => carrier.allocator === index);
      const laidOut = strips(
        carriers.map(({ bytes }) => bytes),
        this.#widthPx,
        scale,
      );
      const bytes = sumOf(carriers, (carrier) => carrier.bytes);
      return {
        bytes,
        text: STRINGS.group(allocator.name, carriers.length, size(bytes)),
        group: { carriers, strips: laidOut, canvas: element("canvas", {}) },
      };
    });
    const filled = groups.filter(({ group }) => group.carriers.length > 0).toSorted((a, b) => b.bytes - a.bytes);
    this.#groups = filled.map(({ group }) => group);
    this.#order = this.#groups.flatMap(({ carriers }) => carriers);
    const parts = filled.map(({ text, group }) =>
      element("div", { class: "map-group" }, nameText(text, "map-name"), group.canvas),
    );
    this.#groupsElement.replaceChildren(...(parts.length > 0 ? parts : [STRINGS.noCarriers]));
    if (this.#key !== "" && !this.#order.some((carrier) => carrierKey(carrier) === this.#key)) this.#key = "";
    this.#announce(false);
    this.redraw();
  }

  #draw({ carriers, strips: all, canvas }: Group, style: CSSStyleDeclaration): void {
    const lines = (all.at(-1)?.line ?? 0) + 1;
    const ratio = devicePixelRatio;
    const heightPx = lines * LINE_PX;
    canvas.width = Math.round(this.#widthPx * ratio);
    canvas.height = Math.round(heightPx * ratio);
    canvas.style.inlineSize = `${String(this.#widthPx)}px`;
    canvas.style.blockSize = `${String(heightPx)}px`;
    const context = canvas.getContext("2d");
    if (!context) return;
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const [used, edge, chosen] = [colour("--map-used"), colour("--map-edge"), colour("--map-chosen")];
    const isContrast =
      document.body.classList.contains("vscode-high-contrast") ||
      document.body.classList.contains("vscode-high-contrast-light");
    context.scale(ratio, ratio);
    for (const { index, x, line, widthPx } of all) {
      const carrier = carriers[index];
      if (carrier === undefined) continue;
      const y = line * LINE_PX + 1;
      const share = carrier.usedBytes === null ? null : Math.min(carrier.usedBytes / Math.max(carrier.bytes, 1), 1);
      context.fillStyle = used;
      if (share !== null && isContrast) {
        // Shades are not told apart there: it is filled from below.
        const filled = Math.round(STRIP_PX * share);
        context.fillRect(x, y + STRIP_PX - filled, widthPx, filled);
      } else if (share !== null) {
        context.globalAlpha = LEAST_SHADE + (1 - LEAST_SHADE) * share;
        context.fillRect(x, y, widthPx, STRIP_PX);
        context.globalAlpha = 1;
      }
      context.strokeStyle = edge;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, widthPx - 1, STRIP_PX - 1);
      if (share === null) strike(context, x, y, widthPx);
      if (carrierKey(carrier) !== this.#key) continue;
      context.strokeStyle = chosen;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y, widthPx - 2, STRIP_PX);
    }
  }

  #goTo(carrier: CarrierPlace | undefined): void {
    if (carrier === undefined) return;
    this.goTo(carrierKey(carrier));
    this.#selected(this.#key);
  }

  /** @param anew  whether it is read aloud: then the entry is another one */
  #announce(anew = true): void {
    const at = this.#order.findIndex((carrier) => carrierKey(carrier) === this.#key);
    const carrier = this.#order[at];
    if (anew || this.#option.id === "") this.#option.id = `carrier-${String(this.#optionsMade++ % 2)}`;
    this.#option.hidden = this.#order.length === 0;
    if (carrier === undefined || this.#memory === null) {
      this.#option.textContent = STRINGS.mapHelp;
      this.#map.removeAttribute("aria-activedescendant");
      return;
    }
    this.#option.textContent = carrierText(this.#memory, carrier);
    this.#option.setAttribute("aria-posinset", String(at + 1));
    this.#option.setAttribute("aria-setsize", String(this.#order.length));
    this.#map.setAttribute("aria-activedescendant", this.#option.id);
  }

  #point(event: PointerEvent): void {
    const carrier = this.#carrierAt(event);
    this.#tooltip.hidden = carrier === undefined;
    if (carrier === undefined || this.#memory === null) return;
    this.#tooltip.textContent = carrierText(this.#memory, carrier);
    const { offsetWidth, offsetHeight } = this.#tooltip;
    this.#tooltip.style.left = `${String(Math.max(Math.min(event.clientX + 12, innerWidth - offsetWidth - 4), 4))}px`;
    this.#tooltip.style.top = `${String(event.clientY + 16 + offsetHeight > innerHeight ? event.clientY - offsetHeight - 8 : event.clientY + 16)}px`;
  }

  #carrierAt(event: MouseEvent): CarrierPlace | undefined {
    const group = this.#groups.find(({ canvas }) => canvas === event.target);
    if (group === undefined) return undefined;
    const strip = stripAt(group.strips, event.offsetX, event.offsetY);
    return strip === undefined ? undefined : group.carriers[strip.index];
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#order.findIndex((carrier) => carrierKey(carrier) === this.#key);
    const moves: Record<string, () => CarrierPlace | undefined> = {
      ArrowRight: () => this.#order[Math.min(at + 1, this.#order.length - 1)],
      ArrowLeft: () => this.#order[Math.max(at - 1, 0)],
      ArrowDown: () => this.#beside(1),
      ArrowUp: () => this.#beside(-1),
      Home: () => this.#order[0],
      End: () => this.#order.at(-1),
      PageDown: () => this.#groupBeside(1),
      PageUp: () => this.#groupBeside(-1),
    };
    const move = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (move === undefined) return;
    event.preventDefault();
    this.#goTo(move());
    this.#scrollToChosen();
  }

  /** Where the chosen one is: its part of the map, and its strip. */
  #chosen(): { readonly at: number; readonly group: Group; readonly strip: Strip } | undefined {
    for (const [at, group] of this.#groups.entries()) {
      const strip = group.strips.find(({ index }) => carrierKey(group.carriers[index] as CarrierPlace) === this.#key);
      if (strip) return { at, group, strip };
    }
    return undefined;
  }

  #beside(lines: 1 | -1): CarrierPlace | undefined {
    const chosen = this.#chosen();
    if (chosen === undefined) return this.#order[0];
    const { group, strip } = chosen;
    const to = stripBeside(group.strips, strip, lines);
    return to === strip ? (this.#groupBeside(lines) ?? group.carriers[strip.index]) : group.carriers[to.index];
  }

  /** The first carrier of the allocator below, or of the one above. */
  #groupBeside(groups: 1 | -1): CarrierPlace | undefined {
    return this.#groups[(this.#chosen()?.at ?? -groups) + groups]?.carriers[0];
  }

  #scrollToChosen(): void {
    const chosen = this.#chosen();
    if (chosen === undefined) return;
    const [map, canvas] = [this.#map.getBoundingClientRect(), chosen.group.canvas.getBoundingClientRect()];
    const top = canvas.top - map.top + chosen.strip.line * LINE_PX;
    if (top < 0) this.#map.scrollTop += top - LINE_PX;
    else if (top + LINE_PX > this.#map.clientHeight) this.#map.scrollTop += top + 2 * LINE_PX - this.#map.clientHeight;
  }
}

/** A line across: the part in use is not known. */
function strike(context: CanvasRenderingContext2D, x: number, y: number, widthPx: number): void {
  context.beginPath();
  context.moveTo(x, y + STRIP_PX);
  context.lineTo(x + widthPx, y);
  context.stroke();
}
