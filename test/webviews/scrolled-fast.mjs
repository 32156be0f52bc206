// A long table scrolled by large steps.

const STEPS = 40;

/**
 * The cost of one frame, and how many rows were in the document at most.
 * @param {import("playwright-core").Page} page with the table in sight
 * @returns {Promise<{median: number, most: number}>} milliseconds; rows
 */
export function scrolledFast(page) {
  return page.evaluate(async (steps) => {
    const grid = /** @type {HTMLElement} */ (
      [...document.querySelectorAll(".grid")].find((each) => each.clientHeight > 0)
    );
    const costs = [];
    let most = 0;
    for (let step = 0; step < steps; step++) {
      grid.scrollTop = step % 2 ? step * 17_000 : step * 400;
      let startedMs = 0;
      requestAnimationFrame(() => {
        startedMs = performance.now();
      });
      // The grid draws in the same frame, between the two: the measured time is that of its script, style and layout.
      grid.dispatchEvent(new Event("scroll"));
      await new Promise((done) => requestAnimationFrame(done));
      void grid.getBoundingClientRect();
      void (/** @type {HTMLElement} */ (grid.querySelector(".grid-body .grid-row")).offsetTop);
      costs.push(performance.now() - startedMs);
      most = Math.max(most, grid.querySelectorAll(".grid-row").length);
    }
    costs.sort((a, b) => a - b);
    return { median: costs[steps / 2] ?? NaN, most };
  }, STEPS);
}
