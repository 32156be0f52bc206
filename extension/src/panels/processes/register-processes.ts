// The panel of processes: what runs in a VM, looked at again and again from outside.

import * as vscode from "vscode";
import type { SavedState, ToHost } from "../../../../contract/messages/processes.js";
import { newCapture } from "../../capture/capture-model.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { COMMANDS, PANELS, SETTINGS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { chosenVm, type Machines } from "../../inside/chosen-vm.js";
import type { InsideRemedies } from "../../inside/inside-remedies.js";
import type { InsideVms } from "../../inside/inside-vm.js";
import { vmOfPage, type KnownVm } from "../../inside/known-vm.js";
import { vmHead, vmName } from "../../inside/vm-head.js";
import { addressName } from "../../remote/host-address.js";
import { setting } from "../../settings.js";
import { later } from "../../later.js";
import { copy } from "../page/page-actions.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo, type PanelContent } from "../page/webview-page.js";
import { ProcessesSession } from "./processes-session.js";

const ERLANG_PID = /^<\d{1,10}\.\d{1,10}\.\d{1,10}>$/;

interface ProcessesContent extends PanelContent<ToHost> {
  readonly session: ProcessesSession;
}

export function registerProcesses(
  services: ExtensionServices,
  machines: Machines,
  vms: InsideVms,
  remedies: InsideRemedies,
): void {
  const { context } = services;
  const { l10n } = vscode;
  const panel: SinglePanel<ToHost, ProcessesContent> = new SinglePanel<ToHost, ProcessesContent>(services, {
    viewType: PANELS.processes,
    page: "processes",
    title: () => {
      const vm = panel?.content?.session.vm;
      return vm === undefined ? l10n.t("Processes") : l10n.t("Processes: {0}", vmName(vm));
    },
    fill: (shown) => {
      const session: ProcessesSession = new ProcessesSession({
        texts: {
          noTarget: l10n.t("No VM is chosen."),
          copiedPart: (lines, of) => l10n.t("Copied the first {0} of {1} lines", lines, of),
        },
        post: (message) => {
          postTo(shown, message);
          if (message.type === "vm" || message.type === "restored") panel.retitle();
        },
        later,
        nowMs: () => performance.now(),
        nowUnixMs: () => Date.now(),
        alarms: alarmsOfSettings,
        head: vmHead,
        problem: (error, vm) => remedies.problem(error, vm),
        again: (vm, problem) => remedies.again(vm, problem, show),
        find: (before) => remedies.find(before, show),
        showAnother: (now) => remedies.showAnother(now),
        copy: (text, remark) => (remark === "" ? copy(text) : copy(text, remark)),
        openSource: (name, file, line) =>
          services.sources.open(
            { name, rawName: name, kind: "erlang", file: file ?? "", headLine: 0, object: "" },
            line ?? 0,
            captureOf(services, session.vm),
          ),
      });
      return {
        session,
        receive: (message) => receive(message, session),
        setVisible: (visible) => session.setVisible(visible),
        dispose: () => session.dispose(),
      };
    },
    restored: (state) => {
      const before = vmOfPage((state as Partial<SavedState> | null | undefined)?.vm);
      if (before !== undefined) panel.content?.session.restore(before);
      panel.retitle();
    },
  });

  /** @param given a row of a view, or `{ pid?, host?, process? }` */
  async function show(given?: unknown): Promise<void> {
    const vm = await chosenVm(services, machines, given, l10n.t("Processes of a VM"));
    if (vm === undefined) return;
    const { session } = panel.show();
    const process = processOf(given);
    // One that is looked at already goes on, also when it is paused.
    if (process === undefined || !session.isLookingAt(vm)) session.show(vms.open(vm, vm.helper));
    if (process !== undefined) session.goTo(process);
    panel.retitle();
  }

  async function receive(message: ToHost, session: ProcessesSession): Promise<void> {
    if (message.type === "pick") {
      const host = session.vm?.place.host;
      return show(host === undefined ? undefined : { host });
    }
    if (message.type === "copyText") return copy(String(message.text));
    await session.receive(message);
  }

  context.subscriptions.push(
    vscode.commands.registerCommand(COMMANDS.showProcesses, show),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (
        [SETTINGS.alarmMailbox, SETTINGS.alarmMemory].some((name) => change.affectsConfiguration(`extrospect.${name}`))
      )
        panel.content?.session.alarmsChanged();
    }),
  );
}

/** The Erlang process among the arguments of a command, as the node prints it. */
function processOf(given: unknown): string | undefined {
  const process = typeof given === "object" && given !== null && "process" in given ? given.process : undefined;
  return typeof process === "string" && ERLANG_PID.test(process) ? process : undefined;
}

function alarmsOfSettings() {
  const threshold = (name: typeof SETTINGS.alarmMailbox | typeof SETTINGS.alarmMemory, unit: number) =>
    setting(name) > 0 ? setting(name) * unit : null;
  return { mailbox: threshold(SETTINGS.alarmMailbox, 1), memory: threshold(SETTINGS.alarmMemory, 1_000_000) };
}

/**
 * The capture that identifies the texts that the VM runs; for a VM of another host one without samples, so that files
 * of this machine are not taken for those there.
 */
function captureOf({ captures }: ExtensionServices, vm: KnownVm | undefined): OpenCapture | undefined {
  if (vm === undefined) return undefined;
  const { place, target } = vm;
  if (place.host !== undefined) {
    const name = addressName(place.host);
    return {
      uri: vscode.Uri.from({ scheme: "extrospect-inside", path: `/${name}/${place.pid}` }),
      title: name,
      capture: newCapture(),
      live: false,
      isElsewhere: true,
    };
  }
  // A file may be of an earlier process with the same id.
  const ofVm = captures.all.filter(
    ({ capture: { facts }, isElsewhere }) =>
      isElsewhere !== true && facts.target?.pid === place.pid && facts.target.node === (target?.node ?? null),
  );
  return ofVm.find(({ live }) => live) ?? ofVm[0];
}
