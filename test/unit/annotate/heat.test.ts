import assert from "node:assert/strict";
import { test } from "node:test";
import { heatLines, hottestLine } from "../../../extension/src/annotate/document-heat.js";
import {
  baseText,
  generatedFrom,
  hoverFigures,
  lensText,
  sumFigures,
  tooFewText,
  uncertaintyPoints,
} from "../../../extension/src/annotate/figures.js";
import { heatLevel, leastShown } from "../../../extension/src/annotate/heat-level.js";
import { byHeat, nextHotLine } from "../../../extension/src/annotate/hot-line-order.js";
import { hasWholeLine, hoverMarkdown, lineMarkdown } from "../../../extension/src/annotate/hover-text.js";
import type { Capture, LineCounts } from "../../../extension/src/capture/questions.js";
import type { MappedFile } from "../../../extension/src/sources/mapped-file.js";
import { GERMAN } from "../german.js";

const words = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};

test("the hottest line has level 5, cooler ones less, and what is below the minimum none", () => {
  const scale = { hottest: 100, wanted: 3, least: 3 };
  assert.equal(heatLevel(100, scale), 5);
  assert.equal(heatLevel(200, scale), 5, "a line hotter than the scale stays in it");
  assert.deepEqual(
    [4, 16, 36, 64].map((samples) => heatLevel(samples, scale)),
    [1, 2, 3, 4],
  );
  assert.equal(heatLevel(3, scale), 1);
  assert.equal(heatLevel(2, scale), 0);
  assert.equal(heatLevel(0, { hottest: 0, wanted: 0, least: 0 }), 0);
  assert.equal(
    heatLevel(2, { hottest: 2, wanted: 3, least: 1 }),
    1,
    "shown, but not hot, though nothing in the file is hotter",
  );
});

test("small parts are shown where they make up more than a tenth of the whole together", () => {
  assert.equal(leastShown([900, 50, 30, 20], 100), 100);
  assert.equal(leastShown([800, 50, 50, 50, 50], 100), 50);
  assert.equal(leastShown([1, 1, 1], 100), 1);
  assert.equal(leastShown([], 100), 100);
});

test("a lens has own or self, and total: each with its own samples, and marked when those are few", () => {
  const format = { words, language: "en", minimumSamples: 20, percentOf: "busy", unit: "samples" } as const;
  assert.equal(
    lensText({ own: 300, self: 123, total: 456 }, "own", 1000, format),
    "30.0% own (300) · 45.6% total (456)",
  );
  assert.equal(
    lensText({ own: 300, self: 123, total: 456 }, "self", 1000, format),
    "12.3% self (123) · 45.6% total (456)",
  );
  assert.equal(lensText({ own: 1, self: 1, total: 35 }, "own", 553, format), "≈ 0.2% own (1) · 6.3% total (35)");
  assert.equal(
    lensText({ own: 1200, self: 0, total: 2135 }, "own", 2706, format),
    "44.3% own (1,200) · 78.9% total (2,135)",
  );
  assert.equal(
    lensText({ own: 0, self: 123, total: 456 }, "own", 1000, format),
    "0.0% own (0) · 45.6% total (456)",
    "a function that only calls others has a certain 0",
  );
  assert.equal(lensText({ own: 0, self: 1, total: 19 }, "self", 1000, format), "≈ 0.1% self (1) · ≈ 1.9% total (19)");
  assert.equal(lensText({ own: 0, self: 0, total: 0 }, "total", 0, format), "≈ 0.0% self (0) · ≈ 0.0% total (0)");
});

test("a hover has each figure with its interval and its samples", () => {
  const format = { words, language: "en", minimumSamples: 20, percentOf: "busy", unit: "samples" } as const;
  assert.equal(
    hoverFigures({ own: 299, self: 299, total: 518 }, 4226, format),
    "7.1% own ± 0.8 (299) · 7.1% self ± 0.8 (299) · 12.3% total ± 1.0 (518) · of 4,226 busy samples",
  );
  assert.equal(
    hoverFigures({ own: null, self: 8, total: 26 }, 553, format),
    "≈ 1.4% self ± 1.0 (8) · 4.7% total ± 1.8 (26) · of 553 busy samples",
  );
});

test("figures name what they are of", () => {
  const format = { words, language: "en", minimumSamples: 20, percentOf: "all", unit: "samples" } as const;
  assert.match(hoverFigures({ own: 299, self: 299, total: 518 }, 5000, format), / · of 5,000 samples$/);
  assert.match(sumFigures(299, "own", 5000, format), /^6\.0% own ± [\d.]+ \(299 of 5,000 samples\)$/);
  assert.match(sumFigures(299, "self", 4226, { ...format, percentOf: "busy" }), /\(299 of 4,226 busy samples\)$/);
});

