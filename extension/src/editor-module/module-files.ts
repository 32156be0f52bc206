// Where the editor's module is in the product: beside the bundle that this is in, see scripts/build-extension.mjs.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ModuleFiles } from "./module-threads.js";

export function moduleFiles(): ModuleFiles {
  const helper = join(__dirname, "..", "helper", `${process.platform}-${process.arch}`, "extrospect");
  return {
    module: join(__dirname, "..", "editor-module", "editor-module.wasm"),
    thread: join(__dirname, "editor-module-thread.cjs"),
    helper: existsSync(helper) ? helper : undefined,
  };
}
