// Every text of the flame graph that readers see.

import type { Stay, StayKind, TrackName } from "../../contract/capture-answers.js";
import type { GroupBy } from "../../contract/flame-data.js";
import type { FacetName } from "../../contract/messages/flame-graph.js";
import { plainText } from "../../contract/plain-text.js";
import { duration } from "../graph/graph-figures.js";
import { l10n } from "../words/l10n.js";
import type { ExportChoice } from "./export-choices.js";

export const FACET_WORDS: Record<
  FacetName,
  { readonly title: string; readonly one: string; readonly none: string; readonly search: string }
> = {
  nodes: { title: l10n.t("Nodes"), one: l10n.t("Node"), none: l10n.t("No node"), search: l10n.t("Find nodes") },
  schedulers: {
    title: l10n.t("Schedulers"),
    one: l10n.t("Scheduler"),
    none: l10n.t("No scheduler"),
    search: l10n.t("Find schedulers"),
  },
  processes: {
    title: l10n.t("Processes"),
    one: l10n.t("Process"),
    none: l10n.t("No process"),
    search: l10n.t("Find processes"),
  },
  classes: { title: l10n.t("Classes"), one: l10n.t("Class"), none: l10n.t("Unknown"), search: l10n.t("Find classes") },
};

const STAY_WORDS: Record<StayKind, string> = {
  collection: l10n.t("Garbage collection"),
  minorCollection: l10n.t("Minor garbage collection"),
  majorCollection: l10n.t("Major garbage collection"),
  nif: l10n.t("Call of a NIF"),
  bif: l10n.t("Call of a built-in function"),
  native: l10n.t("Call of C code"),
};

/** Characters of a name in a tooltip. */
const LONGEST_NAME = 120;