test("blocked time has its unit, and no interval", () => {
  const format = { words, language: "en", minimumSamples: 0, percentOf: "busy", unit: "ms of blocked time" } as const;
  const counts = { own: 525, self: 0, total: 1525 };
  assert.equal(lensText(counts, "own", 3000, format), "17.5% own (525 ms) · 50.8% total (1,525 ms) · blocked time");
  assert.match(lensText(counts, "self", 3000, { ...format, words: GERMAN }), / · blockierte Zeit$/);
  assert.equal(
    hoverFigures(counts, 3000, format),
    "17.5% own (525 ms) · 0.0% self (0 ms) · 50.8% total (1,525 ms) · of 3,000 ms of blocked time without idle",
  );
  assert.equal(
    sumFigures(525, "self", 3000, { ...format, percentOf: "all" }),
    "17.5% self (525 ms of 3,000 ms of blocked time)",
  );
  assert.equal(baseText(format), "Shares of the blocked time without idle.");
});

test("the mark is explained where a figure has it", () => {
  const format = { words, language: "en", minimumSamples: 20, percentOf: "busy", unit: "samples" } as const;
  const explained = (own: number, total: number) =>
    tooFewText(lensText({ own, self: own, total }, "own", 1000, format), 20, words);
  assert.match(explained(1, 35), /^≈ Too few samples to trust: fewer than 20/);
  assert.match(explained(0, 19), /^≈/);
  assert.equal(explained(0, 20), "");
  assert.equal(explained(20, 20), "");
});

test("the uncertainty of a share is that of Wilson's interval", () => {
  // 10 of 100: 5.52 % to 17.44 %, a textbook value.
  assert.ok(Math.abs(uncertaintyPoints(10, 100) - (17.44 - 5.52) / 2) < 0.01);
  assert.ok(uncertaintyPoints(0, 10) > 10, "nothing seen in ten samples is not nothing");
  assert.equal(uncertaintyPoints(0, 0), 0);
});

test("functions that the compiler made are known by their names", () => {
  assert.equal(generatedFrom("demo_reports:'-sales/1-lc$^0/1-0-'/2"), "comprehension");
  assert.equal(generatedFrom("demo:'-start/0-fun-1-'/0"), "fun");
  assert.equal(generatedFrom("demo:'-start/0-anonymous-1-'/0"), "fun");
  assert.equal(generatedFrom("'Elixir.Shop':'-sum/1-fun-0-'/2"), "fun");
  assert.equal(generatedFrom("'Elixir.Shop':'-bytes/1-lbc$^0/2-0-'/2"), "comprehension");
  assert.equal(generatedFrom("'Elixir.Shop':'-price/1-_@4/2-0-'/3"), "comprehension");
  assert.equal(generatedFrom("'Elixir.Shop':'-price/1-_4/2-0-'/3"), "comprehension", "compiled by OTP 29");
  assert.equal(generatedFrom("demo:'-start/0-_@4/2-0-'/3"), "fun");
  assert.equal(generatedFrom("demo:'-start/0-Loop/1-0-'/2"), "fun");
  assert.equal(generatedFrom("demo:'-start/0-lists^map/1-0-'/2"), null);
  assert.equal(generatedFrom("lists:sort/1"), null);
});

test("what comes together on one line is added up, and never more than certain", () => {
  const lines: LineCounts[][] = [
    [
      { line: 10, own: 40, self: 5, total: 50 },
      { line: 11, own: 20, self: 20, total: 20 },
    ],
    [{ line: 10, own: 0, self: 30, total: 30 }],
  ];
  const capture = capturing(lines);
  const mapped: MappedFile = {
    fit: "edited",
    functions: [],
    lines: [
      { functionIndex: 0, capturedLine: 10, line: 12, state: "moved" },
      { functionIndex: 1, capturedLine: 10, line: 12, state: "changed" },
      { functionIndex: 0, capturedLine: 11, line: 0, state: "gone" },
    ],
  };
  const choice = { attribution: "self", whole: 100, minimumPercent: 0 } as const;
  const heat = heatLines(capture, mapped, choice);
  assert.deepEqual(heat, [
    {
      line: 12,
      own: 40,
      self: 35,
      total: 50,
      level: 5,
      state: "changed",
      places: [
        { functionIndex: 1, capturedLine: 10, samples: 30 },
        { functionIndex: 0, capturedLine: 10, samples: 5 },
      ],
    },
  ]);
  assert.equal(heatLines(capture, mapped, choice, 3500)[0]?.level, 1, "on the scale of the capture");
  assert.equal(heatLines(capture, mapped, { ...choice, attribution: "own" })[0]?.places[0]?.functionIndex, 0);
  assert.equal(hottestLine(capture, "self"), 30);
  assert.equal(hottestLine(capture, "own"), 40);
});

