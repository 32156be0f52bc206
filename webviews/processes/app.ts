// Puts the panel of processes together: messages of the extension host in, the user's actions out.

import { timeOfDay } from "../../contract/figures.js";
import type { InsideProblem, KeptVm, VmHead } from "../../contract/messages/inside.js";
import {
  type ProcessList,
  type ProcessView,
  type SavedState,
  type ShownLine,
  type ToHost,
  type ToWebview,
} from "../../contract/messages/processes.js";
import { element } from "../elements/dom.js";
import { openMenu, type MenuItem } from "../elements/menu.js";
import { NodeHeader } from "../elements/node-header.js";
import { RestoredBox } from "../elements/restored-box.js";
import { HEAD_PX, ROW_PX } from "../grid/grid-window.js";
import { VirtualGrid } from "../grid/virtual-grid.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { LANGUAGE, percent } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { COLUMNS, sortOf, TEXT_COLUMNS, USUALLY_HIDDEN } from "./columns.js";
import { Details } from "./details.js";
import { HEAP_STRINGS } from "./heap-strings.js";
import { garbageOfGroup, type GarbageFigure } from "./garbage-figure.js";
import { LineSource, titleOf } from "./line-source.js";
import { listFacts, unreadProcesses } from "./list-facts.js";
import { LoadedLines, windowAround } from "./loaded-lines.js";
import { problemBox, problemText } from "./problem-box.js";
import { STRINGS } from "./strings.js";
import { Toolbar } from "./toolbar.js";
import { ValueHistory } from "./value-history.js";

const FIRST_VIEW: ProcessView = {
  sort: "memory",
  descending: true,
  filter: "",
  grouping: "none",
  open: [],
  onlyAlarming: false,
};
const SCROLL_PAUSE_MS = 50;
/** Processes and groups whose share of garbage is remembered. */
const MOST_SHARES = 500;

