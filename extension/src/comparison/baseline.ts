// What changed since the baseline: the capture in view is compared with it, for lenses and hovers.

import * as vscode from "vscode";
import type { FunctionChange } from "../../../contract/editor-module.generated.js";
import { ENGLISH } from "../../../contract/english.js";
import type { Words } from "../../../contract/plain-text.js";
import type { CaptureServices } from "../captures/capture-services.js";
import type { OpenCapture } from "../captures/capture-store.js";
import { fileInView, namedCapture } from "../captures/named-capture.js";
import { captureSize, UnreadableCapture } from "../captures/open-capture.js";
import { registerReadingCommand } from "../captures/register-command.js";
import { COMMANDS } from "../contributions.js";
import { showWarningMessage } from "../messages/show-message.js";
import type { SourceNavigator } from "../sources/source-navigator.js";
import { fileName } from "../text/base-name.js";
import { errorWords, forLog } from "../text/error-text.js";
import { BaselineStatus, showBaselineMenu } from "./baseline-status.js";
import { notComparedText } from "./baseline-words.js";
import { comparedCaptures } from "./compared-captures.js";

/** What changed at a function since the baseline. */
export interface ChangeSinceBaseline {
  /** What the baseline is called. */
  readonly baseline: string;
  /** Its values are percent of the busy samples. */
  readonly change: FunctionChange;
}

/** The baseline that a capture is compared with. */
export interface HeldAgainst {
  readonly baseline: OpenCapture;
  /** How much a typical function differs from run to run. */
  readonly spreadPercent: number;
}

interface Compared extends HeldAgainst {
  readonly name: string;
  /** By name and file. */
  readonly changes: ReadonlyMap<string, FunctionChange>;
}

interface Comparing {
  readonly opened: OpenCapture;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export class Baseline implements vscode.Disposable {
  readonly #didChange = new vscode.EventEmitter<void>();
  readonly #listening: vscode.Disposable;
  readonly #services: CaptureServices;
  readonly #sources: SourceNavigator;
  /** The address that all comparisons are with. */
  #address: string | undefined;
  #compared = new WeakMap<OpenCapture, Compared>();
  #problems = new WeakMap<OpenCapture, string>();
  #comparing: Comparing | undefined;
  #held: vscode.Disposable | undefined;

  /** There are other changes to show, or none any more. */
  readonly onDidChange = this.#didChange.event;

  constructor(services: CaptureServices, sources: SourceNavigator) {
    const { captures, baseline } = services;
    this.#services = services;
    this.#sources = sources;
    this.#address = baseline.uri?.toString();
    this.#held = baseline.uri && captures.hold(baseline.uri);
    this.#listening = vscode.Disposable.from(
      baseline.onDidChange(() => {
        this.#chosen();
      }),
      captures.onDidChangeCurrent((current) => void this.#compare(current)),
      captures.onDidShowType((opened) => {
        this.#forget(opened);
      }),
      // A capture that ran is compared once it has ended.
      captures.onDidUpdate((opened) => {
        if (!opened.live && opened === captures.current) void this.#compare(opened);
      }),
    );
  }

  /** Undefined without a baseline, for the baseline itself, while it is computed, and for a capture that still grows. */
  changeOf(opened: OpenCapture, functionIndex: number): ChangeSinceBaseline | undefined {
    const compared = this.#compared.get(opened);
    const fn = opened.capture.functions[functionIndex];
    const change = fn === undefined ? undefined : compared?.changes.get(keyOf(fn.name, fn.file));
    return compared === undefined || change === undefined ? undefined : { baseline: compared.name, change };
  }

  /** Undefined as for `changeOf`. */
  heldAgainst(opened: OpenCapture): HeldAgainst | undefined {
    return this.#compared.get(opened);
  }

  /** Why the capture could not be compared; undefined when it was, or is not to be. */
  problemOf(opened: OpenCapture): string | undefined {
    return this.#problems.get(opened);
  }

  /** Settles when the capture in view has been compared. */
  async settled(): Promise<void> {
    await this.#comparing?.done;
  }

  dispose(): void {
    this.#comparing?.controller.abort();
    this.#held?.dispose();
    this.#listening.dispose();
    this.#didChange.dispose();
  }

  /** Its figures are of another type of samples: the update that follows compares it anew. */
  #forget(opened: OpenCapture): void {
    if (this.#comparing?.opened === opened) {
      this.#comparing.controller.abort();
      this.#comparing = undefined;
    }
    this.#compared.delete(opened);
    this.#problems.delete(opened);
  }

