// The headline of a capture, its words, and when the summary opens by itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { ClassShare } from "../../../contract/capture-answers.js";
import type { SummaryData } from "../../../contract/messages/summary.js";
import { isWork } from "../../../contract/sample-classes.js";
import { headlineOf, hottestFunctions, type Headline } from "../../../extension/src/capture/answers/headline.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { headlineWords } from "../../../extension/src/panels/summary/headline-words.js";
import { nextSteps } from "../../../extension/src/panels/summary/next-steps.js";
import { OpensOnce } from "../../../extension/src/panels/summary/opens-once.js";
import type { OwnLine } from "../../../extension/src/panels/summary/summary-data.js";
import { SummarySession } from "../../../extension/src/panels/summary/summary-session.js";
import { summaryMarkdown } from "../../../extension/src/panels/summary/summary-markdown.js";
import { handClock } from "./hand-clock.js";

const demo = (): Capture => decodeCapture(readFileSync("test/unit/capture/fixtures/demo.pb.gz"));
const words = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};
const FUNCTIONS = [
  { name: "shop:sales/1", rawName: "", kind: "erlang", file: "", headLine: 0, object: "" },
  { name: "shop:stock/2", rawName: "", kind: "erlang", file: "", headLine: 0, object: "" },
] as const;

function sentence(headline: Partial<Headline>, more: { busy?: number; isWaits?: boolean; unit?: string } = {}): string {
  const parts = headlineWords(
    { kinds: [], cause: undefined, hottest: undefined, ...headline },
    {
      functions: FUNCTIONS,
      totals: { samples: 2000, busy: more.busy ?? 1000 },
      percentOf: "busy",
      isWaits: more.isWaits ?? false,
      unit: more.unit ?? "samples",
      minimumSamples: 20,
      words,
      language: "en",
    },
  );
  return parts.map((part) => (typeof part === "string" ? part : `[${part.name}]`)).join("");
}
const kind = (sampleClass: ClassShare["sampleClass"], samples: number): ClassShare => ({ sampleClass, samples });

