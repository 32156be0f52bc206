// *Profile a Command…*: a command that is run in a terminal and captured: every VM that it and its children become.

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { CAPTURE_ENDING, captureFileName, freeName } from "../captures/capture-file.js";
import { activeFolder, folderForCapture } from "../captures/capture-folder.js";
import { showCapture, showUnreadable } from "../captures/open-capture.js";
import { openTogether } from "../captures/open-together.js";
import type { FolderCommit } from "../commits/folder-commit.js";
import { commitOfFolder } from "../commits/workspace-commit.js";
import { COMMANDS, SETTINGS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import type { LocalHelper } from "../helper/local-helper.js";
import { showError } from "../helper/show-error.js";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage, showWarningMessage, withStatusBarProgress } from "../messages/show-message.js";
import { noteEnd } from "../recording/note-end.js";
import { setting } from "../settings.js";
import {
  offeredCommands,
  recordArguments,
  shellFor,
  withRecent,
  type KnownTask,
  type OfferedCommand,
} from "./offered-commands.js";
import { withoutCaptureText } from "./without-capture.js";

const RECENT_KEY = "extrospect.profiledCommands";
const TASK_TYPE = "shell";
/** In the definition of a task: the file of its capture, which no other task has. */
const CAPTURE = "extrospectCapture";
/** Files of commands that run: the helper makes one when the first VM is up. */
const promised = new Set<string>();
/** Name of a capture's file; the process id of a VM is not known before the command has started one. */
const STEM = "command";
const MOST_FILES = 64;

/** What another extension, or a test, may give. */
interface CommandArguments {
  readonly command: string;
  readonly cwd?: string;
}

/** The result of a profiled command. */
export interface ProfiledCommand {
  /** Absolute paths; empty when the command started no VM. */
  readonly files: readonly string[];
  readonly exitCode: number | undefined;
}

export function registerCommandProfile(services: ExtensionServices, helper: LocalHelper): void {
  const profile = async (given?: unknown): Promise<ProfiledCommand | undefined> => {
    try {
      const folder = activeFolder();
      const chosen = isArguments(given)
        ? { line: given.command, ...(given.cwd !== undefined && { cwd: given.cwd }) }
        : await chosenCommand(services, folder);
      return chosen === undefined ? undefined : await profiled(chosen, folder, services, helper);
    } catch (error) {
      showError(error, services.log);
      return undefined;
    }
  };
  services.context.subscriptions.push(vscode.commands.registerCommand(COMMANDS.profileCommand, profile));
}

function isArguments(given: unknown): given is CommandArguments {
  const { command, cwd } = (given ?? {}) as Partial<Record<keyof CommandArguments, unknown>>;
  return typeof command === "string" && command.trim() !== "" && (cwd === undefined || typeof cwd === "string");
}

type ChosenCommand = Pick<OfferedCommand, "line" | "cwd">;

async function chosenCommand(
  { context }: ExtensionServices,
  folder: vscode.WorkspaceFolder | undefined,
): Promise<ChosenCommand | undefined> {
  const { l10n } = vscode;
  const title = l10n.t("Profile a Command");
  const path = folder?.uri.fsPath ?? "";
  const recent = context.workspaceState.get(RECENT_KEY);
  const offered = await withStatusBarProgress(l10n.t("Searching for tasks…"), async () =>
    offeredCommands(recent, await knownTasks(folder), path, await namesIn(folder)),
  );
  const icons = { recent: "history", task: "checklist", project: "lightbulb" } as const;
  const rows = offered.map((command): PickerRow & { readonly command: OfferedCommand | undefined } => ({
    icon: icons[command.from],
    label: command.line,
    ...(command.task !== undefined && { description: l10n.t("task {0}", command.task) }),
    command,
  }));
  rows.push({ icon: "terminal", label: l10n.t("Another Command…"), alwaysShow: true, command: undefined });
  const row =
    offered.length === 0
      ? rows[0]
      : await showQuickPick(rows, {
          title,
          placeHolder: l10n.t("Every Erlang VM that the command starts is captured, until it ends"),
        });
  if (row === undefined) return undefined;
  if (row.command !== undefined) return row.command;
  const validate = (text: string) =>
    text.trim() === "" ? l10n.t("Type a command, such as {0}.", "mix test") : undefined;
  const line = await showInputBox({
    title,
    prompt: l10n.t("A command line for your shell. It runs in {0}.", path || l10n.t("your home folder")),
    validate,
    ignoreFocusOut: true,
  });
  return line === undefined ? undefined : { line: line.trim() };
}

async function knownTasks(folder: vscode.WorkspaceFolder | undefined): Promise<KnownTask[]> {
  const tasks = await vscode.tasks.fetchTasks();
  return tasks.flatMap(({ name, execution, scope }): KnownTask[] => {
    const isElsewhere = typeof scope === "object" && scope.uri.toString() !== folder?.uri.toString();
    if (isElsewhere) return [];
    if (execution instanceof vscode.ProcessExecution)
      return [{ name, command: [execution.process, ...execution.args], cwd: execution.options?.cwd }];
    if (!(execution instanceof vscode.ShellExecution)) return [];
    const text = (word: string | vscode.ShellQuotedString) => (typeof word === "string" ? word : word.value);
    const words =
      execution.command === undefined ? undefined : [execution.command, ...(execution.args ?? [])].map(text);
    const command = execution.commandLine ?? words;
    return command === undefined ? [] : [{ name, command, cwd: execution.options?.cwd }];
  });
}

