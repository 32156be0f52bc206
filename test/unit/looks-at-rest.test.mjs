// Looks at a VM that may move: those that fail by chance are repeated, a fault ends them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { oneOf } from "../vms/stopped.mjs";

test("looks that fail here and there are repeated, however many they are", async (t) => {
  let looks = 0;
  const answer = await oneOf(t, () => {
    looks += 1;
    if (looks < 25) {
      if (looks % 2 === 0) assert.fail("one of its own processes ran");
      assert.equal(looks, 0, "the heap was larger");
    }
    return Promise.resolve(looks);
  });
  assert.equal(answer, 25);
});

test("looks that always fail at the same place end with the last difference", async (t) => {
  let looks = 0;
  const failing = oneOf(t, () => {
    looks += 1;
    assert.fail(`${looks} processes`);
  });
  await assert.rejects(failing, /^AssertionError.*: 30 processes$/);
});

test("looks that fail at two places by turns end, too", async (t) => {
  let looks = 0;
  const failing = oneOf(t, () => {
    looks += 1;
    if (looks % 2 === 0) assert.fail(`${looks} processes`);
    assert.fail(`${looks} tables`);
  });
  await assert.rejects(failing, /^AssertionError.*: 59 tables$/);
});