describe("the headline of a capture", () => {
  test("its figures are those of lenses and blame", () => {
    const capture = demo();
    const { kinds, hottest, cause } = headlineOf(capture, "self");
    assert.equal(
      kinds.reduce((sum, { samples }) => sum + samples, 0),
      capture.totals.busy,
    );
    assert.ok(kinds.every(({ sampleClass }) => isWork(sampleClass)));
    const self = capture.functions.map(({ kind: frame }, index) =>
      frame === "erlang" ? capture.functionCounts(index).self : 0,
    );
    assert.equal(hottest?.samples, Math.max(...self));
    assert.equal(hottest?.samples, self[hottest?.functionIndex ?? -1]);
    assert.equal(kinds[0]?.sampleClass, "gc");
    const first = capture.blame("gc").callers.find(({ functionIndex }) => functionIndex >= 0);
    assert.deepEqual(cause, { functionIndex: first?.functionIndex, samples: first?.samples });
  });

  test("of blocked time names that", () => {
    const blocked = { unit: "ms of blocked time" };
    assert.equal(
      sentence({ kinds: [kind(null, 1000)], hottest: { functionIndex: 0, samples: 400 } }, blocked),
      "The largest part of the blocked time is in [shop:sales/1] (40%).",
    );
    assert.equal(
      sentence({}, { ...blocked, busy: 0 }),
      "This capture contains no time in which a scheduler was blocked.",
    );
  });

  test("the hottest functions are the first ones of the table, in its order", () => {
    const capture = demo();
    const expected = capture.functions
      .map(({ kind: frame }, index) => (frame === "erlang" ? capture.functionCounts(index).total : 0))
      .filter((samples) => samples > 0)
      .sort((one, other) => other - one);
    for (const most of [1, 2, 5, 50])
      assert.deepEqual(
        hottestFunctions(capture, "total", most).map(({ samples }) => samples),
        expected.slice(0, most),
      );
  });

  test("a kind of work with a third of the samples is named with its cause", () => {
    const cause = { functionIndex: 0, samples: 300 };
    assert.equal(
      sentence({ kinds: [kind("gc", 380), kind("erlang", 300)], cause }),
      "Mostly garbage collection (38%), caused by [shop:sales/1].",
    );
    assert.equal(
      sentence({ kinds: [kind("gc", 380)], cause: { functionIndex: 0, samples: 95 } }),
      "Mostly garbage collection (38%). [shop:sales/1] causes 25% of it.",
    );
    assert.equal(
      sentence({ kinds: [kind("gc", 380)], cause: { functionIndex: 0, samples: 19 } }),
      "Mostly garbage collection (38%). [shop:sales/1] causes ≈ 5% of it.",
    );
  });

  test("without a cause, and where no kind stands out, it names the hottest function", () => {
    const hottest = { functionIndex: 1, samples: 120 };
    assert.equal(
      sentence({ kinds: [kind("erlang", 620)], hottest }),
      "Mostly Erlang code (62%). The hottest function is [shop:stock/2] (12%).",
    );
    assert.equal(
      sentence({ kinds: [kind("erlang", 320), kind("ets", 300), kind("lock", 200), kind("nif", 180)], hottest }),
      "No kind of work stands out: Erlang code (32%), ETS (30%), locks (20%). The hottest function is [shop:stock/2] (12%).",
    );
    assert.equal(sentence({ kinds: [kind(null, 1000)], hottest }), "The hottest function is [shop:stock/2] (12%).");
    assert.equal(
      sentence({ kinds: [kind(null, 1000)], hottest }, { isWaits: true }),
      "Processes mostly wait in [shop:stock/2] (12%).",
    );
  });

  test("a share of few samples is marked, whatever else the finding rests on", () => {
    const hottest = { functionIndex: 1, samples: 12 };
    assert.equal(
      sentence({ kinds: [kind("erlang", 620)], hottest }),
      "Mostly Erlang code (62%). The hottest function is [shop:stock/2] (≈ 1%).",
    );
  });

  test("few samples, and none, are no finding", () => {
    assert.equal(sentence({ kinds: [kind("gc", 19)] }, { busy: 19 }), "Too few busy samples for a finding: 19.");
    assert.equal(sentence({}, { busy: 0 }), "No sample of this capture shows work.");
  });
});

describe("the next steps", () => {
  const actions = (facts: Parameters<typeof nextSteps>[0]) => nextSteps(facts, words).map(({ action }) => action);

  test("depend on the finding", () => {
    assert.deepEqual(actions({ largest: "gc", hasLines: true, mostlyIdle: false, hasSources: true }), [
      "hottestLine",
      "blame",
      "flameGraph",
      "top",
    ]);
    assert.deepEqual(actions({ largest: "erlang", hasLines: false, mostlyIdle: true, hasSources: true }), [
      "sourceRules",
      "waits",
      "flameGraph",
      "top",
    ]);
    // Lines that are gone, or below the least that is hot, may have samples.
    const [toSources] = nextSteps({ largest: null, hasLines: false, mostlyIdle: false, hasSources: true }, words);
    assert.match(toSources?.help ?? "", /^No file of this workspace has hot lines: /);
    assert.deepEqual(actions({ largest: "nif", hasLines: false, mostlyIdle: false, hasSources: false }), [
      "blame",
      "flameGraph",
      "top",
    ]);
    assert.deepEqual(actions({ largest: null, hasLines: false, mostlyIdle: false, hasSources: false }), [
      "flameGraph",
      "top",
    ]);
  });
});

