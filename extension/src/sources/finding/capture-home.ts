// Whether the files that a capture names are those of this machine. No vscode in here.

import { existsSync } from "node:fs";
import { hostname } from "node:os";

/** A capture as far as it says where it was taken. */
interface CaptureOfPlace {
  /** Known while it is taken. */
  readonly isElsewhere?: boolean;
  readonly capture: { readonly facts: { readonly target: { readonly host: string; readonly command: string; readonly hasOtherFiles?: boolean } | null; readonly isFromElsewhere?: boolean } };
}

/** This machine; tests have another. */
export interface Machine {
  readonly host: string;
  exists(path: string): boolean;
}

const THIS_MACHINE: Machine = { host: hostname(), exists: (path) => process.platform === "linux" && existsSync(path) };

/**
 * Whether a capture comes from another machine, or from a container with files of its own: what lies here at the paths that it names may be something else.
 * A file says which host it is of, whether it was taken on another one or in a container, and what its emulator is called; that it lies here as well makes it likely, nothing more.
 * @param command of the VM; empty when nobody vouches for who wrote it: then nothing it names is looked at
 */
export function isElsewhere(opened: CaptureOfPlace | undefined, command: string, machine: Machine = THIS_MACHINE): boolean {
  if (opened === undefined) return false;
  if (opened.isElsewhere !== undefined) return opened.isElsewhere;
  const { target, isFromElsewhere } = opened.capture.facts;
  // Profiles of other tools do not say.
  if (target === null) return false;
  return isFromElsewhere === true || target.hasOtherFiles === true || target.host !== machine.host || !hasEmulator(command, machine);
}

function hasEmulator(command: string, machine: Machine): boolean {
  const [emulator = ""] = command.split(" ", 1);
  return emulator.startsWith("/") && !emulator.startsWith("//") && machine.exists(emulator);
}
