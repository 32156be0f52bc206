// The texts of lenses and hovers about a change since the baseline.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change, FunctionChange, Verdict } from "../../../contract/editor-module.generated.js";
import {
  changeForHover,
  changeForLens,
  changeForLine,
  lineForHover,
} from "../../../extension/src/annotate/change-text.js";

const WORDS = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};

const HOVER = { words: WORDS, language: "en", percentOf: "busy" } as const;

function changed(verdict: Verdict, some: Partial<Change> = {}): FunctionChange {
  const own: Change = {
    base: 10.04,
    new: 12.3,
    base_samples: 100,
    new_samples: 120,
    change_pct: 18.2,
    low_pct: 9,
    high_pct: 27.5,
    verdict,
    ...some,
  };
  const none: Change = {
    base: 0,
    new: 0,
    base_samples: 0,
    new_samples: 0,
    change_pct: null,
    low_pct: null,
    high_pct: null,
    verdict: "too_few",
  };
  return {
    function: "shop:cart/1",
    matched_by: "name",
    kind: "erlang",
    file: "src/shop.erl",
    line: 1,
    group: "own",
    own,
    self: none,
    total: none,
  };
}

test("a lens shows certain changes alone, of the time that views use", () => {
  const lens = (change: FunctionChange, attribution: "own" | "self" = "own") =>
    changeForLens(change, attribution, "ab12cd3", WORDS, "en");
  assert.equal(lens(changed("slower")), "▲ +18.2% since ab12cd3");
  assert.equal(lens(changed("faster", { change_pct: -50 })), "▼ -50.0% since ab12cd3");
  assert.equal(lens(changed("new", { change_pct: null })), "✚ new since ab12cd3");
  assert.equal(lens(changed("gone", { change_pct: null })), "✖ gone since ab12cd3");
  assert.equal(lens(changed("noise")), "");
  assert.equal(lens(changed("too_few")), "");
  assert.equal(lens(changed("slower"), "self"), "");
});

test("a hover has both sides, also of what may be chance", () => {
  const hover = (change: FunctionChange) => changeForHover(change, "own", "ab12cd3", HOVER);
  assert.equal(hover(changed("slower")), "ab12cd3: 10.0% before, 12.3% now · between +9.0% and +27.5% · slower");
  assert.equal(
    hover(changed("noise", { low_pct: -3, high_pct: 4 })),
    "ab12cd3: 10.0% before, 12.3% now · between -3.0% and +4.0% · no significant change",
  );
  assert.equal(
    hover(changed("new", { base: 0, low_pct: null, high_pct: null })),
    "ab12cd3: 0.0% before, 12.3% now · new",
  );
});

test("a line has its change beside its figure, and both sides in its hover", () => {
  const line = { before: 5, now: 10, change: "more", isUnsure: false } as const;
  assert.equal(changeForLine(line, "en"), "▲ +100.0%");
  assert.equal(changeForLine({ ...line, now: 2.5, change: "less", isUnsure: true }, "en"), "≈ ▼ -50.0%");
  assert.equal(changeForLine({ ...line, before: 0, change: "new" }, "en"), "✚");
  assert.equal(changeForLine({ ...line, now: 0, change: "gone" }, "en"), "✖");
  assert.equal(changeForLine({ ...line, change: "none" }, "en"), "");
  assert.equal(lineForHover(line, "ab12cd3", HOVER), "ab12cd3: this line 5.0% before, 10.0% now · ▲ +100.0%");
  assert.equal(
    lineForHover({ ...line, now: 5.1, change: "none" }, "ab12cd3", HOVER),
    "ab12cd3: this line 5.0% before, 5.1% now · no significant change",
  );
});

test("where other figures are of all samples, both sides name their own base", () => {
  const ofAll = { ...HOVER, percentOf: "all" } as const;
  assert.match(changeForHover(changed("noise"), "own", "ab12cd3", ofAll), /^ab12cd3: 10.0% of busy before, 12.3% now/);
  const line = { before: 5, now: 10, change: "more", isUnsure: false } as const;
  assert.match(lineForHover(line, "ab12cd3", ofAll), /^ab12cd3: this line 5.0% of busy before, 10.0% now/);
});
