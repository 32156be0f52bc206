// Which rows of pickers take a click in the editor's tests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { letRowsTakeClicks, rowTookClick } from "../editor/row-clicks.mjs";

/** Of a tab, which keeps it when it loads a page. @returns {Map<string, string>} */
const storage = () => new Map();

/** A page that has just been loaded. @param {Map<string, string>} kept */
function loaded(kept = storage()) {
  /** @type {((event: any) => void)[]} */
  const listeners = [];
  class Element {
    /** @param {string} textContent */
    constructor(textContent) {
      this.textContent = textContent;
    }
    closest() {
      return this;
    }
  }
  const context = createContext({
    Element,
    document: {
      addEventListener: (/** @type {string} */ _, /** @type {() => void} */ listener) => listeners.push(listener),
    },
    sessionStorage: {
      getItem: (/** @type {string} */ name) => kept.get(name) ?? null,
      setItem: (/** @type {string} */ name, /** @type {string} */ value) => kept.set(name, value),
    },
  });
  // As Playwright sends them: each alone.
  const sent = (/** @type {(it: any) => any} */ run) => (/** @type {any} */ it) =>
    runInContext(`(${run.toString()})(${JSON.stringify(it)})`, context);
  return {
    let: sent(letRowsTakeClicks),
    took: sent(rowTookClick),
    /** Whether the row gets the click. @param {string} text */
    click: (text) => {
      let isStopped = false;
      const event = { target: new Element(text), stopImmediatePropagation: () => (isStopped = true) };
      for (const listener of listeners) listener(event);
      return !isStopped;
    },
    listeners,
  };
}

test("only the row of the command takes a click, once", () => {
  const page = loaded();
  page.let({ wanted: "Open  Summary", attempt: 1 });
  assert.equal(page.click("Close the capture"), false);
  assert.equal(page.took(1), false);
  assert.equal(page.click("Extrospect: open summary"), true);
  assert.equal(page.took(1), true);
  assert.equal(page.click("Close the capture"), true, "a row of the picker that the command opens");
});

test("an attempt that has begun is not begun again by an answer that comes late or twice", () => {
  const page = loaded();
  page.let({ wanted: "Open Summary", attempt: 2 });
  assert.equal(page.click("Open Summary"), true);
  for (const attempt of [1, 2]) page.let({ wanted: "Open Summary", attempt });
  assert.equal(page.took(2), true);
  assert.equal(page.click("another"), true);
  page.let({ wanted: "Open Summary", attempt: 3 });
  assert.equal(page.took(3), false);
  assert.equal(page.click("another"), false);
  assert.equal(page.listeners.length, 1);
});

test("after attempts that failed each row takes clicks", () => {
  const page = loaded();
  page.let({ wanted: "Open Summary", attempt: 1 });
  page.let({ attempt: 2 });
  assert.equal(page.click("another"), true);
  assert.equal(page.took(1), false);
});

test("a page that was loaded anew has the click only if that was before", () => {
  const tab = storage();
  const page = loaded(tab);
  page.let({ wanted: "Reload", attempt: 1 });
  assert.equal(loaded(tab).took(1), false);
  page.click("Reload");
  assert.equal(loaded(tab).took(1), true);
  assert.equal(loaded(tab).took(2), false);
  const anew = loaded(tab);
  anew.let({ wanted: "Reload", attempt: 1 });
  assert.equal(anew.click("another"), true);
});
