import type { FlameOptions } from "../../../../contract/capture-answers.js";
import type { ProfileTables } from "../tables/profile-tables.js";

/** How stacks are shortened before they become a graph. */
export type Shape = Omit<FlameOptions, "inverted" | "groupBy">;

/**
 * Functions that lend their samples to their caller: C code of the runtime and of NIFs, the JIT's shared fragments, the
 * kernel. BIFs stay, and so do functions with source in foreign profiles.
 */
export function hiddenFunctions(
  { functions, description }: ProfileTables,
  { hideNative, hideKernel }: Shape,
): Uint8Array {
  const isOwn = description?.facts.isOwn ?? false;
  return Uint8Array.from(functions.facts, ({ kind, file }) => {
    if (kind === "kernel") return Number(hideKernel);
    const isNative = kind === "native" || kind === "nif" || kind === "fragment";
    return Number(hideNative && isNative && (isOwn || file === ""));
  });
}
