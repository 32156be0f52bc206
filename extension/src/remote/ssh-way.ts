// The way by ssh. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { HelperError } from "../helper/helper-error.js";
import type { StartBy } from "../setting-values.js";
import type { HostWay } from "./host-way.js";
import { sshArguments } from "./ssh-command.js";

export interface SshUse {
  /** `ssh`, or another one that is called in the same way. */
  readonly program: string;
  readonly startBy: StartBy;
  /** Whether the questions of ssh reach the user; they do when absent. */
  readonly canPrompt?: boolean;
}

export function sshWay(destination: string, { program, startBy, canPrompt = true }: SshUse, l10n: Words): HostWay {
  const unreachable = (what: string, why: string, fix: string) => new HelperError("unreachable", what, why, fix);
  return {
    program,
    arguments: sshArguments(destination, canPrompt),
    startBy,
    cannotStart: (why) =>
      unreachable(
        l10n.t("ssh cannot be started"),
        why,
        l10n.t("Install OpenSSH's client, or set `extrospect.remote.sshProgram`."),
      ),
    ended: (why) =>
      unreachable(
        l10n.t("No connection to {0}", destination),
        why,
        canPrompt
          ? l10n.t("Try `ssh {0}` in a terminal: what works there works here.", destination)
          : l10n.t(
              "Try `ssh {0}` in a terminal: what works there without a question works here. From Windows ssh's questions do not reach the editor: confirm the host's key there, and have an agent hold your key.",
              destination,
            ),
      ),
    noShellFix: l10n.t(
      "Run `ssh {0} true`: it must print nothing. Check the start-up files of the shell there.",
      destination,
    ),
    fixOf: () => undefined,
  };
}
