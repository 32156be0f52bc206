import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { format } from "prettier";
import { AS_ALWAYS, hasNoHeading, KNOWN, VIEWS_AS_ALWAYS } from "../unknowns/as-always.mjs";
import { CELLS, COMMANDS } from "../unknowns/cells.mjs";
import { NOT_RUN, notRun, unknownsPage } from "../unknowns/page.mjs";
import { STATES } from "../unknowns/states.mjs";
import { VIEW_CELLS, VIEW_NAMES, viewName } from "../unknowns/view-cells.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** @type {import("../unknowns/look.mjs").Row[]} */
const ROWS = JSON.parse(readFileSync(join(ROOT, "test/unknowns/rows.json"), "utf8"));
/** @type {Record<string, import("../unknowns/page.mjs").Run>} */
const RUNS = JSON.parse(readFileSync(join(ROOT, "test/unknowns/runs.json"), "utf8"));

/** Commands and views that came, or have other sentences, after the last run of the program: the page states so. The next run empties this and the next one. @type {string[]} */
const AFTER_LAST_RUN = ["stat"];

/** States that came after it. @type {string[]} */
const STATES_AFTER_LAST_RUN = [];

/** A row of each of so many processes. @param {number} count */
const processes = (count) =>
  [
    "<0.0.0>   init             waiting  0",
    "<0.10.0>  erl_prim_loader  waiting  0",
    ...Array.from({ length: count - 3 }, (_, index) => `<0.${index + 20}.0>  worker  waiting  0`),
    "<0.90.0>  gt_slices:process/3  running  0",
  ].join("\n");
const ALLOCATORS = ["eheap_alloc", "binary_alloc", "ets_alloc"].map((name) => `${name}   8.00   7.00   6.00   75.0`);
const memoryOf = (/** @type {string} */ rest) =>
  [
    ...ALLOCATORS,
    `the VM counts 9.00 MB: heaps of processes 1.00, binaries 1.00, ETS 1.00, code of the JIT 3.00, literals 1.00, all else (structs of processes, atoms, tables of the VM) ${rest}`,
  ].join("\n");
const HEAP =
  "<0.10.0>: 900 words in use, 300 of them live (33.3 %), 20 words of stack, 0 messages\n\nwords  % of live  kept alive by\n";

