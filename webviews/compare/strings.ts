// All words of the panel that compares captures.

import type {
  MatchedBy,
  Measure,
  Method,
  MovedKind,
  NoteKind,
  Remark,
  TrackKind,
  TrackVerdict,
  Verdict,
} from "../../contract/editor-module.generated.js";
import type {
  CompareChoice,
  ComparedMove,
  ComparedNote,
  ComparedSide,
  Figure,
  Tab,
  Table,
  TOUCHES,
} from "../../contract/messages/compare.js";
import type { NodeChange } from "../../contract/flame-data.js";
import { count, percent } from "../words/figures.js";
import { l10n } from "../words/l10n.js";
import { number } from "./change-figures.js";

export const STRINGS = {
  title: l10n.t("Compare captures"),
  nothingChosen: l10n.t("No captures are chosen to compare."),
  choose: l10n.t("Compare Captures…"),
  busy: l10n.t("Comparing…"),
  cancel: l10n.t("Cancel"),
  cancelled: l10n.t("The comparison was cancelled."),
  again: l10n.t("Try Again"),
  anyway: l10n.t("Compare Anyway"),
  anywayHelp: {
    kernel_time: l10n.t(
      "Record both with the same rights, or compare anyway: all work of the kernel then counts as a change, and shifts the shares of all functions.",
    ),
    several_commits: l10n.t(
      "Choose captures of one commit for each side, or compare anyway: differences between the commits then count as chance.",
    ),
    other_project: l10n.t(
      "Choose captures of one program, or compare anyway: functions of only one of them then count as new or gone.",
    ),
    nothing_in_common: l10n.t(
      "Choose captures of one program, or compare anyway: functions of only one of them then count as new or gone.",
    ),
  } satisfies Record<CompareChoice, string>,
  gate: l10n.t("Gate"),
  condition: l10n.t("Condition"),
  anotherCondition: l10n.t("Another condition"),
  conditionHelp: l10n.t(
    "A condition of extrospect diff --fail-if, such as whole.slower>3%, touched.slower>5% or shop:total/1.total.slower>2%. Enter judges it, an empty field removes it.",
  ),
  whole: l10n.t("Whole program"),
  wholeChange: (verdict: string, change: string, interval: string) =>
    l10n.t("{0}, {1} ({2})", verdict, change, interval),
  wholeVisible: (change: number) => l10n.t("A change of {0}% would be found 9 times out of 10.", number(change, 1)),
  wholeCaptures: (before: string, after: string) => l10n.t("Each capture: {0} before, {1} after.", before, after),
  swap: l10n.t("Swap"),
  swapHelp: l10n.t("Swap before and after"),
  chooseOthers: l10n.t("Other Captures…"),
  copyMarkdown: l10n.t("Copy as Markdown"),
  copyMarkdownHelp: l10n.t("Copy the comparison as a comment for a pull request, with its caveats and its method"),
  problem: (what: string, why: string) => l10n.t("{0}: {1}", what, why),
  /** @param folded functions with a change that are not shown */
  noChange: (folded: number) =>
    folded === 0
      ? l10n.t("No function changed by more than chance.")
      : l10n.t(
          "No function changed by more than chance, except {0} of the runtime and callers that only call another row: Show all.",
          count(folded),
        ),
  noMatch: l10n.t("No row fits the filter."),
  sideNow: ({ name, captures, samples, busy, seconds, work }: ComparedSide, workName: string) => {
    const ofBusy =
      seconds > 0 ? sideOfSeconds(captures.length, name, busy, seconds) : sideOfNoLength(captures.length, name, busy);
    const side =
      busy < samples ? l10n.t("{0}, {1}", ofBusy, l10n.t("idle {0} of all", percent(samples - busy, samples))) : ofBusy;
    return work === null ? side : l10n.t("{0}, {1} {2}", side, number(work, work < 100 ? 1 : 0, 0), workName);
  },
  /** Of another type of samples than processor time. */
  sideOfType: ({ name, captures, seconds }: ComparedSide) =>
    captures.length === 1
      ? l10n.t("{0}: 1 capture, {1} s", name, number(seconds, 0))
      : l10n.t("{0}: {1} captures, {2} s", name, captures.length, number(seconds, 0)),
  measureOfType: (type: string) => l10n.t("Percent of the {0} without idle", type),
  details: l10n.t("Method"),
  notes: (some: number) => (some === 1 ? l10n.t("1 caveat") : l10n.t("{0} caveats", count(some))),
  method: ({
    block_ms: blockMs,
    resampled_captures: resampled,
    spread_pct: spread,
    spread_measured: measured,
    false_discoveries_pct: falseChanges,
  }: Method) =>
    [
      resampled
        ? l10n.t(
            "Intervals hold the true change in 95 of 100 cases, that of the whole program in 99: whole captures and time within them were resampled.",
          )
        : l10n.t(
            "Intervals hold the true change in 95 of 100 cases, that of the whole program in 99: only time within a capture was resampled.",
          ),
      blockMs > 0
        ? l10n.t("Time was resampled in blocks of {0} ms.", count(blockMs))
        : l10n.t("Samples were resampled one by one, because a capture is short or has no sample times."),
      measured
        ? l10n.t(
            "A typical function differs by {0}% from run to run, as measured in these captures.",
            number(spread, 1),
          )
        : l10n.t("A typical function is assumed to differ by {0}% from run to run.", number(spread, 1)),
      l10n.t("About {0}% of the changes shown may not be changes.", number(falseChanges, 0)),
    ].join(" "),
  tabs: {
    functions: l10n.t("Functions"),
    classes: l10n.t("Kinds of work"),
    blame: l10n.t("Who causes it"),
    graph: l10n.t("Flame graph"),
  } satisfies Record<Tab, string>,
  tabList: l10n.t("Parts of the comparison"),
  figure: l10n.t("Time"),
  figures: { own: l10n.t("Own time"), self: l10n.t("Self time"), total: l10n.t("Total time") } satisfies Record<
    Figure,
    string
  >,
  measure: l10n.t("Measure"),
  measures: {
    share: l10n.t("Share of busy samples"),
    cpu: l10n.t("CPU per second"),
    work: l10n.t("CPU per unit of work"),
  } satisfies Record<Measure, string>,
  measureHelp: {
    share: () =>
      l10n.t(
        "Percent of the busy samples, as always in comparisons. If one function takes less time, the shares of all others grow, although they take no more time.",
      ),
    cpu: () => l10n.t("Percent of one core. It is comparable only if both captures had the same load."),
    work: (name: string) => l10n.t("Microseconds of CPU per unit of work ({0}).", name),
  } satisfies Record<Measure, (work: string) => string>,
  tracks: l10n.t("The VMs during the captures"),
  trackColumn: l10n.t("Average of"),
  trackNames: {
    runQueue: l10n.t("Run queue"),
    memory: l10n.t("Memory"),
    rss: l10n.t("Resident memory"),
    largestMailbox: l10n.t("Largest mailbox"),
    processes: l10n.t("Processes"),
    collectionRate: l10n.t("Collections per second"),
    reductionRate: l10n.t("Reductions per second"),
    ioRate: l10n.t("Input and output per second"),
  } satisfies Record<TrackKind, string>,
  meanWithin: (mean: string, least: string, most: string) => l10n.t("{0} ({1} to {2})", mean, least, most),
  trackVerdicts: {
    more: l10n.t("more"),
    less: l10n.t("less"),
    noise: l10n.t("no significant change"),
  } satisfies Record<TrackVerdict, string>,
  verdict: l10n.t("Verdict"),
  allVerdicts: l10n.t("All verdicts"),
  changes: l10n.t("Changes only"),
  verdicts: {
    slower: l10n.t("slower"),
    faster: l10n.t("faster"),
    new: l10n.t("new"),
    gone: l10n.t("gone"),
    noise: l10n.t("no significant change"),
    too_few: l10n.t("too few samples"),
    not_matched: l10n.t("not matched"),
  } satisfies Record<Verdict, string>,
  /** Of the verdicts that a row's interval may seem to speak against. */
  verdictHelp: {
    noise: l10n.t(
      "With this many functions compared, chance alone gives some of them such a change, whatever their own interval shows.",
    ),
  } satisfies Partial<Record<Verdict, string>>,
  counted: {
    slower: (some: number) => l10n.t("{0} slower", count(some)),
    faster: (some: number) => l10n.t("{0} faster", count(some)),
    new: (some: number) => l10n.t("{0} new", count(some)),
    gone: (some: number) => l10n.t("{0} gone", count(some)),
    noise: (some: number) => l10n.t("{0} without a significant change", count(some)),
    too_few: (some: number) => l10n.t("{0} with too few samples", count(some)),
    not_matched: (some: number) => l10n.t("{0} not matched", count(some)),
  } satisfies Record<Verdict, (some: number) => string>,
  minimum: l10n.t("Least size"),
  anySize: l10n.t("Any size"),
  atLeast: (least: number) => l10n.t("At least {0}%", number(least, 1, 0)),
  ownOnly: l10n.t("Own code only"),
  module: l10n.t("Module"),
  filter: l10n.t("Filter by name"),
  unchanged: (functions: number) => l10n.t("{0} without a change", count(functions)),
  status: (shown: number, all: number) =>
    shown === all
      ? all === 1
        ? l10n.t("1 row")
        : l10n.t("{0} rows", count(all))
      : l10n.t("{0} of {1} rows", count(shown), count(all)),
  columns: {
    touched: {
      title: l10n.t("Touched"),
      help: l10n.t("Whether the commit changed the code of the function; empty where that is not known"),
    },
    verdict: { title: l10n.t("Verdict"), help: l10n.t("Result of comparing the function") },
    name: {
      title: l10n.t("Function"),
      help: l10n.t("Function, and how it was matched if not by its name"),
    },
    class: { title: l10n.t("Kind of work"), help: l10n.t("What the samples were doing") },
    caller: { title: l10n.t("Caused by"), help: l10n.t("The nearest Erlang function above the native work") },
    base: { title: l10n.t("Before"), help: l10n.t("On the older side") },
    new: { title: l10n.t("After"), help: l10n.t("On the newer side") },
    change: { title: l10n.t("Change"), help: l10n.t("After against before") },
    interval: {
      title: l10n.t("Interval"),
      help: l10n.t(
        "Contains the true change in 95 of 100 cases; the line in the middle is no change, the edges are −75% and +300%. An interval is for its function alone, a verdict also considers how many functions are compared.",
      ),
    },
    place: { title: l10n.t("Where"), help: l10n.t("Head of the function") },
  },
  touches: { touched: l10n.t("yes"), untouched: l10n.t("no"), unknown: "" } satisfies Record<
    (typeof TOUCHES)[number],
    string
  >,
  grids: {
    functions: l10n.t("Functions before and after"),
    classes: l10n.t("Kinds of work before and after"),
    blame: l10n.t("Native work and its causes, before and after"),
  } satisfies Record<Table, string>,
  interval: (low: string, high: string) => l10n.t("between {0} and {1}", low, high),
  matchedBy: {
    caller: l10n.t("matched by its caller"),
    closure: l10n.t("matched as the same fun"),
    renamed_file: l10n.t("file was renamed"),
    body: l10n.t("matched by its body"),
    position: l10n.t("matched by its place in the source"),
    arity: l10n.t("arity changed"),
  } satisfies Record<Exclude<MatchedBy, "name">, string>,
  rowRemarks: {
    collections_moved: l10n.t("collections moved; its code did not change"),
    collections_alone: l10n.t("changed by collections alone"),
    not_sampled_there: l10n.t("in the code of both sides, sampled on one"),
  } satisfies Record<Remark, string>,
  callers: (some: number) =>
    some === 1
      ? l10n.t("and 1 caller with the same change")
      : l10n.t("and {0} callers with the same change", count(some)),
  showAll: l10n.t("Show all"),
  showAllHelp: l10n.t("Include C functions, other parts of the runtime, and callers that only call another row"),
  before: (name: string) => l10n.t("was {0}", name),

  graphLabel: l10n.t(
    "Flame graph of both sides, with the widths of the side after. Arrow keys move, Space zooms, Enter goes to the source.",
  ),
  noStacks: l10n.t("The newer side has no busy samples."),
  graphProblem: (problem: string) => l10n.t("The graph cannot be drawn: {0}.", problem),
  vanished: [l10n.t("Vanished stacks"), l10n.t("Show stacks that are gone, with their former width")],
  legendHelp: l10n.t(
    "The width of a frame is its time after. The stronger the colour, the larger the change. A frame is coloured as more or less only if the table is certain of its function.",
  ),
  frameChanges: {
    none: l10n.t("no significant change"),
    more: l10n.t("more time"),
    less: l10n.t("less time"),
    new: l10n.t("new"),
    gone: l10n.t("gone"),
  } satisfies Record<NodeChange, string>,
  beforeAndNow: (before: string, now: string) => l10n.t("{0} before, {1} after", before, now),
} as const;

