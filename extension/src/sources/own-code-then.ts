// Which functions of a capture were the user's own code when it was taken, by the files of that time. No vscode in here.

import { declaration, originOf, originOfRuled, type ModuleOrigin, type NamesakeFile } from "./finding/code-origin.js";
import { isInstalled } from "./finding/install-folders.js";
import { placeKey, sourceBaseName, type ModulePlace } from "./finding/module-file.js";
import type { PlaceGroup } from "./mapping/capture-places.js";
import { decidingPlaces, ownFunctions } from "./own-functions.js";
import type { FolderThen } from "./source-navigator.js";

/** Texts that are read at a time. */
const AT_A_TIME = 8;

export interface OwnCodeRules {
  /** Whether a file is none of the user's, by its path below the folder of the workspace. */
  isIgnored(path: string): boolean;
  /** Where rules about paths say that a reported file is: absolute paths. None: it is not here. Undefined: they say nothing. */
  ruledFiles(reported: string): readonly string[] | undefined;
  /** The VM's command line. */
  readonly command: string;
}

export async function ownFunctionsThen(
  groups: readonly PlaceGroup[],
  folders: readonly FolderThen[],
  rules: OwnCodeRules,
): Promise<number[]> {
  const modules = new Map<string, ModuleOrigin>();
  const places = decidingPlaces(groups);
  for (let at = 0; at < places.length; at += AT_A_TIME) {
    await Promise.all(
      places.slice(at, at + AT_A_TIME).map(async (place) => {
        modules.set(placeKey(place), await moduleOrigin(place, folders, rules));
      }),
    );
  }
  return ownFunctions(groups, modules, new Map());
}

async function moduleOrigin(
  place: ModulePlace,
  folders: readonly FolderThen[],
  rules: OwnCodeRules,
): Promise<ModuleOrigin> {
  const files = (await Promise.all(folders.map((folder) => namesakes(place, folder, rules)))).flat();
  const ruled = rules.ruledFiles(place.file);
  const led = files.filter(({ path, declares }) => ruled?.includes(path) === true && declares !== false);
  // A rule that leads to no file of that time may be of another one: files move.
  return ruled?.length === 0 || led.length > 0 ? originOfRuled(place, led) : originOf(place, files);
}

function namesakes(
  place: ModulePlace,
  { workspaceFolder, files }: FolderThen,
  { isIgnored, command }: OwnCodeRules,
): Promise<NamesakeFile[]> {
  return Promise.all(
    files.named(sourceBaseName(place)).map(async (below) => {
      const path = `${workspaceFolder}/${below}`;
      const isOwn = !isIgnored(below) && !isInstalled({ path, workspaceFolder }, command);
      const text = await files.text(below);
      return {
        path,
        workspaceFolder,
        isOwn,
        declares: text === undefined ? undefined : declaration(path, text, place),
      };
    }),
  );
}
