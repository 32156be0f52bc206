// One panel of memory: looks at a VM one time after the other, as often as the budget allows. Knows no editor.

import type { InsideProblem, KeptVm, VmHead } from "../../../../contract/messages/inside.js";
import type { CopiedTable, MemoryShown, ToHost, ToWebview } from "../../../../contract/messages/memory.js";
import { bounded } from "../../../../contract/bounded.js";
import type { InsideMemoryResult } from "../../../../contract/protocol.generated.js";
import type { InsideVm } from "../../inside/inside-vm.js";
import { isAnotherVm, type KnownVm } from "../../inside/known-vm.js";
import { vmHead } from "../../inside/vm-head.js";
import { binariesCsv } from "./binaries-csv.js";
import { BinariesLooks } from "./binaries-looks.js";
import { csvOf } from "./memory-csv.js";
import { MemoryHistory } from "./memory-history.js";
import { shownMemory } from "./shown-memory.js";
import { GrowthOfTables } from "./table-growth.js";

/** Bounds of the pause between readings, whatever the helper requests. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 120_000];
/** How long schedulers are looked at for the header: some twenty times. */
const SCHEDULERS_MS = 100;

/** The used methods of {@link InsideVm}. */
export type MemorySource = Pick<InsideVm, "memory" | "binaries" | "node" | "close">;

export interface MemorySessionHost<Vm extends MemorySource> {
  post(message: ToWebview): void;
  copy(text: string): void;
  nowUnixMs(): number;
  /** @returns cancels it */
  later(ms: number, call: () => void): () => void;
  head(vm: Vm): VmHead;
  /** What the page keeps of it. */
  kept(vm: Vm): KeptVm;
  problem(error: unknown, vm: Vm): Promise<InsideProblem>;
  /** The VM to show after a problem; undefined when there is none: then a message has stated so. */
  again(vm: Vm, problem: InsideProblem): Promise<Vm | undefined>;
  /** The VM of before the window was restored, which is shown from now on; undefined as above. */
  find(before: KnownVm): Promise<Vm | undefined>;
  /** Shows that this is not the process of before. */
  showAnother(now: VmHead): void;
}

export class MemorySession<Vm extends MemorySource = InsideVm> {
  readonly #host: MemorySessionHost<Vm>;
  readonly #history = new MemoryHistory();
  readonly #growth = new GrowthOfTables();
  readonly #binaries: BinariesLooks;
  #vm: Vm | undefined;
  /** Of before the window was restored, until the user looks at it again. */
  #before: KnownVm | undefined;
  /** What the VM that is looked for, or attached to, is expected to be. */
  #expected: KnownVm | undefined;
  #kept = "";
  #ready = false;
  #visible = true;
  #paused = false;
  #looking = false;
  /** A look that was wanted while another one was under way. */
  #wantsAnother = false;
  #cancelNext: (() => void) | undefined;
  #shown: MemoryShown | undefined;
  #result: InsideMemoryResult | undefined;
  #problem: InsideProblem | undefined;

  constructor(host: MemorySessionHost<Vm>) {
    this.#host = host;
    this.#binaries = new BinariesLooks(
      (state) => {
        if (this.#ready) host.post({ type: "binaries", state });
      },
      () => host.nowUnixMs(),
    );
  }

  get vm(): Vm | undefined {
    return this.#vm;
  }

  /** The VM of before the window was restored, as long as none is looked at. */
  get before(): KnownVm | undefined {
    return this.#before;
  }

