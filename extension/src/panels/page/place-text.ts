// Where something is, as a page shows it.

import { shownName } from "../../../../contract/plain-text.js";
import { baseName } from "../../text/base-name.js";

const LONGEST_FILE_NAME = 120;

/** `file.erl:12`, as far as it is known; else empty. */
export function placeText(file: string, line: number): string {
  const name = shownName(baseName(file), LONGEST_FILE_NAME);
  return file === "" ? "" : line > 0 ? `${name}:${line}` : name;
}
