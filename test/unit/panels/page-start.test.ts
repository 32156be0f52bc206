// A page that does not begin is loaded again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PageStart } from "../../../extension/src/panels/page/page-start.js";
import { handClock } from "./hand-clock.js";

function started() {
  const { later, pass } = handClock();
  const loads = { count: 0, failures: 0 };
  const page = new PageStart(
    () => (loads.count += 1),
    () => (loads.failures += 1),
    later,
  );
  page.setVisible(true);
  return { page, loads, pass };
}

test("a page that does not begin is loaded again, twice at most, and then the user decides", () => {
  const { page, loads, pass } = started();
  pass(29_999);
  assert.equal(loads.count, 0);
  pass(1);
  assert.equal(loads.count, 1);
  pass(60_000);
  assert.equal(loads.count, 2);
  assert.equal(loads.failures, 0);
  pass(3_600_000);
  assert.deepEqual(loads, { count: 2, failures: 1 });
  page.again();
  assert.equal(loads.count, 3);
  page.begun();
  pass(3_600_000);
  assert.deepEqual(loads, { count: 3, failures: 1 });
});

test("a page that has begun is left alone, until it was hidden and begins anew", () => {
  const { page, loads, pass } = started();
  page.begun();
  page.setVisible(true);
  pass(3_600_000);
  assert.equal(loads.count, 0);
  page.setVisible(false);
  page.setVisible(true);
  pass(30_000);
  assert.equal(loads.count, 1);
});

test("a page that is hidden or closed is not loaded", () => {
  const { page, loads, pass } = started();
  page.setVisible(false);
  pass(3_600_000);
  page.setVisible(true);
  page.dispose();
  pass(3_600_000);
  assert.equal(loads.count, 0);
});
