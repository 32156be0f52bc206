// Puts the panel of memory together: messages of the extension host in, the user's actions out.

import { timeOfDay } from "../../contract/figures.js";
import type { InsideProblem, KeptVm, VmHead } from "../../contract/messages/inside.js";
import type { CopiedTable, MemoryShown, SavedState, ToHost, ToWebview } from "../../contract/messages/memory.js";
import { button, setPressed, toggle, type Button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { NodeHeader, vmText } from "../elements/node-header.js";
import { RestoredBox } from "../elements/restored-box.js";
import { Tabs } from "../elements/tabs.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { LANGUAGE } from "../words/figures.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { AllocatorTable } from "./allocator-table.js";
import { BinariesPart } from "./binaries.js";
import { CarrierMap } from "./carrier-map.js";
import { CarrierTable } from "./carrier-table.js";
import { CodeTable } from "./code-table.js";
import { EtsTable } from "./ets-table.js";
import { Overview } from "./overview.js";
import { STRINGS } from "./strings.js";
import { TableViews } from "./table-views.js";
import { Trend } from "./trend.js";

const TABS = ["overview", "allocators", "carriers", "trend", "ets", "binaries", "code"] as const;
type Tab = (typeof TABS)[number];
/** The table that is copied while a part is in sight. */
const COPIED: Record<Exclude<Tab, "binaries">, CopiedTable> = {
  overview: "allocators",
  allocators: "allocators",
  carriers: "carriers",
  trend: "trend",
  ets: "ets",
  code: "code",
};
/** Looks that are further apart than this were slowed for the budget. */
const USUAL_PAUSE_MS = 2000;

export class MemoryApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #views = new TableViews(this.#host.saved().tables, () => this.#save());
  readonly #notice = new Notice(STRINGS.title);
  readonly #pace = element("p", { class: "quiet" });
  readonly #problem = element("section", { class: "problem", role: "alert", hidden: true });
  readonly #restored = new RestoredBox(() => {
    this.#isRequestedAgain = true;
    this.#host.send({ type: "again" });
  });
  readonly #overview = new Overview((text) => this.#host.send({ type: "copyText", text }));
  readonly #allocators = new AllocatorTable(this.#views);
  readonly #map = new CarrierMap((key) => this.#carriers.goTo(key));
  readonly #carriers: CarrierTable = new CarrierTable(this.#views, (key) => this.#map.goTo(key));
  readonly #trend = new Trend();
  readonly #ets = new EtsTable(this.#views);
  readonly #code = new CodeTable(this.#views);
  readonly #binaries: BinariesPart = new BinariesPart(this.#views, this.#host.saved().binaryTable, {
    chosen: () => this.#save(),
    look: () => this.#host.send({ type: "binaries" }),
    stop: () => this.#host.send({ type: "stopBinaries" }),
    showProcess: (process) => this.#host.send({ type: "showProcess", process }),
    copy: (text) => this.#host.send({ type: "copyText", text }),
  });
  readonly #pause = toggle(STRINGS.pause, STRINGS.pauseHelp, () =>
    this.#host.send({ type: "pause", paused: !this.#isPaused }),
  );
  /** Buttons without a use when the VM has ended. */
  readonly #ofLook: readonly Button[];
  readonly #copies: readonly Button[];
  readonly #header: NodeHeader;
  readonly #body: HTMLElement;
  readonly #parts: HTMLElement;
  readonly #tabs: Tabs<Tab>;
  #tab: Tab = "overview";
  #shown: MemoryShown | null = null;
  #isPaused = false;
  #isEnded = false;
  /** The button of a restored window had the focus: the part that replaces it gets the focus. */
  #isRequestedAgain = false;
  #kept: KeptVm | undefined;

  constructor(root: HTMLElement) {
    const { tab: savedTab, vm: kept } = this.#host.saved();
    this.#kept = kept;
    const saved: Tab | undefined = TABS.find((tab) => tab === savedTab);
    if (saved) this.#tab = saved;
    const contents: Record<Tab, HTMLElement> = {
      overview: this.#overview.element,
      allocators: element("div", { class: "tab-panel" }, this.#allocators.grid.element),
      carriers: element("div", { class: "tab-panel" }, this.#map.element, this.#carriers.grid.element),
      trend: this.#trend.element,
      ets: this.#ets.element,
      binaries: this.#binaries.element,
      code: this.#code.element,
    };
    this.#tabs = new Tabs(
      STRINGS.tabs,
      TABS.map((id) => ({ id, label: STRINGS.tabNames[id], content: contents[id] })),
      (id) => {
        this.#tab = id;
        this.#save();
        this.#showPart();
      },
    );
    this.#ofLook = [
      this.#pause,
      button(STRINGS.lookNow, STRINGS.lookNowHelp, () =>
        this.#host.send({ type: this.#tab === "binaries" ? "binaries" : "lookNow" }),
      ),
    ];
    this.#copies = [
      button(STRINGS.copyJson, STRINGS.copyJsonHelp, () => this.#host.send({ type: "copyJson" })),
      button(STRINGS.copyCsv, STRINGS.copyCsvHelp, () =>
        this.#host.send({
          type: "copyCsv",
          table: this.#tab === "binaries" ? this.#binaries.table : COPIED[this.#tab],
        }),
      ),
    ];
    this.#header = new NodeHeader(
      element(
        "div",
        { class: "line tools" },
        ...this.#ofLook,
        ...this.#copies,
        button(STRINGS.pick, STRINGS.pickHelp, () => this.#host.send({ type: "pick" })),
      ),
    );
    this.#parts = element(
      "div",
      { class: "body-main" },
      this.#pace,
      this.#tabs.element,
      ...TABS.map((id) => contents[id]),
    );
    this.#body = element(
      "div",
      { class: "body", hidden: true },
      this.#header.element,
      element("main", { class: "body-main" }, this.#problem, this.#restored.element, this.#parts),
    );
    root.append(this.#notice.element, this.#body);
    this.#tabs.show(this.#tab);
    this.#notice.say(SHARED_STRINGS.loading);
    new MutationObserver(() => this.#map.redraw()).observe(document.body, {
      attributes: true,
      attributeFilter: ["class", "data-vscode-theme-id"],
    });
    this.#host.send({ type: "ready", saved: this.#host.saved() });
  }

  #receive(message: ToWebview): void {
    switch (message.type) {
      case "noTarget":
        this.#forget();
        return this.#notice.say(STRINGS.noTarget, [
          { label: STRINGS.choose, run: () => this.#host.send({ type: "pick" }) },
        ]);
      case "attaching":
        this.#forget();
        return this.#notice.say(STRINGS.attaching(vmText(message.head)));
      case "keep":
        this.#kept = message.vm;
        return this.#save();
      case "restored":
        return this.#showRestored(message.head);
      case "binaries":
        return this.#binaries.show(message.state);
      case "paused":
        this.#isPaused = message.paused;
        return this.#showPace();
      case "problem":
        return this.#showProblem(message.head, message.problem);
      case "look":
        this.#shown = message.shown;
        this.#isPaused = message.paused;
        this.#isEnded = false;
        this.#notice.hide();
        this.#body.hidden = this.#parts.hidden = false;
        this.#parts.classList.remove("without-look");
        this.#problem.hidden = true;
        this.#restored.hide();
        this.#header.showVm(message.head);
        this.#header.showNode(message.shown.node);
        this.#showPace();
        this.#showPart();
        if (this.#isRequestedAgain) this.#tabs.focus();
        this.#isRequestedAgain = false;
    }
  }

  /** The part to show can be chosen before the VM is read again. */
  #showRestored(head: VmHead): void {
    this.#forget();
    this.#notice.hide();
    this.#body.hidden = this.#parts.hidden = false;
    this.#parts.classList.add("without-look");
    this.#pace.textContent = "";
    this.#header.showVm(head);
    this.#header.showNode(null);
    this.#showPace();
    this.#restored.show(this.#isRequestedAgain);
    this.#isRequestedAgain = false;
  }

  #save(): void {
    this.#host.save({
      tab: this.#tab,
      binaryTable: this.#binaries.table,
      tables: this.#views.kept,
      ...(this.#kept && { vm: this.#kept }),
    });
  }

  /** Another VM, or none. */
  #forget(): void {
    this.#shown = null;
    this.#binaries.forget();
    this.#body.hidden = true;
    this.#problem.hidden = true;
    this.#restored.hide();
  }

  /** Only the part in sight is drawn. */
  #showPart(): void {
    const shown = this.#shown;
    if (shown === null) return;
    switch (this.#tab) {
      case "overview":
        return this.#overview.show(shown);
      case "allocators":
        return this.#allocators.show(shown);
      case "carriers":
        this.#map.show(shown);
        return this.#carriers.show(shown);
      case "trend":
        return this.#trend.show(shown);
      case "ets":
        return this.#ets.show(shown);
      case "binaries":
        return this.#binaries.opened();
      case "code":
        return this.#code.show(shown);
    }
  }

  #showPace(): void {
    setPressed(this.#pause, this.#isPaused);
    const shown = this.#shown;
    for (const tool of this.#ofLook) tool.disabled = this.#isEnded || shown === null;
    for (const tool of this.#copies) tool.disabled = shown === null;
    if (shown === null) return;
    const { cpuMs, nextMs } = shown.look;
    const time = timeOfDay(shown.takenUnixMs, LANGUAGE, "seconds");
    const ofRunning = () =>
      this.#isPaused ? STRINGS.pacePaused(time, cpuMs) : STRINGS.pace(time, cpuMs, nextMs, nextMs > USUAL_PAUSE_MS);
    this.#pace.textContent = this.#isEnded ? STRINGS.paceEnded(time) : ofRunning();
  }

  /** The last snapshot stays below it. */
  #showProblem(head: VmHead, { kind, what, why, fix, command }: InsideProblem): void {
    const ended = kind === "vmEnded";
    this.#isEnded = ended;
    this.#notice.hide();
    this.#body.hidden = false;
    this.#parts.hidden = this.#shown === null;
    this.#restored.hide();
    this.#header.showVm(head);
    this.#header.showNode(null);
    this.#showPace();
    this.#problem.hidden = false;
    this.#problem.replaceChildren(
      element("strong", {}, nameText(what)),
      ...(why === "" ? [] : [element("span", {}, nameText(why))]),
    );
    if (fix !== "") this.#problem.append(element("span", {}, `${STRINGS.fix} `, nameText(fix)));
    if (command !== "") this.#problem.append(element("code", {}, nameText(command)));
    const [again, help] = ended ? [STRINGS.findAgain, STRINGS.findAgainHelp] : [STRINGS.again, STRINGS.lookNowHelp];
    const ways = [
      button(again, help, () => this.#host.send({ type: "again" }), true),
      ...(command === ""
        ? []
        : [button(STRINGS.copyCommand, command, () => this.#host.send({ type: "copyText", text: command }))]),
    ];
    this.#problem.append(element("div", { class: "line" }, ...ways));
  }
}
