// Reads the capture that a command is given. No vscode in here.

import { posix, win32 } from "node:path";
import { shownName, type Words } from "../../../contract/plain-text.js";

/** An address such as `file:///…`, or an absolute path. */
export type CaptureName = { readonly address: string } | { readonly path: string };

/** Why the argument names no capture: the problem, its cause and the remedy. */
export interface Unnamed {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** One letter is a drive of Windows. */
const ADDRESS = /^[a-z][a-z0-9+.-]+:/i;

/** The `uri` among the arguments of a command. Undefined or null: none was named. */
export function captureNameOf(given: unknown, l10n: Words): CaptureName | Unnamed | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== "string") return unnamed(typeof given, l10n.t("`uri` is not a text"), l10n);
  if (ADDRESS.test(given)) return { address: given };
  if (isAbsolutePath(given)) return { path: given };
  return unnamed(
    given,
    given === "" ? l10n.t("`uri` is empty") : l10n.t("it is neither an absolute path nor an address"),
    l10n,
  );
}

/** On the machine where the extension runs. */
function isAbsolutePath(given: string): boolean {
  return process.platform === "win32" ? win32.isAbsolute(given) : posix.isAbsolute(given);
}

/** The problem of an argument that is no address. */
export function unnamed(given: string, why: string, l10n: Words): Unnamed {
  return {
    what: l10n.t("“{0}” names no capture", shownName(given, 200)),
    why,
    fix: l10n.t("Set `uri` to an absolute path or an address such as file:///…, or omit it."),
  };
}
