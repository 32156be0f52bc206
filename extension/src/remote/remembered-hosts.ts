// The hosts that are remembered, in the storage of all windows.

import * as vscode from "vscode";
import { addressKey, type HostAddress } from "./host-address.js";
import {
  dropped,
  groupsOf,
  inGroup,
  stepped,
  storable,
  storedHosts,
  withGroupRenamed,
  withHost,
  withMachine,
  withoutHost,
  type ListPlace,
  type RememberedHost,
} from "./host-list.js";

/** Hosts in their order: those of ssh as texts, others as addresses, both with the further known facts. */
const REMEMBERED = "extrospect.hosts";
const MAX_REMEMBERED = 50;

export class RememberedHosts {
  readonly #changed = new vscode.EventEmitter<void>();

  constructor(private readonly storage: vscode.Memento) {}

  readonly onDidChange = this.#changed.event;

  get all(): readonly RememberedHost[] {
    return storedHosts(this.storage.get<unknown>(REMEMBERED), MAX_REMEMBERED);
  }

  get addresses(): readonly HostAddress[] {
    return this.all.map(({ address }) => address);
  }

  get groups(): readonly string[] {
    return groupsOf(this.all);
  }

  find(address: HostAddress): RememberedHost | undefined {
    const key = addressKey(address);
    return this.all.find((host) => addressKey(host.address) === key);
  }

  add(address: HostAddress): Promise<void> {
    return this.#become(withHost(this.all, address, MAX_REMEMBERED));
  }

  remove(address: HostAddress): Promise<void> {
    return this.#become(withoutHost(this.all, address));
  }

  /** @param machine what the helper there calls it */
  sawMachine(address: HostAddress, machine: string): Promise<void> {
    return this.#become(withMachine(this.all, address, machine));
  }

  moveToGroup(address: HostAddress, group: string): Promise<void> {
    return this.#become(inGroup(this.all, address, group));
  }

  renameGroup(from: string, to: string): Promise<void> {
    return this.#become(withGroupRenamed(this.all, from, to));
  }

  step(what: ListPlace, step: -1 | 1): Promise<void> {
    return this.#become(stepped(this.all, what, step));
  }

  drop(what: ListPlace, onto: ListPlace | undefined): Promise<void> {
    return this.#become(dropped(this.all, what, onto));
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #become(hosts: readonly RememberedHost[]): Promise<void> {
    if (JSON.stringify(hosts) === JSON.stringify(this.all)) return;
    await this.storage.update(REMEMBERED, storable(hosts));
    this.#changed.fire();
  }
}
