// The table of planted faults in docs/testing.md.

const BEGIN = "<!-- planted faults -->";
const END = "<!-- end of planted faults -->";
const HEAD = ["| Planted fault | Capability | Found by |", "| --- | --- | --- |"];

/**
 * @typedef {object} Row
 * @property {import("./patches.mjs").PlantedFault} fault
 * @property {"gate" | "night" | "nothing"} by
 * @property {{file: string, test: string}[]} tests   that failed
 */

/**
 * The page with these rows. Rows of other faults stay as they are, unless their patch is gone.
 * @param {string} page
 * @param {Row[]} rows
 * @param {string[]} names   of all faults, in their order
 */
export function withRows(page, rows, names) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page has no lines ${BEGIN} and ${END}`);
  const lines = page.slice(from, to).split("\n");
  const kept = lines.flatMap((line) => (/^\| `(\d[\w-]*)`: /.exec(line)?.[1] ? [line] : []));
  const known = new Map(kept.map((line) => [/`([\w-]+)`/.exec(line)?.[1] ?? "", line]));
  for (const row of rows) known.set(row.fault.name, lineOf(row));
  const shown = names.flatMap((name) => known.get(name) ?? []);
  return `${page.slice(0, from)}${[BEGIN, ...HEAD, ...shown].join("\n")}\n${page.slice(to)}`;
}

/** @param {Row} row */
function lineOf({ fault: { name, fault, capability }, by, tests }) {
  const [first, ...others] = tests;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const found = first === undefined ? "nothing" : `${code(first.file)}: ${code(first.test)}${more}`;
  return `| \`${name}\`: ${cell(fault)} | ${cell(capability)} | ${by === "night" ? "by night: " : ""}${found} |`;
}

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|");

/** @param {string} text */
const code = (text) => `\`${cell(text.replaceAll("`", "'"))}\``;
