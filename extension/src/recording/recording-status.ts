// The status-bar item of a running capture, and for a moment of one that ended.

import * as vscode from "vscode";
import { count } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, withoutIcons } from "../../../contract/plain-text.js";
import { figuresAsMarkdown, qualityFigures, qualityProblems } from "../captures/quality.js";
import { COMMANDS } from "../contributions.js";
import type { Recording } from "./recording.js";
import { progressText } from "./status-text.js";

const SUMMARY_MS = 12_000;
const TICK_MS = 1_000;

export class RecordingStatus implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("extrospect.recording", vscode.StatusBarAlignment.Left, 90);
  #ticking: NodeJS.Timeout | undefined;
  #hiding: NodeJS.Timeout | undefined;
  #recording: Recording | undefined;
  #name = "";
  #cutHost: () => string | undefined = () => undefined;

  constructor() {
    this.#item.name = vscode.l10n.t("Extrospect Capture");
  }

  /**
   * Follows a recording until its end.
   * @param cutHost the host to which the line is cut; undefined while it is not
   */
  follow(recording: Recording, name: string, cutHost: () => string | undefined): void {
    clearTimeout(this.#hiding);
    clearInterval(this.#ticking);
    this.#recording = recording;
    this.#name = plainText(name, 60);
    this.#cutHost = cutHost;
    this.#ticking = setInterval(() => {
      this.refresh();
    }, TICK_MS);
    this.refresh();
    this.#item.show();
  }

  /** Time, samples or phase changed. */
  refresh(): void {
    const recording = this.#recording;
    if (recording === undefined) return;
    const progress = progressText(recording.elapsedMs, recording.quality?.samples ?? 0, vscode.l10n, vscode.env.language);
    const problems = recording.quality === undefined ? [] : qualityProblems(recording.quality, vscode.l10n, vscode.env.language);
    const cutHost = recording.phase === "ended" ? undefined : this.#cutHost();
    if (cutHost !== undefined) problems.unshift(vscode.l10n.t("The line to {0} is cut. The capture goes on there, and what is missing here comes when the line is back.", cutHost));
    this.#item.tooltip = this.#tooltip(recording, problems);
    this.#item.backgroundColor = problems.length > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (recording.phase === "ended") {
      this.#item.text = `$(check) ${progress}`;
      this.#item.command = COMMANDS.showFlameGraph;
      this.#item.accessibilityInformation = { label: vscode.l10n.t("Capture of {0} ended: {1}", this.#name, progress) };
      this.#leaveSoon();
      return;
    }
    const isStopping = recording.phase === "stopping";
    this.#item.text = isStopping ? `$(loading~spin) ${vscode.l10n.t("Stopping…")}` : cutHost === undefined ? `$(record) ${progress}` : `$(debug-disconnect) ${vscode.l10n.t("Line cut")} · ${progress}`;
    this.#item.command = isStopping ? undefined : COMMANDS.stopCapture;
    this.#item.accessibilityInformation = { label: vscode.l10n.t("Capturing {0}: {1}. Stop the capture", this.#name, progress), role: "button" };
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
      this.#recording = undefined;
      this.#item.hide();
    }, SUMMARY_MS);
  }

  #tooltip(recording: Recording, problems: readonly string[]): vscode.MarkdownString {
    const { target, quality, options, phase } = recording;
    const tooltip = new vscode.MarkdownString("", true);
    tooltip.isTrusted = { enabledCommands: [COMMANDS.stopCapture, COMMANDS.showFlameGraph] };
    const title = target === undefined ? this.#name : vscode.l10n.t("{0} · OTP {1} · pid {2}", this.#name, plainText(target.otp, 20), target.pid);
    const how = vscode.l10n.t("{0} samples per second and thread", count(options.frequencyHz, vscode.env.language));
    tooltip.appendMarkdown(`**${escapeMarkdown(withoutIcons(title))}**  \n${escapeMarkdown(how)}\n\n`);
    for (const problem of problems) tooltip.appendMarkdown(`$(warning) ${escapeMarkdown(problem)}\n\n`);
    if (quality !== undefined) tooltip.appendMarkdown(`${figuresAsMarkdown(qualityFigures(quality, vscode.l10n, vscode.env.language))}\n\n`);
    const stop = vscode.l10n.t("Stop the capture");
    const show = vscode.l10n.t("Show the flame graph");
    tooltip.appendMarkdown(phase === "ended" ? `[${show}](command:${COMMANDS.showFlameGraph})` : `[${stop}](command:${COMMANDS.stopCapture}) · [${show}](command:${COMMANDS.showFlameGraph})`);
    return tooltip;
  }
}
