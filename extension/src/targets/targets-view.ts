// The view of the VMs on this machine.

import * as vscode from "vscode";
import { CONTEXT, VIEWS } from "../contributions.js";
import { detachedItem } from "../detached/detached-item.js";
import { detachedDescription, type DetachedRow, type KnownDetached } from "../detached/detached-rows.js";
import { listedDetached, unlistedText } from "../detached/listed-detached.js";
import { HelperError, sentence } from "../helper/helper-error.js";
import type { LocalHelper } from "../helper/local-helper.js";
import { setViewMessage, withViewProgress } from "../messages/show-message.js";
import { errorText, errorWords } from "../text/error-text.js";
import { listedVms } from "./listed-vms.js";
import { isLookDue, LOOK_MS } from "./look-pace.js";
import { goneDescription, targetName } from "./target-description.js";
import { targetItem } from "./target-item.js";
import { afterLook, inOrder, NO_TARGETS, type TargetList, type TargetRow } from "./target-order.js";
import { selectFocused } from "./vm-row-commands.js";
import { waysOn, type WayOn } from "./ways-on.js";

/** Whether the view was visible, in the workspace's storage. */
const WAS_VISIBLE = "extrospect.targetsVisible";

/**
 * Why the view shows the rows it has, for its texts when there are none: there was no look yet; the helper has named
 * VMs; there is none; it could not look; there is no helper in this package. The editor receives this before the rows,
 * so "there is none" must not be set while rows are still to come.
 */
type ViewState = "unasked" | "found" | "none" | "failed" | "noHelper";

/** The VMs that ended, folded into one row. */
interface EndedRow {
  readonly ended: readonly TargetRow[];
}

/** What the user can do where the list could not be made. */
interface WayRow {
  readonly way: WayOn;
}

/** A VM, a capture that goes on without the editor, the row of those VMs that ended, or a way on without a list. */
type Row = TargetRow | DetachedRow | EndedRow | WayRow;

/** Lists the VMs while the view is visible. The helper's look takes 200 ms, so it looks rarely, and more so while capturing. */
export class TargetsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<Row>;
  readonly #subscriptions: vscode.Disposable[] = [];
  #list: TargetList = NO_TARGETS;
  #detached: readonly KnownDetached[] = [];
  #waysOn: readonly WayOn[] = [];
  #looking: Promise<void> | undefined;
  /** When the last look began, by the clock of `performance`. */
  #lookedMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #state: ViewState | undefined;
  /** When the view becomes visible next, the cause is the restored window, and not a user who opened it. */
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
      // The helper runs for another reason; or this follows a look that failed.
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
    if ("way" in row) return wayItem(row.way);
    if ("ended" in row) return endedItem(row);
    return "detached" in row ? detachedItem(row) : this.#vmItem(row);
  }

  #vmItem(beam: TargetRow): vscode.TreeItem {
    const item = beam.isGone ? goneItem(beam) : targetItem(beam);
    item.id = String(beam.pid);
    item.contextValue = beam.isGone ? "gone" : beam.attachable ? "attachable" : "refused";
    return item;
  }

  getChildren(parent?: Row): Row[] {
    if (!vscode.workspace.isTrusted) return [];
    if (parent !== undefined) return "ended" in parent ? [...parent.ended] : [];
    const { rows, ended } = this.#list;
    const folded = ended.length === 0 ? [] : [{ ended }];
    const ways = this.#waysOn.map((way) => ({ way }));
    return [...rows, ...this.#detached.map((detached) => ({ detached })), ...folded, ...ways];
  }

  /** The row of a process; undefined when it is not in the list. */
  row(pid: number): TargetRow | undefined {
    return this.#list.rows.find((row) => row.pid === pid && !row.isGone);
  }

  /** The VM of the row with the keyboard's focus, when a capture of it can start. */
  async focusedVm(): Promise<TargetRow | undefined> {
    const row = await selectFocused(this.#view);
    return row !== undefined && "attachable" in row && row.attachable ? row : undefined;
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Looks now and from now on, and puts the rows in order, on the user's command. Problems are shown in the view. */
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
      if (vscode.window.state.focused && isLookDue(performance.now() - this.#lookedMs, this.isCapturing()))
        void this.#refresh();
    }, LOOK_MS);
  }

  #refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    this.#lookedMs = performance.now();
    if (this.helper.isMissing) {
      clearInterval(this.#timer);
      this.#list = NO_TARGETS;
      this.#waysOn = [];
      setViewMessage(this.#view, "");
      this.#setState("noHelper");
      this.#changed.fire();
      return;
    }
    try {
      const isFirst = this.#list.rows.length === 0;
      const list = () => listedVms(this.helper);
      const beams = isFirst ? await withViewProgress(VIEWS.targets, list) : await list();
      const listed = await listedDetached(this.helper, this.log);
      const detached = listed.captures;
      setViewMessage(this.#view, unlistedText(listed, vscode.l10n));
      const found = this.#isToBeOrdered
        ? { rows: inOrder(beams), ended: [] }
        : afterLook(this.#list, beams, performance.now());
      this.#setState(found.rows.length > 0 ? "found" : "none");
      this.#isToBeOrdered = false;
      // The same list again must not make the view blink.
      const isSame = JSON.stringify([found, shown(detached)]) === JSON.stringify([this.#list, shown(this.#detached)]);
      if (isSame && this.#waysOn.length === 0) return;
      [this.#list, this.#detached, this.#waysOn] = [found, detached, []];
    } catch (error) {
      // It is being started again, and then this view looks again.
      const isPassing = error instanceof HelperError && error.problem === "ended";
      if (isPassing && this.#list.rows.length > 0) return;
      this.#list = NO_TARGETS;
      this.#waysOn = waysOn(error instanceof HelperError ? error.problem : undefined, vscode.l10n);
      this.#setState("failed");
      setViewMessage(
        this.#view,
        error instanceof HelperError
          ? `${sentence(error.what, error.why)}. ${error.fix}`
          : errorWords(error, vscode.l10n),
      );
      this.log.error(`The VMs could not be listed: ${errorText(error)}`);
      // Repeating a look that cannot work is useless: the refresh button still does it.
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

function wayItem({ icon, title, command, argument }: WayOn): vscode.TreeItem {
  const item = new vscode.TreeItem(title);
  item.id = `way ${command}`;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.command = { title, command, ...(argument !== undefined && { arguments: [argument] }) };
  return item;
}

function endedItem({ ended }: EndedRow): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("{0} ended", ended.length), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = "ended";
  item.tooltip = vscode.l10n.t("VMs that ended. Refreshing the list removes them.");
  return item;
}

function goneItem(beam: TargetRow): vscode.TreeItem {
  const name = targetName(beam);
  const item = new vscode.TreeItem(name);
  item.description = goneDescription(beam, vscode.l10n);
  item.tooltip = vscode.l10n.t("This VM ended. Refreshing the list removes it.");
  item.iconPath = new vscode.ThemeIcon("circle-outline", new vscode.ThemeColor("disabledForeground"));
  item.accessibilityInformation = { label: `${name}, ${item.description}` };
  return item;
}
