// The rows of a list of VMs that could not be made: what the user can do. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { COMMANDS, SETTINGS } from "../contributions.js";
import type { HelperProblem } from "../helper/helper-error.js";

export interface WayOn {
  readonly icon: string;
  readonly title: string;
  readonly command: string;
  readonly argument?: string;
}

/** @param problem of the helper; undefined where another error prevented the list */
export function waysOn(problem: HelperProblem | undefined, words: Words): readonly WayOn[] {
  const again: WayOn = { icon: "refresh", title: words.t("Try Again"), command: COMMANDS.refreshTargets };
  const log: WayOn = { icon: "output", title: words.t("Show Log"), command: COMMANDS.showLog };
  switch (problem) {
    case "missing":
    case "notRunnable":
    case "versionMismatch":
    case "noAnswer":
      return [
        again,
        {
          icon: "settings-gear",
          title: words.t("Open Settings"),
          command: "workbench.action.openSettings",
          argument: `extrospect.${SETTINGS.helperPath}`,
        },
        log,
      ];
    case "ended":
    case "tooManyRestarts":
      return [{ icon: "debug-restart", title: words.t("Restart Helper"), command: COMMANDS.restartHelper }, log];
    case "refused":
      return [
        again,
        { icon: "checklist", title: words.t("Check Permissions and Setup"), command: COMMANDS.doctor },
        log,
      ];
    default:
      return [again, log];
  }
}