  /** A VM of before the window was restored: it is named, and looked at when the user wants that. */
  restore(before: KnownVm): void {
    if (this.#vm === undefined) this.#before = before;
  }

  /** Another VM, or the same one from the start. */
  show(vm: Vm): void {
    this.#vm?.close();
    this.#vm = vm;
    this.#before = this.#expected = undefined;
    this.#shown = this.#result = this.#problem = undefined;
    this.#paused = false;
    this.#history.forget();
    this.#growth.forget();
    this.#binaries.forget();
    this.#keep(vm);
    this.#lookNow();
  }

  async receive(message: ToHost): Promise<void> {
    switch (message.type) {
      case "ready":
        this.#ready = true;
        this.#kept = "";
        return this.#begin();
      case "pause":
        this.#paused = message.paused;
        this.#host.post({ type: "paused", paused: message.paused });
        return this.#paused ? this.#stop() : this.#lookNow();
      case "lookNow":
        return this.#lookNow();
      case "binaries":
        return this.#lookAtBinaries();
      case "stopBinaries":
        return this.#binaries.stop();
      case "again":
        return this.#lookAgain();
      case "copyJson":
        if (this.#result)
          this.#host.copy(`${JSON.stringify({ ...this.#result.memory, carriers: this.#result.carriers }, null, 2)}\n`);
        return;
      case "copyCsv":
        return this.#copyCsv(message.table);
    }
  }

  #copyCsv(table: CopiedTable): void {
    switch (table) {
      case "binaryHolders":
      case "binaryList":
      case "binariesKept":
      case "binariesAllocated":
        if (this.#binaries.result) this.#host.copy(binariesCsv(table, this.#binaries.result));
        return;
      default:
        if (this.#shown) this.#host.copy(csvOf(table, this.#shown));
    }
  }

  /** A hidden page causes no readings. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (!visible) this.#stop();
    else if (!this.#paused && this.#problem === undefined) this.#lookNow();
  }

  dispose(): void {
    this.#ready = false;
    this.#before = this.#expected = undefined;
    this.#stop();
    this.#binaries.forget();
    this.#vm?.close();
    this.#vm = undefined;
  }

  /** The page is new, or was hidden since. */
  #begin(): void {
    const vm = this.#vm;
    if (vm === undefined) return this.#beginWithout();
    this.#keep(vm);
    if (this.#shown !== undefined) this.#postShown(vm, this.#shown);
    this.#binaries.postAll();
    if (this.#problem !== undefined)
      return this.#host.post({ type: "problem", head: this.#host.head(vm), problem: this.#problem });
    if (!this.#paused || this.#shown === undefined) this.#lookNow();
  }

  #beginWithout(): void {
    this.#host.post(
      this.#before === undefined ? { type: "noTarget" } : { type: "restored", head: vmHead(this.#before) },
    );
  }

  /** More is known of it after the first answer. */
  #keep(vm: Vm): void {
    const kept = this.#host.kept(vm);
    const text = JSON.stringify(kept);
    if (this.#ready && text !== this.#kept) {
      this.#kept = text;
      this.#host.post({ type: "keep", vm: kept });
    }
  }

  /** Once it has answered. */
  #compareWithBefore(vm: Vm): void {
    if (this.#expected !== undefined && isAnotherVm(this.#expected, this.#host.kept(vm)))
      this.#host.showAnother(this.#host.head(vm));
    this.#expected = undefined;
  }

  #stop(): void {
    this.#cancelNext?.();
    this.#cancelNext = undefined;
  }

  #lookNow(): void {
    this.#stop();
    const vm = this.#vm;
    if (!this.#ready || !this.#visible || vm === undefined) return;
    if (this.#looking) {
      this.#wantsAnother = true;
      return;
    }
    this.#looking = true;
    if (this.#shown === undefined) this.#host.post({ type: "attaching", head: this.#host.head(vm) });
    void this.#look(vm)
      .catch((error: unknown) => this.#failed(vm, error))
      .finally(() => {
        this.#looking = false;
        const wantsAnother = this.#wantsAnother;
        this.#wantsAnother = false;
        if (wantsAnother) this.#lookNow();
      });
  }

  async #look(vm: Vm): Promise<void> {
    const result = await vm.memory();
    const node = await vm.node(SCHEDULERS_MS);
    if (this.#vm !== vm) return;
    this.#keep(vm);
    this.#compareWithBefore(vm);
    const takenUnixMs = this.#host.nowUnixMs();
    this.#problem = undefined;
    this.#result = result;
    this.#history.add(takenUnixMs, result.memory);
    const { ets, ets_left_out: leftOut, rejected } = result.memory;
    const growth = this.#growth.of(ets, leftOut === 0 && rejected.tables === 0);
    this.#shown = {
      memory: shownMemory(result.memory),
      carriers: result.carriers,
      carriersLeftOut: result.carriersLeftOut,
      look: result.look,
      growth,
      node,
      trend: this.#history.points,
      takenUnixMs,
    };
    if (this.#ready) this.#postShown(vm, this.#shown);
    if (!this.#paused && this.#visible && this.#ready)
      this.#cancelNext = this.#host.later(
        bounded(Number(result.look.nextMs) || LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS),
        () => this.#lookNow(),
      );
  }

  async #lookAtBinaries(): Promise<void> {
    const vm = this.#vm;
    if (!this.#ready || vm === undefined) return;
    try {
      await this.#binaries.look(vm);
    } catch (error) {
      await this.#failed(vm, error);
    }
  }

  async #failed(vm: Vm, error: unknown): Promise<void> {
    if (this.#vm !== vm) return;
    const problem = await this.#host.problem(error, vm);
    if (this.#vm !== vm) return;
    this.#problem = problem;
    if (this.#ready) this.#host.post({ type: "problem", head: this.#host.head(vm), problem });
  }

  async #lookAgain(): Promise<void> {
    const [vm, problem] = [this.#vm, this.#problem];
    if (vm === undefined) return this.#findAgain();
    if (problem === undefined) return this.#lookNow();
    // The history of a VM that still runs continues.
    if (problem.kind !== "vmEnded") return this.#lookNow();
    const found = await this.#host.again(vm, problem);
    if (found === undefined || this.#vm !== vm) return found?.close();
    const expected = this.#expected;
    this.show(found);
    this.#expected = expected;
  }

  async #findAgain(): Promise<void> {
    const before = this.#before;
    // One press is enough.
    if (before === undefined || this.#expected !== undefined) return;
    this.#expected = before;
    this.#host.post({ type: "attaching", head: vmHead(before) });
    const found = await this.#host.find(before);
    if (this.#expected !== before || !this.#ready) return found?.close();
    this.#expected = undefined;
    if (found === undefined) return this.#beginWithout();
    this.show(found);
    this.#expected = before;
  }

  #postShown(vm: Vm, shown: MemoryShown): void {
    this.#host.post({ type: "look", head: this.#host.head(vm), shown, paused: this.#paused });
  }
}
