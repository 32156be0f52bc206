// A page that comes to a screen with other pixels, its size the same, and the canvases on it.
import assert from "node:assert/strict";
import { andNightly } from "../nightly.mjs";
import { until } from "../until.mjs";

/** The screen of all other tests is the last. */
const RATIOS = [...andNightly([2], [1.25]), 1];

/**
 * Each visible canvas has the pixels of the screen, before and after. Its content is not blank.
 * @param {import("playwright-core").Page} page @param {number} count   how many canvases there are at least
 */
export async function assertCanvasesFollowScreen(page, count) {
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 800 };
  const session = await page.context().newCDPSession(page);
  for (const deviceScaleFactor of RATIOS) {
    await session.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor, mobile: false });
    // A real screen makes the page ask its media queries again; the emulated one leaves that to the next change of media.
    await session.send("Emulation.setEmulatedMedia", {
      features: [
        { name: "prefers-reduced-transparency", value: deviceScaleFactor === 1.25 ? "no-preference" : "reduce" },
      ],
    });
    await until(`canvases for a screen of ${deviceScaleFactor}`, async () => {
      const canvases = await page.locator("canvas:visible").evaluateAll((all) =>
        /** @type {HTMLCanvasElement[]} */ (all).map((canvas) => {
          const { width: shownPx, height: shownHeightPx } = canvas.getBoundingClientRect();
          return {
            name: canvas.ariaLabel ?? canvas.className,
            isSharp:
              Math.abs(canvas.width - shownPx * devicePixelRatio) <= 1 &&
              Math.abs(canvas.height - shownHeightPx * devicePixelRatio) <= 1,
          };
        }),
      );
      assert.ok(canvases.length >= count, `${canvases.length} canvases`);
      assert.deepEqual(
        canvases.filter(({ isSharp }) => !isSharp),
        [],
      );
      return true;
    });
  }
  await session.detach();
}
