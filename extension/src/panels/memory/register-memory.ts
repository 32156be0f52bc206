// The panel of memory: what the memory of a VM is for, here or on another host.

import * as vscode from "vscode";
import type { SavedState, ToHost } from "../../../../contract/messages/memory.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { chosenVm, type Machines } from "../../inside/chosen-vm.js";
import type { InsideRemedies } from "../../inside/inside-remedies.js";
import type { InsideVm, InsideVms } from "../../inside/inside-vm.js";
import { keptVm, vmOfPage } from "../../inside/known-vm.js";
import { vmHead, vmName } from "../../inside/vm-head.js";
import { later } from "../../later.js";
import { copy } from "../page/page-actions.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo, type PanelContent } from "../page/webview-page.js";
import { MemorySession } from "./memory-session.js";

interface MemoryContent extends PanelContent<ToHost> {
  readonly session: MemorySession;
}

export function registerMemory(
  services: ExtensionServices,
  machines: Machines,
  vms: InsideVms,
  remedies: InsideRemedies,
): void {
  const { context } = services;
  const { l10n } = vscode;
  const panel: SinglePanel<ToHost, MemoryContent> = new SinglePanel<ToHost, MemoryContent>(services, {
    viewType: PANELS.memory,
    page: "memory",
    title: () => {
      const session = panel?.content?.session;
      const vm = session?.vm ?? session?.before;
      return vm === undefined ? l10n.t("Memory") : l10n.t("Memory: {0}", vmName(vm));
    },
    fill: (shown) => {
      const session: MemorySession = new MemorySession<InsideVm>({
        post: (message) => {
          postTo(shown, message);
          if (message.type !== "paused") panel.retitle();
        },
        copy: (text) => void copy(text),
        nowUnixMs: () => Date.now(),
        later,
        head: vmHead,
        problem: (error, vm) => remedies.problem(error, vm),
        kept: keptVm,
        again: (vm, problem) => remedies.again(vm, problem, show),
        find: (before) => remedies.find(before, show),
        showAnother: (now) => remedies.showAnother(now),
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

  /** @param given a row of a view, or `{ pid?, host? }` */
  async function show(given?: unknown): Promise<void> {
    const vm = await chosenVm(services, machines, given, l10n.t("Memory of a VM"));
    if (vm === undefined) return;
    panel.show().session.show(vms.open(vm, vm.helper));
    panel.retitle();
  }

  async function receive(message: ToHost, session: MemorySession): Promise<void> {
    if (message.type === "pick") {
      const host = (session.vm ?? session.before)?.place.host;
      return show(host === undefined ? undefined : { host });
    }
    if (message.type === "showProcess") {
      const place = session.vm?.place;
      if (place !== undefined)
        await vscode.commands.executeCommand(COMMANDS.showProcesses, { ...place, process: message.process });
      return;
    }
    if (message.type === "copyText") return copy(String(message.text));
    await session.receive(message);
  }

  context.subscriptions.push(vscode.commands.registerCommand(COMMANDS.showMemory, show));
}
