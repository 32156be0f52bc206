// Captures that go on without the editor: started, opened, fetched, stopped and deleted.

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { captureFileName, freeName } from "../captures/capture-file.js";
import { activeFolder, folderForCapture } from "../captures/capture-folder.js";
import { commitOfFolder } from "../commits/workspace-commit.js";
import { COMMANDS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import type { Helper } from "../helper/helper.js";
import { showError } from "../helper/show-error.js";
import { showInputBox, showQuickPick, type PickerRow } from "../messages/pickers.js";
import {
  isConfirmed,
  showInformationMessage,
  withCancellableProgress,
  withReportedProgress,
} from "../messages/show-message.js";
import { addressKey, addressName } from "../remote/host-address.js";
import type { Hosts } from "../remote/hosts.js";
import { attachArguments, hostOf } from "../targets/attach-arguments.js";
import { pickTarget } from "../targets/pick-target.js";
import { detachedGiven, type DetachedGiven } from "../detached/detached-arguments.js";
import {
  hoursText,
  isDetachedName,
  knownDetached,
  knownOne,
  suggestedName,
  type KnownDetached,
} from "../detached/detached-rows.js";
import { fetchDetached } from "../detached/fetch-detached.js";
import type { DebugFiles } from "./debug-files.js";
import { DetachedNotes } from "./detached-notes.js";
import { OpenedDetached } from "./opened-detached.js";
import { recordable } from "./recorded-types.js";
import { wantedCapture } from "./wanted-capture.js";

/** What a duration of 0 means to the helper, and the longest there is. */
const MOST_HOURS = 24;

interface DurationRow extends PickerRow {
  readonly seconds: number;
}

/**
 * Access to VMs here and elsewhere, and to the debug files that are fetched before a VM of this machine is attached to.
 */
interface Machines {
  readonly local: Helper;
  readonly hosts: Hosts;
  readonly debugFiles: DebugFiles;
}

export function registerDetached(services: ExtensionServices, machines: Machines): void {
  const { context, log, captures } = services;
  const notes = new DetachedNotes(services);
  const commands = new DetachedCommands(services, new OpenedDetached(captures, log, notes), notes, machines);
  const register = (command: string, run: (given: unknown) => Promise<unknown>) =>
    vscode.commands.registerCommand(command, async (given?: unknown) => {
      try {
        return await run(given);
      } catch (error) {
        showError(error, log);
        return undefined;
      } finally {
        void vscode.commands.executeCommand(
          hostOf(given) === undefined ? COMMANDS.refreshTargets : COMMANDS.refreshHosts,
        );
      }
    });
  const ofOne = (run: (given: DetachedGiven) => Promise<unknown>) => async (given: unknown) => {
    const one = detachedGiven(given);
    return one === undefined ? undefined : run(one);
  };
  context.subscriptions.push(
    register(COMMANDS.recordDetached, (given) => commands.record(given)),
    register(
      COMMANDS.openDetached,
      ofOne((given) => commands.open(given)),
    ),
    register(
      COMMANDS.fetchDetached,
      ofOne((given) => commands.fetch(given)),
    ),
    register(
      COMMANDS.stopDetached,
      ofOne((given) => commands.stop(given)),
    ),
    register(
      COMMANDS.deleteDetached,
      ofOne((given) => commands.remove(given)),
    ),
  );
}

class DetachedCommands {
  constructor(
    private readonly services: ExtensionServices,
    private readonly opened: OpenedDetached,
    private readonly notes: DetachedNotes,
    private readonly machines: Machines,
  ) {}

  /** @returns the started capture; undefined when the user cancelled */
  async record(given: unknown): Promise<KnownDetached | undefined> {
    const { l10n } = vscode;
    const wanted = attachArguments(given, l10n);
    const helper = await this.#helper(wanted.host);
    const pid =
      wanted.pid ??
      (await pickTarget(helper, this.services.context, l10n.t("Start Capture in the Background"), wanted.host));
    if (pid === undefined) return undefined;
    const { name: givenName, node } = (given ?? {}) as { name?: unknown; node?: unknown };
    const name = isDetachedName(givenName)
      ? givenName
      : await askName(suggestedName(typeof node === "string" ? node : null, pid, new Date()));
    if (name === undefined) return undefined;
    const durationSeconds = wanted.durationSeconds ?? (await askDuration());
    if (durationSeconds === undefined) return undefined;
    const { includeKernel, work, types, ...how } = wantedCapture(wanted);
    const folder = activeFolder();
    // Without a commit the capture is as good.
    const commit = folder === undefined ? undefined : commitOfFolder(folder.uri).catch(() => undefined);
    if (helper === this.machines.local) await this.machines.debugFiles.fetchFor(pid);
    const found = await commit;
    const params = {
      ...how,
      ...(await recordable(types, [helper])),
      name,
      pid,
      durationSeconds,
      includeKernel: includeKernel && (await helper.capabilities())?.kernelFrames !== false,
      ...(found && { origin: found.origin }),
      ...(work && { work }),
    };
    const started = await withCancellableProgress(l10n.t("Starting the capture of process {0}", pid), (token) =>
      helper.request("extrospect/detached/start", params, token),
    );
    const known = knownOne(started);
    if (found !== undefined && known?.begunMs !== undefined)
      await this.notes.begun({ name, host: wanted.host, begunMs: known.begunMs }, found);
    const where = wanted.host === undefined ? l10n.t("this machine") : addressName(wanted.host);
    void showInformationMessage(
      l10n.t(
        "{0} records on {1} and continues without the editor, for at most {2}. It is in the list of VMs.",
        name,
        where,
        hoursText(
          durationSeconds > 0 ? Math.min(durationSeconds / 3600, MOST_HOURS) : MOST_HOURS,
          l10n,
          vscode.env.language,
        ),
      ),
    );
    return known;
  }

  /** The samples so far, and those that follow. */
  async open(given: DetachedGiven): Promise<vscode.Uri> {
    const file = this.#copyOf(given);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const helper = await this.#helper(given.host);
    await fetching(given.name, (token, onProgress) => this.opened.open({ given, helper, file }, token, onProgress));
    const uri = vscode.Uri.file(file);
    await vscode.commands.executeCommand(COMMANDS.openCapture, { uri });
    return uri;
  }

  /** Brings it here for good. */
  async fetch(given: DetachedGiven): Promise<vscode.Uri> {
    const { l10n } = vscode;
    const folder = await folderForCapture(this.services.context);
    const own = captureFileName(given.name, 0, new Date());
    const file = join(
      folder,
      freeName(own, (name) => existsSync(join(folder, name))),
    );
    const begunMs = await this.#fetchTo(given, file);
    const uri = vscode.Uri.file(file);
    await this.notes.noteIn({ name: given.name, host: given.host, begunMs, uri });
    await vscode.commands.executeCommand(COMMANDS.openCapture, { uri });
    const toDelete = l10n.t("Delete It There");
    if (!given.isRunning) {
      void showInformationMessage(
        l10n.t("{0} is among the captures now. Its file on the host is kept, too.", given.name),
        toDelete,
      ).then(async (chosen) => {
        if (chosen === toDelete)
          await vscode.commands.executeCommand(COMMANDS.deleteDetached, { ...given, isConfirmed: true });
      });
    }
    return uri;
  }

  async stop({ name, host }: DetachedGiven): Promise<KnownDetached | undefined> {
    const helper = await this.#helper(host);
    const ended = await withCancellableProgress(vscode.l10n.t("Stopping {0}", name), (token) =>
      helper.request("extrospect/detached/stop", { name }, token),
    );
    return knownOne(ended);
  }

  async remove({ name, host, isConfirmed: isSure }: DetachedGiven): Promise<void> {
    const { l10n } = vscode;
    if (
      !isSure &&
      !(await isConfirmed(
        l10n.t("Delete {0}?", name),
        l10n.t("Delete"),
        l10n.t("Its samples are lost, unless they were fetched."),
      ))
    )
      return;
    await (await this.#helper(host)).request("extrospect/detached/remove", { name });
    this.opened.deleted(this.#copyOf({ name, host }));
  }

  /** The path of the copy of a capture that is opened and not fetched. */
  #copyOf(given: Pick<DetachedGiven, "name" | "host">): string {
    return join(this.services.context.globalStorageUri.fsPath, "detached", folderName(given), `${given.name}.pb.gz`);
  }

  /** @returns when it began, by the clock there */
  async #fetchTo({ name, host }: DetachedGiven, file: string): Promise<number | undefined> {
    const helper = await this.#helper(host);
    const listed = knownDetached((await helper.request("extrospect/detached/list", {})).captures);
    await fetching(name, (token, onProgress) => fetchDetached(helper, name, file, token, onProgress));
    return listed.find((one) => one.name === name)?.begunMs;
  }

  async #helper(host: DetachedGiven["host"]): Promise<Helper> {
    return host === undefined ? this.machines.local : this.machines.hosts.connected(host);
  }
}

