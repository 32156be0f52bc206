// Each view has its percentages of the base that the user has set: a view that names busy samples as the base of its own
// accord differs from the others when all samples are set.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ComparedSide } from "../../../contract/messages/compare.js";
import { STRINGS as COMPARE } from "../../../webviews/compare/strings.js";
import { STRINGS as HISTORY } from "../../../webviews/history/strings.js";
import { GERMAN_TEXTS } from "../german.js";

const OF_BUSY = /\bpercent\((?:[^(),]|\([^()]*\))+,\s*(?:[\w.]+\.)?busy\w*\s*[,)]/g;

test("no view takes its percentages of busy samples whatever is set", () => {
  assert.match("percent(hot.samples, opened.capture.totals.busy, language)", OF_BUSY);
  const files = ["extension/src", "webviews"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
  const found = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(OF_BUSY)].map(([text]) => `${file}: ${text}`),
  );
  assert.ok(files.length > 100);
  assert.deepEqual(found, []);
});

test("comparisons and histories keep the busy samples, whatever is set: their headings and the setting state it", () => {
  const named = [COMPARE.measureHelp.share(), HISTORY.measures.share()];
  for (const text of named) {
    assert.match(text, /^Percent of the busy samples, as always in comparisons/);
    assert.match(GERMAN_TEXTS[text] ?? "", /^Prozent der aktiven Samples, wie in Vergleichen immer/);
  }
  const settings = JSON.parse(readFileSync("package.nls.json", "utf8")) as Record<string, string>;
  assert.match(settings["setting.percentOf"] ?? "", /Comparisons and histories always use the busy samples/);
});

test("idle time, which is in no percentage of a comparison, is one figure of each side in its heading", () => {
  const side: ComparedSide = { name: "a", captures: ["a.pb.gz"], samples: 1_000, busy: 750, seconds: 30, work: 12 };
  assert.equal(COMPARE.sideNow(side, "orders"), "a: 1 capture, 750 busy samples in 30 s, idle 25.0% of all, 12 orders");
  assert.equal(
    COMPARE.sideNow({ ...side, samples: 750, work: null }, ""),
    "a: 1 capture, 750 busy samples in 30 s",
    "a profile of another tool has no idle samples",
  );
});
