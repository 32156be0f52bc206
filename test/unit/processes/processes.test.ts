// The computations of the panel of processes, without an editor and without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memorySize, timeSpan } from "../../../contract/figures.js";
import type { ShownLine } from "../../../contract/messages/processes.js";
import { ErrorCodes } from "../../../contract/protocol.generated.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { insideProblem } from "../../../extension/src/inside/inside-problem.js";
import { listAsText } from "../../../extension/src/panels/processes/list-as-text.js";
import { checkedView, checkedWindow, FIRST_VIEW } from "../../../extension/src/panels/processes/process-view.js";
import { shownHeap, shownLine } from "../../../extension/src/panels/processes/shown-processes.js";
import { LoadedLines, windowAround } from "../../../webviews/processes/loaded-lines.js";
import { MOST_LOOKS, ValueHistory } from "../../../webviews/processes/value-history.js";
import { pathOf } from "../../../webviews/elements/sparkline-path.js";

function lineOf(key: string, more: Partial<ShownLine> = {}): ShownLine {
  return {
    key,
    level: 1,
    position: 1,
    siblings: 1,
    open: null,
    group: null,
    count: 1,
    mailbox: 2,
    mailboxAtLeast: false,
    memory: 2648,
    memoryAtLeast: false,
    messageBytes: 0,
    heapWords: 233,
    heapUsedWords: 50,
    binaryBytes: null,
    reductionsPerSecond: null,
    collectionsPerSecond: null,
    alarming: false,
    supervisor: null,
    application: null,
    inC: null,
    process: {
      pid: key,
      name: "",
      label: "",
      labelKnown: true,
      initialCall: "a:b/0",
      current: "a:c/1",
      place: "a.erl:3",
      status: "waiting",
      priority: "normal",
      reductions: 1,
      minorGcs: 0,
      parent: "",
    },
    ...more,
  };
}

test("sizes of memory have three digits, and none looks like a thousand of its unit", () => {
  const sizes = [0, 912, 999, 1000, 1234, 12_345, 123_456, 999_400, 999_499, 999_600, 1_000_000, 4.56e9, 7e13];
  assert.deepEqual(
    sizes.map((bytes) => memorySize(bytes, "en")),
    [
      "0 B",
      "912 B",
      "999 B",
      "1.00 kB",
      "1.23 kB",
      "12.3 kB",
      "123 kB",
      "999 kB",
      "999 kB",
      "1.00 MB",
      "1.00 MB",
      "4.56 GB",
      "70.0 TB",
    ],
  );
});

test("durations are shown in the two largest units, in the reader's language", () => {
  const spans = [0, 0.9, -5, 45, 60, 80, 3600, 3601, 7_320, 86_399, 86_400, 446_523, 86_400 * 400 + 59];
  assert.deepEqual(
    spans.map((seconds) => timeSpan(seconds, "en")),
    [
      "0 seconds",
      "0 seconds",
      "0 seconds",
      "45 seconds",
      "1 minute",
      "1 minute, 20 seconds",
      "1 hour",
      "1 hour",
      "2 hours, 2 minutes",
      "23 hours, 59 minutes",
      "1 day",
      "5 days, 4 hours",
      "400 days",
    ],
  );
  assert.deepEqual([timeSpan(446_523, "de"), timeSpan(3661, "de")], ["5 Tage, 4 Stunden", "1 Stunde, 1 Minute"]);
});

test("a view of a page is taken as far as it makes sense", () => {
  assert.deepEqual(checkedView(undefined), FIRST_VIEW);
  assert.deepEqual(
    checkedView({ sort: "garbage", grouping: 7, open: "x", filter: {}, descending: "yes", onlyAlarming: 1 }),
    FIRST_VIEW,
  );
  const view = checkedView({
    ...FIRST_VIEW,
    sort: "mailbox",
    filter: "x".repeat(1e5),
    open: Array.from({ length: 5000 }, (_, index) => String(index)),
  });
  assert.deepEqual([view.sort, view.filter.length, view.open.length, view.open.at(-1)], ["mailbox", 200, 1000, "4999"]);
  assert.deepEqual(checkedWindow({ first: -5, limit: 1e9 }), { first: 0, limit: 1000 });
  assert.deepEqual(checkedWindow({ first: Number.NaN, limit: 0 }), { first: 0, limit: 1 });
});

