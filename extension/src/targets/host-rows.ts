// The rows below hosts and groups. No vscode in here.

import { plainText } from "../../../contract/plain-text.js";
import type { DetachedRow } from "../detached/detached-rows.js";
import type { HostAddress } from "../remote/host-address.js";
import type { RememberedHost } from "../remote/host-list.js";
import { byUsefulness, type ListedVm } from "./target-description.js";

/** Commands of the view get a row as argument: they read `host`, `pid` of a VM, and `group` of a group. */
export type HostRow = GroupRow | HostItself | ContainerRow | VmRow | FarDetachedRow | FailureRow | UnlistedRow;

export interface GroupRow {
  readonly kind: "group";
  readonly group: string;
}

export interface HostItself {
  readonly kind: "host";
  readonly host: HostAddress;
}

/** A container of a host in which VMs run. */
export interface ContainerRow {
  readonly kind: "container";
  readonly host: HostAddress;
  /** Distinguishes it from the others of its host. */
  readonly id: string;
  readonly name: string;
  readonly vms: readonly VmRow[];
}

export type VmRow = ListedVm & { readonly kind: "vm"; readonly host: HostAddress };

/** A capture that continues there without the editor. */
export interface FarDetachedRow extends DetachedRow {
  readonly kind: "detached";
  readonly host: HostAddress;
}

/** In the place of the VMs that could not be listed. */
export interface FailureRow {
  readonly kind: "failure";
  readonly host: HostAddress;
  readonly why: string;
}

/** In the place of the captures that continue there, which could not be listed. */
export interface UnlistedRow {
  readonly kind: "unlisted";
  readonly host: HostAddress;
  /** With the reason. */
  readonly text: string;
}

/** Hosts of a group; without one those of none, and the groups. */
export function hostRows(hosts: readonly RememberedHost[], groups: readonly string[], group = ""): HostRow[] {
  const own = hosts
    .filter((host) => host.group === group)
    .map(({ address }): HostRow => ({ kind: "host", host: address }));
  return group === "" ? [...own, ...groups.map((name): HostRow => ({ kind: "group", group: name }))] : own;
}

/** VMs of the host itself, and containers with theirs; in both the most useful ones on top. */
export function vmRows(beams: readonly ListedVm[], host: HostAddress): HostRow[] {
  const rows: HostRow[] = [];
  const containers = new Map<string, VmRow[]>();
  for (const beam of byUsefulness(beams)) {
    const row: VmRow = { ...beam, kind: "vm", host };
    if (beam.container === null) {
      rows.push(row);
      continue;
    }
    const id = beam.containerFacts?.id ?? beam.container;
    const known = containers.get(id);
    if (known !== undefined) {
      known.push(row);
      continue;
    }
    const vms = [row];
    containers.set(id, vms);
    rows.push({ kind: "container", host, id, name: plainText(beam.container, 100), vms });
  }
  return rows;
}
