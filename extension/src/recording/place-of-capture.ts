// On which machine the VM of a capture is to be looked for. No vscode in here.

import type { HostAddress } from "../remote/host-address.js";
import type { RememberedHost } from "../remote/host-list.js";

export interface PlaceOfCapture {
  /** It was taken on this machine, by its name; or it does not say where. */
  readonly isHere: boolean;
  /** Hosts that are called as the capture's machine is, in the user's order. */
  readonly hosts: readonly HostAddress[];
}

/**
 * A capture names its machine and not how it was reached, which is private to the user. So hosts are recognised by
 * their names in captures.
 * @param machine     the machine's name in the capture; empty when absent
 * @param thisMachine the name of this machine
 */
export function placeOfCapture(
  machine: string,
  thisMachine: string,
  remembered: readonly RememberedHost[],
): PlaceOfCapture {
  return {
    isHere: machine === "" || machine === thisMachine,
    hosts: machine === "" ? [] : remembered.filter((host) => host.machine === machine).map(({ address }) => address),
  };
}
