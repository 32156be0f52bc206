// The files that decide what `npm test` shows: its test files, and the modules below `test` that they import.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isNightFile, TEST_GROUPS } from "../test-groups.mjs";

/** Programs of their own: the tests of the editor's API run inside of an editor, by night, and of the matrix the gate has only its page. */
const OTHERS = ["test/editor/api/", "test/matrix/"];
/** `from "./x.mjs"`, `import "./x.mjs"`, `import("./x.mjs")`. */
const IMPORTS = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** @param {string} root of the project @returns {string[]} paths in it, sorted */
export function gateFiles(root) {
  const folders = TEST_GROUPS.filter(({ isNightly }) => !isNightly).map(({ name }) => join("test", name));
  const found = new Set(folders.flatMap((folder) => testFiles(root, folder)));
  // The loop reaches files that it adds to the set, too.
  for (const file of found)
    for (const [, path = ""] of readFileSync(join(root, file), "utf8").matchAll(IMPORTS)) {
      const source = sourceOf(join(root, dirname(file), path));
      const imported = relative(root, source);
      if (isOfTests(imported) && existsSync(source)) found.add(imported);
    }
  return [...found].sort();
}

/** @param {string} root @param {string} folder */
function testFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
    join(folder, name),
  );
  return files.filter((file) => /\.test\.(mjs|ts)$/.test(file) && !isNightFile(file) && isOfTests(file));
}

/** @param {string} file */
const isOfTests = (file) =>
  file.startsWith("test/") && /\.(mjs|ts)$/.test(file) && !OTHERS.some((folder) => file.startsWith(folder));

/** TypeScript imports `x.ts` as `x.js`. @param {string} path */
function sourceOf(path) {
  const source = path.replace(/\.js$/, ".ts");
  return existsSync(path) || !existsSync(source) ? path : source;
}
