// For each view and state: the sentence of the view about facts that it cannot know then.
import { ENDED } from "./cells.mjs";

/** As the editor has them. `live capture` comes before the views of its capture. */
export const VIEW_NAMES = /** @type {const} */ ([
  "Targets",
  "Check Permissions and Setup",
  "Stacks",
  "Processes",
  "Heap of a process",
  "Memory",
  "Binaries",
  "live capture",
  "Captures",
  "Summary",
  "Hot Functions",
  "Blame",
  "Flame Graph",
  "Compare Captures",
  "Captures in the Background",
  "Where Processes Wait",
  "CPU and Waits",
]);
/** @typedef {(typeof VIEW_NAMES)[number]} ViewName */
/** Views that follow a VM, which may end during the look. @type {readonly ViewName[]} */
export const FOLLOWING = [
  "Targets",
  "Processes",
  "Memory",
  "Binaries",
  "live capture",
  "Captures in the Background",
  "Where Processes Wait",
  "CPU and Waits",
];

/** In the column of commands. @param {string} view */
export const viewName = (view) => `view: ${view}`;

/** @typedef {import("./cells.mjs").Cell} Cell */

/** @param {string} same @returns {Cell} */
const same = (same) => ({ same });
/** @param {RegExp} sentence @returns {Cell} */
const says = (sentence) => ({ sentence });

const READ = same("the memory of the VM is read as always");
const NO_CAPTURE = { none: "no capture could be made" };
const NOT_PERMITTED = says(
  /process \d+ may not be read: [^\s:;]+[:;\s]\s*it belongs to another user, or ptrace access is restricted/i,
);
const USER_CODE = says(/User code only: [^\n]*/);
const TRACED = says(/Call tracing is on[^\n]*/);
const PROCESSES_TRACED = says(/Process tracing is on[^\n]*/);
const QUOTA = says(/A quota of its control group limits its processors to 0\.3/);
const THROTTLED = says(/The quota of its control group throttled the VM in \d+ of \d+ periods, for [\d.]+ s/);
const ONLINE = says(/2 of 4 schedulers online[^\n]*/);
const ONLINE_MEANWHILE = says(/When the capture began and at the last reading: 2 of 4 schedulers online[^\n]*/);
/** Where not even the mark of the end had room, the file does not have the reason. */
const NO_END = says(/(?:The disk was full|The file was not closed \([^)]*\)): the samples after [^\n]* are missing/);
const GONE = says(/there is no process \d+|process \d+ has ended/i);
/** Of the inside of a VM. */
const INSIDE = ["Processes", "Heap of a process", "Memory", "Binaries"];
/** Of a saved capture. */
const SAVED = ["Captures", "Summary", "Hot Functions", "Blame", "Flame Graph"];
const OF_CAPTURES = ["live capture", ...SAVED, "CPU and Waits"];
/** The row of a capture that had begun; what limits it is in its file. */
const STOPPED = { "Captures in the Background": says(/ended: stopped[^\n]*/) };
/** Of the capture of a state beside a normal one. @param {RegExp} sentence */
const compared = (sentence) => ({ ...STOPPED, "Compare Captures": says(sentence) });
/** Without a busy sample; of a VM that ended early that is chance. */
const NO_BUSY_SAMPLES = /view\.pb\.gz has no busy samples: there is nothing to compare/;
const SHORT = new RegExp(`Captures of [\\d.,]+ s and of [\\d.,]+ s: [^\\n]*|${NO_BUSY_SAMPLES.source}`);
const NOT_WHOLE = new RegExp(
  `view\\.pb\\.gz (?:was not closed: |could not be written to its end: the disk was full)[^\\n]*|${NO_BUSY_SAMPLES.source}`,
);

/** @param {Cell} cell @param {readonly string[]} views */
const of = (cell, views) => Object.fromEntries(views.map((view) => [view, cell]));
/** @param {Cell} cell @param {...Record<string, Cell>} others @returns {Record<string, Cell>} */
const all = (cell, ...others) => Object.assign(of(cell, VIEW_NAMES), ...others);