/** The command, an answer, and one that lacks something. @type {readonly (readonly [string, string, string])[]} */
const ANSWERS = [
  [
    "list",
    " 4711    100  27   15.2   jit      4     0  yes     -  -s shop",
    " 4711      ?  ?    ?      ?        ?     0  no      -  -s shop",
  ],
  [
    "pstack",
    "scheduler 1 (tid 7), process <0.9.0>, erlang\n    gt_erlang:half/2\nscheduler 2 (tid 8): idle",
    "scheduler 1 (tid 7), process <0.9.0>, erlang\nscheduler 2 (tid 8): idle",
  ],
  [
    "stat",
    "reductions                 812000   405000.0\ncollections                    12        6.0\ncontext switches             340      170.0\nCPU time, ms                1980      990.0\npage faults, minor             7        3.5\n\n                       mean      most      last\nmemory, bytes    20480000.0  20500000  20490000\nresident, bytes  41000000.0  41000000  41000000\n20 readings in 2.00 s",
    "reductions                 812000   405000.0\ncollections                    12        6.0\ncontext switches             340      170.0\nCPU time, ms                1980      990.0\npage faults, minor             7        3.5\n\n                       mean      most      last\nmemory, bytes    20480000.0  20500000  20490000\nresident, bytes  not known\n20 readings in 2.00 s",
  ],
  ["ps", `${processes(40)}\n40 of 40 processes`, `${processes(39)}\n40 of 40 processes`],
  [
    "heap",
    `${HEAP}  200       66.7  the stack\n  150       50.0      a part\n  100       33.3  the dictionary\n\nerl_prim_loader:loop/3  erl_prim_loader.erl:286`,
    `${HEAP}\nerl_prim_loader:loop/3  erl_prim_loader.erl:286`,
  ],
  ["memory", memoryOf("2.00"), memoryOf("1.00")],
  [
    "waits",
    "9 looks in 2 s; in the last one 40 of 42 processes waited, 1 were running, in C or ending, 1 are not known",
    "9 looks in 2 s; in the last one 0 of 42 processes waited, 0 were running, in C or ending, 42 are not known",
  ],
  [
    "growth",
    "resident memory: 50.00 MB at the first snapshot, 51.00 MB at the last one\nwhat    name   of them  least at first  least at last  a minute\natoms   atoms                     9000           9900     27000\nin 2 s, 24 snapshots; MB of memory",
    "resident memory: 50.00 MB at the first snapshot, 51.00 MB at the last one\nwhat    name   of them  least at first  least at last  a minute\n",
  ],
  [
    "export",
    "gt_slices:one_turn/4;gt_erlang:half/1 812\n[idle] 3",
    "gt_slices:one_turn/4 812\nextrospect: user code only",
  ],
  [
    "diff NORMAL -- CAPTURE",
    "capture.pb.gz against normal.pb.gz\nno change that the samples can show\nmethod: runs differ by 2.0 % (assumed)",
    "extrospect: capture.pb.gz has no busy samples: there is nothing to compare",
  ],
  [
    "diff --history",
    "whole program, % of a core\n   582ab45  2026-11-30  2  98.12  97.00 … 99.20\nmethod: runs differ by 2.0 %, commits by 1.0 % more (assumed)",
    "whole program, % of a core\nmethod: runs differ by 2.0 %, commits by 1.0 % more (assumed)",
  ],
  [
    "record --detach",
    "unknowns: recording for at most 60 s and 1073 MB, also when this terminal is closed",
    "unknowns: recording in the background, also when this terminal is closed",
  ],
  [
    "detached stop",
    "name       pid  began    MB  samples  node  state\nunknowns  4711  2 s ago  0.0      812  -     ended: stopped",
    "name       pid  began    MB  samples  node  state\nunknowns  4711  2 s ago  0.0        0  -     ended: stopped",
  ],
  [
    "blame",
    "extrospect: nothing called `gc` is in 8 samples; it did not run, has another name in this VM, or took",
    "extrospect: the capture has no sample: `gc` may have run or not",
  ],
];

test("each command and each view has a cell for each state, and a row of the last run", () => {
  for (const [cells, columns] of /** @type {const} */ ([
    [CELLS, Object.keys(COMMANDS)],
    [VIEW_CELLS, VIEW_NAMES],
  ]))
    assert.deepEqual(
      Object.entries(cells).map(([state, own]) => [state, ...Object.keys(own).toSorted()]),
      STATES.map(({ name }) => [name, ...columns.toSorted()]),
    );
  for (const { name } of STATES) {
    const rows = ROWS.filter(({ state }) => state === name);
    const had = rows.map(({ command }) => command);
    assert.deepEqual(
      had,
      [...Object.keys(COMMANDS), ...VIEW_NAMES.map(viewName)].filter(
        (each) => had.includes(each) || !(STATES_AFTER_LAST_RUN.includes(name) || AFTER_LAST_RUN.includes(each)),
      ),
      name,
    );
    const views = Object.entries(VIEW_CELLS[name] ?? {}).map(([view, cell]) => [viewName(view), cell]);
    /** @type {Record<string, import("../unknowns/cells.mjs").Cell>} */
    const cells = { ...CELLS[name], ...Object.fromEntries(views) };
    for (const { command, kind } of rows)
      assert.ok(cells[command]?.[kind] !== undefined, `${name}, ${command}: ${kind}`);
  }
});

test("each cell that is as always states what the answer has", () => {
  for (const [cells, always] of /** @type {const} */ ([
    [CELLS, AS_ALWAYS],
    [VIEW_CELLS, VIEWS_AS_ALWAYS],
  ]))
    for (const [state, own] of Object.entries(cells))
      for (const [name, { same, answer }] of Object.entries(own)) {
        if (same === undefined && answer === undefined) continue;
        assert.ok(answer ?? always[name], `${state}, ${name}`);
        assert.ok(KNOWN[state], state);
      }
});

