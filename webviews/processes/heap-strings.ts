// Words of the pane of one process.

import { count, decimal, memorySize, percent } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

const BYTES_PER_WORD = 8;

export const HEAP_STRINGS = {
  details: (name: string) => l10n.t("Details of {0}", name),
  close: l10n.t("Close"),
  closeHelp: l10n.t("Close the details (Escape)"),
  look: l10n.t("Read the Heap"),
  lookAgain: l10n.t("Read Again"),
  lookHelp: l10n.t("Reads its heap and determines which part of it is alive and what keeps it alive (Enter)"),
  looking: l10n.t("Reading its heap…"),
  lookingAt: (bytes: number, done: number) => l10n.t("Reading its heap of {0}: {1} %", memorySize(bytes), count(done)),
  stop: l10n.t("Cancel"),
  stopped: l10n.t("Its heap was not read completely."),
  taken: (time: string) => l10n.t("Heap as of {0}", time),
  notLooked: l10n.t(
    "Which part of its heap is alive, and what keeps it alive, is determined on request: all of its heap is read. Contents are never shown, only shapes and sizes.",
  ),
  facts: {
    label: l10n.t("Label"),
    initialCall: l10n.t("Initial call"),
    current: l10n.t("Current function"),
    inC: l10n.t("Sleeps"),
    thread: l10n.t("Thread"),
    status: l10n.t("Status"),
    priority: l10n.t("Priority"),
    mailbox: l10n.t("Messages"),
    memory: l10n.t("Memory"),
    messageBytes: l10n.t("Of that, messages"),
    heap: l10n.t("Heap"),
    binaries: l10n.t("Binaries"),
    reductions: l10n.t("Reductions"),
    collections: l10n.t("Minor collections"),
    parent: l10n.t("Parent"),
    supervisor: l10n.t("Supervisor"),
    application: l10n.t("Application"),
  },
  sleeps: (thread: string, seconds: number) => l10n.t("{0}, for {1} s at least", thread, decimal(seconds)),
  heapFact: (used: number, all: number) =>
    l10n.t("{0} of {1} in use", memorySize(used * BYTES_PER_WORD), memorySize(all * BYTES_PER_WORD)),
  sinceFull: (some: number) => l10n.t("{0} since the last full one", count(some)),
  unknown: l10n.t("unknown"),
  liveTitle: l10n.t("Live and garbage"),
  live: (live: number, used: number) =>
    l10n.t(
      "{0} of {1} used words are live ({2}); a full collection would free {3}.",
      count(live),
      count(used),
      percent(live, used, "rough"),
      memorySize((used - live) * BYTES_PER_WORD),
    ),
  liveAtLeast: (live: number, used: number) =>
    l10n.t("At least {0} of {1} used words are live (too many messages to follow all).", count(live), count(used)),
  stackWords: (words: number) =>
    words === 1
      ? l10n.t("The stack beside it has 1 word.")
      : l10n.t("The stack beside it has {0} words.", count(words)),
  rootsTitle: l10n.t("What keeps it alive"),
  rootsHelp: l10n.t(
    "Terms that several of them lead to count for the first, so that the sum is the live part of the heap",
  ),
  root: l10n.t("Held by"),
  shapes: l10n.t("Messages by shape"),
  shapesHelp: l10n.t(
    "An atom is shown if it is the first element of a tuple or the whole message; of any other term, only the type is shown",
  ),
  shape: l10n.t("Shape"),
  firstMessages: l10n.t("The first:"),
  lastMessages: l10n.t("The last:"),
  unreadMessages: (some: number) =>
    some === 1 ? l10n.t("1 more was not read.") : l10n.t("{0} more were not read.", count(some)),
  dictionaryTitle: l10n.t("Keys of its dictionary"),
  dictionaryHelp: l10n.t("Atoms as they are; other terms by type"),
  linksTitle: l10n.t("Linked to"),
  monitorsTitle: l10n.t("Monitors"),
  moreNames: (some: number, total: number) => l10n.t("and {0} more, {1} in all", count(some), count(total)),
  framesLeftOut: (some: number) => l10n.t("… {0} frames are left out …", count(some)),
  kindsTitle: l10n.t("Contents by kind"),
  kindsHelp: l10n.t("Everything on the heap, including garbage"),
  kind: l10n.t("Kind"),
  things: l10n.t("Count"),
  words: l10n.t("Words"),
  size: l10n.t("Size"),
  share: l10n.t("Share"),
  stackTitle: l10n.t("Stack, innermost first"),
  noStack: l10n.t("No frames."),
  mailboxTitle: l10n.t("Mailbox"),
  mailbox: (messages: number) =>
    messages === 0
      ? l10n.t("No message waits.")
      : messages === 1
        ? l10n.t("1 message waits.")
        : l10n.t("{0} messages wait.", count(messages)),
  empty: l10n.t("Nothing."),
  leftOut: (some: number) => l10n.t("{0} smaller entries are left out.", count(some)),
  goTo: (place: string) => l10n.t("Go to {0}", place),
  wordSize: (words: number) => memorySize(words * BYTES_PER_WORD),
} as const;
