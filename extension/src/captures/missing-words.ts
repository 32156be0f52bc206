// What a command needs and does not find, with the commands that lead to it. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { COMMANDS } from "../contributions.js";

/** A button, and the command behind it. */
interface Step {
  readonly title: string;
  readonly command: string;
}

/** `inView` and `inWorkspace`: a capture there; `hotLines`: in files of the workspace; a comparison in its panel. */
export type Missing = "inView" | "inWorkspace" | "hotLines" | "comparisonToExport" | "comparisonToCopy";

export function missingWords(missing: Missing, words: Words): { readonly text: string; readonly steps: Step[] } {
  const toCapture = [
    { title: words.t("Start Capture…"), command: COMMANDS.attach },
    { title: words.t("Open Capture…"), command: COMMANDS.openCapture },
  ];
  const toComparison = [{ title: words.t("Compare Captures…"), command: COMMANDS.compareCaptures }];
  switch (missing) {
    case "inView":
      return { text: words.t("No capture is in view. Start a capture or open one first."), steps: toCapture };
    case "inWorkspace":
      return { text: words.t("There is no capture in this workspace yet."), steps: toCapture };
    case "hotLines":
      return {
        text: words.t("No file of this workspace has hot lines in the capture in view."),
        steps: [
          { title: words.t("Show All Hot Functions"), command: COMMANDS.showTop },
          { title: words.t("Name the Folder of the Sources…"), command: COMMANDS.sourceRules },
        ],
      };
    case "comparisonToExport":
      return { text: words.t("There is no comparison to export yet."), steps: toComparison };
    case "comparisonToCopy":
      return { text: words.t("There is no comparison to copy yet."), steps: toComparison };
  }
}
