import type { WaitedProcess } from "../../contract/protocol.generated.js";

/** `<0.83.0> shop_db`, with the node of one that is elsewhere. */
export function processText({ pid, name, node }: WaitedProcess): string {
  return [pid, name, node].filter((part) => part !== null && part !== "").join(" ");
}
