// The content of an answer in which nothing is missing: one row for each command and view, for all states in which their cell is
// "as always".
import assert from "node:assert/strict";

/**
 * Facts of the VM of a state, whatever the state takes away.
 * @typedef {object} Known
 * @property {string} release   of OTP
 * @property {RegExp} works   functions of the process that works
 * @property {RegExp} process   a process of its program, as `ps` names it
 */
/** @typedef {Known & {pid: number}} Facts */
/** @typedef {(text: string, facts: Facts) => void} Check   throws where the text lacks something */

/** By state, of those that have such a cell. @type {Record<string, Known>} */
export const KNOWN = {
  "no rights": { release: "25", works: /\bgt_erlang:/, process: /\bgt_slices:process\/3\b/ },
  traced: { release: "27", works: /\bgt_traced:/, process: /\bsleeper\b/ },
  "processes traced": { release: "27", works: /\bgt_traced:/, process: /\bsleeper\b/ },
  throttled: { release: "27", works: /\bgt_erlang:/, process: /\bgt_slices:process\/3\b/ },
  "half offline": { release: "27", works: /\bgt_\w+:/, process: /\bblocker\b/ },
  exiting: { release: "27", works: /\bgt_lives:/, process: /\bgt_lives:host\/0\b/ },
  loading: { release: "27", works: /\bgt_reload(?:ed)?:/, process: /\bgt_bystander\b/ },
  ends: { release: "27", works: /\bgt_erlang:/, process: /\bgt_slices:process\/3\b/ },
  "disk full": { release: "27", works: /\bgt_erlang:/, process: /\bgt_slices:process\/3\b/ },
};

/** A VM without any program has some forty. */
const FEWEST_PROCESSES = 20;

/** @param {(facts: Facts) => RegExp[]} patterns @returns {Check} */
const has = (patterns) => (text, facts) => {
  for (const pattern of patterns(facts)) assert.match(text, pattern);
};
/** @param {...Check} checks @returns {Check} */
const both =
  (...checks) =>
  (text, facts) => {
    for (const check of checks) check(text, facts);
  };
/** @param {string | undefined} figure   `1,234.5` */
const number = (figure) => Number((figure ?? "").replaceAll(",", ""));
/** The groups of the pattern as numbers. @param {string} text @param {RegExp} pattern */
function figures(text, pattern) {
  const found = pattern.exec(text);
  assert.ok(found, `nothing is like ${pattern}: ${text}`);
  return found.slice(1).map(number);
}

/** Each scheduler is idle, searches for work, or has a stack. @type {Check} */
function eachHasItsStack(text) {
  const lines = text.split("\n");
  const heads = lines.flatMap((line, index) => (/^scheduler \d+ \(tid \d+\)/.test(line) ? [index] : []));
  assert.ok(heads.length > 0, text);
  for (const index of heads)
    assert.ok(/: idle$/.test(lines[index] ?? "") || /^ {4}\S/.test(lines[index + 1] ?? ""), `${lines[index]}: ${text}`);
}

/** Each counter has a figure, and a VM that works has reductions. @type {Check} */
function countsOfWork(text) {
  assert.match(text, /^reductions +[1-9]\d* +[\d.]+$/m);
  for (const name of ["collections", "context switches", "CPU time, ms", "page faults, minor"])
    assert.match(text, new RegExp(`^${name} +\\d+ +[\\d.]+$`, "m"));
  for (const name of ["memory, bytes", "resident, bytes"])
    assert.match(text, new RegExp(`^${name} +[\\d.]+ +[1-9]\\d* +[1-9]\\d*$`, "m"));
  assert.match(text, /^\d+ readings in [\d.]+ s$/m);
}

/** As many rows as it counts, those that each VM has and one of the program among them. @type {Check} */
function allProcesses(text, { process }) {
  const [shown = 0, all = 0] = figures(text, /^(\d+) of (\d+) processes$/m);
  const rows = text.split("\n").filter((line) => /^<\d+\.\d+\.\d+>/.test(line));
  assert.ok(all > FEWEST_PROCESSES, text);
  assert.deepEqual([rows.length, shown], [all, all], text);
  assert.equal(new Set(rows.map((row) => row.split(" ")[0])).size, all, `each once: ${text}`);
  for (const name of [/^<0\.0\.0> +init /, /^<0\.\d+\.0> +erl_prim_loader /, process])
    assert.ok(
      rows.some((row) => name.test(row)),
      `${name}: ${text}`,
    );
}

/** Of a process that rests: the words that are kept alive are at most those that live. @type {Check} */
function heapAtRest(text) {
  const [used = 0, live = 0, stack = 0] = figures(
    text,
    /^<0\.10\.0>: (\d+) words in use, (\d+) of them live \([\d.]+ %\), (\d+) words of stack, \d+ messages$/m,
  );
  assert.ok(stack > 0 && live > 0 && live <= used, text);
  const [, roots = ""] = text.split(/^.*kept alive by.*$/m);
  const [table = ""] = roots.split(/^$|^words +things /m);
  let sum = 0;
  for (const [, words] of table.matchAll(/^ *(\d+) +[\d.]+ {2}\S/gm)) sum += number(words);
  assert.ok(sum > 0 && sum <= live, `${sum} of ${live}: ${text}`);
  assert.match(text, /^[a-z]\w*:\w+\/\d+(?: |$)/m);
}

