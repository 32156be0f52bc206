// For each command and state: the sentence that the command prints about facts that it cannot know then.
import { join } from "node:path";
import { collectionsOrNone, growthHasFigures, notListed } from "./as-always.mjs";

/** Capture of the state at hand, from which `top`, `blame` and `export` read. */
const CAPTURE = "capture.pb.gz";
/** Of the VM of a command. */
const OF_COMMAND = "command.pb.gz";
/** Name of a capture in the background. */
const DETACHED = "unknowns";
/** The one that is drawn anew, in a terminal. */
export const LIVE = "top --live";
/** Below the folder of a state: the capture of a VM in none of the states, and then that of the state. */
export const HISTORY = "history";
/** In that folder. */
export const OF_HISTORY = { normal: "normal.pb.gz", state: CAPTURE };
/**
 * Commands by name: their arguments for a VM and a folder, `start` are the words of a command that starts such a VM,
 * `normal` is the capture of a VM in none of the states. `record` comes before those that read its capture.
 * @type {Record<string, (pid: number, folder: string, start: readonly string[], normal: string) => (string | number)[]>}
 */
export const COMMANDS = {
  list: () => ["list"],
  doctor: (pid) => ["doctor", pid],
  pstack: (pid) => ["pstack", pid],
  node: (pid) => ["node", pid],
  stat: (pid) => ["stat", pid, "-d", 2],
  ps: (pid) => ["ps", pid, "-n", 0],
  heap: (pid) => ["heap", pid, "<0.10.0>"],
  memory: (pid) => ["memory", pid],
  binaries: (pid) => ["binaries", pid],
  nodes: (pid) => ["nodes", pid],
  record: (pid, folder) => ["record", pid, "-d", 2, "-F", 499, "-o", join(folder, CAPTURE), "--force"],
  "record -- COMMAND": (_, folder, start) => [
    ...["record", "-F", 499, "-o", join(folder, OF_COMMAND), "--force", "--"],
    ...start,
  ],
  "record --when": (pid, folder) => [
    ...["record", pid, "--when", "processes>1", "--before", "1s", "--after", "1s", "--max-files", 1, "-d", 4],
    ...["-F", 499, "-o", join(folder, "when.pb.gz")],
  ],
  top: (_, folder) => ["top", join(folder, CAPTURE)],
  [LIVE]: (pid) => ["top", pid, "--live", "-d", 0],
  blame: (_, folder) => ["blame", "gc", join(folder, CAPTURE)],
  export: (_, folder) => ["export", "--format", "folded", join(folder, CAPTURE)],
  // Programs of two states may have no function in common.
  "diff NORMAL -- CAPTURE": (_, folder, _start, normal) => ["diff", normal, "--", join(folder, CAPTURE), "--anyway"],
  "diff CAPTURE -- CAPTURE": (_, folder) => ["diff", join(folder, CAPTURE), "--", join(folder, CAPTURE)],
  "diff --history": (_, folder) => ["diff", "--history", join(folder, HISTORY)],
  commit: (_, folder) => ["commit", join(folder, CAPTURE), "--builds", join(folder, HISTORY)],
  "record --detach": (pid) => ["record", pid, "--detach", DETACHED, "-d", 60, "-F", 499],
  growth: (pid) => ["growth", pid, "-d", 2],
  // It has sampled while `growth` looked.
  "detached stop": () => ["detached", "stop", DETACHED],
  waits: (pid) => ["waits", pid, "-d", 2],
};
/** Commands that take time: a VM may end while they run. */
export const LASTING = ["record", "record --when", LIVE, "record --detach", "stat", "growth", "waits"];

/**
 * @typedef {object} Cell
 * @property {RegExp} [sentence]   a line of the output
 * @property {string} [same]       nothing is missing, for this reason: the answer is as `as-always.mjs` has it
 * @property {string} [none]       the command has nothing to read then, for this reason
 * @property {number[]} [codes]    exit codes that it may have, 0 by default
 * @property {import("./as-always.mjs").Check} [answer]   what the whole answer has, in the place of its row in `as-always.mjs`
 */

