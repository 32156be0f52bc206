// Where a file is after a rename of itself or of a folder above it. No vscode in here.

/** @returns undefined when the rename does not concern the file */
export function movedPath(path: string, from: string, to: string): string | undefined {
  if (path === from) return to;
  return path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : undefined;
}
