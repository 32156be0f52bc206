// The status-bar item of the baseline, there as long as one is set, and the menu behind it.

import * as vscode from "vscode";
import { withoutIcons } from "../../../contract/plain-text.js";
import type { CaptureServices } from "../captures/capture-services.js";
import type { OpenCapture } from "../captures/capture-store.js";
import type { ChosenBaseline } from "../captures/chosen-baseline.js";
import { COMMANDS, STATUS_PLACES } from "../contributions.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { fileName } from "../text/base-name.js";
import { baselineName, baselineState, type BaselineFacts } from "./baseline-words.js";

/** The results of comparing captures with the baseline. */
interface Comparisons {
  readonly onDidChange: vscode.Event<void>;
  problemOf(opened: OpenCapture): string | undefined;
}

export class BaselineStatus implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "extrospect.baseline",
    vscode.StatusBarAlignment.Left,
    STATUS_PLACES.baseline,
  );
  readonly #listening: vscode.Disposable;

  constructor(
    private readonly services: CaptureServices,
    private readonly comparisons: Comparisons,
  ) {
    const { captures, baseline } = services;
    this.#item.name = vscode.l10n.t("Extrospect Baseline");
    this.#item.command = COMMANDS.baselineMenu;
    const refresh = () => {
      this.#refresh();
    };
    this.#listening = vscode.Disposable.from(
      baseline.onDidChange(refresh),
      comparisons.onDidChange(refresh),
      captures.onDidChangeCurrent(refresh),
      captures.onDidUpdate(refresh),
    );
    refresh();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#item.dispose();
  }

  #refresh(): void {
    const { uri } = this.services.baseline;
    if (uri === undefined) {
      this.#item.hide();
      return;
    }
    const [l10n, language] = [vscode.l10n, vscode.env.language];
    const text = l10n.t("vs. {0}", baselineName(fileName(uri), Date.now(), language));
    const { isTrouble, sentences } = baselineState(this.#facts(uri), l10n);
    this.#item.text = `$(${isTrouble ? "warning" : "git-compare"}) ${withoutIcons(text)}`;
    this.#item.tooltip = sentences.join("\n");
    this.#item.accessibilityInformation = { label: sentences.join(" "), role: "button" };
    this.#item.show();
  }

  #facts(uri: vscode.Uri): BaselineFacts {
    const { baseline, captures } = this.services;
    const { current } = captures;
    const problem = current === undefined ? undefined : this.comparisons.problemOf(current);
    return {
      name: fileName(uri),
      isGone: baseline.isGone,
      inView: current && {
        name: fileName(current.uri),
        isLive: current.live,
        isBaseline: baseline.is(current.uri),
        isSeveral: current.files !== undefined,
        ...(problem === undefined ? {} : { problem }),
      },
    };
  }
}

interface MenuRow extends PickerRow {
  run(): Thenable<unknown>;
}

/** The actions on the baseline that is set. */
export async function showBaselineMenu(baseline: ChosenBaseline): Promise<void> {
  const { uri, isGone } = baseline;
  if (uri === undefined) return;
  const l10n = vscode.l10n;
  const rows: MenuRow[] = [
    {
      icon: "circle-slash",
      label: l10n.t("Compare with no baseline"),
      description: l10n.t("lenses and hovers show only the current figures"),
      run: () => baseline.choose(undefined),
    },
  ];
  if (!isGone)
    rows.push({
      icon: "folder-opened",
      label: l10n.t("Open the baseline"),
      run: () => vscode.commands.executeCommand(COMMANDS.openCapture, { uri }),
    });
  const chosen = await showQuickPick(rows, { title: l10n.t("Baseline"), placeHolder: fileName(uri) });
  await chosen?.run();
}
