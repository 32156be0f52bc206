// The messages of the failed tests, read from the runners' output and repeated at the end of a long run, the first
// place to look for them.
import { isSkipped, unescaped } from "./test-skips.mjs";

/** Lines of one failure that are repeated; all of them are above. */
const LINES = 40;
const LINE_LENGTH = 600;

/**
 * @param {string} output   of one test program of Rust
 * @returns {string[]} one text per failed test, its name in the first line
 */
export function rustFailures(output) {
  const sections = output.matchAll(
    /^---- (\S+) stdout ----\n([\s\S]*?)(?=\n---- \S+ stdout ----\n|\n\n+failures:\n|$(?![\s\S]))/gm,
  );
  return [...sections].map(([, name = "", said = ""]) => short(`${name}\n${said.trim()}`));
}

/**
 * @param {string} tap   the output of node's TAP reporter
 * @returns {string[]} one text per failed test that is not just around another one
 */
export function nodeFailures(tap) {
  const failed = [];
  for (const [, indent = "", name = "", details = ""] of tap.matchAll(
    /^( *)not ok \d+ - (.*)\n((?:\1 {2}.*\n|\n)*)/gm,
  )) {
    if (isSkipped(name)) continue; // still to do: no failure
    if (/^ *failureType: 'subtestsFailed'$/m.test(details)) continue;
    const lines = details.split("\n").map((line) => line.slice(indent.length + 2));
    const said = lines.filter(
      (line) => !/^(---|\.\.\.|duration_ms: .*|failureType: .*|code: .*|name: .*)?$/.test(line),
    );
    failed.push(short([unescaped(name), ...said].join("\n")));
  }
  return failed;
}

/** @param {string} text */
function short(text) {
  const lines = text
    .split("\n")
    .map((line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)} ...` : line));
  return lines.length > LINES
    ? [...lines.slice(0, LINES), `... and ${lines.length - LINES} lines more`].join("\n")
    : lines.join("\n");
}
