// Texts as they were when a capture was seen first, so that its lines can still be found after edits.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import * as vscode from "vscode";
import type { Capture } from "../../capture/questions.js";
import { decode } from "./source-bytes.js";

const MAX_CAPTURES = 60;
const MAX_TEXTS = 600;
const MAX_TEXT_LENGTH = 4_000_000;
const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** Keeps texts by hash under the extension's own folder of the workspace, with one index per capture. Failing to write is no error. */
export class BaselineStore {
  readonly #folder: vscode.Uri | undefined;
  readonly #log: vscode.LogOutputChannel;
  readonly #indexes = new Map<string, Promise<Map<string, string>>>();
  #writing: Promise<void> = Promise.resolve();

  /** @param folder undefined without a workspace: then nothing is kept */
  constructor(folder: vscode.Uri | undefined, log: vscode.LogOutputChannel) {
    this.#folder = folder === undefined ? undefined : vscode.Uri.joinPath(folder, "baselines");
    this.#log = log;
  }

  async read(capture: Capture, captureUri: vscode.Uri, file: vscode.Uri): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    const hash = (await this.#index(captureKey(capture, captureUri))).get(file.toString());
    if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
    try {
      return decode(
        await unzip(await vscode.workspace.fs.readFile(this.#textUri(this.#folder, hash)), {
          maxOutputLength: MAX_TEXT_LENGTH * 4,
        }),
      );
    } catch {
      return undefined;
    }
  }

  save(capture: Capture, captureUri: vscode.Uri, file: vscode.Uri, text: string): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined || text.length > MAX_TEXT_LENGTH) return Promise.resolve();
    this.#writing = this.#writing
      .then(async () => {
        const key = captureKey(capture, captureUri);
        const index = await this.#index(key);
        const hash = createHash("sha256").update(text).digest("hex");
        if (index.get(file.toString()) === hash) return;
        index.set(file.toString(), hash);
        await vscode.workspace.fs.writeFile(this.#textUri(folder, hash), await zip(text));
        await vscode.workspace.fs.writeFile(
          this.#indexUri(folder, key),
          new TextEncoder().encode(JSON.stringify([...index])),
        );
        await this.#prune(folder);
      })
      .catch((error: unknown) => this.#log.warn(`The text of ${file.toString()} was not kept: ${String(error)}`));
    return this.#writing;
  }

  #index(key: string): Promise<Map<string, string>> {
    const known = this.#indexes.get(key);
    if (known !== undefined || this.#folder === undefined) return known ?? Promise.resolve(new Map<string, string>());
    const reading = Promise.resolve(vscode.workspace.fs.readFile(this.#indexUri(this.#folder, key))).then(
      (bytes) => parseIndex(new TextDecoder().decode(bytes)),
      () => new Map<string, string>(),
    );
    this.#indexes.set(key, reading);
    return reading;
  }

  async #prune(folder: vscode.Uri): Promise<void> {
    await keepNewest(vscode.Uri.joinPath(folder, "captures"), MAX_CAPTURES);
    await keepNewest(vscode.Uri.joinPath(folder, "texts"), MAX_TEXTS);
  }

  #textUri(folder: vscode.Uri, hash: string): vscode.Uri {
    return vscode.Uri.joinPath(folder, "texts", `${hash}.gz`);
  }

  #indexUri(folder: vscode.Uri, key: string): vscode.Uri {
    return vscode.Uri.joinPath(folder, "captures", `${key}.json`);
  }
}

/** A capture stays the same when its file is renamed. */
function captureKey(capture: Capture, uri: vscode.Uri): string {
  const { target, startedUnixMs, isOwn } = capture.facts;
  const name =
    isOwn && target !== null && startedUnixMs > 0 ? `${startedUnixMs} ${target.host} ${target.pid}` : uri.toString();
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}

function parseIndex(json: string): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(json);
    if (!Array.isArray(entries)) return new Map();
    return new Map(
      entries.filter(
        (entry): entry is [string, string] =>
          Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "string",
      ),
    );
  } catch {
    return new Map();
  }
}

async function keepNewest(folder: vscode.Uri, count: number): Promise<void> {
  const names = (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name);
  if (names.length <= count) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const uri = vscode.Uri.joinPath(folder, name);
      return { uri, time: (await vscode.workspace.fs.stat(uri)).mtime };
    }),
  );
  files.sort((a, b) => b.time - a.time);
  for (const { uri } of files.slice(count)) await vscode.workspace.fs.delete(uri);
}
