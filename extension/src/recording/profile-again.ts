// Repeats a capture: the same target, with the same settings.

import * as vscode from "vscode";
import { scanCapture } from "../capture/capture-scan.js";
import { namedCapture } from "../captures/named-capture.js";
import { showUnreadable, UnreadableCapture } from "../captures/open-capture.js";
import { COMMANDS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import type { Helper } from "../helper/helper.js";
import { HelperError } from "../helper/helper-error.js";
import { showError } from "../helper/show-error.js";
import { showWarningMessage } from "../messages/show-message.js";
import { pickTarget } from "../targets/pick-target.js";
import { fileName } from "../text/base-name.js";
import { sameTargets, settingsOf, type Repeated } from "./same-target.js";

export function registerProfileAgain({ context, log, captures }: Pick<ExtensionServices, "context" | "log" | "captures">, helper: Helper): vscode.Disposable {
  return vscode.commands.registerCommand(COMMANDS.profileAgain, async (given?: unknown, otherwise?: unknown) => {
    try {
      const uri = namedCapture(given) ?? captures.current?.uri;
      if (uri === undefined) return undefined;
      const repeated = await factsOf(uri, captures);
      const pid = await targetOf(repeated, uri, helper, context);
      return pid === undefined ? undefined : await vscode.commands.executeCommand(COMMANDS.attach, { pid, ...settingsOf(repeated), ...(typeof otherwise === "object" && otherwise) });
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
  return { target: target ?? null, quality: quality ?? null, durationMs, frequencyHz: settings?.frequencyHz ?? 0, ...(settings && { includeKernel: settings.includeKernel }) };
}

/** The one VM that it can be, else the one that the user chooses. */
async function targetOf(repeated: Repeated, uri: vscode.Uri, helper: Helper, context: vscode.ExtensionContext): Promise<number | undefined> {
  const l10n = vscode.l10n;
  if (repeated.target === null) throw new UnreadableCapture(l10n.t("{0} does not say what it was taken from", fileName(uri)), l10n.t("it is another program's"), l10n.t("Attach to a VM instead."));
  const { beams } = await helper.request("extrospect/list", {});
  const [same, ...others] = sameTargets(repeated.target, beams);
  if (same !== undefined && others.length === 0) return same.pid;
  if (same === undefined) {
    const choose = l10n.t("Choose Another VM…");
    const name = repeated.target.node === "" ? fileName(uri) : repeated.target.node;
    if ((await showWarningMessage(l10n.t("The VM of this capture ({0}) does not run here now.", name), choose)) !== choose) return undefined;
  }
  return pickTarget(helper, context, l10n.t("Profile This Again"));
}
