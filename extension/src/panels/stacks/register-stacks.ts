// The panel of stacks: what every scheduler of a VM does right now.

import * as vscode from "vscode";
import type { ToHost } from "../../../../contract/messages/stacks.js";
import type { PstackFrame } from "../../../../contract/protocol.generated.js";
import type { FunctionFacts } from "../../capture/questions.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { pidOf } from "../../targets/attach-arguments.js";
import { copy } from "../page/page-actions.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo, type PanelContent } from "../page/webview-page.js";
import type { StackSource } from "./stack-source.js";
import { StacksSession } from "./stacks-session.js";

interface ShowArguments {
  readonly pid?: unknown;
}

export interface StackTargets {
  readonly source: StackSource;
  /** Lets the user choose among the running VMs; undefined when they do not. */
  pick(): Promise<number | undefined>;
}

interface StacksContent extends PanelContent<ToHost> {
  readonly session: StacksSession;
}

export function registerStacks(services: ExtensionServices, targets: StackTargets): void {
  const { captures, context, log } = services;
  const liveTarget = () => captures.all.find(({ live }) => live);
  const captureOf = (pid: number) => {
    const ofProcess = captures.all.filter(({ capture }) => capture.facts.target?.pid === pid);
    // A file may be of an earlier process with the same id.
    return ofProcess.find(({ live }) => live) ?? ofProcess[0];
  };
  const panel: SinglePanel<ToHost, StacksContent> = new SinglePanel<ToHost, StacksContent>(services, {
    viewType: PANELS.stacks,
    page: "stacks",
    title: () => {
      const pid = panel?.content?.session.pid ?? 0;
      return pid > 0 ? vscode.l10n.t("Stacks: {0}", String(pid)) : vscode.l10n.t("Stacks");
    },
    fill: (shown) => {
      const session = new StacksSession({
        source: targets.source,
        texts: { noTarget: vscode.l10n.t("No VM is chosen.") },
        targetName: (pid) => captureOf(pid)?.capture.facts.target?.node ?? "",
        post: (message) => postTo(shown, message),
        canceller: () => new vscode.CancellationTokenSource(),
        nowUnixMs: () => Date.now(),
        debug: (text) => log.debug(text),
      });
      return { session, receive: (message) => act(message, session), setVisible: (visible) => session.setVisible(visible), dispose: () => session.dispose() };
    },
  });

  async function show(given?: ShowArguments): Promise<void> {
    const pid = pidOf(given) ?? pidOf(liveTarget()?.capture.facts.target) ?? (await targets.pick());
    if (pid === undefined) return;
    panel.show().session.show(pid);
    panel.retitle();
  }

  async function act(message: ToHost, session: StacksSession): Promise<void> {
    session.receive(message);
    switch (message.type) {
      case "ready":
        return panel.retitle();
      case "pick": {
        const pid = await targets.pick();
        if (pid !== undefined) session.show(pid);
        return panel.retitle();
      }
      case "copyText":
        return copy(String(message.text));
      case "openSource": {
        const frame = session.frame(message.thread, message.frame);
        if (frame) await services.sources.open(functionOf(frame), frame.line ?? 0, captureOf(session.pid));
        return;
      }
    }
  }

  context.subscriptions.push(vscode.commands.registerCommand(COMMANDS.showStacks, show));
}

/** What finding the source needs of a frame that is in no capture. */
function functionOf(frame: PstackFrame): FunctionFacts {
  return { name: frame.function, rawName: frame.function, kind: frame.kind, file: frame.file ?? "", headLine: 0, object: frame.object };
}
