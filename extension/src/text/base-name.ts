// Last parts of paths. No vscode in here.

import { posix } from "node:path";

/** Last part of a path as any system writes it; empty for none. */
export function baseName(path: string): string {
  return posix.basename(path.replaceAll("\\", "/"));
}

/** Name of the file at an address. */
export function fileName({ path }: { readonly path: string }): string {
  return posix.basename(path);
}
