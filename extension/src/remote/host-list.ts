// The hosts that are remembered: in the user's order, each in one of the user's groups or in none. No vscode in here.
//
// A list is always in the order in which it is shown: hosts without a group first, then group by group. A group is no more than a name that
// hosts have, so an empty one is gone.

import { plainText } from "../../../contract/plain-text.js";
import { addressKey, addressOf, isAddress, isSsh, type HostAddress } from "./host-address.js";

export interface RememberedHost {
  readonly address: HostAddress;
  /** What the user calls the hosts that it belongs to; empty for none. */
  readonly group: string;
  /** What its captures say that the machine is called; empty before the first. */
  readonly machine: string;
}

/** The source or destination of a move: a host, or a group by its name. */
export type ListPlace = { readonly address: HostAddress } | { readonly group: string };

const LONGEST_GROUP = 60;
const LONGEST_MACHINE = 255;

/** Whether a group may be called so: something that can be read, on one line. */
export function isGroupName(text: string): boolean {
  return text !== "" && plainText(text, LONGEST_GROUP) === text;
}

/** Whether a machine may be called so; the kernel's own limit is shorter. */
export function isMachineName(text: string): boolean {
  return text !== "" && plainText(text, LONGEST_MACHINE) === text;
}

/**
 * The hosts in the stored value, which another version or program may have written; entries that make no sense are left
 * out.
 */
export function storedHosts(stored: unknown, most: number): RememberedHost[] {
  if (!Array.isArray(stored)) return [];
  const found = new Map<string, RememberedHost>();
  for (const one of stored.slice(0, most) as unknown[]) {
    const address = addressOf(one);
    if (address === undefined || !isAddress(address) || found.has(addressKey(address))) continue;
    const { group, machine } = (typeof one === "object" ? one : {}) as Partial<Record<"group" | "machine", unknown>>;
    found.set(addressKey(address), {
      address,
      group: typeof group === "string" && isGroupName(group) ? group : "",
      machine: typeof machine === "string" && isMachineName(machine) ? machine : "",
    });
  }
  return inShownOrder([...found.values()]);
}

/** The value to store; a host of ssh without further facts is a text, as it always was. */
export function storable(hosts: readonly RememberedHost[]): unknown[] {
  return hosts.map(({ address, group, machine }) =>
    isSsh(address) && group === "" && machine === ""
      ? address.ssh
      : { ...address, ...(group !== "" && { group }), ...(machine !== "" && { machine }) },
  );
}

/** Names of the groups, in their order. */
export function groupsOf(hosts: readonly RememberedHost[]): string[] {
  return [...new Set(hosts.map(({ group }) => group))].filter((group) => group !== "");
}

/** With that host: one that is there stays where it is, a new one comes first. Those that are too many go, the last without a group first. */
export function withHost(hosts: readonly RememberedHost[], address: HostAddress, most: number): RememberedHost[] {
  if (hosts.some(isOf({ address }))) return [...hosts];
  const all = [{ address, group: "", machine: "" }, ...hosts];
  while (all.length > most) {
    const last = all.findLastIndex(({ group }) => group === "");
    all.splice(last > 0 ? last : all.length - 1, 1);
  }
  return all;
}

export function withoutHost(hosts: readonly RememberedHost[], address: HostAddress): RememberedHost[] {
  return hosts.filter((host) => !isOf({ address })(host));
}

export function withMachine(hosts: readonly RememberedHost[], address: HostAddress, machine: string): RememberedHost[] {
  return hosts.map((host) => (isOf({ address })(host) && isMachineName(machine) ? { ...host, machine } : host));
}

/** That host at the end of a group; of none by an empty name. */
export function inGroup(hosts: readonly RememberedHost[], address: HostAddress, group: string): RememberedHost[] {
  const moved = hosts.find(isOf({ address }));
  if (moved === undefined || moved.group === group || (group !== "" && !isGroupName(group))) return [...hosts];
  return inShownOrder([...withoutHost(hosts, address), { ...moved, group }]);
}

/** The group by another name; when there is one of that name they become one. */
export function withGroupRenamed(hosts: readonly RememberedHost[], from: string, to: string): RememberedHost[] {
  if (from === "" || !isGroupName(to)) return [...hosts];
  return inShownOrder(hosts.map((host) => (host.group === from ? { ...host, group: to } : host)));
}

/** One place up (-1) or down (1): a host within its group, a group among groups. */
export function stepped(hosts: readonly RememberedHost[], what: ListPlace, step: -1 | 1): RememberedHost[] {
  if ("group" in what) {
    const groups = groupsOf(hosts);
    return ordered(hosts, swapped(groups, groups.indexOf(what.group), step));
  }
  const { group } = hosts.find(isOf(what)) ?? {};
  const [peers, others] = [hosts.filter((host) => host.group === group), hosts.filter((host) => host.group !== group)];
  return ordered([...swapped(peers, peers.findIndex(isOf(what)), step), ...others], groupsOf(hosts));
}

/**
 * Moved in front of another; a host that is moved onto a group goes to its end, and to the end of those without one when it is moved onto nothing.
 * @param onto where it was dropped
 */
export function dropped(
  hosts: readonly RememberedHost[],
  what: ListPlace,
  onto: ListPlace | undefined,
): RememberedHost[] {
  if ("group" in what) {
    const rest = groupsOf(hosts).filter((group) => group !== what.group);
    const before = onto === undefined ? "" : "group" in onto ? onto.group : (hosts.find(isOf(onto))?.group ?? "");
    if (before === what.group) return [...hosts];
    // Hosts without a group stand before all groups.
    const at = onto !== undefined && before === "" ? 0 : rest.indexOf(before);
    return ordered(hosts, rest.toSpliced(at < 0 ? rest.length : at, 0, what.group));
  }
  const moved = hosts.find(isOf(what));
  if (moved === undefined || (onto !== undefined && "address" in onto && isOf(onto)(moved))) return [...hosts];
  const rest = withoutHost(hosts, what.address);
  const target = onto !== undefined && "address" in onto ? rest.findIndex(isOf(onto)) : -1;
  const group = onto === undefined ? "" : "group" in onto ? onto.group : (rest[target]?.group ?? "");
  return ordered(rest.toSpliced(target < 0 ? rest.length : target, 0, { ...moved, group }), groupsOf(hosts));
}

/** The host of a row; of a group, none. */
function isOf(place: ListPlace): (host: RememberedHost) => boolean {
  const key = "address" in place ? addressKey(place.address) : undefined;
  return ({ address }) => addressKey(address) === key;
}

function swapped<T>(all: readonly T[], at: number, step: -1 | 1): T[] {
  const [one, other] = [all[at], all[at + step]];
  return one === undefined || other === undefined ? [...all] : all.with(at, other).with(at + step, one);
}

/** Groups in the order of the first host of each. */
function inShownOrder(hosts: readonly RememberedHost[]): RememberedHost[] {
  return ordered(hosts, groupsOf(hosts));
}

function ordered(hosts: readonly RememberedHost[], groups: readonly string[]): RememberedHost[] {
  return ["", ...groups].flatMap((name) => hosts.filter(({ group }) => group === name));
}
