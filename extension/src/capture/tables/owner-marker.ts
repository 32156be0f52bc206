// The frames that name the owner of work that a scheduler does for no process.
import type { FunctionFacts } from "../questions.js";

type Named = Pick<FunctionFacts, "kind" | "name">;

/** How the frame begins that names the port of a task: `[port tcp_inet of shop]`. */
export const PORT_MARKER = "[port ";
/** How the frame begins that names the type of resources whose destructor a scheduler calls: `[destructor of img:png]`. */
const DESTRUCTOR_MARKER = "[destructor of ";
/** The frame that names the cause of a search for literals that will be freed. */
const LITERALS_MARKER = "[persistent_term or purged code]";

/** Whether the frame names the port of a task. */
export function isPortMarker({ kind, name }: Named): boolean {
  return kind === "marker" && name.startsWith(PORT_MARKER);
}

/** Whether the frame stands for the Erlang function that work for no process does not have. */
export function isOwnerMarker(facts: Named): boolean {
  const { kind, name } = facts;
  return isPortMarker(facts) || (kind === "marker" && (name.startsWith(DESTRUCTOR_MARKER) || name === LITERALS_MARKER));
}
