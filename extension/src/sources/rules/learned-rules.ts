// Rules learned from what the user picked, remembered with the workspace. No vscode in here.

import { pathParts } from "./path-prefix.js";
import type { PrefixRule } from "./prefix-rules.js";

const KEY = "sources.rules";
const MOST_RULES = 200;
const LONGEST_TEXT = 4096;

/** State that is kept with the workspace (`vscode.Memento`). */
interface WorkspaceState {
  get<Value>(key: string, otherwise: Value): Value;
  update(key: string, value: unknown): Thenable<void>;
}

export interface LearnedRule {
  /** In the form of the settings: `/app/`. */
  readonly prefix: string;
  /** Address of the folder; empty when picks contradicted each other: nothing is learned for this prefix until it is forgotten. */
  readonly folder: string;
}

export class LearnedRules {
  readonly #state: WorkspaceState;

  constructor(state: WorkspaceState) {
    this.#state = state;
  }

  /**
   * In the order in which they were learned. The stored rules are checked at each read: another version may have stored
   * them.
   */
  get all(): LearnedRule[] {
    const kept: unknown = this.#state.get<unknown>(KEY, []);
    if (!Array.isArray(kept)) return [];
    return kept.filter(isEntry).map(([prefix, folder]) => ({ prefix, folder }));
  }

  /** Those that lead somewhere. */
  get prefixRules(): PrefixRule<string>[] {
    return this.all.flatMap(({ prefix, folder }) => {
      const parts = pathParts(prefix);
      return parts === undefined || folder === "" ? [] : [{ prefix: parts, folder }];
    });
  }

  /** Keeps a rule. One that contradicts another takes both away: which of them holds where is not known. @returns whether anything changed */
  async learn({ prefix, folder }: LearnedRule): Promise<boolean> {
    const { all } = this;
    const known = all.find((rule) => rule.prefix === prefix);
    if (known !== undefined && (known.folder === folder || known.folder === "")) return false;
    const others = all.filter((rule) => rule !== known);
    await this.#keep([...others, { prefix, folder: known === undefined ? folder : "" }]);
    return true;
  }

  async forget(prefix: string): Promise<void> {
    await this.#keep(this.all.filter((rule) => rule.prefix !== prefix));
  }

  /** @returns how many there were */
  async forgetAll(): Promise<number> {
    const count = this.all.length;
    await this.#state.update(KEY, undefined);
    return count;
  }

  async #keep(rules: readonly LearnedRule[]): Promise<void> {
    const entries = rules.slice(-MOST_RULES).map(({ prefix, folder }) => [prefix, folder]);
    await this.#state.update(KEY, entries.length === 0 ? undefined : entries);
  }
}

function isEntry(entry: unknown): entry is [string, string] {
  return (
    Array.isArray(entry) &&
    entry.length === 2 &&
    entry.every((text) => typeof text === "string" && text.length <= LONGEST_TEXT) &&
    entry[0] !== ""
  );
}
