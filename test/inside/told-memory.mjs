// Allocators, their free memory, ETS tables and loaded code, compared with the VM's own report of gt_memory.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { runHelper } from "../e2e/helper.mjs";

/**
 * The most that the VM's answer itself takes: a heap fragment, and a short-lived block for each scheduler that is
 * queried.
 */
const FRAGMENT_BYTES = 8192;
const TAKEN_BY_ASKING = ["eheap_alloc", "sl_alloc"];
/**
 * The text of an answer is a binary, which the process that prints it keeps until it collects its garbage: it may be there
 * between, and neither before nor after.
 * @param {any} reported
 */
const printedBytes = (reported) => Buffer.byteLength(JSON.stringify(reported)) + BINARY_HEADER_BYTES;
/** Of a binary and its block, at most; and the difference between two answers in digits. */
const BINARY_HEADER_BYTES = 256;
/** More of them than processors, so that allocators have many instances and tables of many writers few counters. */
const MANY_SCHEDULERS = ["+S", "16:12"];
/**
 * The VM's table of names, which it counts as ETS: `+e` sets the least number of them, a bucket of 16 or 32 bytes each.
 */
const MANY_NAMES = ["+e", "1000000"];
const NAMES_BYTES = { 23: 8192 * 16, 25: 2 ** 20 * 16, 27: 8192 * 16, 29: 2 ** 20 * 32 };
/** Of each release, whether its VM has a long one. @param {import("../vms/otp.mjs").OtpRelease} release */
export const emulatorFlags = (release) => [
  ...(release === "29" ? MANY_SCHEDULERS : []),
  ...(NAMES_BYTES[release] > 2 ** 20 ? MANY_NAMES : []),
];
/** gt_memory keeps one of ten binaries of 4 to 6 KB, 20,000 in all. */
const KEPT_BINARIES_BYTES = 2_000 * 4_000;

/** @param {any} row */
const byNameAndOwner = (row) => JSON.stringify([row.name, row.owner, row.type, row.items, row.bytes]);
/** @param {any[]} rows   the VM reports words, so the bytes beyond whole words are left out */
const sorted = (rows) =>
  rows
    .map((row) => ({ ...row, bytes: row.bytes - (row.bytes % 8) }))
    .toSorted((a, b) => (byNameAndOwner(a) < byNameAndOwner(b) ? -1 : 1));

/**
 * Sums that the VM reports twice in the same way are the sums at the time between. Sums that differ in its own reports
 * moved, as eheap_alloc does while it answers. Two other things may differ: the memory that answering took both times,
 * which is not there between; and the text of the first answer, which may be.
 * @param {any} shown @param {any} reported
 */
function assertAllocators(shown, reported) {
  assert.deepEqual(
    shown.allocators.map((/** @type {any} */ row) => row.name).toSorted(),
    Object.keys(reported.after).toSorted(),
  );
  let compared = 0;
  for (const row of shown.allocators) {
    for (const [part, seen] of [row.carriers_bytes, row.blocks_bytes].entries()) {
      const [before, after] = [reported.before[row.name][part], reported.after[row.name][part]];
      if (before !== after) continue;
      compared++;
      const isOfAnswer = TAKEN_BY_ASKING.includes(row.name) && part === 1;
      const isWithText = row.name === "binary_alloc" && part === 1 && seen > after;
      assert.ok(
        seen === after ||
          (isOfAnswer && Math.abs(seen - after) <= FRAGMENT_BYTES) ||
          (isWithText && seen - after <= printedBytes(reported)),
        `${row.name} ${part ? "blocks" : "carriers"}: ${seen}, the VM reports ${after}`,
      );
    }
    assert.ok(row.resident_bytes <= row.carriers_bytes, `${row.name}: more in memory than there is`);
    assert.ok(row.largest_free_bytes <= row.carriers_bytes - row.blocks_bytes);
    const free = row.carriers_bytes - row.blocks_bytes;
    // The last digit may be lost on the way.
    assert.ok(Math.abs(row.fragmentation - (free === 0 ? 0 : (free - row.largest_free_bytes) / free)) < 1e-9);
  }
  assert.ok(compared >= 14, `only ${compared} of ${2 * shown.allocators.length} sums stood still`);
}

