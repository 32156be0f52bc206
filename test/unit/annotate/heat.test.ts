import assert from "node:assert/strict";
import { test } from "node:test";
import { heatLines, hottestLine } from "../../../extension/src/annotate/document-heat.js";
import { generatedFrom, lensText, uncertaintyPoints } from "../../../extension/src/annotate/figures.js";
import { heatLevel, leastShown } from "../../../extension/src/annotate/heat-level.js";
import { nextPlace } from "../../../extension/src/annotate/hot-line-order.js";
import { hoverMarkdown } from "../../../extension/src/annotate/hover-text.js";
import type { Capture, LineCounts } from "../../../extension/src/capture/questions.js";
import type { MappedFile } from "../../../extension/src/sources/mapped-file.js";

const words = { t: (message: string, ...values: (string | number | boolean)[]) => message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])) };

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
  assert.equal(heatLevel(2, { hottest: 2, wanted: 3, least: 1 }), 1, "shown, but not hot, though nothing in the file is hotter");
});

test("small parts are shown where they make up more than a tenth of the whole together", () => {
  assert.equal(leastShown([900, 50, 30, 20], 100), 100);
  assert.equal(leastShown([800, 50, 50, 50, 50], 100), 50);
  assert.equal(leastShown([1, 1, 1], 100), 1);
  assert.equal(leastShown([], 100), 100);
});

test("a lens says own or self, total and samples, and marks what too few samples say", () => {
  const format = { words, language: "en", minimumSamples: 20 };
  assert.equal(lensText({ own: 300, self: 123, total: 456 }, "own", 1000, format), "30.0% own · 45.6% total · 456 samples");
  assert.equal(lensText({ own: 300, self: 123, total: 456 }, "self", 1000, format), "12.3% self · 45.6% total · 456 samples");
  assert.equal(lensText({ own: 0, self: 123, total: 456 }, "own", 1000, format), "0.0% own · 45.6% total · 456 samples");
  assert.equal(lensText({ own: 0, self: 1, total: 19 }, "self", 1000, format), "≈ 0.1% self · 1.9% total · 19 samples");
  assert.equal(lensText({ own: 0, self: 0, total: 0 }, "total", 0, format), "≈ 0.0% self · 0.0% total · 0 samples");
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
  const choice = { measure: "self", busy: 100, minimumPercent: 0 } as const;
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
  assert.equal(heatLines(capture, mapped, { ...choice, measure: "own" })[0]?.places[0]?.functionIndex, 0);
  assert.equal(hottestLine(capture, "self"), 30);
  assert.equal(hottestLine(capture, "own"), 40);
});

test("next and previous hot line go round all files", () => {
  const places = [
    { file: 0, line: 3 },
    { file: 0, line: 9 },
    { file: 1, line: 4 },
  ];
  assert.equal(nextPlace(places, { file: 0, line: 3 }, 1), 1);
  assert.equal(nextPlace(places, { file: 0, line: 9 }, 1), 2);
  assert.equal(nextPlace(places, { file: 1, line: 4 }, 1), 0);
  assert.equal(nextPlace(places, { file: 0, line: 3 }, -1), 2);
  assert.equal(nextPlace(places, { file: 1, line: 1 }, -1), 1);
  assert.equal(nextPlace(places, { file: -1, line: 77 }, 1), 0, "from a file without heat to the hottest one");
  assert.equal(nextPlace([], { file: 0, line: 1 }, 1), -1);
});

test("nothing in a hover is markup but ours", () => {
  const name = "evil:'](command:workbench.action.quit) <img src=x> **x**'/1";
  const capture = capturing([[]], name);
  const link = () => "command:ours";
  const detail = { own: 0, self: 10, total: 20, called: [], classes: [{ sampleClass: "copy" as const, samples: 10 }], callers: [{ functionIndex: 0, line: 3, samples: 20 }], callees: [] };
  const text = hoverMarkdown(0, detail, "changed", { capture, words, language: "en", link, workLink: link });
  assert.deepEqual(
    [...text.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map((match) => match[1]),
    ["command:ours"],
  );
  assert.doesNotMatch(text, /(?<!\\)<img/);
  assert.match(text, /edited after/);
  assert.match(text, /Copying terms/);
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
  const context = { capture, words, language: "en", link: (index: number) => `source:${index}`, workLink: (index: number, work: string) => `work:${index}:${work}` };
  const text = hoverMarkdown(0, detail, "exact", context);
  assert.match(text.replaceAll("\\", ""), /50.0% own \(± [\d.]+\) · 19.0% self · 80.0% total/);
  const rows = text.split("\n").filter((line) => line.startsWith("| ") && line.includes("█"));
  assert.deepEqual(
    rows.map((row) => row.replaceAll("\\", "").replace(/ \| █+ \|$/, "")),
    ["| [Enum.sort_by/2](source:1) | 62.0%", "| [Garbage collection](work:0:gc) | 18.0%", "| its own code | 20.0%"],
  );
  assert.doesNotMatch(text, /Calls:/);
  const without = hoverMarkdown(0, { ...detail, own: 0, self: 0, called: [] }, "exact", context);
  assert.match(without.replaceAll("\\", ""), /0.0% own \(± [\d.]+\) · 0.0% self · 80.0% total/, "own code without own time says so");
  assert.match(without, /Calls:/);
});

test("a hover has at most six rows of what own time went to, so that the callers are in sight below them", () => {
  const capture = { ...capturing([[], []]), isOwnCode: () => true };
  const context = { capture, words, language: "en", link: () => "link", workLink: () => "link" };
  const rowsOf = (count: number) => {
    const called = Array.from({ length: count }, () => ({ functionIndex: 1, sampleClass: null, samples: 10 }));
    const detail = { own: 100, self: 0, total: 100, called, classes: [], callers: [], callees: [] };
    const text = hoverMarkdown(0, detail, "exact", context).replaceAll("\\", "");
    return text.split("\n").filter((line) => line.startsWith("| ") && line.includes("█"));
  };
  assert.equal(rowsOf(6).length, 6);
  assert.equal(rowsOf(9).length, 6);
  assert.match(rowsOf(9)[5] ?? "", /^\| 4 others \| 40\.0%/);
});

function capturing(lines: LineCounts[][], name = "m:f/1"): Capture {
  const functions = lines.map(() => ({ name, rawName: name, kind: "erlang" as const, file: "m.erl", headLine: 1, object: "" }));
  const sum = (index: number, of: "own" | "self" | "total") => (lines[index] ?? []).reduce((all, line) => all + line[of], 0);
  // Only what the annotations of a document ask for.
  return {
    functions,
    totals: { samples: 100, busy: 100 },
    isOwnCode: () => false,
    functionLines: (index: number) => lines[index] ?? [],
    functionCounts: (index: number) => ({ own: sum(index, "own"), self: sum(index, "self"), total: sum(index, "total") }),
  } as unknown as Capture;
}
