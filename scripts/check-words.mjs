// npm run check: words and patterns of docs/glossary.md that plain English does without. How many each area has may only fall.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { commitSubjects } from "./lint/commit-subjects.mjs";
import { findings, identifierFindings } from "./lint/words.mjs";
import { proseOf } from "./lint/prose.mjs";
import { rustMessages } from "./lint/rust-texts.mjs";
import { ROOT } from "./project.mjs";

/** How many findings each area may have. */
const ALLOWED = "scripts/lint/words-allowed.json";
/** Findings that are shown of one area. */
const MOST_SHOWN = 40;

/**
 * @typedef {import("./lint/words.mjs").Finding & {file: string}} FileFinding
 * @typedef {Record<string, number>} Counts by area
 */

/** The first that fits. A file of none of them is not read. @type {[string, RegExp][]} */
const AREAS = [
  ["interface", /^(l10n\/bundle\.l10n|package\.nls)\.json$/],
  ["README", /^README\.md$/],
  // The glossary names the words themselves.
  ["documentation", /^docs\/(?!glossary\.md$).*\.md$|^media\/walkthrough\/\w+\.md$/],
  ["man pages", /^packaging\/man\/[\w-]+\.1$/],
  ["comments", /^(?!.*\.generated\.ts$).*\.(ts|mjs|cjs|rs)$/],
];
/** In the sources of the product, beside the prose in them. */
const IDENTIFIERS = "identifiers";
const WITH_IDENTIFIERS = /^(native-helper\/crates|extension|webviews|contract)\/(?!.*\.generated\.ts$).*\.(ts|rs)$/;
/** Texts of the helper: errors, remedies, the output of commands. */
const MESSAGES = "messages";
const WITH_MESSAGES = /^native-helper\/crates\/(?!testing\/).*\/src\/(?!.*\btests\b).*\.rs$/;
/** In a clone of these sources. */
const SUBJECTS = "commit subjects";
const LEFT_OUT = /^(\..*|node_modules|target|dist)$/;

/** @param {string} file from the root, with slashes @returns {string | undefined} */
export const areaOf = (file) => AREAS.find(([, files]) => files.test(file))?.[0];

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.test(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [relative(ROOT, path).split(sep).join("/")] : [];
    });
}

/** @returns {Map<string, FileFinding[]>} by area, each in the order of files */
function findingsByArea() {
  /** @type {Map<string, FileFinding[]>} */
  const found = new Map([...AREAS.map(([area]) => area), MESSAGES, IDENTIFIERS, SUBJECTS].map((area) => [area, []]));
  for (const file of filesBelow(ROOT).sort()) {
    const area = areaOf(file);
    if (area === undefined) continue;
    const text = readFileSync(join(ROOT, file), "utf8");
    const inFile = (/** @type {import("./lint/words.mjs").Finding} */ one) => ({ file, ...one });
    found.get(area)?.push(...findings(proseOf(file, text)).map(inFile));
    if (WITH_MESSAGES.test(file)) found.get(MESSAGES)?.push(...findings(rustMessages(text)).map(inFile));
    if (WITH_IDENTIFIERS.test(file)) found.get(IDENTIFIERS)?.push(...identifierFindings(file, text).map(inFile));
  }
  for (const { commit, text } of commitSubjects(ROOT))
    found.get(SUBJECTS)?.push(...findings(text).map((one) => ({ file: `commit ${commit}`, ...one })));
  return found;
}

/**
 * @param {Counts} allowed
 * @param {Counts} counts
 * @returns {{risen: string[], fallen: string[]}} areas
 */
export function compareCounts(allowed, counts) {
  const areas = Object.keys(counts);
  return {
    risen: areas.filter((area) => (counts[area] ?? 0) > (allowed[area] ?? 0)),
    fallen: areas.filter((area) => (counts[area] ?? 0) < (allowed[area] ?? 0)),
  };
}

/** @returns {Set<string> | undefined} `file:line` of each line since the counts were written; undefined without git */
function linesSince() {
  try {
    /** @param {string[]} args */
    const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
    const commit = git("log", "-1", "--format=%H", "--", ALLOWED).trim();
    return addedLines(git("diff", "--unified=0", "--no-ext-diff", "--no-color", commit || "HEAD"));
  } catch {
    return undefined;
  }
}

/** @param {string} diff without lines around @returns {Set<string>} `file:line` */
export function addedLines(diff) {
  const lines = new Set();
  let file = "";
  for (const line of diff.split("\n")) {
    file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1] ?? file;
    const [, start, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (start === undefined) continue;
    for (let at = 0; at < Number(count); at++) lines.add(`${file}:${Number(start) + at}`);
  }
  return lines;
}

/** @param {FileFinding} finding */
const shown = ({ file, line, word, write }) => `${file}:${line}: "${word}" (write: ${write})`;

/** Those of new lines, or without such all. @param {FileFinding[]} found @param {Set<string> | undefined} lines */
function likely(found, lines) {
  const recent = found.filter(({ file, line }) => lines?.has(`${file}:${line}`));
  const all = recent.length > 0 ? recent : found;
  const rest = all.length - MOST_SHOWN;
  return [...all.slice(0, MOST_SHOWN).map(shown), ...(rest > 0 ? [`… and ${rest} more`] : [])];
}

/** @param {string[]} args @returns {number} exit code */
function main(args) {
  const found = findingsByArea();
  const counts = Object.fromEntries([...found].map(([area, { length }]) => [area, length]));
  if (args[0] === "--all") {
    const areas = args.length > 1 ? args.slice(1) : Object.keys(counts);
    console.log(areas.flatMap((area) => found.get(area)?.map(shown) ?? []).join("\n"));
    console.log(JSON.stringify(counts));
    return 0;
  }
  const file = join(ROOT, ALLOWED);
  const isFirst = !existsSync(file);
  const allowed = isFirst ? counts : JSON.parse(readFileSync(file, "utf8"));
  const { risen, fallen } = compareCounts(allowed, counts);
  if (args[0] === "--lower") {
    const lowered = fallen.map((area) => [area, counts[area] ?? 0]);
    writeFileSync(file, `${JSON.stringify({ ...allowed, ...Object.fromEntries(lowered) }, undefined, 2)}\n`);
  } else if (fallen.length > 0) {
    const better = fallen.map((area) => `${area} ${allowed[area]} to ${counts[area]}`).join(", ");
    console.error(`${ALLOWED} can be lowered (${better}): node scripts/check-words.mjs --lower`);
  }
  if (risen.length > 0) {
    const lines = linesSince();
    for (const area of risen) {
      console.error(`${area}: ${counts[area]} words of docs/glossary.md to avoid, ${allowed[area] ?? 0} are allowed:`);
      console.error(likely(found.get(area) ?? [], lines).join("\n"));
    }
  }
  return risen.length > 0 || (fallen.length > 0 && args[0] !== "--lower") ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
