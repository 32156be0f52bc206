// The program that makes each section of docs/measurements.md, by a hash: figures of an older one are called that.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COMPARING_PROGRAMS } from "./comparing-report.mjs";

/** Files that turn figures into text, or judge them: they do not change the figures. */
const TEXT = new Set(["report.mjs", "comparing-report.mjs", "table.mjs", "wanted.mjs", "measured-by.mjs"]);

/** Sections of bench/run.mjs: the part that measures each, and its file. @type {Record<string, {part: string, file: string}>} */
const SECTIONS = {
  "Slowdown of the target": { part: "slowdown", file: "slowdown.mjs" },
  "Where the time of a sample goes": { part: "slowdown", file: "slowdown.mjs" },
  "How long a sample stops its thread": { part: "stops", file: "stops.mjs" },
  "Price of a switch": { part: "switch", file: "switches.mjs" },
  "Processor time of the profiler": { part: "cost", file: "cost.mjs" },
  Attaching: { part: "attach", file: "attach.mjs" },
  "Flame graphs in headless Chromium": { part: "flame", file: "flame-graph.mjs" },
  "The editor's model of a capture": { part: "model", file: "capture-model.mjs" },
  "Cost of a process table for the VM": { part: "inside", file: "inside.mjs" },
  "The first minutes of a new user": { part: "first", file: "first-minutes.mjs" },
};

/** @param {string} name @returns {string | undefined} the text of a file of this folder */
const fileHere = (name) => {
  const path = join(import.meta.dirname, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

/**
 * Of a file of this folder and all that it imports from there.
 * @param {string} file
 * @param {(name: string) => string | undefined} [read]
 */
export function hashOf(file, read = fileHere) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  const add = (/** @type {string} */ name) => {
    const text = TEXT.has(name) || texts.has(name) ? undefined : read(name);
    if (text === undefined) return;
    texts.set(name, text);
    for (const [, imported = ""] of text.matchAll(/(?:from|import\() ?"\.\/([\w./-]+\.mjs)"/g)) add(imported);
  };
  add(file);
  const hash = createHash("sha256");
  for (const [name, text] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}\0${text}\0`);
  return hash.digest("hex").slice(0, 12);
}

/** The program of each section of the page, in its order. @returns {Record<string, string>} */
export function programs() {
  const own = Object.entries(SECTIONS).map(([title, { file }]) => [title, hashOf(file)]);
  return Object.fromEntries([
    ...own,
    ...Object.entries(COMPARING_PROGRAMS).map(([title, file]) => [title, hashOf(file)]),
  ]);
}

/** Those of the sections that parts of bench/run.mjs measure. @param {readonly string[]} parts @returns {Record<string, string>} */
export function programsOf(parts) {
  const measured = Object.entries(SECTIONS).filter(([, { part }]) => parts.includes(part));
  return Object.fromEntries(measured.map(([title, { file }]) => [title, hashOf(file)]));
}
