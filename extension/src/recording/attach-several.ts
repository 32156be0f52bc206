// `extrospect.attachSeveral`: several VMs under one start and one stop.

import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import { HelperError, sentence } from "../helper/helper-error.js";
import type { Helper } from "../helper/helper.js";
import { showError } from "../helper/show-error.js";
import { showWarningMessage, withReportedProgress } from "../messages/show-message.js";
import type { HostAddress } from "../remote/host-address.js";
import type { Hosts } from "../remote/hosts.js";
import { attachArguments } from "../targets/attach-arguments.js";
import { pickTargets } from "../targets/pick-targets.js";
import type { Place } from "../targets/places.js";
import { targetName } from "../targets/target-description.js";
import { errorText } from "../text/error-text.js";
import type { Begin, RecordingControl, StartAnswer, StartedSession } from "./recording-control.js";
import type { RefusedMember } from "./recording-group.js";
import { wantedTargets } from "./several-arguments.js";
import { recordable } from "./recorded-types.js";
import { wantedCapture, type WantedCapture } from "./wanted-capture.js";
import type { CaptureTarget } from "./window-session.js";

interface SeveralRecorder {
  readonly control: RecordingControl;
  readonly hosts: Hosts;
}

/** More would not be told apart, and each takes memory here. */
const MOST_TARGETS = 64;
/** The rest of the refused is in the log. */
const MOST_NAMED = 3;

/** What the command answers. */
export interface SeveralAnswer {
  readonly uri: vscode.Uri;
  readonly nodes: StartedSession["members"];
  /** VMs that were not captured, with why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[];
}

/**
 * @returns the started recordings; undefined when the user cancelled or no VM could be attached to (a message has then
 * stated the reason)
 */
export async function attachSeveral(
  { log }: { readonly log: vscode.LogOutputChannel },
  local: Helper,
  { control, hosts }: SeveralRecorder,
  given: unknown,
): Promise<SeveralAnswer | undefined> {
  const l10n = vscode.l10n;
  const named = wantedTargets(given, l10n);
  const requested = attachArguments(given, l10n);
  try {
    return await control.alone(JSON.stringify(named ?? "several"), async (begin) => {
      const targets = named === undefined ? await picked(local, hosts) : await namedTargets(named, local, hosts);
      if (targets === undefined) return undefined;
      if (targets.length > MOST_TARGETS)
        throw new RangeError(l10n.t("At most {0} VMs can be captured together.", MOST_TARGETS));
      const { started, refused } = await begun(targets, wantedCapture(requested), begin);
      showRefused(refused, targets, log);
      if (started === undefined) return undefined;
      return {
        uri: started.uri,
        nodes: started.members,
        refused: refused.map(({ name, error }) => ({ name, why: errorText(error) })),
      };
    });
  } catch (error) {
    showError(error, log);
    return undefined;
  }
}

async function begun(targets: readonly CaptureTarget[], options: WantedCapture, begin: Begin): Promise<StartAnswer> {
  const { l10n } = vscode;
  const { types, ...others } = options;
  const wanted = {
    ...others,
    ...(await recordable(
      types,
      targets.map(({ helper }) => helper as Helper),
    )),
    includeKernel: options.includeKernel && (await allShowKernel(targets)),
  };
  return withReportedProgress(l10n.t("Starting the capture of {0} VMs", targets.length), (token, report) =>
    begin({ targets, wanted, isTogether: true }, token, (count) => {
      report(l10n.t("{0} of {1}", count, targets.length), (100 * count) / targets.length);
    }),
  );
}

async function picked(local: Helper, hosts: Hosts): Promise<CaptureTarget[] | undefined> {
  // A host is connected to when the user chooses it, not by opening a list.
  const far = () =>
    hosts.all
      .filter(({ state }) => state === "connected" || state === "cut")
      .map((helper): Place => ({ host: helper.address, helper }));
  const chosen = await pickTargets(() => [{ host: undefined, helper: local }, ...far()]);
  return chosen?.map(({ beam, helper, host }) => ({ pid: beam.pid, name: targetName(beam), helper, host }));
}

async function namedTargets(
  named: readonly { readonly pid: number; readonly host?: HostAddress }[],
  local: Helper,
  hosts: Hosts,
): Promise<CaptureTarget[]> {
  const targets: CaptureTarget[] = [];
  // One host after the other: each may ask for a passphrase.
  for (const { pid, host } of named)
    targets.push({ pid, name: String(pid), host, helper: host === undefined ? local : await hosts.connected(host) });
  return targets;
}

/** Frames of the kernel on some nodes only would make them look different. */
async function allShowKernel(targets: readonly CaptureTarget[]): Promise<boolean> {
  const helpers = new Set(targets.map(({ helper }) => helper as Helper));
  const capabilities = await Promise.all([...helpers].map((helper) => helper.capabilities()));
  return capabilities.every((known) => known?.kernelFrames !== false);
}

/** One message for all: the problem of each, and the remedy. */
function showRefused(
  refused: readonly RefusedMember[],
  targets: readonly CaptureTarget[],
  log: vscode.LogOutputChannel,
): void {
  const l10n = vscode.l10n;
  const [first] = refused;
  if (first === undefined) return;
  for (const { name, error } of refused)
    log.error(
      `${name} could not be attached to: ${error instanceof HelperError ? `${sentence(error.what, error.why)} ${error.fix}` : errorText(error)}`,
    );
  if (refused.length === 1) {
    const { pid, host } = targets[first.index] ?? {};
    showError(first.error, log, { pid, host });
    return;
  }
  const lines = refused
    .slice(0, MOST_NAMED)
    .map(({ name, error }) =>
      plainText(
        error instanceof HelperError ? `${name}: ${error.why} (${error.fix})` : `${name}: ${errorText(error)}`,
        300,
      ),
    );
  const more = refused.length > MOST_NAMED ? [l10n.t("and {0} more", refused.length - MOST_NAMED)] : [];
  const showLog = l10n.t("Show Log");
  void showWarningMessage(
    `${l10n.t("Extrospect could not attach to {0} of {1} VMs.", refused.length, targets.length)} ${[...lines, ...more].join("; ")}`,
    showLog,
  ).then((chosen) => {
    if (chosen === showLog) log.show(true);
  });
}
