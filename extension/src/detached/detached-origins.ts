// At which commit the workspace was when a detached capture was started from it: its file there does not say, the one that is fetched does. No vscode in here.

import { addressKey, type HostAddress } from "../remote/host-address.js";
import type { OriginFacts } from "../../../contract/protocol.generated.js";

const STATE_KEY = "extrospect.detachedOrigins";
/** Captures that were never fetched go first. */
const MOST_KEPT = 50;

/** The storage of a workspace. */
interface Storage {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

/** Which capture it is: another one of that name begins at another time. */
export interface BegunDetached {
  readonly name: string;
  readonly host: HostAddress | undefined;
  /** By the clock where it is, milliseconds. */
  readonly begunMs: number;
}

/** A commit, with the folder whose sources it is of; absolute path. */
export interface DetachedOrigin {
  readonly top: string;
  readonly origin: OriginFacts;
}

interface Kept extends DetachedOrigin {
  readonly of: string;
}

export class DetachedOrigins {
  constructor(private readonly storage: Storage) {}

  async note(capture: BegunDetached, { top, origin }: DetachedOrigin): Promise<void> {
    await this.storage.update(
      STATE_KEY,
      [{ of: keyOf(capture), top, origin } satisfies Kept, ...this.#kept()].slice(0, MOST_KEPT),
    );
  }

  /** Undefined for one that was started elsewhere, or without a commit. */
  find(capture: BegunDetached): DetachedOrigin | undefined {
    return this.#kept().find(({ of }) => of === keyOf(capture));
  }

  #kept(): readonly Kept[] {
    const kept = this.storage.get(STATE_KEY);
    return Array.isArray(kept) ? (kept as readonly unknown[]).filter(isKept) : [];
  }
}

function keyOf({ name, host, begunMs }: BegunDetached): string {
  return JSON.stringify([host === undefined ? "" : addressKey(host), name, begunMs]);
}

function isKept(one: unknown): one is Kept {
  if (typeof one !== "object" || one === null) return false;
  const { of, top, origin } = one as Partial<Record<keyof Kept, unknown>>;
  return (
    typeof of === "string" &&
    typeof top === "string" &&
    typeof origin === "object" &&
    origin !== null &&
    typeof (origin as { commit?: unknown }).commit === "string"
  );
}
