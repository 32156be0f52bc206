// What a program last wrote about itself. No vscode in here.

import type { ChildProcess } from "node:child_process";
import { plainText } from "../../../contract/plain-text.js";

const MAX_KEPT = 2_000;
const MAX_SHOWN = 300;

/** The last line on the program's standard error, from now on; empty while there is none. */
export function complaintOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk: Buffer) => (text = `${text}${chunk.toString()}`.slice(-MAX_KEPT)));
  return () => plainText(text.trimEnd().split("\n").at(-1) ?? "", MAX_SHOWN);
}
