import assert from "node:assert/strict";
import { test } from "node:test";
import type { OffCpuQuality, QualityRecord } from "../../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import type { CaptureFacts } from "../../../extension/src/capture/questions.js";
import { problemPage, summaryPage } from "../../../extension/src/captures/capture-page.js";
import {
  captureDescription,
  captureTitle,
  captureTooltip,
  summaryOf,
  summaryOfScan,
} from "../../../extension/src/captures/capture-summary.js";
import {
  blockedTimeRemark,
  pageFaultsRemark,
  qualityFigures,
  qualityProblems,
} from "../../../extension/src/captures/quality.js";
import { ENGLISH, qualityOf } from "../recording/fakes.js";

const TARGET = {
  pid: 4242,
  otpRelease: "25",
  ertsVersion: "13.1.5",
  flavor: "jit",
  node: "shop@localhost",
  host: "h",
  command: "beam.smp",
};
const FACTS: CaptureFacts = {
  target: TARGET,
  quality: qualityOf(12_345),
  startedUnixMs: new Date(2026, 10, 21, 14, 3).getTime(),
  durationMs: 30_000,
  frequencyHz: 99,
  unit: "samples",
  isOwn: true,
};
const TOTALS = { samples: 12_345, busy: 12_000 };
const FOREIGN: CaptureFacts = {
  ...FACTS,
  target: null,
  quality: null,
  startedUnixMs: 0,
  durationMs: 0,
  frequencyHz: 0,
  unit: "nanoseconds of cpu",
  isOwn: false,
};
const BLOCKED: OffCpuQuality = {
  switches: 9,
  switches_per_s: 1,
  blocks: 7,
  whole: 6,
  min_block_us: 0,
  short_blocks: 0,
  short_ms: 0,
  thinned_ms: 0,
  left_out: 0,
  idle_or_left_out_ms: 0,
  blocked_ms: 519,
  preempted_ms: 1154,
  idle_ms: 19_400,
  in_progress: 0,
  unseen_threads: 0,
  unmatched: 0,
  lost: 0,
  losses: 0,
  unknown_ms: 0,
  threads: 0,
  threads_reason: "",
};
const TEXT = { language: "en", nonce: "N0nce", l10n: ENGLISH };

test("our captures are named after VM and time, foreign ones and those with a name of their own after their file", () => {
  const title = (facts: CaptureFacts, file: string) => captureTitle(summaryOf({ facts, totals: TOTALS }), file, "en");
  assert.match(title(FACTS, "x-20261121-140312.pb.gz"), /^shop@localhost · (Nov 21, 2026, )?2:03\sPM$/);
  assert.equal(title(FACTS, "before the change.pb.gz"), "before the change");
  assert.equal(title(FOREIGN, "go.pb.gz"), "go");
});

test("the description leaves out facts that the file lacks", () => {
  assert.equal(captureDescription(summaryOf({ facts: FACTS, totals: TOTALS }), ENGLISH, "en"), "0:30 · 12,345 samples");
  assert.equal(
    captureDescription(summaryOf({ facts: FOREIGN, totals: TOTALS }), ENGLISH, "en"),
    "12,345 nanoseconds of cpu",
  );
});

test("blocked time alone is described by its length, and two types by the samples, whichever is shown", () => {
  const described = (quality: QualityRecord, types: readonly SampleTypeId[]) => {
    const facts = { ...FACTS, quality, types, unit: "ms of blocked time" };
    const summary = summaryOf({ facts, totals: { samples: 21_073, busy: 1673 } });
    assert.match(summaryPage("shop", summary, TEXT), /519 \/ 1,154 \/ 19,400 ms/);
    return captureDescription(summary, ENGLISH, "en");
  };
  const alone = qualityOf(0, { event: "", off_cpu: BLOCKED });
  assert.equal(described(alone, ["off-cpu"]), "0:30 · 1,673 ms of blocked time");
  const both = qualityOf(12_345, { off_cpu: BLOCKED });
  assert.equal(described(both, ["cpu", "off-cpu"]), "0:30 · 12,345 samples");
  const refused = qualityOf(12_345, { off_cpu: { ...BLOCKED, refused: "it lacks a right" } });
  assert.match(
    qualityProblems(refused, ENGLISH, "en").join("\n"),
    /Time without a processor was not recorded: it lacks a right/,
  );
  const thinned = qualityOf(12_345, {
    off_cpu: {
      ...BLOCKED,
      left_out: 41_000,
      thinned_ms: 3050,
      idle_or_left_out_ms: 2000,
      short_blocks: 8,
      short_ms: 1,
    },
  });
  assert.match(qualityProblems(thinned, ENGLISH, "en").join("\n"), /41,000 were left out\. .* count once/);
  const figures = qualityFigures(thinned, ENGLISH, "en").map(({ name, value }) => `${name}: ${value}`);
  for (const figure of [
    "Blocks left out, in this time: 41,000, 3,050 ms",
    "Idle, or in a block that was left out: 2,000 ms",
    "Shorter blocks, in no stack: 8, 1 ms",
  ])
    assert.ok(figures.includes(figure), figures.join("\n"));
});

