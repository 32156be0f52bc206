// The parts of the description of a heap. Another part is one more function in the list at the end.

import type { ShownHeap } from "../../contract/messages/processes.js";
import { element, nameText } from "../elements/dom.js";
import { percentBar } from "../elements/percent-bar.js";
import { count } from "../words/figures.js";
import { HEAP_STRINGS } from "./heap-strings.js";

export interface HeapActions {
  openFrame(frame: number): void;
}

/** Null when there is nothing to show. */
export type HeapSection = (heap: ShownHeap, actions: HeapActions) => HTMLElement | null;

function section(title: string, help: string, ...content: HTMLElement[]): HTMLElement {
  return element(
    "section",
    { class: "detail-section", "aria-label": title },
    element("h3", help === "" ? {} : { title: help }, title),
    ...content,
  );
}

function wordsTable(label: string, heads: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  if (rows.length === 0) return element("p", { class: "quiet" }, HEAP_STRINGS.empty);
  const head = element(
    "tr",
    {},
    ...heads.map((name, index) => element("th", { scope: "col", class: index === 0 ? "" : "figure" }, name)),
  );
  return element(
    "table",
    { class: "words", "aria-label": label },
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
}

function wordsRow(
  name: HTMLElement,
  figures: readonly string[],
  words: number,
  of: number,
  className = "",
): HTMLElement {
  const bar = element("td", { class: "figure share" }, ...percentBar(words, of));
  return element(
    "tr",
    { class: className },
    element("th", { scope: "row" }, name),
    ...figures.map((figure) => element("td", { class: "figure" }, figure)),
    bar,
  );
}

const liveAndGarbage: HeapSection = ({ usedWords, liveWords, liveWordsAtLeast, stackWords }) => {
  const bar = element("div", { class: "live-bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(usedWords === 0 ? 0 : liveWords / usedWords));
  return section(
    HEAP_STRINGS.liveTitle,
    "",
    bar,
    element(
      "p",
      {},
      liveWordsAtLeast ? HEAP_STRINGS.liveAtLeast(liveWords, usedWords) : HEAP_STRINGS.live(liveWords, usedWords),
    ),
    element("p", { class: "quiet" }, HEAP_STRINGS.stackWords(stackWords)),
  );
};

const roots: HeapSection = ({ roots: all, liveWords }) => {
  const figures = (words: number) => [count(words), HEAP_STRINGS.wordSize(words)];
  const rows = all.flatMap(({ root, count: some, words, parts }) => [
    wordsRow(
      some === 1 ? nameText(root) : element("span", {}, nameText(root), ` × ${count(some)}`),
      figures(words),
      words,
      liveWords,
    ),
    ...parts.map((part) => wordsRow(nameText(part.part), figures(part.words), part.words, liveWords, "part")),
  ]);
  return section(
    HEAP_STRINGS.rootsTitle,
    HEAP_STRINGS.rootsHelp,
    wordsTable(
      HEAP_STRINGS.rootsTitle,
      [HEAP_STRINGS.root, HEAP_STRINGS.words, HEAP_STRINGS.size, HEAP_STRINGS.share],
      rows,
    ),
  );
};

const kinds: HeapSection = ({ kinds: all, usedWords }) => {
  const rows = all.map(({ kind, count: things, words }) =>
    wordsRow(nameText(kind), [count(things), count(words)], words, usedWords),
  );
  return section(
    HEAP_STRINGS.kindsTitle,
    HEAP_STRINGS.kindsHelp,
    wordsTable(
      HEAP_STRINGS.kindsTitle,
      [HEAP_STRINGS.kind, HEAP_STRINGS.things, HEAP_STRINGS.words, HEAP_STRINGS.share],
      rows,
    ),
  );
};

const mailbox: HeapSection = ({ mailbox: waiting, messages: { shapes, first, last, unread } }) => {
  const sentence = element("p", {}, HEAP_STRINGS.mailbox(waiting));
  if (shapes.length === 0) return section(HEAP_STRINGS.mailboxTitle, "", sentence);
  const rows = shapes.map(({ shape, count: some }) => wordsRow(nameText(shape), [count(some)], some, waiting));
  const ends = [
    { title: HEAP_STRINGS.firstMessages, those: first },
    { title: HEAP_STRINGS.lastMessages, those: last },
  ].filter(({ those }) => those.length > 0);
  return section(
    HEAP_STRINGS.mailboxTitle,
    HEAP_STRINGS.shapesHelp,
    sentence,
    wordsTable(HEAP_STRINGS.shapes, [HEAP_STRINGS.shape, HEAP_STRINGS.things, HEAP_STRINGS.share], rows),
    ...ends.map(({ title, those }) =>
      element(
        "p",
        { class: "quiet" },
        `${title} `,
        ...those.flatMap((shape, index) => (index === 0 ? [nameText(shape)] : [" · ", nameText(shape)])),
      ),
    ),
    ...(unread === 0 ? [] : [element("p", { class: "quiet" }, HEAP_STRINGS.unreadMessages(unread))]),
  );
};

/** Names one beside the other; `total` is how many there are. */
function names(title: string, help: string, all: readonly string[], total = all.length): HTMLElement | null {
  if (all.length === 0) return null;
  const more = total - all.length;
  const list = element("ul", { class: "names" }, ...all.map((name) => element("li", {}, nameText(name))));
  return section(
    title,
    help,
    list,
    ...(more > 0 ? [element("p", { class: "quiet" }, HEAP_STRINGS.moreNames(more, total))] : []),
  );
}

/** Links or monitors; null when they are not known. */
function relations(title: string, all: readonly string[] | null, total: number): HTMLElement | null {
  return all === null
    ? section(title, "", element("p", { class: "quiet" }, HEAP_STRINGS.unknown))
    : names(title, "", all, total);
}

const dictionary: HeapSection = ({ dictionary: keys }) =>
  names(HEAP_STRINGS.dictionaryTitle, HEAP_STRINGS.dictionaryHelp, keys);
const links: HeapSection = ({ links: all, linksCount }) => relations(HEAP_STRINGS.linksTitle, all, linksCount);
const monitors: HeapSection = ({ monitors: all, monitorsCount }) =>
  relations(HEAP_STRINGS.monitorsTitle, all, monitorsCount);

const stack: HeapSection = ({ stack: frames, framesLeftOut, framesLeftOutAt }, { openFrame }) => {
  const lines = frames.map(({ function: name, place, times }, index) => {
    const folded = times > 1 ? [element("span", { class: "quiet" }, ` × ${count(times)}`)] : [];
    if (place === "") return element("li", {}, nameText(name === "" ? HEAP_STRINGS.unknown : name), ...folded);
    const press = element("button", { type: "button", class: "link", title: HEAP_STRINGS.goTo(place) }, nameText(name));
    press.addEventListener("click", () => openFrame(index));
    return element("li", {}, press, ...folded, nameText(place, "quiet"));
  });
  if (framesLeftOut > 0)
    lines.splice(framesLeftOutAt, 0, element("li", { class: "quiet" }, HEAP_STRINGS.framesLeftOut(framesLeftOut)));
  return section(
    HEAP_STRINGS.stackTitle,
    "",
    lines.length === 0
      ? element("p", { class: "quiet" }, HEAP_STRINGS.noStack)
      : element("ol", { class: "stack" }, ...lines),
  );
};

const leftOut: HeapSection = ({ leftOut: some }) =>
  some === 0 ? null : element("p", { class: "quiet" }, HEAP_STRINGS.leftOut(some));

/** In the order in which they are shown. */
export const HEAP_SECTIONS: readonly HeapSection[] = [
  liveAndGarbage,
  roots,
  stack,
  mailbox,
  kinds,
  dictionary,
  links,
  monitors,
  leftOut,
];
