// The list of captures: filtered, grouped, indexed and kept within limits, also when there are thousands.
import assert from "node:assert/strict";
import { copyFileSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { scanCapture } from "../../../extension/src/capture/capture-scan.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import {
  filtered,
  groupedByCommit,
  groupedByTime,
  rowCount,
  type CaptureGroup,
  type Groupable,
} from "../../../extension/src/captures/capture-groups.js";
import { beforeTime, timeInName } from "../../../extension/src/captures/capture-file.js";
import { CaptureIndex } from "../../../extension/src/captures/capture-index.js";
import { captureName } from "../../../extension/src/captures/capture-name.js";
import {
  captureDescription,
  captureTooltip,
  summaryOf,
  summaryOfScan,
  type CaptureSummary,
} from "../../../extension/src/captures/capture-summary.js";
import { tagsIn } from "../../../extension/src/captures/capture-tags.js";
import { newestFirst, standInUnixMs } from "../../../extension/src/captures/capture-order.js";
import { captureNames, fileState, newest } from "../../../extension/src/captures/files-on-disk.js";
import { beyondLimits } from "../../../extension/src/captures/retention.js";
import { measured } from "../../measured.mjs";
import { ENGLISH } from "../recording/fakes.js";

const DEMO = "test/unit/capture/fixtures/demo.pb.gz";
const DAY_MS = 24 * 60 * 60 * 1000;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const BLANK: CaptureSummary = summaryOf({
  facts: {
    target: null,
    quality: null,
    startedUnixMs: 0,
    durationMs: 0,
    frequencyHz: 99,
    unit: "samples",
    isOwn: true,
  },
  totals: { samples: 1, busy: 1 },
});
const [OLDER, NEWER, OTHER] = ["a".repeat(40), "b".repeat(40), "c".repeat(40)];

interface Row extends Groupable {
  readonly id: number;
}

function row(id: number, said: Partial<CaptureSummary> | null | undefined, mtime = NOW_MS - id * 1000): Row {
  return { id, name: `shop-${String(id)}.pb.gz`, mtime, summary: said && { ...BLANK, ...said } };
}

/** Names of groups with the rows in them. */
function outline(groups: readonly CaptureGroup<Row>[]): unknown[] {
  return groups.map(({ kind, name, rows, groups: inner }) => [
    kind === "commit" ? name.slice(0, 1) : name,
    ...rows.map(({ id }) => id),
    ...outline(inner),
  ]);
}

test("every word of a filter has to occur, in whatever is known", () => {
  const rows = [
    row(1, { target: "shop@localhost", branch: "main", commit: OLDER, tags: ["slow"], note: "Before the change" }),
    row(2, { target: "cart@localhost", branch: "faster", commit: NEWER, isPinned: true, otp: "27" }),
    row(3, undefined),
    row(4, null),
  ];
  const ids = (filter: string) => filtered(rows, filter).map(({ id }) => id);
  assert.deepEqual(ids(" "), [1, 2, 3, 4]);
  assert.deepEqual(ids("localhost SHOP"), [1, 2]);
  assert.deepEqual(ids("#slow before"), [1]);
  assert.deepEqual(ids("bbbbbbb"), [2]);
  assert.deepEqual(ids("is:pinned otp27"), [2]);
  assert.deepEqual(ids("shop-4"), [4]);
  assert.deepEqual(ids("nothing"), []);
});

test("commits stand in the order of history, below their branches where there are several", () => {
  const main = { branch: "main" };
  const one = [
    row(1, { ...main, commit: NEWER }),
    row(2, { ...main, commit: OLDER }),
    row(3, { ...main, commit: NEWER }),
    row(4, {}),
    row(5, undefined),
    row(6, { ...main, commit: OTHER }),
  ];
  // A commit that the repository does not know comes after those that it knows.
  assert.deepEqual(outline(groupedByCommit(one, [NEWER, OLDER])), [
    ["b", 1, 3],
    ["a", 2],
    ["c", 6],
    ["", 4, 5],
  ]);
  assert.deepEqual(outline(groupedByCommit(one, [OLDER, NEWER])).slice(0, 2), [
    ["a", 2],
    ["b", 1, 3],
  ]);
  const several = [...one, row(7, { branch: "faster", commit: NEWER })];
  const groups = groupedByCommit(several, []);
  assert.deepEqual(outline(groups), [
    ["main", ["b", 1, 3], ["a", 2], ["c", 6]],
    ["faster", ["b", 7]],
    ["", 4, 5],
  ]);
  assert.deepEqual(groups.map(rowCount), [4, 1, 2]);
  assert.equal(new Set(groups.flatMap(({ id, groups: inner }) => [id, ...inner.map((group) => group.id)])).size, 7);
  assert.deepEqual(groupedByCommit([], [NEWER]), []);
});

