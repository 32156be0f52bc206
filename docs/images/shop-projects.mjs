// The projects in the pictures: a demo shop in Erlang, one in Elixir, and both in one workspace and one VM.
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ELIXIR_DEMO, ERLANG_DEMO, MIXED_DEMO } from "../../scripts/demo-programs.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { recordTwoVersions } from "./two-versions.mjs";
import { COMPARISON, VIEWS } from "./views.mjs";

/**
 * @typedef {object} ShopProject
 * @property {string} name      as in the names of pictures
 * @property {import("../../scripts/demo-programs.mjs").RunnableDemo | null} program   that runs while the pictures are taken
 * @property {(folder: string) => Promise<void>} [prepare]   the set-up that comes first
 * @property {Record<string, string>} folders   of this repository, by where they are in the workspace
 * @property {import("./views.mjs").View[]} views
 * @property {ShownFile[]} files   side by side in the picture of the heat; of the last one's line the details are shown
 *
 * @typedef {object} ShownFile
 * @property {string} path
 * @property {string} line   how the line in the middle begins
 */

const ERLANG_FILE = { path: "src/demo_stock.erl", line: "[{Sku, Product}] = ets:lookup" };
const ELIXIR_FILE = { path: "apps/till/lib/till/receipt.ex", line: "defp line(item)" };

/** @type {ShopProject[]} */
export const SHOP_PROJECTS = [
  {
    name: "erlang",
    program: ERLANG_DEMO,
    folders: { ".": ERLANG_DEMO.project },
    files: [ERLANG_FILE],
    views: VIEWS,
  },
  {
    name: "elixir",
    program: ELIXIR_DEMO,
    folders: { ".": ELIXIR_DEMO.project },
    files: [ELIXIR_FILE],
    views: VIEWS,
  },
  {
    name: "mixed",
    program: MIXED_DEMO,
    folders: { [ERLANG_DEMO.project]: ERLANG_DEMO.project, [ELIXIR_DEMO.project]: ELIXIR_DEMO.project },
    files: [
      { ...ERLANG_FILE, path: `${ERLANG_DEMO.project}/${ERLANG_FILE.path}` },
      { ...ELIXIR_FILE, path: `${ELIXIR_DEMO.project}/${ELIXIR_FILE.path}` },
    ],
    views: VIEWS,
  },
  {
    name: "erlang",
    program: null,
    prepare: recordTwoVersions,
    folders: { [ERLANG_DEMO.project]: ERLANG_DEMO.project },
    files: [],
    views: [COMPARISON],
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
