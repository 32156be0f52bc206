// The panel that compares captures, and the commands that fill it.

import * as vscode from "vscode";
import type {
  Answer,
  Comparison,
  FunctionChange,
  RefusalKind,
  WrittenFormat,
} from "../../../../contract/editor-module.generated.js";
import {
  CHOICES,
  MEASURES,
  MOST_CONDITIONS,
  type Comparands,
  type CompareChoice,
  type CompareProblem,
  type ComparedCaptures,
  type ToHost,
} from "../../../../contract/messages/compare.js";
import { shownName } from "../../../../contract/plain-text.js";
import { SAMPLES, typeOfUnit } from "../../../../contract/sample-type-words.js";
import type { FunctionFacts } from "../../capture/questions.js";
import { countsSamples } from "../../captures/attribution.js";
import { stemOf } from "../../captures/capture-file.js";
import { folderOfCapture } from "../../captures/capture-folder.js";
import { commitOfRow } from "../../captures/capture-groups.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { shownType } from "../../captures/choose-type.js";
import type { CaptureRow } from "../../captures/captures-view.js";
import { commitHistory } from "../../captures/commit-history.js";
import { openedCapture, UnreadableCapture } from "../../captures/open-capture.js";
import { registerReadingCommand } from "../../captures/register-command.js";
import { fileInView, namedCapture } from "../../captures/named-capture.js";
import { savePage } from "../../captures/save-page.js";
import { showMissing } from "../../captures/show-missing.js";
import { unreadCaptureWords } from "../../captures/unreadable-words.js";
import { capturedCommits } from "../../comparison/captured-commits.js";
import {
  comparedCaptures,
  writtenComparison,
  type CaptureChoice,
  type ComparedSides,
} from "../../comparison/compared-captures.js";
import { comparedGraph } from "../../comparison/compared-graph.js";
import { olderFirst } from "../../comparison/comparison-sides.js";
import { refusalText } from "../../comparison/refusal-words.js";
import { COMMANDS, CONTEXT, PANELS, SETTINGS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { fileName } from "../../text/base-name.js";
import { errorWords, forLog } from "../../text/error-text.js";
import { withStatusBarProgress } from "../../messages/show-message.js";
import { setting, updateFolderSetting } from "../../settings.js";
import { copy } from "../page/page-actions.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo, type PanelContent } from "../page/webview-page.js";
import { pickOtherCommit, twoCommits } from "./pick-commits.js";
import { pickComparands } from "./pick-comparands.js";
import { registerCommitDocuments } from "./commit-document.js";
import { nodeComparands } from "./compare-nodes.js";
import { CompareSession } from "./compare-session.js";
import { comparedMessage } from "./compared-rows.js";
import { keptConditions } from "./kept-conditions.js";
import { WhoseLineSession } from "./whose-line-session.js";

interface CompareContent extends PanelContent<ToHost> {
  readonly session: CompareSession;
  readonly shown: ShownComparison;
  readonly whose: WhoseLineSession;
}

/** The content of the panel, for opening the source of a row. */
interface ShownComparison {
  comparison: Comparison | null;
  sides: ComparedSides | null;
}

/** @param listed all captures, read, the newest first */
export function registerCompare(services: ExtensionServices, listed: () => Promise<readonly CaptureRow[]>): void {
  const { captures, context, log } = services;
  /** Chosen as the older side of a comparison still to come. */
  let selected: vscode.Uri | undefined;

  const panel: SinglePanel<ToHost, CompareContent> = new SinglePanel<ToHost, CompareContent>(services, {
    viewType: PANELS.compare,
    page: "compare",
    title: () => {
      const comparison = panel?.content?.shown.comparison;
      return comparison
        ? vscode.l10n.t("Compare: {0} → {1}", comparison.base.name, comparison.new.name)
        : vscode.l10n.t("Compare Captures");
    },
    fill: (shownIn) => {
      const shown: ShownComparison = { comparison: null, sides: null };
      const whose = new WhoseLineSession(
        (message) => {
          postTo(shownIn, message);
        },
        (error) => {
          log.error(forLog(error));
        },
        (reported) => services.sources.ruledFiles(reported),
      );
      const session = new CompareSession({
        compared: async (comparands, signal) => {
          whose.stop();
          // Neither the page nor the tab goes on with the sides before where this is cancelled or fails.
          Object.assign(shown, { comparison: null, sides: null });
          const sides = await comparedCaptures(choiceWithGates(comparands), captures, services.sources, signal);
          if (!signal.aborted)
            Object.assign(shown, {
              sides,
              comparison: sides.answer.type === "compared" ? sides.answer.value.comparison : null,
            });
          return answerOf(sides, comparands);
        },
        keepConditions: (conditions, comparands) => {
          const folder = folderOf(comparands);
          const kept = keptConditions(conditions, setting(SETTINGS.compareFailIf, folder));
          return updateFolderSetting(SETTINGS.compareFailIf, kept, folder);
        },
        graph: (shape) =>
          // One that shows another type of samples, which the other side lacks, has no figures beside those of the others.
          shown.comparison === null || shown.sides === null || !showOneType([...shown.sides.base, ...shown.sides.new])
            ? null
            : comparedGraph(shown.sides.base, shown.sides.new, shown.comparison, shape),
        problem: (error) => {
          log.error(error instanceof UnreadableCapture ? error.message : forLog(error));
          return problemOf(error);
        },
        post: (message) => {
          postTo(shownIn, message);
          panel.retitle();
        },
      });
      return {
        session,
        shown,
        whose,
        receive: (message) => act(message, { session, shown, whose }),
        setVisible: () => {},
        dispose: () => {
          session.dispose();
          whose.stop();
          Object.assign(shown, { comparison: null, sides: null });
        },
      };
    },
    // The page sends its kept state when it is ready.
    restored: () => {},
  });

  async function compare(comparands: Comparands | undefined): Promise<void> {
    if (comparands !== undefined) await panel.show().session.show(comparands);
  }

  async function act(
    message: ToHost,
    { session, shown, whose }: Pick<CompareContent, "session" | "shown" | "whose">,
  ): Promise<void> {
    switch (message.type) {
      case "whoseLine": {
        const { comparison, sides } = shown;
        const change = comparison?.functions[message.row];
        return change === undefined || comparison === null || sides === null
          ? undefined
          : whose.ask(change, comparison.functions, sides);
      }
      case "stopWhoseLine":
        return whose.stop();
      case "openTouch":
        return whose.open(message.commit, message.touch);
      case "choose":
        return compare(await pickComparands(await listed()));
      case "copyMarkdown":
        await vscode.commands.executeCommand(COMMANDS.copyComparison);
        return;
      case "copyText":
        return copy(String(message.text));
      case "openSource": {
        const change = shown.comparison?.functions[message.row];
        if (change === undefined || shown.sides === null) return;
        const { fn, opened } = placeOfChange(change, shown.sides);
        return services.sources.open(fn, fn.headLine, opened);
      }
      case "openFrame":
        return openFrame(message.functionName, message.line, shown);
      default:
        return session.receive(message);
    }
  }

  /** A frame of a function in the table, or of one that no sample ended in. */
  async function openFrame(name: string, line: number, { comparison, sides }: ShownComparison): Promise<void> {
    if (comparison === null || sides === null) return;
    // Frames have names of the newer side; where arities shifted, the older one called another function so.
    const rows = comparison.functions.filter((row) => row.function === name);
    const change = rows.find((row) => row.total.new_samples > 0) ?? rows[0];
    const place = change === undefined ? placeOfName(name, sides) : placeOfChange(change, sides);
    if (place !== undefined) return services.sources.open(place.fn, line > 0 ? line : place.fn.headLine, place.opened);
  }

  /** The comparison that the panel shows. */
  async function exportComparison(): Promise<void> {
    const [comparison, comparands] = [panel.content?.shown.comparison, panel.content?.session.comparands];
    if (!comparison || !comparands) {
      await showMissing("comparisonToExport");
      return;
    }
    const [base, newer] = [comparison.base.name, comparison.new.name].map((name) => shownName(name));
    await savePage({
      name: `${base} → ${newer}`,
      stem: `${stemOf(base ?? "")}-to-${stemOf(newer ?? "")}`.replaceAll(/[^\w.-]/g, "_"),
      folder: vscode.Uri.joinPath(addressOf(comparands.new[0] ?? ""), ".."),
      make: async () => new TextEncoder().encode(await written("html", comparands)),
    });
  }

  /** The comparison that the panel shows, as a comment on a pull request. */
  async function copyComparison(): Promise<void> {
    const [comparison, comparands] = [panel.content?.shown.comparison, panel.content?.session.comparands];
    if (!comparison || !comparands) {
      await showMissing("comparisonToCopy");
      return;
    }
    const text = await withStatusBarProgress(vscode.l10n.t("Copying the comparison…"), () =>
      written("markdown", comparands),
    );
    await copy(text, vscode.l10n.t("Copied the comparison as Markdown"));
  }

  /** @throws {UnreadableCapture} when the captures no longer can be compared */
  async function written(format: WrittenFormat, comparands: Comparands): Promise<string> {
    const signal = new AbortController().signal;
    const answer = await writtenComparison(format, choiceWithGates(comparands), captures, services.sources, signal);
    if (answer.type === "written") return answer.value;
    if (answer.type === "compared") throw new Error("the answer has no text");
    const { what, why } = unmade(answer);
    throw new UnreadableCapture(what, why, vscode.l10n.t("Compare the captures again."));
  }

  /** The folder of the workspace whose conditions are judged: that of the newer captures. */
  function folderOf({ new: [newest = ""] }: Comparands): vscode.WorkspaceFolder | undefined {
    return folderOfCapture(addressOf(newest), context);
  }

  function choiceWithGates(comparands: Comparands): CaptureChoice {
    const conditions = setting(SETTINGS.compareFailIf, folderOf(comparands)).slice(0, MOST_CONDITIONS);
    return { ...choiceOf(comparands), failIf: conditions.map((one) => one.trim()).filter((one) => one !== "") };
  }

  const register = (command: string, run: (...given: unknown[]) => Promise<unknown>) =>
    registerReadingCommand(log, command, run);
  context.subscriptions.push(
    registerCommitDocuments(),
    // The type that the first capture of the newer side shows is compared. Where another one of them is to show a type, all are.
    captures.onDidShowType(({ uri, capture }) => {
      const session = panel.content?.session;
      const comparands = session?.comparands;
      const [first] = comparands?.new ?? [];
      if (session === undefined || !comparands || first === undefined) return;
      if (first === uri.toString()) void session.show({ ...comparands, measure: null });
      else if ([...comparands.base, ...comparands.new].includes(uri.toString())) {
        const newer = captures.get(addressOf(first));
        if (newer !== undefined) captures.showType(newer, shownType(capture));
      }
    }),
    register(COMMANDS.compareCaptures, async (given, rows) => {
      const chosen = await chosenInView(rows);
      return compare(chosen === "none" ? (comparandsOf(given) ?? (await pickComparands(await listed()))) : chosen);
    }),
    register(COMMANDS.compareCommit, async (given) => {
      const commit = commitOfRow(given) ?? commitOf(given);
      if (commit === undefined) return compare(await pickComparands(await listed()));
      const { commits, history } = await known();
      return compare(await pickOtherCommit(commit, commits, history));
    }),
    register(COMMANDS.exportComparison, exportComparison),
    register(COMMANDS.copyComparison, copyComparison),
    register(COMMANDS.compareNodes, async (given) => compare(await nodeComparands(captures.current, given))),
    register(COMMANDS.selectForCompare, async (given) => {
      selected = namedCapture(given) ?? fileInView(captures);
      await vscode.commands.executeCommand("setContext", CONTEXT.selectedForCompare, selected !== undefined);
    }),
    register(COMMANDS.compareWithSelected, async (given) => {
      const other = namedCapture(given) ?? fileInView(captures);
      if (selected === undefined || other === undefined) return compare(await pickComparands(await listed()));
      return compare({ base: [selected.toString()], new: [other.toString()], measure: null });
    }),
  );

  /** Undefined when two commits are selected of which one has no capture: a message has stated so. */
  async function chosenInView(rows: unknown): Promise<Comparands | undefined | "none"> {
    if (!Array.isArray(rows) || rows.length !== 2) return "none";
    const [a, b] = rows.map(commitOfRow);
    if (a === undefined || b === undefined) return (await selectedInView(rows)) ?? "none";
    const { commits, history } = await known();
    return twoCommits([a, b], commits, history);
  }

  async function known() {
    const [rows, history] = await Promise.all([listed(), commitHistory()]);
    return {
      history,
      commits: capturedCommits(
        rows,
        history.map(({ commit }) => commit),
      ),
    };
  }

  /** Of two rows that are selected in the view the older one is the base. */
  async function selectedInView(rows: readonly unknown[]): Promise<Comparands | undefined> {
    const uris = rows.map((row) => namedCapture(row)).filter((uri) => uri !== undefined);
    const opened = await Promise.all(uris.map((uri) => openedCapture(uri, captures)));
    const [base, newer] = olderFirst(opened);
    return base === undefined || newer === undefined
      ? undefined
      : { base: [base.uri.toString()], new: [newer.uri.toString()], measure: null };
  }
}

/** What a command was given; undefined when it names no captures of both sides. @throws {UnreadableCapture} when something in it is no capture's address */
function comparandsOf(given: unknown): Comparands | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { base, new: newer, measure } = given as Partial<Record<keyof Comparands, unknown>>;
  const sides = [base, newer].map((side) =>
    (Array.isArray(side) ? side : [side])
      .map((one) => namedCapture(one)?.toString())
      .filter((uri) => uri !== undefined),
  );
  const [older, other] = sides;
  if (!older?.length || !other?.length) return undefined;
  return { base: older, new: other, measure: MEASURES.find((known) => known === measure) ?? null };
}

