// Tables that are copied for spreadsheets: each figure stands below its own name.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemoryShown } from "../../../contract/messages/memory.js";
import type { BinariesResult } from "../../../contract/protocol.generated.js";
import { binariesCsv } from "../../../extension/src/panels/memory/binaries-csv.js";
import { csvOf } from "../../../extension/src/panels/memory/memory-csv.js";
import { functionsAsCsv, processesAsCsv } from "../../../extension/src/panels/time-spent/spent-csv.js";

/** The first row by the names of the columns. */
function firstRow(text: string): Record<string, string> {
  const [names = "", values = ""] = text.split("\r\n");
  assert.equal(names.split(",").length, values.split(",").length, text);
  return Object.fromEntries(names.split(",").map((name, index) => [name, values.split(",")[index] ?? ""]));
}

/** What the names of the columns say: every figure is another one. */
const asTexts = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));

test("binaries", () => {
  const holder = {
    pid: "<0.7.0>",
    name: "cart",
    references: 1,
    binaries: 2,
    bytes: 3,
    own_bytes: 4,
    looked_into: true,
  };
  const listed = {
    id: "0xa",
    bytes: 1,
    refc: 2,
    references: 3,
    other_references: 4,
    appended: false,
    holders_left_out: 5,
  };
  const kept = { id: "0xb", bytes: 1, used_bytes: 2, refc: 3, references: 4, live_references: 5, holders_left_out: 6 };
  const by = {
    by: "process",
    pid: "<0.8.0>",
    name: "db",
    ended: false,
    library: "nif.so",
    allocator: "b",
    blocks: 1,
    bytes: 2,
  };
  const holders = [
    { pid: "<0.7.0>", name: "cart" },
    { pid: "<0.9.0>", name: null },
  ];
  const result = {
    processes: [holder],
    binaries: [{ ...listed, holders }],
    kept: [{ ...kept, holders }],
    allocated: { by: [by] },
  } as unknown as BinariesResult;
  const named = "<0.7.0> cart; <0.9.0>";
  assert.deepEqual(firstRow(binariesCsv("binaryHolders", result)), asTexts(holder));
  assert.deepEqual(firstRow(binariesCsv("binaryList", result)), asTexts({ ...listed, holders: named }));
  assert.deepEqual(firstRow(binariesCsv("binariesKept", result)), asTexts({ ...kept, holders: named }));
  assert.deepEqual(firstRow(binariesCsv("binariesAllocated", result)), asTexts(by));
});

test("allocators, carriers, code and the trend", () => {
  const allocator = {
    name: "eheap_alloc",
    carriers_bytes: 1,
    resident_bytes: 2,
    blocks_bytes: 3,
    largest_free_bytes: 4,
    fragmentation: 0.5,
    carriers: 6,
    pooled_carriers: 7,
    one_block_carriers_bytes: 8,
  };
  const code = { module: "shop", bytes: 1, literal_bytes: 2 };
  const shown = {
    memory: { allocators: [{ ...allocator, name: "other" }, allocator], code: [code] },
    carriers: [{ allocator: 1, page: 0x7f00, bytes: 1, usedBytes: 2, largestFreeBytes: 3, oneBlock: true }],
    trend: [{ atUnixMs: 1000, rss: 1, carriers: 2, blocks: 3, binary: 4, ets: 5, heaps: 6, outside: null }],
    growth: [],
  } as unknown as MemoryShown;
  assert.deepEqual(firstRow(csvOf("allocators", shown)), asTexts({ ...allocator, name: "other" }));
  assert.deepEqual(firstRow(csvOf("carriers", shown)), {
    allocator: "eheap_alloc",
    address: "0x7f00000",
    bytes: "1",
    used_bytes: "2",
    largest_free_bytes: "3",
    one_block: "true",
  });
  assert.deepEqual(firstRow(csvOf("code", shown)), asTexts(code));
  assert.deepEqual(firstRow(csvOf("trend", shown)), {
    time: "1970-01-01T00:00:01.000Z",
    rss_bytes: "1",
    carriers_bytes: "2",
    blocks_bytes: "3",
    binary_bytes: "4",
    ets_bytes: "5",
    process_heaps_bytes: "6",
    outside_allocators_bytes: "",
  });
});

test("processor time and waits are seconds to a thousandth, and empty where no snapshot has them", () => {
  const process = { key: "k", name: "cart", cpu: 1.23456, waiting: 2, ready: null, running: 4, present: 5 };
  assert.deepEqual(firstRow(processesAsCsv([process])), {
    name: "cart",
    cpu_s: "1.235",
    waiting_s: "2",
    ready_s: "",
    running_s: "4",
    present_s: "5",
  });
  const fn = {
    name: "f",
    kind: "erlang",
    place: "a.erl:1",
    cpuSelf: 1,
    cpuTotal: 2,
    readySelf: 3,
    readyTotal: 4,
  } as const;
  assert.deepEqual(firstRow(functionsAsCsv([{ ...fn, waitingSelf: 5, waitingTotal: 6.0004 }])), {
    name: "f",
    place: "a.erl:1",
    cpu_self_s: "1",
    cpu_total_s: "2",
    ready_self_s: "3",
    ready_total_s: "4",
    waiting_self_s: "5",
    waiting_total_s: "6",
  });
});
