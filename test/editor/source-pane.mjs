// The contents of the source editor: lines, lenses, gutter marks, figures at the ends of lines, read from the page.
import { answered } from "./answered-looks.mjs";

/**
 * @typedef {object} Lens
 * @property {number} line      the line it stands above
 * @property {string} text
 * @property {string} about     the first line of its tooltip: the function's name
 *
 * @typedef {object} Mark
 * @property {number} line
 * @property {string} icon      name of the picture, such as heat-3-dark
 *
 * @typedef {object} SourcePane
 * @property {string} file                 the editor's name for itself
 * @property {Record<number, string>} text  of the lines in sight
 * @property {Lens[]} lenses
 * @property {Mark[]} marks
 * @property {Record<number, string>} figures  at the ends of lines, as the stylesheet draws them
 * @property {number[]} selected           lines with the mark of the function that is selected in the views
 */

/**
 * The active text editor, as far as it is in sight.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<SourcePane>}
 */
export const sourcePane = (page) => answered(() => look(page));

/** @param {import("playwright-core").Page} page @returns {Promise<SourcePane>} */
function look(page) {
  return page.evaluate(() => {
    const editors = [...document.querySelectorAll(".editor-instance .monaco-editor")].filter(
      (editor) => editor.getBoundingClientRect().width > 0,
    );
    const editor = editors.find((candidate) => candidate.classList.contains("focused")) ?? editors[0];
    if (editor === undefined) return { file: "", text: {}, lenses: [], marks: [], figures: {}, selected: [] };
    const topOf = (/** @type {Element} */ element) => Math.round(element.getBoundingClientRect().top);
    /** @type {Map<number, number>} */
    const lineAt = new Map();
    for (const number of editor.querySelectorAll(".margin .line-numbers"))
      lineAt.set(topOf(number), Number(/** @type {HTMLElement} */ (number).innerText));
    const tops = [...lineAt.keys()].sort((a, b) => a - b);
    /** @type {Record<number, string>} */
    const text = {};
    for (const line of editor.querySelectorAll(".view-line")) {
      const number = lineAt.get(topOf(line));
      if (number !== undefined) text[number] = /** @type {HTMLElement} */ (line).innerText.replaceAll("\u00a0", " ");
    }
    // Lenses out of sight stay in the document where they were last.
    const lenses = [...editor.querySelectorAll(".codelens-decoration[monaco-visible-content-widget]")].flatMap(
      (lens) => {
        const bottom = lens.getBoundingClientRect().bottom;
        const below = tops.find((top) => top >= bottom - 2);
        const links = [...lens.querySelectorAll("a")];
        return links.map((link) => ({
          line: lineAt.get(below ?? -1) ?? 0,
          text: link.innerText.replaceAll("\u00a0", " ").trim(),
          about: link.title.split("\n")[0] ?? "",
        }));
      },
    );
    const marks = [...editor.querySelectorAll(".glyph-margin-widgets .cgmr")].flatMap((mark) => {
      const icon = /gutter%2F([\w-]+)\.svg/.exec(getComputedStyle(mark).backgroundImage)?.[1];
      return icon === undefined ? [] : [{ line: lineAt.get(topOf(mark)) ?? 0, icon }];
    });
    /** @type {Record<number, string>} */
    const figures = {};
    for (const line of editor.querySelectorAll(".view-line")) {
      // Decorations of extensions: computing the style of each span costs as much as all of the rest.
      const shown = [...line.querySelectorAll("span[class*='ced-']")]
        .map((span) => getComputedStyle(span, "::after").content)
        .find((content) => content.includes("%"));
      const number = lineAt.get(topOf(line));
      if (shown !== undefined && number !== undefined)
        figures[number] = shown.replaceAll('"', "").replaceAll("\u00a0", " ");
    }
    const selected = [...editor.querySelectorAll(".view-overlays .cdr[class*='ced-']")].flatMap((mark) => {
      const { borderLeftStyle, borderLeftWidth } = getComputedStyle(mark);
      const number = lineAt.get(topOf(mark));
      return borderLeftStyle === "solid" && Number.parseFloat(borderLeftWidth) > 0 && number !== undefined
        ? [number]
        : [];
    });
    const file = editor.closest(".editor-instance")?.getAttribute("aria-label") ?? "";
    return {
      file,
      text,
      lenses,
      marks: marks.sort((a, b) => a.line - b.line),
      figures,
      selected: selected.sort((a, b) => a - b),
    };
  });
}

/** The line of a text that begins a function. @param {string} text @param {string} functionName */
export function headLine(text, functionName) {
  return text.split("\n").findIndex((line) => line.startsWith(`${functionName}(`)) + 1;
}

/** The last line before the next empty one. @param {string} text @param {number} line */
export function lastLine(text, line) {
  const rest = text.split("\n").slice(line);
  return line + rest.findIndex((each) => each.trim() === "");
}
