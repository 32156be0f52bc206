// Processes below one, as /proc tells.
import { readdirSync, readFileSync, statSync } from "node:fs";

/** Descendants whose command line contains the text. @param {number} pid @param {string} text @returns {number[]} */
export function childrenOf(pid, text) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const parent = Number(read(`/proc/${name}/stat`).replace(/^.*\) \S /s, "").split(" ")[0]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = [pid];
  for (const one of below) below.push(...(children.get(one) ?? []));
  return below.slice(1).filter((one) => read(`/proc/${String(one)}/cmdline`).replaceAll("\0", " ").includes(text));
}

/** @param {string} file */
export function endOfFile(file) {
  return statSync(file).size;
}

/** Empty when the process is gone. @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
