// Puts the page of who waits for whom together: what was seen in, what the reader does out.

import { timeOfDay } from "../../contract/figures.js";
import type { SavedState, ToHost, ToWebview, WaitsSeen } from "../../contract/messages/waits.js";
import type { WaitingEnd, WaitsGraph } from "../../contract/protocol.generated.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { count, LANGUAGE, memorySize } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { picture } from "./picture.js";
import { processText } from "./process-text.js";
import { STRINGS } from "./strings.js";

type Cell = string | number;

export class WaitsApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #heading = element("h1", { class: "heading" });
  readonly #seen = element("p", { class: "quiet", role: "status" });
  readonly #content = element("div", { class: "content", role: "region", "aria-label": STRINGS.title, tabindex: "0" });
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
    this.#body = element("main", { class: "body", hidden: true }, element("div", { class: "line head" }, this.#heading, tools), this.#seen, this.#content);
    root.append(this.#notice.element, this.#body);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready" });
  }

  #receive(message: ToWebview): void {
    this.#body.hidden = message.type === "none";
    if (message.type === "none") return this.#notice.say(message.problem === "" ? STRINGS.none : message.problem, [{ label: STRINGS.choose, run: () => this.#host.send({ type: "again" }) }]);
    this.#notice.hide();
    this.#host.save(message.kept);
    this.#show(message.seen);
  }

  #show({ head, takenUnixMs, seconds, looks, processes, waiting, graph, full }: WaitsSeen): void {
    this.#heading.replaceChildren(nameText(STRINGS.heading(head.node, head.pid, head.host)));
    const seen = STRINGS.seen(waiting, processes, timeOfDay(takenUnixMs, LANGUAGE, "seconds"), seconds, looks);
    this.#seen.textContent = full ? `${seen} ${STRINGS.full}` : seen;
    const parts = graph.edges.length === 0 ? [element("p", {}, STRINGS.nobody)] : [...endsOf(graph), ...cyclesOf(graph), element("div", { class: "drawing" }, picture(graph)), ...edgesOf(graph)];
    if (graph.unproven + graph.moved + graph.more > 0) parts.push(element("p", { class: "quiet" }, STRINGS.leftOut(graph.unproven, graph.moved, graph.more)));
    this.#content.replaceChildren(...parts);
    this.#text = textOf(`${STRINGS.heading(head.node, head.pid, head.host)}\n${this.#seen.textContent}`, graph);
  }
}

function endsOf({ ends }: WaitsGraph): HTMLElement[] {
  if (ends.length === 0) return [];
  const rows = ends.map((end): Cell[] => [end.all, end.direct, processText(end.process), stateText(end)]);
  return section(STRINGS.ends, [STRINGS.waiting, STRINGS.direct, STRINGS.process, STRINGS.doing], rows);
}

function stateText({ status, stack, port }: WaitingEnd): string {
  if (port === null) return STRINGS.state(status, stack);
  return STRINGS.busyPort(memorySize(port.bytes), port.owner === null ? null : processText(port.owner));
}

function edgesOf({ edges }: WaitsGraph): HTMLElement[] {
  const rows = edges.map(({ processes, waiters, target, call }): Cell[] => [processes, waiters, processText(target), call]);
  return section(STRINGS.edges, [STRINGS.processes, STRINGS.waiters, STRINGS.target, STRINGS.call], rows);
}

function cyclesOf({ cycles }: WaitsGraph): HTMLElement[] {
  if (cycles.length === 0) return [];
  const lines = cycles.map((cycle) => element("li", {}, nameText([...cycle, ...cycle.slice(0, 1)].map(processText).join(" → "))));
  return [element("h2", { class: "alarm" }, STRINGS.cycles), element("p", { class: "quiet" }, STRINGS.cyclesHelp), element("ul", { class: "cycles" }, ...lines)];
}

function section(title: string, columns: readonly string[], rows: readonly Cell[][]): HTMLElement[] {
  const cell = (value: Cell) => (typeof value === "number" ? element("td", { class: "figure" }, count(value)) : element("td", {}, nameText(value)));
  const head = element("thead", {}, element("tr", {}, ...columns.map((column, index) => element("th", { scope: "col", class: typeof rows[0]?.[index] === "number" ? "figure" : "" }, column))));
  const body = element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell))));
  return [element("h2", {}, title), element("table", { "aria-label": title }, head, body)];
}

function textOf(heading: string, { ends, cycles, edges }: WaitsGraph): string {
  const lines = [
    heading,
    "",
    ...ends.map((end) => `${String(end.all)}  ${processText(end.process)}  ${stateText(end)}`),
    ...cycles.map((cycle) => [...cycle, ...cycle.slice(0, 1)].map(processText).join(" -> ")),
    ...edges.map(({ processes, waiters, target, call }) => `${String(processes)}  ${waiters}  ->  ${processText(target)}  ${call}`),
  ];
  return `${lines.join("\n")}\n`;
}
