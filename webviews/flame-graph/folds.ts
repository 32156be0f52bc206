// Which runs of native and kernel frames are folded, and the graphs drawn so.

import { NODE_FOLDS, type FlameData } from "../../contract/flame-data.js";
import type { SavedState } from "../../contract/messages/flame-graph.js";
import { foldFrames, foldKey } from "../graph/folded-frames.js";
import type { FlamePane } from "../graph/pane.js";
import { pathOf } from "../graph/path-match.js";
import { headerOf } from "../graph/shares.js";

/** Kept with the page. */
const MOST_OPEN = 200;
const FOLDED = NODE_FOLDS.indexOf("folded");

interface Shown {
  readonly whole: FlameData;
  readonly callersBelow: boolean;
}

export class Folds {
  /** Every frame is shown. */
  all: boolean;
  #open: ReadonlySet<string>;
  readonly #shown = new Map<FlamePane, Shown>();

  constructor({ unfoldAll, unfolded }: Partial<SavedState>) {
    this.all = unfoldAll === true;
    this.#open = new Set(Array.isArray(unfolded) ? unfolded.filter((key) => typeof key === "string") : []);
  }

  get saved(): Pick<SavedState, "unfoldAll" | "unfolded"> {
    return { unfoldAll: this.all, unfolded: [...this.#open] };
  }

  /** @param callersBelow whether children are callers */
  show(pane: FlamePane, whole: FlameData, callersBelow: boolean, fresh: boolean): void {
    this.#shown.set(pane, { whole, callersBelow });
    this.#draw(pane, fresh);
  }

  /** Whether there is anything to fold in a graph that is shown. */
  get isOffered(): boolean {
    return [...this.#shown].some(([pane, { whole }]) => pane.data !== null && whole.functionFolding !== undefined);
  }

  toggleAll(): void {
    this.all = !this.all;
    for (const [pane] of this.#shown) if (pane.data) this.#draw(pane, false);
  }

  /** Folds or unfolds the run that the frame stands for or is in; false: there is none. */
  toggle(pane: FlamePane, node: number): boolean {
    const header = pane.data ? headerOf(pane.data, node) : -1;
    if (header < 0) return false;
    this.#toggleKey(this.#keyOf(pane, header));
    this.#draw(pane, false);
    return true;
  }

  /** The node that shows a frame of the whole graph by itself: the runs it is in are unfolded. */
  unfoldTo(pane: FlamePane, wholeNode: number): number {
    // The kernel's run may be below one of C code, and that one below another.
    for (let tries = 0; ; tries++) {
      const shown = pane.folded ? (pane.folded.shownAs[wholeNode] as number) : wholeNode;
      if (tries === 3 || pane.data?.nodeFold?.[shown] !== FOLDED) return shown;
      this.toggle(pane, shown);
    }
  }

  /** The graph with every frame. */
  wholeOf(pane: FlamePane): FlameData | null {
    return pane.data === null ? null : (this.#shown.get(pane)?.whole ?? null);
  }

  #keyOf(pane: FlamePane, header: number): string {
    return foldKey(this.#shown.get(pane)?.callersBelow === true, pane.data ? pathOf(pane.data, header) : []);
  }

  #toggleKey(key: string): void {
    const others = [...this.#open].filter((known) => known !== key);
    this.#open = new Set(this.#open.has(key) ? others : [...others, key].slice(-MOST_OPEN));
  }

  #draw(pane: FlamePane, fresh: boolean): void {
    const shown = this.#shown.get(pane);
    if (!shown) return;
    const folded = this.all ? null : foldFrames(shown.whole, shown.callersBelow, this.#open);
    pane.setData(folded?.data ?? shown.whole, fresh, folded);
  }
}
