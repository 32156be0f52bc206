// Puts the page of processes that wait for each other together: observations in, the user's actions out.

import type { SavedState, ToHost, ToWebview, WaitsSeen } from "../../contract/messages/waits.js";
import type {
  LateTimeLimits,
  UnknownCall,
  WaitedProcess,
  WaitingEnd,
  WaitsGraph,
} from "../../contract/protocol.generated.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { LimitsLine } from "../elements/limits-line.js";
import { SchedulersLine, watchedSchedulersText } from "../elements/schedulers-line.js";
import { StandstillLine, standstillText } from "../elements/standstill-line.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { count, memorySize } from "../words/figures.js";
import { watchedLimitsText } from "../words/limits-text.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { picture } from "./picture.js";
import { isConnection, processText, targetText } from "./process-text.js";
import { nobodyText, seenText } from "./seen-text.js";
import { STRINGS } from "./strings.js";

type Cell = string | number;

export class WaitsApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #heading = element("h1", { class: "heading" });
  readonly #seen = element("p", { class: "quiet", role: "status" });
  readonly #content = element("div", { class: "content", role: "region", "aria-label": STRINGS.title, tabindex: "0" });
  readonly #standstill = new StandstillLine();
  readonly #schedulers = new SchedulersLine();
  readonly #limits = new LimitsLine();
  readonly #body: HTMLElement;
  #text = "";

  constructor(root: HTMLElement) {
    const tools = element(
      "div",
      { class: "line tools" },
      button(STRINGS.again, STRINGS.againHelp, () => this.#host.send({ type: "again" }), true),
      button(STRINGS.flame, STRINGS.flameHelp, () => this.#host.send({ type: "flameGraph" })),
      button(STRINGS.copy, STRINGS.copyHelp, () => this.#host.send({ type: "copyText", text: this.#text })),
    );
    this.#body = element(
      "main",
      { class: "body", hidden: true },
      element("div", { class: "line head" }, this.#heading, tools),
      this.#standstill.element,
      this.#schedulers.element,
      this.#limits.element,
      this.#seen,
      this.#content,
    );
    root.append(this.#notice.element, this.#body);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready" });
  }

  #receive(message: ToWebview): void {
    this.#body.hidden = message.type === "none";
    if (message.type === "none")
      return this.#notice.say(message.problem === "" ? STRINGS.none : message.problem, [
        { label: STRINGS.choose, run: () => this.#host.send({ type: "again" }) },
      ]);
    this.#notice.hide();
    this.#host.save(message.kept);
    this.#show(message.seen);
  }

  #show(seen: WaitsSeen): void {
    const { head, graph, standstill, endedUnixMs } = seen;
    const limits = watchedLimitsText(seen.processors);
    const schedulers = watchedSchedulersText(seen.schedulers, endedUnixMs);
    this.#heading.replaceChildren(nameText(STRINGS.heading(head.node, head.pid, head.host)));
    this.#standstill.show(standstill);
    this.#schedulers.showText(schedulers);
    this.#limits.showText(limits);
    this.#seen.textContent = seenText(seen);
    const parts =
      graph.edges.length === 0
        ? [element("p", {}, nobodyText(seen))]
        : [
            ...endsOf(graph),
            ...cyclesOf(graph),
            element("div", { class: "drawing" }, picture(graph)),
            ...edgesOf(graph),
          ];
    parts.push(...inCOf(graph), ...lateOf(graph), ...unknownOf(graph));
    // The graph is read at the end.
    const unknown = endedUnixMs === null && graph.late_unknown === true ? STRINGS.lateUnknown : "";
    if (unknown !== "") parts.push(element("p", { class: "quiet" }, unknown));
    if (graph.not_searched > 0) parts.push(element("p", { class: "quiet" }, STRINGS.notSearched(graph.not_searched)));
    if (graph.unproven + graph.moved + graph.more > 0)
      parts.push(element("p", { class: "quiet" }, STRINGS.leftOut(graph.unproven, graph.moved, graph.more)));
    this.#content.replaceChildren(...parts);
    const above = [
      STRINGS.heading(head.node, head.pid, head.host),
      ...[standstill === null ? "" : standstillText(standstill), schedulers, limits].filter((text) => text !== ""),
      this.#seen.textContent,
    ];
    this.#text = textOf(above.join("\n"), graph) + (unknown === "" ? "" : `${unknown}\n`);
  }
}