async function namesIn(folder: vscode.WorkspaceFolder | undefined): Promise<string[]> {
  if (folder === undefined) return [];
  return (await vscode.workspace.fs.readDirectory(folder.uri)).map(([name]) => name);
}

async function profiled(
  { line, cwd }: ChosenCommand,
  folder: vscode.WorkspaceFolder | undefined,
  services: ExtensionServices,
  helper: LocalHelper,
): Promise<ProfiledCommand> {
  const { context, log } = services;
  const { path, startedBy } = helper.program();
  await context.workspaceState.update(RECENT_KEY, withRecent(context.workspaceState.get(RECENT_KEY), line));
  // Without a commit the capture is as good.
  const commit = folder === undefined ? undefined : await commitOfFolder(folder.uri).catch(() => undefined);
  const captures = await folderForCapture(context);
  const name = captureFileName(STEM, 0, new Date(), commit?.origin.commit);
  const file = join(
    captures,
    freeName(name, (taken) => promised.has(join(captures, taken)) || existsSync(join(captures, taken))),
  );
  const sampling = {
    frequencyHz: setting(SETTINGS.frequencyHz),
    includeKernel: setting(SETTINGS.kernelFrames),
    engine: setting(SETTINGS.engine),
    types: setting(SETTINGS.captureTypes),
  };
  const [program = path, ...args] = [
    ...startedBy,
    path,
    ...recordArguments(sampling, file, shellFor(vscode.env.shell), line),
  ];
  const place = cwd ?? folder?.uri.fsPath;
  const execution = new vscode.ProcessExecution(program, args, place === undefined ? {} : { cwd: place });
  const task = new vscode.Task(
    { type: TASK_TYPE, [CAPTURE]: file },
    folder ?? vscode.TaskScope.Workspace,
    line,
    "Extrospect",
    execution,
    [],
  );
  task.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    panel: vscode.TaskPanelKind.Dedicated,
    focus: true,
  };
  log.info(`Profiling ${line} into ${file}`);
  promised.add(file);
  const exitCode = await run(task).finally(() => promised.delete(file));
  const files = filesOf(file);
  await shown(files, line, exitCode, commit, services);
  return { files, exitCode };
}

/** @returns the exit code; undefined when a signal ended it, or it did not start */
async function run(task: vscode.Task): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    // It may end before the editor has reported that it runs. Other tasks may have its name.
    const isOurs = ({ task: ended }: vscode.TaskExecution) => ended.definition[CAPTURE] === task.definition[CAPTURE];
    const listening = [
      vscode.tasks.onDidEndTaskProcess((event) => {
        if (isOurs(event.execution)) end(event.exitCode);
      }),
      vscode.tasks.onDidEndTask((event) => {
        // After the process of one that had any.
        if (isOurs(event.execution)) end(undefined);
      }),
    ];
    const end = (exitCode: number | undefined) => {
      for (const each of listening) each.dispose();
      resolve(exitCode);
    };
    vscode.tasks.executeTask(task).then(undefined, (error: unknown) => {
      for (const each of listening) each.dispose();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

/** The capture of the first VM, and those of further ones beside it. */
function filesOf(first: string): string[] {
  const stem = first.slice(0, -CAPTURE_ENDING.length);
  const numbered = Array.from({ length: MOST_FILES }, (_, index) =>
    index === 0 ? first : `${stem}.${String(index + 1)}${CAPTURE_ENDING}`,
  );
  const end = numbered.findIndex((file) => !existsSync(file));
  return end < 0 ? numbered : numbered.slice(0, end);
}

async function shown(
  files: readonly string[],
  line: string,
  exitCode: number | undefined,
  commit: FolderCommit | undefined,
  services: ExtensionServices,
): Promise<void> {
  const { l10n } = vscode;
  const [first] = files;
  if (first === undefined) {
    void showWarningMessage(withoutCaptureText(line, exitCode, l10n));
    return;
  }
  const ended =
    exitCode === undefined ? l10n.t("It did not end by itself.") : l10n.t("Its exit code is {0}.", exitCode);
  const uris = files.map((file) => vscode.Uri.file(file));
  try {
    const isSeveral = uris.length > 1;
    for (const uri of uris) await noteEnd({ files: [{ uri }], commit }, services);
    await showCapture(vscode.Uri.file(first), services.captures);
    const flame = l10n.t("Flame Graph");
    const together = l10n.t("Open Together");
    const text = isSeveral
      ? l10n.t(
          "`{0}` is captured: {1} VMs, of which the first ({2}) is shown. {3}",
          line,
          uris.length,
          basename(first),
          ended,
        )
      : l10n.t("`{0}` is captured and shown. {1}", line, ended);
    // Not waited for: the command is over.
    void showInformationMessage(text, flame, ...(isSeveral ? [together] : [])).then(async (chosen) => {
      if (chosen === together) await openTogether(uris, services.captures);
      if (chosen !== undefined) await vscode.commands.executeCommand(COMMANDS.showFlameGraph);
    });
  } catch (error) {
    showUnreadable(error, services.log);
  }
}
