// The panel of stacks: what every scheduler of a VM does right now.

import * as vscode from "vscode";
import type { ToHost } from "../../../../contract/messages/stacks.js";
import type { PstackFrame } from "../../../../contract/protocol.generated.js";
import type { FunctionFacts } from "../../capture/questions.js";
import { summaryOf } from "../../captures/capture-summary.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { addressKey } from "../../remote/host-address.js";
import { hostOf, pidOf } from "../../targets/attach-arguments.js";
import { errorText } from "../../text/error-text.js";
import { copy } from "../page/page-actions.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo, type PanelContent } from "../page/webview-page.js";
import type { StackSource, StackTarget } from "./stack-source.js";
import { StacksSession } from "./stacks-session.js";

export interface StackTargets {
  readonly source: StackSource;
  /** The VM that is captured now. */
  running(): StackTarget | undefined;
  /** What captures of VMs of that host call their machine; empty when that is not known. */
  machineOf(target: StackTarget): string;
  /** Its name in *Targets*; undefined when the VM is not listed. Rejects with the helper's error. */
  nameOf(target: StackTarget): Promise<string | undefined>;
  /** Lets the user choose among the VMs of the machines that are connected, first those that run where `beside` does; undefined when they choose none. */
  pick(beside?: StackTarget): Promise<StackTarget | undefined>;
}

interface StacksContent extends PanelContent<ToHost> {
  readonly session: StacksSession;
}

export function registerStacks(services: ExtensionServices, targets: StackTargets): void {
  const { captures, context, log } = services;
  const captureOf = (target: StackTarget) => {
    const machine = targets.machineOf(target);
    const ofProcess = captures.all.filter(({ capture }) => {
      const recorded = capture.facts.target;
      return (
        recorded?.pid === target.pid &&
        (recorded.host === machine || (recorded.host === "" && target.host === undefined))
      );
    });
    // A file may be of an earlier process with the same id.
    return ofProcess.find(({ live }) => live) ?? ofProcess[0];
  };
  /** The VM of the panel, as it is listed. */
  let listed: { readonly target: StackTarget; readonly name: string } | undefined;
  /** Empty when nothing but its process id is known. */
  const nameOf = (target: StackTarget): string => {
    const captured = captureOf(target);
    const name =
      listed !== undefined && isSame(listed.target, target)
        ? listed.name
        : captured === undefined
          ? ""
          : summaryOf(captured.capture).target;
    return name === String(target.pid) ? "" : name;
  };
  const panel: SinglePanel<ToHost, StacksContent> = new SinglePanel<ToHost, StacksContent>(services, {
    viewType: PANELS.stacks,
    page: "stacks",
    title: () => {
      const target = panel?.content?.session.target;
      return target === undefined || target.pid <= 0
        ? vscode.l10n.t("Stacks")
        : vscode.l10n.t("Stacks: {0}", nameOf(target) || String(target.pid));
    },
    fill: (shown) => {
      const session = new StacksSession({
        source: targets.source,
        texts: { noTarget: vscode.l10n.t("No VM is chosen.") },
        targetName: nameOf,
        post: (message) => postTo(shown, message),
        canceller: () => new vscode.CancellationTokenSource(),
        nowUnixMs: () => Date.now(),
        debug: (text) => log.debug(text),
      });
      return {
        session,
        receive: (message) => act(message, session),
        setVisible: (visible) => session.setVisible(visible),
        dispose: () => session.dispose(),
      };
    },
  });

  async function show(given?: unknown): Promise<void> {
    const pid = pidOf(given);
    const target = pid === undefined ? (targets.running() ?? (await targets.pick())) : { pid, host: hostOf(given) };
    if (target === undefined) return;
    panel.show().session.show(target);
    panel.retitle();
    void learnName(target);
  }

  /** The tab has the name once it is known; the request for the stacks does not wait for it. */
  async function learnName(target: StackTarget): Promise<void> {
    if (target.pid <= 0) return;
    try {
      const name = await targets.nameOf(target);
      const shown = panel.content?.session.target;
      if (name === undefined || shown === undefined || !isSame(shown, target)) return;
      listed = { target, name };
      panel.retitle();
    } catch (error) {
      // The request for the stacks shows the reason.
      log.debug(`the name of process ${String(target.pid)}: ${errorText(error)}`);
    }
  }

  async function act(message: ToHost, session: StacksSession): Promise<void> {
    session.receive(message);
    switch (message.type) {
      case "ready":
        panel.retitle();
        return learnName(session.target);
      case "pick": {
        const target = await targets.pick(session.target);
        if (target !== undefined) session.show(target);
        panel.retitle();
        return learnName(session.target);
      }
      case "copyText":
        return copy(String(message.text));
      case "openSource": {
        const frame = session.frame(message.thread, message.frame);
        if (frame) await services.sources.open(functionOf(frame), frame.line ?? 0, captureOf(session.target));
        return;
      }
    }
  }

  context.subscriptions.push(vscode.commands.registerCommand(COMMANDS.showStacks, show));
}

function isSame(one: StackTarget, other: StackTarget): boolean {
  const hostKey = ({ host }: StackTarget) => (host === undefined ? "" : addressKey(host));
  return one.pid === other.pid && hostKey(one) === hostKey(other);
}

/** What finding the source needs of a frame that is in no capture. */
function functionOf(frame: PstackFrame): FunctionFacts {
  return {
    name: frame.function,
    rawName: frame.function,
    kind: frame.kind,
    file: frame.file ?? "",
    headLine: 0,
    object: frame.object,
  };
}
