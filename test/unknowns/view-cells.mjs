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

/** @param {Cell} cell @param {readonly string[]} views */
const of = (cell, views) => Object.fromEntries(views.map((view) => [view, cell]));
/** @param {Cell} cell @param {...Record<string, Cell>} others @returns {Record<string, Cell>} */
const all = (cell, ...others) => Object.assign(of(cell, VIEW_NAMES), ...others);

/** @param {string} why @param {string} whyThen */
const halted = (why, whyThen) =>
  all(
    says(new RegExp(`This VM is halted: ${why}`)),
    of(says(new RegExp(`process \\d+ is halted: ${why}`)), ["Targets", "Check Permissions and Setup"]),
    of(says(new RegExp(`The VM did not run for at least [\\d,]+ s: ${whyThen}`)), OF_CAPTURES),
  );

/** By state, then by view. @type {Record<string, Record<string, Cell>>} */
export const VIEW_CELLS = {
  "another user's": all(NOT_PERMITTED, of(NO_CAPTURE, SAVED), {
    "Check Permissions and Setup": says(/process \d+ may not be read: [^\s:;]+/),
  }),
  "no rights": all(READ, of(USER_CODE, OF_CAPTURES), {
    "Check Permissions and Setup": says(/cpu-clock, user code only: time in the kernel is not seen/),
  }),
  traced: all(READ, of(TRACED, [...INSIDE, ...OF_CAPTURES]), {
    "Check Permissions and Setup": says(/\d+ of \d+ functions have breakpoints[^\n]*/),
    Stacks: same("stacks below a traced call are complete"),
  }),
  throttled: all(READ, of(QUOTA, [...INSIDE, "Stacks"]), of(THROTTLED, OF_CAPTURES), {
    Targets: same("its processor time is measured, not its quota"),
  }),
  stopped: halted("a signal has stopped it", "a signal had stopped it"),
  frozen: halted("its control group is frozen", "its control group was frozen"),
  "half offline": all(
    READ,
    of(ONLINE_MEANWHILE, OF_CAPTURES),
    of(ONLINE, ["Stacks", "Where Processes Wait", "CPU and Waits", ...INSIDE]),
  ),
  exiting: all(READ, of(same("samples of a process that ends have its pid"), OF_CAPTURES), {
    Stacks: same("a process that ends is named with its pid"),
  }),
  loading: all(READ, of(same("each sample has the code as it was then"), OF_CAPTURES), {
    Stacks: same("code is read anew at each look"),
  }),
  ends: all(GONE, of(same(ENDED), SAVED), {
    Targets: says(/ended · pid \d+/),
    Processes: says(/The VM has ended/),
    ...of(says(/the snapshots until then are shown/), ["Where Processes Wait", "CPU and Waits"]),
    "live capture": says(/the VM exited\. [^\n]*/),
  }),
  "disk full": all(
    same("nothing is written for it"),
    of(NO_END, SAVED),
    of(says(/no space left on device/), ["Where Processes Wait", "CPU and Waits"]),
    { "live capture": says(/the capture file cannot be written: no space left for [^\s;]+/) },
  ),
};
