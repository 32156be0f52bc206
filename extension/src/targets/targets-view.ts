// The view of the VMs on this machine.

import * as vscode from "vscode";
import { CONTEXT, VIEWS } from "../contributions.js";
import { detachedItem } from "../detached/detached-item.js";
import { detachedDescription, type DetachedRow, type KnownDetached } from "../detached/detached-rows.js";
import { listedDetached } from "../detached/listed-detached.js";
import { HelperError, sentence } from "../helper/helper-error.js";
import type { LocalHelper } from "../helper/local-helper.js";
import { setViewMessage, withViewProgress } from "../messages/show-message.js";
import { errorText } from "../text/error-text.js";
import { listedVms } from "./listed-vms.js";
import { targetName } from "./target-description.js";
import { targetItem } from "./target-item.js";
import { inOrder, inPlace, type TargetRow } from "./target-order.js";

const REFRESH_MS = 5_000;
/** Whether the view was visible, in the workspace's storage. */
const WAS_VISIBLE = "extrospect.targetsVisible";

/**
 * Why the view shows the rows it has, for its texts when there are none: nobody has asked for a look yet; the helper has
 * named VMs; there is none; it could not look; there is no helper in this package. The editor learns of this before it has
 * the rows, so that "there is none" must not be said of rows that are still to come.
 */
type ViewState = "unasked" | "found" | "none" | "failed" | "noHelper";

/** A VM, or a capture that goes on without the editor. */
type Row = (TargetRow & { readonly detached?: undefined }) | DetachedRow;

/** Lists the VMs while the view is visible. The helper's look takes 200 ms, so it looks rarely, and not while capturing. */
export class TargetsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<Row>;
  readonly #subscriptions: vscode.Disposable[] = [];
  #rows: readonly TargetRow[] = [];
  #detached: readonly KnownDetached[] = [];
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #state: ViewState | undefined;
  /** The next time the view is visible, it is because the window was restored, and not because somebody opened it. */
  #isRestored: boolean;
  #isToBeOrdered = true;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly helper: LocalHelper,
    private readonly memento: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
    private readonly isCapturing: () => boolean,
  ) {
    this.#isRestored = memento.get(WAS_VISIBLE, false);
    this.#view = vscode.window.createTreeView(VIEWS.targets, { treeDataProvider: this });
    this.#subscriptions.push(
      this.#changed,
      this.#view,
      this.#view.onDidChangeVisibility(({ visible }) => {
        this.#visibilityChanged(visible);
      }),
      // It runs all the same now; or this is after one that could not be asked.
      helper.onDidStart(() => {
        if (this.#state === "unasked" || this.#state === "failed")
          setTimeout(() => {
            this.#watch();
          }, 0);
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#watch();
      }),
    );
    if (this.#view.visible) this.#visibilityChanged(true);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return row.detached === undefined ? this.#vmItem(row) : detachedItem(row);
  }

  #vmItem(beam: TargetRow): vscode.TreeItem {
    const item = beam.isGone ? goneItem(beam) : targetItem(beam);
    item.id = String(beam.pid);
    item.contextValue = beam.isGone ? "gone" : beam.attachable ? "attachable" : "refused";
    return item;
  }

  getChildren(parent?: Row): Row[] {
    if (parent !== undefined || !vscode.workspace.isTrusted) return [];
    return [...this.#rows, ...this.#detached.map((detached) => ({ detached }))];
  }

  /** The row of a process; undefined when it is not in the list. */
  row(pid: number): TargetRow | undefined {
    return this.#rows.find((row) => row.pid === pid && !row.isGone);
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Looks now and from now on, and puts the rows in order: somebody asked for it. Problems are shown in the view. */
  refresh(): Promise<void> {
    this.#watch();
    return this.#refresh();
  }

  dispose(): void {
    clearInterval(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #visibilityChanged(isVisible: boolean): void {
    void this.memento.update(WAS_VISIBLE, isVisible);
    const isRestored = isVisible && this.#isRestored;
    if (isVisible) this.#isRestored = false;
    if (isRestored && vscode.workspace.isTrusted && !this.helper.isMissing) this.#setState("unasked");
    else this.#watch();
  }

  /** Looks now and then while the view is visible. */
  #watch(): void {
    clearInterval(this.#timer);
    if (!this.#view.visible || !vscode.workspace.isTrusted) return;
    this.#isToBeOrdered = true;
    void this.#refresh();
    this.#timer = setInterval(() => {
      if (!this.isCapturing() && vscode.window.state.focused) void this.#refresh();
    }, REFRESH_MS);
  }

  #refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    if (this.helper.isMissing) {
      clearInterval(this.#timer);
      this.#rows = [];
      setViewMessage(this.#view, "");
      this.#setState("noHelper");
      this.#changed.fire();
      return;
    }
    try {
      const isFirst = this.#rows.length === 0;
      const list = () => listedVms(this.helper);
      const beams = isFirst ? await withViewProgress(VIEWS.targets, list) : await list();
      const detached = await listedDetached(this.helper, this.log);
      setViewMessage(this.#view, "");
      const rows = this.#isToBeOrdered ? inOrder(beams) : inPlace(this.#rows, beams);
      this.#setState(rows.length > 0 ? "found" : "none");
      this.#isToBeOrdered = false;
      // The same list again must not make the view blink.
      if (JSON.stringify([rows, shown(detached)]) === JSON.stringify([this.#rows, shown(this.#detached)])) return;
      [this.#rows, this.#detached] = [rows, detached];
    } catch (error) {
      // It is being started again, and then this view looks again.
      const isPassing = error instanceof HelperError && error.problem === "ended";
      if (isPassing && this.#rows.length > 0) return;
      this.#rows = [];
      this.#setState("failed");
      setViewMessage(this.#view, error instanceof HelperError ? `${sentence(error.what, error.why)}. ${error.fix}` : String(error));
      this.log.error(`The VMs could not be listed: ${errorText(error)}`);
      // No use in asking again and again what cannot work: the refresh button still does.
      if (!isPassing) clearInterval(this.#timer);
    }
    this.#changed.fire();
  }

  #setState(state: ViewState): void {
    if (state === this.#state) return;
    this.#state = state;
    void vscode.commands.executeCommand("setContext", CONTEXT.targetsState, state);
  }
}

/** What rows of these show. */
function shown(detached: readonly KnownDetached[]): string[] {
  return detached.map((each) => `${each.name} ${detachedDescription(each, vscode.l10n)}`);
}

function goneItem(beam: TargetRow): vscode.TreeItem {
  const name = targetName(beam);
  const item = new vscode.TreeItem(name);
  item.description = vscode.l10n.t("ended · pid {0}", beam.pid);
  item.tooltip = vscode.l10n.t("This VM ended. Refreshing the list removes it.");
  item.iconPath = new vscode.ThemeIcon("circle-outline", new vscode.ThemeColor("disabledForeground"));
  item.accessibilityInformation = { label: `${name}, ${item.description}` };
  return item;
}
