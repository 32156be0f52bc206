// Repeats a capture: the same target, on the machine where it was taken, with the same settings.

import { hostname } from "node:os";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { scanCapture } from "../capture/capture-scan.js";
import type { RecordedTarget } from "../capture/questions.js";
import { namedCapture } from "../captures/named-capture.js";
import { showUnreadable, UnreadableCapture } from "../captures/open-capture.js";
import { COMMANDS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import type { Helper } from "../helper/helper.js";
import { HelperError } from "../helper/helper-error.js";
import { showError } from "../helper/show-error.js";
import { showQuickPick } from "../messages/pickers.js";
import { showInformationMessage, showWarningMessage } from "../messages/show-message.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import type { Hosts } from "../remote/hosts.js";
import { pickTarget } from "../targets/pick-target.js";
import { fileName } from "../text/base-name.js";
import { placeOfCapture } from "./place-of-capture.js";
import { sameTargets, settingsOf, type Repeated } from "./same-target.js";
import { listedVms } from "../targets/listed-vms.js";

/** Where the VM is. */
interface FoundTarget {
  readonly pid: number;
  /** This machine when undefined. */
  readonly host: HostAddress | undefined;
}

export function registerProfileAgain(
  services: Pick<ExtensionServices, "context" | "log" | "captures">,
  local: Helper,
  hosts: Hosts,
): vscode.Disposable {
  const { context, log, captures } = services;
  return vscode.commands.registerCommand(COMMANDS.profileAgain, async (given?: unknown, otherwise?: unknown) => {
    try {
      const uri = namedCapture(given) ?? captures.current?.uri;
      if (uri === undefined) return undefined;
      const repeated = await factsOf(uri, captures);
      const found = await new Search(context, local, hosts, fileName(uri)).target(repeated);
      return found === undefined
        ? undefined
        : await vscode.commands.executeCommand(COMMANDS.attach, {
            ...found,
            ...settingsOf(repeated),
            ...(typeof otherwise === "object" && otherwise),
          });
    } catch (error) {
      if (error instanceof HelperError) showError(error, log);
      else showUnreadable(error, log);
      return undefined;
    }
  });
}

async function factsOf(uri: vscode.Uri, captures: ExtensionServices["captures"]): Promise<Repeated> {
  const facts = captures.get(uri)?.capture.facts;
  if (facts !== undefined) return facts;
  if (uri.scheme !== "file") return { target: null, quality: null, durationMs: 0, frequencyHz: 0 };
  const { target, quality, settings, durationMs } = await scanCapture(uri.fsPath);
  return {
    target: target ?? null,
    quality: quality ?? null,
    durationMs,
    frequencyHz: settings?.frequencyHz ?? 0,
    ...(settings && { includeKernel: settings.includeKernel }),
  };
}

/** Looks for the VM of a capture. */
class Search {
  readonly #title = vscode.l10n.t("Capture Again with These Settings");

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly local: Helper,
    private readonly hosts: Hosts,
    private readonly file: string,
  ) {}

  /** The one VM that it can be, else the one that the user chooses; undefined when they changed their mind. */
  async target({ target }: Repeated): Promise<FoundTarget | undefined> {
    const { l10n } = vscode;
    if (target === null)
      throw new UnreadableCapture(
        l10n.t("{0} does not contain its target", this.file),
        l10n.t("it is another program's"),
        l10n.t("Start a capture of another VM instead."),
      );
    const place = placeOfCapture(target.host, hostname(), this.hosts.remembered.all);
    if (!place.isHere && place.hosts.length === 0) return this.#onUnknownHost(target);
    const beams = place.isHere ? await this.#list(this.local) : [];
    // Another machine may be called as this one is.
    if (place.hosts.length > 0 && sameTargets(target, beams).length === 0) return this.#onOneOf(place.hosts, target);
    return this.#oneOf(beams, target, this.local);
  }

  async #onOneOf(addresses: readonly HostAddress[], target: RecordedTarget): Promise<FoundTarget | undefined> {
    const address = await this.#chosenHost(addresses, target);
    if (address === undefined) return undefined;
    const helper = await this.hosts.connected(address);
    return this.#oneOf(await this.#list(helper), target, helper, address);
  }

  /** Nothing connects automatically: a connection needs the user's consent. */
  async #chosenHost(
    addresses: readonly HostAddress[],
    { host: machine }: RecordedTarget,
  ): Promise<HostAddress | undefined> {
    const { l10n } = vscode;
    const connected = addresses.filter((address) => this.hosts.find(address)?.state === "connected");
    const [only, ...others] = connected.length > 0 ? connected : addresses;
    if (only === undefined || (others.length === 0 && connected.length > 0)) return only;
    const shown = plainText(machine, 100);
    if (others.length === 0) {
      const connect = l10n.t("Connect");
      const question = l10n.t(
        "This capture was taken on {0}. Connect to {1}, and capture it there again?",
        shown,
        addressName(only),
      );
      return (await showInformationMessage(question, connect)) === connect ? only : undefined;
    }
    const rows = [only, ...others].map((address) => ({ address, icon: "remote", label: addressName(address) }));
    const placeHolder = l10n.t("Several hosts have the name {0}: which one was it?", shown);
    return (await showQuickPick(rows, { title: this.#title, placeHolder }))?.address;
  }

  /** The editor has not attached to a VM there yet, or the host was forgotten since. */
  async #onUnknownHost(target: RecordedTarget): Promise<FoundTarget | undefined> {
    const { l10n } = vscode;
    const [attach, lookHere] = [l10n.t("Start Capture on Another Host…"), l10n.t("Search on This Machine")];
    const message = l10n.t(
      "This capture was taken on {0}, and none of the remembered hosts is known to be that one. Attach to the VM there: from then on it is known.",
      plainText(target.host, 100),
    );
    const chosen = await showWarningMessage(message, attach, lookHere);
    if (chosen === attach) await vscode.commands.executeCommand(COMMANDS.attachOnHost);
    return chosen === lookHere ? this.#oneOf(await this.#list(this.local), target, this.local) : undefined;
  }

  #list(helper: Helper): Promise<readonly BeamRow[]> {
    return listedVms(helper);
  }

  async #oneOf(
    beams: readonly BeamRow[],
    target: RecordedTarget,
    helper: Helper,
    host?: HostAddress,
  ): Promise<FoundTarget | undefined> {
    const { l10n } = vscode;
    const [same, ...others] = sameTargets(target, beams);
    if (same !== undefined && others.length === 0) return { pid: same.pid, host };
    if (same === undefined) {
      const choose = l10n.t("Choose Another VM…");
      const name = target.node === "" ? this.file : target.node;
      const message =
        host === undefined
          ? l10n.t("The VM of this capture ({0}) does not run here now.", name)
          : l10n.t("The VM of this capture ({0}) does not run on {1} now.", name, addressName(host));
      if ((await showWarningMessage(message, choose)) !== choose) return undefined;
    }
    const pid = await pickTarget(helper, this.context, this.#title, host);
    return pid === undefined ? undefined : { pid, host };
  }
}
