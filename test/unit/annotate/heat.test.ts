import assert from "node:assert/strict";
import { test } from "node:test";
import { heatLines, hottestLine } from "../../../extension/src/annotate/document-heat.js";
import { generatedFrom, lensText, uncertaintyPoints } from "../../../extension/src/annotate/figures.js";
import { heatLevel } from "../../../extension/src/annotate/heat-level.js";
import { nextPlace } from "../../../extension/src/annotate/hot-line-order.js";
import { hoverMarkdown } from "../../../extension/src/annotate/hover-text.js";
import type { Capture, LineCounts } from "../../../extension/src/capture/questions.js";
import type { MappedFile } from "../../../extension/src/sources/mapped-file.js";

const words = { t: (message: string, ...values: (string | number | boolean)[]) => message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])) };

test("the hottest line has level 5, cooler ones less, and what is below the minimum none", () => {
  const scale = { hottest: 100, busy: 1000, minimumPercent: 0.3 };
  assert.equal(heatLevel(100, scale), 5);
  assert.equal(heatLevel(200, scale), 5, "a line hotter than the scale stays in it");
  assert.deepEqual(
    [4, 16, 36, 64].map((own) => heatLevel(own, scale)),
    [1, 2, 3, 4],
  );
  assert.equal(heatLevel(3, scale), 1);
  assert.equal(heatLevel(2, scale), 0, "0.2 % of the busy samples");
  assert.equal(heatLevel(0, { hottest: 0, busy: 0, minimumPercent: 0 }), 0);
});

test("a lens says self, total and samples, and marks what too few samples say", () => {
  const format = { words, language: "en", minimumSamples: 20 };
  assert.equal(lensText({ self: 123, total: 456 }, 1000, format), "12.3% self · 45.6% total · 456 samples");
  assert.equal(lensText({ self: 1, total: 19 }, 1000, format), "≈ 0.1% self · 1.9% total · 19 samples");
  assert.equal(lensText({ self: 0, total: 0 }, 0, format), "≈ 0.0% self · 0.0% total · 0 samples");
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
  assert.equal(generatedFrom("lists:sort/1"), null);
});

test("what comes together on one line is added up, and never more than certain", () => {
  const lines: LineCounts[][] = [
    [
      { line: 10, self: 5, total: 50 },
      { line: 11, self: 20, total: 20 },
    ],
    [{ line: 10, self: 30, total: 30 }],
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
  const heat = heatLines(capture, mapped, { busy: 100, minimumPercent: 0 });
  assert.deepEqual(heat, [
    {
      line: 12,
      self: 35,
      total: 50,
      level: 5,
      state: "changed",
      places: [
        { functionIndex: 1, capturedLine: 10, self: 30 },
        { functionIndex: 0, capturedLine: 10, self: 5 },
      ],
    },
  ]);
  assert.equal(heatLines(capture, mapped, { busy: 100, minimumPercent: 0 }, 3500)[0]?.level, 1, "on the scale of the capture");
  assert.equal(hottestLine(capture), 30);
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
  const detail = { self: 10, total: 20, classes: [{ sampleClass: "copy" as const, samples: 10 }], callers: [{ functionIndex: 0, line: 3, samples: 20 }], callees: [] };
  const text = hoverMarkdown(0, detail, "changed", { capture, words, language: "en", link });
  assert.deepEqual(
    [...text.matchAll(/(?<!\\)\]\(([^)]*)\)/g)].map((match) => match[1]),
    ["command:ours"],
  );
  assert.doesNotMatch(text, /(?<!\\)<img/);
  assert.match(text, /edited after/);
  assert.match(text, /Copying terms/);
});

function capturing(lines: LineCounts[][], name = "m:f/1"): Capture {
  const functions = lines.map(() => ({ name, rawName: name, kind: "erlang" as const, file: "m.erl", headLine: 1, object: "" }));
  const sum = (index: number, of: "self" | "total") => (lines[index] ?? []).reduce((all, line) => all + line[of], 0);
  // Only what the annotations of a document ask for.
  return {
    functions,
    totals: { samples: 100, busy: 100 },
    functionLines: (index: number) => lines[index] ?? [],
    functionCounts: (index: number) => ({ self: sum(index, "self"), total: sum(index, "total") }),
  } as unknown as Capture;
}
