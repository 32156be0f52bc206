// What sampling needs: the page of all checks, and why one VM cannot be attached to.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { COMMANDS } from "../contributions.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { showError } from "../helper/show-error.js";
import {
  showInformationMessage,
  showStatusBarMessage,
  showWarningMessage,
  withStatusBarProgress,
} from "../messages/show-message.js";
import { hostOf, pidOf } from "./attach-arguments.js";
import { targetName } from "./target-description.js";
import { addressName, type HostAddress } from "../remote/host-address.js";
import { doctorReport } from "./doctor-report.js";
import { mendingCommand } from "./mending.js";
import { refusedTarget } from "./refused-target.js";

const SCHEME = "extrospect-doctor";

/** The check to run, and its place. */
interface RequestedDoctor {
  readonly helper: HelperConnection;
  readonly pid: number | undefined;
  /** The host, when it is not this machine. */
  readonly host: HostAddress | undefined;
}

/**
 * Registers `doctor`, `explainTarget` and `copyFix`.
 * @param helperOf the helper of a host, of this machine without one
 * @param rowOf    finds the row of the view
 */
export function registerDoctor(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  helperOf: (host: HostAddress | undefined) => Promise<HelperConnection>,
  rowOf: (pid: number) => BeamRow | undefined,
): void {
  const pages = new DoctorPages();
  const guarded = (run: (requested: RequestedDoctor) => Promise<void>) => async (given?: unknown) => {
    const [pid, host] = [pidOf(given), hostOf(given)];
    try {
      await run({ helper: await helperOf(host), pid, host });
    } catch (error) {
      showError(error, log, { pid, host });
    }
  };
  context.subscriptions.push(
    pages,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, pages),
    vscode.commands.registerCommand(
      COMMANDS.doctor,
      guarded((requested) => pages.show(requested)),
    ),
    vscode.commands.registerCommand(
      COMMANDS.explainTarget,
      guarded(async (requested) => {
        if (requested.pid !== undefined)
          await explain(requested, requested.pid, requested.host === undefined ? rowOf(requested.pid) : undefined);
      }),
    ),
    vscode.commands.registerCommand(
      COMMANDS.copyFix,
      guarded(async ({ helper, pid }) => {
        const command = pid === undefined ? undefined : await mendingCommand(helper, pid);
        if (command === undefined) {
          void showInformationMessage(vscode.l10n.t("No command is known to fix it."));
          return;
        }
        await copy(command);
      }),
    ),
  );
}

async function explain({ helper, host }: RequestedDoctor, pid: number, row: BeamRow | undefined): Promise<void> {
  const l10n = vscode.l10n;
  const target = { pid, host };
  const { rows } = await withStatusBarProgress(l10n.t("Checking process {0}…", pid), () =>
    helper.request("extrospect/doctor", { pid }),
  );
  const refused = refusedTarget(row, rows, l10n);
  const name = row === undefined ? l10n.t("Process {0}", pid) : targetName(row);
  const [copyCommand, showAll] = [l10n.t("Copy Command"), l10n.t("Show All Checks")];
  if (refused === undefined) {
    const attach = l10n.t("Start Capture");
    if ((await showInformationMessage(l10n.t("Extrospect can attach to {0}.", name), attach)) === attach)
      await vscode.commands.executeCommand(COMMANDS.attach, target);
    return;
  }
  const { why, mends, command } = refused;
  const refusal = l10n.t("Extrospect cannot attach to {0}: {1}", name, plainText(why, 500));
  const text = mends === undefined ? refusal : `${refusal} — ${l10n.t("To fix: {0}", mends)}`;
  const chosen = await showWarningMessage(text, ...(command === undefined ? [] : [copyCommand]), showAll);
  if (chosen === copyCommand && command !== undefined) await copy(command);
  if (chosen === showAll) await vscode.commands.executeCommand(COMMANDS.doctor, target);
}

async function copy(command: string): Promise<void> {
  await vscode.env.clipboard.writeText(command);
  showStatusBarMessage(vscode.l10n.t("Copied: {0}", plainText(command, 100)), 5_000);
}

/** Read-only pages, one per process and one for the machine. */
class DoctorPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #texts = new Map<string, string>();

  readonly onDidChange = this.#changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? vscode.l10n.t("Run “Check Permissions and Setup” again.");
  }

  async show({ helper, pid, host }: RequestedDoctor): Promise<void> {
    const l10n = vscode.l10n;
    const here =
      pid === undefined ? l10n.t("Requirements of Sampling") : l10n.t("Requirements of Sampling Process {0}", pid);
    const title = host === undefined ? here : l10n.t("{0} on {1}", here, addressName(host));
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replaceAll("/", "_")}.txt` });
    const { rows } = await withStatusBarProgress(l10n.t("Checking the requirements of sampling…"), () =>
      helper.request("extrospect/doctor", pid === undefined ? {} : { pid }),
    );
    this.#texts.set(uri.toString(), doctorReport(rows, title, l10n));
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
