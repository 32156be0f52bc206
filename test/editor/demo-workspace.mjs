// The demo project as a workspace of its own.
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../scripts/project.mjs";

/** A copy, to be edited. The line tables of its VM name `demo/src/...`. @returns {string} the folder to open */
export function demoWorkspace() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-shop-"));
  cpSync(join(ROOT, "demo"), join(folder, "demo"), { recursive: true });
  return folder;
}
