// Where a program is.
import { accessSync, constants } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { homeFolder } from "./home-folder.mjs";

/**
 * @param {string} name
 * @param {string} [path]  list of folders as in $PATH
 * @returns {string | null} the program's full path
 */
export function findProgram(name, path = process.env.PATH ?? "") {
  // rustup puts cargo where only a new login shell looks.
  return programIn([...path.split(delimiter), join(homeFolder(), ".cargo/bin")], name);
}

/** @param {string[]} folders @param {string} name   or a path, from one of them @returns {string | null} */
export function programIn(folders, name) {
  for (const folder of folders) {
    if (!folder) continue;
    const file = resolve(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // not here
    }
  }
  return null;
}
