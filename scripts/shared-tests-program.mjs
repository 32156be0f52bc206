// Runs several test files in one process, each as a suite with the name of the file.
import { describe } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundledFile } from "./bundle-tests.mjs";
import { ROOT } from "./project.mjs";

for (const file of process.argv.slice(2)) {
  const program = file.endsWith(".ts") ? bundledFile(file) : file;
  describe(file, () => import(pathToFileURL(join(ROOT, program)).href));
}