test("page faults alone are described by their number, with what was left out of them", () => {
  const faults = {
    faults: 5300,
    samples: 1300,
    whole: 1299,
    thinned_ms: 1500,
    left_out: 4000,
    lost: 2,
    threads: 0,
    threads_reason: "",
  };
  const described = (quality: QualityRecord) => {
    const facts = { ...FACTS, quality, types: ["faults"] as const, unit: "page faults" };
    return captureDescription(summaryOf({ facts, totals: { samples: 5300, busy: 5300 } }), ENGLISH, "en");
  };
  const alone = qualityOf(0, { event: "", faults });
  assert.equal(described(alone), "0:30 · 5,300 page faults");
  assert.match(qualityProblems(alone, ENGLISH, "en").join("\n"), /too many page faults: 4,000 were left out/);
  const figures = qualityFigures(alone, ENGLISH, "en").map(({ name, value }) => `${name}: ${value}`);
  for (const figure of [
    "Page Faults: 5,300",
    "Samples of page faults: whole stack / all: 1,299 / 1,300",
    "Page faults left out, in this time: 4,000, 1,500 ms",
    "Lost samples of page faults: 2",
  ])
    assert.ok(figures.includes(figure), figures.join("\n"));
  const refused = qualityOf(9, { faults: { ...faults, refused: "it lacks a right" } });
  assert.match(qualityProblems(refused, ENGLISH, "en").join("\n"), /Page faults were not recorded: it lacks a right/);
});

test("long collections and calls have a figure each where there were any", () => {
  const stays = { period_us: 10_101, collections: 3, collections_ms: 1420, calls: 0, calls_ms: 0, left_out: 0 };
  const figuresOf = (some: object) =>
    qualityFigures(qualityOf(9, { stays: { ...stays, ...some } }), ENGLISH, "en")
      .map(({ name, value }) => `${name}: ${value}`)
      .filter((figure) => figure.startsWith("Long "));
  assert.deepEqual(figuresOf({}), ["Long garbage collections: 3, at least 1,420 ms together"]);
  assert.deepEqual(figuresOf({ collections: 0, calls: 1, calls_ms: 30 }), [
    "Long calls of C code: 1, at least 30 ms together",
  ]);
  assert.deepEqual(figuresOf({ collections: 0 }), []);
});

test("figures of blocked time have a remark where blocks were left out or are in no stack", () => {
  const of = (...counts: readonly Partial<OffCpuQuality>[]) => {
    const qualities = counts.map((some) => qualityOf(9, { off_cpu: { ...BLOCKED, ...some } }));
    const [quality = null] = qualities;
    const nodes = qualities.map((one) => ({
      name: "n",
      target: null,
      quality: one,
      startedUnixMs: 0,
      durationMs: 0,
      clockAheadMs: 0,
    }));
    return blockedTimeRemark(counts.length === 1 ? { quality } : { quality: null, nodes }, ENGLISH, "en");
  };
  assert.equal(of({}), "");
  assert.equal(of({ unseen_threads: 10, in_progress: 2 }), "", "these lack no block that is known");
  const lacking: readonly Partial<OffCpuQuality>[] = [
    { short_blocks: 1 },
    { unmatched: 1 },
    { losses: 1 },
    { threads: 1 },
  ];
  for (const counts of lacking)
    assert.equal(of(counts), "Some blocks are in no stack: blocked time is at least the time shown");
  const tooMany =
    "There were too many blocks: 41,000 were left out. Those that were recorded stand for the ones below 100 ms, and longer ones count once, below [left out] without a stack";
  assert.equal(of({ left_out: 41_000, losses: 1 }), tooMany);
  assert.equal(of({ left_out: 40_000 }, {}, { left_out: 1000 }), tooMany, "of several VMs");
  assert.match(of({}, { losses: 1 }), /at least/);
  assert.equal(of({ losses: 1, refused: "it lacks a right" }), "");
  assert.equal(blockedTimeRemark({ quality: null }, ENGLISH), "");
  assert.equal(blockedTimeRemark({ quality: qualityOf(9) }, ENGLISH), "");
});

