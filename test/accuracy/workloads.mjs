// The programs with known answers: the code that runs, its possible stacks, and how far off a share
// may be beside its interval.
import { IDLE_SLEEPS } from "../vms/idle-sleeps.mjs";

/**
 * @typedef {import("./legality.mjs").CallRules} CallRules
 * @typedef {"readv" | "bpf"} Engine
 *
 * @typedef {object} Workload
 * @property {string} name
 * @property {string} title
 * @property {string} module
 * @property {(string | number)[]} args
 * @property {string[]} [emulatorFlags]
 * @property {boolean} split   the VM reports how its time is divided
 * @property {Record<string, (sample: import("./legality.mjs").ProfileSample) => boolean>} [parts]
 *   of the parts of its time that no function stands for on every release: the samples of each
 * @property {string} [unsampled]   the function whose time is, by the capture, in part in no sample
 * @property {number[]} [ladder]   runs once per factor, which is its first argument
 * @property {Record<Engine, number>} allowancePoints
 *   the systematic error stated for a share, percentage points, beside its interval
 * @property {boolean} [beyond]   its stacks are longer than is ever read: they are cut, and marked
 * @property {CallRules} rules
 *
 * @typedef {object} Plan
 * @property {import("../vms/otp.mjs").OtpRelease} release
 * @property {import("../vms/otp.mjs").OtpInstallation} [otp]   of that release; the packaged one when absent
 * @property {Engine} engine
 * @property {number} hz
 * @property {number} seconds     of one recording
 * @property {number} recordings  each on the same VM; of a ladder, for each factor
 * @property {number} [more]      recordings to add, one by one, while an interval is wider than `enough`, or until `leastChecked`
 * @property {number} [enough]    percentage points to each side
 * @property {number} [leastChecked]   samples that the rules judge, of each VM; instead of `enough`
 * @property {boolean} [gaps]     leave the VM alone between recordings, to measure their cost for it
 * @property {string} folder
 */

const SLICES = /** @type {CallRules["calls"]} */ ([
  ["gt_slices:timed/4", "gt_slices:one_turn/4", "timed(Clock, Module, Function"],
  ["gt_slices:one_turn/4", "gt_slices:turns/4", "one_turn(Module, Plan"],
  ["gt_slices:turns/4", "bottom"],
]);

/** A measured function is timed at arity 1, which tail-calls its loop of another arity.
 * @param {string} module @param {string[]} loops "name/arity" @returns {CallRules["calls"]} */
const timed = (module, loops) => [
  ...loops.map(
    (loop) =>
      /** @type {[string, string, string]} */ ([`${module}:${loop}`, "gt_slices:timed/4", "Module:Function(Count)"]),
  ),
  ...SLICES,
];

/** The caller of C functions that no Erlang code calls. */
const NOBODY = "no Erlang function";

const NONE = { readv: 1, bpf: 1 };

