// The answers of gates: in English those of the command line to the letter, in other languages from the same facts.

import type { Caution, Doubt, Finding, Gate, GateAnswer, Reason } from "../../contract/editor-module.generated.js";
import { decimal } from "../../contract/figures.js";
import type { ComparedGate, ComparedNote } from "../../contract/messages/compare.js";
import { LANGUAGE } from "../words/figures.js";
import { l10n } from "../words/l10n.js";
import { noteText, STRINGS } from "./strings.js";

/** Reasons in one line, as on the command line. */
const MOST_REASONS = 3;
const LEAST_KNOWN_PCT = 50;
const LEAST_TOUCHED_PCT = 1;

/** Before the condition, where there is no colour. */
export const ANSWER_SIGNS: Record<GateAnswer, string> = { holds: "✗", does_not_hold: "✓", cannot_tell: "?" };

const ANSWERS: Record<GateAnswer, (condition: string) => string> = {
  holds: (condition) => l10n.t("{0} holds", condition),
  does_not_hold: (condition) => l10n.t("{0} does not hold", condition),
  cannot_tell: (condition) => l10n.t("{0} cannot tell", condition),
};

const CAUTIONS: Record<Caution, string> = {
  no_work: l10n.t(
    "no work was counted: a program that takes all the processors it gets takes as much each second however slow it is",
  ),
  one_capture: l10n.t("with one capture on a side, the difference between runs is assumed"),
};

/** Of those whose values suffice for a sentence; others are caveats, or stay English. */
const REASONS: Partial<Record<Reason, (values: readonly string[]) => string | undefined>> = {
  interval: () => l10n.t("the interval contains the limit"),
  too_few_samples: ([name = "", samples]) =>
    samples === undefined ? undefined : l10n.t("{0} has {1} samples on both sides together", name, samples),
  mostly_unknown: ([percent = ""]) =>
    l10n.t("the intervals of {0}% of the time end below the limit, less than half", percent),
  one_side: ([name = ""]) => l10n.t("{0} is on one side only", name),
  not_matched: (names) => l10n.t("the counterpart of {0} on the other side is not known", names.join(", ")),
  code_unknown: ([why = ""]) => l10n.t("the functions that the commit touched are not known: {0}", why),
  no_samples: ([name]) =>
    name === undefined ? l10n.t("no sample shows a change") : l10n.t("neither side has a sample of {0}", name),
  not_compared: ([name = ""]) => l10n.t("{0} is no work, and a comparison leaves it out", name),
  work_lost: ([why = ""]) => l10n.t("not all captures counted work: {0}", why),
  collections: ([name = ""]) => l10n.t("collections make the change of {0}, which has no interval beside them", name),
  slow_machine: ([first = "", second = "", third = "", fourth]) =>
    fourth === undefined
      ? l10n.t(
          "functions of the same code changed by one factor, {0}% ({1} … {2}), as on a slower, faster or busier machine",
          first,
          second,
          third,
        )
      : l10n.t("processors ran at {0} to {1} MHz before and at {2} to {3} MHz after", first, second, third, fourth),
  processor_time_lost: ([base = "", now = ""]) =>
    l10n.t("one side alone was kept from processors: {0}% of its time before, {1}% after", base, now),
};

/** One line: condition, answer, figures, reasons and what would decide. @param notes those of the comparison */
export function gateText({ gate, text }: ComparedGate, notes: readonly ComparedNote[], language = LANGUAGE): string {
  if (gate === null || /^en\b/.test(language)) return text;
  const { doubts = [], more_doubts: more = 0, cautions = [], unmatched_pct: unmatched } = gate;
  const shown = doubts.slice(0, MOST_REASONS);
  const hidden = doubts.length - shown.length + more;
  const facts = [
    ...figuresOf(gate, language),
    ...shown.map((doubt) => doubtText(doubt, notes)),
    ...(hidden > 0 ? [l10n.t("{0} more reasons", hidden)] : []),
    ...new Set(shown.map(remedyText).filter((remedy) => remedy !== "")),
    ...(unmatched === undefined
      ? []
      : [
          l10n.t(
            "of {0}% of the time it cannot tell: it is not known which functions these are on the other side",
            decimal(unmatched, language, 0),
          ),
        ]),
    ...cautions.map((caution) => CAUTIONS[caution]),
  ];
  const answer = ANSWERS[gate.answer](gate.condition);
  return facts.length === 0 ? answer : l10n.t("{0}: {1}", answer, facts.join("; "));
}

function figuresOf(gate: Gate, language: string): string[] {
  const { answer, measured, met_by: metBy, measure, counts } = gate;
  const of = STRINGS.measures[measure];
  if (measured !== undefined) return [findingText(measured, language), of];
  if (answer === "cannot_tell") return [];
  if (answer === "does_not_hold") {
    const within = withinText(gate, language);
    return within === undefined ? [] : [within, of];
  }
  const more = counts[0] - metBy.length;
  const findings = metBy.map((finding) => findingText(finding, language));
  return [...findings, ...(more > 0 ? [l10n.t("{0} more", more)] : []), of];
}

/** Why many functions together are within the limit. */
function withinText(
  { touched, touched_pct: touchedPct, known_pct: knownPct }: Gate,
  language: string,
): string | undefined {
  if (touched === 0) return l10n.t("the commit touched no function with such samples");
  if (knownPct === undefined) return undefined;
  if (knownPct < LEAST_KNOWN_PCT && touchedPct !== undefined && touchedPct < LEAST_TOUCHED_PCT)
    return l10n.t(
      "the functions that the commit touched take less than {0}% of the time together, including everything they call",
      LEAST_TOUCHED_PCT,
    );
  return l10n.t("the intervals of {0}% of the time end below the limit", decimal(knownPct, language, 0));
}

/** `shop:total/1 (total): +12.3 % (+9.1 … +15.6), limit 10 %`. */
function findingText(finding: Finding, language: string): string {
  const { name, column, value, low, high, less = false, limit, unit } = finding;
  const subject = name === "the whole" ? STRINGS.whole : name;
  const shown = column === undefined ? subject : `${subject} (${column})`;
  if (value === null) return l10n.t("{0} on one side only", shown);
  const signed = (figure: number) =>
    `${less ? "" : figure < 0 ? "−" : "+"}${decimal(less ? figure : Math.abs(figure), language, 1)}`;
  const interval = low === null || high === null ? "" : ` (${signed(low)} … ${signed(high)})`;
  const figure = `${signed(value)} ${unit.replace(/^us/, "µs")}${interval}`;
  const most = `${decimal(limit, language, 3, 0)} ${unit.replace(/^us/, "µs")}`;
  return less
    ? l10n.t("{0}: {1} less, limit {2}", shown, figure, most)
    : l10n.t("{0}: {1}, limit {2}", shown, figure, most);
}

function doubtText({ reason, values, text }: Doubt, notes: readonly ComparedNote[]): string {
  // A difference of the captures is one of their caveats, too.
  const caveat = (sentence: string) => {
    const note = notes.find((one) => one.text === sentence);
    return note === undefined ? undefined : noteText(note).replace(/\.$/, "");
  };
  return caveat(text) ?? REASONS[reason]?.(values.map((value) => caveat(value) ?? value)) ?? text;
}

function remedyText({ captures, seconds, fix }: Doubt): string {
  if (captures !== undefined)
    return l10n.t("take about {0} captures of this length for each side, or as many pairs", captures);
  return seconds === undefined ? fix : l10n.t("take captures of about {0} s", seconds);
}