test("few captures are a list, many are grouped by month, and none is lost", () => {
  const few = [row(1, {}), row(2, undefined)];
  assert.deepEqual(groupedByTime(few), { rows: few, groups: [] });
  const many = Array.from({ length: 1000 }, (_, id) =>
    row(
      id,
      id % 3 === 0 ? { startedUnixMs: NOW_MS - id * DAY_MS } : undefined,
      id === 5 ? Infinity : NOW_MS - id * DAY_MS,
    ),
  );
  const { rows, groups } = groupedByTime(many);
  assert.deepEqual(rows, []);
  assert.equal(
    groups.reduce((sum, group) => sum + rowCount(group), 0),
    1000,
  );
  assert.equal(groups[0]?.name, "2026-11");
  assert.ok(groups.every(({ name }, index) => index === 0 || name < (groups[index - 1]?.name ?? "")));
});

test("beyond the limits are the oldest, and never what is pinned, another program's or not known", () => {
  const rows = [
    row(1, {}),
    row(2, { isPinned: true }),
    row(3, {}),
    row(4, undefined),
    row(5, null),
    row(6, { isOwn: false }),
    row(7, {}),
    row(8, { startedUnixMs: NOW_MS - 40 * DAY_MS }),
  ];
  const ids = (keepAtMost: number, keepDays: number) =>
    beyondLimits(rows, { keepAtMost, keepDays }, NOW_MS).map(({ id }) => id);
  assert.deepEqual(ids(0, 0), []);
  assert.deepEqual(ids(2, 0), [7, 8]);
  assert.deepEqual(ids(0, 30), [8]);
  assert.deepEqual(ids(100, 100), []);
  assert.deepEqual(ids(0, 40), [], "to the last day");
  assert.deepEqual(ids(0, 39), [8]);
});

test("captures are ordered by when they began: notes, copies and checkouts move none", () => {
  const began = (id: number, startedUnixMs: number, mtime: number) => row(id, { startedUnixMs }, mtime);
  // The oldest got a note just now, and the newest was copied with an old time.
  const rows = [began(1, NOW_MS - 3000, NOW_MS), began(2, NOW_MS - 1000, 1), began(3, NOW_MS - 2000, NOW_MS - 5000)];
  const ids = (some: readonly Row[]) => some.map(({ id }) => id);
  assert.deepEqual(ids(newestFirst(rows)), [2, 3, 1]);
  assert.deepEqual(ids(beyondLimits(rows, { keepAtMost: 1, keepDays: 0 }, NOW_MS)), [3, 1]);
  // Captures that began at once stay in the order of the names.
  assert.deepEqual(ids(newestFirst([began(5, NOW_MS, 2), began(4, NOW_MS, 1)])), [4, 5]);
  assert.deepEqual(ids(newestFirst([began(5, NOW_MS, 1), began(4, NOW_MS, 2)])), [4, 5]);
  // The time of the file has to do where nothing else is known; a capture on no disk is the newest.
  const unread = [row(6, undefined, NOW_MS - 1500), row(7, null, NOW_MS - 500), row(8, {}, Infinity)];
  assert.deepEqual(ids(newestFirst([...rows, ...unread])), [8, 7, 2, 6, 3, 1]);
  // Both are on no disk.
  assert.deepEqual(ids(newestFirst([row(9, {}, Infinity), row(8, {}, Infinity)])), [8, 9]);
});

test("a capture keeps its place while its file is read once more, and one that was never read has the time in its name", async (t) => {
  const index = new CaptureIndex(indexFile(t));
  await index.load();
  // As the view has them: a summary where the index knows the file as it is now.
  const listed = (id: number, name: string, state: { readonly mtime: number; readonly size: number }): Row => ({
    id,
    name,
    mtime: standInUnixMs(name, index.startOf(name), state.mtime),
    summary: index.get(name, state),
  });
  const began = (startedUnixMs: number) => ({ ...BLANK, startedUnixMs });
  index.set("before.pb.gz", { mtime: NOW_MS - 3000, size: 1 }, began(NOW_MS - 3000));
  index.set("after.pb.gz", { mtime: NOW_MS - 1000, size: 1 }, began(NOW_MS - 1000));
  const ids = (noted: { readonly mtime: number; readonly size: number }) =>
    newestFirst([
      listed(1, "before.pb.gz", noted),
      listed(2, "after.pb.gz", { mtime: NOW_MS - 1000, size: 1 }),
      // Copied just now.
      listed(3, "shop-20200101-120000-ab12cd3.pb.gz", { mtime: NOW_MS, size: 1 }),
    ]).map(({ id }) => id);
  assert.deepEqual(ids({ mtime: NOW_MS - 3000, size: 1 }), [2, 1, 3]);
  assert.deepEqual(ids({ mtime: NOW_MS, size: 2 }), [2, 1, 3], "a note was added just now");
  assert.equal(standInUnixMs("named by hand.pb.gz", undefined, NOW_MS), NOW_MS);
  assert.equal(standInUnixMs("of another program.pb.gz", 0, NOW_MS), NOW_MS);
});

