// Hosts that the user's ssh configuration names. No vscode in here.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isDestination } from "./ssh-command.js";

const MAX_FILE_BYTES = 1 << 20;
const MAX_FILES = 64;
const MAX_HOSTS = 2_000;

/** Names of hosts, in the order in which they are written; patterns are none. @param file by default the user's own */
export function configuredHosts(file = join(homedir(), ".ssh", "config")): string[] {
  const hosts = new Set<string>();
  const seen = new Set<string>();
  const files = [file];
  for (let next = files.shift(); next !== undefined && seen.size < MAX_FILES; next = files.shift()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const line of linesOf(next)) {
      const [, keyword = "", rest = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
      const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
      if (keyword.toLowerCase() === "include") files.push(...words.flatMap((word) => matching(word, dirname(file))));
      // Excluded names and patterns are no hosts to connect to.
      if (keyword.toLowerCase() === "host")
        for (const word of words) if (isDestination(word) && hosts.size < MAX_HOSTS) hosts.add(word);
    }
  }
  return [...hosts];
}

function linesOf(file: string): string[] {
  try {
    const facts = statSync(file);
    return facts.isFile() && facts.size <= MAX_FILE_BYTES ? readFileSync(file, "utf8").split("\n") : [];
  } catch {
    return []; // Missing or not readable by this user: ssh itself reports it when it matters.
  }
}

/** Files that `Include` means: `*` and `?` in the last part of the path. */
function matching(word: string, folder: string): string[] {
  const path = word.startsWith("~/") ? join(homedir(), word.slice(2)) : isAbsolute(word) ? word : join(folder, word);
  if (!/[*?]/.test(basename(path))) return [path];
  const pattern = new RegExp(
    `^${basename(path)
      .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );
  try {
    return readdirSync(dirname(path))
      .filter((name) => pattern.test(name) && !name.startsWith("."))
      .sort()
      .map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}
