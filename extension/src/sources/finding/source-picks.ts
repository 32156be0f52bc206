// Files the user picked for modules, remembered with the workspace.

import type * as vscode from "vscode";
import { placeKey, type ModulePlace } from "./module-file.js";

const KEY = "sources.picked";
const MAX_PICKS = 500;

export class SourcePicks {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The picked file's address. */
  get(place: ModulePlace): string | undefined {
    return this.#all.get(placeKey(place));
  }

  async set(place: ModulePlace, uri: string): Promise<void> {
    const picks = this.#all;
    picks.delete(placeKey(place));
    picks.set(placeKey(place), uri);
    await this.#state.update(KEY, [...picks].slice(-MAX_PICKS));
  }

  /** @returns how many there were */
  async forget(): Promise<number> {
    const count = this.#all.size;
    await this.#state.update(KEY, undefined);
    return count;
  }

  get #all(): Map<string, string> {
    return new Map(this.#state.get<[string, string][]>(KEY, []));
  }
}
