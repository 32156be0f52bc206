// A comparison as the page gets it. No vscode in here.

import type {
  Change,
  Compared,
  Doubt,
  Finding,
  FunctionChange,
  Gate,
  JudgedCondition,
  Measure,
} from "../../../../contract/editor-module.generated.js";
import {
  GROUPS,
  LONGEST_CONDITION,
  MATCHES,
  TOUCHES,
  VERDICTS,
  type Changes,
  type Comparands,
  type ComparedCaptures,
  type ComparedFunctions,
  type ComparedGate,
  type ComparedSide,
} from "../../../../contract/messages/compare.js";
import { plainText, shownName } from "../../../../contract/plain-text.js";
import { placeText } from "../page/place-text.js";

const LONGEST_NAME = 300;
const LONGEST_NOTE = 400;
/** A note names a function or some captures. */
const LONGEST_VALUE = 120;
/** Figures and reasons that a line names, as the command line does. */
const MOST_NAMED = 3;
const LONGEST_LINE = 2_000;

export function comparedMessage(
  { comparison, conditions }: Compared,
  comparands: Comparands,
  files: { readonly base: readonly string[]; readonly new: readonly string[] },
  measures: readonly Measure[],
  remarks: readonly string[] = [],
): ComparedCaptures {
  const side = (which: "base" | "new"): ComparedSide => {
    const { name, samples, busy, seconds, work } = comparison[which];
    return {
      name: plainText(name),
      captures: files[which].map((file) => shownName(file, LONGEST_VALUE)),
      samples,
      busy,
      seconds,
      work: work ?? null,
    };
  };
  const { classes, blame } = comparison;
  return {
    type: "compared",
    comparands,
    measure: comparison.measure,
    measures: comparison.work === undefined ? measures : [...measures, "work"],
    work: shownName(comparison.work ?? "", LONGEST_VALUE),
    base: side("base"),
    new: side("new"),
    method: comparison.method,
    ...(comparison.whole === undefined ? {} : { whole: comparison.whole }),
    remarks: [...(comparands.remarks ?? []), ...remarks],
    notes: comparison.notes.map(({ kind, values, text }) => ({
      kind,
      values: values.map((value) => shownName(value, LONGEST_VALUE)),
      text: plainText(text, LONGEST_NOTE),
    })),
    gates: conditions.map(comparedGate),
    moved: (comparison.moved ?? []).map(({ kind, function: name, from: [first = ""], to, text }) => ({
      kind,
      function: shownName(name, LONGEST_VALUE),
      from: shownName(first, LONGEST_VALUE),
      to: shownName(to, LONGEST_VALUE),
      text: plainText(text, LONGEST_NOTE),
    })),
    ...(comparison.tracks === undefined ? {} : { tracks: comparison.tracks }),
    functions: comparedFunctions(comparison.functions),
    classes: { classes: classes.map((row) => row.class), changes: changesOf(classes) },
    blame: {
      classes: blame.map((row) => row.class),
      names: blame.map((row) => shownName(row.function, LONGEST_NAME)),
      changes: changesOf(blame),
    },
  };
}

function comparedGate({ condition, gate, text }: JudgedCondition): ComparedGate {
  return {
    condition: plainText(condition, LONGEST_CONDITION),
    gate: gate === undefined ? null : shownGate(gate),
    text: plainText(text, LONGEST_LINE),
  };
}

function shownGate({ condition, met_by: metBy, undecided, measured, doubts, ...gate }: Gate): Gate {
  return {
    ...gate,
    condition: plainText(condition, LONGEST_CONDITION),
    met_by: metBy.slice(0, MOST_NAMED).map(shownFinding),
    undecided: undecided.slice(0, MOST_NAMED).map(shownFinding),
    ...(measured === undefined ? {} : { measured: shownFinding(measured) }),
    ...(doubts === undefined ? {} : { doubts: doubts.map(shownDoubt) }),
  };
}

function shownFinding({ name, ...finding }: Finding): Finding {
  return { ...finding, name: shownName(name, LONGEST_VALUE) };
}

function shownDoubt({ values, text, fix, ...doubt }: Doubt): Doubt {
  return {
    ...doubt,
    values: values.map((value) => plainText(value, LONGEST_NOTE)),
    text: plainText(text, LONGEST_NOTE),
    fix: plainText(fix, LONGEST_NOTE),
  };
}

function comparedFunctions(functions: readonly FunctionChange[]): ComparedFunctions {
  const modules: string[] = [];
  const known = new Map<string, number>();
  const module = Uint32Array.from(functions, (row) => {
    const name = moduleOf(row);
    const index = known.get(name) ?? modules.push(shownName(name, LONGEST_VALUE)) - 1;
    known.set(name, index);
    return index;
  });
  const rows = new Map(functions.map((row, index) => [row.function, index]));
  const own = functions.map((row) => row.own).filter((change) => change !== undefined);
  return {
    names: functions.map((row) => shownName(row.function, LONGEST_NAME)),
    baseNames: Object.fromEntries(
      functions.flatMap(({ base_function: name }, row) =>
        name === undefined ? [] : [[row, shownName(name, LONGEST_NAME)]],
      ),
    ),
    matchedBy: Int8Array.from(functions, ({ matched_by: by }) => (by === null ? -1 : MATCHES.indexOf(by))),
    kinds: functions.map(({ kind }) => kind),
    places: functions.map(({ file, line }) => placeText(file, line)),
    modules,
    module,
    own: own.length === functions.length && own.length > 0 ? changesOf(own) : null,
    group: Uint8Array.from(functions, ({ group }) => GROUPS.indexOf(group)),
    touched: Uint8Array.from(functions, ({ touched }) =>
      TOUCHES.indexOf(touched === undefined ? "unknown" : touched ? "touched" : "untouched"),
    ),
    remarks: Object.fromEntries(functions.flatMap(({ remark }, row) => (remark === undefined ? [] : [[row, remark]]))),
    wraps: Object.fromEntries(
      functions.flatMap(({ wrapper_of: name = "" }, row) => {
        const wrapped = rows.get(name);
        return wrapped === undefined ? [] : [[row, wrapped]];
      }),
    ),
    self: changesOf(functions.map((row) => row.self)),
    total: changesOf(functions.map((row) => row.total)),
  };
}

function changesOf(rows: readonly Change[]): Changes {
  const column = (of: (row: Change) => number | null) => Float64Array.from(rows, (row) => of(row) ?? NaN);
  return {
    base: column((row) => row.base),
    new: column((row) => row.new),
    change: column((row) => row.change_pct),
    low: column((row) => row.low_pct),
    high: column((row) => row.high_pct),
    verdict: Uint8Array.from(rows, (row) => VERDICTS.indexOf(row.verdict)),
  };
}

/**
 * The text before the last colon or, in Elixir, the last point: `lists`, `Shop.Cart`; empty without one, as for C
 * functions.
 */
export function moduleOf({ function: name, kind }: Pick<FunctionChange, "function" | "kind">): string {
  if (kind !== "erlang" && kind !== "bif") return "";
  const quoted = /^'((?:\\.|[^'\\])*)':/.exec(name);
  if (quoted) return quoted[1] ?? "";
  const colon = name.indexOf(":");
  if (colon > 0 && !/^[A-Z]/.test(name)) return name.slice(0, colon);
  // A dot inside of quotes or operators is part of the function's name: a module's parts begin with a capital letter.
  return /^[A-Z]\w*(?:\.[A-Z]\w*)*(?=\.)/.exec(name)?.[0] ?? "";
}
