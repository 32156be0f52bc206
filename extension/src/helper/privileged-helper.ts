// The copy of the helper that root may have installed: where it is, whether it is this very helper, and the one command that puts it there. No vscode in here.

import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where `extrospect install` puts it. */
export const INSTALLED_PROGRAM = "/usr/local/libexec/extrospect/extrospect";
/** Who may start it. */
export const INSTALLED_GROUP = "extrospect";
/** Programs that grant root's rights; the first available one is used. */
const ELEVATING_PROGRAMS = ["sudo", "doas"];

/** `same`: byte for byte; `other`: another version; `none`: there is none that we may start. */
export type InstalledCopy = "same" | "other" | "none";

/** How the installed copy is like the helper that comes with the extension. */
export function installedCopy(installed: string, bundled: string): InstalledCopy {
  try {
    accessSync(installed, constants.R_OK | constants.X_OK);
    const [copy, own] = [statSync(installed), statSync(bundled)];
    if (!copy.isFile()) return "none";
    return copy.size === own.size && readFileSync(installed).equals(readFileSync(bundled)) ? "same" : "other";
  } catch {
    return "none";
  }
}

/** The user of the editor, and the programs on this machine. */
export interface Surroundings {
  readonly isRoot: boolean;
  /** The name of the user. */
  readonly user: string;
  /** Folders with programs. */
  readonly path: readonly string[];
}

/** The one command that installs it: root copies `program`, which comes with the extension. */
export function installCommand(program: string, surroundings: Surroundings): string {
  return elevated(`${quoted(program)} install`, surroundings);
}

/** The one command that removes it. */
export function removeCommand(program: string, surroundings: Surroundings): string {
  return elevated(`${quoted(program)} uninstall`, surroundings);
}

/** The command after which the user is in the group. It has the name itself: where `su` runs it, a shell of root would fill it in. */
export function joinCommand(surroundings: Surroundings): string {
  return elevated(`usermod -aG ${INSTALLED_GROUP} ${quoted(surroundings.user)}`, surroundings);
}

function elevated(command: string, { isRoot, path }: Surroundings): string {
  if (isRoot) return command;
  const elevating = ELEVATING_PROGRAMS.find((name) =>
    path.some((folder) => folder !== "" && existsSync(join(folder, name))),
  );
  return elevating === undefined ? `su -c ${quoted(command)}` : `${elevating} ${command}`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
