// The computations of the memory panel: growth of tables, the trend, text for spreadsheets, where carriers are in the
// map, order.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemoryShown } from "../../../contract/messages/memory.js";
import { signedMemorySize } from "../../../contract/figures.js";
import type { EtsTableMemory, MemoryResult } from "../../../contract/protocol.generated.js";
import { csvOf } from "../../../extension/src/panels/memory/memory-csv.js";
import { MemoryHistory } from "../../../extension/src/panels/memory/memory-history.js";
import { shownMemory } from "../../../extension/src/panels/memory/shown-memory.js";
import { GrowthOfTables } from "../../../extension/src/panels/memory/table-growth.js";
import { bytesPerPixel, LINE_PX, stripAt, stripBeside, strips } from "../../../webviews/memory/map-layout.js";
import { pressed, sorted } from "../../../webviews/grid/sorted.js";
import { BINARY_STRINGS } from "../../../webviews/memory/binary-strings.js";
import { STRINGS } from "../../../webviews/memory/strings.js";

const table = (name: string, bytes: number, more: Partial<EtsTableMemory> = {}): EtsTableMemory => ({
  name,
  named: true,
  owner: "<0.9.0>",
  type: "set",
  items: bytes / 100,
  bytes,
  protection: "public",
  ...more,
});

const result = (binary: number): MemoryResult => ({
  allocators: [],
  rss_bytes: null,
  resident: null,
  memory: {
    total: 0,
    total_at_least: false,
    process_heaps: 1,
    binary,
    ets: 2,
    ets_names: 1,
    jit_code: null,
    literals: 0,
  },
  not_managed: [],
  ets: [],
  ets_left_out: 0,
  rejected: { allocators: 0, carriers: 0, tables: 0 },
  advice: null,
  code: null,
  code_left_out: 0,
  native_libraries: [],
});

test("a table has grown since the first look; tables of one name have no growth", () => {
  const growth = new GrowthOfTables();
  const first = [table("a", 1000), table("twin", 100), table("twin", 200), table("twin", 300, { owner: "<0.10.0>" })];
  assert.deepEqual(
    growth.of(first, true).map((each) => each?.bytes ?? null),
    [0, null, null, 0],
  );
  // One of two that were alike is gone, another one has come.
  const then = [table("a", 1500), table("twin", 200), table("new", 700)];
  assert.deepEqual(growth.of(then, true), [
    { items: 5, bytes: 500, isNew: false },
    null,
    { items: 7, bytes: 700, isNew: true },
  ]);
  growth.forget();
  assert.deepEqual(growth.of([table("a", 1)], false), [{ items: 0, bytes: 0, isNew: false }]);
  assert.deepEqual(growth.of([table("b", 1)], true), [null], "it may only have been left out at first");
});

test("the trend is bounded, and has its first and its last look", () => {
  const history = new MemoryHistory();
  for (let look = 0; look < 5000; look++) history.add(look * 2000, result(look));
  const { points } = history;
  assert.ok(points.length <= 720 && points.length >= 360, String(points.length));
  assert.deepEqual([points[0]?.binary, points.at(-1)?.binary, points[0]?.rss], [0, 4999, null]);
  assert.ok(points.every(({ atUnixMs }, index) => index === 0 || atUnixMs > (points[index - 1]?.atUnixMs ?? 0)));
  history.forget();
  assert.equal(history.points.length, 0);
});

test("memory outside of all allocators is in the trend, without the VM's kept part; where it is unknown, it is not 0", () => {
  const history = new MemoryHistory();
  const resident = {
    anonymous_bytes: 100,
    lazily_freed_bytes: 0,
    swapped_bytes: 0,
    unexplained_bytes: 70,
    thread_stacks_bytes: null,
    malloc_bytes: 30,
    cached_segments_bytes: 20,
    jit_code_bytes: null,
  };
  history.add(0, { ...result(0), resident });
  history.add(1, { ...result(0), resident: { ...resident, unexplained_bytes: null } });
  history.add(2, result(0));
  history.add(3, { ...result(0), resident: { ...resident, cached_segments_bytes: null } });
  assert.deepEqual(
    history.points.map(({ outside }) => outside),
    [50, null, null, null],
  );
});

test("names of the VM are no formulas, and no columns of their own", () => {
  const tables = [
    table('=HYPERLINK("http://x")', 100),
    table("a,b", 200),
    table("two\r\nlines", 300),
    table("-1+2", 400),
  ];
  const shown = {
    memory: { ...result(0), ets: tables },
    growth: [null, { items: 1, bytes: -5, isNew: false }, null, null],
    carriers: [],
    trend: [],
  } as unknown as MemoryShown;
  const lines = csvOf("ets", shown);
  assert.match(lines, /^name,named,owner,type,items,bytes,protection,grown_items,grown_bytes\r\n/);
  assert.ok(lines.includes(`"'=HYPERLINK(""http://x"")",true,<0.9.0>,set,1,100,public,,\r\n`), lines);
  assert.ok(lines.includes('"a,b",true,<0.9.0>,set,2,200,public,1,-5\r\n'));
  assert.ok(lines.includes('"two\r\nlines",true'));
  assert.ok(lines.includes("'-1+2,true"));
});

