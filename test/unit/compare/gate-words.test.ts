// The answers of gates on the page: in English to the letter those of the command line, in other languages from their facts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Gate, Reason } from "../../../contract/editor-module.generated.js";
import type { ComparedGate, ComparedNote } from "../../../contract/messages/compare.js";
import { ANSWER_SIGNS, gateText } from "../../../webviews/compare/gate-words.js";

const JUDGEMENT = readFileSync("native-helper/crates/verdict/compare/src/judgement.rs", "utf8");
const LINE = "whole.slower>5% cannot tell: the line of the command line";
const MEASURED = {
  name: "the whole",
  value: 4.25,
  low: -1.5,
  high: 9,
  limit: 5,
  unit: "%",
} as const;
const TRACED: ComparedNote = {
  kind: "tracing_on_one_side",
  values: ["before", "after"],
  text: "calls were traced in before and not in after",
};

function judged(gate: Partial<Gate>): ComparedGate {
  const condition = "whole.slower>5%";
  const whole: Gate = {
    condition,
    measure: "work",
    answer: "cannot_tell",
    certainty: "unknown",
    met_by: [],
    undecided: [],
    counts: [0, 0],
    ...gate,
  };
  return { condition, gate: whole, text: LINE };
}

/** The sentences of another language, whose translations are missing here. */
const otherwise = (gate: Partial<Gate>, notes: readonly ComparedNote[] = []) => gateText(judged(gate), notes, "de");
const doubt = (reason: Reason, values: string[], text = "in English") => ({ reason, values, text, fix: "" });

test("in English, and where there is no answer, the line is that of the command line", () => {
  assert.equal(gateText(judged({ measured: MEASURED }), [], "en"), LINE);
  assert.equal(gateText(judged({ measured: MEASURED }), [], "en-GB"), LINE);
  const unreadable = { condition: "slow>2%", gate: null, text: "`slow>2%` is no condition" };
  assert.equal(gateText(unreadable, [], "de"), "`slow>2%` is no condition");
});

test("the signs are those of the command line", () => {
  for (const [answer, sign] of Object.entries(ANSWER_SIGNS)) {
    const variant = answer.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    assert.ok(JUDGEMENT.includes(`Self::${variant} => "${sign}"`), answer);
  }
});

test("an answer has its figures, its reasons and what would decide", () => {
  const interval = { ...doubt("interval", ["the whole"]), captures: 14 };
  assert.equal(
    otherwise({ measured: MEASURED, doubts: [interval] }),
    "whole.slower>5% cannot tell: Whole program: +4,3 % (−1,5 … +9,0), limit 5 %; CPU per unit of work; " +
      "the interval contains the limit; take about 14 captures of this length for each side, or as many pairs",
  );
  assert.equal(
    otherwise({
      answer: "holds",
      measure: "share",
      met_by: [{ ...MEASURED, name: "shop:total/1", column: "own", unit: "pp", less: true, low: 3, value: 4, high: 5 }],
      counts: [3, 0],
      cautions: ["one_capture"],
    }),
    "whole.slower>5% holds: shop:total/1 (own): 4,0 pp (3,0 … 5,0) less, limit 5 pp; 2 more; Share of busy samples; " +
      "with one capture on a side, the difference between runs is assumed",
  );
  assert.equal(
    otherwise({ answer: "does_not_hold", known_pct: 71.6, unmatched_pct: 12 }),
    "whole.slower>5% does not hold: the intervals of 72% of the time end below the limit; CPU per unit of work; " +
      "of 12% of the time it cannot tell: it is not known which functions these are on the other side",
  );
  assert.match(otherwise({ answer: "does_not_hold", touched: 0 }), /the commit touched no function with such samples/);
  assert.match(
    otherwise({ answer: "does_not_hold", touched: 2, touched_pct: 0.4, known_pct: 10 }),
    /the functions that the commit touched take less than 1% of the time together/,
  );
});

test("a reason that is a caveat has its words, others those of their kind, and the rest stays English", () => {
  const of = (one: ReturnType<typeof doubt>, notes: readonly ComparedNote[] = []) =>
    otherwise({ doubts: [one] }, notes).replace("whole.slower>5% cannot tell: ", "");
  assert.equal(
    of(doubt("unlike_sides", TRACED.values as string[], TRACED.text), [TRACED]),
    "Calls were traced in before and not in after: tracing takes time of its own, which counts as that of the traced functions",
  );
  assert.equal(of(doubt("too_few_samples", ["a:b/1", "7"])), "a:b/1 has 7 samples on both sides together");
  assert.equal(of(doubt("too_few_samples", ["7"])), "in English");
  assert.equal(of(doubt("not_compared", ["idle"])), "idle is no work, and a comparison leaves it out");
  assert.equal(
    of(doubt("slow_machine", ["1000", "1200", "2000", "2400"])),
    "processors ran at 1000 to 1200 MHz before and at 2000 to 2400 MHz after",
  );
  assert.match(of(doubt("slow_machine", ["+9.0", "+8.0", "+10.0"])), /^functions of the same code .* \+9\.0%/);
  assert.equal(of(doubt("unlike_sides", ["a"])), "in English");
  const four = [1, 2, 3, 4].map((at) => doubt("one_side", [`f${String(at)}`]));
  assert.match(otherwise({ doubts: four, more_doubts: 2 }), /f3 is on one side only; 3 more reasons$/);
});
