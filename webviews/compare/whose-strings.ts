// Words of the section with the commits that touched a function.

import { dateAndTime } from "../../contract/figures.js";
import type { ShownCommit, ShownTouch, WhoseLines } from "../../contract/messages/whose-line.js";
import { count, LANGUAGE, percent } from "../words/figures.js";
import { l10n } from "../words/l10n.js";

export const WHOSE_STRINGS = {
  ask: l10n.t("Whose Line?"),
  askHelp: l10n.t(
    "The commits between both sides that touched the selected function or a function it calls (Ctrl+Enter)",
  ),
  title: (name: string) => l10n.t("Whose line: {0}", name),
  asking: l10n.t("Querying git…"),
  stop: l10n.t("Cancel"),
  close: l10n.t("Close"),
  order: l10n.t("The best fit comes first. A commit that touched the function is not necessarily the cause."),
  none: l10n.t(
    "No commit between both sides touched it or a function it calls. The cause may be in its callers, in its data, in a dependency, or in the machine.",
  ),
  range: ({ older, newer, count: commits }: NonNullable<WhoseLines["range"]>) =>
    commits === null
      ? l10n.t("Commits from {0} to {1}.", older, newer)
      : commits === 1
        ? l10n.t("1 commit from {0} to {1}.", older, newer)
        : l10n.t("{0} commits from {1} to {2}.", count(commits), older, newer),
  notCommitted: l10n.t("not committed"),
  notCommittedHelp: l10n.t("Source changes that were not committed when the newer captures were taken"),
  merge: l10n.t("merge"),
  date: ({ authoredUnixMs }: ShownCommit) => (authoredUnixMs > 0 ? dateAndTime(authoredUnixMs, LANGUAGE) : ""),
  touched: ({ kind, name, lines, explains }: ShownTouch) => {
    const which =
      lines === "" ? l10n.t("lines") : /[–,]/.test(lines) ? l10n.t("lines {0}", lines) : l10n.t("line {0}", lines);
    if (kind === "lines") return l10n.t("touched {0}, where its time changed", which);
    return kind === "function"
      ? l10n.t("touched {0} of the function", which)
      : l10n.t(
          "touched {0} of {1}, which it calls: {2} of the change",
          which,
          name,
          percent(explains ?? 0, 1, "whole"),
        );
  },
  open: (place: string, commit: string) =>
    commit === ""
      ? l10n.t("Show the changes of {0} that were not committed", place)
      : l10n.t("Show the difference of {0} in {1}", place, commit),
} as const;
