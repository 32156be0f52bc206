// Lines of the helper's list and answers about heaps as the page shows them: foreign texts are cut and made visible.

import type { ShownHeap, ShownInC, ShownLine, ShownProcess } from "../../../../contract/messages/processes.js";
import { shownName } from "../../../../contract/plain-text.js";
import type {
  HeapFrame,
  HeapResult,
  HeapRoot,
  ProcessInC,
  ProcessLine,
  ProcessRow,
} from "../../../../contract/protocol.generated.js";
import { placeText } from "../page/place-text.js";

const LONGEST = 200;
/** Of each table of a heap, those with the most words. */
const MOST_ROOTS = 200;
const MOST_KINDS = 100;
const MOST_FRAMES = 300;
const MOST_SHAPES = 50;
/** Of the first and of the last messages. */
const MOST_AT_ENDS = 5;
/** Of keys, links and monitors. */
const MOST_NAMES = 200;

export function shownLine(line: ProcessLine): ShownLine {
  return {
    ...line,
    group: line.group === null ? null : shown(line.group),
    supervisor: line.supervisor === null ? null : shown(line.supervisor),
    application: line.application === null ? null : shown(line.application),
    process: line.process === null ? null : shownProcess(line.process),
    inC: line.inC === null ? null : shownInC(line.inC),
  };
}

function shownInC({ function: name, threadId, threadName, seconds }: ProcessInC): ShownInC {
  return { function: shown(name), thread: `${String(threadId)} (${shown(threadName)})`, seconds };
}

function shownProcess(row: ProcessRow): ShownProcess {
  return {
    pid: shown(row.pid),
    name: shown(row.name),
    label: shown(row.label),
    // An older helper does not say.
    labelKnown: (row.labelKnown as boolean | undefined) ?? true,
    initialCall: shown(row.initialCall),
    current: shown(row.current),
    place: placeText(row.file ?? "", row.line ?? 0),
    status: shown(row.status),
    priority: shown(row.priority),
    reductions: row.reductions,
    minorGcs: row.minorGcs,
    parent: shown(row.parent),
  };
}

export function shownHeap(heap: HeapResult): ShownHeap {
  const { usedWords, liveWords, stackWords, mailbox, roots: all, kinds, messages, dictionary, links, monitors } = heap;
  const roots = byName(all);
  const beyond = (all: readonly unknown[], most: number) => Math.max(all.length - most, 0);
  return {
    usedWords,
    liveWords,
    liveWordsAtLeast: heap.liveWordsAtLeast,
    stackWords,
    mailbox,
    roots: roots.slice(0, MOST_ROOTS),
    kinds: kinds.slice(0, MOST_KINDS).map(({ kind, count, words }) => ({ kind: shown(kind), count, words })),
    ...shownStack(heap),
    messages: {
      shapes: messages.shapes.slice(0, MOST_SHAPES).map(({ shape, count }) => ({ shape: shown(shape), count })),
      first: messages.first.slice(0, MOST_AT_ENDS).map(shown),
      last: messages.last.slice(0, MOST_AT_ENDS).map(shown),
      unread: messages.unread,
    },
    dictionary: dictionary.slice(0, MOST_NAMES).map(shown),
    links: links?.slice(0, MOST_NAMES).map(shown) ?? null,
    monitors: monitors?.slice(0, MOST_NAMES).map(shown) ?? null,
    linksCount: heap.linksCount ?? 0,
    monitorsCount: heap.monitorsCount ?? 0,
    leftOut:
      beyond(roots, MOST_ROOTS) +
      beyond(kinds, MOST_KINDS) +
      beyond(messages.shapes, MOST_SHAPES) +
      beyond(dictionary, MOST_NAMES),
  };
}

/** The frames of a stack that are shown: both ends. */
export function framesAtEnds({ stack }: HeapResult): HeapFrame[] {
  return stack.length <= MOST_FRAMES ? stack : [...stack.slice(0, MOST_FRAMES / 2), ...stack.slice(-MOST_FRAMES / 2)];
}

/** The helper may have left out the middle already. */
function shownStack(heap: HeapResult): Pick<ShownHeap, "stack" | "framesLeftOut" | "framesLeftOutAt"> {
  const { stackFrames } = heap;
  const atEnds = framesAtEnds(heap);
  return {
    stack: atEnds.map(({ function: name, file, line, times }) => ({
      function: shown(name),
      place: placeText(file ?? "", line ?? 0),
      times,
    })),
    framesLeftOut: Math.max(stackFrames - atEnds.reduce((sum, { times }) => sum + times, 0), 0),
    framesLeftOutAt: atEnds.length / 2,
  };
}

/** Roots that are called the same are one, such as keys of a dictionary whose contents are not shown; the most words first. */
function byName(roots: readonly HeapRoot[]): ShownHeap["roots"] {
  const names = new Map<string, HeapRoot[]>();
  for (const root of roots) {
    const known = names.get(root.root);
    if (known) known.push(root);
    else names.set(root.root, [root]);
  }
  return [...names]
    .map(([name, those]) => ({
      root: shown(name),
      count: those.length,
      words: those.reduce((sum, { words }) => sum + words, 0),
      parts:
        those.length > 1
          ? []
          : those.flatMap(({ parts }) => parts.map(({ part, words }) => ({ part: shown(part), words }))),
    }))
    .sort((a, b) => b.words - a.words);
}

function shown(text: string | null): string {
  return text === null ? "" : shownName(text, LONGEST);
}
