// The prose in a file, at the places where it is there: all else is hidden, so that lines keep their numbers.
import { extname } from "node:path";
import ts from "typescript";
import { hidden } from "./hidden.mjs";
import { rustComments } from "./rust-texts.mjs";

/** @param {string} text */
const blank = (text) => text.replace(/[^\n]/g, " ");

/** @param {string} file @param {string} text of it @returns {string} as long as `text` */
export function proseOf(file, text) {
  switch (extname(file)) {
    case ".md":
      return proseOfMarkdown(text);
    case ".json":
      return proseOfTexts(text);
    case ".rs":
      return proseOfComments(text, rustComments(text));
    case ".ts":
    case ".mjs":
    case ".cjs":
      return proseOfComments(text, scriptComments(text));
    default:
      return proseOfManPage(text);
  }
}

/** Code and targets of links are hidden. @param {string} text */
function proseOfMarkdown(text) {
  return text
    .replace(/^(`{3,}).*\n[\s\S]*?^\1/gm, hidden)
    .replace(/`[^`\n]+`/g, hidden)
    .replace(/\]\([^)\n]*\)/g, hidden);
}

/** Values of a file of texts, one a line. @param {string} text */
function proseOfTexts(text) {
  return text.replace(/^.*$/gm, (line) => {
    const value = /^(\s*"(?:[^"\\]|\\.)*": ")((?:[^"\\]|\\.)*)"/.exec(line);
    if (value === null) return hidden(line);
    const [, key = "", shown = ""] = value;
    const prose = shown.replace(/\\n/g, "  ").replace(/`[^`]+`/g, hidden);
    return hidden(key) + prose + hidden(line.slice(key.length + shown.length));
  });
}

/** @param {string} text */
function proseOfManPage(text) {
  return text.replace(/^\..*$/gm, hidden).replace(/\\f[BIR]|\\/g, blank);
}

/**
 * Comments without their signs. Between two with nothing but white space there is no gap: a sentence may go on.
 * @param {string} text
 * @param {[number, number][]} comments in the order of the text
 */
function proseOfComments(text, comments) {
  let prose = "";
  for (const [start, end] of comments) {
    const between = text.slice(prose.length, start);
    prose += between.trim() === "" ? between : hidden(between);
    prose += text
      .slice(start, end)
      .replace(/^(?:\/\*+|\/\/[/!]?)|\*\/$|^\s*\*/gm, blank)
      .replace(/`[^`\n]+`/g, hidden);
  }
  return prose + hidden(text.slice(prose.length));
}

/** @param {string} text of TypeScript or JavaScript @returns {[number, number][]} */
function scriptComments(text) {
  const source = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
  /** @type {Map<number, number>} */
  const comments = new Map();
  const note = (/** @type {ts.CommentRange[] | undefined} */ ranges) => {
    for (const { pos, end } of ranges ?? []) comments.set(pos, end);
  };
  const visit = (/** @type {ts.Node} */ node) => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const parts = node.getChildren(source);
    if (parts.length === 0) {
      note(ts.getLeadingCommentRanges(text, node.pos));
      note(ts.getTrailingCommentRanges(text, node.end));
    }
    parts.forEach(visit);
  };
  visit(source);
  return [...comments].sort(([one], [other]) => one - other);
}