test("numbers of page faults have a remark where some were left out or are in no stack", () => {
  const none = { faults: 9, samples: 9, whole: 9, thinned_ms: 0, left_out: 0, lost: 0, threads: 0, threads_reason: "" };
  const of = (counts: Partial<typeof none>) =>
    pageFaultsRemark({ quality: qualityOf(9, { faults: { ...none, ...counts } }) }, ENGLISH, "en");
  assert.equal(of({}), "");
  for (const counts of [{ lost: 1 }, { threads: 1 }])
    assert.equal(of(counts), "Some page faults are in no stack: there were at least as many as shown");
  assert.match(of({ left_out: 41_000, lost: 1 }), /^There were too many page faults: 41,000 were left out/);
  assert.equal(pageFaultsRemark({ quality: null }, ENGLISH), "");
  assert.equal(pageFaultsRemark({ quality: qualityOf(9) }, ENGLISH), "");
});

test("a page of a hostile capture holds its text as text, and no script", () => {
  const evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>&\u202e';
  const facts = {
    ...FACTS,
    target: { ...TARGET, node: evil },
    unit: evil,
    isOwn: false,
    quality: qualityOf(9, { event: evil }),
  };
  const summary = summaryOf({ facts, totals: TOTALS });
  for (const page of [summaryPage(evil, summary, TEXT), problemPage(evil, evil, evil, TEXT)]) {
    assert.doesNotMatch(page, /<script|<img/);
    assert.match(page, /&lt;script&gt;/);
    assert.match(page, /default-src 'none'; style-src 'nonce-N0nce'"/);
  }
  assert.doesNotMatch(captureTooltip(summary, evil, ENGLISH, "en"), /(?<!\\)<|\u202e/);
});

test("the page shows facts, quality and faults", () => {
  const page = summaryPage(
    "shop",
    summaryOf({ facts: { ...FACTS, quality: qualityOf(1000, { lost: 1000 }) }, totals: TOTALS }),
    TEXT,
  );
  assert.match(page, /<th scope="row">Process<\/th><td>4242<\/td>/);
  assert.match(page, /<li>50% of the samples were lost/);
  assert.doesNotMatch(summaryPage("go", summaryOf({ facts: FOREIGN, totals: TOTALS }), TEXT), /Quality/);
});

test("the page of a problem shows the reason as a sentence of its own", () => {
  assert.match(
    problemPage("a.pb.gz cannot be shown", "the file is empty", "Record it again.", TEXT),
    /<p role="alert">The file is empty\.<\/p><p>Record it again\.<\/p>/,
  );
});

test("a file without its end is marked as such", () => {
  const whole = summaryOf({ facts: FACTS, totals: { samples: 12_345, busy: 12_000 } });
  const cut = summaryOf({ facts: { ...FACTS, isCut: true }, totals: { samples: 12_345, busy: 12_000 } });
  assert.match(captureTooltip(cut, "a.pb.gz", ENGLISH, "en"), /end of the file is missing/);
  assert.doesNotMatch(captureTooltip(whole, "a.pb.gz", ENGLISH, "en"), /missing/);
});

test("what stands for the time before sampling is not counted among the samples, whether the capture is open or was scanned", () => {
  const quality = qualityOf(98, { before_sampling_ms: 404 });
  const opened = summaryOf({ facts: { ...FACTS, quality }, totals: { samples: 138, busy: 138 } });
  const scanned = summaryOfScan({
    target: TARGET,
    quality,
    settings: { frequencyHz: 99, startedUnixMs: FACTS.startedUnixMs, includeKernel: false },
    startedUnixMs: FACTS.startedUnixMs,
    durationMs: 30_000,
    strings: 0,
    fileBytes: 0,
    isCut: false,
  });
  assert.ok(scanned);
  assert.equal(captureDescription(opened, ENGLISH, "en"), captureDescription(scanned, ENGLISH, "en"));
  assert.match(captureDescription(opened, ENGLISH, "en"), / 98 samples$/);
  assert.match(captureTooltip(opened, "x", ENGLISH, "en"), /\| Samples \| 98 \|/);
  assert.equal(summaryOf({ facts: FOREIGN, totals: TOTALS }).samples, TOTALS.samples);
});