test("files of a flight recorder and further VMs of a command are named by target and time", () => {
  const [local, utc] = [new Date(2026, 10, 21, 14, 3, 12), new Date(Date.UTC(2026, 10, 25, 2, 35))];
  const began = { ...BLANK, target: "shop@localhost", startedUnixMs: local.getTime() };
  const place = { nowUnixMs: local.getTime() + 60_000, language: "en-GB" };
  for (const [stem, at, before, given] of [
    ["shop-20261121-140312", local, "shop", ""],
    ["command-20261121-140312.2", local, "command", ""],
    ["command-20261121-140312-ab12cd3-1.12-2", local, "command", ""],
    ["shop-20261121-140312.00001-20261125T023500Z", utc, "shop", ""],
    ["shop-20261121-140312-ab12cd3.2.00012-20261125T023500Z-2", utc, "shop", ""],
    // The name of `--keep` is the user's, and stays beside them.
    ["night run.123456-20261125T023500Z", utc, "night run", "night run"],
  ] as const) {
    const name = `${stem}.pb.gz`;
    assert.deepEqual(timeInName(name), at, name);
    assert.equal(beforeTime(name), before);
    assert.deepEqual(captureName(name, began, place), { label: "shop@localhost · 14:03", details: given });
  }
  // Given by the user as they are.
  for (const stem of ["release.2", "otp-27.1", "shop.0001-20261125T023500Z", "shop.00001", "shop.00001-20261125"]) {
    assert.equal(timeInName(`${stem}.pb.gz`), undefined, stem);
    assert.deepEqual(captureName(`${stem}.pb.gz`, began, place), { label: stem, details: "shop@localhost · 14:03" });
  }
});

test("of too many files those with the latest times in their names are listed, whatever they begin with", () => {
  const names = [
    "z-shop-20260101-000000.pb.gz",
    "a-shop-20261121-120000.pb.gz",
    "m-shop-20261120-120000-ab12cd3.pb.gz",
    "before the change.pb.gz",
    "no-capture.txt",
  ];
  assert.deepEqual(newest(names, 3).sort(), [
    "a-shop-20261121-120000.pb.gz",
    "before the change.pb.gz",
    "m-shop-20261120-120000-ab12cd3.pb.gz",
  ]);
  assert.equal(newest(names).length, 4);
});

function indexFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-index-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, "below", "capture-index.json");
}

test("the index knows a file as long as its time and size stay", async (t) => {
  const file = indexFile(t);
  const summary = summaryOfScan(await scanCapture(DEMO));
  assert.ok(summary);
  const index = new CaptureIndex(file);
  await index.load();
  index.set("file:///a", { mtime: 1, size: 2 }, summary);
  index.set("file:///b", { mtime: 1, size: 2 }, null);
  await index.save();
  const again = new CaptureIndex(file);
  await again.load();
  assert.deepEqual(again.get("file:///a", { mtime: 1, size: 2 }), summary);
  assert.equal(again.get("file:///b", { mtime: 1, size: 2 }), null);
  for (const state of [
    { mtime: 2, size: 2 },
    { mtime: 1, size: 3 },
  ])
    assert.equal(again.get("file:///a", state), undefined);
  assert.equal(again.get("file:///c", { mtime: 1, size: 2 }), undefined);
});

