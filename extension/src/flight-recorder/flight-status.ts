// The item of the status bar for VMs that are watched until a condition holds: the current readings, and a way to end
// the watch.

import * as vscode from "vscode";
import { escapeMarkdown, plainText, withoutIcons } from "../../../contract/plain-text.js";
import { COMMANDS, STATUS_PLACES } from "../contributions.js";
import type { Flight } from "./flight.js";
import { stateText, unknownText, valuesText } from "./flight-words.js";

const TICK_MS = 1000;
const MOST_TEXT = 80;

/** A watched VM, and its name. */
export interface Watched {
  readonly flight: Flight;
  /** Shown. */
  readonly name: string;
}

export class FlightStatus implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "extrospect.recordWhen",
    vscode.StatusBarAlignment.Left,
    STATUS_PLACES.recordWhen,
  );
  #ticking: NodeJS.Timeout | undefined;

  constructor(private readonly watched: () => readonly Watched[]) {
    this.#item.name = vscode.l10n.t("Extrospect: Capture When");
    this.#item.command = COMMANDS.stopRecordWhen;
  }

  /** Values changed, or another one began or ended. */
  refresh(): void {
    const { l10n, env } = vscode;
    const all = this.watched();
    const first = all.find(({ flight }) => flight.look?.isWriting === true) ?? all[0];
    if (first === undefined) {
      clearInterval(this.#ticking);
      this.#ticking = undefined;
      this.#item.hide();
      return;
    }
    // Time passes, also where no values come.
    this.#ticking ??= setInterval(() => {
      this.refresh();
    }, TICK_MS);
    const { flight, name } = first;
    const isWriting = flight.look?.isWriting === true;
    const more = all.length === 1 ? "" : ` +${String(all.length - 1)}`;
    const values =
      plainText(withoutIcons(valuesText(flight.look?.values ?? [], env.language)), MOST_TEXT) ||
      plainText(withoutIcons(flight.options.condition), MOST_TEXT);
    this.#item.text = `$(${isWriting ? "record" : "eye"}) ${values}${more}`;
    this.#item.backgroundColor = isWriting ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.#item.tooltip = tooltipOf(all);
    const state = stateText(flight.look, flight.elapsedMs, l10n, env.language);
    this.#item.accessibilityInformation = {
      label: l10n.t("Record when {0} of {1}: {2}. Stop watching", flight.options.condition, plainText(name, 60), state),
      role: "button",
    };
    this.#item.show();
  }

  dispose(): void {
    clearInterval(this.#ticking);
    this.#item.dispose();
  }
}

function tooltipOf(all: readonly Watched[]): vscode.MarkdownString {
  const { l10n, env } = vscode;
  const text = (plain: string) => escapeMarkdown(plainText(withoutIcons(plain), 400));
  const each = all.map(({ flight, name }) => {
    const { options, look, files, elapsedMs } = flight;
    const lines = [
      `**${text(name)}**`,
      text(options.condition),
      text(stateText(look, elapsedMs, l10n, env.language)),
      text(unknownText(look?.unknown ?? [], l10n)),
      text(l10n.t("{0} of {1} captures", files, options.maxFiles)),
    ];
    return lines.filter((line) => line !== "").join("  \n");
  });
  const tooltip = new vscode.MarkdownString(each.join("\n\n"), true);
  tooltip.isTrusted = { enabledCommands: [COMMANDS.stopRecordWhen] };
  return tooltip.appendMarkdown(`\n\n[${l10n.t("Stop Watching…")}](command:${COMMANDS.stopRecordWhen})`);
}