function sideOfSeconds(captures: number, name: string, busy: number, seconds: number): string {
  return captures === 1
    ? l10n.t("{0}: 1 capture, {1} busy samples in {2} s", name, count(busy), number(seconds, 0))
    : l10n.t("{0}: {1} captures, {2} busy samples in {3} s", name, captures, count(busy), number(seconds, 0));
}

/** An imported capture may not contain its length. */
function sideOfNoLength(captures: number, name: string, busy: number): string {
  return captures === 1
    ? l10n.t("{0}: 1 capture, {1} busy samples", name, count(busy))
    : l10n.t("{0}: {1} captures, {2} busy samples", name, captures, count(busy));
}

const NOTES: Record<NoteKind, (values: readonly string[]) => string> = {
  one_capture: () =>
    l10n.t(
      "One capture on a side: only time within a run was resampled. The difference between runs is assumed; several captures per side would measure it.",
    ),
  frequency: ([a = "", b = ""]) =>
    l10n.t("Sampled at {0} Hz and at {1} Hz: counts are scaled by the time that each sample represents.", a, b),
  event: ([a = "", b = ""]) =>
    l10n.t("Sampled by {0} and by {1}: cycles run faster on a boosted core, which alone can change shares.", a, b),
  engine: ([a = "", b = ""]) =>
    l10n.t("Stacks by {0} and by {1}: with readv some stay unproven, which lowers totals.", a, b),
  kernel: () => l10n.t("Only one side has kernel functions: they count as one, [kernel]."),
  duration: ([a = "", b = ""]) =>
    l10n.t("Captures of {0} s and of {1} s: rare work of the VM is in the longer ones only.", a, b),
  release: ([a = "", b = ""]) =>
    l10n.t("OTP {0} and OTP {1}: OTP itself, not the program, may be the cause of changes.", a, b),
  flavor: ([a = "", b = ""]) => l10n.t("{0} and {1}: times of their functions are not comparable.", a, b),
  host: ([a = "", b = ""]) => l10n.t("Taken on {0} and on {1}: machines differ in speed.", a, b),
  order: ([a = "", b = ""]) => l10n.t("The recording of {0} began before that of {1}.", a, b),
  truncated: ([name = ""]) => l10n.t("{0} ends in the middle; its complete part is compared.", name),
  not_closed: ([name = ""]) =>
    l10n.t(
      "{0} was not closed: it is still being written, is a copy from that time, or its writer was ended. The samples after its last increment are missing.",
      name,
    ),
  not_written: ([name = ""]) =>
    l10n.t(
      "{0} could not be written to its end: the disk was full, or failed. The samples after its last increment are missing.",
      name,
    ),
  no_times: ([name = ""]) =>
    l10n.t("{0} does not contain the times of its samples: each counts as independent of the others.", name),
  disagreement: (values) =>
    disagreement(
      (...figures) =>
        l10n.t(
          "{0} figures changed by share but not by CPU per second, for example of {4} ({1} self, {2} total, {3} own). Shares grow when others shrink.",
          ...figures,
        ),
      values,
    ),
  share_against_work: (values) =>
    disagreement(
      (...figures) =>
        l10n.t(
          "{0} figures changed by share but not by CPU per unit of work, for example of {4} ({1} self, {2} total, {3} own). Shares grow when others shrink.",
          ...figures,
        ),
      values,
    ),
  load_against_work: (values) =>
    disagreement(
      (...figures) =>
        l10n.t(
          "{0} figures changed by CPU per second but not by CPU per unit of work, for example of {4} ({1} self, {2} total, {3} own). There was more or less work.",
          ...figures,
        ),
      values,
    ),
  same_capture: ([name = ""]) => l10n.t("{0} was given more than once and counts once.", name),
  on_both_sides: ([name = ""]) => l10n.t("{0} is on both sides: it does not differ from itself.", name),
  several_commits: ([side = "", commits = ""]) =>
    l10n.t("{0} mixes captures of several commits ({1}). Differences between them count as noise.", side, commits),
  same_commit: ([commit = ""]) =>
    l10n.t("Both sides are commit {0}. Differences are chance, or come from the build or the run.", commit),
  dirty: ([names = "", commit = ""]) =>
    l10n.t("Taken with changes to {1} that were not committed: {0}.", names, commit),
  uncommitted_headers: () =>
    l10n.t(
      "Changes to headers, macros and settings of the build that were not committed are not compared: whether they touched a function whose text is the same is not known, unless both sides ran the same build of its module.",
    ),
  other_project: ([one = "", other = ""]) => l10n.t("Captures of two projects: {0} and {1}.", one, other),
  nothing_in_common: ([base = "", newer = ""]) =>
    l10n.t(
      "{0} and {1} have no Erlang function in common: all of the one is gone, and all of the other is new.",
      base,
      newer,
    ),
  beside: ([before = "", after = ""]) =>
    l10n.t(
      "The machine had a load of {0} before and of {1} after: the program shares caches and clocks with the rest of the load.",
      before,
      after,
    ),
  work_cut: ([capture = "", work = ""]) =>
    l10n.t("{0} was cut short before work ({1}) was counted again, so its work is not used.", capture, work),
  work_not_read: ([capture = "", work = "", why = ""]) =>
    l10n.t("{0}: work ({1}) could not be counted at the end: {2}", capture, work, why),
  work_backwards: ([capture = "", work = "", from = "", to = ""]) =>
    l10n.t(
      "{0}: the counter of {1} went backwards, from {2} to {3}. The counting program was restarted, so its work is not used.",
      capture,
      work,
      from,
      to,
    ),
  work_stood_still: ([capture = "", work = ""]) =>
    l10n.t("{0}: the counter of {1} stood still, so its work is not used.", capture, work),
  work_partly: () => l10n.t("Only some captures counted their work, so it is not compared."),
  work_differs: ([one = "", other = ""]) =>
    l10n.t("Some captures count {0}, others {1}: that is not compared.", one, other),
  kernel_time_on_one_side: ([without = "", having = "", least = ""]) =>
    least === ""
      ? l10n.t(
          "{0} lacks time in the kernel and {1} has it: all work of the kernel counts as a change here, and shifts the shares of all functions.",
          without,
          having,
        )
      : l10n.t(
          "{0} lacks time in the kernel, at least {2}% of the processor time, and {1} has it: all work of the kernel counts as a change here, and shifts the shares of all functions.",
          without,
          having,
          least,
        ),
  kernel_time_unknown: ([without = "", unknown = "", least = ""]) =>
    least === ""
      ? l10n.t(
          "{0} lacks time in the kernel, and {1} does not contain whether it has it: this alone can change shares.",
          without,
          unknown,
        )
      : l10n.t(
          "{0} lacks time in the kernel, at least {2}% of the processor time, and {1} does not contain whether it has it: this alone can change shares.",
          without,
          unknown,
          least,
        ),
  kernel_time_not_recorded: ([unknown = "", having = ""]) =>
    l10n.t(
      "{0} does not contain whether it has time in the kernel, and {1} has it: this alone can change shares.",
      unknown,
      having,
    ),
  no_kernel_time: ([, , least = ""]) =>
    least === ""
      ? l10n.t("User code only: no capture has time in the kernel.")
      : l10n.t(
          "User code only: no capture has time in the kernel, which was at least {0}% of the processor time of one of them.",
          least,
        ),
  other_tool: ([name = "", tool = ""]) =>
    tool === ""
      ? l10n.t(
          "{0} is from another tool: frames that tools omit from stacks, as perf omits Erlang code below C code, count as a change here.",
          name,
        )
      : l10n.t(
          "{0} is from another tool ({1}): frames that tools omit from stacks, as perf omits Erlang code below C code, count as a change here.",
          name,
          tool,
        ),
  waiting_counts: ([name = ""]) =>
    l10n.t("{0} does not separate waiting from work: waiting counts on both sides.", name),
  arity_changed: ([some = "", name = ""]) =>
    l10n.t(
      "Not matched: {0}, for example {1}. Their arities changed, and the sources of both commits, which could show which is which, are missing or inconclusive.",
      some,
      name,
    ),
  not_told_apart: ([some = "", name = ""]) =>
    l10n.t(
      "Not matched: {0}, including {1}. They have the same name, and one side has nothing else to distinguish them.",
      some,
      name,
    ),
  matching_cut: ([some = ""]) =>
    l10n.t(
      "The text of {0} functions was not compared with those of the other side, which would show which were renamed: too many have no counterpart by name, and some of those that are new or gone may be the same.",
      some,
    ),
  families_cut: ([some = "", most = ""]) =>
    l10n.t("{0} functions are matched by name alone: their names have more than {1} arities on a side.", some, most),
  lines_cut: ([some = "", most = ""]) =>
    l10n.t(
      "{0} lines were not compared with those of the other side: of each function that may have another name there, the first {1} are.",
      some,
      most,
    ),
  words_cut: ([some = "", most = ""]) =>
    l10n.t(
      "{0} words were not compared with those of the other side: of each function whose arity may have changed, the first {1} are.",
      some,
      most,
    ),
  modules_cut: ([some = "", most = ""]) =>
    l10n.t("The code of {0} modules was not read: their files have more than {1} each.", some, most),
  texts_cut: ([some = ""]) =>
    l10n.t(
      "The code in {0} source files was not read: a text, a bracket or a block in them does not end, or not within the limits of the scanner.",
      some,
    ),
  macro_names_cut: ([some = "", most = ""]) =>
    l10n.t(
      "Functions of files that use a changed macro may count as the same: {0} files with macros have more than {1} modules each, and the macros of the others were not compared.",
      some,
      most,
    ),
  macros_unread: ([some = ""]) =>
    l10n.t(
      "Functions of files that use a changed macro may count as the same: {0} files of Elixir were not read to their end, since texts in them do not end.",
      some,
    ),
  includes_unread: ([some = ""]) =>
    l10n.t(
      "{0} headers or files with macros could not be read: they count as changed, and functions of files that include or use them as touched.",
      some,
    ),
  headers_unknown: () =>
    l10n.t("Functions of files that include a changed header may count as the same: not all headers were read."),
  macros_unknown: () =>
    l10n.t("Functions of files that use a changed macro may count as the same: not all changed files were read."),
  transforms_unknown: () =>
    l10n.t(
      "Functions of files that use a changed parse transform may count as the same: not all settings of rebar3 (rebar.config) were read.",
    ),
  renames_unknown: () => l10n.t("Renamed files count as different files: git did not list the renames in time."),
  build_differs: ([files = ""]) =>
    l10n.t(
      "Settings of the build or dependencies differ between both commits ({0}): each function of the project counts as touched, unless both sides ran the same build of its module.",
      files,
    ),
  findings_cut: ([some = "", most = ""]) =>
    l10n.t("{0} more functions whose work moved are not listed: only the {1} largest are.", some, most),
  times_cut: ([some = "", most = ""]) =>
    l10n.t(
      "{0} s of captures were not searched for how long samples are alike, which is the length of blocks: only the first {1} s of each are.",
      some,
      most,
    ),
  sources_cut: ([some = "", most = ""]) =>
    l10n.t(
      "The texts of {0} source files are unknown: git does not have them, or did not give them in time, or they exceed a limit ({1} files of each side).",
      some,
      most,
    ),
  own_cut: ([folder = "", unseen = ""]) => l10n.t("{0}: {1}. Code there does not count as own.", folder, unseen),
  load: ([before = "", work = "", after = ""]) =>
    l10n.t("{0} {1} per second before, {2} after: CPU per second differs by that alone.", before, work, after),
  name_alone: ([why = ""]) => l10n.t("Functions are matched by name alone: {0}.", why),
  own_of_today: ([captures = "", folder = "", why = ""]) =>
    l10n.t(
      "Own code of {0} is the files below {1} today, so modules that were renamed or removed since then do not count: {2}.",
      captures,
      folder,
      why,
    ),
  pairs_as_given: ([name = ""]) =>
    l10n.t("{0} does not contain when it was taken: captures are paired in the order in which they were given.", name),
  wrong_pairs: ([one = "", other = ""]) =>
    l10n.t(
      "{0} and {1} were taken one after the other, and both are of one side: the captures of a pair do not share the state of the machine.",
      one,
      other,
    ),
  other_machine: ([one = "", on = "", other = "", onOther = ""]) =>
    l10n.t("{0} was taken on {1} and {2} on {3}: machines differ in speed.", one, on, other, onOther),
  machine_taken_out: ([some = "", percent = "", low = "", high = ""]) =>
    l10n.t(
      "{0} functions of the same code all changed by one factor, {1}% ({2} to {3}), as on a slower, faster or busier machine. It is taken out of the changes of functions and not of the whole.",
      some,
      percent,
      low,
      high,
    ),
  machine_not_taken_out: ([some = "", percent = "", low = "", high = ""]) =>
    l10n.t(
      "{0} functions of the same code all changed by one factor, {1}% ({2} to {3}), as on a slower, faster or busier machine. It is too large or too uncertain to be taken out of any figure.",
      some,
      percent,
      low,
      high,
    ),
  machine_of_whole: ([some = "", percent = "", low = "", high = ""]) =>
    l10n.t(
      "{0} functions of the same code all changed by one factor, {1}% ({2} to {3}), as on a slower, faster or busier machine. It is in the change of the whole, and not in shares.",
      some,
      percent,
      low,
      high,
    ),
  processor_frequency: ([low = "", high = "", lowAfter = "", highAfter = ""]) =>
    l10n.t(
      "Processors ran at {0} to {1} MHz before and at {2} to {3} MHz after: figures of processor time can differ by that alone.",
      low,
      high,
      lowAfter,
      highAfter,
    ),
  processor_time_lost: ([side = "", percent = "", other = ""]) =>
    l10n.t(
      "{0} was kept from processors, by a quota or a hypervisor, for {1}% of the time that it used, and {2} was not: figures of processor time can differ by that alone.",
      side,
      percent,
      other,
    ),
  waited_for_processors: ([side = "", percent = "", other = "", otherPercent = ""]) =>
    l10n.t(
      "Threads waited for a processor in {1}% of the time of {0}, and in {3}% of the time of {2}: figures of processor time can differ by that alone.",
      side,
      percent,
      other,
      otherPercent,
    ),
  halted_on_one_side: ([side = "", percent = "", other = "", otherPercent = ""]) =>
    l10n.t(
      "The VM was halted in {1}% of the time of {0}, and in {3}% of the time of {2}: CPU per second differs by that alone.",
      side,
      percent,
      other,
      otherPercent,
    ),
  samples_missing: ([side = "", percent = "", other = "", otherPercent = ""]) =>
    l10n.t(
      "No sample stands for up to {1}% of the busy time of {0}, and for up to {3}% of that of {2} (samples were lost or not written, sampling was paused, threads ended too soon, or blocks of time or page faults were lost or left out): figures can differ by that alone.",
      side,
      percent,
      other,
      otherPercent,
    ),
  tracing_on_one_side: ([traced = "", other = ""]) =>
    l10n.t(
      "Calls were traced in {0} and not in {1}: tracing takes time of its own, which counts as that of the traced functions.",
      traced,
      other,
    ),
  tracing_unknown: ([traced = "", other = ""]) =>
    l10n.t(
      "Calls were traced in {0}, and {1} does not contain whether they were: tracing takes time of its own, which counts as that of the traced functions.",
      traced,
      other,
    ),
  process_tracing_on_one_side: ([traced = "", other = ""]) =>
    l10n.t(
      "Messages or events of processes were traced in {0} and not in {1}: tracing takes time of its own, which counts as that of the traced processes.",
      traced,
      other,
    ),
  process_tracing_unknown: ([traced = "", other = ""]) =>
    l10n.t(
      "Messages or events of processes were traced in {0}, and {1} does not contain whether they were: tracing takes time of its own, which counts as that of the traced processes.",
      traced,
      other,
    ),
  schedulers_online: ([base = "", now = ""]) =>
    l10n.t(
      "The schedulers that could run processes were {0} before and {1} after: CPU per second can differ by that alone.",
      base,
      now,
    ),
  own_by_paths: ([captures = "", why = ""]) =>
    l10n.t("Own code of {0} is derived from the source paths that they contain: {1}.", captures, why),
};