/** @type {Workload[]} */
export const SPLITS = [
  {
    name: "erlang",
    title: "pure Erlang",
    module: "gt_erlang",
    args: [],
    split: true,
    allowancePoints: NONE,
    rules: { calls: timed("gt_erlang", ["half/2", "three_tenths/4", "two_tenths/3"]) },
  },
  {
    name: "bif",
    title: "BIF-heavy",
    module: "gt_bif",
    args: ["shares"],
    split: true,
    allowancePoints: { readv: 2, bpf: 2 },
    rules: {
      calls: timed(
        "gt_bif",
        ["phash2_a", "phash2_b", "external_a", "external_b", "reverse_a", "reverse_b"].map((name) => `${name}/3`),
      ),
    },
  },
  {
    name: "message",
    title: "message-heavy",
    module: "gt_msg",
    args: ["apart"],
    split: true,
    allowancePoints: { readv: 2, bpf: 2 },
    rules: {
      calls: [
        ...timed("gt_msg", ["send_small/2", "send_medium/2", "send_large/2"]),
        ["gt_msg:receiver/0", "bottom"],
        ["gt_msg:caught_up/0", "gt_slices:one_turn/4", "rest_after(Module, After)"],
      ],
    },
  },
  {
    name: "gc",
    title: "GC-heavy",
    module: "gt_gc",
    args: [],
    emulatorFlags: IDLE_SLEEPS,
    split: true,
    allowancePoints: { readv: 5, bpf: 2 },
    rules: {
      calls: [
        ["gt_gc:numbers/2", "gt_gc:short_lived/1", "length(numbers(1000"],
        ["gt_gc:numbers/2", "gt_gc:while_holding/2", "length(numbers(1000"],
        ["gt_gc:pairs/2", "gt_gc:while_holding/1", "pairs(20_000"],
        ...timed("gt_gc", ["short_lived/1", "while_holding/1", "while_holding/2"]),
      ],
    },
  },
  {
    name: "ets",
    title: "ETS",
    module: "gt_ets",
    args: [],
    split: true,
    allowancePoints: { readv: 2, bpf: 2 },
    rules: {
      calls: timed("gt_ets", ["lookups/2", "inserts/2", "selects/2", "folds/1"]),
      leaves: [
        [["ets_insert_2", "ets:insert/2"], "gt_ets:inserts/2", "ets:insert("],
        [["ets_select_2", "ets:select/2", "db_select_tree_common"], "gt_ets:selects/2", "ets:select("],
        [["ets_lookup_2", "ets:lookup/2"], "gt_ets:lookups/2", "ets:lookup("],
        [["ets_lookup_2", "ets:lookup/2"], "ets:do_foldl/4"],
      ],
    },
  },
  {
    name: "nif",
    title: "NIF",
    module: "gt_nif",
    args: [],
    split: true,
    allowancePoints: NONE,
    rules: {
      calls: timed("gt_nif", ["calls_short/2", "calls_long/2", "lists/2"]),
      leaves: [
        [["spin_short"], "gt_nif:calls_short/2", "spin_short("],
        [["spin_long"], "gt_nif:calls_long/2", "spin_long("],
        [["make_list"], "gt_nif:lists/2", "make_list("],
      ],
    },
  },
  {
    name: "dirty-nif",
    title: "dirty NIF",
    module: "gt_nif",
    args: ["dirty"],
    emulatorFlags: IDLE_SLEEPS,
    split: true,
    allowancePoints: { readv: 2, bpf: 2 },
    rules: {
      calls: timed("gt_nif", ["dirty_cpu/2", "dirty_io/2"]),
      leaves: [
        [["spin_dirty_cpu"], "gt_nif:dirty_cpu/2", "spin_dirty_cpu("],
        [["spin_dirty_io"], "gt_nif:dirty_io/2", "spin_dirty_io("],
      ],
    },
  },
  {
    name: "brief",
    title: "processes of 100 us",
    module: "gt_brief",
    args: [],
    split: true,
    allowancePoints: NONE,
    rules: {
      calls: [
        ["gt_parity:live/2", "gt_brief:child/2", "gt_parity:live("],
        ["gt_brief:child/2", "bottom"],
        ["gt_brief:spawner/2", "bottom"],
        ...parity(),
      ],
      more: ownLife,
    },
  },
  {
    name: "many",
    title: "10,000 processes",
    module: "gt_many",
    args: [],
    split: true,
    allowancePoints: NONE,
    rules: {
      calls: [
        ["gt_parity:live/2", "gt_many:member/2", "gt_parity:live("],
        ["gt_many:member/2", "bottom"],
        ["gt_many:round/2", "gt_many:rounds/2", "round(Timeline, Members)"],
        ["gt_many:rounds/2", "bottom"],
        ...parity(),
      ],
      more: ownLife,
    },
  },
  {
    name: "ports",
    title: "sockets and a port's task",
    module: "gt_tcp",
    args: [],
    // Without them a scheduler with little to do gives its port to the other one.
    emulatorFlags: [...IDLE_SLEEPS, "+scl", "false"],
    split: true,
    allowancePoints: { readv: 2, bpf: 2 },
    rules: {
      calls: timed("gt_tcp", ["exchanges/2", "options/2"]),
      leaves: [[["on_timeout"], NOBODY]],
      more: onlyBelow({
        "gen_tcp:recv/2": "gt_tcp:exchanges/2",
        "prim_inet:getopts/2": "gt_tcp:options/2",
      }),
    },
  },
  {
    name: "tracing",
    title: "calls traced with return_trace",
    module: "gt_returns",
    args: [],
    split: true,
    allowancePoints: { readv: 2, bpf: 2 },
    rules: {
      calls: [
        ["gt_returns:unseen/2", "gt_returns:seen/2", "unseen("],
        ["gt_returns:unseen/2", "gt_returns:deep/3", "unseen("],
        ["gt_returns:unseen/2", "gt_returns:plain/2", "unseen("],
        ["gt_returns:seen/2", "gt_returns:traced/2", "seen("],
        ["gt_returns:deep/3", "gt_returns:deep/3", "deep("],
        ["gt_returns:deep/3", "gt_returns:nested/2", "deep("],
        ...timed("gt_returns", ["traced/2", "nested/2", "plain/2"]),
      ],
      more: (_, erlang) => tooMany(erlang, "gt_returns:deep/3", 6),
    },
  },
  {
    name: "exits",
    title: "ends of processes with large heaps",
    module: "gt_exits",
    args: [],
    emulatorFlags: IDLE_SLEEPS,
    split: true,
    parts: { "ends of processes": isEnd },
    // The end of a process is from its last instruction on, and the time until its creator runs again is in it.
    allowancePoints: { readv: 3, bpf: 3 },
    rules: {
      calls: [
        ["gt_exits:live/2", "gt_exits:mortal/3", "live("],
        ["gt_exits:mortal/3", "bottom"],
        ["gt_exits:creator/2", "bottom"],
      ],
    },
  },
  {
    name: "short-threads",
    title: "threads of 4 to 12 ms, with the time in no sample",
    module: "gt_brief_threads",
    args: ["beside"],
    split: true,
    // Most end before they are sampled. The time that the capture states to be missing also has the starting of threads.
    unsampled: "brief_job",
    allowancePoints: { readv: 3, bpf: 3 },
    rules: { calls: timed("gt_erlang", ["half/2"]), leaves: [[["brief_job"], NOBODY]] },
  },
];

