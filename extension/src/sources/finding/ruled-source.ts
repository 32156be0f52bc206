// The file that a rule about paths leads to, if it is there and can be the module's.

import * as vscode from "vscode";
import { readText } from "../drift/source-text.js";
import type { RuleUse } from "../rule-use.js";
import type { Lead, SourceRules } from "../rules/source-rules.js";
import { declaration } from "./code-origin.js";
import type { ModulePlace } from "./module-file.js";

export interface RuledSource {
  /** More than one when rules lead to different files that could all be it. */
  readonly files: readonly vscode.Uri[];
  readonly use: RuleUse;
}

/** It answers where the source is: nothing is to be guessed then. */
type DecidedSource = RuledSource & { readonly use: { readonly outcome: "found" | "notHere" } };

/**
 * @returns undefined when no rule applies. Learned rules that lead nowhere do not apply: they were made for other files
 */
export async function ruledSource(place: ModulePlace, rules: SourceRules): Promise<RuledSource | undefined> {
  const set = rules.setLeads(place.file);
  if (set.length > 0) return followed(place, set, "settings");
  const learned = rules.learnedLeads(place.file);
  const found = learned.length === 0 ? undefined : await followed(place, learned, "learned");
  return found?.use.outcome === "found" ? found : undefined;
}

export function isDecided(ruled: RuledSource | undefined): ruled is DecidedSource {
  return ruled?.use.outcome === "found" || ruled?.use.outcome === "notHere";
}

async function followed(
  place: ModulePlace,
  leads: readonly Lead[],
  origin: RuleUse["origin"],
): Promise<RuledSource | undefined> {
  const files = new Map<string, vscode.Uri>();
  const uses: RuleUse[] = [];
  for (const { prefix, to } of leads) {
    const folder = to === undefined ? "" : vscode.workspace.asRelativePath(to.folder);
    const outcome = to === undefined ? "notHere" : await outcomeOf(to.file, place);
    if (to !== undefined && outcome === "found") files.set(to.file.toString(), to.file);
    uses.push({ origin, prefix, folder, outcome });
  }
  // Of several folders of a workspace one that leads somewhere counts more than one that does not have the files.
  const use = (["found", "otherModule", "missing", "notHere"] as const)
    .map((wanted) => uses.find(({ outcome }) => outcome === wanted))
    .find((found) => found !== undefined);
  return use && { files: [...files.values()], use };
}

async function outcomeOf(file: vscode.Uri, place: ModulePlace): Promise<RuleUse["outcome"]> {
  const text = await readText(file);
  if (text === undefined) return "missing";
  return declaration(file.path, text, place) === false ? "otherModule" : "found";
}
