// The hosts of this window, and the prompts of their connections.

import { accessSync, chmodSync, constants } from "node:fs";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { ActivationContext } from "../activation-context.js";
import { Cancelled, HelperError } from "../helper/helper-error.js";
import { showInputBox } from "../messages/pickers.js";
import { isConfirmed, showInformationMessage, withReportedProgress } from "../messages/show-message.js";
import { AskpassServer, type SshQuestion } from "./askpass-server.js";
import { addressKey, addressName, isAddress, isSsh, type HostAddress } from "./host-address.js";
import { RememberedHosts } from "./remembered-hosts.js";
import { RemoteHost } from "./remote-host.js";
import type { HostProgress } from "./ssh-helper.js";

const MAX_QUESTION = 600;

export class Hosts implements vscode.Disposable {
  readonly #hosts = new Map<string, RemoteHost>();
  readonly #changed = new vscode.EventEmitter<void>();
  #askpass: Promise<AskpassServer> | undefined;

  /** There is another host, or one less, or the state of one is another. */
  readonly onDidChange = this.#changed.event;
  /** Hosts that were connected to in this or another window. */
  readonly remembered: RememberedHosts;

  constructor(private readonly activation: ActivationContext) {
    this.remembered = new RememberedHosts(activation.context.globalState);
    this.remembered.onDidChange(() => {
      this.#changed.fire();
    });
  }

  /** A host of this window, connected or not. */
  find(address: HostAddress): RemoteHost | undefined {
    return this.#hosts.get(addressKey(address));
  }

  /** Those of this window. */
  get all(): readonly RemoteHost[] {
    return [...this.#hosts.values()];
  }

  /**
   * The host, connected; the user sees the progress and may give up.
   * @throws {HelperError} with the remedy; {@link Cancelled}
   */
  async connected(address: HostAddress): Promise<RemoteHost> {
    const { l10n } = vscode;
    if (!vscode.workspace.isTrusted)
      throw new HelperError(
        "untrusted",
        l10n.t("Captures can be started in a trusted workspace only"),
        l10n.t("it starts a program on this machine"),
        l10n.t("Trust this workspace. Captures can be opened all the same."),
      );
    if (!isAddress(address)) {
      const why = isSsh(address)
        ? l10n.t("ssh accepts names, user@host and ssh://user@host:port")
        : l10n.t("a name in it has a character that such a name never contains, or starts with a dash");
      throw new HelperError(
        "unreachable",
        l10n.t("{0} is not a host", addressName(address)),
        why,
        l10n.t("Correct it."),
      );
    }
    const host = this.#host(address);
    if (host.state !== "connected") {
      await withReportedProgress(l10n.t("Connecting to {0}", host.name), async (token, report) => {
        await host.connect(token, (progress) => {
          report(
            progressText(progress, isSsh(address) ? "ssh" : address.command),
            progress.step === "sending" && progress.ofBytes !== undefined
              ? ((progress.sentBytes ?? 0) * 100) / progress.ofBytes
              : undefined,
          );
        });
      });
      // The user may have left it, or taken it from the list, while the progress was put away.
      if (host.state === "idle") throw new Cancelled();
    }
    await this.remembered.add(address);
    return host;
  }

  /** Ends the helper there, and its captures. */
  async disconnect(address: HostAddress): Promise<void> {
    await this.find(address)?.stop();
  }

  /** Disconnects, and removes the host from the list. */
  async forget(address: HostAddress): Promise<void> {
    await this.disconnect(address);
    await this.remembered.remove(address);
  }

  /** Ends the helpers of all hosts, and their captures. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((host) => host.stop()));
  }

  dispose(): void {
    this.#changed.dispose();
    this.remembered.dispose();
    this.#askpass?.then(
      (server) => server.close(),
      () => {},
    );
  }

  #host(address: HostAddress): RemoteHost {
    const known = this.find(address);
    if (known !== undefined) return known;
    const { context, log } = this.activation;
    const host = new RemoteHost(address, context, log, () => this.#asking());
    this.#hosts.set(addressKey(address), host);
    host.onDidChangeState(() => {
      this.#changed.fire();
    });
    return host;
  }

  #asking(): Promise<AskpassServer> {
    mayBeStarted(this.activation.context.asAbsolutePath("media/ssh-askpass.sh"));
    this.#askpass ??= AskpassServer.listening(answerOf).catch((error: unknown) => {
      // The next connection tries again.
      this.#askpass = undefined;
      throw error;
    });
    return this.#askpass;
  }
}

/** Some archivers lose the bit; where it cannot be restored, ssh reports that it cannot prompt. */
function mayBeStarted(program: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    try {
      chmodSync(program, 0o755);
    } catch {
      // The extension's folder belongs to another user.
    }
  }
}

/** Prompts the user; the typed answer goes to ssh, and nowhere else. */
async function answerOf({ text, kind }: SshQuestion, over: AbortSignal): Promise<string | undefined> {
  const { l10n } = vscode;
  const shown = plainText(text, MAX_QUESTION);
  if (kind === "none") {
    void showInformationMessage(shown);
    return "";
  }
  if (kind === "confirm") return (await isConfirmed(l10n.t("Prompt of ssh"), l10n.t("Yes"), shown)) ? "yes" : "no";
  const asking = new vscode.CancellationTokenSource();
  over.addEventListener("abort", () => asking.cancel());
  try {
    return await showInputBox(
      {
        title: l10n.t("Prompt of ssh"),
        prompt: shown,
        isSecret: true,
        ignoreFocusOut: true,
        validate: () => undefined,
      },
      asking.token,
    );
  } finally {
    asking.dispose();
  }
}

function progressText({ step, sentBytes = 0, ofBytes = 0 }: HostProgress, way: string): string {
  const { l10n } = vscode;
  if (step === "connecting") return l10n.t("waiting for {0}", way);
  if (step === "starting") return l10n.t("starting the helper");
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  return l10n.t("sending the helper, {0} of {1} MB", megabytes(sentBytes), megabytes(ofBytes));
}
