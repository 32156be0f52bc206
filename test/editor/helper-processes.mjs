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
  const threads = unlessGone(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  // A thread that ends leaves the children of the others.
  return threads.flatMap((thread) =>
    (unlessGone(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")) ?? "")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}

/** @param {number} pid */
function nameOf(pid) {
  return unlessGone(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim()) ?? "";
}

/** Facts of a process or a thread, which may have ended since it was listed. @template T @param {() => T} read */
function unlessGone(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
