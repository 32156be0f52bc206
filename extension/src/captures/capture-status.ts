// The status-bar item that names the capture that colours the sources.

import * as vscode from "vscode";
import { percent } from "../../../contract/figures.js";
import { shownName, withoutIcons } from "../../../contract/plain-text.js";
import { COMMANDS } from "../contributions.js";
import { fileName } from "../text/base-name.js";
import type { Capture } from "../capture/questions.js";
import { hottestFunctions } from "../capture/answers/headline.js";
import type { CaptureStore } from "./capture-store.js";
import { measureOf, wholeNow } from "./measure.js";
import { captureTooltip, shortCaptureText, summaryOf } from "./capture-summary.js";

/** A name with the arity: its beginning is cut, as the end differs between the functions of a module. */
const LONGEST_HOTTEST = 36;

/** From midnight on, the name of yesterday's capture has its date. */
const TICK_MS = 60_000;

export class CaptureStatus implements vscode.Disposable {
  // Right of the item of a running capture.
  readonly #item = vscode.window.createStatusBarItem("extrospect.captureInView", vscode.StatusBarAlignment.Left, 89);
  readonly #listening: vscode.Disposable;
  #ticking: NodeJS.Timeout | undefined;

  constructor(private readonly captures: CaptureStore) {
    this.#item.name = vscode.l10n.t("Extrospect Capture in View");
    this.#item.command = COMMANDS.captureMenu;
    const refresh = () => {
      this.#refresh();
    };
    this.#listening = vscode.Disposable.from(
      captures.onDidChangeCurrent(refresh),
      captures.onDidToggleHeat(refresh),
      captures.onDidUpdate(refresh),
    );
  }

  dispose(): void {
    clearInterval(this.#ticking);
    this.#listening.dispose();
    this.#item.dispose();
  }

  #refresh(): void {
    const opened = this.captures.current;
    if (opened === undefined) {
      clearInterval(this.#ticking);
      this.#ticking = undefined;
      this.#item.hide();
      return;
    }
    const [l10n, language] = [vscode.l10n, vscode.env.language];
    const { isHeatShown } = this.captures;
    const summary = summaryOf(opened.capture);
    const name = fileName(opened.uri);
    const text = shortCaptureText(
      summary,
      { fileName: name, isLive: opened.live, nowUnixMs: Date.now() },
      l10n,
      language,
    );
    const hidden = isHeatShown ? [] : [l10n.t("heat hidden")];
    const hottest = hottestText(opened.capture, language);
    const shown = [...(hottest === undefined ? [] : [hottest.short]), text, ...hidden].join(" · ");
    this.#item.text = `$(${isHeatShown ? "flame" : "eye-closed"}) ${withoutIcons(shown)}`;
    const tooltip = new vscode.MarkdownString(
      captureTooltip(summary, name, l10n, language, opened.capture.totals.busy),
    );
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = {
      label: [
        l10n.t("Capture in view: {0}", text),
        ...(hottest === undefined ? [] : [l10n.t("hottest function {0}", hottest.long)]),
        ...hidden,
      ].join(", "),
      role: "button",
    };
    this.#item.show();
    this.#ticking ??= setInterval(() => {
      this.#refresh();
    }, TICK_MS);
  }
}

/** The function with most samples, and its share; undefined when none has any. */
function hottestText(
  capture: Capture,
  language: string,
): { readonly short: string; readonly long: string } | undefined {
  if (capture.facts.waits !== undefined) return undefined;
  const [hottest] = hottestFunctions(capture, measureOf(capture), 1);
  if (hottest === undefined) return undefined;
  const name = shownName(capture.functions[hottest.functionIndex]?.name ?? "");
  const share = percent(hottest.samples, wholeNow(capture), language, "whole");
  const short = name.length > LONGEST_HOTTEST ? `…${name.slice(1 - LONGEST_HOTTEST)}` : name;
  return { short: `${short} ${share}`, long: `${name} ${share}` };
}
