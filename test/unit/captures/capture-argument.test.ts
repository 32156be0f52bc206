import assert from "node:assert/strict";
import { test } from "node:test";
import { captureNameOf } from "../../../extension/src/captures/capture-argument.js";
import { asPlatform } from "../as-platform.js";
import { ENGLISH } from "../recording/fakes.js";

test("an absolute path and an address name a capture, nothing names none", () => {
  assert.deepEqual(captureNameOf("/tmp/shop.pb.gz", ENGLISH), { path: "/tmp/shop.pb.gz" });
  assert.deepEqual(captureNameOf("file:///tmp/shop.pb.gz", ENGLISH), { address: "file:///tmp/shop.pb.gz" });
  assert.deepEqual(captureNameOf("vscode-remote://host/tmp/shop.pb.gz", ENGLISH), {
    address: "vscode-remote://host/tmp/shop.pb.gz",
  });
  assert.equal(captureNameOf(undefined, ENGLISH), undefined);
  assert.equal(captureNameOf(null, ENGLISH), undefined);
});

test("all other arguments are refused, with the way to name a capture", () => {
  for (const given of [
    "captures/shop.pb.gz",
    "shop.pb.gz",
    "./x",
    "~/x.pb.gz",
    "C:\\x.pb.gz",
    "",
    " ",
    5,
    true,
    {},
    [],
    { path: "/x" },
  ]) {
    const answer = captureNameOf(given, ENGLISH);
    assert.ok(answer !== undefined && "fix" in answer, JSON.stringify(given));
    assert.match(answer.what, /names no capture/);
    assert.notEqual(answer.why, "");
    assert.match(answer.fix, /absolute path/);
  }
});

test("on Windows a path with a drive and one of a share are absolute", (t) => {
  asPlatform(t, "win32");
  for (const path of ["C:\\captures\\shop.pb.gz", "c:/captures/shop.pb.gz", "\\\\server\\share\\shop.pb.gz", "/tmp/x"])
    assert.deepEqual(captureNameOf(path, ENGLISH), { path }, path);
  for (const path of ["C:shop.pb.gz", "captures\\shop.pb.gz", "C:"]) {
    const answer = captureNameOf(path, ENGLISH);
    assert.ok(answer !== undefined && "fix" in answer, path);
  }
  assert.deepEqual(captureNameOf("file:///c%3A/x.pb.gz", ENGLISH), { address: "file:///c%3A/x.pb.gz" });
});
