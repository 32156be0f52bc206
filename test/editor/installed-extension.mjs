// The extension as an editor has installed it from a package, once for all editors of all tests.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installExtension } from "../../scripts/editor-server.mjs";
import { editorFolder } from "../../scripts/install-editor.mjs";
import { cached, hashOf } from "../cached.mjs";
import { cacheFolder } from "../../scripts/cache-folder.mjs";

/**
 * @param {string} vsix
 * @returns {Promise<string>} a folder of extensions with it
 */
export async function withExtension(vsix) {
  assert.ok(existsSync(vsix), `${vsix} is missing: run \`npm run package\``);
  return cached(join(cacheFolder(), "installed-extensions", hashOf([editorFolder(), readFileSync(vsix)])), (folder) =>
    installExtension(vsix, folder),
  );
}
