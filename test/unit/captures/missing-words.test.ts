import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGLISH } from "../../../contract/english.js";
import { missingWords, type Missing } from "../../../extension/src/captures/missing-words.js";
import { GERMAN } from "../german.js";

const TO_A_CAPTURE = ["Start Capture…: extrospect.attach", "Open Capture…: extrospect.openCapture"];
const TO_A_COMPARISON = ["Compare Captures…: extrospect.compareCaptures"];
const STEPS: Record<Missing, string[]> = {
  inView: TO_A_CAPTURE,
  inWorkspace: TO_A_CAPTURE,
  hotLines: ["Show All Hot Functions: extrospect.showTop", "Name the Folder of the Sources…: extrospect.sourceRules"],
  comparisonToExport: TO_A_COMPARISON,
  comparisonToCopy: TO_A_COMPARISON,
};

test("each message about something missing has buttons that lead to it, in the user's language", () => {
  for (const [missing, steps] of Object.entries(STEPS) as [Missing, string[]][]) {
    const english = missingWords(missing, ENGLISH);
    const shown = english.steps.map(({ title, command }) => `${title}: ${command}`);
    assert.deepEqual(shown, steps);
    const german = missingWords(missing, GERMAN);
    assert.notEqual(german.text, english.text);
    for (const [at, { title }] of german.steps.entries()) assert.notEqual(title, english.steps[at]?.title);
  }
});