test("an index that is garbage is none, and is written anew", async (t) => {
  const good = [["file:///a", { mtime: 1, size: 2, summary: BLANK }]];
  for (const garbage of [
    "",
    "{",
    "null",
    "[]",
    '{"version":0,"entries":[]}',
    '{"version":1,"entries":{}}',
    JSON.stringify({
      version: 1,
      entries: [
        1,
        null,
        ["x"],
        ["y", { mtime: 1, size: 1, summary: { target: 7 } }],
        ["z", { mtime: "1", size: 1, summary: null }],
      ],
    }),
  ]) {
    const file = indexFile(t);
    const first = new CaptureIndex(file);
    first.set("file:///a", { mtime: 1, size: 2 }, BLANK);
    await first.save();
    writeFileSync(file, garbage);
    const index = new CaptureIndex(file);
    await index.load();
    for (const address of ["file:///a", "x", "y", "z"])
      assert.equal(index.get(address, { mtime: 1, size: 1 }), undefined, garbage);
    index.set("file:///a", { mtime: 1, size: 2 }, BLANK);
    await index.save();
    assert.deepEqual(
      (JSON.parse(readFileSync(file, "utf8")) as { entries: unknown }).entries,
      JSON.parse(JSON.stringify(good)),
    );
  }
});

test("a file that is scanned is described as one that is read", async () => {
  assert.deepEqual(summaryOfScan(await scanCapture(DEMO)), summaryOf(decodeCapture(readFileSync(DEMO))));
});

test("commit, tags and note are shown, hostile ones as text", () => {
  const summary = {
    ...BLANK,
    commit: OLDER,
    isDirty: true,
    branch: "<b>[x](command:y)",
    describe: "v1",
    tags: ["slow"],
    note: "**bold**",
    host: {
      cpuModel: "A CPU",
      governor: "powersave",
      cpus: 2,
      mhz: [2500, 2400, 2600] as const,
      load: 1.5,
      busy: [{ name: "rebar3", cpuPercent: 93.5 }],
    },
  };
  assert.equal(captureDescription(summary, ENGLISH, "en"), "**bold** · #slow · 1 sample · aaaaaaa+");
  // A long note leaves room for the rest.
  assert.match(captureDescription({ ...summary, note: "n".repeat(2000) }, ENGLISH, "en"), /^n{79}… · #slow · /);
  const tooltip = captureTooltip(summary, "a.pb.gz", ENGLISH, "en");
  assert.match(tooltip, /rebar3 93.+5%/);
  assert.match(tooltip, /2,500 MHz \\?\(2,400 to 2,600/);
  assert.doesNotMatch(tooltip, /(?<!\\)<b>|(?<!\\)\[x/);
  assert.deepEqual(tagsIn(" #slow, checkout;slow  ##a"), ["slow", "checkout", "a"]);
});

test("ten thousand captures are listed from the index, filtered and grouped", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-many-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const MANY = 10_000;
  copyFileSync(DEMO, join(folder, "first.pb.gz"));
  const nameOf = (id: number) => `shop-20261121-${String(id).padStart(6, "0")}.pb.gz`;
  // A file has but so many names.
  for (let id = 0; id < MANY; id++) linkSync(join(folder, "first.pb.gz"), join(folder, nameOf(id)));
  rmSync(join(folder, "first.pb.gz"));
  const begun = performance.now();
  const summary = summaryOfScan(await scanCapture(join(folder, nameOf(0))));
  measured(t, "reading what one capture says of itself", performance.now() - begun);
  assert.ok(summary);
  const file = join(folder, "capture-index.json");
  const index = new CaptureIndex(file);
  const state = await fileState(join(folder, nameOf(0)));
  const commits = Array.from({ length: 50 }, (_, number) => number.toString(16).padStart(40, "0"));
  for (let id = 0; id < MANY; id++)
    index.set(nameOf(id), state, {
      ...summary,
      commit: commits[id % 50] ?? "",
      branch: id % 2 === 0 ? "main" : "faster",
      tags: id % 100 === 0 ? ["slow"] : [],
    });
  await index.save();

  const listing = performance.now();
  const again = new CaptureIndex(file);
  await again.load();
  const names = await captureNames(folder);
  const rows = await Promise.all(
    names.map(async (name) => {
      const found = await fileState(join(folder, name));
      return { name, mtime: found.mtime, summary: again.get(name, found) };
    }),
  );
  measured(t, "10,000 captures that the index knows, listed", performance.now() - listing);
  assert.equal(rows.length, MANY);
  assert.ok(rows.every((each) => each.summary !== undefined));

  const filtering = performance.now();
  const found = filtered(rows, "#slow shop");
  const groups = groupedByCommit(rows, commits);
  measured(t, "10,000 captures, filtered and grouped by commit", performance.now() - filtering);
  assert.equal(found.length, MANY / 100);
  assert.equal(
    groups.reduce((sum, group) => sum + rowCount(group), 0),
    MANY,
  );
});
