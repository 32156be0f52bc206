// Sources that are installed beside the VM's code: OTP's own, Elixir's, those of applications on its path.

import * as vscode from "vscode";
import { candidateFolders } from "./install-folders.js";

/** Finds files by name in the installations a VM was started from. Looks each folder up once. */
export class InstalledSources {
  readonly #listings = new Map<string, Promise<readonly string[]>>();

  /**
   * @param command of the VM, as a capture tells it; empty when unknown
   * @returns files of that name
   */
  async find(baseName: string, command: string): Promise<vscode.Uri[]> {
    const found: vscode.Uri[] = [];
    for (const { folder, isLibrary } of candidateFolders(command)) {
      if (!isLibrary) found.push(...(await this.#filesIn(folder, baseName)));
      else {
        const applications = await this.#list(folder);
        const perApplication = applications.flatMap((name) => [`${folder}/${name}/src`, `${folder}/${name}/lib`]);
        for (const sources of await Promise.all(perApplication.map((each) => this.#filesIn(each, baseName)))) found.push(...sources);
      }
    }
    return [...new Map(found.map((uri) => [uri.path, uri])).values()];
  }

  forget(): void {
    this.#listings.clear();
  }

  async #filesIn(folder: string, baseName: string): Promise<vscode.Uri[]> {
    return (await this.#list(folder)).includes(baseName) ? [vscode.Uri.file(`${folder}/${baseName}`)] : [];
  }

  #list(folder: string): Promise<readonly string[]> {
    const known = this.#listings.get(folder);
    if (known !== undefined) return known;
    const listing = Promise.resolve(vscode.workspace.fs.readDirectory(vscode.Uri.file(folder))).then(
      (entries) => entries.map(([name]) => name),
      () => [], // Most installations have no sources.
    );
    this.#listings.set(folder, listing);
    return listing;
  }
}
