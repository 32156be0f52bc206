// All words of the top table.

import { count } from "../shared/numbers.js";

export const STRINGS = {
  title: "Hot functions",
  filter: "Filter by name",
  filterPlaceholder: "Filter by name",
  kind: "Kind of function",
  allKinds: "All kinds",
  onlyErlang: "Only Erlang",
  onlyErlangHelp: "Only Erlang functions and BIFs: what C code does on their behalf counts as theirs",
  ofBusy: "Busy time only",
  ofBusyHelp: "100 % is what the VM did; switched off, idle samples count too and 100 % is all samples",
  status: (shown: number, all: number, samples: number, ofBusy: boolean, unit: string) =>
    `${shown === all ? count(all) : `${count(shown)} of ${count(all)}`} functions · 100 % is ${count(samples)} ${ofBusy ? "busy" : "(all)"} ${unit === "samples" ? "samples" : `(${unit})`}`,
  noMatch: "No function fits the filter.",
  grid: "Functions with their self and total samples",
  columns: {
    name: { title: "Function", help: "Function; C functions whose name was stripped say where they were called from" },
    kind: { title: "Kind", help: "Kind of code" },
    self: { title: "Self %", help: "Share of the samples taken in the function itself" },
    selfSamples: { title: "Self", help: "Samples taken in the function itself" },
    total: { title: "Total %", help: "Share of the samples with the function anywhere in the stack, each sample once" },
    totalSamples: { title: "Total", help: "Samples with the function anywhere in the stack, each sample once" },
    place: { title: "Where", help: "Head of the function" },
  },
  calledFrom: (name: string) => `called from ${name}`,
  goTo: (place: string) => `Go to ${place} (Enter)`,
  rowMenu: "Actions for this function",
  openSource: "Go to the Line",
  flameGraph: "Flame Graph Focused Here",
  blameErlang: "Which Native Work It Causes",
  blameNative: "Which Erlang Functions Cause It",
  copyName: "Copy the Name",
} as const;
