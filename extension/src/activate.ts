// The extension starts here. Each part registers its own commands and views; nothing runs before a user command.

import { hostname } from "node:os";
import * as vscode from "vscode";
import { registerAnnotate } from "./annotate/register-annotate.js";
import { CaptureStore, type OpenCapture } from "./captures/capture-store.js";
import { ChosenBaseline } from "./captures/chosen-baseline.js";
import { registerCaptures } from "./captures/register-captures.js";
import { registerCommandProfile } from "./command-profile/register-command-profile.js";
import { registerBaseline } from "./comparison/baseline.js";
import { CONTEXT, VIEWS } from "./contributions.js";
import { registerFlight } from "./flight-recorder/register-flight.js";
import type { Helper } from "./helper/helper.js";
import { registerHelper } from "./helper/register-helper.js";
import { showError } from "./helper/show-error.js";
import { InsideRemedies } from "./inside/inside-remedies.js";
import { InsideVms } from "./inside/inside-vm.js";
import { registerBlame } from "./panels/blame/register-blame.js";
import { registerCompare } from "./panels/compare/register-compare.js";
import { registerFollowing } from "./panels/capture-panel/capture-panels.js";
import { fillFlameGraph } from "./panels/flame-graph/fill-flame-graph.js";
import { FlameEditors } from "./panels/flame-graph/flame-editors.js";
import { registerFlameGraph } from "./panels/flame-graph/register-flame-graph.js";
import { registerHistory } from "./panels/history/register-history.js";
import { registerProcesses } from "./panels/processes/register-processes.js";
import { registerMemory } from "./panels/memory/register-memory.js";
import { registerSummary, summaryText } from "./panels/summary/register-summary.js";
import { registerExportView } from "./panels/page/register-export-view.js";
import { registerStacks } from "./panels/stacks/register-stacks.js";
import type { StackTarget } from "./panels/stacks/stack-source.js";
import { registerTimeSpent } from "./panels/time-spent/register-time-spent.js";
import { registerTop } from "./panels/top/register-top.js";
import { registerWaits } from "./panels/waits/register-waits.js";
import type { ExtensionServices } from "./extension-services.js";
import { registerProfileStore } from "./profile-store/open-from-store.js";
import { registerRecording } from "./recording/attach-command.js";
import { DebugFiles } from "./recording/debug-files.js";
import { registerDetached } from "./recording/detached-commands.js";
import type { RecordingControl } from "./recording/recording-control.js";
import type { HostAddress } from "./remote/host-address.js";
import { Hosts } from "./remote/hosts.js";
import { createSources } from "./sources/register-sources.js";
import { registerConnectedNodes } from "./targets/connected-nodes.js";
import { registerHosts } from "./targets/hosts-view.js";
import { listedVms } from "./targets/listed-vms.js";
import { pickTargetAmong } from "./targets/pick-target.js";
import type { Place } from "./targets/places.js";
import { registerTargets } from "./targets/register-targets.js";
import { targetName } from "./targets/target-description.js";
import { registerVmRowCommands } from "./targets/vm-row-commands.js";

/** What another extension, or a test, gets from `exports`. */
export interface Api {
  readonly captures: CaptureStore;
  readonly recording: RecordingControl;
  readonly helper: Helper;
}

