// eslint: no file imports itself by way of others, types included. Between layers there can be no circle (layers.mjs); this finds those within one.
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";

/** Files that a file imports, read once in a run of eslint. @type {Map<string, string[]>} */
const importsOf = new Map();

/** @param {string} file absolute @param {string} [text] as it is in the editor; else read from the disk @returns {string[]} absolute */
function imported(file, text) {
  const known = text === undefined ? importsOf.get(file) : undefined;
  if (known !== undefined) return known;
  const { importedFiles } = ts.preProcessFile(text ?? readFileSync(file, "utf8"));
  const files = importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => resolve(dirname(file), fileName).replace(/\.js$/, ".ts"))
    .filter((path) => path.endsWith(".ts") && existsSync(path));
  if (text === undefined) importsOf.set(file, files);
  return files;
}

/** @param {string} start @param {string} text of `start` @returns {string[] | undefined} the files of a circle through `start`, in order */
function circleThrough(start, text) {
  /** How each file was reached. @type {Map<string, string>} */
  const from = new Map();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of imported(file, file === start ? text : undefined)) {
      if (next === start) {
        const path = [];
        for (let step = file; step !== start; step = from.get(step) ?? start) path.unshift(step);
        return path;
      }
      if (from.has(next)) continue;
      from.set(next, file);
      open.push(next);
    }
  }
  return undefined;
}

/** @type {import("eslint").Rule.RuleModule} */
export const importCircles = {
  meta: { type: "problem", schema: [], messages: { circle: "this file imports itself by way of {{path}}" } },
  create(context) {
    return {
      Program(node) {
        const circle = circleThrough(context.filename, context.sourceCode.text);
        if (circle !== undefined) context.report({ node, messageId: "circle", data: { path: circle.join(", ") } });
      },
    };
  },
};
