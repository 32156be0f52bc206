// Keeps the mark of the function that is selected in the views of a capture where that function is. No vscode in here.

import type { FunctionLines } from "./function-at.js";

/** The editors in sight. */
interface MarkedEditors<Editor extends object> {
  all(): readonly Editor[];
  /** Of its text: a mark moves with edits, and is elsewhere then. */
  version(editor: Editor): number;
  /** The lines of the selected function; undefined where the editor does not have it. */
  linesIn(editor: Editor): Promise<FunctionLines | undefined>;
  /** Draws the mark instead of the one before; undefined for none. The cursor and the lines in sight stay. */
  draw(editor: Editor, lines: FunctionLines | undefined): void;
}

export class SelectedMark<Editor extends object> {
  readonly #editors: MarkedEditors<Editor>;
  /** What each editor shows, so that a look that changes nothing draws nothing. */
  readonly #drawn = new WeakMap<Editor, string>();
  #looks = 0;

  constructor(editors: MarkedEditors<Editor>) {
    this.#editors = editors;
  }

  async refresh(): Promise<void> {
    const look = ++this.#looks;
    for (const editor of this.#editors.all()) {
      const version = this.#editors.version(editor);
      const lines = await this.#editors.linesIn(editor);
      // A newer look is about all editors, too.
      if (look !== this.#looks) return;
      if (lines === undefined) {
        if (this.#drawn.delete(editor)) this.#editors.draw(editor, undefined);
        continue;
      }
      const drawn = `${String(version)} ${String(lines.line)} ${String(lines.endLine)}`;
      if (this.#drawn.get(editor) === drawn) continue;
      this.#drawn.set(editor, drawn);
      this.#editors.draw(editor, lines);
    }
  }
}
