import assert from "node:assert/strict";
import { test } from "node:test";
import { percent } from "../../../contract/percent.js";
import { pidOf } from "../../../extension/src/targets/attach-arguments.js";
import { baseName, fileName } from "../../../extension/src/text/base-name.js";

test("shares are written as the language writes them", () => {
  assert.deepEqual([percent(1, 3, "en", "tenths"), percent(1, 2, "en", "tenths"), percent(0, 0, "en", "tenths"), percent(5, -1, "en", "tenths")], ["33.3%", "50.0%", "0.0%", "0.0%"]);
  assert.deepEqual([percent(1, 3, "en", "rough"), percent(1, 2, "en", "rough"), percent(1.5, 1, "en", "rough")], ["33.3%", "50%", "150%"]);
  assert.equal(percent(12.34, 100, "en", "whole"), "12%");
  assert.equal(percent(1, 3, "de", "tenths"), "33,3\u00a0%");
});

test("the last part of a path, of a reported one on any system", () => {
  assert.deepEqual(["/a/b.erl", "b.erl", "C:\\a\\b.erl", "/a/b/", "/", ""].map(baseName), ["b.erl", "b.erl", "b.erl", "b", "", ""]);
  assert.deepEqual(
    ["/a/b.pb.gz", "/a\\b.pb.gz", "/"].map((path) => fileName({ path })),
    ["b.pb.gz", "a\\b.pb.gz", ""],
  );
});

test("the process id among arguments", () => {
  assert.deepEqual([{ pid: 7 }, { pid: 7, node: "x" }, { pid: 0 }, { pid: -1 }, { pid: 1.5 }, { pid: "7" }, { pid: 2 ** 30 }, {}, null, undefined, 7].map(pidOf), [
    7,
    7,
    ...Array.from({ length: 9 }, () => undefined),
  ]);
});
