// The garbage of a group of processes: the heaps that are read for it, and its share in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ErrorCodes,
  type HeapResult,
  type InsideProcessesParams,
  type InsideProcessesResult,
  type ProcessLine,
  type ProcessQuery,
} from "../../../contract/protocol.generated.js";
import { Cancelled, HelperError } from "../../../extension/src/helper/helper-error.js";
import { Cancelling } from "../../../extension/src/inside/cancelling.js";
import { groupHeaps } from "../../../extension/src/panels/processes/group-heaps.js";
import { garbageOfGroup } from "../../../webviews/processes/garbage-figure.js";

const QUERY: ProcessQuery = {
  sort: "memory",
  descending: false,
  filter: "cart",
  grouping: "name",
  open: ["group:other"],
  alarms: { mailbox: null, memory: null },
  onlyAlarming: false,
};
const NEVER = new Cancelling().token;

const line = (key: string, level: number, more: object = {}) => ({ key, level, count: 1, process: null, ...more });
const member = (index: number, status = "waiting") =>
  line(`<0.${String(index)}.0>`, 2, { heapUsedWords: 1000 - index, process: { status } });

/** The lines of the helper's list, with the group `cart` open. */
function vmOf(members: readonly object[], heapOf: (pid: string) => Partial<HeapResult> | Error) {
  const lines = [
    line("group:large", 1, { count: 7 }),
    line("group:cart", 1, { count: members.length }),
    ...members,
    line("group:small", 1),
    line("<0.999.0>", 2, { process: { status: "waiting" } }),
  ];
  const [asked, read] = [[] as Partial<InsideProcessesParams>[], [] as string[]];
  const vm: Parameters<typeof groupHeaps>[0] = {
    processes: (wanted) => {
      asked.push(wanted);
      const { first, limit } = wanted;
      return Promise.resolve({ lines: lines.slice(first, first + limit) as ProcessLine[] } as InsideProcessesResult);
    },
    heap: (pid) => {
      read.push(pid);
      const answer = heapOf(pid);
      return answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve({ usedWords: 100, liveWords: 25, liveWordsAtLeast: false, ...answer } as HeapResult);
    },
  };
  return { vm, asked, read };
}

test("heaps are read from the largest to the smallest, of processes at rest and of that group alone", async () => {
  const members = Array.from({ length: 41 }, (_, index) => member(index, index === 0 ? "running" : "waiting"));
  const { vm, asked, read } = vmOf(members, () => ({}));
  const heaps = await groupHeaps(vm, "group:cart", QUERY, NEVER);
  assert.deepEqual(read, ["<0.1.0>", "<0.10.0>", "<0.20.0>", "<0.30.0>", "<0.40.0>"]);
  assert.deepEqual(heaps, { processes: 5, of: 41, usedWords: 500, liveWords: 125, liveWordsAtLeast: false });
  for (const { query, look } of asked) {
    assert.deepEqual([query?.sort, query?.descending, query?.open], ["heapUsed", true, ["group:cart"]]);
    assert.deepEqual([query?.filter, query?.grouping, look], ["cart", "name", false]);
  }
});

test("a small group is read as a whole, each process once; one that ended or works is left out", async () => {
  const gone = new HelperError("refused", "there is no process <0.1.0>", "", "", ErrorCodes.failed);
  const { vm, read } = vmOf([member(0), member(1), member(2)], (pid) =>
    pid === "<0.1.0>" ? gone : { liveWordsAtLeast: pid === "<0.2.0>" },
  );
  const heaps = await groupHeaps(vm, "group:cart", QUERY, NEVER);
  assert.deepEqual(read, ["<0.0.0>", "<0.1.0>", "<0.2.0>"]);
  assert.deepEqual(heaps, { processes: 2, of: 3, usedWords: 200, liveWords: 50, liveWordsAtLeast: true });
  const working = vmOf([member(0, "running")], () => ({}));
  assert.equal((await groupHeaps(working.vm, "group:cart", QUERY, NEVER)).processes, 0);
  assert.equal((await groupHeaps(working.vm, "group:gone", QUERY, NEVER)).of, 0);
  assert.deepEqual(working.read, []);
});

test("a process at rest that is beside two of the wanted ones is read once", async () => {
  const { vm, read } = vmOf([member(0, "running"), member(1, "running"), member(2)], () => ({}));
  assert.equal((await groupHeaps(vm, "group:cart", QUERY, NEVER)).processes, 1);
  assert.deepEqual(read, ["<0.2.0>"]);
});

test("a heap with which too much would be read is left out, smaller ones are read", async () => {
  const sized = (index: number, heapUsedWords: number) =>
    line(`<0.${String(index)}.0>`, 2, { heapUsedWords, process: { status: "waiting" } });
  const { vm, read } = vmOf([sized(0, 40e6), sized(1, 24e6 + 1), sized(2, 24e6)], (pid) => ({
    usedWords: pid === "<0.0.0>" ? 40e6 : 24e6,
    liveWords: 1,
  }));
  const heaps = await groupHeaps(vm, "group:cart", QUERY, NEVER);
  assert.deepEqual(read, ["<0.0.0>", "<0.2.0>"]);
  assert.deepEqual([heaps.processes, heaps.of, heaps.usedWords], [2, 3, 64e6]);
});

test("the end of the VM, and giving it up, end the reading", async () => {
  const ended = new HelperError("refused", "process 4242 has ended", "", "", ErrorCodes.targetGone);
  for (const error of [ended, new Cancelled(), new HelperError("ended", "it crashed", "", "")]) {
    const { vm, read } = vmOf([member(0), member(1)], () => error);
    await assert.rejects(groupHeaps(vm, "group:cart", QUERY, NEVER), (thrown) => thrown === error);
    assert.equal(read.length, 1);
  }
});

test("an estimate is marked, and without a heap that was read nothing is known", () => {
  const of = (more: object) =>
    garbageOfGroup(
      { processes: 5, of: 41, usedWords: 500, liveWords: 125, liveWordsAtLeast: false, ...more },
      1_700_000_000_000,
    );
  assert.equal(of({}).text, "~75%");
  assert.match(of({}).title, /^From the heaps of 5 of 41 processes, read at \S+( [AP]M)?$/);
  assert.equal(of({ of: 5 }).text, "75%");
  assert.equal(of({ liveWords: 500 }).text, "~0%", "known to be none");
  assert.match(of({ liveWordsAtLeast: true }).title, /At most: not all of their messages were followed$/);
  for (const more of [{ processes: 0 }, { usedWords: 0 }])
    assert.deepEqual(of(more), {
      text: "?",
      title: "None of its heaps could be read: its processes work, or have ended",
    });
});
