// When a page is sent something.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { RefreshSchedule } from "../../../extension/src/panels/capture-panel/refresh-schedule.js";
import { handClock } from "./hand-clock.js";

/** Those of the test that runs: the pages of others would have a part of the time. */
let made: RefreshSchedule[] = [];
afterEach(() => {
  for (const schedule of made) schedule.dispose();
  made = [];
});

function scheduled(costMs = 0) {
  const clock = handClock();
  const built: number[] = [];
  const schedule = new RefreshSchedule(clock, () => {
    built.push(clock.nowMs());
    clock.spend(costMs);
  });
  made.push(schedule);
  return { schedule, built, pass: clock.pass, waiting: clock.waiting };
}

test("nothing is built before the page listens", () => {
  const { schedule, built } = scheduled();
  schedule.now();
  schedule.soon();
  assert.deepEqual(built, []);
  schedule.pageReady();
  assert.deepEqual(built, [0]);
});

test("updates in between become one, and the last is never lost", () => {
  const { schedule, built, pass, waiting } = scheduled();
  schedule.pageReady();
  for (let step = 0; step < 20; step++) {
    schedule.soon();
    pass(100);
  }
  assert.ok(built.length >= 3 && built.length <= 4, String(built));
  pass(2000);
  assert.equal(waiting(), 0);
  const count = built.length;
  pass(5000);
  assert.equal(built.length, count);
});

test("a slow build comes less often, a reader's request comes at once", () => {
  const { schedule, built, pass } = scheduled(300);
  schedule.pageReady();
  schedule.soon();
  pass(2000);
  assert.equal(built.length, 1);
  schedule.now();
  assert.equal(built.length, 2);
});

test("nothing is built for a hidden page; one that was kept gets what it missed", () => {
  const { schedule, built, pass } = scheduled();
  schedule.pageReady();
  schedule.setVisible(false);
  schedule.soon();
  schedule.now();
  pass(5000);
  assert.equal(built.length, 1);
  schedule.setVisible(true);
  pass(1000);
  assert.equal(built.length, 2);
  schedule.setVisible(false);
  schedule.setVisible(true);
  pass(1000);
  assert.equal(built.length, 2);
});

test("pages in sight share what their refreshes may cost; one that is hidden or closed leaves its part", () => {
  const [first, second] = [scheduled(100), scheduled(100)];
  first.schedule.pageReady();
  second.schedule.pageReady();
  const again = () => {
    first.schedule.soon();
    const before = first.built.length;
    let waited = 0;
    for (; first.built.length === before; waited += 100) first.pass(100);
    return waited;
  };
  const isAbout = (waited: number, ms: number) => assert.ok(Math.abs(waited - ms) <= 200, `${waited} for ${ms}`);
  isAbout(again(), 4000);
  second.schedule.setVisible(false);
  isAbout(again(), 2000);
  second.schedule.setVisible(true);
  isAbout(again(), 4000);
  second.schedule.dispose();
  isAbout(again(), 2000);
});