  /** Another baseline, none, or its file went or came back. */
  #chosen(): void {
    const { baseline, captures } = this.#services;
    const address = baseline.uri?.toString();
    if (address !== this.#address) {
      this.#address = address;
      this.#held?.dispose();
      this.#held = baseline.uri && captures.hold(baseline.uri);
      this.#compared = new WeakMap();
      this.#comparing?.controller.abort();
      this.#comparing = undefined;
    }
    this.#problems = new WeakMap();
    this.#didChange.fire();
    void this.#compare(captures.current);
  }

  #compare(opened: OpenCapture | undefined): Promise<void> {
    if (this.#comparing !== undefined) {
      if (this.#comparing.opened === opened) return this.#comparing.done;
      this.#comparing.controller.abort();
      this.#comparing = undefined;
    }
    const { baseline } = this.#services;
    if (
      baseline.uri === undefined ||
      baseline.isGone ||
      opened === undefined ||
      opened.files !== undefined ||
      opened.live ||
      baseline.is(opened.uri) ||
      this.#compared.has(opened)
    )
      return Promise.resolve();
    const controller = new AbortController();
    const done = this.#compareWith(baseline.uri, opened, controller.signal).finally(() => {
      if (this.#comparing?.controller === controller) this.#comparing = undefined;
    });
    this.#comparing = { opened, controller, done };
    return done;
  }

  async #compareWith(base: vscode.Uri, opened: OpenCapture, signal: AbortSignal): Promise<void> {
    const { captures, baseline, log } = this.#services;
    try {
      // Shares, as lenses and hovers have them.
      const compared = await comparedCaptures(
        { base: [base], new: [opened.uri], measure: "share", anyway: false },
        captures,
        this.#sources,
        signal,
      );
      if (signal.aborted) return;
      const { answer } = compared;
      const [held] = compared.base;
      if (held === undefined) return;
      if (answer.type !== "compared") return this.#failed(opened, (l10n) => notComparedText(answer, l10n));
      const { base: side, functions, method } = answer.value.comparison;
      this.#compared.set(opened, {
        baseline: held,
        name: side.name,
        spreadPercent: method.spread_pct,
        changes: new Map(functions.map((change) => [keyOf(change.function, change.file), change])),
      });
      this.#problems.delete(opened);
      this.#didChange.fire();
    } catch (error) {
      if (signal.aborted) return;
      // Not shown as a message, since the user did not just start this comparison: the status bar shows it.
      if (!(error instanceof UnreadableCapture)) log.error(`baseline: ${forLog(error)}`);
      this.#failed(opened, (l10n) => errorWords(error, l10n));
      await baseline.look();
    }
  }

  #failed(opened: OpenCapture, why: (l10n: Words) => string): void {
    this.#services.log.warn(`${fileName(opened.uri)} is not compared with the baseline: ${why(ENGLISH)}`);
    this.#problems.set(opened, why(vscode.l10n));
    this.#didChange.fire();
  }
}

export function registerBaseline(services: CaptureServices, sources: SourceNavigator): Baseline {
  const { captures, context, log, baseline: chosen } = services;
  const baseline = new Baseline(services, sources);
  const register = (command: string, run: (given: unknown) => Promise<unknown>) =>
    registerReadingCommand(log, command, run);
  context.subscriptions.push(
    baseline,
    new BaselineStatus(services, baseline),
    warnsWhenGone(services),
    register(COMMANDS.setBaseline, async (given) => {
      const uri = namedCapture(given) ?? fileInView(captures);
      if (uri === undefined) return;
      await captureSize(uri);
      await chosen.choose(uri);
      await baseline.settled();
    }),
    register(COMMANDS.clearBaseline, () => chosen.choose(undefined)),
    register(COMMANDS.baselineMenu, () => showBaselineMenu(chosen)),
  );
  return baseline;
}

/** A baseline that goes while it is set is not missed until lenses lack their changes. */
function warnsWhenGone({ baseline }: CaptureServices): vscode.Disposable {
  let wasGone = baseline.isGone;
  return baseline.onDidChange(() => {
    const { uri, isGone } = baseline;
    const isNews = isGone && !wasGone;
    wasGone = isGone;
    if (!isNews || uri === undefined) return;
    const clear = vscode.l10n.t("Clear Baseline");
    const text = vscode.l10n.t(
      "The baseline {0} was deleted, renamed or moved. Captures are compared with it again when it is back.",
      fileName(uri),
    );
    void showWarningMessage(text, clear).then((chosen) => {
      if (chosen === clear && baseline.is(uri)) void baseline.choose(undefined);
    });
  });
}

function keyOf(name: string, file: string): string {
  return `${name}\n${file}`;
}
