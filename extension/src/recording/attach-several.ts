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
import { pickTargets, type Place } from "../targets/pick-targets.js";
import { targetName } from "../targets/target-description.js";
import { errorText } from "../text/error-text.js";
import { endRunning } from "./end-running.js";
import type { GroupControl, GroupTarget, StartedGroup } from "./group-control.js";
import type { RecordingControl } from "./recording-control.js";
import type { RefusedMember } from "./recording-group.js";
import { wantedTargets } from "./several-arguments.js";
import { wantedCapture } from "./wanted-capture.js";

interface SeveralRecorder {
  readonly control: RecordingControl;
  readonly group: GroupControl;
  readonly hosts: Hosts;
}

/** More would not be told apart, and each takes memory here. */
const MOST_TARGETS = 64;
/** The rest of the refused is in the log. */
const MOST_NAMED = 3;

/** What the command answers. */
export interface SeveralAnswer {
  readonly uri: vscode.Uri;
  readonly nodes: StartedGroup["members"];
  /** VMs that were not captured, with why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[];
}

/** @returns what was started; undefined when the user changed their mind or none could be attached to (a message has then said why) */
export async function attachSeveral({ log }: { readonly log: vscode.LogOutputChannel }, local: Helper, { control, group, hosts }: SeveralRecorder, given: unknown): Promise<SeveralAnswer | undefined> {
  const l10n = vscode.l10n;
  const named = wantedTargets(given, l10n);
  const asked = attachArguments(given, l10n);
  try {
    if (control.phase === "attaching" || group.isStarting || !(await endRunning(control, group))) return undefined;
    const targets = named === undefined ? await picked(local, hosts, log) : await namedTargets(named, local, hosts);
    if (targets === undefined) return undefined;
    if (targets.length > MOST_TARGETS) throw new RangeError(l10n.t("At most {0} VMs can be captured together.", MOST_TARGETS));
    const options = wantedCapture(asked);
    const wanted = { ...options, includeKernel: options.includeKernel && (await allShowKernel(targets)) };
    const started = await withReportedProgress(l10n.t("Attaching to {0} VMs", targets.length), (token, report) =>
      group.start(targets, wanted, token, (count) => {
        report(l10n.t("{0} of {1}", count, targets.length), (100 * count) / targets.length);
      }),
    );
    const refused = "refused" in started ? started.refused : started;
    tellOfRefused(refused, targets, log);
    if (!("refused" in started)) return undefined;
    return { uri: started.uri, nodes: started.members, refused: refused.map(({ name, error }) => ({ name, why: errorText(error) })) };
  } catch (error) {
    showError(error, log);
    return undefined;
  }
}

async function picked(local: Helper, hosts: Hosts, log: vscode.LogOutputChannel): Promise<GroupTarget[] | undefined> {
  // A host is connected to when the user asks for that one, not by looking at a list.
  const far = hosts.all.filter(({ state }) => state === "connected").map((helper): Place => ({ host: helper.address, helper }));
  const chosen = await pickTargets([{ host: undefined, helper: local }, ...far], log);
  return chosen?.map(({ beam, helper, host }) => ({ pid: beam.pid, name: targetName(beam), helper, host }));
}

async function namedTargets(named: readonly { readonly pid: number; readonly host?: HostAddress }[], local: Helper, hosts: Hosts): Promise<GroupTarget[]> {
  const targets: GroupTarget[] = [];
  // One host after the other: each may ask for a passphrase.
  for (const { pid, host } of named) targets.push({ pid, name: String(pid), host, helper: host === undefined ? local : await hosts.connected(host) });
  return targets;
}

/** Frames of the kernel on some nodes only would make them look different. */
async function allShowKernel(targets: readonly GroupTarget[]): Promise<boolean> {
  const helpers = new Set(targets.map(({ helper }) => helper as Helper));
  const capabilities = await Promise.all([...helpers].map((helper) => helper.capabilities()));
  return capabilities.every((known) => known?.kernelFrames !== false);
}

/** One message for all: what each says, and what to do about it. */
function tellOfRefused(refused: readonly RefusedMember[], targets: readonly GroupTarget[], log: vscode.LogOutputChannel): void {
  const l10n = vscode.l10n;
  const [first] = refused;
  if (first === undefined) return;
  for (const { name, error } of refused) log.error(`${name} could not be attached to: ${error instanceof HelperError ? `${sentence(error.what, error.why)} ${error.fix}` : errorText(error)}`);
  if (refused.length === 1) {
    const { pid, host } = targets[first.index] ?? {};
    showError(first.error, log, { pid, host });
    return;
  }
  const lines = refused.slice(0, MOST_NAMED).map(({ name, error }) => plainText(error instanceof HelperError ? `${name}: ${error.why} (${error.fix})` : `${name}: ${errorText(error)}`, 300));
  const more = refused.length > MOST_NAMED ? [l10n.t("and {0} more", refused.length - MOST_NAMED)] : [];
  const showLog = l10n.t("Show Log");
  void showWarningMessage(`${l10n.t("{0} of {1} VMs could not be attached to.", refused.length, targets.length)} ${[...lines, ...more].join("; ")}`, showLog).then((chosen) => {
    if (chosen === showLog) log.show(true);
  });
}
