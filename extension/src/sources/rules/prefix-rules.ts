// Rules that say where the files of a folder of another machine, or of a container, are here. No vscode in here.

import { pathParts, restBelow, type PathParts } from "./path-prefix.js";

/** Files below `prefix`, in the paths of a VM, are below `folder`; null: they are not here. */
export interface PrefixRule<Folder> {
  readonly prefix: PathParts;
  readonly folder: Folder | null;
}

/** A rule that a path falls under. */
export interface RuleMatch<Folder> {
  readonly rule: PrefixRule<Folder>;
  /** Of the path, below the rule's folder; without `.` and `..`. */
  readonly rest: readonly string[];
}

/** The rules that a path falls under, those with the longest prefix first. */
export function matchesOf<Folder>(rules: readonly PrefixRule<Folder>[], path: string): RuleMatch<Folder>[] {
  if (rules.length === 0) return [];
  const parts = pathParts(path);
  if (parts === undefined) return [];
  const matches = rules.flatMap((rule) => {
    const rest = restBelow(rule.prefix, parts);
    return rest === undefined ? [] : [{ rule, rest }];
  });
  return matches.sort((a, b) => a.rest.length - b.rest.length);
}

/** Of the rules that a path falls under only those with the longest prefix: the same one can be set for several folders of a workspace. */
export function longestMatchesOf<Folder>(rules: readonly PrefixRule<Folder>[], path: string): RuleMatch<Folder>[] {
  const matches = matchesOf(rules, path);
  return matches.filter(({ rest }) => rest.length === matches[0]?.rest.length);
}

/** Where a setting has a folder: absolute, or below the folder of the workspace that it is set for. */
export type SetFolder =
  { readonly kind: "absolute"; readonly path: string } | { readonly kind: "relative"; readonly path: string };

/** More are none that a person wrote. */
const MOST_RULES = 500;
const LONGEST_FOLDER = 4096;
const OF_WORKSPACE = /^\$\{workspaceFolder\}(?:[/\\]|$)/;

/** The rules in a setting, entry by entry: an invalid one does not affect the others. */
export function setRules(setting: Readonly<Record<string, unknown>>): PrefixRule<SetFolder>[] {
  return Object.entries(setting)
    .slice(0, MOST_RULES)
    .flatMap(([written, value]) => {
      const prefix = pathParts(written);
      const folder = value === null || value === "" ? null : typeof value === "string" ? setFolder(value) : undefined;
      return prefix === undefined || folder === undefined ? [] : [{ prefix, folder }];
    });
}

function setFolder(value: string): SetFolder | undefined {
  if (value.length > LONGEST_FOLDER || value.includes("\0")) return undefined;
  if (OF_WORKSPACE.test(value)) return { kind: "relative", path: value.replace(OF_WORKSPACE, "") };
  // Other variables are none that are filled in here, and no folder is called so.
  if (value.includes("${")) return undefined;
  return { kind: /^(?:[/\\]|[a-z]:[/\\])/i.test(value) ? "absolute" : "relative", path: value };
}
