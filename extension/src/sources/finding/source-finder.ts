// From a module to its file in the workspace, or in an installation.

import * as vscode from "vscode";
import type { OpenCapture } from "../../captures/capture-store.js";
import { fileName } from "../../text/base-name.js";
import type { ReportedHead } from "../drift/text-fit.js";
import type { RuleUse } from "../rule-use.js";
import type { FoundRule } from "../rules/learn-rule.js";
import type { SourceRules } from "../rules/source-rules.js";
import { isElsewhere } from "./capture-home.js";
import { candidateFolders, installationId, trustedCommand, type InstallFolder } from "./install-folders.js";
import { InstalledSources } from "./installed-sources.js";
import {
  globOf,
  MOST_OTHER_ENDINGS,
  NO_SOURCES,
  placeKey,
  SOURCE_GLOB,
  sourceBaseName,
  type ModulePlace,
} from "./module-file.js";
import { NATIVE_SOURCE } from "../../text/native-source.js";
import { chooseSource, mayBeNative, mayHold, mayMake, type SourceCandidate } from "./path-likeness.js";
import { RecentMap } from "./recent-map.js";
import { isDecided, ruledSource } from "./ruled-source.js";
import { candidatesOf, holds } from "./source-candidates.js";
import type { SourcePicks } from "./source-picks.js";

export interface FoundSource {
  readonly file: vscode.Uri | undefined;
  /** Files of which none fits better than the others, so the user has to pick one. */
  readonly ambiguous: readonly vscode.Uri[];
  /** The rule about paths that had a say in it; absent when none had. */
  readonly rule?: RuleUse | undefined;
}

const MAX_FILES = 200;
/** Installations whose answers are remembered: those of the captures that are looked at in turns. */
const MOST_INSTALLATIONS = 8;
/** Modules of each: more than a large system runs. */
const MOST_MODULES = 5000;

/** Where the VM of a capture was started from: another one may have another text of the same module. */
interface Installation {
  readonly id: string;
  readonly folders: readonly InstallFolder[];
  /** In their place by rules of the settings. */
  readonly ruledFolders: readonly InstallFolder[];
  /** What the folders hold has to be shown to be what the VM runs: they are not of the machine that the capture is of. */
  readonly isElsewhere: boolean;
  readonly found: RecentMap<string, Promise<FoundSource>>;
}

/** Answers from memory until files come or go. */
export class SourceFinder implements vscode.Disposable {
  readonly #installations = new RecentMap<string, Installation>(MOST_INSTALLATIONS);
  readonly #installed = new InstalledSources();
  readonly #picks: SourcePicks;
  readonly #rules: SourceRules;
  readonly #headsOf: (opened: OpenCapture, place: ModulePlace) => readonly ReportedHead[];
  #elsewhere = new WeakMap<OpenCapture, boolean>();
  readonly #subscriptions: vscode.Disposable[] = [];
  readonly #didChange = new vscode.EventEmitter<void>();
  readonly #watched = new Set<string>();

  /** Answers may differ from those given so far. */
  readonly onDidChange = this.#didChange.event;

