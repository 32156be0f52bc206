// The comments of a Rust source, the texts in it that people read, and its code without both.
import { hidden } from "./hidden.mjs";

/** A comment, or something in which `//` begins none: a text, a raw text, a character. */
const PARTS =
  /\/\/[^\n]*|\/\*|b?r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|b?'(?:[^'\\\n]|\\(?:[^u]|u\{[^}]*\}|x..))'/g;
/** Tests stand at the end of a file. */
const TESTS = /^#\[cfg\((?:test|all\(test\b.*)\)\]\n(?:#\[.*\]\n)*(?:pub(?:\(crate\))? )?mod \w+ \{/m;

/** @param {string} text of Rust @returns {{isComment: boolean, start: number, end: number}[]} in their order */
function partsOf(text) {
  const parts = [];
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(text); part !== null; part = PARTS.exec(text)) {
    if (part[0] === "/*") PARTS.lastIndex = endOfBlock(text, part.index);
    parts.push({ isComment: part[0].startsWith("/"), start: part.index, end: PARTS.lastIndex });
  }
  return parts;
}

/** Rust nests its comments. @param {string} text @param {number} start of a comment */
function endOfBlock(text, start) {
  let depth = 0;
  for (const sign of text.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += sign[0] === "/*" ? 1 : -1;
    if (depth === 0) return start + sign.index + 2;
  }
  return text.length;
}

/** @param {string} text of Rust @returns {[number, number][]} */
export const rustComments = (text) =>
  partsOf(text).flatMap(({ isComment, start, end }) => (isComment ? [[start, end]] : []));

/**
 * Code, and places for values, are hidden.
 * @param {string} text of Rust
 * @returns {string} as long as `text`
 */
export function rustMessages(text) {
  const product = text.slice(0, TESTS.exec(text)?.index ?? text.length);
  let messages = "";
  for (const { isComment, start, end } of partsOf(product)) {
    const part = product.slice(start, end);
    messages += hidden(product.slice(messages.length, start));
    messages += isComment ? hidden(part) : part.replace(/`[^`\n]+`|\{[^}\n]*\}/g, hidden);
  }
  return messages + hidden(text.slice(messages.length));
}

/** Comments, texts and characters are hidden. @param {string} text of Rust @returns {string} as long as `text` */
export function rustCode(text) {
  let code = "";
  for (const { start, end } of partsOf(text)) code += text.slice(code.length, start) + hidden(text.slice(start, end));
  return code + text.slice(code.length);
}
