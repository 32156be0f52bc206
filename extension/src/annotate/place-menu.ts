// The actions on a hot function or line: the menu behind lenses and line numbers.

import * as vscode from "vscode";
import { marked, percent } from "../../../contract/figures.js";
import { plainText } from "../../../contract/plain-text.js";
import { classWordsOf } from "../../../contract/sample-classes.js";
import { amountText } from "../../../contract/sample-type-words.js";
import type { NeighbourCounts } from "../capture/questions.js";
import { captureMenuRows } from "../captures/capture-menu-rows.js";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { attributionAt, attributionOf, minimumNow, wholeNow } from "../captures/attribution.js";
import { showMissing } from "../captures/show-missing.js";
import { COMMANDS } from "../contributions.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage } from "../messages/show-message.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { annotateSettings } from "./annotate-settings.js";
import { heatLines } from "./document-heat.js";
import { lensText } from "./figures.js";
import { functionAt } from "./function-at.js";

interface Choice extends PickerRow {
  readonly run?: () => unknown;
}

const MOST_NEIGHBOURS = 12;

/** Arguments of `extrospect.functionMenu`; without a name the function at the cursor is meant. */
export interface FunctionMenuArguments {
  readonly functionName?: string;
}

/** What the editor hands to commands in the menu of line numbers. */
export interface LineMenuArguments {
  readonly lineNumber?: number;
  readonly uri?: vscode.Uri;
}

export class PlaceMenu {
  constructor(
    private readonly captures: CaptureStore,
    private readonly mapper: FileMapper,
  ) {}

  async ofFunction(given: FunctionMenuArguments | undefined): Promise<void> {
    const opened = this.#opened();
    if (opened === undefined) return;
    const named =
      typeof given?.functionName === "string"
        ? opened.capture.functionNamed(given.functionName)
        : await this.#functionAtCursor(opened);
    if (named < 0) {
      void showInformationMessage(vscode.l10n.t("No function here has samples in the capture in view."));
      return;
    }
    await show(this.captures, opened, named, undefined);
  }

  async ofLine(given: LineMenuArguments | undefined): Promise<void> {
    const opened = this.#opened();
    const editor = vscode.window.activeTextEditor;
    const uri = given?.uri ?? editor?.document.uri;
    if (opened === undefined || uri === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const line = given?.lineNumber ?? (editor?.selection.active.line ?? 0) + 1;
    const mapped = await this.mapper.map(document, opened);
    const { capture } = opened;
    const there =
      mapped &&
      heatLines(capture, mapped, {
        attribution: attributionOf(capture),
        whole: wholeNow(capture),
        minimumPercent: 0,
      }).find((heat) => heat.line === line);
    const place = there?.places[0];
    if (place === undefined) {
      void showInformationMessage(vscode.l10n.t("Line {0} has no samples in the capture in view.", line));
      return;
    }
    await show(this.captures, opened, place.functionIndex, place.capturedLine);
  }

  #opened(): OpenCapture | undefined {
    const opened = this.captures.current;
    if (opened === undefined) void showMissing("inView");
    return opened;
  }

  async #functionAtCursor(opened: OpenCapture): Promise<number> {
    const editor = vscode.window.activeTextEditor;
    const mapped = editor && (await this.mapper.map(editor.document, opened));
    if (editor === undefined || mapped === undefined) return -1;
    return functionAt(mapped, editor.selection.active.line + 1);
  }
}

async function show(
  captures: CaptureStore,
  { capture, title: captureTitle }: OpenCapture,
  functionIndex: number,
  line: number | undefined,
): Promise<void> {
  const { language } = vscode.env;
  const { percentOf } = annotateSettings();
  const minimumSamples = minimumNow(capture);
  const share = (samples: number, of: number) =>
    marked(percent(samples, of, language, "tenths"), samples, minimumSamples);
  const functionName = capture.functions[functionIndex]?.name ?? "";
  const detail = capture.placeDetail(functionIndex, line);
  const command = (id: string, given?: object) => () => vscode.commands.executeCommand(id, given);
  const neighbour =
    (icon: string) =>
    ({ functionIndex: index, line: at, samples }: NeighbourCounts): Choice => {
      const name = capture.functions[index]?.name ?? "";
      return {
        icon,
        label: plainText(name, 100),
        description: vscode.l10n.t(
          "{0} of {1}",
          share(samples, detail.total),
          amountText(detail.total, capture.facts.unit, vscode.l10n, language),
        ),
        run: command(COMMANDS.openSource, { functionName: name, line: at }),
      };
    };
  const heading = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const [largest] = detail.classes.filter(({ sampleClass }) => sampleClass !== "erlang");
  const causes =
    largest === undefined
      ? ""
      : vscode.l10n.t(
          "most: {0}, {1} of its own time",
          classWordsOf(vscode.l10n)(largest.sampleClass).name,
          share(largest.samples, detail.self),
        );
  const choices: Choice[] = [
    {
      icon: "flame",
      label: vscode.l10n.t("Show in the flame graph"),
      run: command(COMMANDS.showFlameGraph, { functionName }),
    },
    {
      icon: "search-fuzzy",
      label: vscode.l10n.t("Show the native work that it causes"),
      description: causes,
      run: command(COMMANDS.showBlame, { functionName }),
    },
    { icon: "copy", label: vscode.l10n.t("Copy the name"), run: () => vscode.env.clipboard.writeText(functionName) },
    ...(detail.callers.length > 0 ? [heading(vscode.l10n.t("Called from"))] : []),
    ...detail.callers.slice(0, MOST_NEIGHBOURS).map(neighbour("call-incoming")),
    ...(detail.callees.length > 0 ? [heading(vscode.l10n.t("Calls"))] : []),
    ...detail.callees.slice(0, MOST_NEIGHBOURS).map(neighbour("call-outgoing")),
    heading(vscode.l10n.t("Capture {0}", captureTitle)),
    ...captureMenuRows(captures).map((row): Choice => ({ ...row, run: command(row.command) })),
  ];
  const shown = plainText(functionName, 80);
  const title = line === undefined ? shown : vscode.l10n.t("{0}, line {1}", shown, line);
  const placeHolder = lensText(detail, attributionAt(capture, functionIndex), wholeNow(capture), {
    words: vscode.l10n,
    language,
    minimumSamples,
    percentOf,
    unit: capture.facts.unit,
  });
  const chosen = await showQuickPick(choices, { title, placeHolder });
  await chosen?.run?.();
}
