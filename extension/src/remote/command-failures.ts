// Why a command that leads into a container ended, by its last line and its exit code. No vscode in here.
//
// Each program words it in its own way and promises none of it, so this only chooses the advice; the line itself is
// always shown.

export type FailureKind = "gone" | "noShell" | "refused" | "noDaemon" | "other";

/** In this order: docker's missing daemon is `no such file`, too. */
const KINDS: readonly (readonly [FailureKind, RegExp])[] = [
  [
    "noDaemon",
    /cannot connect to the docker daemon|unable to connect to|connection to the server .* was refused|connection refused|unable to connect to the server|no configuration has been provided|no such host|i\/o timeout/i,
  ],
  // Refused rights are checked before missing files.
  [
    "refused",
    /permission denied|operation not permitted|forbidden|unauthorized|must be logged in|password is required|not in the sudoers|not allowed to execute|may not run sudo/i,
  ],
  [
    "noShell",
    /(?:\/bin\/sh|"sh")\W.*(?:no such file|not found)|executable file .*not found|failed to execute .*no such file|executable file `[^`]*` not found/i,
  ],
  [
    "gone",
    /no such container|no container with name|is not running|container state improper|(?<!command )not found|can't exec in a stopped|completed pod|cannot exec into|no such process|cannot open \/proc\/\d+\/ns/i,
  ],
];

/** @param code of the program; null when a signal ended it */
export function failureOf(line: string, code: number | null): FailureKind {
  for (const [kind, words] of KINDS) if (words.test(line)) return kind;
  // A command that was not there, or no program, as shells and runtimes say it.
  return code === 126 || code === 127 ? "noShell" : "other";
}
