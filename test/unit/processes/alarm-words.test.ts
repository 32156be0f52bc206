// The sentences of the page of processes where no process is alarming.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unreadProcesses } from "../../../webviews/processes/list-facts.js";
import { STRINGS } from "../../../webviews/processes/strings.js";

test("no process is alarming only where all of them were read", () => {
  const rejected = { freed: 0, torn: 0 };
  assert.equal(unreadProcesses({ leftOut: 0, rejected }), 0);
  assert.equal(unreadProcesses({ leftOut: 0, rejected: { freed: 9, torn: 0 }, mayAlarm: 0 }), 0, "these have ended");
  assert.equal(unreadProcesses({ leftOut: 100, rejected: { freed: 9, torn: 20 }, mayAlarm: 3 }), 123);
  assert.equal(STRINGS.noAlarms(10, null, 0), "No process is alarming: none has 10 messages.");
  assert.equal(
    STRINGS.noAlarms(10, null, 123),
    "No process is known to be alarming: none shows 10 messages. Processes that were not read in full: 123.",
  );
  assert.equal(STRINGS.noAlarms(null, null, 123), "Nothing is alarming: both settings extrospect.inside.alarms are 0.");
  assert.equal(STRINGS.alarmsNow(0, 0), "No process is alarming any longer.");
  assert.equal(STRINGS.alarmsNow(0, 1), "No process is known to be alarming any longer.");
  assert.equal(STRINGS.alarmsNow(2, 1), "2 processes are alarming.");
});
