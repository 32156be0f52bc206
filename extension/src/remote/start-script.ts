// The script that starts a helper on a host. No vscode in here.
//
// The script goes to `/bin/sh` by its input, so that the user's own shell, whichever that is, does not have to
// interpret it. It reports each step in a line that begins with a word that no other program can know; other output of
// start-up files is ignored. Nothing is sent after the script before its request: some shells read ahead.

import { INSTALLED_PROGRAM } from "../helper/privileged-helper.js";
import type { StartBy } from "../setting-values.js";

export interface HelperForHost {
  /** What `--version` prints, without the newline. */
  readonly version: string;
  /** SHA-256 of the program, in hexadecimal digits. */
  readonly sha256: string;
  /** Length of the program compressed by gzip, bytes. */
  readonly compressedBytes: number;
}

export interface StartWish {
  /** What the lines of the script begin with. */
  readonly word: string;
  /** What of the helper is brought along; undefined when this package has none: then only an installed one can be used. */
  readonly helper: HelperForHost | undefined;
  /** The version that an installed one must have. */
  readonly version: string;
  /** What starts it there. */
  readonly startBy: StartBy;
  /** The conversation that it holds; undefined when it ends with its connection. */
  readonly session?: HostSession | undefined;
}

/** A conversation with a helper that outlives its connection. */
export interface HostSession {
  /** 32 hexadecimal digits. */
  readonly name: string;
  /** How long it waits for a reconnection; undefined to reconnect to one that waits already. */
  readonly keepForSeconds?: number;
}

/** The reports of the script: the first word after its own. */
export const ANSWERS = {
  /** This machine is of another kind, which follows. */
  unfit: "unfit",
  /** The helper is to be sent, compressed. */
  need: "need",
  /** There is no helper of this version, and none can be sent. */
  none: "none",
  /** A step failed; the step and details follow. */
  failed: "failed",
  /** JSON-RPC follows; before it the started copy: `installed` or `cached`. */
  start: "start",
} as const;

/** Steps that may fail. */
export const STEPS = ["folder", "checksums", "write", "damaged", "execute", "lend"] as const;
export type FailedStep = (typeof STEPS)[number];

/**
 * A script for a POSIX shell. Every value in it consists of letters, digits and a few signs that have no meaning in a
 * shell.
 */
export function startScript({ word, helper, version, startBy, session }: StartWish): string {
  const values = [word, helper?.version ?? "", helper?.sha256 ?? "", version, session?.name ?? ""];
  for (const value of values)
    if (!/^[\w.+: -]*$/.test(value)) throw new RangeError(`${value} does not go into a script`);
  const lend = startBy === "itself" ? "" : `${startBy} -n`;
  // One function, called by the last line: the shell has read all of it when it begins.
  return `extrospect_start() {
  umask 077
  say() { printf '%s %s\\n' '${word}' "$*"; }
  machine="$(uname -s)-$(uname -m)"
  if [ "$machine" != Linux-x86_64 ]; then say ${ANSWERS.unfit} "$machine"; exit 3; fi
  try() { printed="$(${lend} "$1" --version 2>&1 </dev/null | tail -n 1)"; [ "$printed" = '${version}' ]; }
  start() { say ${ANSWERS.start} "$1"; exec ${lend} "$2" serve --stdio${sessionArguments(session)}; }
  if [ -f ${INSTALLED_PROGRAM} ] && try ${INSTALLED_PROGRAM}; then start installed ${INSTALLED_PROGRAM}; fi
  ${helper === undefined ? `say ${ANSWERS.none}; exit 3` : cached(helper)}
}
extrospect_start
`;
}

function sessionArguments(session: HostSession | undefined): string {
  if (session === undefined) return "";
  const { name, keepForSeconds } = session;
  return keepForSeconds === undefined
    ? ` --resume ${name}`
    : ` --session ${name} --keep-for ${String(Math.ceil(keepForSeconds))}`;
}

/**
 * The copy in a folder of the user's alone, which is named after its contents and checked before each start. The
 * arriving bytes are written to a file named after the machine (homes may be on several) and the shell; a file whose
 * shell is gone, since the machine stopped during the copy, is removed.
 */
function cached({ sha256, compressedBytes }: HelperForHost): string {
  return `folder="\${XDG_CACHE_HOME:-$HOME/.cache}/extrospect"
  mkdir -p "$folder" 2>/dev/null
  chmod 700 "$folder" 2>/dev/null
  if [ -L "$folder" ] || ! [ -d "$folder" ] || ! [ -O "$folder" ] || ! [ -w "$folder" ]; then say ${ANSWERS.failed} folder "$folder"; exit 3; fi
  program="$folder/helper-${sha256}"
  if command -v sha256sum >/dev/null; then sum() { sha256sum <"$1"; }
  elif command -v openssl >/dev/null; then sum() { openssl dgst -sha256 -r <"$1"; }
  else say ${ANSWERS.failed} checksums; exit 3; fi
  whole() { [ -f "$1" ] && ! [ -L "$1" ] && case "$(sum "$1")" in ${sha256}*) true;; *) false;; esac; }
  host="$(uname -n)"
  for left in "$folder"/helper-*."$host".*; do
    if [ -f "$left" ] && ! kill -0 "\${left##*.}" 2>/dev/null; then rm -f "$left"; fi
  done
  if ! whole "$program"; then
    new="$folder/helper-${sha256}.$host.$$"
    rm -f "$new"
    say ${ANSWERS.need}
    if ! head -c ${String(compressedBytes)} | gzip -dc >"$new"; then rm -f "$new"; say ${ANSWERS.failed} write "$folder"; exit 3; fi
    if ! whole "$new"; then rm -f "$new"; say ${ANSWERS.failed} damaged; exit 3; fi
    chmod 700 "$new" && mv -f "$new" "$program"
  fi
  if ! "$program" --version >/dev/null 2>&1 </dev/null; then say ${ANSWERS.failed} execute "$folder"; exit 3; fi
  if ! try "$program"; then say ${ANSWERS.failed} lend "$printed"; exit 3; fi
  start cached "$program"`;
}
