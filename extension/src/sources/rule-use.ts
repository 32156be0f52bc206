// Which rule about paths had a say in where a source is, and in words. No vscode in here.

import { shownName, type Words } from "../../../contract/plain-text.js";

/** A rule that maps a folder of the VM's to one here, and its result for one file. */
export interface RuleUse {
  readonly origin: "settings" | "learned";
  /** In the form of the settings: `/app/`. */
  readonly prefix: string;
  /** In readable form; empty when the rule states that the files are not here. */
  readonly folder: string;
  /** `missing`: there is no such file; `otherModule`: it holds another module. Then it is not used. */
  readonly outcome: "found" | "notHere" | "missing" | "otherModule";
}

const LONGEST_SHOWN_PATH = 100;

/** One sentence. */
export function ruleText({ origin, prefix, folder, outcome }: RuleUse, words: Words): string {
  const from = shownName(prefix, LONGEST_SHOWN_PATH);
  const to = shownName(folder, LONGEST_SHOWN_PATH);
  switch (outcome) {
    case "found":
      return origin === "settings"
        ? words.t("Found by the rule {0} → {1} of the settings.", from, to)
        : words.t("Found by the rule {0} → {1}, which was learned from a file that you picked.", from, to);
    case "notHere":
      return words.t("According to the settings, files below {0} are not here.", from);
    case "missing":
      return words.t("The rule {0} → {1} of the settings leads to a file that does not exist.", from, to);
    case "otherModule":
      return words.t(
        "The rule {0} → {1} of the settings leads to a file of another module, which is not used.",
        from,
        to,
      );
  }
}
