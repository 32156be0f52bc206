// In the page of the workbench: which rows of pickers take a click. Playwright sends the text of each function there, so that
// none refers to another.

/**
 * Of all rows of pickers only one with this text takes a click, until it has taken one. A list that is made anew between the
 * look at a row and the click has another command in the place of the row. An attempt that has begun is not begun again, nor
 * one before it: where an answer is lost, it may come late, or once more.
 * @param {{wanted?: string | undefined, attempt: number}} how   `wanted` compared as Playwright does; without it each row takes clicks
 */
export function letRowsTakeClicks({ wanted, attempt }) {
  const plain = (/** @type {string} */ text) =>
    text
      .replaceAll(/[\u200b\u00ad]/g, "")
      .trim()
      .replaceAll(/\s+/g, " ")
      .toLowerCase();
  /** @type {any} */
  const page = globalThis;
  const isFirst = page.rowClicks === undefined;
  if (!isFirst && page.rowClicks.attempt >= attempt) return;
  // Of a page that was loaded anew, the one before it may have had the click.
  const hasTaken = sessionStorage.getItem("attemptOfRowClick") === String(attempt);
  page.rowClicks = { wanted: plain(wanted ?? ""), attempt, isTaken: wanted === undefined || hasTaken };
  if (!isFirst) return;
  document.addEventListener(
    "click",
    (event) => {
      const row = event.target instanceof Element ? event.target.closest(".quick-input-list .monaco-list-row") : null;
      const clicks = page.rowClicks;
      if (row === null || clicks.isTaken) return;
      if (plain(row.textContent ?? "").includes(clicks.wanted)) {
        clicks.isTaken = true;
        // The command of the row may load the page anew.
        sessionStorage.setItem("attemptOfRowClick", String(clicks.attempt));
      } else event.stopImmediatePropagation();
    },
    true,
  );
}

/**
 * Whether the row has taken a click in this attempt: also in a page that was loaded anew after it, and not in one that was
 * before it.
 * @param {number} attempt
 */
export function rowTookClick(attempt) {
  return sessionStorage.getItem("attemptOfRowClick") === String(attempt);
}
