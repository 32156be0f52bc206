// Each view has its percentages of the base that the user has set: a view that names busy samples as the base of its own
// accord differs from the others when all samples are set.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

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
