// An item of the status bar that counts up while something is captured, and stays for a moment after its end.

import * as vscode from "vscode";
import { COMMANDS, STATUS_PLACES } from "../contributions.js";

const SUMMARY_MS = 12_000;
const TICK_MS = 1_000;

/** What the item shows at a moment. */
export interface CapturingLook {
  readonly phase: "running" | "stopping" | "ended";
  /** Time and samples. */
  readonly progress: string;
  /** With its icon, in place of time and samples while it runs. */
  readonly trouble?: string | undefined;
  readonly hasProblems: boolean;
  readonly tooltip: vscode.MarkdownString;
  /** For screen readers: the running capture and the effect of a click, or the end. */
  readonly spoken: string;
}

export class CapturingItem implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  #look: (() => CapturingLook) | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #hiding: NodeJS.Timeout | undefined;

  /** @param name in the status bar's menu */
  constructor(id: string, name: string) {
    this.#item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, STATUS_PLACES.capturing);
    this.#item.name = name;
  }

  /** Shows this until it has ended. @param look called once a second, since time passes */
  follow(look: () => CapturingLook): void {
    this.#stopTimers();
    this.#look = look;
    this.#ticking = setInterval(() => {
      this.refresh();
    }, TICK_MS);
    this.refresh();
    this.#item.show();
  }

  /** Time, samples or phase changed. */
  refresh(): void {
    if (this.#look === undefined) return;
    const { phase, progress, trouble, hasProblems, tooltip, spoken } = this.#look();
    this.#item.tooltip = tooltip;
    this.#item.backgroundColor = hasProblems ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (phase === "ended") {
      this.#item.text = `$(check) ${progress}`;
      this.#item.command = COMMANDS.showFlameGraph;
      this.#item.accessibilityInformation = { label: spoken };
      this.#leaveSoon();
      return;
    }
    this.#item.text =
      phase === "stopping" ? `$(loading~spin) ${vscode.l10n.t("Stopping…")}` : (trouble ?? `$(record) ${progress}`);
    this.#item.command = phase === "stopping" ? undefined : COMMANDS.stopCapture;
    this.#item.accessibilityInformation = { label: spoken, role: "button" };
  }

  dispose(): void {
    this.#stopTimers();
    this.#item.dispose();
  }

  #leaveSoon(): void {
    this.#stopTimers();
    this.#hiding = setTimeout(() => {
      this.#look = undefined;
      this.#item.hide();
    }, SUMMARY_MS);
  }

  #stopTimers(): void {
    clearInterval(this.#ticking);
    clearTimeout(this.#hiding);
  }
}

/**
 * The tooltip of such an item: Markdown, and links to the actions below.
 * @param toStop the label of stopping; undefined when nothing runs
 */
export function capturingTooltip(markdown: string, toStop: string | undefined): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString(markdown, true);
  tooltip.isTrusted = { enabledCommands: [COMMANDS.stopCapture, COMMANDS.showFlameGraph] };
  const stop = toStop === undefined ? "" : `[${toStop}](command:${COMMANDS.stopCapture}) · `;
  return tooltip.appendMarkdown(
    `${stop}[${vscode.l10n.t("Show the flame graph")}](command:${COMMANDS.showFlameGraph})`,
  );
}

/** A warning of the tooltip. @param markdown without anything that is not to be read so */
export function capturingWarning(markdown: string): string {
  return `$(warning) ${markdown}\n\n`;
}
