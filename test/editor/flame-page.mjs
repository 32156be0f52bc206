// The flame graph's page inside the workbench.
import { until } from "../until.mjs";
import { pressUntil, samplesIn } from "./workbench.mjs";

const ROW_PX = 20;

/** @typedef {import("playwright-core").FrameLocator} Frame */

const CANVAS = ".pane:not([hidden]) canvas";

/** @param {Frame} frame */
export function flameCanvas(frame) {
  return frame.locator(CANVAS).first();
}

/** Name of the selected frame. @param {Frame} frame */
export function selectedFrame(frame) {
  return frame.locator(".details-name").innerText();
}

/** Waits until this frame is selected. @param {Frame} frame @param {string} name */
export function selectionOf(frame, name) {
  return until(`${name} selected`, async () => {
    const selected = await selectedFrame(frame);
    if (selected !== name) throw new Error(selected);
    return true;
  });
}

/** Searches, and goes to the first frame found. @param {Frame} frame @param {string} functionName */
export async function search(frame, functionName) {
  const input = frame.getByRole("searchbox").first();
  await input.fill(functionName);
  await until("a match", async () => /[1-9]\d* function/.test(await frame.locator(".search-result").innerText()));
  const selected = frame.locator(".details-name", { hasText: functionName });
  await pressUntil(input, "Enter", () => selected.isVisible());
}

/** Samples of the whole graph, from its heading. @param {Frame} frame */
export async function shownSamples(frame) {
  return samplesIn(await frame.locator(".legend-line .status").innerText());
}

/**
 * Moves the mouse down the middle of the graph until it is over the frame.
 * @param {import("playwright-core").Page} page @param {Frame} frame @param {string} name @param {number} [share] of the width
 * @returns {Promise<{x: number, y: number}>} in the window
 */
export async function hoverFrame(page, frame, name, share = 0.5) {
  const tooltip = frame.locator(".tooltip");
  return until(`${name} under the mouse`, async () => {
    const box = await flameCanvas(frame).boundingBox();
    if (box === null) return undefined;
    const x = box.x + box.width * share;
    for (let y = box.y + ROW_PX / 2; y < box.y + box.height; y += ROW_PX) {
      await page.mouse.move(x, y);
      if ((await tooltip.isVisible()) && (await tooltip.innerText()).startsWith(name)) return { x, y };
    }
    throw new Error(`${name} is not at ${String(share)} of the width`);
  });
}
