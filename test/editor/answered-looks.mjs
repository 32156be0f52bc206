// Looks at the workbench whose answer never comes, as seen once where processes of the browser are stopped now and then: such
// a look is not the only one.

/** Milliseconds after which another look is taken beside one that has no answer. */
const NEXT_LOOK_MS = 20_000;
/** Of Playwright's locators, those that change nothing. */
const LOOKS = [
  "allInnerTexts",
  "allTextContents",
  "boundingBox",
  "count",
  "evaluateAll",
  "getAttribute",
  "innerText",
  "inputValue",
  "isHidden",
  "isVisible",
  "textContent",
  "waitFor",
];

/**
 * The first answer, of this look or of one that is taken beside it later.
 * @template Answer
 * @param {() => Promise<Answer>} look   changes nothing
 * @returns {Promise<Answer>}
 */
export async function answered(look) {
  /** @type {Promise<{answer: Answer}>[]} */
  const looks = [];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    for (;;) {
      looks.push(look().then((answer) => ({ answer })));
      // eslint-disable-next-line gate/fixed-wait -- the looks go on during it
      const next = new Promise((resolve) => (timer = setTimeout(resolve, NEXT_LOOK_MS)));
      const seen = await Promise.race([...looks, next.then(() => undefined)]);
      if (seen !== undefined) return seen.answer;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Classes whose looks are such already. @type {WeakSet<object>} */
const known = new WeakSet();

/** All looks of locators are such from now on, except those with a limit of their own. @param {Pick<import("playwright-core").Page, "locator">} page */
export function answerLooks(page) {
  /** All locators share it. @type {any} */
  const locators = Object.getPrototypeOf(page.locator("body"));
  if (known.has(locators)) return;
  known.add(locators);
  for (const name of LOOKS) {
    const look = locators[name];
    /** @this {any} @param {any[]} args */
    locators[name] = function (...args) {
      const hasLimit = args.some((arg) => arg?.timeout !== undefined);
      return hasLimit ? look.apply(this, args) : answered(() => look.apply(this, args));
    };
  }
}
