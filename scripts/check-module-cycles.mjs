// Fails when modules of one Rust crate import each other in a circle.
//
// Modules that lie beside each other in a folder have to form layers: where one imports from
// another, directly or from anywhere below it, nothing on that side may lead back. A module and
// those below it are one thing here, so a child may use its parent. Tests are left out.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const cratesFolder = join(import.meta.dirname, "..", "native-helper", "crates");

/** Source files of a crate by module path, `[]` for the crate itself. */
function modulesOf(sourceFolder) {
  const modules = new Map();
  for (const file of readdirSync(sourceFolder, { recursive: true })) {
    if (!file.endsWith(".rs")) continue;
    const parts = relative(".", file).replace(/\.rs$/, "").split("/");
    if (["mod", "lib", "main"].includes(parts.at(-1))) parts.pop();
    if (parts.at(-1) === "tests") continue;
    modules.set(parts.join("::"), withoutTestsAndComments(readFileSync(join(sourceFolder, file), "utf8")));
  }
  return modules;
}

function withoutTestsAndComments(text) {
  return text.replace(/#\[cfg\(test\)\]\s*mod tests[\s\S]*$/, "").replace(/\/\/.*$/gm, "");
}

/** `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`. */
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

/** Every path that a module mentions, from the root of the crate. */
function pathsIn(module, text, children) {
  const own = module === "" ? [] : module.split("::");
  const paths = [];
  const add = (path) => {
    const parts = path.split("::").map((part) => part.trim());
    let base = own;
    if (parts[0] === "crate") {
      base = [];
      parts.shift();
    } else if (children.has([...own, parts[0]].join("::"))) {
      // A path that begins with a child.
    } else {
      if (parts[0] === "self") parts.shift();
      while (parts[0] === "super") {
        base = base.slice(0, -1);
        parts.shift();
      }
    }
    paths.push([...base, ...parts]);
  };
  for (const [, path] of text.matchAll(/\buse\s+([^;]+);/g)) expanded(path).forEach(add);
  const rest = text.replace(/\buse\s+[^;]+;/g, "");
  for (const [path] of rest.matchAll(/\b(?:crate|super)(?:::\w+)+/g)) add(path);
  return paths;
}

/** Names that a module hands on from modules below it, with where they are. */
function reexports(modules) {
  const found = new Map();
  for (const [module, text] of modules) {
    for (const [, path] of text.matchAll(/\bpub(?:\([^)]*\))?\s+use\s+([^;]+);/g)) {
      for (const one of pathsIn(module, `use ${path};`, modules)) {
        found.set([...(module === "" ? [] : module.split("::")), one.at(-1)].join("::"), one);
      }
    }
  }
  return found;
}

/** The deepest module that a path leads into. */
function moduleOf(path, modules, exported, seen = new Set()) {
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join("::");
    if (modules.has(name)) return name;
    const target = exported.get(name);
    if (target && !seen.has(name)) return moduleOf(target, modules, exported, seen.add(name));
  }
  return "";
}

/** Imports between modules that lie beside each other: parent, then who, then whom, then by which. */
function siblingImports(modules) {
  const exported = reexports(modules);
  const imports = new Map();
  for (const [module, text] of modules) {
    const from = module === "" ? [] : module.split("::");
    for (const path of pathsIn(module, text, modules)) {
      const to = moduleOf(path, modules, exported).split("::");
      let same = 0;
      while (same < from.length && same < to.length && from[same] === to[same]) same++;
      if (same >= from.length || same >= to.length || to[0] === "") continue;
      const parent = from.slice(0, same).join("::");
      const graph = imports.get(parent) ?? imports.set(parent, new Map()).get(parent);
      const edges = graph.get(from[same]) ?? graph.set(from[same], new Map()).get(from[same]);
      edges.set(to[same], `${module} imports ${path.join("::")}`);
    }
  }
  return imports;
}

/** One circle that begins at `start`, if there is one. */
function circleFrom(start, graph) {
  const paths = [[start]];
  const seen = new Set();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1))?.keys() ?? []) {
      if (next === start) return [...path, start];
      if (!seen.has(next)) {
        seen.add(next);
        paths.push([...path, next]);
      }
    }
  }
  return undefined;
}

export function moduleCircles(sourceFolder) {
  const circles = [];
  const reported = new Set();
  for (const [parent, graph] of siblingImports(modulesOf(sourceFolder))) {
    for (const start of graph.keys()) {
      const circle = circleFrom(start, graph);
      if (!circle || circle.some((module) => reported.has(`${parent}::${module}`))) continue;
      circle.forEach((module) => reported.add(`${parent}::${module}`));
      const why = circle.slice(1).map((to, index) => graph.get(circle[index]).get(to));
      circles.push({ parent, circle, why });
    }
  }
  return circles;
}

if (process.argv[1] === import.meta.filename) {
  let count = 0;
  for (const crate of readdirSync(cratesFolder)) {
    const sourceFolder = join(cratesFolder, crate, "src");
    if (!existsSync(sourceFolder)) continue;
    for (const { parent, circle, why } of moduleCircles(sourceFolder)) {
      count++;
      console.error(`${crate}${parent && `::${parent}`}: ${circle.join(" -> ")}`);
      why.forEach((line) => console.error(`    ${line}`));
    }
  }
  if (count > 0) {
    console.error(`${count} circles of imports: move what ties the modules into one that both may use`);
    process.exit(1);
  }
}
