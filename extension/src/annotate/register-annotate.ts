// Lenses, heat, hovers and the commands that go with them.

import * as vscode from "vscode";
import { attributionOf, minimumNow, wholeNow } from "../captures/attribution.js";
import type { Baseline } from "../comparison/baseline.js";
import { COMMANDS, SETTINGS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import type { FileMapper } from "../sources/mapped-file.js";
import { forLog } from "../text/error-text.js";
import { annotateSettings, toggle, toggleHeatScope } from "./annotate-settings.js";
import { changedLines } from "./changed-lines.js";
import { chooseAttribution } from "./choose-attribution.js";
import { selectAtCursor } from "./cursor-selection.js";
import { heatLines, hottestLine } from "./document-heat.js";
import { HeatDecorations } from "./heat-decorations.js";
import { HotLines } from "./hot-lines.js";
import { Hovers } from "./hovers.js";
import { Lenses } from "./lenses.js";
import { PlaceMenu, type FunctionMenuArguments, type LineMenuArguments } from "./place-menu.js";
import { plainEditors } from "./plain-editors.js";
import { SelectedFunction } from "./selected-function.js";

/** Any language: without an extension for Erlang or Elixir their files are plain text. */
const DOCUMENTS: vscode.DocumentSelector = { scheme: "file" };
/** After the last key: heat itself moves with the text at once, the editor sees to that. */
const EDIT_PAUSE_MS = 300;

export function registerAnnotate(
  services: Pick<ExtensionServices, "context" | "captures" | "log" | "sources">,
  mapper: FileMapper,
  baseline: Baseline,
): HotLines {
  const { context, captures, log } = services;
  const lenses = new Lenses(captures, mapper, baseline);
  const heat = new HeatDecorations(vscode.Uri.joinPath(context.extensionUri, "media"), annotateSettings());
  const hotLines = new HotLines(services, mapper);
  const menu = new PlaceMenu(captures, mapper);
  const selected = new SelectedFunction(services, mapper);
  let painting: Promise<unknown> = Promise.resolve();
  const refresh = (): Promise<unknown> => {
    // One after the other: two at once could finish in the wrong order.
    painting = painting
      .then(() => Promise.all([paintAll(services, { mapper, baseline }, heat, lenses), selected.refresh()]))
      .catch((error: unknown) => {
        log.error(forLog(error));
      });
    return painting;
  };
  let afterEdit: NodeJS.Timeout | undefined;
  const command = (id: string, run: (given: never) => unknown) => vscode.commands.registerCommand(id, run);
  context.subscriptions.push(
    lenses,
    heat,
    vscode.languages.registerCodeLensProvider(DOCUMENTS, lenses),
    vscode.languages.registerHoverProvider(DOCUMENTS, new Hovers(captures, mapper, baseline)),
    selected,
    selectAtCursor(services, mapper),
    captures.onDidChangeCurrent(refresh),
    captures.onDidToggleHeat(refresh),
    mapper.onDidChange(refresh),
    baseline.onDidChange(refresh),
    captures.onDidUpdate((opened) => {
      if (opened === captures.current) void refresh();
    }),
    // Other functions may be hot.
    captures.onDidShowType(() => {
      lenses.chooseAnew();
    }),
    vscode.window.onDidChangeVisibleTextEditors(refresh),
    vscode.workspace.onDidCloseTextDocument((document) => {
      lenses.forget(document);
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length === 0 || captures.current === undefined || document.uri.scheme !== "file") return;
      clearTimeout(afterEdit);
      afterEdit = setTimeout(() => void refresh(), EDIT_PAUSE_MS);
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("extrospect")) return;
      heat.rebuild(annotateSettings());
      lenses.chooseAnew();
      void refresh();
    }),
    new vscode.Disposable(() => {
      clearTimeout(afterEdit);
    }),
    command(COMMANDS.toggleLens, () => toggle(SETTINGS.codeLens)),
    command(COMMANDS.toggleGutter, () => toggle(SETTINGS.gutter)),
    command(COMMANDS.toggleLineBackground, () => toggle(SETTINGS.lineBackground)),
    command(COMMANDS.toggleLineFigures, () => toggle(SETTINGS.lineFigures)),
    command(COMMANDS.toggleHeatScope, toggleHeatScope),
    command(COMMANDS.chooseAttribution, chooseAttribution),
    command(COMMANDS.hottestLine, () => hotLines.go()),
    command(COMMANDS.nextHotLine, () => hotLines.go(1)),
    command(COMMANDS.previousHotLine, () => hotLines.go(-1)),
    command(COMMANDS.functionMenu, (given?: FunctionMenuArguments) => menu.ofFunction(given)),
    command(COMMANDS.lineMenu, (given?: LineMenuArguments) => menu.ofLine(given)),
  );
  return hotLines;
}

async function paintAll(
  { captures, log }: Pick<ExtensionServices, "captures" | "log">,
  { mapper, baseline }: { readonly mapper: FileMapper; readonly baseline: Baseline },
  heat: HeatDecorations,
  lenses: Lenses,
): Promise<void> {
  const startedMs = performance.now();
  const editors = plainEditors();
  const opened = captures.onSources;
  const { heatScope, heatMinimumPercent } = annotateSettings();
  for (const editor of editors) {
    const mapped = opened && (await mapper.map(editor.document, opened));
    if (opened === undefined || mapped === undefined) {
      heat.clear(editor);
      continue;
    }
    const { capture } = opened;
    const whole = wholeNow(capture);
    const attribution = attributionOf(capture);
    const hottest = heatScope === "capture" ? hottestLine(capture, attribution) : undefined;
    const lines = heatLines(capture, mapped, { attribution, whole, minimumPercent: heatMinimumPercent }, hottest);
    heat.paint(
      editor,
      lines,
      { attribution, whole, minimumSamples: minimumNow(capture) },
      await changedLines(editor.document, opened, lines, attribution, { baseline, mapper }),
    );
  }
  await lenses.refresh([...new Set(editors.map(({ document }) => document))]);
  log.debug(`lenses and heat of ${String(editors.length)} editors: ${(performance.now() - startedMs).toFixed(1)} ms`);
}
