// Takes the pictures of README and docs from the real thing: demo VMs, the VSIX, VS Code in a browser. As root, after `npm run package`:
// node docs/images/take-screenshots.mjs [--only NAME]...   a picture (heat-elixir-light), a view, a project or a theme
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { exitCodeOf, explain, Problem } from "../../scripts/problem.mjs";
import { ROOT, VSIX } from "../../scripts/project.mjs";
import { startEditor } from "../../test/editor/editor.mjs";
import { attach, openFile, recordedSamples } from "../../test/editor/workbench.mjs";
import { until } from "../../test/until.mjs";
import { SHOP_PROJECTS, workspaceOf } from "./shop-projects.mjs";

/** @typedef {import("../../test/editor/editor.mjs").Editor} Editor */
/** @typedef {import("./shop-projects.mjs").ShopProject} ShopProject */

const THEMES = [
  { name: "dark", label: "Default Dark Modern" },
  { name: "light", label: "Default Light Modern" },
];
const SETTINGS = {
  "extrospect.heat.lineFigures": true,
  "extrospect.capture.frequencyHz": 997,
  "window.title": "shop",
  "explorer.compactFolders": false,
  "editor.hover.above": false,
};
const VIEWPORT = { width: 1280, height: 760 };
/** So many that figures of the large functions have no `≈`. */
const ENOUGH_SAMPLES = 4_000;

/**
 * @typedef {typeof THEMES[number]} Theme   `label`: the editor's name for it
 *
 * @typedef {object} Picture
 * @property {string} name
 * @property {string[]} calledBy   the names that choose it in `--only`
 * @property {ShopProject} project
 * @property {Theme} theme
 * @property {import("./views.mjs").View} view
 */

/** Erlang and dark go without saying. @returns {Picture[]} in the order in which they are taken */
function allPictures() {
  return SHOP_PROJECTS.flatMap((project) =>
    THEMES.flatMap((theme) =>
      project.views.map((view) => {
        const name = [view.name, project.name, theme.name]
          .filter((word) => word !== "erlang" && word !== "dark")
          .join("-");
        return { name, calledBy: [name, view.name, project.name, theme.name], project, theme, view };
      }),
    ),
  );
}

/** @returns {Picture[]} */
function wantedPictures() {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true, default: [] } } });
  const pictures = allPictures();
  const unknown = values.only.find((name) => !pictures.some(({ calledBy }) => calledBy.includes(name)));
  if (unknown !== undefined)
    throw new Problem(
      `there is no picture ${unknown}`,
      pictures.map(({ name }) => name).join(", "),
      "or name a project (erlang, elixir, mixed) or a theme (dark, light)",
    );
  return values.only.length === 0
    ? pictures
    : pictures.filter(({ calledBy }) => values.only.some((name) => calledBy.includes(name)));
}

/** @param {ShopProject} project @param {Theme} theme @param {Picture[]} pictures of both */
async function takeAll(project, theme, pictures) {
  const { folder, parent } = workspaceOf(project);
  await project.prepare?.(folder);
  const demo = project.program && (await startDemo(project.program));
  /** @type {Editor | undefined} */
  let editor;
  try {
    const shown = (editor = await startEditor({
      folder,
      vsix: VSIX,
      settings: { ...SETTINGS, "workbench.colorTheme": theme.label },
      viewport: VIEWPORT,
    }));
    const [file] = project.files;
    if (file) await openFile(editor, file.path);
    if (demo) {
      await attach(editor, demo.pid);
      await until("samples enough", async () => (await recordedSamples(shown)) >= ENOUGH_SAMPLES);
      // Lenses, hovers and panels are refreshed at different moments while it runs: their figures would not agree.
      await editor.command("Extrospect: Stop Capture");
      await until("the end of the capture", async () => (await recordedSamples(shown)) === 0);
    }
    for (const picture of pictures) await take(editor, folder, picture);
  } catch (error) {
    await editor?.keepEvidence(`pictures-${project.name}-${theme.name}`);
    throw error;
  } finally {
    await editor?.stop();
    await demo?.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}

/** @param {Editor} editor @param {string} folder @param {Picture} picture */
async function take(editor, folder, { name, project, view }) {
  const path = join(ROOT, "docs/images", `${name}.png`);
  await until(`the picture ${name}`, async () => {
    const isRight = await view.show({ editor, project, folder });
    const before = await isRight();
    await editor.page.screenshot({ path });
    return before && (await isRight());
  });
  console.log(`docs/images/${name}.png`);
}

try {
  const pictures = wantedPictures();
  for (const project of SHOP_PROJECTS) {
    for (const theme of THEMES) {
      const ofBoth = pictures.filter((picture) => picture.project === project && picture.theme === theme);
      if (ofBoth.length > 0) await takeAll(project, theme, ofBoth);
    }
  }
} catch (error) {
  console.error(explain(error));
  process.exitCode = exitCodeOf(error);
}
