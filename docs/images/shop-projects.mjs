// The projects in the pictures: a demo shop in Erlang, one in Elixir, and both in one workspace and one VM.
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ELIXIR_DEMO, ERLANG_DEMO, MIXED_DEMO } from "../../scripts/demo-programs.mjs";
import { ROOT } from "../../scripts/project.mjs";

/**
 * @typedef {object} ShopProject
 * @property {string} name      as in the names of pictures
 * @property {import("../../scripts/demo-programs.mjs").RunnableDemo} program
 * @property {Record<string, string>} folders   of this repository, by where they are in the workspace
 * @property {string[]} files   side by side in the picture of the heat; the mouse is on the last one
 * @property {string} hovered   in the last file: begins the line whose details are shown
 */

/** @type {ShopProject[]} */
export const SHOP_PROJECTS = [
  {
    name: "erlang",
    program: ERLANG_DEMO,
    folders: { ".": ERLANG_DEMO.project },
    files: ["src/demo_reports.erl"],
    hovered: "|| N <- lists:seq",
  },
  {
    name: "elixir",
    program: ELIXIR_DEMO,
    folders: { ".": ELIXIR_DEMO.project },
    files: ["apps/till/lib/till/receipt.ex"],
    hovered: "defp line(item)",
  },
  {
    name: "mixed",
    program: MIXED_DEMO,
    folders: { [ERLANG_DEMO.project]: ERLANG_DEMO.project, [ELIXIR_DEMO.project]: ELIXIR_DEMO.project },
    files: [`${ERLANG_DEMO.project}/src/demo_reports.erl`, `${ELIXIR_DEMO.project}/apps/till/lib/till/receipt.ex`],
    hovered: "defp line(item)",
  },
];

/**
 * A copy of it, in a folder with a name that can be shown.
 * @param {ShopProject} project
 * @returns {{folder: string, parent: string}} the folder to open, and the one to remove afterwards
 */
export function workspaceOf({ folders }) {
  const parent = mkdtempSync(join(tmpdir(), "extrospect-pictures-"));
  const folder = join(parent, "shop");
  for (const [name, source] of Object.entries(folders)) {
    const wanted = (/** @type {string} */ path) => dirname(path) !== join(ROOT, source) || !path.endsWith("captures");
    cpSync(join(ROOT, source), join(folder, name), { recursive: true, filter: wanted });
  }
  return { folder, parent };
}
