// What pages about a VM call it. No vscode in here.

import type { VmHead } from "../../../contract/messages/inside.js";
import { shownName } from "../../../contract/plain-text.js";
import { addressName } from "../remote/host-address.js";
import { targetName } from "../targets/target-description.js";
import type { KnownVm } from "./known-vm.js";

/** The known facts of the VM: more after the first answer. */
export function vmHead({ place: { pid, host }, target }: KnownVm): VmHead {
  const node = shownName(target?.node ?? "", 200);
  return {
    pid,
    node,
    name: node === "" ? targetName({ node: null, command: target?.command ?? "", pid }) : node,
    otp: shownName(target?.otp ?? "", 20),
    flavor: target?.flavor ?? "",
    host: host === undefined ? "" : addressName(host),
  };
}

/** In titles. */
export function vmName(vm: KnownVm): string {
  return vmHead(vm).name;
}
