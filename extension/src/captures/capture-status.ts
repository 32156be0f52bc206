// The status-bar item that names the capture that colours the sources.

import * as vscode from "vscode";
import { withoutIcons } from "../../../contract/plain-text.js";
import { COMMANDS, SETTINGS, STATUS_PLACES } from "../contributions.js";
import { fileName } from "../text/base-name.js";
import type { CaptureStore } from "./capture-store.js";
import { attributionOf, countsSamples, minimumNow, wholeNow } from "./attribution.js";
import { captureTooltip, shortCaptureText, summaryOf } from "./capture-summary.js";
import { hottestText } from "./hottest-text.js";

/** The share of the hottest function depends on these. */
const SHOWN_SETTINGS = [SETTINGS.attribution, SETTINGS.percentOf, SETTINGS.minimumSamples];
/** From midnight on, the name of yesterday's capture has its date. */
const TICK_MS = 60_000;

export class CaptureStatus implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "extrospect.captureInView",
    vscode.StatusBarAlignment.Left,
    STATUS_PLACES.captureInView,
  );
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
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (SHOWN_SETTINGS.some((name) => event.affectsConfiguration(`extrospect.${name}`))) refresh();
      }),
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
    const hottest = hottestText(opened.capture, {
      attribution: attributionOf(opened.capture),
      whole: wholeNow(opened.capture),
      minimumSamples: minimumNow(opened.capture),
      language,
    });
    const shown = [...(hottest === undefined ? [] : [hottest.short]), text, ...hidden].join(" · ");
    this.#item.text = `$(${isHeatShown ? "flame" : "eye-closed"}) ${withoutIcons(shown)}`;
    const tooltip = new vscode.MarkdownString(
      captureTooltip(summary, name, l10n, language, countsSamples(opened.capture) ? opened.capture.totals.busy : 0),
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
