// `extrospect.attach` and `extrospect.stopCapture`.

import * as vscode from "vscode";
import { activeFolder, folderForCapture } from "../captures/capture-folder.js";
import { commitOfFolder } from "../commits/workspace-commit.js";
import { COMMANDS } from "../contributions.js";
import { HelperError } from "../helper/helper-error.js";
import type { Helper } from "../helper/helper.js";
import { showError } from "../helper/show-error.js";
import { withCancellableProgress } from "../messages/show-message.js";
import type { ExtensionServices } from "../extension-services.js";
import { attachArguments } from "../targets/attach-arguments.js";
import { mendingCommand } from "../targets/mending.js";
import type { Hosts } from "../remote/hosts.js";
import { refusedInContainer } from "../remote/container-rights.js";
import { addressName } from "../remote/host-address.js";
import { pickContainer } from "../remote/pick-container.js";
import { pickHost } from "../remote/pick-host.js";
import { pickTarget } from "../targets/pick-target.js";
import type { DebugFiles } from "./debug-files.js";
import { RunningCaptureMemory, tellOfInterrupted } from "./interrupted-recording.js";
import { registerProfileAgain } from "./profile-again.js";
import { attachSeveral } from "./attach-several.js";
import { endRunning } from "./end-running.js";
import { GroupControl } from "./group-control.js";
import { Recordings } from "./recordings.js";
import { RecordingControl, type RecordingSurroundings, type StartedRecording } from "./recording-control.js";
import { wantedCapture } from "./wanted-capture.js";

/** What attaching needs from the rest. */
export type RecordingServices = Pick<ExtensionServices, "context" | "log" | "captures" | "sources">;

/** The recording of this window, and the commands that start and stop it. */
export function registerRecording(services: RecordingServices, helper: Helper, hosts: Hosts, debugFiles: DebugFiles): Recordings {
  const memory = new RunningCaptureMemory(services.context.workspaceState);
  const surroundings: RecordingSurroundings = {
    folder: () => folderForCapture(services.context),
    commit: async () => {
      const folder = activeFolder();
      return folder === undefined ? undefined : commitOfFolder(folder.uri);
    },
    memory,
    sawMachine: (host, machine) => void hosts.remembered.sawMachine(host, machine),
    sourceFiles: async (opened) => (await services.sources.filesOf(opened)).filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath),
  };
  const control = new RecordingControl(services.captures, services.log, surroundings);
  const group = new GroupControl(services.captures, services.log, surroundings);
  const recordings = new Recordings(control, group);
  services.context.subscriptions.push(
    control,
    group,
    vscode.commands.registerCommand(COMMANDS.attach, (given?: unknown) => attach(services, helper, { control, group, debugFiles, hosts }, given)),
    vscode.commands.registerCommand(COMMANDS.attachOnHost, async () => {
      const host = await pickHost(hosts, vscode.l10n.t("Attach on Another Host"));
      return host === undefined ? undefined : attach(services, helper, { control, group, debugFiles, hosts }, { host });
    }),
    vscode.commands.registerCommand(COMMANDS.attachInContainer, async () => {
      const host = await pickContainer(hosts, helper, vscode.l10n.t("Attach in a Container"));
      return host === undefined ? undefined : attach(services, helper, { control, group, debugFiles, hosts }, { host });
    }),
    vscode.commands.registerCommand(COMMANDS.attachSeveral, (given?: unknown) => attachSeveral(services, helper, { control, group, hosts }, given)),
    registerProfileAgain(services, helper, hosts),
    vscode.commands.registerCommand(COMMANDS.stopCapture, () => recordings.stop()),
  );
  void tellOfInterrupted(memory, services);
  return recordings;
}

interface Recorder {
  readonly control: RecordingControl;
  readonly group: GroupControl;
  readonly debugFiles: DebugFiles;
  readonly hosts: Hosts;
}

/** @returns what was started; undefined when the user changed their mind or it failed (a message has then said why) */
async function attach(services: RecordingServices, local: Helper, { control, group, debugFiles, hosts }: Recorder, given: unknown): Promise<StartedRecording | undefined> {
  const wanted = attachArguments(given, vscode.l10n);
  let { pid } = wanted;
  let helper = local;
  try {
    if (control.phase === "attaching" || group.isStarting || debugFiles.isFetching) return undefined;
    if (!(await endRunning(control, group))) return undefined;
    if (wanted.host !== undefined) helper = await hosts.connected(wanted.host);
    pid ??= await pickTarget(helper, services.context, wanted.host === undefined ? vscode.l10n.t("Attach to a VM") : vscode.l10n.t("Attach to a VM on {0}", addressName(wanted.host)), wanted.host);
    if (pid === undefined) return undefined;
    const options = { ...wantedCapture(wanted), pid };
    if (helper === local) await debugFiles.fetchFor(pid);
    return await withCancellableProgress(vscode.l10n.t("Attaching to process {0}", pid), async (token) => {
      const includeKernel = options.includeKernel && (await helper.capabilities())?.kernelFrames !== false;
      if (options.includeKernel && !includeKernel) services.log.warn("Kernel frames are not permitted here; the capture goes without. `Check What Sampling Needs` tells more.");
      return control.start({ ...options, includeKernel }, { helper, host: wanted.host, isCut: () => wanted.host !== undefined && hosts.find(wanted.host)?.state === "cut" }, token);
    });
  } catch (raised) {
    const error = refusedInContainer(raised, wanted.host, vscode.l10n);
    // What mends it on a machine mends nothing in a container.
    const command = error === raised && error instanceof HelperError && error.problem === "refused" && pid !== undefined ? await mendingCommand(helper, pid) : undefined;
    showError(error, services.log, { command, pid, host: wanted.host });
    return undefined;
  }
}