test("hot lines are gone through by heat, round and round, from the hottest one", () => {
  const lines = byHeat([
    { file: 0, line: 3, samples: 5 },
    { file: 0, line: 9, samples: 40 },
    { file: 1, line: 2, samples: 5 },
    { file: 1, line: 4, samples: 90 },
  ]);
  assert.deepEqual(
    lines.map(({ samples, line }) => [samples, line]),
    [
      [90, 4],
      [40, 9],
      [5, 3],
      [5, 2],
    ],
  );
  assert.equal(nextHotLine(lines, { file: 1, line: 4 }, 1), 1);
  assert.equal(nextHotLine(lines, { file: 0, line: 9 }, -1), 0);
  assert.equal(nextHotLine(lines, { file: 1, line: 2 }, 1), 0, "from the coolest to the hottest");
  assert.equal(nextHotLine(lines, { file: 1, line: 4 }, -1), 3, "from the hottest to the coolest");
  assert.equal(nextHotLine(lines, { file: 0, line: 4 }, 1), 0, "from a line without heat to the hottest");
  assert.equal(nextHotLine(lines, { file: -1, line: 77 }, -1), 0, "from another file to the hottest");
  assert.equal(nextHotLine([], { file: 0, line: 1 }, 1), -1);
});

test("nothing in a hover is markup but ours", () => {
  const name = "evil:'](command:workbench.action.quit) <img src=x> **x**'/1";
  const capture = capturing([[]], name);
  const link = () => "command:ours";
  const detail = {
    own: 0,
    self: 10,
    total: 20,
    called: [],
    classes: [{ sampleClass: "copy" as const, samples: 10 }],
    callers: [{ functionIndex: 0, line: 3, samples: 20 }],
    callees: [],
  };
  const text = hoverMarkdown({ functionIndex: 0 }, detail, "changed", {
    capture,
    words,
    language: "en",
    minimumSamples: 20,
    percentOf: "busy" as const,
    link,
    workLink: link,
  });
  assert.deepEqual(
    [...text.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map((match) => match[1]),
    ["command:ours"],
  );
  assert.doesNotMatch(text, /(?<!\\)<img/);
  assert.match(text, /edited after/);
  assert.match(text, /Copying terms/);
  assert.match(text, /≈ Too few samples to trust/);
  assert.match(text.replaceAll("\\", ""), /\| Copying terms \| ≈ 100\.0% \|/);
  const classes = [{ sampleClass: "copy" as const, samples: 20 }];
  const enough = hoverMarkdown({ functionIndex: 0 }, { ...detail, self: 20, classes }, "exact", {
    capture,
    words,
    language: "en",
    minimumSamples: 20,
    percentOf: "busy" as const,
    link,
    workLink: link,
  });
  assert.doesNotMatch(enough, /≈|Too few/);
});

test("a hover splits the time of own code by what it called, each a link", () => {
  const capture = { ...capturing([[], []], "Enum.sort_by/2"), isOwnCode: (index: number) => index === 0 };
  const called = [
    { functionIndex: 1, sampleClass: null, samples: 31 },
    { functionIndex: -1, sampleClass: "gc" as const, samples: 9 },
    { functionIndex: -1, sampleClass: "erlang" as const, samples: 10 },
  ];
  const callers = [{ functionIndex: 1, line: 3, samples: 80 }];
  const detail = { own: 50, self: 19, total: 80, called, classes: [], callers, callees: callers };
  const context = {
    capture,
    words,
    language: "en",
    minimumSamples: 20,
    percentOf: "busy" as const,
    link: (index: number) => `source:${index}`,
    workLink: (index: number, work: string) => `work:${index}:${work}`,
  };
  const text = hoverMarkdown({ functionIndex: 0 }, detail, "exact", context);
  assert.match(
    text.replaceAll("\\", ""),
    /50.0% own ± [\d.]+ \(50\) · ≈ 19.0% self ± [\d.]+ \(19\) · 80.0% total ± [\d.]+ \(80\) · of 100 busy/,
  );
  const rows = text.split("\n").filter((line) => line.startsWith("| ") && line.includes("█"));
  assert.deepEqual(
    rows.map((row) => row.replaceAll("\\", "").replace(/ \| █+ \|$/, "")),
    [
      "| [Enum.sort_by/2](source:1) | 62.0%",
      "| [Garbage collection](work:0:gc) | ≈ 18.0%",
      "| the function itself | ≈ 20.0%",
    ],
  );
  const bars = rows.map((row) => row.replaceAll(/[^█]/g, "").length);
  assert.deepEqual(bars, [12, 4, 4], "twenty blocks are all of it");
  const small = [24, 26, 950].map((samples) => ({ functionIndex: 1, sampleClass: null, samples }));
  const barsOf = hoverMarkdown({ functionIndex: 0 }, { ...detail, own: 1000, called: small }, "exact", context)
    .split("\n")
    .flatMap((line) => /% \| (█*) \|$/.exec(line)?.[1]?.length ?? []);
  assert.deepEqual(barsOf, [0, 1, 19], "what rounds to no block has none");
  assert.doesNotMatch(text, /Calls:/);
  const without = hoverMarkdown({ functionIndex: 0 }, { ...detail, own: 0, self: 0, called: [] }, "exact", context);
  assert.match(
    without.replaceAll("\\", ""),
    /^0.0% own ± [\d.]+ \(0\) · 0.0% self ± [\d.]+ \(0\) · 80.0% total/m,
    "own code without own time is marked as such",
  );
  assert.match(without, /Calls:/);
});

test("a line that was inlined begins with its sum, and each part names its function", () => {
  const capture = {
    ...capturing([[{ line: 10, own: 20, self: 20, total: 30 }], [{ line: 10, own: 5, self: 5, total: 6 }]]),
    isOwnCode: () => true,
  };
  const at = { capturedLine: 10, line: 12, state: "exact" } as const;
  const heatOf = (...inlined: (string | undefined)[]) => {
    const lines = inlined.map((inlinedFrom, functionIndex) => ({
      ...at,
      functionIndex,
      ...(inlinedFrom === undefined ? {} : { inlinedFrom }),
    }));
    const [line] = heatLines(
      capture,
      { fit: "same", functions: [], lines },
      { attribution: "own", whole: 100, minimumPercent: 0 },
    );
    assert.ok(line !== undefined);
    return line;
  };
  const context = {
    capture,
    words,
    language: "en",
    minimumSamples: 20,
    percentOf: "busy" as const,
    link: () => "link",
    workLink: () => "link",
  };
  const whole = (...inlined: (string | undefined)[]) =>
    lineMarkdown(heatOf(...inlined), ["A: this line 1% before"], context).replaceAll("\\", "");
  assert.match(
    whole("handle_event/3", "handle_event/3"),
    /^\*\*Line 12\*\* · 25\.0% own ± [\d.]+ \(25 of 100 busy samples\) · handle_event\/3 is inlined into 2 functions\n\nCompared with A: this line 1% before$/,
  );
  assert.match(whole("handle_event/3"), / · handle_event\/3 is inlined into 1 function\n/);
  assert.match(whole("handle_event/3", undefined), / · in 2 functions\n/);
  assert.ok(!hasWholeLine(heatOf(undefined)), "all of the line is that function's");
  const detail = { own: 20, self: 20, total: 30, called: [], classes: [], callers: [], callees: [] };
  const [place] = heatOf("handle_event/3").places;
  assert.ok(place !== undefined);
  assert.match(hoverMarkdown(place, detail, "exact", context), /^inlined into \*\*m\\:f\/1\*\*/);
});

test("a hover has at most six rows of what own time went to, so that the callers are in sight below them", () => {
  const capture = { ...capturing([[], []]), isOwnCode: () => true };
  const context = {
    capture,
    words,
    language: "en",
    minimumSamples: 20,
    percentOf: "busy" as const,
    link: () => "link",
    workLink: () => "link",
  };
  const rowsOf = (count: number) => {
    const called = Array.from({ length: count }, () => ({ functionIndex: 1, sampleClass: null, samples: 10 }));
    const detail = { own: 100, self: 0, total: 100, called, classes: [], callers: [], callees: [] };
    const text = hoverMarkdown({ functionIndex: 0 }, detail, "exact", context).replaceAll("\\", "");
    return text.split("\n").filter((line) => line.startsWith("| ") && line.includes("█"));
  };
  assert.equal(rowsOf(6).length, 6);
  assert.equal(rowsOf(9).length, 6);
  assert.match(rowsOf(9)[5] ?? "", /^\| 4 others \| 40\.0%/);
});

function capturing(lines: LineCounts[][], name = "m:f/1"): Capture {
  const functions = lines.map(() => ({
    name,
    rawName: name,
    kind: "erlang" as const,
    file: "m.erl",
    headLine: 1,
    object: "",
  }));
  const sum = (index: number, of: "own" | "self" | "total") =>
    (lines[index] ?? []).reduce((all, line) => all + line[of], 0);
  // Only the parts that the annotations of a document request.
  return {
    functions,
    facts: { unit: "samples" },
    totals: { samples: 100, busy: 100 },
    isOwnCode: () => false,
    functionLines: (index: number) => lines[index] ?? [],
    functionCounts: (index: number) => ({
      own: sum(index, "own"),
      self: sum(index, "self"),
      total: sum(index, "total"),
    }),
  } as unknown as Capture;
}
