// Files that may be the source of a module, and what their texts say of it.

import * as vscode from "vscode";
import { baselineOf } from "../drift/baseline.js";
import { readText } from "../drift/source-text.js";
import type { ReportedHead } from "../drift/text-fit.js";
import { declaresModule, mayLendCode, type ModulePlace } from "./module-file.js";
import type { SourceCandidate } from "./path-likeness.js";

/** Above that many files of one name no text is read to distinguish them. */
const MAX_TEXTS = 40;

export async function candidatesOf(
  files: readonly vscode.Uri[],
  place: ModulePlace,
): Promise<SourceCandidate<vscode.Uri>[]> {
  const reads = files.length <= MAX_TEXTS;
  return Promise.all(files.map((file) => candidateOf(file, place, reads)));
}

/** Whether a text has each function where the capture reports it, and at least one. */
export async function holds(file: vscode.Uri, heads: readonly ReportedHead[]): Promise<boolean> {
  const text = heads.length === 0 ? undefined : await readText(file);
  if (text === undefined) return false;
  const { hits, misses } = baselineOf(file.path, text, heads, "disk").fit;
  return hits > 0 && misses === 0;
}

async function candidateOf(file: vscode.Uri, place: ModulePlace, reads: boolean): Promise<SourceCandidate<vscode.Uri>> {
  const text = reads ? await readText(file) : undefined;
  return {
    file,
    path: file.path,
    relative:
      vscode.workspace.getWorkspaceFolder(file) === undefined
        ? undefined
        : vscode.workspace.asRelativePath(file, false),
    declaresModule: text === undefined ? undefined : declaresModule(file.path, text, place),
    mayMakeModule: text === undefined ? undefined : mayLendCode(text, place),
  };
}
