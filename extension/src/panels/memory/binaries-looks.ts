// Reads the binaries of a VM, one reading at a time and only on request: it reads through heaps. Knows no editor.

import type { BinariesShown, BinariesState } from "../../../../contract/messages/memory.js";
import type { BinariesResult, BinariesWanted } from "../../../../contract/protocol.generated.js";
import { Cancelled } from "../../helper/helper-error.js";
import { Cancelling } from "../../inside/cancelling.js";
import type { InsideVm } from "../../inside/inside-vm.js";
import { shownBinaries } from "./shown-binaries.js";

/** Rows of each table, and processes whose heaps are looked through. */
const WANTED: BinariesWanted = { rows: 1000, lookInto: 20 };

export class BinariesLooks {
  #underWay: Cancelling | undefined;
  #shown: BinariesShown | null = null;

  constructor(
    private readonly post: (state: BinariesState) => void,
    private readonly nowUnixMs: () => number,
  ) {}

  /** As the helper returned it, except for foreign names, which are made visible. */
  get result(): BinariesResult | undefined {
    return this.#shown?.result;
  }

  /** The page is new. */
  postAll(): void {
    if (this.#underWay !== undefined || this.#shown !== null) this.#post();
  }

  /** @throws the helper's error; nothing when it was given up */
  async look(vm: Pick<InsideVm, "binaries">): Promise<void> {
    if (this.#underWay !== undefined) return;
    const own = (this.#underWay = new Cancelling());
    this.#post();
    try {
      const result = await vm.binaries(WANTED, own.token);
      if (this.#underWay === own) this.#shown = { result: shownBinaries(result), takenUnixMs: this.nowUnixMs() };
    } catch (error) {
      if (!(error instanceof Cancelled) && this.#underWay === own) throw error;
    } finally {
      if (this.#underWay === own) {
        this.#underWay = undefined;
        this.#post();
      }
    }
  }

  /** The reading from before stays. */
  stop(): void {
    const underWay = this.#underWay;
    if (underWay === undefined) return;
    this.#underWay = undefined;
    underWay.cancel();
    this.#post();
  }

  /** Another VM. */
  forget(): void {
    this.#shown = null;
    this.#underWay?.cancel();
    this.#underWay = undefined;
  }

  #post(): void {
    this.post({ looking: this.#underWay !== undefined, shown: this.#shown });
  }
}
