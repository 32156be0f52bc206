// The command that makes a target attachable.

import type { HelperConnection } from "../helper/helper-connection.js";
import { commandsOf } from "./doctor-report.js";

/**
 * The first command that the helper's check of this process names; undefined without one, or when the helper does not
 * answer.
 */
export async function mendingCommand(helper: HelperConnection, pid: number): Promise<string | undefined> {
  try {
    const { rows } = await helper.request("extrospect/doctor", { pid });
    return commandsOf(rows)[0];
  } catch {
    // The check runs after another failure. The user is shown that failure, not this one.
    return undefined;
  }
}
