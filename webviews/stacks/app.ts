// Puts the panel of stacks together: messages of the extension host in, the user's actions out.

import { timeOfDay } from "../../contract/figures.js";
import type {
  SavedState,
  StackThread,
  StacksProblem,
  StacksTarget,
  ToHost,
  ToWebview,
} from "../../contract/messages/stacks.js";
import { button, checkbox } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { LimitsLine } from "../elements/limits-line.js";
import { SchedulersLine, schedulersText } from "../elements/schedulers-line.js";
import { StandstillLine, standstillText } from "../elements/standstill-line.js";
import { connectHost } from "../page/host.js";
import { Notice } from "../page/notice.js";
import { LANGUAGE } from "../words/figures.js";
import { limitsText } from "../words/limits-text.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { stackCard } from "./card.js";
import { mayBeIdle, stacksText, threadTitle } from "./stacks-text.js";
import { STRINGS } from "./strings.js";

const AUTO_MS = 2000;
type Stacks = Extract<ToWebview, { type: "stacks" }>;

function mayRun({ state }: StackThread): boolean {
  return state !== "offline" && state !== "blocked";
}

export class StacksApp {
  readonly #host = connectHost<ToWebview, ToHost, SavedState>((message) => this.#receive(message));
  readonly #notice = new Notice(STRINGS.title);
  readonly #heading = element("h1", { class: "heading" });
  readonly #taken = element("p", { class: "quiet", role: "status" });
  readonly #standstill = new StandstillLine();
  readonly #ending = element("p", { class: "ending", role: "status", hidden: true }, STRINGS.ending);
  readonly #limits = new LimitsLine();
  readonly #schedulers = new SchedulersLine();
  readonly #problem = element("section", { class: "problem", role: "alert", hidden: true });
  readonly #idle = element("p", { class: "idle-line" });
  readonly #cards = element("div", { class: "cards", role: "region", "aria-label": STRINGS.title, tabindex: "0" });
  readonly #auto = checkbox(STRINGS.auto, STRINGS.autoHelp, () => {
    this.#save();
    this.#planAuto();
  });
  readonly #all = checkbox(STRINGS.all, STRINGS.allHelp, () => this.#refresh());
  readonly #cancel = button(STRINGS.cancel, STRINGS.cancelHelp, () => this.#host.send({ type: "cancel" }));
  readonly #body: HTMLElement;
  #stacks: Stacks | null = null;
  #shown: StacksTarget = { pid: 0, where: "" };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    const saved = this.#host.saved();
    this.#auto.checked = saved.auto === true;
    this.#all.checked = saved.all === true;
    const tools = element(
      "div",
      { class: "line tools" },
      this.#cancel,
      button(STRINGS.refresh, STRINGS.refreshHelp, () => this.#refresh(), true),
      this.#auto,
      this.#all,
      button(STRINGS.copy, STRINGS.copyHelp, () => this.#copy()),
      button(STRINGS.pick, STRINGS.pickHelp, () => this.#host.send({ type: "pick" })),
    );
    this.#body = element(
      "main",
      { class: "body", hidden: true },
      element("div", { class: "line head" }, this.#heading, tools),
      this.#standstill.element,
      this.#ending,
      this.#limits.element,
      this.#schedulers.element,
      this.#taken,
      this.#problem,
      this.#idle,
      this.#cards,
    );
    root.append(this.#notice.element, this.#body);
    this.#notice.say(SHARED_STRINGS.loading);
    this.#cancel.hidden = true;
    document.addEventListener("visibilitychange", () => this.#planAuto());
    this.#host.send({ type: "ready", saved });
  }

  #receive(message: ToWebview): void {
    if (message.type === "noTarget") {
      this.#body.hidden = true;
      return this.#notice.say(message.text, [{ label: STRINGS.choose, run: () => this.#host.send({ type: "pick" }) }]);
    }
    this.#notice.hide();
    this.#body.hidden = false;
    const { pid, where } = message;
    if (pid !== this.#shown.pid || where !== this.#shown.where) this.#forget();
    this.#shown = { pid, where };
    this.#cancel.hidden = message.type !== "busy";
    switch (message.type) {
      case "busy":
        if (!this.#stacks) {
          this.#heading.replaceChildren(nameText(STRINGS.heading(message, "")));
          this.#taken.textContent = STRINGS.taking;
        }
        return;
      case "cancelled":
        this.#auto.checked = false;
        if (!this.#stacks) this.#taken.textContent = STRINGS.cancelled;
        break;
      case "problem":
        this.#showProblem(message.problem);
        break;
      case "stacks":
        this.#show(message);
    }
    this.#save();
    this.#planAuto();
  }

  #forget(): void {
    this.#stacks = null;
    this.#standstill.show(null);
    this.#ending.hidden = true;
    this.#limits.show(null);
    this.#schedulers.show(null);
    this.#cards.replaceChildren();
    this.#idle.textContent = "";
    this.#problem.hidden = true;
  }

  #show(stacks: Stacks): void {
    this.#stacks = stacks;
    this.#problem.hidden = true;
    this.#all.checked = stacks.all;
    this.#heading.replaceChildren(nameText(STRINGS.heading(stacks, stacks.target)));
    const unknown = stacks.threads.filter((thread) => mayBeIdle(thread, stacks.schedulers));
    const idle = stacks.threads.filter((thread) => thread.idle && !unknown.includes(thread));
    const without = stacks.threads.filter((thread) => !thread.idle && thread.frames.length === 0);
    const inState = (state: StackThread["state"]) => without.filter((thread) => thread.state === state);
    const [offline, blocked] = [inState("offline"), inState("blocked")];
    // A thread that is halted with its VM, or kept from running by its end, is not idle for that.
    const standing = stacks.standstill === null && !stacks.ending ? [] : without.filter(mayRun);
    const standingList = stacks.standstill === null ? STRINGS.endingList : STRINGS.standingList;
    const isListed = (thread: StackThread): boolean =>
      thread.idle || standing.includes(thread) || offline.includes(thread) || blocked.includes(thread);
    const time = timeOfDay(stacks.takenUnixMs, LANGUAGE, "seconds");
    const counts = { idle: idle.length, unknown: unknown.length, threads: stacks.threads.length };
    this.#taken.textContent = stacks.threads.length === 0 ? STRINGS.noThreads : STRINGS.taken(time, counts);
    this.#standstill.show(stacks.standstill);
    this.#ending.hidden = !stacks.ending;
    this.#limits.show({ ...stacks, schedulersOnline: stacks.schedulers });
    this.#schedulers.show(stacks.schedulers, STRINGS.schedulersUnknown);
    const lists = [
      ...(idle.length === 0 ? [] : [STRINGS.idleList(idle.map(threadTitle).join(", "))]),
      ...(unknown.length === 0 ? [] : [STRINGS.unknownList(unknown.map(threadTitle).join(", "))]),
      ...(offline.length === 0 ? [] : [STRINGS.offlineList(offline.map(threadTitle).join(", "))]),
      ...(blocked.length === 0 ? [] : [STRINGS.blockedList(blocked.map(threadTitle).join(", "))]),
      ...(standing.length === 0 ? [] : [standingList(standing.map(threadTitle).join(", "))]),
    ];
    this.#idle.hidden = lists.length === 0;
    this.#idle.replaceChildren(nameText(lists.join(" · ")));
    // A refresh must not take scroll and focus away: the focused frame is looked up in the new cards.
    const focused = this.#focusedFrame();
    const { scrollTop } = this.#cards;
    this.#cards.replaceChildren(
      ...stacks.threads.flatMap((thread, index) =>
        isListed(thread)
          ? []
          : [stackCard(thread, (frame) => this.#host.send({ type: "openSource", thread: index, frame }))],
      ),
    );
    this.#cards.scrollTop = scrollTop;
    if (focused) this.#focusFrame(focused);
  }

  #focusedFrame(): { thread: string; at: number } | null {
    const active = document.activeElement;
    const card = active?.closest<HTMLElement>("[data-thread]");
    return card && active
      ? {
          thread: card.dataset["thread"] ?? "",
          at: [...card.querySelectorAll("button")].indexOf(active as HTMLButtonElement),
        }
      : null;
  }

  #focusFrame({ thread, at }: { thread: string; at: number }): void {
    const buttons =
      [...this.#cards.children]
        .find((card) => (card as HTMLElement).dataset["thread"] === thread)
        ?.querySelectorAll("button") ?? [];
    (buttons[Math.min(at, buttons.length - 1)] ?? this.#cards).focus({ preventScroll: true });
  }

  #showProblem({ what, why, fix }: StacksProblem): void {
    this.#taken.textContent = "";
    this.#problem.hidden = false;
    this.#problem.replaceChildren(
      element("strong", {}, nameText(what)),
      ...(why === "" ? [] : [element("span", {}, nameText(why))]),
    );
    if (fix !== "") this.#problem.append(element("span", {}, `${STRINGS.fix} `, element("code", {}, nameText(fix))));
    const ways = [
      button(STRINGS.again, STRINGS.refreshHelp, () => this.#refresh(), true),
      ...(fix === ""
        ? []
        : [button(STRINGS.copyFix, STRINGS.copyFix, () => this.#host.send({ type: "copyText", text: fix }))]),
    ];
    this.#problem.append(element("div", { class: "line" }, ...ways));
  }

  #refresh(): void {
    this.#host.send({ type: "refresh", all: this.#all.checked });
  }

  #planAuto(): void {
    clearTimeout(this.#timer);
    // After a problem it waits for the user: further requests would not solve it.
    if (!this.#auto.checked || document.hidden || !this.#problem.hidden) return;
    this.#timer = setTimeout(() => this.#refresh(), AUTO_MS);
  }

  #copy(): void {
    const stacks = this.#stacks;
    if (!stacks) return;
    const heading = `${STRINGS.heading(stacks, stacks.target)}, ${new Date(stacks.takenUnixMs).toISOString()}`;
    const { standstill, schedulers, ending } = stacks;
    const remarks = [
      standstill === null ? "" : standstillText(standstill),
      ending ? STRINGS.ending : "",
      limitsText({ ...stacks, schedulersOnline: schedulers }),
      schedulersText(schedulers, STRINGS.schedulersUnknown),
    ];
    this.#host.send({ type: "copyText", text: stacksText(heading, remarks, stacks) });
  }

  #save(): void {
    this.#host.save({
      pid: this.#shown.where === "" ? this.#shown.pid : 0,
      all: this.#all.checked,
      auto: this.#auto.checked,
    });
  }
}
