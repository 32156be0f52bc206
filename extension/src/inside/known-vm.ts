// The facts of a VM that need no request: enough to name it in a window that is restored, and to recognise it later.
// No vscode in here.

import type { KeptVm } from "../../../contract/messages/inside.js";
import type { BeamRow, TargetFacts } from "../../../contract/protocol.generated.js";
import { addressOf, isAddress } from "../remote/host-address.js";
import { isPid } from "../targets/attach-arguments.js";
import { commandName } from "../targets/target-description.js";
import type { VmPlace } from "./inside-vm.js";

/** A VM that is looked at, or that was in the window before this one. */
export interface KnownVm {
  readonly place: VmPlace;
  /** Undefined before the first attach. Of a VM that a page kept, the command is the name in it. */
  readonly target: (Pick<TargetFacts, "node" | "otp" | "flavor"> & Partial<Pick<TargetFacts, "command">>) | undefined;
  /** Undefined before the first attach. */
  readonly startTicks: number | undefined;
}

/** Longer than any name of a node; views cut it again. */
const LONGEST_NODE = 1000;
const LONGEST_WORD = 100;

/** The facts that a page keeps of it. A command line can contain secrets, and others can read the kept facts. */
export function keptVm({ place: { pid, host }, target, startTicks }: KnownVm): KeptVm {
  const name = (target?.node ?? "") === "" ? commandName(target?.command ?? "").slice(0, LONGEST_WORD) : "";
  return {
    pid,
    host: host ?? null,
    node: target?.node?.slice(0, LONGEST_NODE) ?? null,
    ...(name !== "" && { name }),
    otp: target?.otp ?? "",
    flavor: target?.flavor ?? "",
    startTicks: startTicks ?? null,
  };
}

/**
 * The VM that a page has kept. The editor stores that for the page, so that it may be of another version, or be made up.
 * @returns undefined when it names none
 */
export function vmOfPage(kept: unknown): KnownVm | undefined {
  if (typeof kept !== "object" || kept === null) return undefined;
  const { pid, host: givenHost, node, name, otp, flavor, startTicks } = kept as Partial<Record<keyof KeptVm, unknown>>;
  const isHere = givenHost === undefined || givenHost === null;
  const host = isHere ? undefined : addressOf(givenHost);
  // One of a host that cannot be is not taken for one of this machine.
  if (!isPid(pid) || (!isHere && (host === undefined || !isAddress(host)))) return undefined;
  const word = (text: unknown) => (typeof text === "string" ? text.slice(0, LONGEST_WORD) : "");
  return {
    place: { pid, host },
    target: {
      node: typeof node === "string" && node !== "" ? node.slice(0, LONGEST_NODE) : null,
      otp: word(otp),
      flavor: word(flavor),
      ...(word(name) !== "" && { command: word(name) }),
    },
    startTicks:
      typeof startTicks === "number" && Number.isSafeInteger(startTicks) && startTicks >= 0 ? startTicks : undefined,
  };
}

/** Whether a VM that is looked at is another process than the one of before, as far as both are known. */
export function isAnotherVm(before: KnownVm, now: KeptVm): boolean {
  if (before.place.pid !== now.pid) return true;
  return before.startTicks !== undefined && now.startTicks !== null && before.startTicks !== now.startTicks;
}

/** Where a VM of before is among those that run now. */
export interface FoundVm {
  /** It, or one of its name that was started since. */
  readonly vm?: BeamRow;
  /** When it is not there: the VM of another name that has its process id now. */
  readonly inItsPlace?: BeamRow;
}

/**
 * The name of a node may not be known from outside: then the process id alone identifies the VM, and attaching finds
 * out whether it is another one.
 */
export function foundAmong(beams: readonly BeamRow[], { place: { pid }, target }: KnownVm): FoundVm {
  const node = target?.node ?? null;
  const inItsPlace = beams.find((beam) => beam.pid === pid);
  if (inItsPlace !== undefined && (node === null || inItsPlace.node === null || inItsPlace.node === node))
    return { vm: inItsPlace };
  const vm = node === null ? undefined : beams.find((beam) => beam.node === node && beam.attachable);
  return vm !== undefined ? { vm } : inItsPlace !== undefined ? { inItsPlace } : {};
}
