// The facts of a flight recorder as a helper states them, which may be one on a host that lies.
import assert from "node:assert/strict";
import { test } from "node:test";
import { knownFile, knownLook } from "../../../extension/src/flight-recorder/flight-facts.js";

const HOSTILE = `<b>\u202egnp\u0007${"x".repeat(100_000)}`;

test("a file has the time before its condition held, and the time after", () => {
  const times = { fromSeconds: 100, triggeredSeconds: 130, untilSeconds: 140 };
  assert.deepEqual(knownFile({ captureId: 3, file: "/tmp/a.pb.gz", found: [], ...times }), {
    captureId: 3,
    file: "/tmp/a.pb.gz",
    found: [],
    beforeSeconds: 30,
    afterSeconds: 10,
  });
  const seconds = (of: object) => {
    const { beforeSeconds, afterSeconds } = knownFile({ captureId: 3, file: "a", ...of }) ?? {};
    return [beforeSeconds, afterSeconds];
  };
  assert.deepEqual(seconds({ fromSeconds: 50, triggeredSeconds: 20, untilSeconds: Infinity }), [0, 0]);
  for (const odd of [{ file: "a" }, { captureId: 1.5, file: "a" }, { captureId: 1 }, { captureId: 1, file: 7 }, null])
    assert.equal(knownFile(odd), undefined);
});

test("names of quantities and processes are cut, and have nothing invisible", () => {
  const value = { quantity: HOSTILE, value: -1, isBytes: "yes", process: HOSTILE };
  const { values, unknown, isWriting } = knownLook({ isWriting: 1, values: [value], unknown: [HOSTILE, 7] });
  const [known] = values;
  for (const [text, longest] of [
    [known?.quantity, 40],
    [known?.process, 60],
    [unknown[0], 40],
  ] as const) {
    assert.ok(text !== undefined && text.startsWith("<b>"), text);
    assert.ok(text.length <= longest, text);
    assert.doesNotMatch(text, /[\u202e\u0007]/);
  }
  assert.deepEqual([known?.value, known?.isBytes, unknown.length, isWriting], [undefined, false, 1, false]);
});
