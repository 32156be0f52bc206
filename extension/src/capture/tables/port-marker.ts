import type { FunctionFacts } from "../questions.js";

/** How the frame begins that names the port of a task: `[port tcp_inet of shop]`. */
export const PORT_MARKER = "[port ";

/** Whether the frame names the port of a task. */
export function isPortMarker({ kind, name }: Pick<FunctionFacts, "kind" | "name">): boolean {
  return kind === "marker" && name.startsWith(PORT_MARKER);
}