test("the list as text: one line each, no formula, names quoted", () => {
  const lines = [
    lineOf("group:x", { group: '=SUM("1"),2', process: null, count: 3 }),
    lineOf("<0.1.0>", { supervisor: "@sup" }),
  ];
  const [head = "", group = "", process = ""] = listAsText(lines, "csv").trimEnd().split("\n");
  assert.equal(head.split(",").length, process.split(",").length);
  assert.ok(group.startsWith(`1,"'=SUM(""1""),2",3,,`), group);
  assert.ok(process.includes(",'@sup,"), process);
  const [first, second] = JSON.parse(listAsText(lines, "json")) as Record<string, unknown>[];
  assert.deepEqual(
    [
      first?.["processes"],
      first?.["pid"],
      second?.["pid"],
      second?.["initial_call"],
      second?.["name"],
      second?.["memory"],
    ],
    [3, null, "<0.1.0>", "a:b/0", null, 2648],
  );
  assert.equal(listAsText([], "text"), "");
});

test("names of a VM are cut and made visible; roots of one name are one", () => {
  const hostile = `\u202e${"x".repeat(1e5)}`;
  const shown = shownLine({
    ...lineOf("<0.1.0>"),
    group: hostile,
    inC: { function: hostile, threadId: 17, threadName: hostile, seconds: 2.5 },
    process: {
      pid: hostile,
      name: hostile,
      label: null,
      labelKnown: false,
      initialCall: null,
      current: null,
      file: null,
      line: null,
      status: hostile,
      priority: "",
      mailbox: 0,
      mailboxAtLeast: false,
      memory: 0,
      memoryAtLeast: false,
      messageBytes: 0,
      heapWords: 0,
      heapUsedWords: 0,
      reductions: 0,
      minorGcs: 0,
      binaryBytes: null,
      parent: null,
    },
  });
  assert.equal(shown.inC?.seconds, 2.5);
  assert.ok(shown.inC.thread.startsWith("17 (\\u{202e}") && shown.inC.thread.length < 230);
  for (const text of [shown.group, shown.inC.function, shown.process?.pid, shown.process?.name, shown.process?.status])
    assert.ok((text ?? "").length <= 210 && (text ?? "").startsWith("\\u{202e}"), text ?? "");
  const key = (words: number) => ({ root: "dictionary key {…}", words, parts: [{ part: "element 1", words: 1 }] });
  const heap = shownHeap({
    pid: "<0.1.0>",
    usedWords: 30,
    liveWords: 20,
    liveWordsAtLeast: false,
    stackWords: 1,
    mailbox: 0,
    messages: { shapes: [{ shape: "\u202ework", count: 2 }], first: [], last: [], offHeap: 0, onHeap: 2, unread: 0 },
    dictionary: ["\u202ekey"],
    links: null,
    linksCount: null,
    monitors: ["<0.2.0>"],
    monitorsCount: 5000,
    roots: [{ root: "mailbox", words: 8, parts: [] }, key(7), key(5)],
    rootsLeftOutWords: 0,
    kinds: [],
    stack: Array.from({ length: 400 }, (_, index) => ({
      function: `a:f${String(index)}/0`,
      file: null,
      line: null,
      times: 10,
    })),
    stackFrames: 5000,
    stackFramesLeftOut: 1000,
  });
  assert.deepEqual(
    [heap.stack.length, heap.framesLeftOutAt, heap.framesLeftOut],
    [300, 150, 2000],
    "both ends of a stack, and how many frames are between them",
  );
  assert.deepEqual(
    [heap.stack[149]?.function, heap.stack[150]?.function, heap.stack[150]?.times],
    ["a:f149/0", "a:f250/0", 10],
  );
  assert.deepEqual([heap.monitors?.length, heap.monitorsCount], [1, 5000]);
  assert.deepEqual(
    [heap.messages.shapes[0]?.shape, heap.dictionary[0], heap.links],
    ["\\u{202e}work", "\\u{202e}key", null],
  );
  assert.deepEqual(heap.roots, [
    { root: "dictionary key {…}", count: 2, words: 12, parts: [] },
    { root: "mailbox", count: 1, words: 8, parts: [] },
  ]);
});

