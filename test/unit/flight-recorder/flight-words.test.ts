// The texts about a VM that is watched, and the offered conditions.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  faultText,
  flightEndText,
  stateText,
  unknownText,
  valueText,
  writtenText,
} from "../../../extension/src/flight-recorder/flight-words.js";
import { flightArguments } from "../../../extension/src/flight-recorder/flight-arguments.js";
import { offeredConditions, withLast } from "../../../extension/src/flight-recorder/last-conditions.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const mailbox = { quantity: "mailbox", value: 12_034, isBytes: false, process: "<0.83.0>" };
const memory = { quantity: "memory", value: 1.2e9, isBytes: true, process: "" };

test("a fault has its place and the possible words there", () => {
  const fault = { at: 8, expected: "operator", options: [">", ">="] } as const;
  assert.equal(
    faultText({ ...fault, options: [...fault.options] }, ENGLISH),
    "At character 8: one of >, >= is expected",
  );
  assert.equal(
    faultText({ at: 3, expected: "joiner", options: ["or", "and"] }, GERMAN),
    "An Zeichen 3: erwartet wird „or“, „and“ oder das Ende",
  );
  for (const expected of ["quantity", "number", "byteUnit", "noUnit", "endOfText", "endOfComparisons"] as const)
    assert.match(
      faultText({ at: 1, expected, options: ["kB"] }, ENGLISH),
      /^At character 1: (.* is expected.*|a condition has at most .*)$/,
    );
  // A helper of a later version may know more.
  assert.equal(
    faultText({ at: 1, expected: "moon" as "number", options: [] }, ENGLISH),
    "At character 1: something else is expected",
  );
});

test("values are written as figures of the language", () => {
  assert.equal(valueText(mailbox, "en"), "mailbox 12,034 (<0.83.0>)");
  assert.equal(valueText(memory, "de"), "memory 1,20 GB");
  assert.equal(valueText({ ...mailbox, value: undefined }), "mailbox ?");
  const look = { isWriting: false, values: [mailbox, memory], unknown: [] };
  assert.equal(stateText(look, 61_000, ENGLISH, "en"), "watching for 1:01: mailbox 12,034 (<0.83.0>) · memory 1.20 GB");
  assert.equal(
    stateText({ ...look, isWriting: true }, 0, ENGLISH, "en"),
    "the condition holds, recording: mailbox 12,034 (<0.83.0>) · memory 1.20 GB",
  );
  assert.equal(stateText(undefined, 2000, ENGLISH, "en"), "watching for 0:02");
  assert.equal(unknownText([], ENGLISH), "");
  assert.match(unknownText(["rss"], ENGLISH), /does not report rss/);
  const file = { captureId: 1, file: "", found: [mailbox], beforeSeconds: 59.6, afterSeconds: 30.4 };
  assert.equal(
    writtenText(file, "shop", ENGLISH, "en"),
    "shop: mailbox 12,034 (<0.83.0>). Kept with 60 s before that and 30 s after.",
  );
});

test("a requested end is reported only if data was lost", () => {
  const end = (reason: Parameters<typeof flightEndText>[0]["reason"], files: number, failed = 0) =>
    flightEndText({ reason, why: "why", files, failed }, "shop", "rss>1", ENGLISH, "en");
  assert.equal(end("stopped", 2), undefined);
  assert.equal(end("shutdown", 0), undefined);
  assert.deepEqual(end("stopped", 2, 1), {
    text: "Stopped watching shop. 2 captures were recorded. 1 could not be written completely: why.",
    isTrouble: true,
  });
  assert.deepEqual(end("duration", 0), {
    text: "shop was watched for rss>1 for the requested time. Nothing was recorded.",
    isTrouble: false,
  });
  assert.deepEqual(end("files", 1), {
    text: "Stopped watching shop: that was the last of the requested captures. 1 capture was recorded.",
    isTrouble: false,
  });
  assert.ok(end("targetGone", 1)?.isTrouble);
  assert.equal(end("helperGone", 0)?.text, "Stopped watching shop: why. Nothing was recorded.");
});

test("the last condition is offered first, and examples that were not used after them", () => {
  const none = offeredConditions(undefined);
  assert.ok(none.length >= 3 && none.every(({ isUsed }) => !isUsed));
  let kept: unknown = { not: "a list" };
  for (const condition of ["a>1", "runqueue>20", "b>1", "a>1"]) kept = withLast(kept, condition);
  assert.deepEqual(kept, ["a>1", "b>1", "runqueue>20"]);
  const offered = offeredConditions(kept).map(({ condition }) => condition);
  assert.deepEqual(offered.slice(0, 3), kept);
  assert.equal(new Set(offered).size, offered.length);
  for (let more = 0; more < 9; more++) kept = withLast(kept, `rss>${String(more)}`);
  assert.deepEqual(kept, ["rss>8", "rss>7", "rss>6", "rss>5", "rss>4"]);
  assert.deepEqual(withLast(["x".repeat(5000), 7, ""], "rss>1"), ["rss>1"]);
});

test("arguments win over what is set; those that make no sense are refused by name", () => {
  const set = { beforeSeconds: 90, afterSeconds: 20, maxFiles: 3 };
  const usual = flightArguments({ pid: 7, when: "rss>1" }, set, ENGLISH);
  assert.deepEqual(
    [usual.pid, usual.when, usual.beforeSeconds, usual.afterSeconds, usual.maxFiles, usual.durationSeconds],
    [7, "rss>1", 90, 20, 3, 86_400],
  );
  const asked = flightArguments({ beforeSeconds: 5, afterSeconds: 3600, maxFiles: 1.5 }, set, ENGLISH);
  assert.deepEqual([asked.beforeSeconds, asked.afterSeconds, asked.maxFiles], [5, 3600, 1]);
  assert.equal(flightArguments({ durationSeconds: 1e9 }, set, ENGLISH).durationSeconds, 86_400);
  assert.equal(flightArguments(undefined, set, ENGLISH).when, undefined);
  for (const [name, value] of [
    ["when", 7],
    ["beforeSeconds", 0],
    ["afterSeconds", "1"],
    ["maxFiles", 1001],
    ["pid", -1],
  ] as const)
    assert.throws(() => flightArguments({ [name]: value }, set, ENGLISH), new RegExp(name));
});
