// Which open capture has a file: as its own, or as that of one of its nodes. No vscode in here.

/** An open capture, by the addresses of its files. */
export interface WithFiles {
  readonly uri: { toString(): string };
  readonly live: boolean;
  /** The file of each node, when it is of several. */
  readonly files?: ReadonlyMap<string, { toString(): string }>;
}

/** One that is still being written comes first. Undefined: no open capture has this file. */
export function openWithFile<Open extends WithFiles>(all: Iterable<Open>, address: string): Open | undefined {
  const those = [...all].filter(
    ({ uri, files }) =>
      uri.toString() === address || [...(files?.values() ?? [])].some((file) => file.toString() === address),
  );
  return those.find(({ live }) => live) ?? those[0];
}