/** The parts add up to the sum, and blocks lie in carriers. @type {Check} */
function memoryAddsUp(text) {
  const [sum = 0, ...parts] = figures(
    text,
    /^the VM counts ([\d.]+) MB: heaps of processes ([\d.]+), binaries ([\d.]+), ETS (?:at least )?([\d.]+), code of the JIT ([\d.]+), literals ([\d.]+), all else \([^)]*\) ([\d.]+)$/m,
  );
  const all = parts.reduce((total, part) => total + part, 0);
  // Each is rounded to a hundredth.
  assert.ok(sum > 1 && Math.abs(all - sum) < 0.01 * (parts.length + 1), `${all} and ${sum}: ${text}`);
  for (const name of ["eheap_alloc", "binary_alloc", "ets_alloc"]) {
    const [carriers = 0, blocks = 0] = figures(
      text,
      new RegExp(`^${name} +([\\d.]+) +(?:[\\d.]+|\\?) +([\\d.]+) `, "m"),
    );
    assert.ok(blocks > 0 && blocks <= carriers, `${name}: ${text}`);
  }
}

/** Whose binaries there are, and no more of them than the VM has. @type {Check} */
function binariesOfProcesses(text) {
  const [ofVm = 0] = figures(text, /^([\d.]+) MB are binaries of this VM$/m);
  const [binaries = 0, bytes = 0, processes = 0] = figures(
    text,
    /^(?:at least )?(\d+) binaries outside of heaps, ([\d.]+) MB, held by (\d+) process/m,
  );
  assert.ok(binaries >= processes && bytes <= ofVm + 0.01, text);
  if (processes > 0) assert.match(text, /^<\d+\.\d+\.\d+> /m);
}

/** All processes are in one of the groups. @type {Check} */
function allWaits(text) {
  const [waiting = 0, all = 0, working = 0, unknown = 0] = figures(
    text,
    /^\d+ looks? in \d+ s; in the last one (\d+) of (\d+) processes waited, (\d+) were running, in C or ending, (\d+) are not known$/m,
  );
  assert.ok(all > FEWEST_PROCESSES && waiting > all / 2 && waiting + working + unknown <= all, text);
}

/** Growth is chance: it is named with figures, or the measures without growth are. @type {Check} */
export function growthHasFigures(text) {
  // Of a machine that was busy.
  if (/^\d+ snapshots? in \d+ s: fewer than \d+ cannot distinguish growth from chance/m.test(text)) return;
  figures(text, /^resident memory: ([\d.]+) MB at the first snapshot.*, ([\d.]+) MB at the last one/m);
  if (/^none of these grew steadily by 1 % or more in \d+ s \(\d+ snapshots\): .*\batoms\b/m.test(text)) return;
  const [, table = ""] = text.split(/^what +name .* a minute$/m);
  assert.match(table, /^\n[a-z][a-z ]+ {2,}\S.* +[\d.]+ +[\d.]+ +\+?[\d.]+\n/, text);
  assert.match(text, /^in \d+ s, \d+ snapshots; MB of memory/m);
}

/** A collection is in the samples or not; both are of all samples of the capture. @type {Check} */
export function collectionsOrNone(text) {
  assert.match(
    text,
    /^gc: [1-9]\d* samples?, [\d.]+ % of (?:busy|all), in \S|^extrospect: nothing called `gc` is in [1-9]\d* samples?; it did not run, /m,
  );
}

const doctorIsContent = both(
  has(() => [/^ok +attach +\S/m]),
  (text) => assert.doesNotMatch(text, /^FAIL/m),
);

/** The work of the process that works. @type {Check} */
const stacksOfWork = (text, { works }) =>
  assert.ok(
    text.split("\n").some((line) => works.test(line) && / [1-9]\d*$/.test(line)),
    `${works}: ${text}`,
  );

/** By command. @type {Record<string, Check>} */
export const AS_ALWAYS = {
  list: has(({ pid, release }) => [new RegExp(`^ *${pid} +(?:[\\d?-]+ +)*${release}(?:\\.[\\d.]+)? .* yes `, "m")]),
  doctor: doctorIsContent,
  pstack: eachHasItsStack,
  node: has(({ pid }) => [
    new RegExp(`^process ${pid}: .*, up for \\S`, "m"),
    /^reductions +[1-9]\d*$/m,
    /^memory, bytes +[1-9]\d*$/m,
    /^resident, bytes +[1-9]\d*$/m,
  ]),
  stat: countsOfWork,
  ps: allProcesses,
  heap: heapAtRest,
  memory: memoryAddsUp,
  binaries: binariesOfProcesses,
  nodes: has(({ pid }) => [new RegExp(`^process ${pid} is no node of a cluster$`, "m"), /^it knows no other node$/m]),
  "record -- COMMAND": has(() => [/VM \d+: quality: [1-9]\d* samples? of /]),
  top: has(({ works }) => [/^[1-9]\d* samples?, [1-9]\d* busy, /m, works]),
  blame: collectionsOrNone,
  export: stacksOfWork,
  "diff NORMAL -- CAPTURE": has(() => [/ against /, /^method: \S/m]),
  "diff --history": has(() => [/^whole program, \S/m, /\d\.\d\d … \d+\.\d\d\b/, /^method: runs differ by [\d.]+ %/m]),
  "record --detach": has(() => [/^\w+: recording for at most 60 s and \d+ MB, also when this terminal is closed$/m]),
  "detached stop": has(({ pid }) => [new RegExp(`^\\w+ +${pid} .* [1-9]\\d* +\\S+ +ended: stopped$`, "m")]),
  growth: growthHasFigures,
  waits: allWaits,
};

