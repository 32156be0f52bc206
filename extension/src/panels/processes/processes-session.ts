// One panel of processes: reads the VM as often as its budget allows, and answers the page's requests in between. Knows
// no editor.

import type { InsideProblem, NodeFigures, VmHead } from "../../../../contract/messages/inside.js";
import type {
  CopyFormat,
  LineWindow,
  ProcessView,
  ToHost,
  ToWebview,
} from "../../../../contract/messages/processes.js";
import type {
  HeapFrame,
  HeapResult,
  InsideProcessesResult,
  ProcessAlarms,
  ProcessLine,
  ProcessRow,
} from "../../../../contract/protocol.generated.js";
import { Cancelled } from "../../helper/helper-error.js";
import { Cancelling } from "../../inside/cancelling.js";
import { vmKey, type InsideVm, type VmPlace } from "../../inside/inside-vm.js";
import { isAnotherVm, keptVm, type KnownVm } from "../../inside/known-vm.js";
import { groupHeaps } from "./group-heaps.js";
import { listAsText } from "./list-as-text.js";
import { checkedView, checkedWindow, FIRST_VIEW, MOST_LINES } from "./process-view.js";
import { framesAtEnds, shownHeap, shownLine } from "./shown-processes.js";

/** How long the schedulers are looked at: as long the page's other questions wait. */
const NODE_LOOK_MS = 100;
const BYTES_OF_MB = 1_000_000;
/** The shortest pause between readings of the node as a whole. */
const NODE_PAUSE_MS = 2000;
/** Lines that are copied at most. */
export const MOST_COPIED = 10_000;

export interface ProcessesSessionHost {
  readonly texts: { readonly noTarget: string; copiedPart(lines: number, of: number): string };
  post(message: ToWebview): void;
  /** Calls once, later. @returns a function that cancels the call */
  later(ms: number, call: () => void): () => void;
  nowMs(): number;
  nowUnixMs(): number;
  alarms(): ProcessAlarms;
  head(vm: KnownVm): VmHead;
  /** The text of an error, with the command that fixes it. */
  problem(error: unknown, vm: InsideVm): Promise<InsideProblem>;
  /**
   * The user wants to read a VM again that could not be read.
   * @returns where it is now; undefined when it was not found: then a message has stated so
   */
  again(vm: InsideVm, problem: InsideProblem): Promise<InsideVm | undefined>;
  /**
   * The user wants to see the VM of before the window was restored.
   * @returns where it is now; undefined when it was not found: then a message has stated so
   */
  find(before: KnownVm): Promise<InsideVm | undefined>;
  /** Shows that this is not the process of before. */
  showAnother(now: VmHead): void;
  /** Puts a text where it can be pasted. @param remark shown to the user with it; empty for none */
  copy(text: string, remark: string): Promise<void>;
  /** Opens the source of a function. */
  openSource(name: string, file: string | null, line: number | null): Promise<void>;
}

export class ProcessesSession {
  readonly #host: ProcessesSessionHost;
  #vm: InsideVm | undefined;
  #heapLook: Cancelling | undefined;
  /** Of before the window was restored, until the user looks at it again. */
  #before: KnownVm | undefined;
  /** The expected facts of the VM that is searched for, or attached to. */
  #expected: KnownVm | undefined;
  #kept = "";
  /**
   * Process that the page is to lead to, until it confirms that it did: a page that was out of sight is made anew, and
   * receives nothing before.
   */
  #goingTo: string | undefined;
  #view = FIRST_VIEW;
  #window: LineWindow = { first: 0, limit: 100 };
  #isReady = false;
  #isVisible = true;
  #isPaused = false;
  #problem: InsideProblem | undefined;
  /** The next request, once the current one is answered. */
  #wanted: "nothing" | "window" | "look" = "nothing";
  #isAsking = false;
  #takeBack: () => void = () => undefined;
  #nodeRequestedMs = -Infinity;
  #hasRetried = false;
  #lines: readonly ProcessLine[] = [];
  #frames: readonly HeapFrame[] = [];

