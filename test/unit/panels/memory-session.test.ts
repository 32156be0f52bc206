// The panel of memory goes from one VM to another one: nothing of the first remains.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToWebview } from "../../../contract/messages/memory.js";
import type { BinariesResult, EtsTableMemory, InsideMemoryResult } from "../../../contract/protocol.generated.js";
import type { Cancellation } from "../../../extension/src/helper/helper-connection.js";
import { Cancelled } from "../../../extension/src/helper/helper-error.js";
import { MemorySession, type MemorySource } from "../../../extension/src/panels/memory/memory-session.js";

const BINARIES = { processes: [], binaries: [], kept: [], allocated: { by: [] } } as unknown as BinariesResult;

/** A VM with one table, which grows with each look. */
class Vm {
  looks = 0;
  isClosed = false;
  /** Binaries are read until the test lets them be, or they are given up. */
  readonly reads: { readonly token: Cancellation | undefined; readonly answer: () => void }[] = [];
  held: Promise<void> | undefined;

  constructor(readonly pid: number) {}

  async memory(): Promise<InsideMemoryResult> {
    this.looks++;
    await this.held;
    const table = { name: "cart", owner: "<0.9.0>", type: "set", protection: "public", items: 1 } as EtsTableMemory;
    const memory = {
      allocators: [],
      rss_bytes: this.pid,
      resident: null,
      memory: { binary: 0, ets: 0, process_heaps: 0 },
      ets: [{ ...table, bytes: this.pid * 1000 + this.looks * 10 }],
      ets_left_out: 0,
      rejected: { allocators: 0, carriers: 0, tables: 0 },
      advice: null,
      code: null,
      native_libraries: [],
    };
    return { memory, carriers: [], carriersLeftOut: 0, look: { nextMs: 5000 } } as unknown as InsideMemoryResult;
  }

  node() {
    return Promise.resolve({} as Awaited<ReturnType<MemorySource["node"]>>);
  }

  binaries(_wanted: unknown, token?: Cancellation): Promise<BinariesResult> {
    return new Promise((resolve, reject) => {
      token?.onCancellationRequested(() => {
        reject(new Cancelled());
      });
      this.reads.push({ token, answer: () => resolve(BINARIES) });
    });
  }

  close() {
    this.isClosed = true;
  }
}

async function panel() {
  const posted: ToWebview[] = [];
  const copied: string[] = [];
  const planned = new Set<() => void>();
  const session = new MemorySession<Vm>({
    post: (message) => posted.push(structuredClone(message)),
    copy: (text) => copied.push(text),
    nowUnixMs: () => 1_700_000_000_000,
    later: (_ms, call) => {
      planned.add(call);
      return () => planned.delete(call);
    },
    head: ({ pid }) => ({ pid, node: "", name: "", otp: "27", flavor: "jit", host: "" }),
    kept: ({ pid }) => ({ pid, host: null, node: null, otp: "27", flavor: "jit", startTicks: null }),
    problem: (error) => Promise.reject(error instanceof Error ? error : new Error(String(error))),
    again: () => Promise.resolve(undefined),
    find: () => Promise.resolve(undefined),
    showAnother: () => assert.fail("no VM is expected"),
  });
  /** Answers that are there have come. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await session.receive({ type: "ready", saved: {} });
  return {
    session,
    copied,
    planned,
    settled,
    /** The messages of a kind since the last call. */
    of: <Type extends ToWebview["type"]>(type: Type) =>
      posted.splice(0).filter((message): message is Extract<ToWebview, { type: Type }> => message.type === type),
    next: async () => {
      const [call] = planned;
      assert.ok(call !== undefined, "a look is planned");
      planned.delete(call);
      call();
      await settled();
    },
  };
}

test("growth and the trend of another VM begin with its own first look", async () => {
  const { session, settled, next, of, planned } = await panel();
  const [first, second] = [new Vm(1), new Vm(2)];
  session.show(first);
  await settled();
  await next();
  const before = of("look").at(-1)?.shown;
  assert.deepEqual([before?.growth[0]?.bytes, before?.trend.length], [10, 2]);
  session.show(second);
  await settled();
  const [look, ...others] = of("look");
  assert.deepEqual(
    [look?.head.pid, look?.shown.growth, look?.shown.trend.map(({ rss }) => rss), others.length],
    [2, [{ items: 0, bytes: 0, isNew: false }], [2], 0],
  );
  assert.deepEqual([first.isClosed, planned.size], [true, 1]);
});

test("an answer of the VM before comes too late", async () => {
  const { session, settled, of } = await panel();
  const [first, second] = [new Vm(1), new Vm(2)];
  let answer = () => {};
  first.held = new Promise((resolve) => (answer = resolve));
  session.show(first);
  await settled();
  session.show(second);
  answer();
  await settled();
  await settled();
  assert.deepEqual(
    of("look").map(({ head, shown }) => [head.pid, shown.trend.length]),
    [[2, 1]],
  );
});

test("another VM is looked at, though the one before was paused", async () => {
  const { session, settled, of, planned } = await panel();
  session.show(new Vm(1));
  await settled();
  await session.receive({ type: "pause", paused: true });
  assert.equal(planned.size, 0);
  session.show(new Vm(2));
  await settled();
  assert.deepEqual([of("look").at(-1)?.paused, planned.size], [false, 1]);
});

test("binaries of the VM before are given up, and neither shown nor copied any more", async () => {
  const { session, settled, of, copied } = await panel();
  const first = new Vm(1);
  session.show(first);
  await settled();
  const read = session.receive({ type: "binaries" });
  first.reads[0]?.answer();
  await read;
  await session.receive({ type: "copyCsv", table: "binaryList" });
  assert.deepEqual([copied.length, of("binaries").at(-1)?.state.looking], [1, false]);
  const another = session.receive({ type: "binaries" });
  session.show(new Vm(2));
  await another;
  await settled();
  assert.equal(first.reads[1]?.token?.isCancellationRequested, true);
  await session.receive({ type: "copyCsv", table: "binaryList" });
  assert.equal(copied.length, 1, "there is nothing to copy");
  await session.receive({ type: "ready", saved: {} });
  assert.deepEqual(of("binaries").slice(1), [], "nor anything to show on a new page");
});