/**
 * All that processes of gt_exits do, until they end, is called by a function of it. Where the emulator has names, the rest is
 * below `erts_continue_exit_process`; that of OTP 29 has none. A process of the VM's own has two functions at least.
 * @param {import("./legality.mjs").ProfileSample} sample
 */
function isEnd({ frames, labels }) {
  if (labels.pid === undefined) return false;
  if (frames.some(({ name }) => name === "[exiting]")) return true;
  const erlang = frames.filter(({ kind }) => kind === "erlang");
  return erlang.length < 2 && !erlang.some(({ name }) => name.startsWith("gt_exits:"));
}

/** @type {Workload} */
export const LADDER = {
  name: "ladder",
  title: "slowdown ladder",
  module: "gt_ladder",
  args: [],
  split: true,
  ladder: [1, 2, 3, 4, 6],
  allowancePoints: NONE,
  rules: { calls: timed("gt_ladder", ["ladder/2", "steady_a/2", "steady_b/2"]) },
};

/** @type {Workload} */
export const EXACT = {
  name: "exact",
  title: "exact callers",
  module: "gt_bif",
  args: ["exact"],
  split: false,
  allowancePoints: NONE,
  rules: exactRules(),
};

/** The same on a VM whose frames save the frame pointer of their caller; OTP 25 knows no `fp` of its own. @type {Workload} */
export const EXACT_FRAME_POINTERS = {
  ...EXACT,
  name: "exact-fp",
  title: "exact callers, frame pointers",
  emulatorFlags: ["+JPperf", "true"],
};

/** @type {Workload} */
export const TAIL = {
  name: "tail",
  title: "tail calls",
  module: "gt_tail",
  args: [],
  split: false,
  allowancePoints: NONE,
  rules: {
    calls: [
      ["gt_tail:spin/2", "gt_tail:pong/2", "spin(5, X)"],
      ["gt_tail:ping/2", "gt_tail:outer/2", "ping(300, X)"],
      ["gt_tail:pong/2", "gt_tail:outer/2", "ping(300, X)"],
      ["gt_tail_far:pang/2", "gt_tail:outer/2", "ping(300, X)"],
      ["gt_tail:outer/2", "gt_tail:outer/2", "outer(Count - 1"],
      ["gt_tail:outer/2", "gt_tail:forever/1", "outer(20, 1)"],
      ["gt_tail:forever/1", "bottom"],
    ],
    more: (_, erlang) => tooMany(erlang, "gt_tail:outer/2", 21),
  },
};

/** Deeper than this a stack may be cut. */
const DEEPEST_WHOLE = 10_000;

/** A process that works under so many frames of recursion. @param {number} depth @returns {Workload} */
export function recursion(depth) {
  return {
    beyond: depth > DEEPEST_WHOLE,
    name: `depth-${depth}`,
    title: `recursion, ${depth.toLocaleString("en")} frames`,
    module: "gt_deep",
    args: [depth],
    split: false,
    allowancePoints: NONE,
    rules: {
      calls: [
        ["gt_deep:bottom/2", "gt_deep:descend/2", "bottom(200_000, X)"],
        ["gt_deep:descend/2", "gt_deep:descend/2", "descend(Depth - 1"],
        ["gt_deep:descend/2", "gt_deep:process/2", "descend(Depth, 1)"],
        ["gt_deep:process/2", "bottom"],
      ],
      // At work, exactly so many are on the stack; on the way there and back there are fewer.
      more: (sample, erlang) => {
        const frames = count(erlang, "gt_deep:descend/2");
        const whole = sample.frames.every((frame) => frame.kind !== "marker");
        if (whole && sample.frames[0]?.name === "gt_deep:bottom/2" && frames !== depth + 1)
          return `${frames} frames deep, not ${depth + 1}`;
        return tooMany(erlang, "gt_deep:descend/2", depth + 1);
      },
    },
  };
}

/**
 * Functions of OTP that one function of the program alone leads to.
 * @param {Record<string, string>} outer @returns {NonNullable<CallRules["more"]>}
 */
