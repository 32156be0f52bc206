// Puts the page of CPU and waits together: both captures in, the user's actions out.

import { timeOfDay } from "../../contract/figures.js";
import type {
  FunctionTime,
  ProcessTime,
  SavedState,
  TimeSpent,
  TimeTable as TableId,
  ToHost,
  ToWebview,
} from "../../contract/messages/time-spent.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { openMenu, type MenuItem } from "../elements/menu.js";
import { watchedSchedulersText } from "../elements/schedulers-line.js";
import { Tabs } from "../elements/tabs.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { endedText } from "../words/ended-text.js";
import { LANGUAGE } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { Detail } from "./detail.js";
import { STRINGS } from "./strings.js";
import { functionKind, processKind } from "./tables.js";
import { barLegend } from "./time-bar.js";
import { TimeTable } from "./time-table.js";

const TABS = ["processes", "functions"] as const;
/** Below this share of the watch, samples are too few to stand beside waits. */
const FEW_SAMPLES = 0.9;

export class TimeSpentApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #heading = element("h1", { class: "heading" });
  readonly #facts = element("div", { class: "facts", role: "status" });
  readonly #onlyOf = element("div", { class: "line only-of", hidden: true });
  readonly #detail = new Detail();
  readonly #processes: TimeTable<ProcessTime>;
  readonly #functions: TimeTable<FunctionTime>;
  readonly #tabs: Tabs<TableId>;
  readonly #body: HTMLElement;
  #tab: TableId = "processes";
  #uris: Pick<SavedState, "cpu" | "waits"> | null = null;
  #spent: TimeSpent | null = null;
  /** Key of the only processes whose functions are shown. */
  #process: string | null = null;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    if (saved.tab === "functions") this.#tab = saved.tab;
    this.#processes = new TimeTable(
      processKind(
        {
          activate: (row) => this.#showFunctionsOf(row.key),
          menu: (row, x, y) => this.#processMenu(row, x, y),
          copyName: ({ name }) => this.#copy(name),
        },
        () => this.#spent?.lookedSeconds ?? 0,
      ),
    );
    this.#functions = new TimeTable(
      functionKind(
        {
          activate: ({ name }) => this.#host.send({ type: "openSource", functionName: name }),
          menu: (row, x, y) => this.#functionMenu(row, x, y),
          copyName: ({ name }) => this.#copy(name),
        },
        ({ name }) => this.#host.send({ type: "detailOf", functionName: name, process: this.#process }),
      ),
    );
    const contents: Record<TableId, HTMLElement> = {
      processes: element("div", { class: "tab-panel" }, this.#processes.element),
      functions: element("div", { class: "tab-panel" }, this.#onlyOf, this.#functions.element, this.#detail.element),
    };
    this.#tabs = new Tabs(
      STRINGS.tabs,
      TABS.map((id) => ({ id, label: STRINGS.tabNames[id], content: contents[id] })),
      (id) => this.#choose(id),
    );
    const tools = element(
      "div",
      { class: "line tools" },
      button(STRINGS.again, STRINGS.againHelp, () => this.#host.send({ type: "again" }), true),
      button(STRINGS.choose, STRINGS.chooseHelp, () => this.#host.send({ type: "choose" })),
      button(STRINGS.copy, STRINGS.copyHelp, () =>
        this.#host.send({ type: "copyCsv", table: this.#tab, process: this.#process }),
      ),
    );
    this.#body = element(
      "main",
      { class: "body", hidden: true },
      element("div", { class: "line head" }, this.#heading, tools),
      this.#facts,
      element("div", { class: "line head" }, this.#tabs.element, barLegend()),
      ...TABS.map((id) => contents[id]),
    );
    root.append(this.#notice.element, this.#body);
    this.#tabs.show(this.#tab);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#host.send({ type: "ready" });
  }

  #receive(message: ToWebview): void {
    switch (message.type) {
      case "none":
        this.#body.hidden = true;
        return this.#notice.say(message.text, [
          { label: STRINGS.watch, run: () => this.#host.send({ type: "again" }) },
          { label: STRINGS.choose, run: () => this.#host.send({ type: "choose" }) },
        ]);
      case "time":
        this.#uris = message.uris;
        this.#process = null;
        this.#save();
        return this.#show(message.spent);
      case "functions":
        this.#process = message.process;
        this.#showOnlyOf();
        if (message.rows.length === 0) this.#detail.hide();
        return this.#functions.show(message.rows);
      case "detail":
        return this.#detail.show(message.detail);
    }
  }

  #show(spent: TimeSpent): void {
    this.#spent = spent;
    this.#notice.hide();
    this.#body.hidden = false;
    const {
      node,
      pid,
      startedUnixMs,
      endedUnixMs,
      looks,
      lookedSeconds,
      sampledSeconds,
      all,
      noProcessCpu,
      unseenCpu,
      schedulers,
    } = spent;
    this.#heading.replaceChildren(nameText(STRINGS.heading(node, pid)));
    const present = all.present ?? 0;
    const facts = [
      endedUnixMs === null ? "" : endedText(endedUnixMs),
      STRINGS.watched(timeOfDay(startedUnixMs, LANGUAGE, "seconds"), lookedSeconds, looks, sampledSeconds),
      STRINGS.all(
        lookedSeconds === 0 ? 0 : present / lookedSeconds,
        present,
        all.cpu,
        all.waiting ?? 0,
        all.ready ?? 0,
      ),
      ...(sampledSeconds < lookedSeconds * FEW_SAMPLES ? [STRINGS.partly(sampledSeconds, lookedSeconds)] : []),
      [noProcessCpu >= 0.05 ? STRINGS.noProcess(noProcessCpu) : "", unseenCpu >= 0.05 ? STRINGS.unseen(unseenCpu) : ""]
        .filter((text) => text !== "")
        .join(" "),
      watchedSchedulersText(schedulers, endedUnixMs),
    ];
    this.#facts.replaceChildren(
      ...facts.filter((text) => text !== "").map((text) => element("p", { class: "quiet" }, nameText(text))),
    );
    this.#facts.title = `${spent.cpuFile}\n${spent.waitsFile}`;
    this.#processes.show(spent.processes);
  }

  #choose(id: TableId): void {
    this.#tab = id;
    this.#save();
    (id === "processes" ? this.#processes : this.#functions).draw();
  }

  #save(): void {
    if (this.#uris !== null) this.#host.save({ ...this.#uris, tab: this.#tab });
  }

  #showFunctionsOf(process: string): void {
    this.#host.send({ type: "functionsOf", process });
    this.#tabs.show("functions");
    this.#choose("functions");
    this.#functions.focus();
  }

  #showOnlyOf(): void {
    const name = this.#spent?.processes.find(({ key }) => key === this.#process)?.name;
    this.#onlyOf.hidden = name === undefined;
    if (name === undefined) return;
    const all = button(STRINGS.ofAll, STRINGS.ofAllHelp, () => {
      this.#host.send({ type: "functionsOf", process: null });
      this.#functions.focus();
    });
    this.#onlyOf.replaceChildren(element("p", {}, nameText(STRINGS.onlyOf(name))), all);
  }

  #processMenu({ key, name, present }: ProcessTime, x: number, y: number): void {
    const waits: MenuItem = {
      label: STRINGS.waitsFlame,
      keys: "",
      run: () => this.#host.send({ type: "flameGraph", of: "waits", process: key }),
    };
    const items: MenuItem[] = [
      { label: STRINGS.functionsOf, keys: "Enter", run: () => this.#showFunctionsOf(key) },
      {
        label: STRINGS.cpuFlame,
        keys: "",
        run: () => this.#host.send({ type: "flameGraph", of: "cpu", process: key }),
      },
      ...(present === null ? [] : [waits]),
      { label: SHARED_STRINGS.copyName, keys: "Ctrl+C", run: () => this.#copy(name) },
    ];
    openMenu(STRINGS.rowMenu, items, x, y);
  }

  #functionMenu({ name, cpuTotal, readyTotal, waitingTotal }: FunctionTime, x: number, y: number): void {
    const flame = (of: "cpu" | "waits"): MenuItem => ({
      label: of === "cpu" ? STRINGS.cpuFlame : STRINGS.waitsFlame,
      keys: "",
      run: () =>
        this.#host.send({
          type: "flameGraph",
          of,
          functionName: name,
          ...(this.#process === null ? {} : { process: this.#process }),
        }),
    });
    const items: MenuItem[] = [
      {
        label: SHARED_STRINGS.openSource,
        keys: "Enter",
        run: () => this.#host.send({ type: "openSource", functionName: name }),
      },
      ...(cpuTotal > 0 ? [flame("cpu")] : []),
      ...(readyTotal + waitingTotal > 0 ? [flame("waits")] : []),
      { label: SHARED_STRINGS.copyName, keys: "Ctrl+C", run: () => this.#copy(name) },
    ];
    openMenu(SHARED_STRINGS.rowMenu, items, x, y);
  }

  #copy(text: string): void {
    this.#host.send({ type: "copyText", text });
  }
}
