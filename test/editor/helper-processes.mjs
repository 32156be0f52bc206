// The helpers that an editor has started.
import { readdirSync, readFileSync } from "node:fs";

/** Helpers among the descendants of a process. @param {number} pid @returns {number[]} */
export function helpersBelow(pid) {
  /** @type {number[]} */
  const found = [];
  const visit = (/** @type {number} */ parent) => {
    for (const child of childrenOf(parent)) {
      if (nameOf(child) === "extrospect") found.push(child);
      visit(child);
    }
  };
  visit(pid);
  return found;
}

/** @param {number} pid @returns {number[]} */
export function childrenOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    // gone since it was listed
    return [];
  }
}

/** @param {number} pid */
function nameOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}