export class ProcessesApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #toolbar = new Toolbar({
    filter: (filter) => this.#changeView({ filter }),
    grouping: (grouping) => this.#changeView({ grouping, open: [] }),
    onlyAlarming: (onlyAlarming) => this.#changeView({ onlyAlarming }),
    pause: (paused) => this.#pause(paused),
    lookNow: () => this.#host.send({ type: "lookNow" }),
    copy: (format) => this.#host.send({ type: "copyList", format }),
    toggleColumn: (id) => this.#toggleColumn(id),
    isHidden: (id) => this.#hidden.has(id),
    pick: () => this.#host.send({ type: "pick" }),
  });
  readonly #header = new NodeHeader(this.#toolbar.actions);
  readonly #facts = element("p", { class: "quiet list-facts" });
  readonly #status = element("p", { class: "unseen", role: "status" });
  readonly #problem = element("section", { class: "problem", role: "alert", hidden: true });
  readonly #restored = new RestoredBox(() => {
    this.#isRequestedAgain = true;
    this.#host.send({ type: "lookNow" });
  });
  readonly #empty = new Notice(null);
  readonly #details = new Details({
    askHeap: (key) => this.#host.send({ type: "heap", key }),
    stopHeap: () => this.#host.send({ type: "stopHeap" }),
    openLine: (key) => this.#host.send({ type: "openLine", key }),
    openFrame: (frame) => this.#host.send({ type: "openFrame", frame }),
    closed: () => this.#grid.element.focus(),
  });
  readonly #grid: VirtualGrid;
  readonly #body: HTMLElement;
  readonly #history = new ValueHistory();
  readonly #garbage = new Map<string, GarbageFigure>();
  /** The group whose heaps are being read. */
  #readGroup: string | undefined;
  #view = FIRST_VIEW;
  #hidden: Set<string>;
  #list: ProcessList | null = null;
  #lines = new LoadedLines({ lines: [], first: 0, length: 0 });
  #isPaused = false;
  /** The button of a restored window had the focus: the part that replaces it gets the focus. */
  #isRequestedAgain = false;
  #kept: KeptVm | undefined;
  /** Process to open as soon as it is listed. */
  #goingTo: string | undefined;
  #pid = 0;
  #alarming = 0;
  #scrollTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    this.#kept = saved.vm;
    this.#hidden = new Set(
      Array.isArray(saved.hidden) ? saved.hidden.filter((id) => typeof id === "string") : USUALLY_HIDDEN,
    );
    this.#grid = new VirtualGrid(STRINGS.grid, "treegrid", COLUMNS, {
      activate: (index, columnId) => this.#activate(index, columnId),
      toggle: (index, open) => this.#toggle(index, open),
      selected: () => this.#showSelected(false),
      sort: (columnId) => this.#sort(columnId),
      menu: (index, x, y) => this.#menu(index, x, y),
      key: (event, index) => this.#key(event, index),
    });
    this.#grid.hideColumns(this.#hidden);
    this.#grid.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#grid.element.addEventListener("keydown", (event) => {
      if (event.key === "f" && (event.ctrlKey || event.metaKey)) this.#toolbar.focusFilter();
    });
    new ResizeObserver(() => this.#scrolled()).observe(this.#grid.element);
    const table = element("div", { class: "list" }, this.#grid.element, this.#empty.element);
    this.#empty.hide();
    this.#body = element(
      "div",
      { class: "body", hidden: true },
      this.#header.element,
      element(
        "main",
        { class: "body-main" },
        this.#problem,
        this.#restored.element,
        this.#toolbar.filters,
        this.#facts,
        this.#status,
        element("div", { class: "split" }, table, this.#details.element),
      ),
    );
    root.append(this.#notice.element, this.#body);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready", saved });
  }

  #receive(message: ToWebview): void {
    switch (message.type) {
      case "noTarget":
        this.#body.hidden = true;
        return this.#notice.say(message.text, [
          { label: STRINGS.choose, run: () => this.#host.send({ type: "pick" }) },
        ]);
      case "vm":
        if (message.vm.pid !== this.#pid) this.#forget();
        this.#pid = message.vm.pid;
        return this.#header.showVm(message.vm);
      case "keep":
        this.#kept = message.vm;
        return this.#save();
      case "restored":
        return this.#showRestored(message.vm, message.view);
      case "goTo":
        this.#goingTo = message.process;
        this.#view = message.view;
        this.#toolbar.show(message.view.filter, message.view.grouping, message.view.onlyAlarming);
        return this.#save();
      case "attaching":
        this.#problem.hidden = true;
        this.#restored.hide();
        this.#isPaused = false;
        this.#toolbar.showPaused(false);
        // Looks are counted anew: there is no line between those of before and these.
        this.#history.forget();
        if (this.#list !== null) return;
        this.#body.hidden = true;
        return this.#notice.say(STRINGS.attaching);
      case "list":
        return this.#showList(message);
      case "node":
        return this.#header.showNode(message.node);
      case "problem":
        return this.#showProblem(message.problem);
      case "heap": {
        const { liveWords, liveWordsAtLeast, usedWords } = message.heap;
        const time = timeOfDay(message.takenUnixMs, LANGUAGE, "seconds");
        if (usedWords > 0 && !liveWordsAtLeast)
          this.#keepGarbage(message.key, {
            text: percent(1 - liveWords / usedWords, 1, "whole"),
            title: HEAP_STRINGS.taken(time),
          });
        this.#details.showHeap(message.key, message.heap, time);
        return this.#grid.draw();
      }
      case "groupHeaps":
        return this.#showGroup(message.key, garbageOfGroup(message.heaps, message.takenUnixMs));
      case "heapProblem":
        if (message.key === this.#readGroup)
          return this.#showGroup(message.key, { text: "?", title: problemText(message.problem) });
        return this.#details.showProblem(message.key, message.problem);
      case "heapProgress":
        return this.#details.showProgress(message.key, message.bytes, message.percent);
      case "heapStopped":
        if (message.key === this.#readGroup)
          return this.#showGroup(message.key, { text: "?", title: HEAP_STRINGS.stopped });
        return this.#details.showStopped(message.key);
    }
  }

  #forget(): void {
    this.#goingTo = undefined;
    this.#list = null;
    this.#lines = new LoadedLines({ lines: [], first: 0, length: 0 });
    this.#history.forget();
    this.#garbage.clear();
    this.#readGroup = undefined;
    this.#details.forget();
    this.#header.showNode(null);
    this.#alarming = 0;
    this.#body.hidden = true;
  }

  /** The order, the filter and the grouping can be changed before the VM is read again. */
  #showRestored(vm: VmHead, view: ProcessView): void {
    this.#forget();
    this.#pid = vm.pid;
    this.#view = view;
    this.#notice.hide();
    this.#problem.hidden = true;
    this.#body.hidden = false;
    this.#body.classList.remove("without-list");
    this.#header.showVm(vm);
    this.#toolbar.show(view.filter, view.grouping, view.onlyAlarming);
    this.#toolbar.setLooking(false);
    this.#grid.showSorting({ columnId: view.sort, descending: view.descending });
    this.#restored.show(this.#isRequestedAgain);
    this.#isRequestedAgain = false;
  }

  #showList(list: ProcessList): void {
    const isFirst = this.#list === null;
    this.#list = list;
    this.#restored.hide();
    this.#toolbar.setLooking(true);
    this.#notice.hide();
    this.#body.hidden = false;
    this.#body.classList.remove("without-list");
    this.#problem.hidden = true;
    // The extension host checks the saved view; from then on the page is ahead of it.
    if (isFirst && this.#goingTo === undefined) {
      this.#view = list.view;
      this.#toolbar.show(list.view.filter, list.view.grouping, list.view.onlyAlarming);
    }
    this.#history.add(list.look.number, list.lines);
    this.#lines = new LoadedLines(list);
    this.#draw(list);
    this.#facts.textContent = listFacts(list, this.#isPaused ? "paused" : "looking");
    if (list.alarming !== this.#alarming)
      this.#status.textContent = STRINGS.alarmsNow(list.alarming, unreadProcesses(list));
    this.#alarming = list.alarming;
    this.#sayIfEmpty(list);
    this.#arrive(list);
    const shown = list.lines.find(({ key }) => key === this.#details.key);
    if (shown) this.#details.show(shown);
    if (!isFirst) return;
    this.#scrolled();
    if (this.#isRequestedAgain) this.#grid.element.focus();
    this.#isRequestedAgain = false;
  }

  /**
   * The process that a link has led to: selected, with its heap looked at. A process that has ended is missing in the
   * list, so that nothing is selected.
   */
  #arrive({ view, lines, first }: ProcessList): void {
    if (this.#goingTo === undefined || view.filter !== this.#goingTo) return;
    const at = lines.findIndex(({ process }) => process?.pid === this.#goingTo);
    this.#goingTo = undefined;
    this.#host.send({ type: "arrived" });
    this.#grid.element.focus({ preventScroll: true });
    if (at < 0) return;
    this.#grid.select(first + at);
    this.#activate(first + at, null);
  }

  #draw(list: ProcessList): void {
    this.#grid.setSource(
      new LineSource(this.#lines, list, this.#history, this.#garbage),
      this.#lines.resolved(this.#grid.selectedKey),
    );
    this.#grid.showSorting({ columnId: this.#view.sort, descending: this.#view.descending });
  }

  #sayIfEmpty(list: ProcessList): void {
    const { length, alarms } = list;
    const { onlyAlarming, filter } = this.#view;
    this.#grid.element.hidden = length === 0;
    if (length > 0) return this.#empty.hide();
    if (filter !== "")
      return this.#empty.say(STRINGS.noMatch, [{ label: STRINGS.clearFilter, run: () => this.#showAll() }]);
    if (onlyAlarming)
      this.#empty.say(STRINGS.noAlarms(alarms.mailbox, alarms.memory, unreadProcesses(list)), [
        { label: STRINGS.showAll, run: () => this.#showAll() },
      ]);
  }

  #showAll(): void {
    this.#changeView({ filter: "", onlyAlarming: false });
    this.#toolbar.show("", this.#view.grouping, false);
  }

  #showProblem(problem: InsideProblem): void {
    const seen = this.#list === null ? undefined : timeOfDay(this.#list.lookedUnixMs, LANGUAGE, "seconds");
    if (this.#list !== null) this.#facts.textContent = listFacts(this.#list, "ended");
    this.#notice.hide();
    this.#restored.hide();
    this.#body.hidden = false;
    this.#body.classList.toggle("without-list", this.#list === null);
    this.#problem.hidden = false;
    this.#problem.replaceChildren(
      ...problemBox(
        problem,
        seen,
        () => this.#host.send({ type: "lookNow" }),
        (text) => this.#host.send({ type: "copyText", text }),
      ),
    );
  }

  #changeView(change: Partial<ProcessView>): void {
    if ("filter" in change || "grouping" in change || "onlyAlarming" in change) this.#forgetGroups();
    this.#view = { ...this.#view, ...change };
    this.#save();
    this.#host.send({ type: "view", view: this.#view, window: this.#wantedWindow() });
  }

  #save(): void {
    this.#host.save({ view: this.#view, hidden: [...this.#hidden], ...(this.#kept && { vm: this.#kept }) });
  }

  #sort(columnId: string): void {
    const sort = sortOf(columnId);
    if (sort === undefined) return;
    this.#changeView(
      this.#view.sort === sort
        ? { descending: !this.#view.descending }
        : { sort, descending: !TEXT_COLUMNS.has(columnId) },
    );
    this.#grid.showSorting({ columnId, descending: this.#view.descending });
  }

  #toggle(index: number, open: boolean): void {
    const line = this.#lines.at(index);
    if (line === undefined || line.open === null) return;
    const others = this.#view.open.filter((key) => key !== line.key);
    this.#changeView({ open: open ? [...others, line.key] : others });
  }

  #pause(paused: boolean): void {
    this.#isPaused = paused;
    this.#toolbar.showPaused(paused);
    this.#host.send({ type: "pause", paused });
    if (this.#list === null) return;
    this.#facts.textContent = listFacts(this.#list, paused ? "paused" : "looking");
    this.#status.textContent = paused ? STRINGS.pausedAt(timeOfDay(this.#list.lookedUnixMs, LANGUAGE, "seconds")) : "";
  }

  #toggleColumn(id: string): void {
    const hidden = new Set(this.#hidden);
    if (!hidden.delete(id)) hidden.add(id);
    this.#hidden = hidden;
    this.#grid.hideColumns(hidden);
    this.#save();
  }

  #scrolled(): void {
    clearTimeout(this.#scrollTimer);
    this.#scrollTimer = setTimeout(() => {
      const { first, end } = this.#inSight();
      if (this.#list !== null && !this.#lines.covers(first, end))
        this.#host.send({ type: "window", window: this.#wantedWindow() });
    }, SCROLL_PAUSE_MS);
  }

  #inSight(): { first: number; end: number } {
    const { scrollTop, clientHeight } = this.#grid.element;
    const first = Math.floor(scrollTop / ROW_PX);
    return { first, end: first + Math.ceil(Math.max(clientHeight - HEAD_PX, ROW_PX) / ROW_PX) + 1 };
  }

  #wantedWindow() {
    const { first, end } = this.#inSight();
    return windowAround(first, end);
  }

  #activate(index: number, columnId: string | null): void {
    const line = this.#lines.at(index);
    if (line === undefined) return;
    if (columnId === "current") return this.#host.send({ type: "openLine", key: line.key });
    if (line.process === null) return this.#toggle(index, line.open !== true);
    this.#showSelected(true);
    this.#details.askHeap();
  }

  /** The pane follows the selection once it is open. */
  #showSelected(opens: boolean): void {
    const line = this.#lines.at(this.#grid.selectedIndex);
    if (!line?.process || (!opens && this.#details.key === "")) return;
    this.#details.show(line);
  }

  #key(event: KeyboardEvent, index: number): boolean {
    const line = this.#lines.at(index);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && line?.process?.place) {
      this.#host.send({ type: "openLine", key: line.key });
      return true;
    }
    return false;
  }

  #menu(index: number, x: number, y: number): void {
    const line = this.#lines.at(index);
    if (line !== undefined) openMenu(STRINGS.rowMenu, this.#menuOf(line, index), x, y);
  }

  #menuOf(line: ShownLine, index: number): MenuItem[] {
    const { process, open, key } = line;
    const show = (filter: string) => {
      this.#changeView({ filter });
      this.#toolbar.show(filter, this.#view.grouping, this.#view.onlyAlarming);
    };
    const isOpen = open === true;
    const toggling =
      open === null
        ? []
        : [
            {
              label: isOpen ? STRINGS.closeGroup : STRINGS.openGroup,
              keys: isOpen ? "←" : "→",
              run: () => this.#toggle(index, !isOpen),
            },
          ];
    if (process === null)
      return [...toggling, { label: STRINGS.groupHeapsAction, keys: "", run: () => this.#readHeaps(line) }];
    const source =
      process.place === ""
        ? []
        : [{ label: STRINGS.openSource, keys: "Ctrl+Enter", run: () => this.#host.send({ type: "openLine", key }) }];
    const parent =
      process.parent === "" ? [] : [{ label: STRINGS.showParent, keys: "", run: () => show(process.parent) }];
    return [
      { label: STRINGS.heapAction, keys: "Enter", run: () => this.#activate(index, null) },
      ...source,
      ...toggling,
      { label: STRINGS.onlyThis, keys: "", run: () => show(titleOf(line)) },
      ...parent,
      { label: STRINGS.copyPid, keys: "", run: () => this.#host.send({ type: "copyText", text: process.pid }) },
    ];
  }

  /** Groups of other processes may be called the same. */
  #forgetGroups(): void {
    this.#readGroup = undefined;
    for (const key of this.#garbage.keys()) if (key.startsWith("group")) this.#garbage.delete(key);
  }

  #readHeaps(group: ShownLine): void {
    if (this.#readGroup !== undefined) this.#keepGarbage(this.#readGroup, { text: "?", title: HEAP_STRINGS.stopped });
    this.#readGroup = group.key;
    this.#keepGarbage(group.key, { text: "…", title: STRINGS.readingHeaps });
    this.#grid.draw();
    this.#status.textContent = STRINGS.readingHeaps;
    this.#host.send({ type: "groupHeaps", key: group.key });
  }

  #showGroup(key: string, figure: GarbageFigure): void {
    if (key !== this.#readGroup) return;
    this.#readGroup = undefined;
    this.#keepGarbage(key, figure);
    this.#status.textContent = `${figure.text} ${figure.title}`;
    this.#grid.draw();
  }

  #keepGarbage(key: string, figure: GarbageFigure): void {
    this.#garbage.delete(key);
    this.#garbage.set(key, figure);
    for (const oldest of this.#garbage.keys()) {
      if (this.#garbage.size <= MOST_SHARES) return;
      this.#garbage.delete(oldest);
    }
  }
}
