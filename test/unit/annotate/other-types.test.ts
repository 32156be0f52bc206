// Hovers and tooltips of lenses have the types of samples that are not shown, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ENGLISH } from "../../../contract/english.js";
import type { Words } from "../../../contract/plain-text.js";
import { otherTypeText } from "../../../extension/src/annotate/figures.js";
import { hoverMarkdown, otherTypesMarkdown, type HoverContext } from "../../../extension/src/annotate/hover-text.js";
import { otherTypesOf } from "../../../extension/src/annotate/type-figures.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { baselineOf } from "../../../extension/src/sources/drift/baseline.js";
import { CapturePlaces } from "../../../extension/src/sources/mapping/capture-places.js";
import { DocumentView } from "../../../extension/src/sources/mapping/document-view.js";
import { mapFile, otherLines } from "../../../extension/src/sources/mapping/map-file.js";
import { ProfileBuilder } from "../capture/profile-builder.js";
import { GERMAN } from "../german.js";

const BYTES = readFileSync("test/unit/capture/fixtures/blocked.pb.gz");
const MS = 1e6;

const contextOf = (capture: Capture, words: Words = ENGLISH, language = "en"): HoverContext => ({
  capture,
  words,
  language,
  minimumSamples: 20,
  percentOf: "busy",
  link: (index) => `source:${String(index)}`,
  workLink: () => "work",
});

/** Of `waits_on_disk`, all of it own code unless that is not known. */
function waitsOnDisk({ ownCode = true } = {}): Capture {
  const capture = decodeCapture(BYTES);
  const all = capture.functions.flatMap(({ name }, index) => (name.includes("waits_on_disk:") ? [index] : []));
  if (ownCode) capture.addOwnCode(all);
  return capture;
}

/** @param line undefined for the whole function */
function hoverOf(name: string, line: number | undefined, context: HoverContext): string {
  const { capture } = context;
  const functionIndex = capture.functionNamed(`waits_on_disk:${name}`);
  const place = line === undefined ? { functionIndex } : { functionIndex, capturedLine: line };
  return hoverMarkdown(place, capture.placeDetail(functionIndex, line), "exact", context).replaceAll("\\", "");
}

