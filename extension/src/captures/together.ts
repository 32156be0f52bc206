// Several captures as one in the store: each has its own file, and all of them together none.

import { createHash, randomInt } from "node:crypto";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { JoinedCapture } from "../capture/joined-capture.js";
import { captureFileName, CAPTURE_ENDING } from "./capture-file.js";
import { nameWithTime } from "./capture-name.js";
import type { OpenCapture } from "./capture-store.js";

const SCHEME = "extrospect-together";
const GROUP = "together";
const GROUP_TAG = /^together-\d{8}-\d{6}-\d{1,9}$/;
const HIGHEST_GROUP = 1_000_000;

/** Whether the address is no file, and so has no note, no name and nothing to be deleted. */
export function isTogether(uri: vscode.Uri): boolean {
  return uri.scheme === SCHEME;
}

/** A name that captures of one start get as a tag: nothing else joins their files, which are complete by themselves. */
export function newGroupTag(at: Date): string {
  return `${captureFileName(GROUP, 0, at).slice(0, -CAPTURE_ENDING.length)}-${String(randomInt(HIGHEST_GROUP))}`;
}

export function groupTagOf(tags: readonly string[]): string | undefined {
  return tags.find((tag) => GROUP_TAG.test(tag));
}

/** The same for the same files. */
export function togetherUri(name: string, files: readonly vscode.Uri[]): vscode.Uri {
  const addresses = files.map(String).sort();
  return vscode.Uri.from({
    scheme: SCHEME,
    path: `/${name}`,
    query: createHash("sha256").update(JSON.stringify(addresses)).digest("hex").slice(0, 16),
  });
}

export class TogetherCapture implements OpenCapture {
  readonly title: string;
  readonly isElsewhere?: boolean;
  #live: boolean;

  constructor(
    readonly uri: vscode.Uri,
    readonly capture: JoinedCapture,
    readonly files: ReadonlyMap<string, vscode.Uri>,
    {
      live,
      startedUnixMs,
      isElsewhere,
    }: { readonly live: boolean; readonly startedUnixMs: number; readonly isElsewhere?: boolean },
  ) {
    this.#live = live;
    if (isElsewhere !== undefined) this.isElsewhere = isElsewhere;
    const names = plainText([...files.keys()].join(", "), 80);
    const of = vscode.l10n.t("{0} nodes: {1}", files.size, names);
    this.title = nameWithTime(of, startedUnixMs, { nowUnixMs: Date.now(), language: vscode.env.language });
  }

  get live(): boolean {
    return this.#live;
  }

  /** No more samples arrive. */
  end(): void {
    this.#live = false;
  }
}
