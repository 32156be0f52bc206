// The order of commands in VS Code's palette after some words were typed, as its sources have it: which titles fit, and
// the alphabet among these. Not in here: commands of others, those that were used lately (they come first), and the
// similar ones that the palette adds at the end.

const SEPARATORS = new Set("()[]{}<>`'\"-/;:,.?! \t\n\r");

/**
 * @param {string} typed
 * @param {readonly string[]} titles   as the palette shows them: `Extrospect: Show Log`
 * @returns {string[]} those that fit, the first one on top
 */
export const inPaletteOrder = (typed, titles) =>
  titles.filter((title) => fits(typed.toLowerCase(), title.toLowerCase())).sort((a, b) => a.localeCompare(b));

/**
 * Part of a title, or beginnings of its words: `matchesContiguousSubString` and `matchesWords`.
 * @param {string} typed @param {string} title   both in lower case
 */
const fits = (typed, title) => title.includes(typed) || wordStarts(title, 0).some((at) => fitsFrom(typed, title, at));

/** @param {string} typed @param {string} title @param {number} at @returns {boolean} */
function fitsFrom(typed, title, at) {
  if (typed === "") return true;
  if (at >= title.length || !isSame(typed.charAt(0), title.charAt(at))) return false;
  const rest = typed.slice(1);
  return fitsFrom(rest, title, at + 1) || wordStarts(title, at + 1).some((start) => fitsFrom(rest, title, start));
}

/** Positions of separators, and of the characters behind them. @param {string} title @param {number} from */
const wordStarts = (title, from) =>
  Array.from({ length: title.length - from }, (_, offset) => from + offset).filter(
    (at) => at === 0 || SEPARATORS.has(title.charAt(at)) || SEPARATORS.has(title.charAt(at - 1)),
  );

/** @param {string} one @param {string} other */
const isSame = (one, other) => one === other || (SEPARATORS.has(one) && SEPARATORS.has(other));