/** @param {string} same @returns {Cell} */
const same = (same) => ({ same });
/** @param {RegExp} sentence @param {number[]} codes @returns {Cell} */
const says = (sentence, ...codes) => ({ sentence, ...(codes.length > 0 && { codes }) });

const NOT_PERMITTED = says(/^extrospect: process \d+ may not be read: .* belongs to another user/, 4);
const HALTED = says(/^extrospect: process \d+ is halted: /);
const GONE = says(/^extrospect: there is no process \d+/, 3);
/** Whether anything grows during the command is chance; so is which measure a process that works leaves unknown. */
const growth = (/** @type {string} */ why) => ({
  ...says(new RegExp(`^[\\w ]+: not known: .* ${why}|^none of these grew steadily by|^what +name `)),
  answer: growthHasFigures,
});
const TRACED = says(/call tracing is on: \d+ of \d+ functions with a breakpoint/);
const PROCESSES_TRACED = says(
  /process tracing is on: \d+ of \d+ processes \(messages sent of \d+, messages received of \d+\)/,
);
const THROTTLED = says(/its control group's quota throttled the VM in \d+ of \d+ periods/);
const QUOTA = says(/^a quota of its control group allows it 0\.3 processors/);
const ONLINE = says(/^2 of 4 schedulers online/);
const ONLINE_AT_START = says(/when the capture began.*: 2 of 4 schedulers online/);
const COMPLETE = says(/Erlang [\d.]+ % complete/);
const NO_ROOM = says(/^extrospect: cannot write the output: no space left on its disk; free some room/, 1);
/** Whether a collection is in the samples is chance, and whether there are any where little runs. */
const BLAMED = says(
  /^gc: \d+ samples?, [\d.]+ % of (?:busy|all), in |^extrospect: no samples: the VM used [\d.]+ s of processor time by its own clock|^extrospect: nothing called `gc` is in \d+ samples?; it did not run, has another name in this VM, or took less than [\d.]+ % of the sampled time/,
  0,
  1,
);
/** The sentence above the answer, with the code of one that has no collection. @param {Cell} cell @returns {Cell} */
const blamed = (cell) => ({ ...cell, answer: collectionsOrNone, codes: [0, 1] });
/** A comparison with a capture that ended early; whether it has a sample is chance. */
const SHORT = says(
  /^note: captures of [\d.]+ s and of [\d.]+ s: |^extrospect: capture\.pb\.gz has no busy samples: there is nothing to compare/,
  0,
  1,
);
/** Of a capture of a VM that ended. */
export const ENDED =
  "the samples until then are in it; call tracing, the VM's clock and the programs below its ports are as of the last look before";
const NO_CAPTURE = { none: "no capture could be made" };
/** Commands that read a capture, where there is none. */
const WITHOUT_CAPTURE = {
  top: NO_CAPTURE,
  blame: NO_CAPTURE,
  export: NO_CAPTURE,
  "diff NORMAL -- CAPTURE": NO_CAPTURE,
  "diff CAPTURE -- CAPTURE": NO_CAPTURE,
  "diff --history": NO_CAPTURE,
  commit: NO_CAPTURE,
  "detached stop": NO_CAPTURE,
};
const noBusySamples = (/** @type {string} */ why) =>
  new RegExp(
    `^extrospect: capture\\.pb\\.gz has no busy samples, and ${why} for at least [\\d.]+ s: there is nothing to compare`,
  );
/** Where the capture of `record` has samples, and one in the background can begin. */
const WITH_CAPTURE = {
  "diff CAPTURE -- CAPTURE": says(/^note: capture\.pb\.gz is on both sides: it does not differ from itself/),
  "diff --history": same("it has the processor time of each capture; what limits one is above its `top`"),
  commit: says(
    /^modules with a checksum: \d+|^the capture does not contain the builds of its modules|^no Erlang code is in the samples: there is no module whose build could be compared/,
  ),
  "record --detach": same("what limits the capture is in its file"),
  "detached stop": same("it has state and number of samples; what limits the capture is in its file"),
};
/** Of a VM that was halted all the time. @param {string} why */
const withoutSamples = (why) => ({
  ...WITH_CAPTURE,
  "diff NORMAL -- CAPTURE": says(noBusySamples(why), 1),
  "diff CAPTURE -- CAPTURE": says(noBusySamples(why), 1),
  "diff --history": says(new RegExp(`^extrospect: capture\\.pb\\.gz is left out: it has no busy samples, and ${why}$`)),
  "record --detach": HALTED,
  "detached stop": says(/^unknowns: the VM did not run for (?:a time|at least [\d.]+ s) \(/),
});
const MEMORY = "the memory of the VM is read as always";

/** @param {Cell} cell @param {Record<string, Cell>} [others] @returns {Record<string, Cell>} */
const all = (cell, others = {}) => ({
  ...Object.fromEntries(Object.keys(COMMANDS).map((command) => [command, cell])),
  ...others,
});

/** What each command that reads the inside of a VM states above its output. @param {Cell} cell */
const inside = (cell) =>
  Object.fromEntries(
    ["stat", "ps", "heap", "memory", "binaries", "nodes", "growth", "waits"].map((command) => [command, cell]),
  );

/** By state, then by command. @type {Record<string, Record<string, Cell>>} */
export const CELLS = {
  "another user's": all(NOT_PERMITTED, {
    list: says(/^\d+: process \d+ may not be read: .* belongs to another user/),
    "record -- COMMAND": { none: "a command runs as the user who records it" },
    ...WITHOUT_CAPTURE,
  }),
  "no rights": all(same(MEMORY), {
    ...WITH_CAPTURE,
    doctor: says(/^warn +sampling .*time in the kernel is not seen/),
    stat: says(/^migrations: not known: the kernel does not allow counting it$/),
    record: says(/user code only[^;]*/),
    "record -- COMMAND": says(/user code only[^;]*/),
    "record --when": says(/user code only[^;]*/),
    top: says(/^user code only: time in the kernel is not included/),
    export: says(/^extrospect: user code only: time in the kernel is not included/),
    blame: says(/^(?:extrospect: )?user code only: time in the kernel is not included/, 0, 1),
    [LIVE]: says(/^user code only: /),
    "diff NORMAL -- CAPTURE": says(/^note: capture\.pb\.gz lacks time in the kernel.* and normal\.pb\.gz has it/),
    "diff CAPTURE -- CAPTURE": says(/^note: user code only: no capture has time in the kernel/),
    "diff --history": says(
      /^extrospect: normal\.pb\.gz is left out: it has time in the kernel, which others that are kept lack/,
    ),
  }),
  traced: all(same(MEMORY), {
    ...WITH_CAPTURE,
    ...inside(TRACED),
    doctor: says(/^warn +call tracing +\d+ of \d+ functions have breakpoints/),
    node: TRACED,
    record: TRACED,
    // Its VM has ended when the functions are counted, and it was not traced yet when it began.
    "record -- COMMAND": says(/call tracing (?:is|was) on[^;]*/),
    "record --when": TRACED,
    top: TRACED,
    [LIVE]: TRACED,
    export: TRACED,
    "diff NORMAL -- CAPTURE": says(/^note: calls were traced in capture\.pb\.gz and not in normal\.pb\.gz/),
    "diff --history": says(/^calls were traced in capture\.pb\.gz and not in normal\.pb\.gz/),
    blame: blamed(TRACED),
    pstack: same("stacks below a traced call are complete"),
  }),
  "processes traced": all(same(MEMORY), {
    ...WITH_CAPTURE,
    ...inside(PROCESSES_TRACED),
    doctor: says(/^warn +process tracing +\d+ of \d+ processes are traced: /),
    node: PROCESSES_TRACED,
    record: PROCESSES_TRACED,
    // Whether the VM had begun to trace when the capture began is chance.
    "record -- COMMAND": same("processes are looked at when the capture begins and ends, and the VM has ended by then"),
    "record --when": PROCESSES_TRACED,
    top: PROCESSES_TRACED,
    [LIVE]: PROCESSES_TRACED,
    export: PROCESSES_TRACED,
    "diff NORMAL -- CAPTURE": says(
      /^note: messages or events of processes were traced in capture\.pb\.gz and not in normal\.pb\.gz/,
    ),
    "diff --history": says(/^messages or events of processes were traced in capture\.pb\.gz and not in normal\.pb\.gz/),
    blame: blamed(PROCESSES_TRACED),
    pstack: same("the stacks of a traced process are as always"),
  }),
  throttled: all(same(MEMORY), {
    ...WITH_CAPTURE,
    ...inside(QUOTA),
    pstack: THROTTLED,
    doctor: says(/^(?:ok|warn) +processor quota +processors that its control group allows it: (?:≤ )?0\.3/),
    node: says(/^a quota of its control group allows it 0\.3 processors; throttled in \d+ of \d+ periods/),
    record: THROTTLED,
    "record -- COMMAND": THROTTLED,
    "record --when": THROTTLED,
    top: THROTTLED,
    [LIVE]: THROTTLED,
    export: THROTTLED,
    "diff NORMAL -- CAPTURE": says(
      /^note: (?:capture\.pb\.gz was kept from processors, by a quota or a hypervisor, for|threads waited for a processor in) /,
    ),
    "diff --history": says(
      /^(?:capture\.pb\.gz was kept from processors, by a quota or a hypervisor, for|threads waited for a processor in) /,
    ),
    blame: blamed(THROTTLED),
  }),
  stopped: all(HALTED, {
    ...withoutSamples("a signal had stopped its VM"),
    list: says(/^\d+: process \d+ is halted: a signal has stopped it; resume it: kill -CONT \d+/),
    doctor: says(/^warn +state of this VM +process \d+ is halted/),
    pstack: says(/^process \d+ is halted: a signal has stopped it/),
    "record -- COMMAND": says(/the VM did not run for at least [\d.]+ s \(a signal had stopped it\)/),
    top: says(/^no samples: the VM did not run for at least [\d.]+ s \(a signal had stopped it\)/),
    [LIVE]: says(/^no samples: the VM did not run for (?:a time|at least [\d.]+ s) \(a signal had stopped it\)/),
    export: says(/^extrospect: no samples: the VM did not run for at least [\d.]+ s \(a signal had stopped it\)/),
    blame: says(/^extrospect: no samples: the VM did not run for at least [\d.]+ s \(a signal had stopped it\)/, 1),
    growth: says(/^the VM was halted at \d+ of \d+ snapshots?: nothing of it can grow then/),
  }),
  frozen: all(HALTED, {
    ...withoutSamples("the control group of its VM was frozen"),
    list: says(/^\d+: process \d+ is halted: its control group is frozen/),
    doctor: says(/^warn +state of this VM +process \d+ is halted/),
    pstack: says(/^process \d+ is halted: its control group is frozen/),
    "record -- COMMAND": says(/the VM did not run for at least [\d.]+ s \(its control group was frozen\)/),
    top: says(/^no samples: the VM did not run for at least [\d.]+ s \(its control group was frozen\)/),
    [LIVE]: says(/^no samples: the VM did not run for (?:a time|at least [\d.]+ s) \(its control group was frozen\)/),
    export: says(/^extrospect: no samples: the VM did not run for at least [\d.]+ s \(its control group was frozen\)/),
    blame: says(
      /^extrospect: no samples: the VM did not run for at least [\d.]+ s \(its control group was frozen\)/,
      1,
    ),
    growth: says(/^the VM was halted at \d+ of \d+ snapshots?: nothing of it can grow then/),
  }),
  "half offline": all(same(MEMORY), {
    ...WITH_CAPTURE,
    ...inside(ONLINE),
    doctor: says(/^(?:ok|warn) +schedulers online +2 of 4; /),
    [LIVE]: says(/\b2 of 4 schedulers online/),
    "diff NORMAL -- CAPTURE": says(/^note: the schedulers that could run processes were \d+ before and \d/),
    "diff --history": says(/^the schedulers that could run processes were \d.* before and \d/),
    pstack: ONLINE,
    node: ONLINE,
    record: ONLINE_AT_START,
    // None was blocked yet when it began.
    "record -- COMMAND": ONLINE_AT_START,
    "record --when": ONLINE_AT_START,
    top: ONLINE_AT_START,
    export: ONLINE_AT_START,
    blame: ONLINE_AT_START,
  }),
  exiting: all(same(MEMORY), {
    ...WITH_CAPTURE,
    "diff NORMAL -- CAPTURE": same("the samples of a process that ends have its functions"),
    [LIVE]: COMPLETE,
    pstack: same("a process that ends is named with its pid"),
    record: COMPLETE,
    "record -- COMMAND": COMPLETE,
    "record --when": COMPLETE,
    top: COMPLETE,
    export: same("the stacks of a process that ends have its pid"),
    blame: { same: "the end of a process is its own", codes: [0, 1] },
  }),
  loading: all(same(MEMORY), {
    ...WITH_CAPTURE,
    "diff NORMAL -- CAPTURE": same("each sample has the code as it was then"),
    [LIVE]: COMPLETE,
    record: COMPLETE,
    "record -- COMMAND": COMPLETE,
    "record --when": COMPLETE,
    top: COMPLETE,
    export: same("each stack has the code as it was then"),
    blame: { same: "its causes are of the code as it was at each sample", codes: [0, 1] },
    pstack: same("code is read anew at each look"),
    growth: growth("kept changing while it was read"),
  }),
  ends: all(GONE, {
    ...WITH_CAPTURE,
    [LIVE]: says(/^extrospect: process \d+ has ended/, 5),
    "diff NORMAL -- CAPTURE": SHORT,
    "diff CAPTURE -- CAPTURE": says(
      /^note: capture\.pb\.gz is on both sides: it does not differ from itself|^extrospect: capture\.pb\.gz has no busy samples: there is nothing to compare/,
      0,
      1,
    ),
    // The VM ends once it records.
    "detached stop": says(/ ended: the VM ended$/),
    list: { same: "a VM that has ended is no VM", answer: notListed },
    doctor: says(/^FAIL +attach +there is no process \d+/, 3),
    record: says(/^extrospect: process \d+ has ended; the samples captured until then are in /, 5),
    "record --when": says(/^extrospect: process \d+ has ended; written until then: \d+ captures?/, 5),
    "record -- COMMAND": same("its captures end with its VMs"),
    stat: says(/^extrospect: process \d+ has ended/, 5),
    growth: says(/^extrospect: process \d+ has ended/, 5),
    waits: says(/^extrospect: process \d+ has ended/, 5),
    top: same(ENDED),
    export: same(ENDED),
    blame: BLAMED,
  }),
  "disk full": all(NO_ROOM, {
    ...WITHOUT_CAPTURE,
    [LIVE]: { none: "it writes to a terminal, and to no disk" },
    "record --detach": says(/[Nn]o space (?:left|for)/, 1),
    record: says(/^extrospect: the capture file cannot be written: no space left for /, 1),
    "record -- COMMAND": says(/^extrospect: VM \d+ is (?:captured in part|in no capture): .*no space (?:left )?for /),
  }),
};
