// Runs several test files in one process, each as a suite with the name of the file.
import { writeFileSync } from "node:fs";
import { after, before, describe } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundledFile } from "./bundle-tests.mjs";
import { ROOT } from "./project.mjs";

const [note = "", ...files] = process.argv.slice(2);
// Read when this process has died: the reports lack their ends then.
const isRunning = (/** @type {string} */ file) => writeFileSync(note, file);

for (const file of files) {
  const program = file.endsWith(".ts") ? bundledFile(file) : file;
  describe(file, () => {
    before(() => isRunning(file));
    return import(pathToFileURL(join(ROOT, program)).href);
  });
}
after(() => isRunning(""));
