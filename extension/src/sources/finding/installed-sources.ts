// Sources that are installed beside the VM's code: OTP's own, Elixir's, those of applications on its path.

import * as vscode from "vscode";
import type { InstallFolder } from "./install-folders.js";
import { RecentMap } from "./recent-map.js";

/** An installation of OTP has some 50 applications, each with two folders. */
const MOST_LISTINGS = 2000;

/** Finds files by name in installations. Looks each folder up once. */
export class InstalledSources {
  readonly #listings = new RecentMap<string, Promise<readonly string[]>>(MOST_LISTINGS);

  /** Files of that name. */
  async find(baseName: string, folders: readonly InstallFolder[]): Promise<vscode.Uri[]> {
    const found: vscode.Uri[] = [];
    for (const { folder, isLibrary } of folders) {
      if (!isLibrary) found.push(...(await this.#filesIn(folder, baseName)));
      else {
        const applications = await this.#list(folder);
        const perApplication = applications.flatMap((name) => [`${folder}/${name}/src`, `${folder}/${name}/lib`]);
        for (const sources of await Promise.all(perApplication.map((each) => this.#filesIn(each, baseName))))
          found.push(...sources);
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
    return this.#listings.get(folder, () =>
      Promise.resolve(vscode.workspace.fs.readDirectory(vscode.Uri.file(folder))).then(
        (entries) => entries.map(([name]) => name),
        () => [], // Most installations have no sources.
      ),
    );
  }
}