test("an answer that is as always passes, and one that lacks a part does not", () => {
  const facts = { pid: 4711, release: "27", works: /\bgt_erlang:/, process: /\bgt_slices:process\/3\b/ };
  for (const [command, whole, lacking] of ANSWERS) {
    const check = AS_ALWAYS[command];
    assert.ok(check, command);
    check(whole, facts);
    assert.throws(() => check(lacking, facts), assert.AssertionError, command);
  }
});

test("an answer with a sentence about what limits it is not as always", () => {
  const rest = "812 samples, 800 busy\ngc: 3 samples, 0.4 % of busy, in erts_garbage_collect";
  hasNoHeading(rest);
  hasNoHeading(`VM 4711: quality: 812 samples of cpu-clock; a quota allows it 0.3 processors\n${rest}`);
  // Rows of checks that pass, and figures of children that are known.
  hasNoHeading(`ok    process tracing    none of 340 processes is traced\n${rest}`);
  hasNoHeading(`1 process below no port: at least 340 ms of processor time with those that ended, 4096 bytes\n${rest}`);
  // What the machine's other programs took.
  hasNoHeading(`a hypervisor took 1.2 s of this machine's processor time\n${rest}`);
  for (const heading of [
    "user code only: time in the kernel is not included",
    "extrospect: no samples: the VM did not run for at least 2.0 s (a signal had stopped it)",
    "the VM did not run for a time (a signal had stopped it)",
    "The VM did not run for at least 2 s: its control group was frozen",
    "its control group's quota throttled the VM in 19 of 20 periods, for 1.4 s",
    "The quota of its control group throttled the VM in 19 of 20 periods, for 1.4 s",
    "a quota of its control group allows it 0.3 processors",
    "when the capture began and at the last reading: 2 of 4 schedulers online, multi-scheduling is blocked by <0.9.0>",
    "call tracing is on: 38 of 8342 functions with a breakpoint (2 reported, 38 timed)",
    "Call tracing is on, and takes time of its own: 38 of 8342 functions have a breakpoint",
    "process tracing is on: 2 of 340 processes (scheduling of 2)",
    "process tracing: none of 340 processes, and 7 others were not looked at",
    "Process tracing is on, and takes time of its own: messages or events of 2 of 340 processes",
    "Whether 7 further processes are traced is not known",
    "it may run on 1 of 8 processors",
    "the VM may run on 2 of 8 processors, and threads of the machine waited 9.0 s for one",
    "It may run on 1 of 8 processors, with 8 schedulers online",
    "children of the VM below no port used at least 1.2 s of processor time, which is in no sample",
    "Children of the VM below no port used at least 1.2 s of processor time, which is in no sample",
    "the VM is ending: a process is in erlang:halt, or a crash dump is written",
    "This VM is ending: a process is in erlang:halt, or a crash dump is written.",
    "it is not known whether process 4711 is halted: the kernel shows neither its control group nor where it waits",
    "It is not known whether this VM is halted: the kernel shows neither its control group nor where it waits.",
    "pid 4711, OTP 27, whether it is halted is not known",
    "17 % of the samples in a process (170 of 1000) lack a part of their Erlang stack: no counter has the reason",
  ])
    assert.throws(() => hasNoHeading(`${heading}\n${rest}`), assert.AssertionError, heading);
});

