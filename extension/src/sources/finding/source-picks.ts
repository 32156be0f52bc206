// Files the user picked for modules, remembered with the workspace. No vscode in here.

import { placeKey, type ModulePlace } from "./module-file.js";

const KEY = "sources.picked";
const MAX_PICKS = 500;

/** State that is kept with the workspace (`vscode.Memento`). */
interface WorkspaceState {
  get<Value>(key: string, otherwise: Value): Value;
  update(key: string, value: unknown): Thenable<void>;
}

/** A pick holds for the installation it was made for: a VM started from elsewhere may run another text of the same module. */
export class SourcePicks {
  readonly #state: WorkspaceState;

  constructor(state: WorkspaceState) {
    this.#state = state;
  }

  /** The picked file's address. @param installation see `installationId` */
  get(place: ModulePlace, installation: string): string | undefined {
    return this.#all.get(pickKey(place, installation));
  }

  async set(place: ModulePlace, installation: string, uri: string): Promise<void> {
    const picks = this.#all;
    const key = pickKey(place, installation);
    picks.delete(key);
    picks.set(key, uri);
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

function pickKey(place: ModulePlace, installation: string): string {
  return `${installation} ${placeKey(place)}`;
}
