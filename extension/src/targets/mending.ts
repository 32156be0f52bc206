// The command that makes a target attachable.

import type { HelperConnection } from "../helper/helper-connection.js";
import { commandsOf } from "./doctor-report.js";

/** The first command the helper's check of this process names; undefined when there is none or it cannot be asked. */
export async function mendingCommand(helper: HelperConnection, pid: number): Promise<string | undefined> {
  try {
    const { rows } = await helper.request("extrospect/doctor", { pid });
    return commandsOf(rows)[0];
  } catch {
    // The check is made because something else failed. That failure is what the user is shown, not this one.
    return undefined;
  }
}
