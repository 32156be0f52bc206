// A language for the editor without a package of its texts: extensions and their pages are in it, as after the user has
// installed the language, and the workbench's own texts stay English.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const VERSION = "1.0.0";

/**
 * The list of installed languages, as the server writes it when an extension with `contributes.localizations` comes.
 * @param {string} dataFolder   of a server that is not started yet
 * @param {string} language     `de`
 * @returns {string[]} arguments of the server
 */
export function withLanguage(dataFolder, language) {
  const folder = join(dataFolder, "language-pack");
  mkdirSync(folder, { recursive: true });
  const texts = join(folder, "main.i18n.json");
  // Without a text for a key, the workbench takes its own.
  writeFileSync(texts, JSON.stringify({ version: VERSION, contents: {} }));
  const pack = {
    // Names the folder of the texts that the server merges.
    hash: `${language}-${VERSION}`,
    extensions: [{ extensionIdentifier: { id: `extrospect-tests.language-pack-${language}` }, version: VERSION }],
    translations: { vscode: texts },
    label: language,
  };
  writeFileSync(join(dataFolder, "languagepacks.json"), JSON.stringify({ [language]: pack }));
  return ["--locale", language];
}
