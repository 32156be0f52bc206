import type { WaitedProcess } from "../../contract/protocol.generated.js";
import { STRINGS } from "./strings.js";

/** Whether that is the connection to a node, and no process. */
export const isConnection = ({ pid, node }: Pick<WaitedProcess, "pid" | "node">): boolean => node !== null && pid === node;

/** `<0.83.0> shop_db`, with the node of one that is elsewhere; `{shop_db,shop@host}` has both, and of a connection its node is all there is. */
export function processText({ pid, name, node }: WaitedProcess): string {
  if (isConnection({ pid, node })) return STRINGS.connection(pid);
  if (pid.startsWith("{")) return pid;
  return [pid, name, node].filter((part) => part !== null && part !== "").join(" ");
}