  constructor(host: ProcessesSessionHost) {
    this.#host = host;
  }

  /** Shown now, or before the window was restored. */
  get vm(): KnownVm | undefined {
    return this.#vm ?? this.#before;
  }

  /** A VM of before the window was restored: it is named, and looked at when the user wants that. */
  restore(before: KnownVm): void {
    if (this.#vm === undefined) this.#before = before;
  }

  /** Another VM, or the same once more. The session closes it in the end. */
  show(vm: InsideVm): void {
    this.#vm?.close();
    this.#vm = vm;
    this.#before = this.#expected = this.#goingTo = undefined;
    this.#problem = undefined;
    this.#hasRetried = false;
    this.#lines = [];
    this.#frames = [];
    this.#nodeRequestedMs = -Infinity;
    this.#isPaused = false;
    this.#begin();
  }

  /** Whether that VM is shown, and answers. */
  isLookingAt(place: VmPlace): boolean {
    return this.#vm !== undefined && this.#problem === undefined && vmKey(this.#vm.place) === vmKey(place);
  }

  /** Leads to a process of the VM that is shown. @param process as the node prints it */
  goTo(process: string): void {
    this.#goingTo = process;
    if (!this.#isReady) return;
    this.#postGoTo();
    this.#want("window");
  }

  async receive(message: ToHost): Promise<void> {
    switch (message.type) {
      case "ready":
        this.#isReady = true;
        this.#kept = "";
        this.#view = checkedView(message.saved.view);
        return this.#begin();
      case "view":
        this.#view = checkedView(message.view, this.#view);
        this.#window = checkedWindow(message.window);
        return this.#want("window");
      case "window":
        this.#window = checkedWindow(message.window);
        return this.#want("window");
      case "arrived":
        this.#goingTo = undefined;
        return;
      case "pause":
        this.#isPaused = message.paused === true;
        this.#takeBack();
        if (!this.#isPaused) this.#want("look");
        return;
      case "lookNow":
        return this.#lookNow();
      case "heap":
        return this.#heapOf(String(message.key));
      case "groupHeaps":
        return this.#groupHeapsOf(String(message.key));
      case "stopHeap":
        this.#heapLook?.cancel();
        return;
      case "openLine": {
        const process = this.#process(message.key);
        if (process?.current) await this.#host.openSource(process.current, process.file, process.line);
        return;
      }
      case "openFrame": {
        const frame = this.#frames[message.frame];
        if (frame?.function) await this.#host.openSource(frame.function, frame.file, frame.line);
        return;
      }
      case "copyList":
        return this.#copy(message.format);
    }
  }

  /** A hidden page causes no readings of the VM. */
  setVisible(visible: boolean): void {
    this.#isVisible = visible;
    this.#takeBack();
    if (visible && !this.#isPaused) this.#want("look");
  }

  /** The settings that it uses have changed. */
  alarmsChanged(): void {
    this.#want("window");
  }

  dispose(): void {
    this.#isReady = false;
    this.#takeBack();
    this.#before = this.#expected = undefined;
    this.#vm?.close();
  }

  #begin(): void {
    if (!this.#isReady) return;
    if (this.#vm === undefined) return this.#beginWithout();
    this.#postVm(this.#vm);
    this.#host.post({ type: "attaching" });
    this.#postGoTo();
    this.#want("look");
  }

  /** The list has that process alone: wherever it is among 100,000, it is in sight. */
  #postGoTo(): void {
    const process = this.#goingTo;
    if (process === undefined) return;
    this.#view = { ...this.#view, filter: process, grouping: "none", onlyAlarming: false };
    this.#window = { ...this.#window, first: 0 };
    this.#host.post({ type: "goTo", process, view: this.#view });
  }

  #beginWithout(): void {
    if (this.#before === undefined) return this.#host.post({ type: "noTarget", text: this.#host.texts.noTarget });
    this.#host.post({ type: "restored", vm: this.#host.head(this.#before), view: this.#view });
  }

  /** Sends the known facts of the VM: more after the first answer. */
  #postVm(vm: InsideVm): void {
    this.#host.post({ type: "vm", vm: this.#host.head(vm) });
    const kept = keptVm(vm);
    const text = JSON.stringify(kept);
    if (text !== this.#kept) this.#host.post({ type: "keep", vm: kept });
    this.#kept = text;
  }

  /** Once it has answered. */
  #compareWithBefore(vm: InsideVm): void {
    if (this.#expected !== undefined && isAnotherVm(this.#expected, keptVm(vm)))
      this.#host.showAnother(this.#host.head(vm));
    this.#expected = undefined;
  }

  async #findAgain(): Promise<void> {
    const before = this.#before;
    // One press is enough.
    if (before === undefined || this.#expected !== undefined) return;
    this.#expected = before;
    this.#host.post({ type: "attaching" });
    const found = await this.#host.find(before);
    if (this.#expected !== before || !this.#isReady) return found?.close();
    this.#expected = undefined;
    if (found === undefined) return this.#beginWithout();
    this.show(found);
    this.#expected = before;
  }

  async #lookNow(): Promise<void> {
    const [vm, problem] = [this.#vm, this.#problem];
    if (vm === undefined) return this.#findAgain();
    if (problem === undefined) return this.#want("look");
    const found = await this.#host.again(vm, problem);
    if (found === undefined || this.#vm !== vm) return found?.close();
    const expected = this.#expected;
    this.show(found);
    this.#expected = expected;
  }

  #want(what: "window" | "look"): void {
    if (!this.#isReady || !this.#isVisible || this.#vm === undefined || this.#problem !== undefined) return;
    if (this.#wanted !== "look") this.#wanted = what;
    if (!this.#isAsking) void this.#ask();
  }

  /** One request at a time: those that arrive during it are combined into one. */
  async #ask(): Promise<void> {
    this.#isAsking = true;
    while (this.#wanted !== "nothing" && this.#vm !== undefined) {
      const [vm, isLook] = [this.#vm, this.#wanted === "look"];
      this.#wanted = "nothing";
      if (isLook) this.#takeBack();
      try {
        await this.#askList(vm, isLook);
      } catch (error) {
        await this.#failed(error, vm);
      }
    }
    this.#isAsking = false;
  }

  async #askList(vm: InsideVm, isLook: boolean): Promise<void> {
    const [view, alarms, { first, limit }] = [this.#view, this.#host.alarms(), this.#window];
    const list = await vm.processes({ look: isLook, query: { ...view, open: [...view.open], alarms }, first, limit });
    if (this.#vm !== vm || !this.#isReady) return;
    this.#hasRetried = false;
    this.#lines = list.lines;
    this.#postList(list, view, alarms, first);
    if (!isLook) return;
    this.#postVm(vm);
    this.#compareWithBefore(vm);
    this.#planLook(list.look.nextMs);
    await this.#askNode(vm);
  }

  #postList(
    { lines, look, ...counts }: InsideProcessesResult,
    view: ProcessView,
    alarms: ProcessAlarms,
    first: number,
  ): void {
    this.#host.post({
      type: "list",
      view,
      first,
      lines: lines.map(shownLine),
      ...counts,
      look,
      lookedUnixMs: this.#host.nowUnixMs() - look.ageMs,
      alarms,
    });
  }

  async #askNode(vm: InsideVm): Promise<void> {
    if (this.#host.nowMs() - this.#nodeRequestedMs < NODE_PAUSE_MS) return;
    this.#nodeRequestedMs = this.#host.nowMs();
    const figures: NodeFigures = { type: "node", node: await vm.node(NODE_LOOK_MS) };
    if (this.#vm === vm && this.#isReady) this.#host.post(figures);
  }

  #planLook(ms: number): void {
    this.#takeBack();
    if (!this.#isPaused && this.#isVisible) this.#takeBack = this.#host.later(ms, () => this.#want("look"));
  }

  async #failed(error: unknown, vm: InsideVm): Promise<void> {
    if (error instanceof Cancelled || this.#vm !== vm || !this.#isReady) return;
    const problem = await this.#host.problem(error, vm);
    if (this.#vm !== vm) return;
    // A helper of this machine starts again by itself. Another host is connected to by the user alone.
    if (problem.kind === "helperGone" && vm.place.host === undefined && !this.#hasRetried) {
      this.#hasRetried = true;
      this.#wanted = "look";
      return;
    }
    this.#takeBack();
    this.#wanted = "nothing";
    this.#problem = problem;
    this.#host.post({ type: "problem", problem });
  }

  #process(key: string): ProcessRow | null | undefined {
    return this.#lines.find((line) => line.key === key)?.process;
  }

  async #heapOf(key: string): Promise<void> {
    const vm = this.#vm;
    if (vm === undefined) return;
    this.#heapLook?.cancel();
    const own = (this.#heapLook = new Cancelling());
    let heap: HeapResult;
    try {
      heap = await vm.heap(key, own.token, (size, percent) => {
        // The helper of another host may say anything: "2000 MB" counts.
        const bytes = Number(/^\d{1,6}(?= MB$)/.exec(size)?.[0]) * BYTES_OF_MB;
        if (bytes > 0 && !own.token.isCancellationRequested)
          this.#host.post({ type: "heapProgress", key, bytes, percent: Number(percent) || 0 });
      });
    } catch (error) {
      return this.#heapFailed(error, key, own, vm);
    }
    if (this.#vm !== vm || !this.#isReady) return;
    this.#frames = framesAtEnds(heap);
    this.#host.post({ type: "heap", key, takenUnixMs: this.#host.nowUnixMs(), heap: shownHeap(heap) });
  }

  async #heapFailed(error: unknown, key: string, own: Cancelling, vm: InsideVm): Promise<void> {
    if (!(error instanceof Cancelled))
      this.#host.post({ type: "heapProblem", key, problem: await this.#host.problem(error, vm) });
    else if (own.token.isCancellationRequested) this.#host.post({ type: "heapStopped", key });
  }

  async #groupHeapsOf(key: string): Promise<void> {
    const vm = this.#vm;
    if (vm === undefined) return;
    this.#heapLook?.cancel();
    const own = (this.#heapLook = new Cancelling());
    try {
      const heaps = await groupHeaps(vm, key, { ...this.#view, open: [], alarms: this.#host.alarms() }, own.token);
      if (this.#vm === vm && this.#isReady)
        this.#host.post({ type: "groupHeaps", key, takenUnixMs: this.#host.nowUnixMs(), heaps });
    } catch (error) {
      return this.#heapFailed(error, key, own, vm);
    }
  }

  /** All lines of the last look, not only those in sight. */
  async #copy(format: CopyFormat): Promise<void> {
    const vm = this.#vm;
    if (vm === undefined) return;
    const lines: ProcessLine[] = [];
    let length = 1;
    try {
      const query = { ...this.#view, open: [...this.#view.open], alarms: this.#host.alarms() };
      while (lines.length < Math.min(length, MOST_COPIED)) {
        const part = await vm.processes({
          look: false,
          query,
          first: lines.length,
          limit: Math.min(MOST_LINES, MOST_COPIED - lines.length),
        });
        length = part.length;
        if (part.lines.length === 0) break;
        lines.push(...part.lines);
      }
    } catch (error) {
      // The page of a VM that has ended can still be copied.
      if (error instanceof Cancelled) return;
      lines.splice(0, lines.length, ...this.#lines);
    }
    await this.#host.copy(
      listAsText(lines.map(shownLine), format),
      lines.length < length ? this.#host.texts.copiedPart(lines.length, length) : "",
    );
  }
}
