// A file that is written for one of several VMs is in use, though it is not open by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWithFile, type WithFiles } from "../../../extension/src/captures/file-in-use.js";

const one: WithFiles = { uri: "file:///a.pb.gz", live: false };
const nodes = new Map([
  ["b@host", "file:///b.pb.gz"],
  ["c@host", "file:///c.pb.gz"],
]);
const saved: WithFiles = { uri: "together:1", live: false, files: nodes };
const running: WithFiles = { uri: "together:2", live: true, files: nodes };

test("a file belongs to the capture that has it, alone or among others", () => {
  assert.equal(openWithFile([one, saved], "file:///a.pb.gz"), one);
  assert.equal(openWithFile([one, saved], "file:///c.pb.gz"), saved);
  assert.equal(openWithFile([one, saved], "together:1"), saved);
  assert.equal(openWithFile([one, saved], "file:///d.pb.gz"), undefined);
});

test("one that is being written comes first, however its file is open otherwise", () => {
  const alone: WithFiles = { uri: "file:///b.pb.gz", live: false };
  assert.equal(openWithFile([alone, saved, running], "file:///b.pb.gz"), running);
});