describe("the hover of a line of a capture of two types", () => {
  const SYNC = 17;

  test("has blocked time beside CPU time, and the function with the largest part of it", () => {
    const text = hoverOf("saved/2", SYNC, contextOf(waitsOnDisk()));
    assert.match(text, /^≈ 1\.9% own ± [\d.]+ \(17\) · .* · of 896 busy samples$/m);
    assert.match(
      text,
      /^Also blocked time: 34\.5% own \(513 ms, 84 ms\/s\) · 100\.0% of it in \[prim_file:sync\/1\]\(source:\d+\)$/m,
    );
  });

  test("has CPU time beside blocked time, marked where samples are few", () => {
    const capture = waitsOnDisk();
    capture.show("off-cpu");
    const text = hoverOf("saved/2", SYNC, contextOf(capture));
    assert.match(text, /^34\.5% own \(513 ms\) · .* · of 1,485 ms of blocked time without idle$/m);
    assert.match(text, /^Also CPU time: ≈ 1\.9% own \(17\) · ≈ 100\.0% of it in \[prim_file:sync\/1\]\(source:/m);
    assert.match(text, /^≈ Too few samples to trust: fewer than 20/m);
    assert.equal(text.match(/≈/g)?.length, 3, "no blocked time has the mark");
  });

  test("has the total where it differs, and self and the next function where no code is own", () => {
    assert.match(
      hoverOf("journal/2", undefined, contextOf(waitsOnDisk())),
      /^Also blocked time: 37\.5% own \(557 ms, 91 ms\/s\) · 99\.9% total \(1,483 ms, 243 ms\/s\) · 91\.6% of it in \[lists:/m,
    );
    assert.match(
      hoverOf("saved/2", SYNC, contextOf(waitsOnDisk({ ownCode: false }))),
      /^Also blocked time: 34\.5% total \(513 ms, 84 ms\/s\) · 100\.0% of it in \[prim_file:sync\/1\]/m,
    );
  });

  test("is in the language of the editor", () => {
    assert.match(
      hoverOf("saved/2", SYNC, contextOf(waitsOnDisk(), GERMAN, "de")),
      /^Auch blockierte Zeit: 34,5\s%\s\w+ \(513 ms, 84 ms\/s\) · 100,0\s% davon in \[prim_file:sync\/1\]/m,
    );
  });
});

test("the tooltip of a lens has the other types of the whole function", () => {
  const capture = waitsOnDisk();
  const ofSaved = () => otherTypesOf(capture.functionNamed("waits_on_disk:saved/2"), contextOf(capture));
  assert.deepEqual(ofSaved(), ["Also blocked time: 35.4% own (525 ms, 86 ms/s)"]);
  capture.show("off-cpu");
  assert.deepEqual(ofSaved(), ["Also CPU time: 2.9% own (26)"]);
});

test("rates never look like nothing, and are left out where the time is not known", () => {
  const format = { words: ENGLISH, language: "en", minimumSamples: 0, percentOf: "busy" } as const;
  const blocked = { ...format, unit: "ms of blocked time" };
  assert.equal(
    otherTypeText("off-cpu", { own: null, self: 3, total: 10 }, { whole: 100, seconds: 100 }, blocked),
    "Also blocked time: 3.0% self (3 ms, < 0.1 ms/s) · 10.0% total (10 ms, 0.1 ms/s)",
  );
  assert.equal(
    otherTypeText("off-cpu", { own: 0, self: 3, total: 10 }, { whole: 100, seconds: 0 }, blocked),
    "Also blocked time: 10.0% total (10 ms)",
  );
  assert.equal(
    otherTypeText(
      "alloc",
      { own: 50, self: 0, total: 50 },
      { whole: 100, seconds: 10 },
      { ...format, unit: "kB of allocated memory" },
    ),
    "Also allocated memory: 50.0% own (50 kB, 5.0 kB/s)",
  );
  assert.equal(
    otherTypeText(
      "faults",
      { own: 50, self: 0, total: 50 },
      { whole: 100, seconds: 100 },
      { ...format, unit: "page faults" },
    ),
    "Also page faults: 50.0% own (50, 0.5/s)",
  );
  assert.equal(
    otherTypeText("off-cpu", { own: null, self: 0, total: 0 }, { whole: 100, seconds: 1 }, blocked),
    "",
    "a type with nothing there has no text",
  );
});

describe("a file in which each line has one type", () => {
  const PATH = "/ws/m.erl";
  const TEXT = ["-module(m).", "", "f(X) ->", "    g(X),", "    file:sync(X)."].join("\n");

  function opened() {
    const profile = new ProfileBuilder();
    for (const [name, unit] of [
      ["samples", "count"],
      ["cpu", "nanoseconds"],
      ["off_cpu_blocks", "count"],
      ["off_cpu", "nanoseconds"],
    ] as const)
      profile.type(name, unit);
    profile.periodType("cpu", "nanoseconds", 10 * MS);
    profile
      .comment('extrospect/target {"pid":7,"otp_release":"25"}')
      .comment('extrospect/settings {"frequency_hz":100}')
      .mapping(1, "beam.smp")
      .function(1, "m:f/1", "erlang!m:f/1", "m.erl", 3)
      .location(1, [[1, 4]])
      .location(2, [[1, 5]])
      .sample({ locations: [1], values: [30, 300 * MS, 0, 0] })
      .sample({ locations: [2], values: [0, 0, 1, 5 * MS] });
    const capture = decodeCapture(profile.gzip());
    const functions = new CapturePlaces(capture).withBaseName("m.erl").flatMap((group) => group.functions);
    return { capture, view: new DocumentView(PATH, TEXT, functions, baselineOf(PATH, TEXT, functions, "disk")) };
  }

  test("lines without the type that is shown have the others in their hover", () => {
    const { capture, view } = opened();
    assert.deepEqual(
      mapFile(capture, view).lines.map(({ line }) => line),
      [4],
    );
    const [other, ...further] = otherLines(capture, view);
    assert.deepEqual(further, []);
    assert.ok(other !== undefined);
    assert.deepEqual([other.capturedLine, other.line, other.state], [5, 5, "exact"]);
    const text = (state: "exact" | "changed") =>
      otherTypesMarkdown(other, state, contextOf(capture)).replaceAll("\\", "");
    assert.equal(text("exact"), "**m:f/1**\n\nAlso blocked time: 100.0% self (5 ms)");
    assert.match(text("changed"), /\n\n_This line was edited/);
    capture.show("off-cpu");
    assert.deepEqual(
      otherLines(capture, view).map(({ line }) => line),
      [4],
    );
    assert.equal(otherTypesMarkdown(other, "exact", contextOf(capture)), "", "it has nothing of another type");
  });

  test("what a line lacks is not in its hover", () => {
    const { capture } = opened();
    const context = contextOf(capture);
    const at = (capturedLine: number) =>
      hoverMarkdown({ functionIndex: 0, capturedLine }, capture.placeDetail(0, capturedLine), "exact", context);
    assert.doesNotMatch(at(4), /Also/);
    assert.match(at(5), /Also blocked time/);
  });
});

test("a capture of one type has no other types", () => {
  const capture = decodeCapture(readFileSync("test/unit/capture/fixtures/demo.pb.gz"));
  const context = contextOf(capture);
  const functionIndex = capture.functionNamed("demo_pricing:best_price/2");
  assert.ok(functionIndex >= 0);
  assert.deepEqual(otherTypesOf(functionIndex, context), []);
  assert.doesNotMatch(hoverMarkdown({ functionIndex }, capture.placeDetail(functionIndex), "exact", context), /Also/);
});
