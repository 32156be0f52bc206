// The VMs that a helper lists. On another host anything may answer in its place, so each row is one of a VM or is left out. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { BeamRow, ContainerFacts, PortProgramsUse } from "../../../contract/protocol.generated.js";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";
import { errorDataIn } from "../helper/helper-error.js";
import { withDifferences, type ListedVm } from "./target-description.js";

/** More than run on one machine, and as many as a view and a picker show at once without the editor being slow. */
export const MOST_VMS = 1000;
const LAST_PID = 2 ** 22;
/** Longer than any text of a helper's; views cut it again. */
const LONGEST_TEXT = 4000;
/** A page. */
const LONGEST_PATH = 4096;
const CONTAINER_TEXTS = ["id", "name", "image", "pod", "namespace", "podUid", "within"] as const;

/** @throws the error of the request */
export async function listedVms(helper: HelperConnection, token?: Cancellation): Promise<ListedVm[]> {
  return withDifferences(knownVms((await helper.request("extrospect/list", {}, token)).beams));
}

/** Why a node is not among them: those that cannot be attached to may have its name. */
export function noVmOfName(vms: readonly BeamRow[], name: string, l10n: Words): string {
  const unread = vms.filter(({ node, attachable }) => node === null && !attachable).length;
  return unread === 0
    ? l10n.t("No VM there has the name {0}", plainText(name))
    : l10n.t("No VM there is known to have the name {0}, and VMs whose name is not known run there", plainText(name));
}

/** Those of an answer that have the form of a row. */
export function knownVms(beams: unknown): BeamRow[] {
  if (!Array.isArray(beams)) return [];
  return (beams as readonly unknown[]).slice(0, MOST_VMS).flatMap((beam) => knownVm(beam) ?? []);
}

function knownVm(beam: unknown): BeamRow | undefined {
  if (typeof beam !== "object" || beam === null) return undefined;
  const given = beam as Record<keyof BeamRow, unknown>;
  const pid = pidIn(given.pid);
  if (pid === undefined || typeof given.attachable !== "boolean" || typeof given.command !== "string") return undefined;
  const [refusal, standstill] = [errorDataIn(given.refusal), errorDataIn(given.standstill)];
  const standstillUnknown = errorDataIn(given.standstillUnknown);
  const containerFacts = containerFactsIn(given.containerFacts);
  const pidInside = pidIn(given.pidInside);
  const portPrograms = programsIn(given.portPrograms);
  const schedulersOnline = numberIn(given.schedulersOnline);
  const workingDirectory = pathIn(given.workingDirectory);
  const user = textIn(given.user);
  return {
    pid,
    otp: textIn(given.otp),
    erts: textIn(given.erts),
    flavor: textIn(given.flavor),
    node: textIn(given.node),
    attachable: given.attachable,
    reason: textIn(given.reason),
    command: given.command.slice(0, LONGEST_TEXT),
    schedulers: numberIn(given.schedulers),
    container: textIn(given.container),
    uid: numberIn(given.uid) ?? 0,
    cpuPct: numberIn(given.cpuPct),
    ...(refusal && { refusal }),
    ...(standstill && { standstill }),
    ...(standstillUnknown && { standstillUnknown }),
    ...(containerFacts && { containerFacts }),
    ...(pidInside !== undefined && { pidInside }),
    ...(portPrograms && { portPrograms }),
    ...(schedulersOnline !== null && { schedulersOnline }),
    ...(workingDirectory !== undefined && { workingDirectory }),
    ...(user !== null && { user }),
  };
}

function containerFactsIn(facts: unknown): ContainerFacts | undefined {
  if (typeof facts !== "object" || facts === null) return undefined;
  const given = facts as Record<string, unknown>;
  const runtime = textIn(given["runtime"]);
  if (runtime === null) return undefined;
  const texts = CONTAINER_TEXTS.flatMap((name) => {
    const text = textIn(given[name]);
    return text === null ? [] : [[name, text] as const];
  });
  return { runtime, ...Object.fromEntries(texts) };
}

/** A sum of which a part is not known is not known. */
function programsIn(use: unknown): PortProgramsUse | undefined {
  if (typeof use !== "object" || use === null) return undefined;
  const given = use as Record<keyof PortProgramsUse, unknown>;
  const [processes, cpuMs, rssBytes] = [numberIn(given.processes), numberIn(given.cpuMs), numberIn(given.rssBytes)];
  return processes === null || cpuMs === null || rssBytes === null ? undefined : { processes, cpuMs, rssBytes };
}

function pidIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= LAST_PID ? value : undefined;
}

function textIn(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, LONGEST_TEXT) : null;
}

/** Whole or not at all: a part of a path would name another folder. Linux shows none of more than a page. */
function pathIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_PATH ? value : undefined;
}

function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
