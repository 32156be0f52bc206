// The summary of a capture: what the VM mostly does, the hottest own lines, and the next steps. It opens by itself beside the code.

import * as vscode from "vscode";
import type { StepAction, SummaryData, ToHost, ToWebview } from "../../../../contract/messages/summary.js";
import { blameQueryOf } from "../../../../contract/sample-classes.js";
import type { FoundLine, HotLines } from "../../annotate/hot-lines.js";
import { headlineOf } from "../../capture/answers/headline.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { attributionOf } from "../../captures/attribution.js";
import { COMMANDS, PANELS, SETTINGS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { setting } from "../../settings.js";
import { captureContent, captureSessionHost, registerCapturePanel } from "../capture-panel/capture-panel.js";
import { shownCapture } from "../capture-panel/follow-captures.js";
import { copy, leaveEmptyPage, openFunction } from "../page/page-actions.js";
import { OpensOnce } from "./opens-once.js";
import { summaryMarkdown } from "./summary-markdown.js";
import { MOST_LINES, summaryOf, type OwnLine } from "./summary-data.js";
import { SummarySession } from "./summary-session.js";

/** In the state of the workspace: the user has closed the summary, so that it opens by command only. */
const CLOSED = "extrospect.summaryClosed";
/** The hottest lines are in the hottest files. */
const MOST_FILES = 10;

/** @param onDidStart a capture that the user started is in view */
export function registerSummary(
  services: ExtensionServices,
  hotLines: HotLines,
  onDidStart: vscode.Event<vscode.Uri>,
): void {
  const { captures, context } = services;
  const { workspaceState } = context;
  const opens = new OpensOnce({
    nowMs: () => performance.now(),
    isWanted: () => setting(SETTINGS.openSummary),
    minimumSamples: () => setting(SETTINGS.minimumSamples),
    wasClosed: () => workspaceState.get(CLOSED) === true,
  });
  const panels = registerCapturePanel<ToHost, SummarySession>(services, {
    viewType: PANELS.summary,
    page: "summary",
    command: COMMANDS.showSummary,
    title: (captureTitle) =>
      captureTitle === undefined ? vscode.l10n.t("Summary") : vscode.l10n.t("Summary: {0}", captureTitle),
    fill: (view, current) => {
      const session = new SummarySession({
        ...captureSessionHost<ToWebview>(view, services, current),
        words: vscode.l10n,
        language: vscode.env.language,
        minimumSamples: () => setting(SETTINGS.minimumSamples),
        hottestLines: async () => ownLines(services, hotLines, current()),
      });
      return captureContent(services, current, session, (message: ToHost) =>
        act(message, services, session, current()),
      );
    },
    shown: () => void workspaceState.update(CLOSED, undefined),
    closed: () => void workspaceState.update(CLOSED, true),
  });
  const openWhenReady = (opened: OpenCapture) => {
    if (opened !== captures.current) return;
    const { uri, live, capture } = opened;
    if (opens.opensFor({ uri: uri.toString(), live, busy: capture.totals.busy })) panels.openByItself();
  };
  context.subscriptions.push(
    onDidStart((uri) => opens.started(uri.toString())),
    captures.onDidUpdate(openWhenReady),
  );
}

/** The summary of a capture as *Copy as Markdown* copies it. */
export async function summaryText(
  services: ExtensionServices,
  hotLines: HotLines,
  opened: OpenCapture,
): Promise<string> {
  const lines = await ownLines(services, hotLines, opened);
  const shown = shownCapture(opened, services.sources);
  const { minimumSamples } = shown;
  return asMarkdown(summaryOf(shown, lines, { minimumSamples, words: vscode.l10n, language: vscode.env.language }));
}

function asMarkdown(data: SummaryData): string {
  const { l10n, env } = vscode;
  const heads = { line: l10n.t("Line"), fn: l10n.t("Function"), share: l10n.t("Share") };
  return summaryMarkdown(data, heads, env.language);
}

async function ownLines(
  { sources }: ExtensionServices,
  hotLines: HotLines,
  opened: OpenCapture | undefined,
): Promise<readonly OwnLine[]> {
  if (opened === undefined) return [];
  const lines = (await hotLines.of(opened, MOST_FILES)).slice(0, MOST_LINES);
  return lines.map(({ uri, line, samples, functionIndex, text }: FoundLine) => ({
    place: `${vscode.workspace.asRelativePath(uri)}:${String(line)}`,
    functionIndex,
    samples,
    text,
    open: () => sources.showLine(uri, line),
  }));
}

async function act(
  message: ToHost,
  services: ExtensionServices,
  session: SummarySession,
  opened: OpenCapture | undefined,
): Promise<void> {
  switch (message.type) {
    case "openLine":
      if (opened) services.captures.show(opened);
      return session.line(message.index)?.open();
    case "openFunction": {
      const fn = opened?.capture.functions[message.functionIndex];
      return openFunction(services, fn, undefined, opened);
    }
    case "blame":
      return showBlame(String(message.query), opened);
    case "step":
      // The commands of the steps are about the capture in view.
      if (opened) services.captures.show(opened);
      return step(message.action, opened);
    case "copy": {
      const data = session.shown;
      return data && copy(asMarkdown(data));
    }
    case "do":
      return leaveEmptyPage(message);
    case "ready":
      return;
  }
}

async function step(action: StepAction, opened: OpenCapture | undefined): Promise<void> {
  const { executeCommand } = vscode.commands;
  switch (action) {
    case "hottestLine":
      return executeCommand(COMMANDS.hottestLine);
    case "blame":
      return showBlame(blamedMost(opened), opened);
    case "flameGraph":
      return executeCommand(COMMANDS.showFlameGraph);
    case "top":
      return executeCommand(COMMANDS.showTop);
    case "waits":
      return executeCommand(COMMANDS.watchWaits);
    case "sourceRules":
      return executeCommand(COMMANDS.sourceRules);
  }
}

async function showBlame(query: string, opened: OpenCapture | undefined): Promise<void> {
  await vscode.commands.executeCommand(COMMANDS.showBlame, { query, ...(opened && { uri: opened.uri }) });
}

function blamedMost(opened: OpenCapture | undefined): string {
  if (opened === undefined) return "";
  const [largest] = headlineOf(opened.capture, attributionOf(opened.capture)).kinds;
  return blameQueryOf(largest?.sampleClass ?? null);
}
