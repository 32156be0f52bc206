// When debug files are fetched, and the texts about the result.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebugFilesResult } from "../../../contract/protocol.generated.js";
import { debugFileLines, debugFileWish, fetchFailure } from "../../../extension/src/recording/debug-file-words.js";
import { settingValue } from "../../../extension/src/setting-values.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "./fakes.js";

const NOTHING: DebugFilesResult = { fetched: [], nobodyHas: [], nobodyHad: [], refused: [] };

test("nothing is fetched unless the user allows it", () => {
  for (const variable of [undefined, "", "  "]) {
    assert.equal(debugFileWish("environment", ["http://a"], variable), undefined, "the list is for `always`");
    assert.equal(debugFileWish("never", ["http://a"], variable), undefined);
    assert.deepEqual(debugFileWish("always", ["http://a"], variable), { wish: "always", servers: ["http://a"] });
  }
  assert.deepEqual(debugFileWish("environment", [], "http://a"), { wish: "environment" });
  assert.equal(debugFileWish("never", [], "http://a"), undefined);
  assert.equal(settingValue("debuginfod.fetch", "sometimes"), "environment", "what makes no sense counts as not set");
  assert.deepEqual(settingValue("debuginfod.servers", ["http://a", 7]), []);
});

test("each thing that came of it is a line of the log, whatever a server calls itself", () => {
  const lines = debugFileLines({
    fetched: [{ object: "beam.smp", file: "/cache/ab/debuginfo", bytes: 12, server: "http://a" }],
    nobodyHas: ["libz.so.1", "x\ny.so"],
    nobodyHad: ["old.so"],
    refused: [
      { server: "http://b", reason: "it lies", objects: ["libc.so.6", "libm.so.6"] },
      { server: null, reason: "curl is missing", objects: [] },
    ],
  });
  assert.deepEqual(lines.slice(0, 3), [
    "Debug file of beam.smp: 12 bytes from http://a",
    "No debug files of libc.so.6, libm.so.6 from http://b: it lies",
    "No debug files of anything: curl is missing",
  ]);
  assert.equal(lines.length, 4);
  assert.ok(!lines.some((line) => line.includes("\n")));
});

test("a message is for when nothing came and something went wrong", () => {
  const refused = [{ server: "http://b", reason: "it lies", objects: ["libc.so.6"] }];
  const fetched = [{ object: "beam.smp", file: "/x", bytes: 1, server: "http://a" }];
  assert.equal(fetchFailure(NOTHING, ENGLISH), undefined);
  assert.equal(
    fetchFailure({ ...NOTHING, nobodyHas: ["libz.so.1"] }, ENGLISH),
    undefined,
    "that no server has a file is no fault",
  );
  assert.equal(fetchFailure({ ...NOTHING, fetched, refused }, ENGLISH), undefined);
  assert.match(
    fetchFailure({ ...NOTHING, refused }, ENGLISH) ?? "",
    /address instead of a name\. http:\/\/b: it lies$/,
  );
});

test("texts of the helper are translated, those of a server or curl stay as they are", () => {
  const refused = [
    {
      server: "http://b",
      reason: "it cannot be reached (Connection refused)",
      messages: { reason: { code: "debugUnreachable", arguments: { detail: "Connection refused" } } },
      objects: ["libc.so.6"],
    },
  ];
  assert.match(
    fetchFailure({ ...NOTHING, refused }, GERMAN) ?? "",
    /^Es konnten keine .*http:\/\/b: er ist nicht erreichbar \(Connection refused\)$/,
  );
  const [first] = refused;
  assert.ok(first);
  const unknown = [{ ...first, messages: { reason: { code: "ofALaterHelper" } } }];
  assert.match(
    fetchFailure({ ...NOTHING, refused: unknown }, GERMAN) ?? "",
    /http:\/\/b: it cannot be reached \(Connection refused\)$/,
  );
});
