// One browser for all pages of a process: each start costs as much as ten loads of a page.
import { startChromium } from "../chromium.mjs";
import { tabsOf } from "./tabs.mjs";

/** @typedef {import("playwright-core").Browser} Browser */

let holders = 0;
/** @type {Promise<{browser: Browser, tabs: ReturnType<typeof tabsOf>}> | undefined} */
let started;

async function start() {
  const browser = await startChromium();
  return { browser, tabs: tabsOf(browser) };
}

/**
 * The browser stays until each that keeps it has released it.
 * @returns {() => Promise<void>} releases it
 */
export function keepBrowser() {
  holders++;
  let isHeld = true;
  return async () => {
    if (!isHeld) return;
    isHeld = false;
    holders--;
    if (holders > 0 || !started) return;
    const ending = started;
    started = undefined;
    await (await ending).browser.close();
  };
}

/** The tabs of the browser, which starts with the first tab. */
export async function sharedTabs() {
  started ??= start();
  return (await started).tabs;
}
