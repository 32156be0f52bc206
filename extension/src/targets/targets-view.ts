// The view of the VMs on this machine.

import * as vscode from "vscode";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { COMMANDS, CONTEXT, VIEWS } from "../contributions.js";
import { HelperError, sentence } from "../helper/helper-error.js";
import type { Helper } from "../helper/helper.js";
import { setViewMessage, withViewProgress } from "../messages/show-message.js";
import { errorText } from "../text/error-text.js";
import { byUsefulness, targetDescription, targetName, targetTooltip } from "./target-description.js";

const REFRESH_MS = 5_000;

/** One row. Commands of the view get it as argument and read `pid`. */
export type TargetRow = BeamRow;

/** Lists the VMs while the view is visible. The helper's look takes 200 ms, so it looks rarely, and not while capturing. */
export class TargetsView implements vscode.TreeDataProvider<TargetRow>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<TargetRow>;
  readonly #subscriptions: vscode.Disposable[] = [];
  #rows: readonly TargetRow[] = [];
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly helper: Helper,
    private readonly log: vscode.LogOutputChannel,
    private readonly isCapturing: () => boolean,
  ) {
    this.#view = vscode.window.createTreeView(VIEWS.targets, { treeDataProvider: this });
    this.#subscriptions.push(
      this.#changed,
      this.#view,
      this.#view.onDidChangeVisibility(({ visible }) => {
        this.#watch(visible);
      }),
      // After one that could not be asked: look again.
      helper.onDidStart(() => {
        if ((this.#view.message ?? "") !== "")
          setTimeout(() => {
            this.#watch(this.#view.visible);
          }, 0);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#watch(this.#view.visible);
      }),
    );
    this.#watch(this.#view.visible);
  }

  getTreeItem(beam: TargetRow): vscode.TreeItem {
    const item = new vscode.TreeItem(targetName(beam));
    item.id = String(beam.pid);
    item.description = targetDescription(beam, vscode.l10n, vscode.env.language);
    const tooltip = new vscode.MarkdownString(targetTooltip(beam, vscode.l10n, vscode.env.language));
    tooltip.supportThemeIcons = false;
    item.tooltip = tooltip;
    item.contextValue = beam.attachable ? "attachable" : "refused";
    item.iconPath = beam.attachable ? new vscode.ThemeIcon("vm-running") : new vscode.ThemeIcon("circle-slash", new vscode.ThemeColor("disabledForeground"));
    item.accessibilityInformation = { label: `${targetName(beam)}, ${item.description}` };
    if (!beam.attachable) item.command = { command: COMMANDS.explainTarget, title: vscode.l10n.t("Why Can This VM Not Be Attached?"), arguments: [beam] };
    return item;
  }

  getChildren(parent?: TargetRow): TargetRow[] {
    if (parent !== undefined || !vscode.workspace.isTrusted) return [];
    return [...this.#rows];
  }

  /** The row of a process; undefined when it is not in the list. */
  row(pid: number): TargetRow | undefined {
    return this.#rows.find((row) => row.pid === pid);
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Looks now. Problems are shown in the view. */
  refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  dispose(): void {
    clearInterval(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #watch(isVisible: boolean): void {
    clearInterval(this.#timer);
    if (!isVisible || !vscode.workspace.isTrusted) return;
    void this.refresh();
    this.#timer = setInterval(() => {
      if (!this.isCapturing() && vscode.window.state.focused) void this.refresh();
    }, REFRESH_MS);
  }

  async #look(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    try {
      const isFirst = this.#rows.length === 0;
      const list = () => this.helper.request("extrospect/list", {});
      const { beams } = isFirst ? await withViewProgress(VIEWS.targets, list) : await list();
      setViewMessage(this.#view, "");
      this.#setFailed(false);
      // The same list again must not make the view blink.
      const rows = byUsefulness(beams);
      if (JSON.stringify(rows) === JSON.stringify(this.#rows)) return;
      this.#rows = rows;
    } catch (error) {
      // It is being started again, and then this view looks again.
      const isPassing = error instanceof HelperError && error.problem === "ended";
      if (isPassing && this.#rows.length > 0) return;
      this.#rows = [];
      this.#setFailed(true);
      setViewMessage(this.#view, error instanceof HelperError ? `${sentence(error.what, error.why)}. ${error.fix}` : String(error));
      this.log.error(`The VMs could not be listed: ${errorText(error)}`);
      // No use in asking again and again what cannot work: the refresh button still does.
      if (!isPassing) clearInterval(this.#timer);
    }
    this.#changed.fire();
  }

  /** "No VM runs here" is shown only once the helper has answered that there is none. */
  #setFailed(hasFailed: boolean): void {
    if (hasFailed === this.#hasFailed) return;
    this.#hasFailed = hasFailed;
    void vscode.commands.executeCommand("setContext", CONTEXT.targetsFailed, hasFailed);
  }
}
