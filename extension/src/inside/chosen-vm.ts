// The VM of a command that reads its inside: the row it was given, else one that the user picks.

import type { ActivationContext } from "../activation-context.js";
import type { Helper } from "../helper/helper.js";
import { showError } from "../helper/show-error.js";
import { addressName } from "../remote/host-address.js";
import type { Hosts } from "../remote/hosts.js";
import { hostOf, pidOf } from "../targets/attach-arguments.js";
import { pickTarget } from "../targets/pick-target.js";
import type { VmPlace } from "./inside-vm.js";

/** Helpers by machine. */
export interface Machines {
  readonly local: Helper;
  readonly hosts: Hosts;
}

/** A VM, and the helper of the machine where it runs. */
export interface ChosenVm extends VmPlace {
  readonly helper: Helper;
}

/**
 * The helper of a machine, connected.
 * @throws {HelperError} which states the remedy; {@link Cancelled}
 */
export function helperOf({ local, hosts }: Machines, host: VmPlace["host"]): Promise<Helper> {
  return host === undefined ? Promise.resolve(local) : hosts.connected(host);
}

/**
 * The VM that the arguments of a command name, else the one that the user picks.
 * @param given a row of a view, or `{ pid?, host? }`
 * @param title the purpose of the choice
 * @returns undefined when the user cancelled, or after a failure: then a message has stated the reason
 */
export async function chosenVm(
  { context, log }: ActivationContext,
  machines: Machines,
  given: unknown,
  title: string,
): Promise<ChosenVm | undefined> {
  const host = hostOf(given);
  try {
    const helper = await helperOf(machines, host);
    const heading = host === undefined ? title : `${title} (${addressName(host)})`;
    const pid = pidOf(given) ?? (await pickTarget(helper, context, heading, host));
    return pid === undefined ? undefined : { pid, host, helper };
  } catch (error) {
    showError(error, log, { pid: pidOf(given), host });
    return undefined;
  }
}