/** @param {string} why @param {string} whyThen @param {string} whyNothing */
const halted = (why, whyThen, whyNothing) =>
  all(
    says(new RegExp(`This VM is halted: ${why}`)),
    of(says(new RegExp(`process \\d+ is halted: ${why}`)), ["Targets", "Check Permissions and Setup"]),
    of(says(new RegExp(`The VM did not run for at least [\\d,]+ s: ${whyThen}`)), OF_CAPTURES),
    compared(
      new RegExp(
        `view\\.pb\\.gz has no busy samples, and ${whyNothing} for at least [\\d.]+ s: there is nothing to compare`,
      ),
    ),
    of(says(new RegExp(`The VM did not run for (?:a time|at least [\\d,]+ s): ${whyThen}`)), [
      "Captures in the Background",
    ]),
  );

/** By state, then by view. @type {Record<string, Record<string, Cell>>} */
export const VIEW_CELLS = {
  "another user's": all(NOT_PERMITTED, of(NO_CAPTURE, [...SAVED, "Compare Captures"]), {
    "Check Permissions and Setup": says(/process \d+ may not be read: [^\s:;]+/),
  }),
  "no rights": all(READ, of(USER_CODE, OF_CAPTURES), {
    ...compared(/view\.pb\.gz lacks time in the kernel[^\n]* and normal\.pb\.gz has it[^\n]*/),
    "Check Permissions and Setup": says(/cpu-clock, user code only: time in the kernel is not seen/),
  }),
  traced: all(READ, of(TRACED, [...INSIDE, ...OF_CAPTURES]), {
    ...compared(/Calls were traced in view\.pb\.gz and not in normal\.pb\.gz[^\n]*/),
    "Check Permissions and Setup": says(/\d+ of \d+ functions have breakpoints[^\n]*/),
    Stacks: same("stacks below a traced call are complete"),
  }),
  "processes traced": all(READ, of(PROCESSES_TRACED, [...INSIDE, ...OF_CAPTURES]), {
    ...compared(/Messages or events of processes were traced in view\.pb\.gz and not in normal\.pb\.gz[^\n]*/),
    "Check Permissions and Setup": says(/\d+ of \d+ processes are traced: [^\n]*/),
    Stacks: same("the stacks of a traced process are as always"),
  }),
  throttled: all(READ, of(QUOTA, [...INSIDE, "Stacks"]), of(THROTTLED, [...OF_CAPTURES, "Where Processes Wait"]), {
    ...compared(
      /view\.pb\.gz was kept from processors, by a quota or a hypervisor[^\n]*|Threads waited for a processor in [^\n]*/,
    ),
    "Check Permissions and Setup": says(/processors that its control group allows it: [^\n]*/),
    Targets: same("its processor time is measured, not its quota"),
  }),
  stopped: halted("a signal has stopped it", "a signal had stopped it", "a signal had stopped its VM"),
  frozen: halted(
    "its control group is frozen",
    "its control group was frozen",
    "the control group of its VM was frozen",
  ),
  "half offline": all(
    READ,
    of(ONLINE_MEANWHILE, OF_CAPTURES),
    of(ONLINE, ["Stacks", "Where Processes Wait", "CPU and Waits", ...INSIDE]),
    { "Check Permissions and Setup": says(/2 of 4; [^\n]*/) },
    compared(/The schedulers that could run processes were \d+ before and \d[^\n]*/),
  ),
  exiting: all(READ, of(same("samples of a process that ends have its pid"), OF_CAPTURES), STOPPED, {
    "Compare Captures": same("the samples of a process that ends have its functions"),
    Stacks: same("a process that ends is named with its pid"),
  }),
  loading: all(
    READ,
    of(same("each sample has the code as it was then"), [...OF_CAPTURES, "Compare Captures"]),
    STOPPED,
    {
      Stacks: same("code is read anew at each look"),
    },
  ),
  ends: all(GONE, of(same(ENDED), SAVED), {
    "Compare Captures": says(SHORT),
    "Captures in the Background": says(/ended: the VM ended[^\n]*/),
    Targets: says(/ended · pid \d+/),
    Processes: says(/The VM has ended/),
    ...of(says(/the snapshots until then are shown/), ["Where Processes Wait", "CPU and Waits"]),
    "live capture": says(/the VM exited\. [^\n]*/),
  }),
  "disk full": all(
    same("nothing is written for it"),
    of(NO_END, SAVED),
    {
      "Compare Captures": says(NOT_WHOLE),
      // Where the reason has no room, its end has none either.
      "Captures in the Background": says(/no space (?:left|for)[^\n]*|ended unexpectedly/i),
    },
    of(says(/no space left on device/), ["Where Processes Wait", "CPU and Waits"]),
    { "live capture": says(/the capture file cannot be written: no space left for [^\s;]+/) },
  ),
};
