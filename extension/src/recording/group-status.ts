// The status-bar item of a running group of captures, and for a moment of one that ended.

import * as vscode from "vscode";
import { escapeMarkdown, plainText } from "../../../contract/plain-text.js";
import { qualityProblems } from "../captures/quality.js";
import { COMMANDS } from "../contributions.js";
import type { Member, RecordingGroup } from "./recording-group.js";
import { progressText } from "./status-text.js";

const SUMMARY_MS = 12_000;
const TICK_MS = 1_000;

export class GroupStatus implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("extrospect.recordingGroup", vscode.StatusBarAlignment.Left, 90);
  #ticking: NodeJS.Timeout | undefined;
  #hiding: NodeJS.Timeout | undefined;
  #group: RecordingGroup | undefined;

  constructor() {
    this.#item.name = vscode.l10n.t("Extrospect Captures of Several Nodes");
  }

  /** Follows a group until its end. */
  follow(group: RecordingGroup): void {
    clearTimeout(this.#hiding);
    clearInterval(this.#ticking);
    this.#group = group;
    this.#ticking = setInterval(() => {
      this.refresh();
    }, TICK_MS);
    this.refresh();
    this.#item.show();
  }

  /** Time, samples or phase changed. */
  refresh(): void {
    const group = this.#group;
    if (group === undefined) return;
    const l10n = vscode.l10n;
    const { members, running } = group;
    const nodes = running.length === members.length || running.length === 0 ? l10n.t("{0} nodes", members.length) : l10n.t("{0} of {1} nodes", running.length, members.length);
    const progress = `${nodes} · ${progressText(group.elapsedMs, group.samples, l10n, vscode.env.language)}`;
    const lines = members.map((member) => ({ member, problems: problemsOf(member) }));
    const isBad = lines.some(({ problems }) => problems.length > 0);
    this.#item.tooltip = tooltipOf(lines, running.length > 0);
    this.#item.backgroundColor = isBad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (running.length === 0) {
      this.#item.text = `$(check) ${progress}`;
      this.#item.command = COMMANDS.showFlameGraph;
      this.#item.accessibilityInformation = { label: l10n.t("Capture of several nodes ended: {0}", progress) };
      this.#leaveSoon();
      return;
    }
    const isStopping = running.every(({ recording }) => recording.phase === "stopping");
    this.#item.text = isStopping ? `$(loading~spin) ${l10n.t("Stopping…")}` : `$(record) ${progress}`;
    this.#item.command = isStopping ? undefined : COMMANDS.stopCapture;
    this.#item.accessibilityInformation = { label: l10n.t("Capturing several nodes: {0}. Stop the captures", progress), role: "button" };
  }

  dispose(): void {
    clearInterval(this.#ticking);
    clearTimeout(this.#hiding);
    this.#item.dispose();
  }

  #leaveSoon(): void {
    clearInterval(this.#ticking);
    clearTimeout(this.#hiding);
    this.#hiding = setTimeout(() => {
      this.#group = undefined;
      this.#item.hide();
    }, SUMMARY_MS);
  }
}

function problemsOf({ recording: { quality } }: Member): string[] {
  return quality === undefined ? [] : qualityProblems(quality, vscode.l10n, vscode.env.language);
}

function tooltipOf(lines: readonly { readonly member: Member; readonly problems: readonly string[] }[], isRunning: boolean): vscode.MarkdownString {
  const l10n = vscode.l10n;
  const tooltip = new vscode.MarkdownString("", true);
  tooltip.isTrusted = { enabledCommands: [COMMANDS.stopCapture, COMMANDS.showFlameGraph] };
  for (const { member, problems } of lines) {
    const { recording, end } = member;
    const progress = progressText(recording.elapsedMs, recording.quality?.samples ?? 0, l10n, vscode.env.language);
    const state = end === undefined || !isRunning ? progress : l10n.t("ended · {0}", progress);
    tooltip.appendMarkdown(`**${escapeMarkdown(plainText(member.name, 60))}** ${escapeMarkdown(state)}\n\n`);
    for (const problem of problems) tooltip.appendMarkdown(`$(warning) ${escapeMarkdown(problem)}\n\n`);
  }
  const show = `[${l10n.t("Show the flame graph")}](command:${COMMANDS.showFlameGraph})`;
  tooltip.appendMarkdown(isRunning ? `[${l10n.t("Stop the captures")}](command:${COMMANDS.stopCapture}) · ${show}` : show);
  return tooltip;
}