/** The commit that a command was given; undefined when it names none. */
function commitOf(given: unknown): string | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { commit } = given as { readonly commit?: unknown };
  return typeof commit === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? commit : undefined;
}

function choiceOf({ base, new: newer, measure, anyway = false }: Comparands): CaptureChoice {
  return { base: base.map(addressOf), new: newer.map(addressOf), measure, anyway };
}

function showOneType(captures: readonly OpenCapture[]): boolean {
  return new Set(captures.map(({ capture }) => shownType(capture))).size <= 1;
}

function addressOf(text: string): vscode.Uri {
  return vscode.Uri.parse(text, true);
}

function answerOf(
  { answer, base, new: newer, remarks }: ComparedSides,
  comparands: Comparands,
): ComparedCaptures | CompareProblem {
  switch (answer.type) {
    case "compared": {
      const haveLength = [...base, ...newer].every(
        ({ capture }) => capture.facts.durationMs > 0 && countsSamples(capture),
      );
      const unit = newer[0]?.capture.facts.unit ?? SAMPLES;
      const message = comparedMessage(
        answer.value,
        comparands,
        { base: base.map(({ uri }) => fileName(uri)), new: newer.map(({ uri }) => fileName(uri)) },
        haveLength ? ["share", "cpu"] : ["share"],
        remarks,
      );
      return typeOfUnit(unit) === undefined ? message : { ...message, unit };
    }
    case "refused":
      return { ...unmade(answer), ...spiteOf(answer.value.kind) };
    case "unread":
    case "failed":
    case "written":
      return unmade(answer);
  }
}

