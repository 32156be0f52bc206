// Sizes beyond which a capture is not read. No vscode in here.

/** A compressed capture larger than this is refused: unpacked it would not fit into the extension host. */
export const LARGEST_FILE_BYTES = 512 * 1024 * 1024;
/** Larger files of other programs, whose samples have to be counted for it, are not read for the list. */
export const LARGEST_LISTED_BYTES = 4 * 1024 * 1024;
/** Most files of one folder that are listed. */
export const MOST_FILES = 20_000;
