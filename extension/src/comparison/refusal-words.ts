// Why captures cannot be compared, in the user's language. No vscode in here.

import type { RefusalKind, Refused } from "../../../contract/editor-module.generated.js";
import { shownName, type Words } from "../../../contract/plain-text.js";

/** A name, or the output of a program of the user's. */
const LONGEST_VALUE = 200;

const REFUSALS: Record<RefusalKind, (values: readonly string[], l10n: Words) => string> = {
  no_capture: ([side = ""], l10n) => l10n.t("there is no capture of {0}", side),
  no_samples: ([side = ""], l10n) => l10n.t("{0} has no busy samples: there is nothing to compare", side),
  no_samples_stopped: ([side = "", seconds = ""], l10n) =>
    l10n.t(
      "{0} has no busy samples, and a signal had stopped its VM for at least {1} s: there is nothing to compare",
      side,
      seconds,
    ),
  no_samples_traced: ([side = "", seconds = ""], l10n) =>
    l10n.t(
      "{0} has no busy samples, and a debugger held its VM for at least {1} s: there is nothing to compare",
      side,
      seconds,
    ),
  no_samples_frozen: ([side = "", seconds = ""], l10n) =>
    l10n.t(
      "{0} has no busy samples, and the control group of its VM was frozen for at least {1} s: there is nothing to compare",
      side,
      seconds,
    ),
  no_work: ([capture = ""], l10n) => l10n.t("{0} does not contain the amount of work", capture),
  work_cut: ([capture = "", work = ""], l10n) =>
    l10n.t("{0} was cut short before work ({1}) was counted again", capture, work),
  work_not_read: ([capture = "", work = "", why = ""], l10n) =>
    l10n.t("{0}: work ({1}) could not be counted at the end: {2}", capture, work, why),
  work_backwards: ([capture = "", work = ""], l10n) =>
    l10n.t("{0}: the counter of {1} went backwards: the counting program was restarted", capture, work),
  work_stood_still: ([capture = "", work = ""], l10n) => l10n.t("{0}: the counter of {1} stood still", capture, work),
  other_work: ([one = "", other = ""], l10n) => l10n.t("some captures count {0}, others {1}", one, other),
  no_length: ([capture = ""], l10n) =>
    l10n.t("{0} does not contain its length, so there is no time per second", capture),
  memory: ([capture = ""], l10n) => l10n.t("{0} is a profile of memory: it contains no time to compare", capture),
  waiting: ([capture = ""], l10n) =>
    l10n.t("{0} contains how long processes waited, but no processor time to compare", capture),
  other_type: ([one = "", of = "", other = "", ofOther = ""], l10n) =>
    l10n.t(
      "{0} has samples of {1} and {2} of {3}, so no figure of the one compares with a figure of the other",
      one,
      of,
      other,
      ofOther,
    ),
  shares_alone: ([capture = "", of = ""], l10n) =>
    l10n.t("{0} has samples of {1}, of which only shares are compared", capture, of),
  kernel_time: ([having = "", without = ""], l10n) =>
    l10n.t(
      "{0} has time in the kernel and {1} does not, so no share of the one compares with a share of the other",
      having,
      without,
    ),
  several_commits: ([side = "", commits = ""], l10n) =>
    l10n.t("captures of {0} are of several commits ({1}), but a side must be one version", side, commits),
  other_project: ([base = "", newer = ""], l10n) => l10n.t("{0} and {1} are two projects", base, newer),
  no_pairs: ([base = "", newer = ""], l10n) =>
    l10n.t(
      "a paired comparison needs the same number of captures on both sides, at least two: {0} before, {1} after",
      base,
      newer,
    ),
  wrong_pairs: ([one = "", other = ""], l10n) =>
    l10n.t(
      "{0} and {1} were taken one after the other, and both are of one side: these captures are no pairs of one of each",
      one,
      other,
    ),
  other_machine: ([one = "", on = "", other = "", onOther = ""], l10n) =>
    l10n.t("{0} was taken on {1} and {2} on {3}: the captures of pairs are of one machine", one, on, other, onOther),
  nothing_in_common: ([base = "", newer = ""], l10n) =>
    l10n.t("{0} and {1} have no Erlang function in common: they are captures of different programs", base, newer),
};

/** A kind of another version stays English. */
export function refusalText({ kind, values, text }: Refused, l10n: Words): string {
  const shown = values.map((value) => shownName(value, LONGEST_VALUE));
  return Object.hasOwn(REFUSALS, kind) ? REFUSALS[kind](shown, l10n) : shownName(text);
}
