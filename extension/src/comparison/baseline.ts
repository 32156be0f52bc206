// The capture that the one in view is held against on the sources, and what changed since.

import * as vscode from "vscode";
import type { FunctionChange } from "../../../contract/editor-module.generated.js";
import type { ActivationContext } from "../activation-context.js";
import type { CaptureStore, OpenCapture } from "../captures/capture-store.js";
import { fileInView, namedCapture } from "../captures/named-capture.js";
import { captureSize } from "../captures/open-capture.js";
import { registerReadingCommand } from "../captures/register-command.js";
import { COMMANDS, CONTEXT } from "../contributions.js";
import { showStatusBarMessage } from "../messages/show-message.js";
import type { SourceNavigator } from "../sources/source-navigator.js";
import { fileName } from "../text/base-name.js";
import { forLog } from "../text/error-text.js";
import { comparedCaptures } from "./compared-captures.js";

const STATE_KEY = "extrospect.baseline";
const STATUS_MS = 3_000;

/** What changed at a function since the baseline. */
export interface ChangeSinceBaseline {
  /** What the baseline is called. */
  readonly baseline: string;
  /** Its values are percent of the busy samples. */
  readonly change: FunctionChange;
}

/** What a capture is held against. */
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

export class Baseline implements vscode.Disposable {
  readonly #didChange = new vscode.EventEmitter<void>();
  readonly #listening: vscode.Disposable;
  readonly #services: ActivationContext & { readonly captures: CaptureStore };
  readonly #sources: SourceNavigator;
  #uri: vscode.Uri | undefined;
  #compared = new WeakMap<OpenCapture, Compared>();
  #running: AbortController | undefined;

  /** There are other changes to show, or none any more. */
  readonly onDidChange = this.#didChange.event;

  constructor(services: ActivationContext & { readonly captures: CaptureStore }, sources: SourceNavigator) {
    const { captures, context } = services;
    this.#services = services;
    this.#sources = sources;
    const kept = context.workspaceState.get<unknown>(STATE_KEY);
    if (typeof kept === "string" && kept !== "") this.#uri = vscode.Uri.parse(kept);
    this.#tellContext();
    this.#listening = captures.onDidChangeCurrent((current) => void this.#compare(current));
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

  /** Done when the capture in view has been compared. */
  async set(uri: vscode.Uri | undefined): Promise<void> {
    this.#uri = uri;
    this.#compared = new WeakMap();
    this.#tellContext();
    this.#didChange.fire();
    await this.#services.context.workspaceState.update(STATE_KEY, uri?.toString());
    await this.#compare(this.#services.captures.current);
  }

  dispose(): void {
    this.#running?.abort();
    this.#listening.dispose();
    this.#didChange.dispose();
  }

  async #compare(opened: OpenCapture | undefined): Promise<void> {
    this.#running?.abort();
    this.#running = undefined;
    const baseline = this.#uri;
    if (baseline === undefined || opened === undefined || opened.files !== undefined || opened.live || opened.uri.toString() === baseline.toString() || this.#compared.has(opened)) return;
    const mine = (this.#running = new AbortController());
    const { captures, log } = this.#services;
    try {
      // Shares, as lenses and hovers have them.
      const { answer, base } = await comparedCaptures({ base: [baseline], new: [opened.uri], measure: "share", anyway: false }, captures, this.#sources, mine.signal);
      if (mine.signal.aborted) return;
      if (answer.type !== "compared") return log.warn(`baseline: ${answer.type === "refused" ? answer.value.text : answer.value}`);
      const { functions, method } = answer.value;
      const [held] = base;
      if (held === undefined) return;
      const changes = new Map(functions.map((change) => [keyOf(change.function, change.file), change]));
      this.#compared.set(opened, { baseline: held, name: answer.value.base.name, spreadPercent: method.spread_pct, changes });
      this.#didChange.fire();
    } catch (error) {
      // Nobody asked for it just now: the capture is shown without it.
      if (!mine.signal.aborted) log.error(`baseline: ${forLog(error)}`);
    }
  }

  #tellContext(): void {
    void vscode.commands.executeCommand("setContext", CONTEXT.baselineSet, this.#uri !== undefined);
  }
}

export function registerBaseline(services: ActivationContext & { readonly captures: CaptureStore }, sources: SourceNavigator): Baseline {
  const { captures, context, log } = services;
  const baseline = new Baseline(services, sources);
  const register = (command: string, run: (given: unknown) => Promise<unknown>) => registerReadingCommand(log, command, run);
  context.subscriptions.push(
    baseline,
    register(COMMANDS.setBaseline, async (given) => {
      const uri = namedCapture(given) ?? fileInView(captures);
      if (uri === undefined) return;
      await captureSize(uri);
      showStatusBarMessage(vscode.l10n.t("Captures are held against {0}", fileName(uri)), STATUS_MS);
      await baseline.set(uri);
    }),
    register(COMMANDS.clearBaseline, () => baseline.set(undefined)),
  );
  return baseline;
}

function keyOf(name: string, file: string): string {
  return `${name}\n${file}`;
}
