import type { WaitedProcess, WaitingEdge } from "../../contract/protocol.generated.js";
import { STRINGS } from "./strings.js";

/** Whether that is the connection to a node, and no process. */
export const isConnection = ({ pid, node }: Pick<WaitedProcess, "pid" | "node">): boolean =>
  node !== null && pid === node;

/** `<0.83.0> shop_db`, with the node of one that is elsewhere; `{shop_db,shop@host}` has both, and of a connection its node is all there is. */
export function processText({ pid, name, node }: WaitedProcess): string {
  if (isConnection({ pid, node })) return STRINGS.connection(pid);
  if (pid.startsWith("{")) return pid;
  return [pid, name, node].filter((part) => part !== null && part !== "").join(" ");
}

/** Who waits for one that has, or had, their request from the process that they called waits for both. The same with the lock that it has, or for which it waits first: `<0.83.0> shop_db and 2 more, with a lock on {shop, _}, to write`. */
export function targetText({
  target,
  via,
  has_or_had: hasOrHad,
  lock,
}: Pick<WaitingEdge, "target" | "via" | "has_or_had" | "lock">): string {
  const handedOn = hasOrHad === true ? STRINGS.hasOrHad : STRINGS.handedOn;
  const process = via === null ? processText(target) : handedOn(processText(target), processText(via));
  if (lock === null) return process;
  const { table, key, is_write: isWrite, holders, is_ahead: isAhead } = lock;
  const what = key === null ? STRINGS.wholeTable(table) : `{${table}, ${key}}`;
  const wanted = isWrite ? STRINGS.toWrite : STRINGS.toRead;
  if (isAhead) return STRINGS.lockAhead(process, what, wanted);
  return holders > 1
    ? STRINGS.lockOfSeveral(process, holders - 1, what, wanted)
    : STRINGS.lockOf(process, what, wanted);
}