function endsOf({ ends }: WaitsGraph): HTMLElement[] {
  if (ends.length === 0) return [];
  const rows = ends.map((end): Cell[] => [end.all, end.direct, processText(end.process), stateText(end)]);
  return section(STRINGS.ends, [STRINGS.waiting, STRINGS.direct, STRINGS.process, STRINGS.doing], rows);
}

function inCOf({ in_c: inC }: WaitsGraph): HTMLElement[] {
  if (inC.length === 0) return [];
  const rows = inC.map(
    ({ pid, name, function: called, stack, thread_id: id, thread_name: thread, seconds }): Cell[] => [
      [pid, name ?? ""].join(" ").trim(),
      [...(called === null ? [] : [called]), ...stack].slice(0, 3).join(" < "),
      `${thread} (${String(id)})`,
      STRINGS.seconds(seconds),
    ],
  );
  return [
    ...section(STRINGS.inC, [STRINGS.process, STRINGS.call, STRINGS.thread, STRINGS.atLeast], rows),
    element("p", { class: "quiet" }, STRINGS.inCHelp),
  ];
}

function lateOf({ late }: WaitsGraph): HTMLElement[] {
  if (late.length === 0) return [];
  const rows = late.map((one): Cell[] => [
    one.processes,
    lateNames(one),
    timersText(one),
    STRINGS.seconds(one.late_s),
    one.scheduler,
    causeText(one),
  ]);
  const columns = [
    STRINGS.processes,
    STRINGS.waiters,
    STRINGS.lateTimers,
    STRINGS.lateBy,
    STRINGS.scheduler,
    STRINGS.lateCause,
  ];
  return [...section(STRINGS.late, columns, rows), element("p", { class: "quiet" }, STRINGS.lateHelp)];
}

function lateNames({ processes, names, pids }: LateTimeLimits): string {
  const named = pids.map((pid, index) => [pid, names[index] ?? ""].join(" ").trim());
  return [...named, ...(processes > named.length ? ["…"] : [])].join(", ");
}

/** How many timers of messages are late, and the processes they are for. */
function timersText({ timers, receivers }: LateTimeLimits): string {
  if (timers === null) return STRINGS.notKnown;
  if (receivers.length === 0) return count(timers);
  const named = receivers.map(processText).join(", ");
  return STRINGS.timersFor(timers, timers > receivers.length ? `${named}, …` : named);
}

/** Why the scheduler of late time limits does not come to them; a process that it runs with where that is. */
function causeText({ cause, holder, function: called, stack }: LateTimeLimits): string {
  if (cause !== "process") return STRINGS.lateCauses[cause];
  if (holder === null) return STRINGS.notKnown;
  const frames = [...(called === null ? [] : [called]), ...stack].slice(0, 3).join(" < ");
  return frames === "" ? processText(holder) : STRINGS.processIn(processText(holder), frames);
}

function unknownOf({
  unknown_calls: calls,
  in_unknown_calls: processes,
  maybe_calls: maybe = [],
  in_maybe_calls: inMaybe = 0,
}: WaitsGraph): HTMLElement[] {
  return [
    ...callsOf(STRINGS.unknown(processes), STRINGS.unknownHelp, calls),
    ...callsOf(STRINGS.maybe(inMaybe), STRINGS.maybeHelp, maybe),
  ];
}

function callsOf(title: string, help: string, calls: readonly UnknownCall[]): HTMLElement[] {
  if (calls.length === 0) return [];
  const rows = calls.map((call): Cell[] => [call.processes, call.waiters, call.call, likelyText(call)]);
  const columns = [STRINGS.processes, STRINGS.waiters, STRINGS.call, STRINGS.likely];
  return [...section(title, columns, rows), element("p", { class: "quiet" }, help)];
}

