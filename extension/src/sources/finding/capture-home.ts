// Whether the files that a capture names are those of this machine. No vscode in here.

import { existsSync } from "node:fs";
import { hostname } from "node:os";

/** The facts in a capture of where it was taken. */
interface CaptureOfPlace {
  /** Known while it is taken. */
  readonly isElsewhere?: boolean;
  readonly capture: {
    readonly facts: {
      readonly target: { readonly host: string; readonly command: string; readonly hasOtherFiles?: boolean } | null;
      readonly isFromElsewhere?: boolean;
    };
  };
}

/** This machine; tests have another. */
export interface Machine {
  readonly host: string;
  exists(path: string): boolean;
}

const THIS_MACHINE: Machine = { host: hostname(), exists: (path) => process.platform === "linux" && existsSync(path) };

/**
 * Whether a capture comes from another machine, or from a container with files of its own: files here at the paths that
 * it names may be different ones.
 * A file contains the name of its host, whether it was taken on another one or in a container, and the path of its
 * emulator; the same path here makes this machine likely, nothing more.
 * @param command of the VM; empty when its writer is not trusted: then the paths in it are not used
 */
export function isElsewhere(
  opened: CaptureOfPlace | undefined,
  command: string,
  machine: Machine = THIS_MACHINE,
): boolean {
  if (opened === undefined) return false;
  if (opened.isElsewhere !== undefined) return opened.isElsewhere;
  const { target, isFromElsewhere } = opened.capture.facts;
  // Profiles of other tools do not contain it.
  if (target === null) return false;
  return (
    isFromElsewhere === true ||
    target.hasOtherFiles === true ||
    target.host !== machine.host ||
    !hasEmulator(command, machine)
  );
}

function hasEmulator(command: string, machine: Machine): boolean {
  const [emulator = ""] = command.split(" ", 1);
  return emulator.startsWith("/") && !emulator.startsWith("//") && machine.exists(emulator);
}
