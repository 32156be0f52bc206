// Looks at a page whose answer is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, answerLooks } from "../editor/answered-looks.mjs";

const LATER_MS = 20_000;
const never = () => new Promise(() => {});

test("beside a look that has no answer another one is taken", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let looks = 0;
  const seen = answered(() => (++looks === 1 ? never() : Promise.resolve("seen")));
  t.mock.timers.tick(LATER_MS);
  assert.equal(await seen, "seen");
  assert.equal(looks, 2);
});

test("a look that fails ends with its error", async () => {
  await assert.rejects(
    answered(() => Promise.reject(new Error("no such frame"))),
    /no such frame/,
  );
});

for (const name of ["innerText", "isHidden", "waitFor"])
  test(`${name} of locators is such a look, once for all pages, unless it has a limit`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    /** @type {unknown[]} */
    const looks = [];
    const prototype = {
      [name]: (/** @type {unknown} */ options) => {
        looks.push(options);
        return looks.length === 1 ? never() : Promise.resolve("seen");
      },
    };
    const page = /** @type {any} */ ({ locator: () => Object.create(prototype) });
    answerLooks(page);
    answerLooks(page);
    const look = (/** @type {{timeout?: number} | undefined} */ options) => page.locator()[name](options);
    const answer = look(undefined);
    t.mock.timers.tick(LATER_MS);
    assert.equal(await answer, "seen");
    // eslint-disable-next-line gate/own-limit -- nothing ends it
    const limited = { timeout: 5 };
    assert.equal(await look(limited), "seen");
    assert.deepEqual(looks, [undefined, undefined, limited]);
  });
