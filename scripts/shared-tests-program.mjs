// Runs several test files in one process, each as a suite with the name of the file.
import { AsyncResource } from "node:async_hooks";
import { writeFileSync } from "node:fs";
import { after, before, describe } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundledFile } from "./bundle-tests.mjs";
import { ROOT } from "./project.mjs";

const [note = "", ...files] = process.argv.slice(2);
// Read when this process has died: the reports lack their ends then.
const isRunning = (/** @type {string} */ file) => writeFileSync(note, file);

after(() => isRunning(""));
// The code after an `await` belongs to the suite that was awaited, unless it runs here.
const top = new AsyncResource("top");

// One after the other: a module that two of them import is evaluated in the suite of either, and with it the tests of both.
for (const file of files) {
  const program = file.endsWith(".ts") ? bundledFile(file) : file;
  /** @type {Promise<unknown>} */
  let loaded = Promise.resolve();
  top.runInAsyncScope(() => {
    describe(file, () => {
      before(() => isRunning(file));
      return (loaded = import(pathToFileURL(join(ROOT, program)).href));
    });
  });
  // The suite reports the failure.
  await loaded.catch(() => {});
}
