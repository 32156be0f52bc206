// Suggested values for the placeholders of a command, from the VMs that were found on this machine. No vscode in here,
// and no runtime is queried.

import type { BeamRow } from "../../../contract/protocol.generated.js";
import { baseName } from "../text/base-name.js";
import { isPlaceholderValue, type CommandTemplate } from "./command-template.js";

export interface Suggestion {
  readonly value: string;
  /** Distinguishes it from the others: an image, a container. */
  readonly description: string;
}

type Wanted = "container" | "pod" | "namespace" | "pid";

/** Whether values can be suggested for a placeholder of this name. */
export function canBeSuggested(placeholder: string): placeholder is Wanted {
  return placeholder === "container" || placeholder === "pod" || placeholder === "namespace" || placeholder === "pid";
}

/**
 * Values for a placeholder; names of containers are hostile, and those that could not be used are left out.
 * @param chosen what the placeholders before it stand for
 */
export function suggestionsFor(
  placeholder: string,
  template: CommandTemplate,
  chosen: Readonly<Record<string, string>>,
  beams: readonly BeamRow[],
): Suggestion[] {
  if (!canBeSuggested(placeholder)) return [];
  const isPod = template.placeholders.some(({ name }) => name === "pod");
  const runtime = baseName(template.program);
  const found = new Map<string, Suggestion>();
  for (const { containerFacts: facts, container, pid } of beams) {
    // A VM that counts its processes itself is in something, whatever that is called.
    if (facts === undefined && (placeholder !== "pid" || container === null)) continue;
    const { name, namespace, pod, image = "" } = facts ?? {};
    const fits = (value: string | undefined, wanted: string | undefined) => (wanted ?? "") === "" || value === wanted;
    if (isPod && (pod === undefined || !fits(namespace, chosen["namespace"]) || !fits(pod, chosen["pod"]))) continue;
    if (
      !isPod &&
      placeholder === "container" &&
      (runtime === "docker" || runtime === "podman") &&
      facts?.runtime !== runtime
    )
      continue;
    const value = placeholder === "pid" ? String(pid) : { container: name, pod, namespace }[placeholder];
    if (value === undefined || !isPlaceholderValue(value)) continue;
    const description =
      placeholder === "pid"
        ? (container ?? "")
        : placeholder === "container"
          ? image
          : placeholder === "pod"
            ? (namespace ?? "")
            : "";
    if (!found.has(value)) found.set(value, { value, description });
  }
  return [...found.values()];
}
