// The status-bar item of a running capture, and for a moment of one that ended.

import * as vscode from "vscode";
import { count } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, withoutIcons } from "../../../contract/plain-text.js";
import { figuresAsMarkdown, qualityFigures, qualityProblems } from "../captures/quality.js";
import { recordedAmount } from "../captures/recorded-amount.js";
import { CapturingItem, capturingTooltip, capturingWarning, type CapturingLook } from "./capturing-item.js";
import type { Recording } from "./recording.js";
import { progressText } from "./status-text.js";

export class RecordingStatus implements vscode.Disposable {
  readonly #item = new CapturingItem("extrospect.recording", vscode.l10n.t("Extrospect Capture"));

  /**
   * Follows a recording until its end.
   * @param cutHost the host to which the line is cut; undefined while it is not
   */
  follow(recording: Recording, name: string, cutHost: () => string | undefined): void {
    const shownName = plainText(name, 60);
    this.#item.follow(() => lookOf(recording, shownName, recording.phase === "ended" ? undefined : cutHost()));
  }

  /** Time, samples or phase changed. */
  refresh(): void {
    this.#item.refresh();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function lookOf(recording: Recording, name: string, cutHost: string | undefined): CapturingLook {
  const { elapsedMs, phase, quality } = recording;
  const l10n = vscode.l10n;
  const progress = progressText(elapsedMs, recordedAmount(quality), l10n, vscode.env.language);
  const problems = quality === undefined ? [] : qualityProblems(quality, l10n, vscode.env.language);
  if (cutHost !== undefined)
    problems.unshift(
      l10n.t(
        "The connection to {0} is interrupted. The capture continues there, and the missing part arrives when the connection is back.",
        cutHost,
      ),
    );
  return {
    phase: phase === "ended" || phase === "stopping" ? phase : "running",
    progress,
    trouble: cutHost === undefined ? undefined : `$(debug-disconnect) ${l10n.t("Line cut")} · ${progress}`,
    hasProblems: problems.length > 0,
    tooltip: tooltipOf(recording, name, problems),
    spoken:
      phase === "ended"
        ? l10n.t("Capture of {0} ended: {1}", name, progress)
        : l10n.t("Capturing {0}: {1}. Stop the capture", name, progress),
  };
}

function tooltipOf(
  { target, quality, options, phase }: Recording,
  name: string,
  problems: readonly string[],
): vscode.MarkdownString {
  const l10n = vscode.l10n;
  const title =
    target === undefined ? name : l10n.t("{0} · OTP {1} · pid {2}", name, plainText(target.otp, 20), target.pid);
  const how = l10n.t("{0} samples per second and thread", count(options.frequencyHz, vscode.env.language));
  const figures =
    quality === undefined ? "" : `${figuresAsMarkdown(qualityFigures(quality, l10n, vscode.env.language))}\n\n`;
  const warnings = problems.map((problem) => capturingWarning(escapeMarkdown(problem))).join("");
  return capturingTooltip(
    `**${escapeMarkdown(withoutIcons(title))}**  \n${escapeMarkdown(how)}\n\n${warnings}${figures}`,
    phase === "ended" ? undefined : l10n.t("Stop the capture"),
  );
}