test("each carrier has its strip in the map, none over another, and the keys lead to the nearest", () => {
  const bytes = [32_768, 1_000_000, 33_000_000, 32_768, 500_000, ...Array.from({ length: 3000 }, () => 32_768)];
  const width = 800;
  const all = strips(bytes, width, bytesPerPixel(bytes, width));
  assert.equal(all.length, bytes.length);
  for (const [index, { x, line, widthPx }] of all.entries()) {
    assert.ok(widthPx >= 4 && x >= 0 && x + widthPx <= width);
    const before = all[index - 1];
    assert.ok(before === undefined || line > before.line || x > before.x + before.widthPx);
    assert.equal(stripAt(all, x + 1, line * LINE_PX + 2)?.index, index);
  }
  assert.equal(stripAt(all, 1, LINE_PX - 1), undefined, "between two lines");
  const [first] = all;
  assert.ok(first);
  const below = stripBeside(all, first, 1);
  assert.deepEqual([below.line, stripBeside(all, first, -1)], [1, first]);
  assert.equal(stripBeside(all, below, -1).line, 0);
  assert.deepEqual(strips([], width, 1), []);
});

test("what is not known comes last in either order", () => {
  const rows = [3, null, 1, 2];
  assert.deepEqual(
    sorted(rows, { columnId: "x", descending: true }, (row) => row),
    [3, 2, 1, null],
  );
  assert.deepEqual(
    sorted(rows, { columnId: "x", descending: false }, (row) => row),
    [1, 2, 3, null],
  );
  const texts = ["b", "c", null, "a", "b10", "b"];
  const byText = (descending: boolean) => sorted(texts, { columnId: "x", descending }, (row) => row);
  assert.deepEqual(byText(false), ["a", "b", "b", "b10", "c", null]);
  assert.deepEqual(byText(true), ["c", "b10", "b", "b", "a", null]);
  assert.deepEqual(pressed({ columnId: "a", descending: true }, "a", false), { columnId: "a", descending: false });
  assert.deepEqual(pressed({ columnId: "a", descending: true }, "b", true), { columnId: "b", descending: false });
});

test("a change of bytes has its sign", () => {
  assert.deepEqual(
    [0, 64, -12_300, 4_560_000].map((bytes) => signedMemorySize(bytes, "en")),
    ["0 B", "+64 B", "-12.3 kB", "+4.56 MB"],
  );
});

test("texts of a helper are cut and made visible, and are no flags unless they look like one", () => {
  const advice = (flag: string) =>
    ({ code: "fragmented", allocator: "binary_alloc", lost_bytes: 1, blocks_bytes: 1, flag }) as const;
  const long = `\u202e${"x".repeat(1000)}`;
  const shown = shownMemory({
    ...result(0),
    ets: [table(long, 1, { owner: long, type: long })],
    code: [{ module: long, bytes: 1, literal_bytes: null }],
    advice: advice("+MBlmbcs 512"),
  });
  assert.equal(shown.advice?.flag, "+MBlmbcs 512");
  for (const text of [shown.ets[0]?.name, shown.ets[0]?.owner, shown.ets[0]?.type, shown.code?.[0]?.module])
    assert.ok(text !== undefined && text.length < 300 && text.startsWith("\\u{202e}"), text);
  for (const flag of ["; rm -rf ~", "+MBlmbcs 512\nrm", "+MBlmbcs 512 -eval x", ""])
    assert.equal(shownMemory({ ...result(0), advice: advice(flag) }).advice, null, flag);
});

test("a VM has no tables only where none changed on every reading", () => {
  assert.equal(STRINGS.noTables(0), "This VM has no ETS tables.");
  assert.equal(STRINGS.noTables(1), "No ETS table is shown: 1 changed on every reading.");
  assert.equal(STRINGS.noTables(4), "No ETS table is shown: 4 changed on every reading.");
});

test("processes whose binaries were not read make the sum of the holders one of at least", () => {
  const rejected = (more: object = {}) => ({ restless: 0, messages: 0, entries: { freed: 9, torn: 0 }, ...more });
  const sums = (more: object) => BINARY_STRINGS.sums(1, "1 kB", 2, 3, BINARY_STRINGS.isSumAtLeast(rejected(more)));
  assert.equal(sums({}), "1 binary, 1 kB, held by 2 processes with 3 references");
  for (const more of [{ restless: 1 }, { messages: 1 }, { entries: { freed: 0, torn: 1 } }])
    assert.equal(sums(more), "at least 1 binary, 1 kB, held by 2 processes with 3 references");
  assert.equal(BINARY_STRINGS.holders.none, "No process that was read holds a binary.");
  assert.equal(BINARY_STRINGS.list.none, BINARY_STRINGS.holders.none);
});