/** Why there is no comparison, or none of the kind that was requested. */
function unmade(answer: Exclude<Answer, { type: "compared" }>): CompareProblem {
  const l10n = vscode.l10n;
  switch (answer.type) {
    case "refused":
      return {
        type: "problem",
        what: l10n.t("These captures cannot be compared"),
        why: refusalText(answer.value, l10n),
      };
    case "unread":
      return {
        type: "problem",
        what: l10n.t("{0} cannot be compared", shownName(answer.value.capture)),
        why: unreadCaptureWords(answer.value, l10n),
      };
    // No file of a user's leads to it.
    case "failed":
    case "written":
      return { type: "problem", what: l10n.t("The comparison failed"), why: shownName(answer.value) };
  }
}

function problemOf(error: unknown): CompareProblem {
  if (error instanceof UnreadableCapture)
    return { type: "problem", what: error.what, why: `${error.why}. ${error.fix}` };
  return {
    type: "problem",
    what: vscode.l10n.t("The comparison failed"),
    why: shownName(errorWords(error, vscode.l10n)),
  };
}

/** The function in a capture of the newer side; of the older one when it is gone. */
function placeOfChange(
  change: FunctionChange,
  sides: ComparedSides,
): { readonly fn: FunctionFacts; readonly opened: OpenCapture | undefined } {
  const isGone = change.self.new_samples + change.total.new_samples === 0;
  const side = isGone ? sides.base : sides.new;
  for (const opened of side) {
    const fn = opened.capture.functions.find(({ name, file }) => name === change.function && file === change.file);
    if (fn !== undefined) return { fn, opened };
  }
  const { function: name, kind, file, line } = change;
  return { fn: { name, rawName: name, kind, file, headLine: line, object: "" }, opened: side[0] };
}

function placeOfName(
  name: string,
  sides: ComparedSides,
): { readonly fn: FunctionFacts; readonly opened: OpenCapture } | undefined {
  for (const opened of [...sides.new, ...sides.base]) {
    const fn = opened.capture.functions[opened.capture.functionNamed(name)];
    if (fn !== undefined) return { fn, opened };
  }
  return undefined;
}

/** Whether the user may compare in spite of this refusal. */
function spiteOf(kind: RefusalKind): { choice?: CompareChoice } {
  const choice = CHOICES.find((one) => one === kind);
  return choice === undefined ? {} : { choice };
}