/** The process that those in a call that is not known likely wait for, and why. */
function likelyText({ monitors, asked, keeps }: UnknownCall): string {
  if (monitors !== null) return STRINGS.monitored(processText(monitors));
  if (asked !== null) return STRINGS.asked(processText(asked));
  return keeps === null ? STRINGS.notKnown : STRINGS.kept(processText(keeps));
}

function callText(call: UnknownCall): string {
  return `${String(call.processes)}  ${call.waiters}  ${call.call}  ${likelyText(call)}`;
}

function stateText({ process, status, stack, idle, idle_by_name: isByName, port }: WaitingEnd): string {
  if (port === null) {
    const state = STRINGS.state(status, stack);
    if (!idle) return state;
    return isByName === true ? STRINGS.idleByName(state) : STRINGS.idle(state);
  }
  const bytes = port.bytes === null ? null : memorySize(port.bytes);
  if (isConnection(process)) return STRINGS.busyConnection(bytes);
  return STRINGS.busyPort(bytes ?? "?", port.owner === null ? null : processText(port.owner));
}

function edgesOf({ edges }: WaitsGraph): HTMLElement[] {
  const rows = edges.map((edge): Cell[] => [edge.processes, edge.waiters, targetText(edge), edge.call]);
  return section(STRINGS.edges, [STRINGS.processes, STRINGS.waiters, STRINGS.target, STRINGS.call], rows);
}

function cyclesOf({ cycles, cycle_limits: limits }: WaitsGraph): HTMLElement[] {
  if (cycles.length === 0) return [];
  const names = (cycle: readonly WaitedProcess[]) => [...cycle, ...cycle.slice(0, 1)].map(processText).join(" → ");
  const lines = cycles.map((cycle, index) =>
    element("li", {}, nameText(STRINGS.circle(names(cycle), limits[index] ?? 0, cycle.length))),
  );
  return [
    element("h2", { class: "alarm" }, STRINGS.cycles),
    element("p", { class: "quiet" }, STRINGS.cyclesHelp),
    element("ul", { class: "cycles" }, ...lines),
  ];
}

function section(title: string, columns: readonly string[], rows: readonly Cell[][]): HTMLElement[] {
  const cell = (value: Cell) =>
    typeof value === "number" ? element("td", { class: "figure" }, count(value)) : element("td", {}, nameText(value));
  const head = element(
    "thead",
    {},
    element(
      "tr",
      {},
      ...columns.map((column, index) =>
        element("th", { scope: "col", class: typeof rows[0]?.[index] === "number" ? "figure" : "" }, column),
      ),
    ),
  );
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell))));
  return [element("h2", {}, title), element("table", { "aria-label": title }, head, body)];
}

function textOf(heading: string, graph: WaitsGraph): string {
  const { ends, cycles, edges, unknown_calls: unknown, maybe_calls: maybe = [] } = graph;
  const { in_c: inC, late, not_searched: notSearched } = graph;
  const lines = [
    heading,
    "",
    ...ends.map((end) => `${String(end.all)}  ${processText(end.process)}  ${stateText(end)}`),
    ...cycles.map((cycle) => [...cycle, ...cycle.slice(0, 1)].map(processText).join(" -> ")),
    ...edges.map((edge) => `${String(edge.processes)}  ${edge.waiters}  ->  ${targetText(edge)}  ${edge.call}`),
    ...inC.map(
      ({ pid, name, function: called, thread_name: thread, seconds }) =>
        `${pid}  ${name ?? ""}  ${called ?? ""}  ${thread}  ${STRINGS.seconds(seconds)}`,
    ),
    ...late.map(
      (one) =>
        `${String(one.processes)}  ${lateNames(one)}  ${timersText(one)}  ${STRINGS.seconds(one.late_s)}  ${causeText(one)}`,
    ),
    ...unknown.map(callText),
    ...maybe.map((call) => `${callText(call)}  (${STRINGS.maybeHelp})`),
    ...(notSearched > 0 ? [STRINGS.notSearched(notSearched)] : []),
  ];
  return `${lines.join("\n")}\n`;
}
