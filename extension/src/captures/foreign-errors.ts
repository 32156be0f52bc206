// Why a profile of another tool is not opened. No vscode in here.

import type { EventOfFile, UnreadReason } from "../../../contract/editor-module.generated.js";

/** A recording of several events of which none was chosen. */
export class SeveralEvents extends Error {
  override readonly name = "SeveralEvents";

  constructor(readonly events: readonly EventOfFile[]) {
    super(`it has samples of several events: ${events.map(({ name }) => name).join(", ")}`);
  }
}

/** A file that is no pprof profile, and that the reader of other tools' profiles refuses. */
export class UnreadForeignProfile extends Error {
  override readonly name = "UnreadForeignProfile";

  /** @param text the same in the reader's words, in English, for the log */
  constructor(
    readonly reason: UnreadReason,
    text: string,
  ) {
    super(text);
  }
}