/** @param {any} shown @param {any} reported @param {import("../vms/otp.mjs").OtpRelease} release */
function assertSplit(shown, reported, release) {
  const { memory } = shown;
  if (reported.before.binary_alloc[1] === reported.after.binary_alloc[1])
    assert.ok(
      Math.abs(memory.binary - reported.memory.binary) <= FRAGMENT_BYTES + printedBytes(reported),
      `binaries ${memory.binary}, the VM reports ${reported.memory.binary}`,
    );
  assert.deepEqual(
    [memory.ets, memory.ets_names],
    [reported.memory.ets, NAMES_BYTES[release]],
    "ETS tables with the table of their names",
  );
  assert.ok(memory.process_heaps <= reported.memory.processes + FRAGMENT_BYTES);
  assert.ok(
    Math.abs(memory.total - reported.memory.total) < 300_000,
    `total ${memory.total}, the VM reports ${reported.memory.total}`,
  );
}

/**
 * The newest generation of each module is as long as the VM reports, which counts its literals, too. In an interpreter
 * it is unknown which of two is newer.
 * @param {any} shown @param {any} reported @param {boolean} isInterpreted
 */
function assertCode(shown, reported, isInterpreted) {
  const names = shown.code.map((/** @type {any} */ row) => row.module);
  assert.equal(new Set(names).size, names.length, "none twice");
  const known = new Map(Object.entries(reported.code));
  if (isInterpreted) assert.ok(known.delete("gt_deep"));
  assert.deepEqual(
    Object.fromEntries(shown.code.map((/** @type {any} */ row) => [row.module, row.bytes + row.literal_bytes])),
    Object.fromEntries(known),
  );
  assert.equal(shown.code_left_out, isInterpreted ? 1 : 0);
  const { literal_alloc: literals } = reported.after;
  if (reported.before.literal_alloc[1] === literals[1]) assert.equal(shown.memory.literals, literals[1]);
}

/** @param {any} shown @param {number} pid */
function assertResident(shown, pid) {
  const vmRss = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
  assert.ok(Math.abs(shown.rss_bytes - vmRss) < 0.1 * vmRss, `RSS ${shown.rss_bytes}, the kernel has ${vmRss}`);
  const carriers = shown.allocators.reduce(
    (/** @type {number} */ sum, /** @type {any} */ row) => sum + row.resident_bytes,
    0,
  );
  const { anonymous_bytes: anonymous, lazily_freed_bytes: lazy, unexplained_bytes: unexplained } = shown.resident;
  assert.equal(unexplained, anonymous + lazy - carriers);
  assert.ok(unexplained >= 0 && anonymous + lazy <= shown.rss_bytes);
  assertElsewhere(shown.resident, pid);
}

/** Mappings, with their bytes in memory. @param {number} pid */
function mappingsOf(pid) {
  return readFileSync(`/proc/${pid}/smaps`, "utf8")
    .split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/)
    .map((text) => {
      const [, start = "", end = "", path = ""] = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ *(.*)/.exec(text) ?? [];
      const bytes = (/** @type {string} */ name) =>
        Number(new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(text)?.[1]) * 1024;
      return {
        start: Number(`0x${start}`),
        end: Number(`0x${end}`),
        path,
        rss: bytes("Rss"),
        anonymous: bytes("Anonymous"),
      };
    });
}

