// The lines as the grid draws them.

import { bounded } from "../../contract/bounded.js";
import type { ProcessList, ShownLine, ShownProcess } from "../../contract/messages/processes.js";
import { element, nameText } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import { sparkline } from "../elements/sparkline.js";
import type { GridRow } from "../grid/grid-row.js";
import type { GridSource } from "../grid/virtual-grid.js";
import { atLeast, count, decimal, memorySize } from "../words/figures.js";
import type { ColumnId } from "./columns.js";
import type { GarbageFigure } from "./garbage-figure.js";
import type { LoadedLines } from "./loaded-lines.js";
import { STRINGS } from "./strings.js";
import { MOST_LOOKS, type Trend, type ValueHistory } from "./value-history.js";

/** A trend of a few looks takes as much room as one of this many. */
const FEWEST_PLACES = 12;
const WORD_BYTES = 8;

/** By key. */
export type GarbageFigures = ReadonlyMap<string, GarbageFigure>;

type ListFacts = Pick<ProcessList, "alarms" | "look">;

export class LineSource implements GridSource {
  constructor(
    readonly lines: LoadedLines,
    private readonly list: ListFacts,
    private readonly history: ValueHistory,
    private readonly garbage: GarbageFigures,
  ) {}

  get count(): number {
    return this.lines.length;
  }

  row(index: number): GridRow {
    return this.lines.row(index);
  }

  indexOf(key: string): number {
    return this.lines.indexOf(key);
  }

  isHere(index: number): boolean {
    return this.lines.at(index) !== undefined;
  }

  text(index: number): string {
    const line = this.lines.at(index);
    return line === undefined ? "" : titleOf(line);
  }

  fill(index: number, columnId: string, cell: HTMLElement): void {
    cell.classList.remove("alarm-value");
    const line = this.lines.at(index);
    if (line === undefined)
      return columnId === "name" ? cell.append(element("span", { class: "quiet" }, "…")) : undefined;
    this.#fill(line, columnId as ColumnId, cell);
  }

  #fill(line: ShownLine, columnId: ColumnId, cell: HTMLElement): void {
    const { process } = line;
    switch (columnId) {
      case "name":
        return fillName(line, cell);
      case "mailbox":
        if (exceeds(line.mailbox, this.list.alarms.mailbox) && process) cell.classList.add("alarm-value");
        return this.#fillTrend(
          line,
          "mailbox",
          (value) => atLeast(line.mailboxAtLeast, count(value)),
          cell,
          line.mailbox,
        );
      case "memory":
        if (exceeds(line.memory, this.list.alarms.memory) && process) cell.classList.add("alarm-value");
        return this.#fillTrend(
          line,
          "memory",
          (value) => atLeast(line.memoryAtLeast, memorySize(value)),
          cell,
          line.memory,
        );
      case "reductions":
        return this.#fillTrend(line, "reductions", count, cell, line.reductionsPerSecond);
      case "heapUsed":
        cell.title = STRINGS.reserve(memorySize(Math.max(line.heapWords - line.heapUsedWords, 0) * WORD_BYTES));
        return cell.append(...percentBar(line.heapUsedWords, line.heapWords));
      case "garbage": {
        const known = this.garbage.get(line.key);
        if (known) cell.append(element("span", { title: known.title }, known.text));
        return;
      }
      case "binaries":
        return cell.append(line.binaryBytes === null ? "" : memorySize(line.binaryBytes));
      case "collections":
        return cell.append(line.collectionsPerSecond === null ? "" : decimal(line.collectionsPerSecond));
      default:
        if (process) fillProcess(line, process, columnId, cell);
    }
  }

  #fillTrend(
    { key }: ShownLine,
    trend: Trend,
    figure: (value: number) => string,
    cell: HTMLElement,
    value: number | null,
  ): void {
    if (value === null) return;
    const seen = this.history.of(key, trend);
    const values = seen.map(([, each]) => each);
    cell.append(
      sparkline(seen, this.list.look.number, bounded(this.list.look.number, FEWEST_PLACES, MOST_LOOKS)),
      element("span", {}, figure(value)),
    );
    cell.title =
      seen.length < 2 ? "" : STRINGS.trend(figure(Math.min(...values)), figure(Math.max(...values)), seen.length);
  }
}

/** The title of a line: the group, or the most expressive of the names that a process has. */
export function titleOf({ group, process }: ShownLine): string {
  if (process === null) return group === null || group === "" ? STRINGS.unnamed : group;
  return process.name || process.label || process.initialCall || process.pid;
}

function fillName(line: ShownLine, cell: HTMLElement): void {
  const { process, count: some, alarming } = line;
  const title = titleOf(line);
  const text = nameText(title, process === null ? "name group" : "name");
  text.title = title;
  cell.append(text);
  const more =
    process === null
      ? STRINGS.ofGroup(some)
      : some > 1
        ? STRINGS.below(some)
        : (process.name || process.label) === ""
          ? ""
          : process.initialCall;
  if (more !== "")
    cell.append(
      process !== null && some <= 1 ? nameText(more, "quiet second") : element("span", { class: "quiet second" }, more),
    );
  if (alarming) cell.append(element("span", { class: "mark alarm", title: STRINGS.alarmHelp }, STRINGS.alarm));
}

function fillProcess(
  { supervisor, application, inC }: ShownLine,
  process: ShownProcess,
  columnId: ColumnId,
  cell: HTMLElement,
): void {
  switch (columnId) {
    case "pid":
      return cell.append(nameText(process.pid));
    case "parent":
      return cell.append(nameText(process.parent));
    case "supervisor":
      return cell.append(nameText(supervisor ?? ""));
    case "application":
      return cell.append(nameText(application ?? ""));
    case "status": {
      const status = STRINGS.status(process.status, inC !== null);
      if (inC !== null) cell.title = STRINGS.inCHelp(inC.thread, inC.seconds);
      return cell.append(process.priority === "normal" ? status : `${status}, ${process.priority}`);
    }
    case "current": {
      if (inC !== null) {
        const called = inC.function === "" ? element("span", {}, STRINGS.inC("")) : nameText(inC.function);
        called.title = `${STRINGS.inC(inC.function)}\n${STRINGS.inCHelp(inC.thread, inC.seconds)}`;
        return cell.append(called);
      }
      if (process.current === "")
        return cell.append(element("span", { class: "quiet" }, process.status === "running" ? STRINGS.runs : ""));
      const name = nameText(process.current, process.place === "" ? "name" : "name place");
      name.title = process.place === "" ? process.current : STRINGS.goTo(process.current, process.place);
      return cell.append(name);
    }
  }
}

function exceeds(value: number, threshold: number | null): boolean {
  return threshold !== null && value >= threshold;
}
