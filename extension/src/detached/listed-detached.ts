// The detached captures that a helper lists. No vscode in here.

import type { HelperConnection } from "../helper/helper-connection.js";
import { errorText } from "../text/error-text.js";
import { knownDetached, type KnownDetached } from "./detached-rows.js";

/** None where they cannot be listed: the VMs beside them are shown all the same. */
export async function listedDetached(
  helper: HelperConnection,
  log: { warn(message: string): void },
): Promise<KnownDetached[]> {
  try {
    return knownDetached((await helper.request("extrospect/detached/list", {})).captures);
  } catch (error) {
    log.warn(`Detached captures could not be listed: ${errorText(error)}`);
    return [];
  }
}
