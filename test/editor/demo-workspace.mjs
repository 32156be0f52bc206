// A demo project as a workspace of its own.
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../scripts/project.mjs";

/**
 * A copy, to be edited. The line tables of the Erlang VM name `demo/src/...`.
 * @param {import("../../scripts/demo-programs.mjs").DemoProgram["project"]} [project]
 * @returns {string} the folder to open
 */
export function demoWorkspace(project = "demo") {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-shop-"));
  cpSync(join(ROOT, project), join(folder, project), { recursive: true });
  return folder;
}
