import assert from "node:assert/strict";
import { test } from "node:test";
import { wantedTargets } from "../../../extension/src/recording/several-arguments.js";
import { ENGLISH } from "./fakes.js";

test("without targets there is a prompt; with them each is taken once", () => {
  for (const nothing of [undefined, null, {}, { pid: 7 }, "x"])
    assert.equal(wantedTargets(nothing, ENGLISH), undefined);
  assert.deepEqual(
    wantedTargets({ targets: [{ pid: 7 }, { pid: 7, host: "far" }, { pid: 7 }, { pid: 8, name: "ignored" }] }, ENGLISH),
    [{ pid: 7 }, { pid: 7, host: { ssh: "far" } }, { pid: 8 }],
  );
});

test("what makes no sense is refused", () => {
  for (const wrong of [
    [],
    {},
    [7],
    [{ pid: 0 }],
    [{ pid: "7" }],
    [{ pid: 7, host: 1 }],
    [{ pid: 7, host: "-oProxyCommand=x" }],
    [null],
  ])
    assert.throws(() => wantedTargets({ targets: wrong }, ENGLISH), RangeError);
});
