// Text that is no prose, hidden at its place, so that lines keep their numbers.

/** Stands for one character that is no prose. No space, so that no pattern reaches over it. */
const HIDDEN = "\u0001";

/** @param {string} text */
export const hidden = (text) => text.replace(/[^\n]/g, HIDDEN);
