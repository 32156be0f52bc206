// The status-bar item of a running group of captures, and for a moment of one that ended.

import * as vscode from "vscode";
import { escapeMarkdown, plainText } from "../../../contract/plain-text.js";
import { qualityProblems } from "../captures/quality.js";
import { recordedAmount } from "../captures/recorded-amount.js";
import { CapturingItem, capturingTooltip, capturingWarning, type CapturingLook } from "./capturing-item.js";
import type { Member, RecordingGroup } from "./recording-group.js";
import { progressText } from "./status-text.js";

export class GroupStatus implements vscode.Disposable {
  readonly #item = new CapturingItem(
    "extrospect.recordingGroup",
    vscode.l10n.t("Extrospect Captures of Several Nodes"),
  );

  /** Follows a group until its end. */
  follow(group: RecordingGroup): void {
    this.#item.follow(() => lookOf(group));
  }

  /** Time, samples or phase changed. */
  refresh(): void {
    this.#item.refresh();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

function lookOf({ members, running, elapsedMs, recorded }: RecordingGroup): CapturingLook {
  const l10n = vscode.l10n;
  const hasEnded = running.length === 0;
  const nodes =
    running.length === members.length || hasEnded
      ? l10n.t("{0} nodes", members.length)
      : l10n.t("{0} of {1} nodes", running.length, members.length);
  const progress = `${nodes} · ${progressText(elapsedMs, recorded, l10n, vscode.env.language)}`;
  const paragraphs = members.map((member) => ({ member, problems: problemsOf(member) }));
  return {
    phase: hasEnded
      ? "ended"
      : running.every(({ recording }) => recording.phase === "stopping")
        ? "stopping"
        : "running",
    progress,
    hasProblems: paragraphs.some(({ problems }) => problems.length > 0),
    tooltip: capturingTooltip(
      paragraphs
        .map(
          ({ member, problems }) =>
            `${stateOf(member, hasEnded)}\n\n${problems.map((problem) => capturingWarning(escapeMarkdown(problem))).join("")}`,
        )
        .join(""),
      hasEnded ? undefined : l10n.t("Stop the captures"),
    ),
    spoken: hasEnded
      ? l10n.t("Capture of several nodes ended: {0}", progress)
      : l10n.t("Capturing several nodes: {0}. Stop the captures", progress),
  };
}

function problemsOf({ recording: { quality } }: Member): string[] {
  return quality === undefined ? [] : qualityProblems(quality, vscode.l10n, vscode.env.language);
}

/** @param haveAllEnded then the end of one is not mentioned */
function stateOf({ name, recording, end }: Member, haveAllEnded: boolean): string {
  const recorded = recordedAmount(recording.quality);
  const progress = progressText(recording.elapsedMs, recorded, vscode.l10n, vscode.env.language);
  const state = end === undefined || haveAllEnded ? progress : vscode.l10n.t("ended · {0}", progress);
  return `**${escapeMarkdown(plainText(name, 60))}** ${escapeMarkdown(state)}`;
}
