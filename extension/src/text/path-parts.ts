// Paths of others: of the machine a VM was built on, of a capture.

/** Slashes as separators, and no `.` between them. */
export function withSlashes(path: string): string {
  return path.replaceAll("\\", "/").replaceAll(/\/(?:\.\/)+/g, "/").replace(/^\.\//, "");
}

/** Names between the slashes. */
export function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** Last part of a path; empty when it has none. */
export function baseName(path: string): string {
  return partsOf(withSlashes(path)).at(-1) ?? "";
}
