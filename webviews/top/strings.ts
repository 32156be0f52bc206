// All words of the top table.

import type { Attribution } from "../../contract/capture-answers.js";
import type { TopGroup, TopTab } from "../../contract/messages/top.js";
import { busyAmountText } from "../../contract/sample-type-words.js";
import { count, LANGUAGE } from "../words/figures.js";
import { l10n } from "../words/l10n.js";
import { counted, typeOfShares } from "../words/page-words.js";

export const STRINGS = {
  title: l10n.t("Hot functions"),
  tabList: l10n.t("Ways to show the functions"),
  tabs: { functions: l10n.t("Functions"), tree: l10n.t("Call tree") } satisfies Record<TopTab, string>,
  tree: l10n.t("Callers and their callees with total and self samples"),
  filter: l10n.t("Filter by name"),
  kind: l10n.t("Kind of function"),
  allKinds: l10n.t("All kinds"),
  onlyErlang: l10n.t("Only Erlang"),
  onlyErlangHelp: l10n.t("Only Erlang functions and BIFs: C code that runs on their behalf counts for them"),
  ofBusy: l10n.t("Busy time only"),
  ofBusyHelp: l10n.t("100% is the busy samples. Switched off, idle samples count, too, and 100% is all samples"),
  withAddresses: l10n.t("Addresses"),
  withAddressesHelp: l10n.t(
    "List C functions without a name one by one, by address; otherwise, those inside one function are one row",
  ),
  showAddresses: l10n.t("Show Addresses"),
  nodes: l10n.t("Nodes"),
  nodeColumns: [
    l10n.t("Node"),
    l10n.t("Samples"),
    l10n.t("Busy"),
    l10n.t("GC"),
    l10n.t("Copy"),
    l10n.t("Scheduler"),
    l10n.t("Run queue"),
    l10n.t("Remarks"),
  ],
  onlyNode: l10n.t("Show only the functions of this node"),
  allNodes: l10n.t("Show the functions of all nodes"),
  runQueue: (last: string, most: string) =>
    l10n.t("Processes that waited to be run, on average; {0} at last, {1} at most", last, most),
  clock: (ms: string, isAhead: boolean) =>
    isAhead ? l10n.t("clock {0} ms ahead", ms) : l10n.t("clock {0} ms behind", ms),
  clockAtEnd: (ms: string, isAhead: boolean) =>
    isAhead ? l10n.t("at the end {0} ms ahead", ms) : l10n.t("at the end {0} ms behind", ms),
  grouped: l10n.t("By application"),
  groupedHelp: l10n.t("Own code, dependencies and the layers below them as groups, with their sums"),
  functions: (some: number) => (some === 1 ? l10n.t("1 function") : l10n.t("{0} functions", count(some))),
  group: ({ kind, name }: TopGroup) => {
    switch (kind) {
      case "own":
        return name === "" ? l10n.t("Own code") : l10n.t("{0} (own code)", name);
      case "dependency":
        return name === "" ? l10n.t("Dependencies") : l10n.t("{0} (dependency)", name);
      case "library":
        return name === "" ? l10n.t("OTP and libraries") : l10n.t("{0} (OTP or library)", name);
      case "nif":
        return l10n.t("{0} (native code)", name);
      case "runtime":
        return l10n.t("C code of the VM");
      case "kernel":
        return l10n.t("Kernel");
      case "marker":
        return l10n.t("Not known");
    }
  },
  status: (shown: number, all: number, samples: number, ofBusy: boolean, unit: string) => {
    const functions =
      shown === all
        ? all === 1
          ? l10n.t("1 function")
          : l10n.t("{0} functions", count(all))
        : l10n.t("{0} of {1} functions", count(shown), count(all));
    if (typeOfShares(unit) !== undefined) {
      const base = ofBusy ? busyAmountText(samples, unit, l10n, LANGUAGE) : counted(samples, unit);
      return `${functions} · ${l10n.t("100% is {0}", base)}`;
    }
    const what = unit === "samples" ? l10n.t("samples") : `(${unit})`;
    const whole = ofBusy
      ? l10n.t("100% is {0} busy {1}", count(samples), what)
      : l10n.t("100% is {0} (all) {1}", count(samples), what);
    return `${functions} · ${whole}`;
  },
  heading: (title: string, attribution: Attribution, status: string) => {
    const ofCapture = {
      own: () => l10n.t("Hot functions by own time: {0}", title),
      self: () => l10n.t("Hot functions by self time: {0}", title),
      total: () => l10n.t("Hot functions by total time: {0}", title),
    }[attribution]();
    return `${ofCapture} · ${status}`;
  },
  copyMenu: l10n.t("Copy…"),
  copyHelp: l10n.t("Copy the table as it is shown, at most 50 rows"),
  copyMarkdown: l10n.t("Copy as Markdown"),
  copyText: l10n.t("Copy as Text"),
  noMatch: l10n.t("No function fits the filter."),
  grid: l10n.t("Functions with their self and total samples"),
  columns: {
    name: {
      title: l10n.t("Function"),
      help: l10n.t("Function; C functions without a name are one row for each function that contains them"),
    },
    kind: { title: l10n.t("Kind"), help: l10n.t("Kind of code") },
    own: {
      title: l10n.t("Own %"),
      help: l10n.t(
        "Share of the samples whose innermost frame of own code is in the function, including everything it called",
      ),
    },
    ownSamples: {
      title: l10n.t("Own"),
      help: l10n.t("Samples whose innermost frame of own code is in the function, including everything it called"),
    },
    self: { title: l10n.t("Self %"), help: l10n.t("Share of the samples taken in the function itself") },
    selfSamples: { title: l10n.t("Self"), help: l10n.t("Samples taken in the function itself") },
    total: {
      title: l10n.t("Total %"),
      help: l10n.t("Share of the samples with the function anywhere in the stack, each sample once"),
    },
    totalSamples: {
      title: l10n.t("Total"),
      help: l10n.t("Samples with the function anywhere in the stack, each sample once"),
    },
    place: { title: l10n.t("Where"), help: l10n.t("Head of the function") },
  },
  calledFrom: (name: string) => l10n.t("called from {0}", name),
  blameErlang: l10n.t("Which Native Work It Causes"),
  blameNative: l10n.t("Which Erlang Functions Cause It"),
} as const;
