// The rules about paths that hold in this window: those of the settings, and those learned from picks.

import * as vscode from "vscode";
import { SETTINGS } from "../../contributions.js";
import { setting } from "../../settings.js";
import { ruleFrom, type FoundRule } from "./learn-rule.js";
import { LearnedRules, type LearnedRule } from "./learned-rules.js";
import { folderText } from "./path-prefix.js";
import {
  longestMatchesOf,
  matchesOf,
  setRules,
  type PrefixRule,
  type RuleMatch,
  type SetFolder,
} from "./prefix-rules.js";

/** Where a rule leads a path. */
export interface Lead {
  /** As settings have it: `/app/`. */
  readonly prefix: string;
  /** Undefined when the files are not here. */
  readonly to: { readonly folder: vscode.Uri; readonly file: vscode.Uri } | undefined;
}

/** More rules than these say no more about one path. */
const MOST_LEADS = 16;

export class SourceRules implements vscode.Disposable {
  readonly #learned: LearnedRules;
  readonly #didChange = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  #set: readonly PrefixRule<vscode.Uri>[] | undefined;

  /** Paths may lead elsewhere than they did. */
  readonly onDidChange = this.#didChange.event;

  constructor(state: vscode.Memento) {
    this.#learned = new LearnedRules(state);
    const changed = () => {
      this.#set = undefined;
      this.#didChange.fire();
    };
    this.#subscriptions = [
      this.#didChange,
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`extrospect.${SETTINGS.sourcePrefixes}`)) changed();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(changed),
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
    ];
  }

  /** Of the settings: those with the longest prefix that the path falls under, one for each folder of the workspace that has it. */
  setLeads(path: string): Lead[] {
    return longestMatchesOf((this.#set ??= rulesOfSettings()), path)
      .slice(0, MOST_LEADS)
      .map(leadOf);
  }

  /** Learned ones that the path falls under, the longest prefix first. None where the settings say something. */
  learnedLeads(path: string): Lead[] {
    if (this.setLeads(path).length > 0) return [];
    const rules = this.#learned.prefixRules.map(({ prefix, folder }) => ({
      prefix,
      folder: folder === null ? null : vscode.Uri.parse(folder),
    }));
    return matchesOf(rules, path).slice(0, MOST_LEADS).map(leadOf);
  }

  /**
   * The places of a file that a VM names, by all rules, whether it exists or not: none when the settings state that it
   * is not here, undefined when no rule applies.
   */
  filesFor(path: string): readonly string[] | undefined {
    const [set, learned] = [this.setLeads(path), this.learnedLeads(path)];
    const files = [...set, ...learned].flatMap(({ to }) => (to?.file.scheme === "file" ? [to.file.fsPath] : []));
    if (files.length > 0) return files;
    return set.length > 0 && set.every(({ to }) => to === undefined) ? [] : undefined;
  }

  /**
   * The places of a folder that a VM names, by the settings: itself when no rule applies, none when they state that it
   * is not here.
   */
  foldersFor(folder: string): { readonly isRuled: boolean; readonly folders: readonly string[] } {
    const leads = this.setLeads(`${folder}/_`);
    const files = leads.flatMap(({ to }) =>
      to?.file.scheme === "file" ? [vscode.Uri.joinPath(to.file, "..").path] : [],
    );
    return leads.length === 0 ? { isRuled: false, folders: [folder] } : { isRuled: true, folders: files };
  }

  /** Learns from a file that the user picked for a path. @returns the rule; undefined when nothing new was learned */
  async learn(path: string, picked: vscode.Uri): Promise<FoundRule | undefined> {
    const leads =
      this.setLeads(path).length > 0 ||
      this.learnedLeads(path).some(({ to }) => to?.file.toString() === picked.toString());
    if (leads) return undefined;
    const rule = ruleFrom(path, picked.path, vscode.workspace.getWorkspaceFolder(picked)?.uri.path);
    if (rule === undefined) return undefined;
    const folder = picked.with({ path: rule.folder }).toString();
    const changed = await this.#learned.learn({ prefix: rule.prefix, folder });
    if (changed) this.#didChange.fire();
    return changed && this.#learned.all.some((known) => known.prefix === rule.prefix && known.folder === folder)
      ? rule
      : undefined;
  }

  get learned(): readonly LearnedRule[] {
    return this.#learned.all;
  }

  /** Those of the settings, as they count. */
  get set(): readonly { readonly prefix: string; readonly folder: vscode.Uri | undefined }[] {
    return (this.#set ??= rulesOfSettings()).map(({ prefix, folder }) => ({
      prefix: folderText(prefix),
      folder: folder ?? undefined,
    }));
  }

  async forget(prefix: string): Promise<void> {
    await this.#learned.forget(prefix);
    this.#didChange.fire();
  }

  /** @returns how many learned ones there were */
  async forgetAll(): Promise<number> {
    const count = await this.#learned.forgetAll();
    this.#didChange.fire();
    return count;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}

function leadOf({ rule, rest }: RuleMatch<vscode.Uri>): Lead {
  const prefix = folderText(rule.prefix);
  return {
    prefix,
    to: rule.folder === null ? undefined : { folder: rule.folder, file: vscode.Uri.joinPath(rule.folder, ...rest) },
  };
}

function rulesOfSettings(): PrefixRule<vscode.Uri>[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const rules = folders.length === 0 ? rulesIn(undefined) : folders.flatMap(rulesIn);
  // An absolute folder that is set for all folders of the workspace is one rule.
  return [
    ...new Map(
      rules.map((rule) => [JSON.stringify([folderText(rule.prefix), rule.folder?.toString() ?? null]), rule]),
    ).values(),
  ];
}

function rulesIn(workspaceFolder: vscode.WorkspaceFolder | undefined): PrefixRule<vscode.Uri>[] {
  return setRules(setting(SETTINGS.sourcePrefixes, workspaceFolder?.uri)).flatMap(({ prefix, folder }) => {
    const found = folder === null ? null : folderUri(folder, workspaceFolder);
    return found === undefined ? [] : [{ prefix, folder: found }];
  });
}

function folderUri(
  { kind, path }: SetFolder,
  workspaceFolder: vscode.WorkspaceFolder | undefined,
): vscode.Uri | undefined {
  if (kind === "absolute") return withoutEnd(vscode.Uri.file(path));
  return workspaceFolder === undefined
    ? undefined
    : withoutEnd(vscode.Uri.joinPath(workspaceFolder.uri, path.replaceAll("\\", "/")));
}

function withoutEnd(folder: vscode.Uri): vscode.Uri {
  return folder.path.length > 1 && folder.path.endsWith("/")
    ? folder.with({ path: folder.path.replace(/\/+$/, "") })
    : folder;
}
