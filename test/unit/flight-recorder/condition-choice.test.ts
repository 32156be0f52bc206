// Typing into the list for a condition, and Enter at any moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConditionChoice } from "../../../extension/src/flight-recorder/condition-choice.js";
import type { ConditionRow } from "../../../extension/src/flight-recorder/condition-rows.js";
import { ENGLISH, settled } from "../recording/fakes.js";

const FAULT = "At character 8: a number is expected, 0 or more";

/** A list whose checks the test answers; `rows` are those in it. */
function opened() {
  const checks: { readonly text: string; answer(fault?: string): Promise<void> }[] = [];
  const chosen: ConditionRow[] = [];
  let [rows, isBusy]: [readonly ConditionRow[], boolean] = [[], false];
  const choice = new ConditionChoice(
    {
      check: (text) =>
        new Promise((resolve) => {
          checks.push({ text, answer: (fault) => (resolve(fault), settled()) });
        }),
      show: (shown) => (rows = shown),
      setBusy: (busy) => (isBusy = busy),
      chosen: (row) => chosen.push(row),
    },
    [{ condition: "rss>1GB", isUsed: true }],
    ENGLISH,
  );
  const conditions = () => chosen.map(({ condition, isFinal }) => [condition, isFinal]);
  return { choice, checks, conditions, rows: () => rows, isBusy: () => isBusy };
}

test("Enter before the typed condition is checked takes it as soon as it is", async () => {
  const { choice, checks, conditions, isBusy } = opened();
  void choice.typed(" memory>10MB ");
  assert.ok(isBusy());
  choice.accepted(undefined);
  assert.deepEqual(conditions(), []);
  await checks[0]?.answer();
  assert.deepEqual(conditions(), [["memory>10MB", true]]);
  assert.ok(!isBusy());
});

test("Enter on the row of an earlier text waits for that of the present one", async () => {
  const { choice, checks, conditions, rows } = opened();
  void choice.typed("memory>10");
  await checks[0]?.answer();
  void choice.typed("memory>10MB");
  choice.accepted(rows()[0]);
  await checks[1]?.answer();
  assert.deepEqual(conditions(), [["memory>10MB", true]]);
});

test("what is no condition is not taken: its fault is shown, and the next Enter leads to the box", async () => {
  const { choice, checks, conditions, rows } = opened();
  void choice.typed("memory>");
  choice.accepted(undefined);
  await checks[0]?.answer(FAULT);
  assert.deepEqual(conditions(), []);
  assert.equal(rows()[0]?.label, FAULT);
  choice.accepted(rows()[0]);
  assert.deepEqual(conditions(), [["memory>", false]]);
});

test("text that is changed after Enter is not taken, and neither is what was typed before", async () => {
  const { choice, checks, conditions } = opened();
  void choice.typed("memory>10MB");
  choice.accepted(undefined);
  void choice.typed("memory>10MB or");
  await checks[0]?.answer();
  await checks[1]?.answer(FAULT);
  assert.deepEqual(conditions(), []);
  void choice.typed("");
  choice.accepted(undefined);
  assert.deepEqual(conditions(), []);
});

test("a list that was put away takes nothing, and one choice is all", async () => {
  const { choice, checks, conditions, rows } = opened();
  const [offered] = rows();
  choice.accepted(offered);
  choice.accepted(offered);
  assert.deepEqual(conditions(), [["rss>1GB", false]]);
  const closed = opened();
  void closed.choice.typed("memory>10MB");
  closed.choice.accepted(undefined);
  closed.choice.dispose();
  await closed.checks[0]?.answer();
  assert.deepEqual([closed.conditions(), checks], [[], []]);
});
