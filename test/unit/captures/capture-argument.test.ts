import assert from "node:assert/strict";
import { test } from "node:test";
import { captureNameOf } from "../../../extension/src/captures/capture-argument.js";
import { ENGLISH } from "../recording/fakes.js";

test("an absolute path and an address name a capture, nothing names none", () => {
  assert.deepEqual(captureNameOf("/tmp/shop.pb.gz", ENGLISH), { path: "/tmp/shop.pb.gz" });
  assert.deepEqual(captureNameOf("file:///tmp/shop.pb.gz", ENGLISH), { address: "file:///tmp/shop.pb.gz" });
  assert.deepEqual(captureNameOf("vscode-remote://host/tmp/shop.pb.gz", ENGLISH), { address: "vscode-remote://host/tmp/shop.pb.gz" });
  assert.equal(captureNameOf(undefined, ENGLISH), undefined);
  assert.equal(captureNameOf(null, ENGLISH), undefined);
});

test("whatever else is given is refused, and is said how to name one", () => {
  for (const given of ["captures/shop.pb.gz", "shop.pb.gz", "./x", "~/x.pb.gz", "C:\\x.pb.gz", "", " ", 5, true, {}, [], { path: "/x" }]) {
    const answer = captureNameOf(given, ENGLISH);
    assert.ok(answer !== undefined && "fix" in answer, JSON.stringify(given));
    assert.match(answer.what, /names no capture/);
    assert.notEqual(answer.why, "");
    assert.match(answer.fix, /absolute path/);
  }
});