/** Which figures changed by one measure alone. @param values   all, a function, then how many of self, total, own, then how many to the contrary, and which */
function disagreement(
  words: (all: string, self: string, total: string, own: string, name: string) => string,
  [all = "", name = "", self = "0", total = "0", own = "0", contrary = "0", names = ""]: readonly string[],
): string {
  const figures = words(all, self, total, own, name);
  return contrary === "0"
    ? figures
    : l10n.t("{0} {1} functions changed in the opposite direction: {2}.", figures, contrary, names);
}

const MOVES: Record<MovedKind, (name: string, from: string, to: string) => string> = {
  called_from_elsewhere: (name, from, to) => l10n.t("{0} is called from {1} now, not from {2}.", name, to, from),
  no_longer_a_tail_call: (name, from, to) =>
    l10n.t("{1} no longer tail-calls {0}; the time of {0} used to appear under {2}.", name, to, from),
  now_a_tail_call: (name, from, to) =>
    l10n.t("{1} now tail-calls {0}, so the time of {0} appears under {2}.", name, from, to),
  merged_into: (name, _from, to) => l10n.t("{0} is part of {1} now.", name, to),
  inlined: (name, _from, to) => l10n.t("{0} is inlined into {1} now.", name, to),
};

/** In the page's language; a kind of another version stays English. */
export function movedText({ kind, function: name, from, to, text }: ComparedMove): string {
  return Object.hasOwn(MOVES, kind) ? MOVES[kind](name, from, to) : text;
}

/** In the page's language; a kind of another version stays English. */
export function noteText({ kind, values, text }: ComparedNote): string {
  return Object.hasOwn(NOTES, kind) ? NOTES[kind](values) : text;
}