function onlyBelow(outer) {
  return (sample, erlang) => {
    if (sample.frames.some(({ kind }) => kind === "marker")) return null;
    const lost = erlang.find(({ name }) => outer[name] !== undefined && count(erlang, outer[name] ?? "") === 0);
    return lost === undefined ? null : `${lost.name} outside of ${outer[lost.name]}`;
  };
}

/** @returns {CallRules["calls"]} */
function parity() {
  return [
    ["gt_parity:even_life/2", "gt_parity:live/2", "even_life("],
    ["gt_parity:odd_life/2", "gt_parity:live/2", "odd_life("],
    ["gt_parity:own_number/0", "gt_parity:live/2", "own_number()"],
    ["gt_parity:varied/2", "gt_parity:live/2", "varied("],
  ];
}

/** The fault of a sample that does not name its process. */
export const NO_PID = "no pid";

/** The life of a process matches its pid. @type {NonNullable<CallRules["more"]>} */
function ownLife(sample, erlang) {
  const even = erlang.some((frame) => frame.name === "gt_parity:even_life/2");
  const odd = erlang.some((frame) => frame.name === "gt_parity:odd_life/2");
  const pid = /^<\d+\.(\d+)\.\d+>$/.exec(String(sample.labels.pid ?? ""));
  if (!even && !odd) return null;
  if (pid === null) return NO_PID;
  return (Number(pid[1]) % 2 === 0) === even ? null : `${pid[0]} in ${even ? "even_life" : "odd_life"}/2`;
}

/** @param {import("./legality.mjs").Frame[]} erlang @param {string} name */
const count = (erlang, name) => erlang.filter((frame) => frame.name === name).length;

/** @param {import("./legality.mjs").Frame[]} erlang @param {string} name @param {number} most */
function tooMany(erlang, name, most) {
  const frames = count(erlang, name);
  return frames > most ? `${frames} frames of ${name}` : null;
}

/** Each built-in function has one caller, one line and one stack. @returns {CallRules} */
function exactRules() {
  /** @type {[string, "short" | "long", string, string[]][]} */
  const sites = [
    ["short_phash2", "short", "erlang:phash2(", ["erlang:phash2/1", "phash2_1"]],
    ["short_lookup", "short", "ets:lookup(", ["ets:lookup/2", "ets_lookup_2", "db_get_hash"]],
    ["short_keyfind", "short", "lists:keyfind(", ["lists:keyfind/3", "lists_keyfind_3"]],
    ["short_crc32", "short", "erlang:crc32(", ["erlang:crc32/1", "crc32_1"]],
    ["short_merge", "short", "maps:merge(", ["maps:merge/2", "maps_merge_2"]],
    ["short_to_list", "short", "erlang:integer_to_list(", ["erlang:integer_to_list/1", "integer_to_list_1"]],
    ["short_adler32", "short", "erlang:adler32(", ["erlang:adler32/1", "adler32_1"]],
    ["long_external", "long", "erlang:term_to_binary(", ["erlang:term_to_binary/2", "term_to_binary_2"]],
    ["long_reverse", "long", "lists:reverse(", ["lists:reverse/2", "lists_reverse_2"]],
    ["long_member", "long", "lists:member(", ["lists:member/2", "lists_member_2"]],
    ["long_copy", "long", "binary:copy(", ["binary:copy/2", "binary_copy_2"]],
    ["long_md5", "long", "erlang:md5(", ["erlang:md5/1", "md5_1"]],
    ["long_matches", "long", "binary:matches(", ["binary:matches/2", "binary_matches_2"]],
  ];
  const functions = [...sites.map(([name, round]) => ({ name, round })), { name: "short_send", round: "short" }];
  return {
    calls: [
      ...functions.map(
        ({ name, round }) =>
          /** @type {[string, string, string]} */ ([`gt_bif:${name}/3`, `gt_bif:${round}_round/2`, `${name}(`]),
      ),
      ["gt_bif:short_round/2", "gt_bif:exact_forever/3", "short_round("],
      ["gt_bif:long_round/2", "gt_bif:exact_forever/3", "long_round("],
      ["gt_bif:exact_forever/3", "bottom"],
      ["gt_bif:receiver/0", "bottom"],
      ["gt_bif:caught_up/0", "gt_bif:exact_forever/3", "caught_up()"],
    ],
    leaves: [
      ...sites.map(
        ([name, , text, names]) => /** @type {[string[], string, string]} */ ([names, `gt_bif:${name}/3`, text]),
      ),
      // The process that receives and the wait between rounds send too.
      [["erl_send"], "gt_bif:short_send/3", "gt_bif_receiver !"],
      [["erl_send"], "gt_bif:receiver/0", "From !"],
      [["erl_send"], "gt_bif:caught_up/0", "gt_bif_receiver !"],
    ],
  };
}
