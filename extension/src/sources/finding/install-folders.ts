// Which installation a VM was started from, and its folders that may hold sources: both from the VM's command line.

import { createHash } from "node:crypto";

export interface InstallFolder {
  readonly folder: string;
  /** Holds one folder per application, each with `src` or `lib`; else holds the sources itself. */
  readonly isLibrary: boolean;
}

const USUAL_ROOTS = ["/usr/lib/erlang", "/usr/local/lib/erlang"];
const USUAL_ELIXIR = ["/usr/lib/elixir/lib", "/usr/local/lib/elixir/lib"];
const MAX_FOLDERS = 200;

/**
 * `-root DIR` names the OTP installation; each `-pa DIR/ebin` an application. The usual installations are always among them.
 * @param command of the VM; empty when it is unknown, or when its writer is not trusted: then the paths in it are not
 * used
 */
export function candidateFolders(command: string): InstallFolder[] {
  const words = command.split(/\s+/);
  const root = rootOf(words);
  const roots = root === undefined ? USUAL_ROOTS : [root, ...USUAL_ROOTS];
  const libraries = [...new Set([...roots.map((each) => `${each}/lib`), ...USUAL_ELIXIR])];
  const applications = words.flatMap((word) =>
    word.startsWith("/") && word.endsWith("/ebin") ? [word.slice(0, -"/ebin".length)] : [],
  );
  const sources = [...new Set(applications)].slice(0, MAX_FOLDERS).flatMap((each) => [`${each}/src`, `${each}/lib`]);
  return [
    ...sources.map((folder) => ({ folder, isLibrary: false })),
    ...libraries.map((folder) => ({ folder, isLibrary: true })),
  ];
}

function rootOf(words: readonly string[]): string | undefined {
  const root = words.includes("-root") ? words[words.indexOf("-root") + 1] : undefined;
  return root?.startsWith("/") === true ? root : undefined;
}

/** Whether a file of the workspace lies in the installation that the VM was started from, below a folder of the workspace: a copy that a release or a tool put there. Whose workspace is that installation works on it. */
export function isInstalled(
  { path, workspaceFolder }: { readonly path: string; readonly workspaceFolder: string },
  command: string,
): boolean {
  const root = rootOf(command.split(/\s+/))?.replace(/\/+$/, "");
  return root !== undefined && root.startsWith(`${workspaceFolder}/`) && path.startsWith(`${root}/`);
}

/** The facts in a capture of where the sources of its target may be installed. */
export interface CaptureOfTarget {
  /** Samples arrive from a VM. */
  readonly live: boolean;
  /** It is not one of this machine. */
  readonly isElsewhere?: boolean;
  readonly capture: { readonly facts: { readonly target: { readonly command: string } | null } };
}

/**
 * The command line whose folders may be read. Any program can write a file that names any folder, so a file counts in a
 * trusted workspace only; so does another host, which may report anything.
 */
export function trustedCommand(opened: CaptureOfTarget | undefined, isWorkspaceTrusted: boolean): string {
  if (opened === undefined || !((opened.live && opened.isElsewhere !== true) || isWorkspaceTrusted)) return "";
  return opened.capture.facts.target?.command ?? "";
}

/**
 * Identifies an installation: VMs whose command lines name the same folders share one. These folders are not searched,
 * so it holds for captures of untrusted workspaces as well.
 */
export function installationId(opened: CaptureOfTarget | undefined): string {
  const folders = candidateFolders(opened?.capture.facts.target?.command ?? "").map(({ folder }) => folder);
  return createHash("sha256").update(folders.join("\n")).digest("hex").slice(0, 16);
}
