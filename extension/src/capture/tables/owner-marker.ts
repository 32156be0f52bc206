// The frames that name the owner of work that a scheduler does for no process.
import type { FunctionFacts } from "../questions.js";

type Named = Pick<FunctionFacts, "kind" | "name">;

/** How the frame begins that names the port of a task: `[port tcp_inet of shop]`. */
export const PORT_MARKER = "[port ";
/** How the frame begins that names the type of resources whose destructor a scheduler calls: `[destructor of img:png]`. */
const DESTRUCTOR_MARKER = "[destructor of ";

/** Whether the frame names the port of a task. */
export function isPortMarker({ kind, name }: Named): boolean {
  return kind === "marker" && name.startsWith(PORT_MARKER);
}

/** Whether the frame stands for the Erlang function that the task of a port, or a destructor, does not have. */
export function isOwnerMarker(facts: Named): boolean {
  return isPortMarker(facts) || (facts.kind === "marker" && facts.name.startsWith(DESTRUCTOR_MARKER));
}
