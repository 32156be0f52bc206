// docs/unknowns.md: what each command prints when a part of the truth cannot be known.
import { COMMANDS } from "./cells.mjs";
import { STATES } from "./states.mjs";

const INTRODUCTION = `# When something cannot be known

The sentence of each command in states in which a part of the truth cannot be known. Where a command needs nothing that the state takes away, the table has the reason. \`node test/unknowns/run.mjs\` brings about each state for real and makes this page; the same run is a night test.
`;

/** @param {readonly import("./look.mjs").Row[]} rows @returns {string} */
export function unknownsPage(rows) {
  const sections = STATES.map(({ name, title }) => {
    const own = rows.filter(({ state }) => state === name);
    const texts = [...new Set(Object.keys(COMMANDS).map((command) => cellOf(rowOf(own, command))))];
    const lines = texts.map((text) => {
      const commands = Object.keys(COMMANDS).filter((command) => cellOf(rowOf(own, command)) === text);
      return `| ${commands.map((command) => `\`${command}\``).join(", ")} | ${text} |`;
    });
    return `## ${title}\n\n| Commands | Sentence |\n| --- | --- |\n${lines.join("\n")}\n`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}

/** @param {readonly import("./look.mjs").Row[]} rows @param {string} wanted */
const rowOf = (rows, wanted) => rows.find(({ command }) => command === wanted);

/** Process ids are those of one run, so equal sentences differ in nothing else. @param {import("./look.mjs").Row | undefined} row */
function cellOf(row) {
  if (row === undefined) return "not tried";
  const escaped = row.text
    .replaceAll("|", "\\|")
    .replaceAll(/process \d+|-CONT \d+/g, (words) => words.replace(/\d+/, "PID"))
    .replace(/^\d+: /, "");
  if (row.kind === "sentence") return `“${escaped.replaceAll(/[<>*_]/g, "\\$&")}”`;
  return row.kind === "same" ? `as always: ${escaped}` : `nothing: ${escaped}`;
}
