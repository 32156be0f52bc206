// Canvases have the pixels of the screen, which are others on another screen and after the editor was zoomed.

/**
 * Calls back after each change, for the life of the page. The size in CSS pixels may stay the same, so that no
 * ResizeObserver fires.
 */
export function onPixelRatioChange(changed: () => void): void {
  const query = matchMedia(`(resolution: ${String(devicePixelRatio)}dppx)`);
  query.addEventListener(
    "change",
    () => {
      changed();
      // The query is about the ratio that was.
      onPixelRatioChange(changed);
    },
    { once: true },
  );
}
