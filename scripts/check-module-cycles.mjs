// Fails when modules of one Rust crate import each other in a circle.
//
// Modules that lie beside each other in a folder have to form layers: where one imports from
// another, directly or from anywhere below it, nothing on that side may lead back. A module and
// those below it are one thing here, so a child may use its parent. Tests are left out.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { crateFolders } from "./project.mjs";

/** @typedef {Map<string, string>} Modules text by module path; the crate itself is "" */
/** @typedef {Map<string, Map<string, string>>} Imports by importer: the imported modules, each with the import */

/** @param {string} sourceFolder @returns {Modules} */
function modulesOf(sourceFolder) {
  const modules = new Map();
  for (const file of readdirSync(sourceFolder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".rs")) continue;
    const parts = file.replace(/\.rs$/, "").split("/");
    if (["mod", "lib", "main"].includes(parts.at(-1) ?? "")) parts.pop();
    if (parts.at(-1) === "tests") continue;
    modules.set(parts.join("::"), withoutTestsAndComments(readFileSync(join(sourceFolder, file), "utf8")));
  }
  return modules;
}

/** @param {string} text */
function withoutTestsAndComments(text) {
  return text.replace(/#\[cfg\(test\)\]\s*mod tests[\s\S]*$/, "").replace(/\/\/.*$/gm, "");
}

/** `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`. @param {string} path @returns {string[]} */
function expanded(path) {
  const brace = path.indexOf("{");
  if (brace < 0) return [path.replace(/\s+as\s+\w+/, "").trim()];
  const parts = [];
  let depth = 0;
  let start = brace + 1;
  for (let at = brace; at < path.length; at++) {
    if (path[at] === "{") depth++;
    if (path[at] === "}") depth--;
    if ((path[at] === "," && depth === 1) || depth === 0) {
      parts.push(path.slice(start, at).trim());
      start = at + 1;
    }
    if (depth === 0) break;
  }
  return parts.filter(Boolean).flatMap((part) => expanded(path.slice(0, brace) + part));
}

/** @param {string} module */
const partsOf = (module) => (module === "" ? [] : module.split("::"));

/**
 * Every path that a module mentions, from the root of the crate.
 * @param {string} module
 * @param {string} text
 * @param {Modules} modules
 */
function pathsIn(module, text, modules) {
  /** @type {string[][]} */
  const paths = [];
  /** @param {string} path */
  const add = (path) => {
    const parts = path.split("::").map((part) => part.trim());
    let base = partsOf(module);
    const beginsWithChild = modules.has([...base, parts[0]].join("::"));
    if (parts[0] === "crate") {
      base = [];
      parts.shift();
    } else if (!beginsWithChild) {
      if (parts[0] === "self") parts.shift();
      for (; parts[0] === "super"; parts.shift()) base = base.slice(0, -1);
    }
    paths.push([...base, ...parts]);
  };
  for (const [, path] of text.matchAll(/\buse\s+([^;]+);/g)) expanded(path ?? "").forEach(add);
  const rest = text.replace(/\buse\s+[^;]+;/g, "");
  for (const [path] of rest.matchAll(/\b(?:crate|super)(?:::\w+)+/g)) add(path);
  return paths;
}

/**
 * Names that modules hand on from others, with where they are.
 * @param {Modules} modules
 * @returns {Map<string, string[]>}
 */
function handedOn(modules) {
  const found = new Map();
  for (const [module, text] of modules) {
    for (const [, path] of text.matchAll(/\bpub(?:\([^)]*\))?\s+use\s+([^;]+);/g)) {
      for (const one of pathsIn(module, `use ${path};`, modules))
        found.set([...partsOf(module), one.at(-1)].join("::"), one);
    }
  }
  return found;
}

/**
 * The deepest module that a path leads into.
 * @param {string[]} path
 * @param {Modules} modules
 * @param {Map<string, string[]>} names
 * @param {Set<string>} seen
 * @returns {string}
 */
function moduleOf(path, modules, names, seen = new Set()) {
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join("::");
    if (modules.has(name)) return name;
    const target = names.get(name);
    if (target && !seen.has(name)) return moduleOf(target, modules, names, seen.add(name));
  }
  return "";
}

/**
 * Imports between modules that lie beside each other, by the module they lie in.
 * @param {Modules} modules
 */
function importsBesideEachOther(modules) {
  const names = handedOn(modules);
  /** @type {Map<string, Imports>} */
  const found = new Map();
  for (const [module, text] of modules) {
    const from = partsOf(module);
    for (const path of pathsIn(module, text, modules)) {
      const to = partsOf(moduleOf(path, modules, names));
      let same = 0;
      while (same < from.length && same < to.length && from[same] === to[same]) same++;
      const [importer, imported] = [from[same], to[same]];
      if (importer === undefined || imported === undefined) continue;
      const parent = from.slice(0, same).join("::");
      const imports = found.get(parent) ?? new Map();
      found.set(
        parent,
        imports.set(
          importer,
          (imports.get(importer) ?? new Map()).set(imported, `${module} imports ${path.join("::")}`),
        ),
      );
    }
  }
  return found;
}

/**
 * The shortest circle through `start`, if there is one.
 * @param {string} start
 * @param {Imports} imports
 */
function circleThrough(start, imports) {
  const paths = [[start]];
  const seen = new Set();
  for (const path of paths) {
    for (const next of imports.get(path.at(-1) ?? "")?.keys() ?? []) {
      if (next === start) return [...path, start];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return undefined;
}

/**
 * The faults of one crate, a line for each circle and each of its imports.
 * @param {string} crate
 * @param {string} sourceFolder
 */
function circlesOf(crate, sourceFolder) {
  /** @type {string[][]} */
  const circles = [];
  for (const [parent, imports] of importsBesideEachOther(modulesOf(sourceFolder))) {
    const reported = new Set();
    for (const start of imports.keys()) {
      const circle = circleThrough(start, imports);
      if (!circle || circle.some((module) => reported.has(module))) continue;
      circle.forEach((module) => reported.add(module));
      const why = circle.slice(1).map((to, index) => `    ${imports.get(circle[index] ?? "")?.get(to)}`);
      circles.push([`${crate}${parent && `::${parent}`}: ${circle.join(" -> ")}`, ...why]);
    }
  }
  return circles;
}

const circles = crateFolders()
  .map((folder) => ({ crate: basename(folder), sourceFolder: join(folder, "src") }))
  .filter(({ sourceFolder }) => existsSync(sourceFolder))
  .flatMap(({ crate, sourceFolder }) => circlesOf(crate, sourceFolder));
if (circles.length > 0) {
  console.error(circles.flat().join("\n"));
  console.error(`${circles.length} circles of imports: move what ties the modules into one that both may use`);
  process.exitCode = 1;
}