/** Of views of a saved capture: its samples, those of work among them. */
const SAMPLES = /\b[1-9][\d,]* samples?, [1-9][\d,]* busy\b/;

/** By view: the text that it shows. @type {Record<string, Check>} */
export const VIEWS_AS_ALWAYS = {
  Targets: has(({ pid, release }) => [new RegExp(`\\bOTP ${release}\\b`), new RegExp(`\\bpid ${pid}\\b`)]),
  "Check Permissions and Setup": both(
    has(() => [/^All requirements of sampling are met|^Sampling works; /m, /^ok +attach +\S/m]),
    (text) => assert.doesNotMatch(text, /checks fail\./),
  ),
  Stacks: has(() => [/\b[1-9]\d* threads?, \d+ idle\b/, /\bScheduler \d+\b|\bIdle\b/]),
  Processes: (text) => {
    const [all = 0] = figures(text, /\b([\d,]+) processes\b/);
    assert.ok(all > FEWEST_PROCESSES, text);
  },
  "Heap of a process": (text) => {
    const [live = 0, used = 0] = figures(text, /\b([\d,]+) of ([\d,]+) used words are live\b/);
    assert.ok(live > 0 && live <= used, text);
  },
  Memory: has(() => [/\ba snapshot takes [\d.]+ ms of CPU time\b/, /\b[\d,]+ of 1,048,576\b/]),
  Binaries: has(() => [/\b(?:1 binary|[\d,]+ binaries), .+, held by [\d,]+ process/]),
  "live capture": has(() => [/\b[1-9][\d,]* samples?\b/]),
  // Functions whose figures changed, or the sentence that none did.
  "Compare Captures": has(() => [/\bnormal\.pb\.gz → view\.pb\.gz/]),
  Captures: has(() => [/\b[1-9][\d,]* samples?\b/]),
  Summary: has(({ works }) => [SAMPLES, works]),
  // In sight are the hottest alone.
  "Hot Functions": has(() => [/\b100% is [1-9][\d,]* (?:busy )?samples?\b/, /\d\.\d%/]),
  Blame: has(() => [SAMPLES]),
  // Its frames are drawn, not written.
  "Flame Graph": has(() => [/\b[1-9][\d,]* samples?\b/]),
  "Where Processes Wait": (text) => {
    const [waiting = 0, all = 0] = figures(text, /\b([\d,]+) of ([\d,]+) processes waited at\b/);
    assert.ok(all > FEWEST_PROCESSES && waiting > all / 2 && waiting <= all, text);
  },
  "CPU and Waits": has(() => [/\bprocesses × time = [\d.,]+ s: /, /\bgt_\w+/]),
};

/**
 * Sentences above an output, or in a view, about what limits it: where one is, the answer is not as always. What a
 * hypervisor took, and how much others wanted the machine, is of no state of the VM.
 */
const HEADINGS = [
  /\buser code only\b/i,
  /\bthe VM did not run for (?:a time|at least [\d.,]+ s)\b|\bno samples: /i,
  /\bquota (?:of its control group )?(?:throttled|allows|limits)\b/i,
  /\b\d+ of \d+ (?:dirty CPU )?schedulers online\b/i,
  /\bmulti-scheduling (?:of normal schedulers )?is blocked\b/i,
  /\bcall tracing (?:is|was) on\b/i,
  /\bprocess tracing(?: is on|: none of)\b|\bfurther processes are traced is not known\b/i,
  /\black a part of their Erlang stack\b/,
  /\bmay run on \d+ of \d+ processors\b/i,
  /\bprograms below (?:the VM's )?ports used\b/i,
  /\bchildren of the VM below no port used\b/i,
  /\b(?:the|this) VM is ending\b/i,
  /\bnot known whether (?:this VM|process \d+) is halted\b|\bwhether it is halted is not known\b/i,
  /\bsampling ended early\b/i,
  /\bthe samples after .* are missing\b/,
];

/** That no sentence states a limit. The line of quality has all that is known, whatever it is. @param {string} text */
export function hasNoHeading(text) {
  for (const line of text.split("\n").filter((each) => !/\bquality: /.test(each)))
    for (const heading of HEADINGS) assert.doesNotMatch(line, heading, text);
}

/** `list` of a VM that has ended. @type {Check} */
export const notListed = (text, { pid }) => assert.doesNotMatch(text, new RegExp(`^ *${pid}\\b`, "m"));
