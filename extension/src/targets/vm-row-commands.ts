// Commands of a VM's row. The palette has each under a longer title, in the words people search for.

import * as vscode from "vscode";
import { COMMANDS, VIEWS } from "../contributions.js";

/** The command of a row, and the one it runs. */
const OF_ROW = [
  [COMMANDS.startCaptureOfVm, COMMANDS.attach],
  [COMMANDS.backgroundCaptureOfVm, COMMANDS.recordDetached],
  [COMMANDS.captureOfVmWhen, COMMANDS.recordWhen],
  [COMMANDS.connectedNodesOfVm, COMMANDS.connectedNodes],
  [COMMANDS.stacksOfVm, COMMANDS.showStacks],
  [COMMANDS.processesOfVm, COMMANDS.showProcesses],
  [COMMANDS.memoryOfVm, COMMANDS.showMemory],
  [COMMANDS.waitsOfVm, COMMANDS.watchWaits],
  [COMMANDS.timeOfVm, COMMANDS.watchTime],
] as const;

/** The editor reports a selection after its command for it has ended, and none where the row was selected before. */
const SELECTION_MS = 300;

export interface RowViews {
  /** The row with the keyboard's focus, which becomes the selected one; undefined for one that no capture can be of. */
  readonly focusedVm: () => Promise<object | undefined>;
}

/** @param views those with rows of VMs, by id: the Enter key starts a capture there */
export function registerVmRowCommands(views: Readonly<Record<string, RowViews>>): vscode.Disposable {
  const commands = OF_ROW.map(([row, command]) =>
    vscode.commands.registerCommand(row, (...given: unknown[]) => vscode.commands.executeCommand(command, ...given)),
  );
  const start = vscode.commands.registerCommand(COMMANDS.startCaptureOfSelected, async (view: unknown) => {
    const row = await views[view === VIEWS.hosts ? VIEWS.hosts : VIEWS.targets]?.focusedVm();
    if (row !== undefined) await vscode.commands.executeCommand(COMMANDS.attach, row);
  });
  return vscode.Disposable.from(start, ...commands);
}

/** Selects the row with the keyboard's focus, as the Enter key does by itself: a command of the row runs. */
export async function selectFocused<Row>(view: vscode.TreeView<Row>): Promise<Row | undefined> {
  const isReported = new Promise<void>((resolve) => {
    const done = () => {
      listening.dispose();
      clearTimeout(timer);
      resolve();
    };
    const listening = view.onDidChangeSelection(done);
    const timer = setTimeout(done, SELECTION_MS);
  });
  await vscode.commands.executeCommand("list.select");
  await isReported;
  return view.selection[0];
}