/** Where the stacks of waiting threads are: the kernel gives their stack pointers. @param {number} pid */
function stackPointers(pid) {
  const lines = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/syscall`, "utf8").trim(),
  );
  return {
    threads: lines.length,
    pointers: lines.filter((line) => line !== "running").map((line) => Number(line.split(" ").at(-2))),
  };
}

/** Memory in no carrier, compared with the kernel's own sums by mapping. @param {any} resident @param {number} pid */
function assertElsewhere(resident, pid) {
  const {
    thread_stacks_bytes: stacks,
    malloc_bytes: malloc,
    jit_code_bytes: code,
    unexplained_bytes: unexplained,
  } = resident;
  const mappings = mappingsOf(pid);
  const { threads, pointers } = stackPointers(pid);
  const holding = new Set(
    pointers.map((pointer) => mappings.find(({ start, end }) => start <= pointer && pointer < end)),
  );
  if (stacks === null) {
    // Linux before 6.15 does not show the guards that newer C libraries make, and stacks lie in one mapping.
    assert.ok(holding.size < pointers.length, "each thread has a stack of its own");
  } else {
    const most = mappings
      .filter(({ path }) => path === "" || path === "[stack]")
      .reduce((sum, { anonymous }) => sum + anonymous, 0);
    assert.ok(
      stacks >= 4096 * threads && stacks <= most,
      `stacks of ${threads} threads: ${stacks}, in mappings with ${most}`,
    );
  }
  const isBreak = mappings.find(({ path }) => path === "[heap]");
  assert.ok(malloc > 0 && isBreak !== undefined);
  assert.ok((stacks ?? 0) + malloc <= unexplained, `${stacks} and ${malloc} are part of ${unexplained}`);
  const shared = mappings.filter(({ path }) => path.startsWith("/memfd:vmem")).reduce((sum, { rss }) => sum + rss, 0);
  assert.equal(code, shared === 0 ? null : shared);
}

/**
 * Without a symbol for the table of allocators, the helper finds the table by its shape: at the same place.
 * @param {number} pid @param {string} release
 */
async function assertFoundByLook(pid, release) {
  const { stdout } = await runHelper(["dump", pid, "--what", "anchors"]);
  const { by_symbol: bySymbol, by_scan: byScan } = JSON.parse(stdout.split("\n")[1] ?? "");
  assert.equal(byScan.length, 1);
  // OTP 29 hides it.
  assert.equal(bySymbol, release === "29" ? null : byScan[0]);
}

/**
 * @param {any} shown   what the command printed @param {any} reported   by the VM: allocators before and after, and the rest
 * @param {import("../vms/otp.mjs").OtpRelease} release @param {number} pid
 */
export function assertMemory(shown, reported, release, pid) {
  assertAllocators(shown, reported);
  assert.ok(reported.tables.length >= 60);
  assert.deepEqual(sorted(shown.ets), sorted(reported.tables));
  assertSplit(shown, reported, release);
  assertResident(shown, pid);
  assertCode(shown, reported, release === "23");
  assert.deepEqual([shown.rejected, shown.ets_left_out], [{ allocators: 0, carriers: 0, tables: 0 }, 0]);
  // Nine of ten binaries are gone, and their carriers are not.
  const binaries = shown.allocators.find((/** @type {any} */ row) => row.name === "binary_alloc");
  assert.ok(binaries.blocks_bytes >= KEPT_BINARIES_BYTES);
  const { allocator, lost_bytes: lost, flag } = shown.advice;
  assert.deepEqual(
    [allocator, flag, lost],
    ["binary_alloc", "+MBlmbcs 512", binaries.resident_bytes - binaries.blocks_bytes],
  );
  assert.ok(
    binaries.carriers_bytes > 5 * binaries.blocks_bytes && binaries.fragmentation > 0.8,
    JSON.stringify(binaries),
  );
}

/** @param {number} pid @param {string} release */
export async function assertText(pid, release) {
  await assertFoundByLook(pid, release);
  const { stdout } = await runHelper(["memory", pid]);
  for (const wanted of [
    /^binary_alloc +\d/m,
    /^gt_memory_56 /m,
    /^in memory/m,
    /^binary_alloc is fragmented: .*\n.*\+MBlmbcs 512/m,
  ])
    assert.match(stdout, wanted);
}
