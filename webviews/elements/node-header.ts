// The top of every page about the inside of a VM: which VM it is, and how busy and how full it is.

import { bounded } from "../../contract/bounded.js";
import { dateAndTime } from "../../contract/figures.js";
import type { VmHead } from "../../contract/messages/inside.js";
import { type Standstill, STANDSTILL_UNKNOWN } from "../../contract/messages/standstill.js";
import type {
  NodeResult,
  RunQueues,
  SchedulerId,
  SchedulerShare,
  TableFill,
} from "../../contract/protocol.generated.js";
import { count, LANGUAGE, percent, share, timeSpan } from "../words/figures.js";
import { NODE_WORDS } from "../words/node-words.js";
import { element, nameText } from "./dom.js";
import { LimitsLine } from "./limits-line.js";
import { marked, nodeFigure } from "./node-figure.js";
import { type CountedAt, rateFigures, waitingFigures } from "./node-traffic.js";
import { SchedulersLine } from "./schedulers-line.js";
import { StandstillLine } from "./standstill-line.js";

/** From this share of a limit on, the page reports that the limit is near: steady growth reaches it. */
const NEAR_LIMIT = 0.8;
/** A century: of another host anything may come, and no calendar has all of it. */
const LONGEST_UPTIME_S = 3_155_760_000;
const KINDS: readonly SchedulerId["type"][] = ["normal", "dirty_cpu", "dirty_io"];

/** The name of a VM, or the word for a process with its id where that is all that is known. */
export function vmText(head: VmHead): string {
  return isNamed(head) ? head.name : NODE_WORDS.process(head.pid);
}

function isNamed({ name, pid }: VmHead): boolean {
  return name !== String(pid);
}

export class NodeHeader {
  readonly element: HTMLElement;
  readonly #name = element("h1", { class: "heading" });
  readonly #about = element("p", { class: "quiet" });
  readonly #figures = element("dl", { class: "node-figures", "aria-label": NODE_WORDS.label, hidden: true });
  readonly #standstill = new StandstillLine();
  readonly #schedulers = new SchedulersLine();
  readonly #limits = new LimitsLine();
  #counted: CountedAt | undefined;

  /** @param tools the page's own parts there, such as its buttons */
  constructor(...tools: HTMLElement[]) {
    const title = element("div", { class: "node-title" }, this.#name, this.#about);
    this.element = element(
      "header",
      { class: "node-header" },
      element("div", { class: "line node-line" }, title, ...tools),
      this.#standstill.element,
      this.#schedulers.element,
      this.#limits.element,
      this.#figures,
    );
  }

  showVm(head: VmHead): void {
    const { pid, otp, flavor, host } = head;
    this.#name.replaceChildren(nameText(vmText(head)));
    const facts = [
      ...(isNamed(head) ? [NODE_WORDS.processId(pid)] : []),
      ...(flavor === "" ? [] : [NODE_WORDS.release(otp, flavor)]),
      ...(host === "" ? [] : [nameText(host)]),
    ];
    this.#about.replaceChildren(...facts.flatMap((fact, index) => (index === 0 ? [fact] : [" · ", fact])));
  }

  /** @param node null when nothing is known (any more) */
  showNode(node: NodeResult | null): void {
    this.#figures.hidden = node === null;
    this.#standstill.show(node === null ? null : standstillOf(node));
    this.#schedulers.show(node?.schedulersOnline);
    this.#limits.show(node);
    if (node === null) return void (this.#counted = undefined);
    const counted = { ms: performance.now(), counters: node.counters };
    const rates = rateFigures(this.#counted, counted);
    this.#counted = counted;
    const shares = KINDS.flatMap((kind) => {
      const those = node.schedulers.filter(({ scheduler }) => scheduler.type === kind);
      return those.length === 0 ? [] : [schedulers(kind, those)];
    });
    this.#figures.replaceChildren(
      ...(Number.isFinite(node.uptimeS) ? [uptime(bounded(Number(node.uptimeS), 0, LONGEST_UPTIME_S))] : []),
      ...shares,
      ...(node.runQueues === null ? [] : [runQueue(node.runQueues)]),
      table(NODE_WORDS.processes, node.processes),
      ...(node.ports === null ? [] : [table(NODE_WORDS.ports, node.ports)]),
      table(NODE_WORDS.atoms, node.atoms),
      ...rates,
      ...waitingFigures(node),
    );
  }
}

function uptime(seconds: number): HTMLElement {
  return nodeFigure(
    NODE_WORDS.uptime,
    NODE_WORDS.uptimeHelp(dateAndTime(Date.now() - seconds * 1000, LANGUAGE)),
    timeSpan(seconds),
  );
}

function standstillOf({ standstill, unknown }: NodeResult): Standstill | null {
  if (standstill !== undefined)
    return { code: standstill.messages?.["what"]?.code ?? "", command: standstill.command ?? "" };
  return unknown.some(({ what }) => what === "standstill") ? { code: STANDSTILL_UNKNOWN, command: "" } : null;
}

/** A bar for each, and their average as text. */
function schedulers(kind: SchedulerId["type"], those: readonly SchedulerShare[]): HTMLElement {
  // A scheduler that is offline is none that could be busy.
  const online = those.filter(({ state }) => state !== "offline");
  const busy = online.reduce((sum, each) => sum + each.busy, 0);
  const bars = those.map((each) => {
    const bar = element("span", { class: "node-bar" });
    bar.style.setProperty("--share", String(share(each.busy, 1)));
    return bar;
  });
  const help = NODE_WORDS.schedulerHelp(those.map(shareText).join(" · "));
  return nodeFigure(
    NODE_WORDS.schedulers[kind],
    help,
    element("span", { class: "node-bars", "aria-hidden": "true" }, ...bars),
    online.length === 0 ? NODE_WORDS.schedulerState.offline : percent(busy, online.length, "whole"),
  );
}

function shareText({ busy, state }: SchedulerShare): string {
  return state === "offline" || state === "blocked" ? NODE_WORDS.schedulerState[state] : percent(busy, 1, "whole");
}

function runQueue({ normal, dirtyCpu, dirtyIo }: RunQueues): HTMLElement {
  return nodeFigure(
    NODE_WORDS.runQueue,
    NODE_WORDS.runQueueHelp(count(normal), count(dirtyCpu), count(dirtyIo)),
    count(normal + dirtyCpu + dirtyIo),
  );
}

function table(name: string, { count: there, limit }: TableFill): HTMLElement {
  const isNear = there >= limit * NEAR_LIMIT;
  const value = NODE_WORDS.ofLimit(count(there), count(limit), percent(there, limit, "rough"));
  return nodeFigure(
    name,
    value,
    count(there),
    ...(isNear ? [marked(NODE_WORDS.nearLimit(percent(there, limit, "rough")))] : []),
  );
}
