// All words of the page of CPU and waits together.

import { count, decimal, hundredths } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

export const STRINGS = {
  title: l10n.t("CPU and Waits"),
  heading: (node: string, pid: number) => (node === "" ? l10n.t("Process {0}", pid) : `${node} (${String(pid)})`),
  watched: (time: string, lookedSeconds: number, looks: number, sampledSeconds: number) =>
    l10n.t(
      "From {0}: {1} s of waits in {2} snapshots, {3} s of them with CPU time samples",
      time,
      decimal(lookedSeconds),
      count(looks),
      decimal(sampledSeconds),
    ),
  all: (processes: number, present: number, cpu: number, waiting: number, ready: number) =>
    l10n.t(
      "{0} processes × time = {1} s: {2} s on a processor, {3} s waiting for messages, {4} s ready and waiting for a scheduler",
      decimal(processes),
      decimal(present),
      decimal(cpu),
      decimal(waiting),
      decimal(ready),
    ),
  noProcess: (seconds: number) =>
    l10n.t(
      "{0} s of processor time belong to no process: schedulers that search for work, ports, other threads.",
      decimal(seconds),
    ),
  unseen: (seconds: number) =>
    l10n.t(
      "{0} s belong to processes that started and ended between two snapshots; their names come from their samples, and their waits are unknown.",
      decimal(seconds),
    ),
  partly: (sampled: number, looked: number) =>
    l10n.t(
      "Samples cover only {0} of {1} s: CPU time is too low compared with waits.",
      decimal(sampled),
      decimal(looked),
    ),
  choose: l10n.t("Choose Captures…"),
  chooseHelp: l10n.t("Show two other captures of one time together"),
  watch: l10n.t("Watch a VM…"),
  again: l10n.t("Watch Again"),
  againHelp: l10n.t("Capture both of the same VM again"),
  copy: l10n.t("Copy as CSV"),
  copyHelp: l10n.t("Copy the whole visible table"),
  tabs: l10n.t("Grouping of time"),
  tabNames: { processes: l10n.t("Processes"), functions: l10n.t("Functions") },
  filter: { processes: l10n.t("Filter by name"), functions: l10n.t("Filter by function") },
  grid: { processes: l10n.t("Time by process name"), functions: l10n.t("Time by function") },
  status: (shown: number, all: number) => (shown === all ? count(all) : l10n.t("{0} of {1}", count(shown), count(all))),
  noMatch: l10n.t("Nothing has this name."),
  onlyOf: (name: string) => l10n.t("Only of {0}", name),
  ofAll: l10n.t("All Processes"),
  ofAllHelp: l10n.t("Show functions of all processes again"),
  seconds: (value: number | null) => (value === null ? "–" : hundredths(value)),
  processColumns: {
    name: {
      title: l10n.t("Processes"),
      help: l10n.t("Registered name, else label, else the function they were started with"),
    },
    count: { title: l10n.t("Number"), help: l10n.t("Number of processes, averaged over all snapshots") },
    cpu: { title: l10n.t("CPU (s)"), help: l10n.t("CPU time, by samples") },
    ready: { title: l10n.t("Ready (s)"), help: l10n.t("Time in a run queue, waiting for a scheduler, by snapshots") },
    waiting: { title: l10n.t("Waiting (s)"), help: l10n.t("Time in which they waited for a message, by snapshots") },
    running: {
      title: l10n.t("Running (s)"),
      help: l10n.t(
        "Time in which a scheduler ran them, by snapshots. Much more than CPU: the machine kept schedulers from its processors",
      ),
    },
    bar: {
      title: l10n.t("CPU, Ready, Waiting"),
      help: l10n.t("Shares of their time, processes × seconds; the rest are schedulers without a processor"),
    },
  },
  functionColumns: {
    name: {
      title: l10n.t("Function"),
      help: l10n.t("Erlang functions only; time in C code counts for the function that called it"),
    },
    cpuSelf: { title: l10n.t("CPU (s)"), help: l10n.t("CPU time of its own") },
    cpuTotal: { title: l10n.t("CPU with Calls (s)"), help: l10n.t("CPU time, including everything it calls") },
    readySelf: { title: l10n.t("Ready (s)"), help: l10n.t("Time in which it waited for a scheduler") },
    waitingSelf: { title: l10n.t("Waits (s)"), help: l10n.t("Time in which it waited itself") },
    waitingTotal: {
      title: l10n.t("Waits with Calls (s)"),
      help: l10n.t("Time in which it, or a function it called, waited"),
    },
    bar: { title: l10n.t("CPU, Ready, Waiting"), help: l10n.t("Shares of its time, including everything it calls") },
    place: { title: l10n.t("Source"), help: l10n.t("Its source; Enter opens it") },
  },
  shares: (cpu: string, ready: string, waiting: string) =>
    l10n.t("{0} on CPU, {1} ready, {2} waiting", cpu, ready, waiting),
  parts: {
    cpu: l10n.t("on CPU"),
    ready: l10n.t("ready, waiting for a scheduler"),
    waiting: l10n.t("waiting for messages"),
  },
  cpuShare: (cpu: string) => l10n.t("{0} CPU", cpu),
  rowMenu: l10n.t("Actions for these processes"),
  functionsOf: l10n.t("Functions of These Processes"),
  cpuFlame: l10n.t("Flame Graph of CPU"),
  waitsFlame: l10n.t("Flame Graph of Waits"),
  detail: l10n.t("The selected function"),
  waitsIn: l10n.t("Waits in"),
  calls: l10n.t("On CPU, calls"),
  noWaits: l10n.t("It was not seen waiting."),
  noCalls: l10n.t("No samples below it."),
} as const;