/** Shows how far it is. */
function fetching<T>(
  name: string,
  fetch: (token: vscode.CancellationToken, onProgress: (bytes: number, of: number) => void) => Promise<T>,
): Thenable<T> {
  return withReportedProgress(vscode.l10n.t("Fetching {0}", name), (token, report) =>
    fetch(token, (bytes, of) => {
      report("", of === 0 ? undefined : (100 * bytes) / of);
    }),
  );
}

/** Where copies of one host's captures are; no path is made of what a host is called. */
function folderName({ host }: Pick<DetachedGiven, "host">): string {
  return host === undefined ? "here" : Buffer.from(addressKey(host)).toString("hex").slice(0, 200);
}

function askName(value: string): Promise<string | undefined> {
  const { l10n } = vscode;
  const validate = (text: string) =>
    isDetachedName(text)
      ? undefined
      : l10n.t("Use at most 64 letters, digits and . _ - + @, with a letter or a digit first");
  return Promise.resolve(
    showInputBox({
      title: l10n.t("Start Capture in the Background"),
      prompt: l10n.t("Name of the capture"),
      value,
      ignoreFocusOut: true,
      validate,
    }),
  );
}

async function askDuration(): Promise<number | undefined> {
  const { l10n, env } = vscode;
  const row = (hours: number): DurationRow => ({ label: hoursText(hours, l10n, env.language), seconds: hours * 3600 });
  const rows: DurationRow[] = [
    {
      label: l10n.t("Until it is stopped"),
      description: l10n.t("at most {0}", hoursText(MOST_HOURS, l10n, env.language)),
      seconds: 0,
    },
    row(1),
    row(4),
    row(8),
    { label: l10n.t("10 minutes"), seconds: 600 },
  ];
  const chosen = await showQuickPick(rows, {
    title: l10n.t("Start Capture in the Background"),
    placeHolder: l10n.t("Length of the capture"),
    ignoreFocusOut: true,
  });
  return chosen?.seconds;
}
