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

test("looks of locators are such, once for all pages, unless they have a limit", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {unknown[]} */
  const looks = [];
  class Locator {
    /** @param {{timeout?: number}} [options] */
    innerText(options) {
      looks.push(options);
      return looks.length === 1 ? never() : Promise.resolve(this.constructor.name);
    }
  }
  const page = /** @type {any} */ ({ locator: () => new Locator() });
  answerLooks(page);
  answerLooks(page);
  const look = (/** @type {{timeout?: number} | undefined} */ options) => new Locator().innerText(options);
  const text = look(undefined);
  t.mock.timers.tick(LATER_MS);
  assert.equal(await text, "Locator");
  // eslint-disable-next-line gate/own-limit -- nothing ends it
  const limited = { timeout: 5 };
  // eslint-disable-next-line gate/single-look -- its locator is no page's
  assert.equal(await look(limited), "Locator");
  assert.deepEqual(looks, [undefined, undefined, limited]);
});
