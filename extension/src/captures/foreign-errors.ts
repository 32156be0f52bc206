// Why a profile of another tool is not opened. No vscode in here.

import type { EventOfFile } from "../../../contract/editor-module.generated.js";

/** A recording of several events of which none was chosen. */
export class SeveralEvents extends Error {
  override readonly name = "SeveralEvents";

  constructor(readonly events: readonly EventOfFile[]) {
    super(`it has samples of several events: ${events.map(({ name }) => name).join(", ")}`);
  }
}

export type ForeignProblem =
  | "perfData" // the binary file of `perf record`
  | "notRead"; // damaged, or of no format that is read

/** A file that is no pprof profile, and that the reader of other tools' profiles refuses. */
export class UnreadForeignProfile extends Error {
  override readonly name = "UnreadForeignProfile";

  /** @param why in the reader's words, in English: one clause without a full stop */
  constructor(
    readonly problem: ForeignProblem,
    readonly why: string,
  ) {
    super(why);
  }
}
