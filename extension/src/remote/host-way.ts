// The way to a host's `/bin/sh`: a program and its arguments, and the texts of its failures. No vscode in here.

import type { HelperError } from "../helper/helper-error.js";
import type { StartBy } from "../setting-values.js";
import type { FailedStep } from "./start-script.js";

export interface HostWay {
  readonly program: string;
  readonly arguments: readonly string[];
  /** What starts the helper there. */
  readonly startBy: StartBy;
  /** The program could not be started. */
  cannotStart(why: string): HelperError;
  /** It ended before the host answered. @param code null when a signal ended it */
  ended(why: string, code: number | null): HelperError;
  /** What to do when something else than a shell answers. */
  readonly noShellFix: string;
  /** What to do about a step of the script that failed there; undefined: what helps on any host. */
  fixOf(step: FailedStep): string | undefined;
}
