// Which functions of the top table belong together: by application, as a user distinguishes them.

import type { GroupKind, TopGroup, TopRows } from "../../../../contract/messages/top.js";
import { shownName } from "../../../../contract/plain-text.js";
import type { FunctionFacts, TopRow } from "../../capture/questions.js";
import type { ShownCapture } from "../capture-panel/shown-capture.js";

export function topGroups(
  rows: readonly TopRow[],
  { capture, originOf }: Pick<ShownCapture, "capture" | "originOf">,
): Pick<TopRows, "groups" | "group"> {
  const groups: TopGroup[] = [];
  const numbers = new Map<string, number>();
  const group = Uint32Array.from(rows, ({ oneOf }) => {
    const facts = capture.functions[oneOf];
    const { kind, name } = facts === undefined ? MARKERS : groupOf(facts, originOf(oneOf));
    const key = `${kind} ${name}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, groups.length);
    return groups.push({ kind, name: shownName(name) }) - 1;
  });
  return { groups, group };
}

const MARKERS: TopGroup = { kind: "marker", name: "" };
/** The emulator, and the libraries that it is linked with. */
const EMULATOR =
  /^beam(?:\.|$)|^(?:libc|libm|libtinfo|libz|libstdc\+\+|libgcc_s|libpthread|ld-linux|ld-musl)\b|^\[vdso\]$/;

function groupOf({ kind, object }: FunctionFacts, origin: ReturnType<ShownCapture["originOf"]>): TopGroup {
  switch (kind) {
    case "erlang":
      return origin === undefined ? { kind: "library", name: "" } : { kind: origin.kind, name: origin.application };
    case "kernel":
      return { kind: "kernel", name: "" };
    case "marker":
      return MARKERS;
    case "native":
    case "nif": {
      if (origin?.kind === "own" || origin?.kind === "dependency")
        return { kind: origin.kind, name: origin.application };
      const isEmulator = object === "" || EMULATOR.test(object);
      return isEmulator ? { kind: "runtime", name: "" } : { kind: "nif" satisfies GroupKind, name: object };
    }
    default:
      return { kind: "runtime", name: "" };
  }
}
