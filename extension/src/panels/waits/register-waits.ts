// "Where Processes Wait…": watches a VM for a while, keeps the capture of it, and shows it as a flame graph with the
// waits between processes beside it.

import * as vscode from "vscode";
import type { SavedState, ToHost, WaitsSeen } from "../../../../contract/messages/waits.js";
import { namedCapture } from "../../captures/named-capture.js";
import { decoded, showCapture } from "../../captures/open-capture.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { showError } from "../../helper/show-error.js";
import { chosenVm, type Machines } from "../../inside/chosen-vm.js";
import type { InsideRemedies } from "../../inside/inside-remedies.js";
import { InsideVms } from "../../inside/inside-vm.js";
import { isAnotherVm, keptVm, vmOfPage, type KnownVm } from "../../inside/known-vm.js";
import { vmHead, vmName } from "../../inside/vm-head.js";
import { fileName } from "../../text/base-name.js";
import { errorText } from "../../text/error-text.js";
import { standstillOfPage } from "../../text/shown-standstill.js";
import { copy } from "../page/page-actions.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo, type PanelContent } from "../page/webview-page.js";
import { seenBy, seenIn } from "./shown-waits.js";
import { chosenSeconds, keepWaits, secondsOf, watchedWithProgress } from "./watched-vm.js";

interface WaitsContent extends PanelContent<ToHost> {
  /** What there is to show now. */
  show(): void;
}

interface Shown {
  readonly seen: WaitsSeen;
  /** What would be watched again; undefined when it is not known where it runs. */
  readonly vm: KnownVm | undefined;
  readonly uri: vscode.Uri;
}

function keptOf({ uri, vm, seen: { standstill } }: Shown): SavedState {
  return { uri: uri.toString(), vm: vm === undefined ? null : keptVm(vm), standstill };
}

/** The capture alone has the node's name and no other. */
function nameOf({ seen: { head }, vm }: Shown): string {
  return head.node || (vm === undefined ? String(head.pid) : vmName(vm));
}

export function registerWaits(services: ExtensionServices, machines: Machines, remedies: InsideRemedies): void {
  const { context, log } = services;
  const { l10n } = vscode;
  let shown: Shown | undefined;
  let problem = "";
  const panel: SinglePanel<ToHost, WaitsContent> = new SinglePanel<ToHost, WaitsContent>(services, {
    viewType: PANELS.waits,
    page: "waits",
    title: () =>
      shown === undefined ? l10n.t("Where Processes Wait") : l10n.t("Where Processes Wait: {0}", nameOf(shown)),
    fill: (view) => {
      const show = () =>
        postTo(
          view,
          shown === undefined ? { type: "none", problem } : { type: "waits", seen: shown.seen, kept: keptOf(shown) },
        );
      return {
        show,
        receive: (message) => receive(message, show),
        setVisible: () => undefined,
        dispose: () => undefined,
      };
    },
    restored: (state) => void bringBack(state),
  });

  /** @param before what the user expects it to be */
  async function watch(given?: unknown, before?: KnownVm): Promise<{ uri: vscode.Uri } | undefined> {
    const vm = await chosenVm(services, machines, given, l10n.t("Where Processes Wait"));
    if (vm === undefined) return undefined;
    const seconds = secondsOf(given) ?? (await chosenSeconds(l10n.t("Where Processes Wait")));
    if (seconds === undefined) return undefined;
    // A session of its own: a panel's requests to the same VM do not make looks rarer.
    const inside = new InsideVms().open(vm, vm.helper);
    try {
      const watched = await watchedWithProgress(inside, vm, seconds);
      if (before !== undefined && isAnotherVm(before, keptVm(inside))) remedies.showAnother(vmHead(inside));
      const uri = await keepWaits(context, watched, inside.target, vm);
      const seen = seenBy(watched, inside);
      shown = { seen, vm: { place: inside.place, target: inside.target, startTicks: inside.startTicks }, uri };
      // In view, without a tab of its own: the page has a button for its flame graph.
      await showCapture(uri, services.captures);
      panel.show().show();
      panel.retitle();
      return { uri };
    } catch (error) {
      showError(error, log, { pid: vm.pid, host: vm.host });
      return undefined;
    } finally {
      inside.close();
    }
  }

  /** The capture contains everything that is shown. */
  async function bringBack(state: unknown): Promise<void> {
    try {
      const { uri: savedUri, vm, standstill } = (state ?? {}) as Partial<SavedState>;
      const uri = namedCapture({ uri: savedUri });
      if (uri === undefined) return;
      const { facts } = await decoded(uri);
      const kept = vmOfPage(vm);
      const before = kept?.place.pid === facts.waits?.pid ? kept : undefined;
      const seen = seenIn(facts, before, standstillOfPage(standstill));
      if (seen === undefined) problem = l10n.t("{0} does not contain which process waits for which", fileName(uri));
      // Another watch may have come first.
      else shown ??= { seen, vm: before, uri };
    } catch (error) {
      log.info(`The watch that was shown before is not shown again: ${errorText(error)}`);
      problem = errorText(error);
    }
    panel.content?.show();
    panel.retitle();
  }

  async function receive(message: ToHost, answer: () => void): Promise<void> {
    switch (message.type) {
      case "ready":
        return answer();
      case "again":
        await watch(shown?.vm?.place, shown?.vm);
        return;
      case "flameGraph":
        await vscode.commands.executeCommand(COMMANDS.showFlameGraph, shown && { uri: shown.uri });
        return;
      case "copyText":
        return copy(String(message.text));
    }
  }

  context.subscriptions.push(vscode.commands.registerCommand(COMMANDS.watchWaits, (given?: unknown) => watch(given)));
}