export const S = {
  title: l10n.t("Flame graph"),
  callers: l10n.t("Callers"),
  callees: l10n.t("Callees"),
  building: l10n.t("building…"),
  noSamplesYet: l10n.t("No samples yet."),
  isCut: l10n.t(
    "The end of the file is missing: the recording or a copy was cut short. The part that exists is shown.",
  ),
  cannotBeDrawn: (problem: string) => l10n.t("This capture cannot be drawn: {0}.", problem),
  sandwichCannotBeDrawn: (problem: string) => l10n.t("Callers and callees cannot be drawn: {0}.", problem),
  graphLabel: (title: string) =>
    l10n.t("Flame graph of {0}. Arrow keys move, Space zooms, question mark lists the keys.", title),
  sandwichOf: (name: string) => l10n.t("Callers (above) and callees (below) of {0}", name),
  callersOf: (name: string) => l10n.t("Callers of {0}", name),
  calleesOf: (name: string) => l10n.t("Callees of {0}", name),
  noKnownSource: (name: string) => l10n.t("{0} has no known source", name),
  selectFirst: l10n.t("Select a function first"),

  previousMatch: l10n.t("Previous match"),
  nextMatch: l10n.t("Next match"),

  ownCode: l10n.t("Own code"),
  notOwnCode: l10n.t("Other Erlang"),
  flame: [l10n.t("Flame"), l10n.t("Root at the bottom (I)")],
  groupLabel: l10n.t("Group by"),
  groupTitle: l10n.t("Grouping below the root (G)"),
  groupings: {
    none: l10n.t("Not grouped"),
    process: l10n.t("By process"),
    scheduler: l10n.t("By scheduler"),
    node: l10n.t("By node"),
  } satisfies Record<GroupBy, string>,
  filters: [l10n.t("Filters"), l10n.t("By name, scheduler, process and class (F)")],
  keys: [l10n.t("Keys"), l10n.t("Keyboard shortcuts (?)")],
  exportLabel: l10n.t("Export"),
  exportTitle: l10n.t("Export the current view"),
  exportPrompt: l10n.t("Export…"),
  pictureTooLarge: l10n.t("the picture is too large"),
  exportChoices: {
    picture: l10n.t("Picture, to the clipboard"),
    markdown: l10n.t("Markdown with this picture"),
    svg: l10n.t("SVG picture"),
    folded: l10n.t("Folded stacks"),
    foldedCollapsed: l10n.t("Folded stacks, recursion collapsed"),
    speedscope: "speedscope",
    speedscopeCollapsed: l10n.t("speedscope, recursion collapsed"),
  } satisfies Record<ExportChoice, string>,

  filterBar: l10n.t("Filters"),
  focusLabel: l10n.t("Only samples with a function whose name contains"),
  focusPlaceholder: l10n.t("Focus: only with …"),
  ignoreLabel: l10n.t("Only samples without a function whose name contains"),
  ignorePlaceholder: l10n.t("Ignore: only without …"),
  menuAll: (title: string) => l10n.t("{0}: all", title),
  menuSome: (title: string, chosen: string, of: string) => l10n.t("{0}: {1} of {2}", title, chosen, of),
  clear: l10n.t("Clear"),
  close: l10n.t("Close"),
  searching: l10n.t("searching…"),
  shownOf: (shown: string, of: string) => l10n.t("{0} of {1} shown; search for the others", shown, of),
  nothingFound: l10n.t("None found"),
  filtered: l10n.t("Filtered:"),
  clearAll: l10n.t("Clear all"),
  clearOne: (what: string) => l10n.t("Remove: {0}", what),
  focusChip: (text: string) => l10n.t("with “{0}”", text),
  ignoreChip: (text: string) => l10n.t("without “{0}”", text),
  timeChip: (from: string, to: string) => l10n.t("{0} to {1}", from, to),
  valuesChip: (title: string, shown: string) => `${title} ${shown}`,
  andMore: (shown: string, more: string) => l10n.t("{0} and {1} more", shown, more),
  idle: (share: string) => l10n.t("idle {0} of all", share),
  matchedOf: (matched: string, all: string, share: string) => l10n.t("{0} of {1} ({2})", matched, all, share),

  time: l10n.t("Time"),
  timeRange: l10n.t("Time range. Arrow keys move it, with Shift they extend it, minus narrows it, Escape removes it."),
  gapsIn: (gaps: number, time: string) =>
    gaps === 1 ? l10n.t("1 gap of {0}", time) : l10n.t("{0} gaps, {1} in all", gaps, time),
  gap: (from: string, to: string) =>
    l10n.t(
      "{0} to {1}: not recorded, since the helper did not run; the activity of the VM in this time is unknown",
      from,
      to,
    ),
  staysIn: (stays: number) =>
    stays === 1
      ? l10n.t("1 long collection or call: M shows it")
      : l10n.t("{0} long collections and calls: M shows the next one", stays),
  stay: (kind: StayKind, length: string, at: string, details: string) =>
    l10n.t("{0}, at least {1} from {2} on: {3}", STAY_WORDS[kind], length, at, details),
  onScheduler: (scheduler: string) => l10n.t("scheduler {0}", scheduler),
  wholeTime: (length: string) => l10n.t("all of {0}", length),
  rangeOf: (from: string, to: string, length: string, busy: string) =>
    l10n.t("{0} to {1} of {2}, {3} busy", from, to, length, busy),
  tracks: l10n.t("The VM during the capture"),
  trackLabel: (name: string) =>
    l10n.t("{0} over time. Arrow keys show the value at one time, Escape those of all times.", name),
  tracksLabel: (name: string) =>
    l10n.t(
      "{0} over time, a line for each node. Arrow keys show the values at one time, Escape those of all times.",
      name,
    ),
  trackNode: l10n.t("Which node"),
  trackNodes: l10n.t("Nodes"),
  allNodes: l10n.t("All nodes"),
  oneScale: (most: string) => l10n.t("up to {0}, on one scale", most),
  trackOf: (node: string, value: string) => l10n.t("{0}: {1}", node, value),
  trackAt: (at: string, value: string) => l10n.t("{0}: {1}", at, value),
  trackRange: (least: string, most: string) => l10n.t("{0} to {1}", least, most),
  perSecond: (value: string) => l10n.t("{0} per second", value),
  notRead: l10n.t("not read"),
  trackNames: {
    runQueue: l10n.t("Run queue"),
    memory: l10n.t("Memory"),
    rss: l10n.t("Resident memory"),
    largestMailbox: l10n.t("Largest mailbox"),
    waitingMessages: l10n.t("Waiting messages"),
    processes: l10n.t("Processes"),
    collectionRate: l10n.t("Collections"),
    reductionRate: l10n.t("Reductions"),
    contextSwitchRate: l10n.t("Context switches"),
    ioInRate: l10n.t("Input"),
    ioOutRate: l10n.t("Output"),
  } satisfies Record<TrackName, string>,
  bucket: (at: string, busy: string, idle: string) => l10n.t("{0}: {1} busy, {2} idle", at, busy, idle),

  selectedFrame: l10n.t("Selected frame"),
  goToSource: [l10n.t("Go to source"), l10n.t("Open the hottest line of this frame (Enter)")],
  sandwich: [l10n.t("Callers and callees"), l10n.t("Everything above and below this function (S)")],
  copyName: [l10n.t("Copy name"), l10n.t("Copy the name (C)")],
  copyStack: [l10n.t("Copy stack"), l10n.t("Copy the stack (Shift+C)")],
  copyTheStack: l10n.t("Copy the Stack"),
  showInTop: l10n.t("Show in Hot Functions"),
  showInBlame: l10n.t("Show in Blame"),
  searchForIt: l10n.t("Search for It"),
  focusOnIt: l10n.t("Only Samples with It"),
  ignoreIt: l10n.t("Only Samples without It"),
  unfold: l10n.t("Unfold"),
  fold: l10n.t("Fold"),
  unfoldTitle: l10n.t("Show the native frames one by one, or as one frame (U)"),
  unfoldAll: [l10n.t("Unfold all"), l10n.t("Show every native and kernel frame (Shift+U)")],
  more: l10n.t("More"),
  nothingFolded: l10n.t("No native frames are folded here"),
  backToWhole: [l10n.t("Back to the whole graph"), l10n.t("Close callers and callees (Escape)")],
  closeKeys: [l10n.t("Close"), l10n.t("Close (Escape)")],
} as const;