test("a view of a full disk names it, and not only an end or an absence", () => {
  const cells = VIEW_CELLS["disk full"] ?? {};
  for (const [view, said, other] of /** @type {const} */ ([
    [
      "Compare Captures",
      "view.pb.gz could not be written to its end: the disk was full, or failed. The samples after its last increment are missing",
      "the sources of both commits, which could show which is which, are missing or inconclusive",
    ],
    [
      "Compare Captures",
      "view.pb.gz was not closed: it is still being written, is a copy from that time, or its writer was ended. The samples after its last increment are missing",
      "normal.pb.gz was not closed: it is still being written, is a copy from that time, or its writer was ended. The samples after its last increment are missing",
    ],
    [
      "Captures in the Background",
      "ended: the capture file cannot be written: no space left for /captures/unknowns/capture.pb.gz · 4 KB · pid 4711",
      "ended: stopped · 4 KB · pid 4711",
    ],
    [
      "Captures in the Background",
      "there is no place for the detached capture unknowns: No space left on device (os error 28)",
      "ended: the VM ended · 4 KB · pid 4711",
    ],
  ])) {
    assert.match(said, cells[view]?.sentence ?? /^$/);
    assert.doesNotMatch(other, cells[view]?.sentence ?? /./);
  }
});

test("a state that was not run is named, without a result", () => {
  const [first] = ROWS;
  assert.ok(first);
  const all = [...Object.keys(COMMANDS), ...VIEW_NAMES.map(viewName)];
  assert.deepEqual(
    notRun([first]),
    STATES.map(({ name }) => ({
      state: name,
      names: all.filter((each) => name !== first.state || each !== first.command),
    })),
  );
  const sentences = (/** @type {readonly import("../unknowns/look.mjs").Row[]} */ rows) =>
    unknownsPage(rows, {})
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| Commands") && !line.startsWith("| ---"));
  // One line of all commands and one of all views.
  assert.equal(sentences([]).length, 2 * STATES.length);
  assert.ok(sentences([]).every((line) => line.endsWith(`| ${NOT_RUN} |`)));
  assert.equal(sentences([first]).length, 2 * STATES.length + 1);
});

test("the page names what the rows are of", () => {
  const [first] = ROWS;
  assert.ok(first);
  const about = (/** @type {readonly import("../unknowns/look.mjs").Row[]} */ rows, /** @type {typeof RUNS} */ runs) =>
    unknownsPage(rows, runs)
      .split("\n")
      .filter((line) => /^Last run|not recorded/.test(line));
  const run = { otp: "27.3 (ERTS 15.2)", engines: ["readv", "bpf"], commit: "1234abcd", date: "2026-11-30" };
  assert.deepEqual(about([first], { [first.state]: run }), [
    "Last run on 2026-11-30, at commit `1234abcd`, with OTP 27.3 (ERTS 15.2), sampled by `bpf` and `readv`.",
  ]);
  assert.deepEqual(about([first], {}), ["Commit, OTP and engines of the last run were not recorded."]);
  const other = STATES.find(({ name }) => name !== first.state);
  const [last, later] = about([first, { ...first, state: other?.name ?? "" }], { [first.state]: run });
  assert.match(last ?? "", /sampled by `bpf` and `readv`: “.+”\.$/);
  assert.equal(later, "Commit, OTP and engines of the other sections were not recorded.");
});

test("the page has no process ids of one run", () => {
  const [first] = ROWS;
  assert.ok(first);
  const text = "process 4711 may not be read: /proc/4711/maps; it belongs to another user";
  const page = unknownsPage([{ ...first, kind: "sentence", text }], {});
  assert.match(page, /“process PID may not be read: \/proc\/PID\/maps; it belongs to another user”/);
});

test("the page is made of the rows", async () => {
  const page = readFileSync(join(ROOT, "docs/unknowns.md"), "utf8");
  assert.equal(await format(unknownsPage(ROWS, RUNS), { parser: "markdown", printWidth: 120 }), page);
});

test("the modules of the editor that the program bundles are there", () => {
  const program = readFileSync(join(ROOT, "test/unknowns/editor.mjs"), "utf8");
  const modules = [...program.matchAll(/"((?:extension|webviews|contract)\/[^"]+\.ts)"/g)].map(([, path = ""]) => path);
  assert.ok(modules.length > 3, modules.join(", "));
  assert.deepEqual(
    modules.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
});