  /** @param headsOf what a capture reports of a module, to prove a text by */
  constructor(
    picks: SourcePicks,
    rules: SourceRules,
    headsOf: (opened: OpenCapture, place: ModulePlace) => readonly ReportedHead[],
  ) {
    this.#picks = picks;
    this.#rules = rules;
    this.#headsOf = headsOf;
    this.#subscriptions.push(
      this.#didChange,
      rules.onDidChange(() => this.forget()),
    );
  }

  /**
   * @param opened the capture that names the module; undefined when it comes from elsewhere: then only the workspace
   * and the usual installations are searched
   */
  find(place: ModulePlace, opened: OpenCapture | undefined): Promise<FoundSource> {
    this.#watch(place.file);
    const installation = this.#installationOf(opened);
    const { found } = installation;
    // A proof is one for the functions that are known so far.
    const heads = installation.isElsewhere && opened !== undefined ? this.#headsOf(opened, place) : [];
    const key = `${String(heads.length)} ${placeKey(place)}`;
    const search = found.get(key, () => this.#search(place, installation, heads));
    search.catch(() => found.drop(key, search));
    return search;
  }

  /** From now on a file is the answer for a module in captures of the same installation. @returns the rule that was learned from it for others, if any */
  async remember(
    place: ModulePlace,
    opened: OpenCapture | undefined,
    file: vscode.Uri,
  ): Promise<FoundRule | undefined> {
    await this.#picks.set(place, installationId(opened), file.toString());
    const learned = await this.#rules.learn(place.file, file);
    this.forget();
    return learned;
  }

  /** Looks everything up anew. */
  forget(): void {
    this.#installations.clear();
    this.#installed.forget();
    this.#elsewhere = new WeakMap();
    this.#didChange.fire();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #installationOf(opened: OpenCapture | undefined): Installation {
    const command = trustedCommand(opened, vscode.workspace.isTrusted);
    const named = candidateFolders(command).map((each) => ({
      isLibrary: each.isLibrary,
      ...this.#rules.foldersFor(each.folder),
    }));
    const at = (isRuled: boolean) =>
      named
        .filter((each) => each.isRuled === isRuled)
        .flatMap(({ folders, isLibrary }) => folders.map((folder) => ({ folder, isLibrary })));
    const [folders, ruledFolders] = [at(false), at(true)];
    const id = installationId(opened);
    const isFarAway = this.#isElsewhere(opened, command);
    // Of one installation only some folders may be looked at while the workspace is not trusted.
    const key = [id, ...folders.map(({ folder }) => folder), ...(isFarAway ? [opened?.uri.toString()] : [])].join("\n");
    return this.#installations.get(key, () => ({
      id,
      folders,
      ruledFolders,
      isElsewhere: isFarAway,
      found: new RecentMap(MOST_MODULES),
    }));
  }

  #isElsewhere(opened: OpenCapture | undefined, command: string): boolean {
    if (opened === undefined) return false;
    const known = this.#elsewhere.get(opened);
    if (known !== undefined) return known;
    const answer = isElsewhere(opened, command);
    this.#elsewhere.set(opened, answer);
    return answer;
  }

  async #search(place: ModulePlace, installation: Installation, heads: readonly ReportedHead[]): Promise<FoundSource> {
    const picked = this.#picks.get(place, installation.id);
    if (picked !== undefined && (await exists(vscode.Uri.parse(picked))))
      return { file: vscode.Uri.parse(picked), ambiguous: [] };
    const ruled = await ruledSource(place, this.#rules);
    if (isDecided(ruled)) {
      const [file, other] = ruled.files;
      return {
        file: other === undefined ? file : undefined,
        ambiguous: other === undefined ? [] : ruled.files,
        rule: ruled.use,
      };
    }
    return { ...(await this.#guess(place, installation, heads)), rule: ruled?.use };
  }

  async #guess(
    place: ModulePlace,
    { folders, ruledFolders, isElsewhere: needsProof }: Installation,
    heads: readonly ReportedHead[],
  ): Promise<FoundSource> {
    const name = sourceBaseName(place);
    if (name === "") return { file: undefined, ambiguous: [] };
    const files = await vscode.workspace.findFiles(`**/${globLiteral(name)}`, `{${NO_SOURCES.join(",")}}`, MAX_FILES);
    if (NATIVE_SOURCE.test(place.file)) {
      const alike = files.filter(({ path }) => mayBeNative(path, place.file));
      return choose(place, await candidatesOf(alike, place));
    }
    const candidates = await candidatesOf(files, place);
    const inWorkspace = choose(
      place,
      candidates.filter((candidate) => mayHold(place.file, candidate)),
    );
    if (isAnswer(inWorkspace)) return inWorkspace;
    const installed = choose(
      place,
      await this.#installedCandidates(place, ruledFolders, folders, needsProof ? heads : undefined),
    );
    if (isAnswer(installed) || !place.isElixir) return installed;
    // Macros make modules that no text names.
    return choose(
      place,
      candidates.filter((candidate) => mayMake(place.file, candidate)),
    );
  }

  /** @param heads what a text of the folders that no rule names has to have; undefined when they are of the machine that the capture is of */
  async #installedCandidates(
    place: ModulePlace,
    ruledFolders: readonly InstallFolder[],
    folders: readonly InstallFolder[],
    heads: readonly ReportedHead[] | undefined,
  ): Promise<SourceCandidate<vscode.Uri>[]> {
    const name = sourceBaseName(place);
    const candidatesIn = async (some: readonly InstallFolder[]) =>
      (await candidatesOf(await this.#installed.find(name, some), place)).filter((candidate) =>
        mayHold(place.file, candidate),
      );
    const ruled = await candidatesIn(ruledFolders);
    if (ruled.length > 0) return ruled;
    const candidates = await candidatesIn(folders);
    if (heads === undefined) return candidates;
    const proven = await Promise.all(candidates.map(({ file }) => holds(file, heads)));
    return candidates.filter((_, at) => proven[at]);
  }

  #watch(file: string): void {
    const glob = globOf(file);
    if (glob === undefined || this.#watched.has(glob)) return;
    if (glob !== SOURCE_GLOB && this.#watched.size > MOST_OTHER_ENDINGS) return;
    const isFirst = this.#watched.size === 0;
    this.#watched.add(glob);
    const watcher = vscode.workspace.createFileSystemWatcher(glob, false, true, false);
    const changed = (uri: vscode.Uri): void => {
      const name = fileName(uri);
      const changes = this.#installations.values().map(({ found }) => found.dropWhere((key) => key.endsWith(name)));
      if (changes.includes(true)) this.#didChange.fire();
    };
    this.#subscriptions.push(watcher, watcher.onDidCreate(changed), watcher.onDidDelete(changed));
    if (!isFirst) return;
    this.#subscriptions.push(
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.forget()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.forget()),
    );
  }
}

function choose(place: ModulePlace, candidates: readonly SourceCandidate<vscode.Uri>[]): FoundSource {
  const { best } = chooseSource(place.file, candidates);
  if (best.length > 1) return { file: undefined, ambiguous: best.map(({ file }) => file) };
  return { file: best[0]?.file, ambiguous: [] };
}

function isAnswer(found: FoundSource): boolean {
  return found.file !== undefined || found.ambiguous.length > 0;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Names of modules are free text: what a glob takes for more than itself stands for any one character. */
function globLiteral(name: string): string {
  return name.replaceAll(/[*?[\]{}!\\,]/g, "?");
}