describe("the summary of the capture in view", () => {
  test("has the lines of a capture that came while those of another were searched for", async () => {
    const clock = handClock();
    const captures = [demo(), demo()];
    let current = 0;
    const posted: SummaryData[] = [];
    const searches: ((lines: readonly OwnLine[]) => void)[] = [];
    const session = new SummarySession({
      ...clock,
      words,
      language: "en",
      minimumSamples: () => 20,
      hottestLines: () => new Promise((resolve) => searches.push(resolve)),
      texts: {
        noCapture: "",
        noSamples: () => "",
        noSamplesYet: () => "",
        noSamplesLeft: "",
        remark: () => "",
        failed: () => "",
      },
      current: () => ({
        capture: captures[current] as Capture,
        title: "",
        live: false,
        uri: `file:///${String(current)}.pb.gz`,
        attribution: "self",
        percentOf: "busy",
        minimumSamples: 20,
        originOf: () => undefined,
      }),
      post: (message) => {
        if (message.type === "data") posted.push(message);
      },
      problem: (error) => assert.fail(String(error)),
    });
    session.receive({ type: "ready" });
    current = 1;
    session.captureChanged();
    assert.equal(posted.at(-1)?.lines, null, "not those of the other capture");
    const line = (place: string): OwnLine => ({
      place,
      functionIndex: 0,
      samples: 1,
      text: "",
      open: () => Promise.resolve(),
    });
    searches[0]?.([line("a.erl:1")]);
    await new Promise(setImmediate);
    assert.equal(searches.length, 2, "those of the capture in view are searched for");
    searches[1]?.([line("b.erl:2")]);
    await new Promise(setImmediate);
    assert.deepEqual(
      posted.at(-1)?.lines?.map(({ place }) => place),
      ["b.erl:2"],
    );
    assert.equal(posted.at(-1)?.uri, "file:///1.pb.gz");
    assert.equal(session.line(0)?.place, "b.erl:2");
  });
});

describe("the summary as Markdown", () => {
  test("nothing of a name is markup", () => {
    const data: SummaryData = {
      type: "data",
      uri: "",
      title: "a *b* @c",
      live: false,
      unit: "samples",
      samples: 10,
      busy: 10,
      percentOf: "busy",
      minimumSamples: 5,
      headline: ["Mostly x, caused by ", { functionIndex: 0, name: "`a`|b" }, "."],
      details: [],
      split: [],
      lines: [
        { place: "a|b.erl:1", name: "f`/1", samples: 5, text: "" },
        { place: "b.erl:2", name: "g/1", samples: 4, text: "" },
      ],
      functions: [],
      steps: [],
      problems: [],
    };
    assert.equal(
      summaryMarkdown(data, { line: "Line", fn: "Function", share: "Share" }, "en"),
      [
        "**a \\*b\\* \\@c**",
        "",
        "Mostly x, caused by `` `a`\\|b ``\\.",
        "",
        "| Line | Function | Share |",
        "| --- | --- | ---: |",
        "| `a\\|b.erl:1` | ``f`/1`` | 50.0% |",
        "| `b.erl:2` | `g/1` | ≈ 40.0% |",
        "",
      ].join("\n"),
    );
  });
});

describe("the summary opens by itself", () => {
  const scene = (more: { wanted?: boolean; closed?: boolean } = {}) => {
    let nowMs = 0;
    const opens = new OpensOnce({
      nowMs: () => nowMs,
      isWanted: () => more.wanted ?? true,
      minimumSamples: () => 20,
      wasClosed: () => more.closed ?? false,
    });
    return { opens, at: (ms: number) => (nowMs = ms) };
  };
  const capture = (busy: number, live = true) => ({ uri: "a", busy, live });

  test("once, two seconds after the start, with enough samples", () => {
    const { opens, at } = scene();
    assert.equal(opens.opensFor(capture(1000)), false);
    opens.started("a");
    at(1900);
    assert.equal(opens.opensFor(capture(1000)), false);
    at(2100);
    assert.equal(opens.opensFor(capture(5)), false);
    assert.equal(opens.opensFor({ ...capture(1000), uri: "b" }), false);
    assert.equal(opens.opensFor(capture(1000)), true);
    assert.equal(opens.opensFor(capture(2000)), false);
  });

  test("at the end of a short capture, and of one with few samples; not of one without any", () => {
    for (const [busy, expected] of [
      [5, true],
      [0, false],
    ] as const) {
      const { opens } = scene();
      opens.started("a");
      assert.equal(opens.opensFor(capture(busy, false)), expected);
    }
  });

  test("not where the user does not want it, or has closed it", () => {
    for (const more of [{ wanted: false }, { closed: true }]) {
      const { opens, at } = scene(more);
      opens.started("a");
      at(5000);
      assert.equal(opens.opensFor(capture(1000)), false);
    }
  });
});
