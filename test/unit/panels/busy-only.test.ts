import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { busyOnly } from "../../../extension/src/panels/capture-panel/busy-only.js";
import { ProfileBuilder } from "../capture/profile-builder.js";

/** As eflambe's stacks come in: only those of SLEEP have a class. */
test("samples without a class are busy ones where only idle ones have a class", () => {
  const builder = new ProfileBuilder().type("samples", "count").function(1, "m:f/1").function(2, "SLEEP");
  builder.location(1, [[1, 0]]).location(2, [[2, 0]]);
  const idle = { key: builder.string("class"), text: builder.string("idle") };
  builder.sample({ locations: [1], values: [5] }).sample({ locations: [2], values: [7], labels: [idle] });
  const capture = decodeCapture(builder.gzip());
  assert.deepEqual(capture.totals, { samples: 12, busy: 5 });
  const { samples, rows } = capture.top(busyOnly(capture));
  assert.equal(samples, 5);
  assert.deepEqual(
    rows.map(({ name, self }) => [name, self]),
    [["m:f/1", 5]],
  );
});