let helper: Helper | undefined;
let hosts: Hosts | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel("Extrospect", { log: true });
  const captures = new CaptureStore();
  context.subscriptions.push(log, captures);
  context.subscriptions.push(
    captures.onDidChangeCurrent(
      (current) => void vscode.commands.executeCommand("setContext", CONTEXT.captureInView, current !== undefined),
    ),
  );
  const { navigator, mapper } = createSources({ context, log, captures });
  const services: ExtensionServices = { context, log, captures, sources: navigator };
  const talk = (helper = registerHelper(services));
  hosts = new Hosts(services);
  context.subscriptions.push(hosts);
  const debugFiles = new DebugFiles(talk, log);
  const recording = registerRecording(services, talk, hosts, debugFiles);
  const hostsView = registerHosts(services, hosts);
  registerConnectedNodes(services, talk, hosts);
  registerDetached(services, { local: talk, hosts, debugFiles });
  registerFlight(services, { local: talk, hosts }, debugFiles);
  registerCommandProfile(services, talk);
  const targetsView = registerTargets(services, talk, hosts, () => recording.isCapturing);
  context.subscriptions.push(registerVmRowCommands({ [VIEWS.targets]: targetsView, [VIEWS.hosts]: hostsView }));
  const baseline = new ChosenBaseline(context.workspaceState);
  context.subscriptions.push(baseline);
  // Called by users only, when everything is registered.
  const summaryOf = (opened: OpenCapture) => summaryText(services, hotLines, opened);
  const flameEditors = new FlameEditors();
  context.subscriptions.push(flameEditors);
  const view = registerCaptures({ context, log, captures, baseline }, recording, (panel, opened) => {
    const current = () => captures.get(opened.uri) ?? opened;
    const { session, filled } = fillFlameGraph(panel, services, current, summaryOf);
    return vscode.Disposable.from(flameEditors.add(opened.uri, { panel, session }), filled);
  });
  registerProfileStore(services);
  const hotLines = registerAnnotate(
    services,
    mapper,
    registerBaseline({ context, log, captures, baseline }, navigator),
  );
  registerSummary(services, hotLines, recording.onDidStart);
  registerFlameGraph(services, flameEditors, summaryOf);
  registerBlame(services);
  registerTop(services);
  registerFollowing(context);
  registerCompare(services, () => view.allRows());
  registerHistory(services, () => view.allRows());
  const known = hosts;
  registerStacks(services, {
    source: {
      stacks: async ({ pid, host }, all, token) =>
        (host === undefined ? talk : await known.connected(host)).request("extrospect/pstack", { pid, all }, token),
    },
    running: () => recording.target,
    nameOf: async ({ pid, host }) => {
      const listed = await listedVms(host === undefined ? talk : await known.connected(host));
      const vm = listed.find((row) => row.pid === pid);
      return vm && targetName(vm);
    },
    machineOf: ({ host }) => (host === undefined ? hostname() : (known.remembered.find(host)?.machine ?? "")),
    pick: (beside) => pickedTarget(services, talk, known, beside?.host),
  });
  const insideVms = new InsideVms();
  const machines = { local: talk, hosts };
  const remedies = new InsideRemedies(machines, insideVms, services.log);
  registerProcesses(services, machines, insideVms, remedies);
  registerMemory(services, machines, insideVms, remedies);
  registerWaits(services, machines, remedies);
  registerTimeSpent(services, machines, () => view.allRows());
  registerExportView(services);
  return { captures, recording, helper: talk };
}

/**
 * The VM that the user chose for its stacks, on `host` or on any connected machine. Undefined without a choice, and
 * when the VMs cannot be listed: a message has then stated the reason.
 */
async function pickedTarget(
  { context, log }: ExtensionServices,
  local: Helper,
  hosts: Hosts,
  host: HostAddress | undefined,
): Promise<StackTarget | undefined> {
  try {
    const first: Place = host === undefined ? { host, helper: local } : { host, helper: await hosts.connected(host) };
    const far = hosts.all
      .filter(({ state }) => state === "connected")
      .map((helper): Place => ({ host: helper.address, helper }));
    const others = [{ host: undefined, helper: local }, ...far].filter(({ helper }) => helper !== first.helper);
    return await pickTargetAmong({ first, others }, context, vscode.l10n.t("Stacks of all schedulers"));
  } catch (error) {
    showError(error, log);
    return undefined;
  }
}

/** The helper ends with the editor; captures that run are completed first. */
export async function deactivate(): Promise<void> {
  await Promise.all([helper?.stop(), hosts?.stop()]);
}
