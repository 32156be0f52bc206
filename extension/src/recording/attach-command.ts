// `extrospect.attach` and `extrospect.stopCapture`.

import * as vscode from "vscode";
import { activeFolder, folderForCapture } from "../captures/capture-folder.js";
import { namedCapture } from "../captures/named-capture.js";
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
import { addressKey, addressName, type HostAddress } from "../remote/host-address.js";
import { pickContainer } from "../remote/pick-container.js";
import { pickHost } from "../remote/pick-host.js";
import { pickTarget } from "../targets/pick-target.js";
import { recordedTypesRow } from "./choose-types.js";
import type { DebugFiles } from "./debug-files.js";
import { showInterrupted } from "./interrupted-recording.js";
import { registerProfileAgain } from "./profile-again.js";
import { attachSeveral } from "./attach-several.js";
import { RecordingControl, type Begin } from "./recording-control.js";
import { RunningCaptureMemory } from "./running-memory.js";
import { recordable } from "./recorded-types.js";
import { wantedCapture, type WantedCapture } from "./wanted-capture.js";
import type { RecordingSurroundings } from "./window-session.js";

/** What attaching needs from the rest. */
export type RecordingServices = Pick<ExtensionServices, "context" | "log" | "captures" | "sources">;

/** What attaching answers. */
interface StartedRecording {
  readonly pid: number;
  /** By it this capture is stopped, and no other: `extrospect.stopCapture` takes it. */
  readonly uri: vscode.Uri;
}

/** What captures in this window, and the commands that start and stop it. */
export function registerRecording(
  services: RecordingServices,
  helper: Helper,
  hosts: Hosts,
  debugFiles: DebugFiles,
): RecordingControl {
  const memory = new RunningCaptureMemory(services.context.workspaceState);
  const surroundings: RecordingSurroundings = {
    folder: () => folderForCapture(services.context),
    commit: async () => {
      const folder = activeFolder();
      return folder === undefined ? undefined : commitOfFolder(folder.uri);
    },
    memory,
    sawMachine: (host, machine) => void hosts.remembered.sawMachine(host, machine),
  };
  const control = new RecordingControl(services, surroundings);
  const recorder: Recorder = { control, debugFiles, hosts };
  services.context.subscriptions.push(
    control,
    vscode.commands.registerCommand(COMMANDS.attach, (given?: unknown) => attach(services, helper, recorder, given)),
    vscode.commands.registerCommand(COMMANDS.attachOnHost, async () => {
      const host = await pickHost(hosts, vscode.l10n.t("Start Capture on Another Host"));
      return host === undefined ? undefined : attach(services, helper, recorder, { host });
    }),
    vscode.commands.registerCommand(COMMANDS.attachInContainer, async () => {
      const host = await pickContainer(hosts, helper, vscode.l10n.t("Start Capture in a Container"));
      return host === undefined ? undefined : attach(services, helper, recorder, { host });
    }),
    vscode.commands.registerCommand(COMMANDS.attachSeveral, (given?: unknown) =>
      attachSeveral(services, helper, { control, hosts }, given),
    ),
    registerProfileAgain(services, helper, hosts),
    vscode.commands.registerCommand(COMMANDS.stopCapture, (given?: unknown) =>
      control.stopAndNote(namedCapture(given)),
    ),
  );
  void showInterrupted(memory, services);
  return control;
}

interface Recorder {
  readonly control: RecordingControl;
  readonly debugFiles: DebugFiles;
  readonly hosts: Hosts;
}

/**
 * @returns the started recording; undefined when the user cancelled or it failed (a message has then stated the reason)
 */
async function attach(
  services: RecordingServices,
  local: Helper,
  { control, debugFiles, hosts }: Recorder,
  given: unknown,
): Promise<StartedRecording | undefined> {
  const wanted = attachArguments(given, vscode.l10n);
  const { host } = wanted;
  let { pid } = wanted;
  let helper = local;
  if (debugFiles.isFetching) return undefined;
  try {
    return await control.alone(startOf(pid, host), async (begin) => {
      if (host !== undefined) helper = await hosts.connected(host);
      pid ??= await pickTarget(
        helper,
        services.context,
        host === undefined ? vscode.l10n.t("Start Capture") : vscode.l10n.t("Start Capture on {0}", addressName(host)),
        host,
        wanted.types === undefined ? await recordedTypesRow(helper) : undefined,
      );
      if (pid === undefined) return undefined;
      const { isShownByCaller = false } = wanted;
      const options = { ...wantedCapture(wanted), pid, isShownByCaller };
      if (helper === local) await debugFiles.fetchFor(pid);
      return await begun(options, { log: services.log, helper, host, hosts }, begin);
    });
  } catch (raised) {
    const error = refusedInContainer(raised, host, vscode.l10n);
    // The fix for a machine does not help in a container.
    const command =
      error === raised && error instanceof HelperError && error.problem === "refused" && pid !== undefined
        ? await mendingCommand(helper, pid)
        : undefined;
    showError(error, services.log, { command, pid, host });
    return undefined;
  }
}

/** Which start it is: one is not done twice at once. */
function startOf(pid: number | undefined, host: HostAddress | undefined): string {
  return JSON.stringify([pid ?? null, host === undefined ? null : addressKey(host)]);
}

/** @throws {HelperError} {@link Cancelled} */
function begun(
  { pid, isShownByCaller, ...options }: WantedCapture & { readonly pid: number; readonly isShownByCaller: boolean },
  {
    log,
    helper,
    host,
    hosts,
  }: Pick<RecordingServices, "log"> & {
    readonly helper: Helper;
    readonly host: HostAddress | undefined;
    readonly hosts: Hosts;
  },
  begin: Begin,
): Thenable<StartedRecording> {
  return withCancellableProgress(vscode.l10n.t("Starting the capture of process {0}", pid), async (token) => {
    const includeKernel = options.includeKernel && (await helper.capabilities())?.kernelFrames !== false;
    if (options.includeKernel && !includeKernel)
      log.warn(
        "Kernel frames are not permitted here; the capture goes without. `Check Permissions and Setup` shows the reason.",
      );
    const { types: requested, ...others } = options;
    const types = await recordable(requested, [helper]);
    if (requested !== undefined && types.types?.length !== requested.length)
      log.warn("The helper does not record all of these types of samples; the capture goes without the others.");
    const isCut = () => host !== undefined && hosts.find(host)?.state === "cut";
    const targets = [{ pid, name: String(pid), helper, host, isCut }];
    const { started, refused } = await begin(
      { targets, wanted: { ...others, ...types, includeKernel }, isTogether: false, isShownByCaller },
      token,
    );
    if (started === undefined) throw refused[0]?.error;
    return { pid, uri: started.uri };
  });
}