test("what a problem is, and which command mends it", () => {
  const refusal = (code: number, command?: string) => new HelperError("refused", "what", "why", "fix", code, command);
  assert.equal(insideProblem(refusal(ErrorCodes.targetGone), undefined).kind, "vmEnded");
  assert.equal(insideProblem(refusal(ErrorCodes.noSuchTarget), undefined).kind, "vmEnded");
  assert.deepEqual(insideProblem(refusal(ErrorCodes.notPermitted, "sudo x"), "sudo y"), {
    kind: "notPermitted",
    what: "what",
    why: "why",
    fix: "fix",
    command: "sudo x",
  });
  assert.equal(insideProblem(refusal(ErrorCodes.notPermitted), "sudo y").command, "sudo y");
  assert.equal(insideProblem(new HelperError("ended", "it ended", "", ""), undefined).kind, "helperGone");
  assert.deepEqual(insideProblem(new TypeError("a mistake"), "sudo y"), {
    kind: "other",
    what: "a mistake",
    why: "",
    fix: "",
    command: "",
  });
});

test("lines that are here and those that are not: windows, places, what was selected before it was here", () => {
  const lines = new LoadedLines({ lines: [lineOf("<0.5.0>"), lineOf("<0.6.0>")], first: 100, length: 5000 });
  assert.deepEqual(
    [lines.indexOf("<0.6.0>"), lines.indexOf("<0.7.0>"), lines.indexOf("#4999"), lines.indexOf("#5000")],
    [101, -1, 4999, -1],
  );
  assert.deepEqual([lines.at(101)?.key, lines.at(102), lines.row(102).key], ["<0.6.0>", undefined, "#102"]);
  assert.deepEqual(
    [lines.resolved("#100"), lines.resolved("#7"), lines.resolved("<0.5.0>")],
    ["<0.5.0>", "#7", "<0.5.0>"],
  );
  assert.deepEqual([lines.covers(100, 102), lines.covers(99, 102), lines.covers(100, 103)], [true, false, false]);
  assert.equal(
    new LoadedLines({ lines: [lineOf("<0.5.0>")], first: 0, length: 1 }).covers(0, 40),
    true,
    "beyond the end there is nothing",
  );
  assert.deepEqual(
    [windowAround(0, 30), windowAround(500, 530)],
    [
      { first: 0, limit: 90 },
      { first: 440, limit: 150 },
    ],
  );
});

test("trends are bounded, of each look once, and have gaps where a line was not in sight", () => {
  const history = new ValueHistory();
  for (let look = 1; look <= 100; look++) if (look !== 98) history.add(look, [lineOf("<0.1.0>", { mailbox: look })]);
  history.add(100, [lineOf("<0.1.0>", { mailbox: 7 })]);
  const seen = history.of("<0.1.0>", "mailbox");
  assert.deepEqual([seen.length, seen.at(0), seen.at(-1)], [MOST_LOOKS - 1, [41, 41], [100, 100]]);
  assert.deepEqual(history.of("<0.1.0>", "reductions"), [], "not known is no value");
  history.add(
    101,
    Array.from({ length: 1000 }, (_, index) => lineOf(`<0.${String(index + 2)}.0>`)),
  );
  assert.deepEqual(history.of("<0.1.0>", "mailbox"), [], "those that were seen last are kept");
  const path = pathOf([[1, 0], [2, 4], [4, 4]], 4, 4); // prettier-ignore
  assert.match(path, /^M1\.5 14\.5L[\d.]+ 1\.5M54\.5 1\.5h0$/);
  assert.equal(pathOf([], 4, 4), "");
});
