// Tabs of a browser that tests use one after the other: a new tab is a window and a process, and costs as much as five loads of a page.
import { PATIENCE_MS } from "../until.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").ConsoleMessage} ConsoleMessage */
/** @typedef {(message: any, page: Page) => unknown} Receiver */

/** @param {import("playwright-core").Browser} browser */
export function tabsOf(browser) {
  /** @type {Awaited<ReturnType<typeof newTab>> | undefined} */
  let free;
  let isOneKept = false;

  async function newTab() {
    const page = await browser.newPage();
    // The file has the only limit: a busy machine may take long for each step.
    page.setDefaultTimeout(PATIENCE_MS);
    const close = page.close.bind(page);
    const tab = { page, close, uses: 0, receive: /** @type {Receiver | undefined} */ (undefined) };
    // The document of the use before may still send while the next one is on its way.
    await page.exposeBinding(
      "sendOfUse",
      ({ page: from }, use, message) => void (use === tab.uses && tab.receive?.(message, from)),
    );
    return tab;
  }

  return {
    /**
     * A tab whose next document is as in a new one. `page.close()` gives it back.
     * @param {object} wanted
     * @param {{width: number, height: number}} wanted.viewport
     * @param {boolean} wanted.reducedMotion
     * @param {string} wanted.script runs before those of each document
     * @param {Receiver} [wanted.onMessage] for the messages that documents send by `toHost`
     * @param {boolean} wanted.once for a test that leaves something in a tab, such as a clock: `page.close()` closes it
     */
    async take({ viewport, reducedMotion, script, onMessage, once }) {
      const kept = once ? undefined : free;
      if (kept) {
        free = undefined;
        isOneKept = false;
      }
      const tab = kept ?? (await newTab());
      const { page } = tab;
      if (page.viewportSize()?.width !== viewport.width || page.viewportSize()?.height !== viewport.height)
        await page.setViewportSize(viewport);
      await page.emulateMedia({ reducedMotion: reducedMotion ? "reduce" : "no-preference" });
      tab.uses++;
      const initial = await page.addInitScript(
        `window.toHost = (message) => window.sendOfUse(${tab.uses}, message);\n${script}`,
      );
      tab.receive = onMessage;
      /** @type {string[]} */
      const problems = [];
      const failed = (/** @type {Error} */ error) => problems.push(error.message);
      const logged = (/** @type {ConsoleMessage} */ message) => {
        if (message.type() === "error" && !message.text().includes("favicon")) problems.push(message.text());
      };
      page.on("pageerror", failed).on("console", logged);
      let isOpen = true;
      page.close = async () => {
        if (!isOpen) return;
        isOpen = false;
        tab.receive = undefined;
        // One is kept. The page stays in it until it is used again, and pages have animations that cost as much as a test.
        if (once || isOneKept) return tab.close();
        isOneKept = true;
        page.off("pageerror", failed).off("console", logged);
        await initial.dispose();
        await page.mouse.move(-1, -1);
        free = tab;
      };
      return { page, problems, isOpen: () => isOpen };
    },
  };
}
