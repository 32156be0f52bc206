// All words of the blame panel.

import type { PercentOf } from "../../contract/capture-answers.js";
import { marked, markedOf } from "../../contract/figures.js";
import { shortAmount } from "../../contract/sample-type-words.js";
import { count, LANGUAGE, percent } from "../words/figures.js";
import { l10n } from "../words/l10n.js";
import { counted, splitOfType, totalsText, typeOfShares } from "../words/page-words.js";

/** What shares are of, and when they are marked. */
export interface ShareBase {
  /** Samples. */
  readonly whole: number;
  readonly percentOf: PercentOf;
  /** Shares of fewer samples are marked. */
  readonly minimumSamples: number;
  /** The unit of counts: `samples`. */
  readonly unit: string;
}

export const STRINGS = {
  title: l10n.t("Which Erlang functions cause native work"),
  splitLabel: (percentOf: PercentOf, unit: string) =>
    splitOfType(unit) ??
    (percentOf === "busy"
      ? l10n.t("Work of the VM, shares of busy samples")
      : l10n.t("Work of the VM, shares of all samples")),
  askOf: (label: string, help: string) =>
    l10n.t("{0}. Press to see which Erlang functions cause it ({1}).", help, label),
  totals: (samples: number, busy: number, { idle, busyWait }: { idle: number; busyWait: number }, unit: string) =>
    [
      totalsText(samples, busy, unit),
      ...(busyWait > 0 ? [l10n.t("busy wait {0} of all", percent(busyWait, samples))] : []),
      ...(idle > 0 || busyWait === 0 ? [l10n.t("idle {0} of all", percent(idle, samples))] : []),
    ].join(" · "),
  picker: {
    label: l10n.t("Native function or group"),
    placeholder: "copy_struct, gc, nif:crypto…",
    group: l10n.t("group"),
    open: l10n.t("Open the list"),
    free: (typed: string) => l10n.t("Search for “{0}”", typed),
    samples: (samples: number) => count(samples),
  },
  nodes: l10n.t("Node"),
  allNodes: l10n.t("All nodes"),
  pick: l10n.t("Pick a native function or a group to see which Erlang functions cause it."),
  answer: (query: string, matched: number, { whole, percentOf, minimumSamples, unit }: ShareBase) => {
    const share = marked(percent(matched, whole), matched, minimumSamples);
    const texts = [query, counted(matched, unit), share] as const;
    const type = typeOfShares(unit);
    if (type !== undefined && percentOf === "busy") return l10n.t("{0}: {1}, {2} of the {3}", ...texts, type);
    return percentOf === "busy" ? l10n.t("{0}: {1}, {2} of busy", ...texts) : l10n.t("{0}: {1}, {2} of all", ...texts);
  },
  none: (query: string) => l10n.t("No samples in {0} in this capture.", query),
  noneHelp: l10n.t(
    "Names are those of C functions and BIFs (copy_struct, ets:lookup/2), groups (copy, gc, compare, ets, lock, alloc, binary, port), libraries (nif:crypto) and drivers (port:tcp_inet).",
  ),
  symbols: (shown: number, total: number) =>
    total === 1
      ? l10n.t("1 matched symbol")
      : shown < total
        ? l10n.t("{0} matched symbols, the first {1}", count(total), count(shown))
        : l10n.t("{0} matched symbols", count(total)),
  leftOut: (rows: number) => l10n.t("{0} more rows are not shown. Close some callers to see others.", count(rows)),
  ownCode: l10n.t(
    "Only functions of your own code are listed as causes. Switch to self time to list those of libraries and OTP.",
  ),
  copyText: l10n.t("Copy as Text"),
  copyTextHelp: l10n.t("Copy the expanded rows as text"),
  copyMarkdown: l10n.t("Copy as Markdown"),
  copyMarkdownHelp: l10n.t("Copy the expanded rows as a Markdown table"),
  grid: (query: string) => l10n.t("Erlang functions that cause {0}", query),
  columns: {
    name: {
      title: l10n.t("Function"),
      help: l10n.t("The nearest Erlang function below the native code; open a row for its callers"),
    },
    samples: { title: l10n.t("Samples"), help: l10n.t("Samples of this native work with the function as its cause") },
    ofIt: { title: l10n.t("% of it"), help: l10n.t("Share of the samples of this native work") },
    ofBusy: { title: l10n.t("% of busy"), help: l10n.t("Share of the busy samples") },
    ofAll: { title: l10n.t("% of all"), help: l10n.t("Share of all samples of the capture, including idle ones") },
    place: {
      title: l10n.t("Where"),
      help: l10n.t("The line of the call with most samples, else the head of the function"),
    },
  },
  atOrBelow: l10n.t("at or below"),
  atOrBelowHelp: l10n.t(
    "The call was made by this function or by one it called: only the deeper Erlang frames of these samples are proven.",
  ),
  /** By the name a capture has for them. */
  markers: {
    "[unproven]": l10n.t(
      "the Erlang stack of these samples could not be proven, most often because the collector was moving it. No function is guessed.",
    ),
    "[scheduler]": l10n.t("done by a scheduler between processes, on behalf of none."),
    "[system task]": l10n.t(
      "a collection that a scheduler ran on request (erlang:garbage_collect/1, code being purged, a persistent term being replaced).",
    ),
    "[NIF in no process]": l10n.t(
      "C code of a NIF library that a scheduler called for no process: a destructor of resources, or another callback.",
    ),
    "[persistent_term or purged code]": l10n.t(
      "search of processes for literals that will be freed, and collection of those that have some: a persistent term was replaced or erased, or code was purged. Which process did that is not known.",
    ),
    "[port]": l10n.t("done by a port or driver, not by a process."),
    "[other thread]": l10n.t("done by a thread that runs no Erlang code."),
    "[idle]": l10n.t("a scheduler with nothing to do."),
    "[busy wait]": l10n.t("a scheduler that has nothing to run and spins until it does (+sbwt)."),
    "[bracketed]": l10n.t("only deeper Erlang frames are known."),
    "[no own code]": l10n.t(
      "no function of your own code is in these stacks: libraries and OTP do this by themselves.",
    ),
    "[no Erlang frame]": l10n.t("the stack shows no Erlang function."),
  } as Record<string, string>,
  focusRegion: l10n.t("One function"),
  focus: (name: string) => l10n.t("Native work of {0}", name),
  focusTotals: (self: number, total: number, { whole, percentOf, minimumSamples, unit }: ShareBase) => {
    const shareOf = (samples: number) => markedOf(total, percent(samples, whole), samples, minimumSamples);
    const texts = [counted(self, unit), shareOf(self), shortAmount(total, unit, LANGUAGE), shareOf(total)] as const;
    if (typeOfShares(unit) !== undefined) return l10n.t("owns {0} ({1}), on the stack in {2} ({3})", ...texts);
    return percentOf === "busy"
      ? l10n.t("owns {0} ({1} of busy), on the stack in {2} ({3})", ...texts)
      : l10n.t("owns {0} ({1} of all), on the stack in {2} ({3})", ...texts);
  },
  focusSplit: l10n.t("What the samples owned by this function were doing"),
  focusNone: l10n.t("It owns no samples of its own: the work is done by functions it calls."),
  callees: l10n.t("It calls"),
  askCallee: (name: string) => l10n.t("Who causes {0}?", name),
  leave: l10n.t("Whole Capture"),
  leaveHelp: l10n.t("Leave this function and show only the whole capture"),
  notFound: (name: string) => l10n.t("{0} has no samples in this capture.", name),
} as const;