/** For the list of keys; in the order to show. */
export const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  [l10n.t("Click, arrow keys"), l10n.t("Select a frame")],
  [l10n.t("Double-click, Space"), l10n.t("Zoom to the selected frame; again to zoom back. Unfold a folded frame")],
  ["Backspace", l10n.t("Back to the zoom before")],
  ["Escape, 0", l10n.t("Show everything")],
  [l10n.t("+ and −, Ctrl+wheel"), l10n.t("Zoom in and out")],
  [l10n.t("A and D, Shift+wheel, drag"), l10n.t("Move left and right")],
  [l10n.t("Drag in the time strip"), l10n.t("Select a time")],
  [l10n.t("M, Shift+M in the time strip"), l10n.t("Next and previous long collection or call")],
  ["Home", l10n.t("Select the root")],
  ["Page Up, Page Down", l10n.t("Scroll")],
  [l10n.t("Enter, O, Ctrl+click"), l10n.t("Go to the source")],
  ["/, Ctrl+F", l10n.t("Search")],
  ["N, Shift+N", l10n.t("Next and previous match")],
  ["S", l10n.t("Callers and callees of the selected function")],
  ["I", l10n.t("Flame or icicle")],
  ["V", l10n.t("Invert (callers under callees)")],
  ["R", l10n.t("Collapse recursion")],
  ["U, Shift+U", l10n.t("Unfold or fold native frames here, everywhere")],
  ["F", l10n.t("Show the filters")],
  ["G", l10n.t("Group by process, by scheduler, not at all")],
  ["X", l10n.t("Remove all filters")],
  ["T", l10n.t("Show the tree")],
  ["C, Shift+C", l10n.t("Copy the name, the stack")],
  [l10n.t("Menu key, Shift+F10"), l10n.t("Actions for the selected frame")],
  ["?", l10n.t("Show these keys")],
];

/** A long collection or call for a tooltip. */
export function stayText({
  fromMs,
  toMs,
  kind,
  scheduler,
  pid,
  process,
  functionName,
  called,
  node = "",
}: Stay): string {
  const named = (name: string) => plainText(name, LONGEST_NAME);
  const owner = process === "" ? named(pid) : `${named(pid)} (${named(process)})`;
  const details = [
    named(called),
    pid === "" ? "" : owner,
    named(functionName),
    scheduler === "" ? "" : S.onScheduler(named(scheduler)),
    named(node),
  ];
  return S.stay(kind, duration(toMs - fromMs), duration(fromMs), details.filter((detail) => detail !== "").join(" · "));
}
