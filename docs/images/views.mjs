// The content of the pictures: each view brought to where it can be photographed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { flameCanvas, shownSamples } from "../../test/editor/flame-page.mjs";
import { sourcePane } from "../../test/editor/source-pane.mjs";
import { closeAllTabs, goToLine, pickerRow, webview } from "../../test/editor/workbench.mjs";
import { until } from "../../test/until.mjs";
import { AFTER, BEFORE } from "./two-versions.mjs";

/** @typedef {import("../../test/editor/editor.mjs").Editor} Editor */
/** @typedef {import("./shop-projects.mjs").ShopProject} ShopProject */

/** How long a hover must have stayed to be photographed. */
const HOVER_STAYS_MS = 1_500;
/** For parts that are drawn late: canvases, scroll bars that fade, highlights of rows. */
const SETTLE_MS = 1_500;
/** In the title bar, where the mouse brings up nothing. */
const OUT_OF_THE_WAY = { x: 200, y: 18 };

/**
 * @typedef {object} View
 * @property {string} name   of its pictures
 * @property {(scene: {editor: Editor, project: ShopProject, folder: string}) => Promise<() => Promise<boolean>>} show
 *   brings it into sight; the answer is whether the view is still the intended one
 */

/** @type {View[]} */
export const VIEWS = [
  { name: "heat", show: showHeat },
  {
    name: "hot-functions",
    show: ({ editor }) => showPanel(editor, "Show Hot Functions", (page) => page.getByRole("row").nth(3).waitFor()),
  },
  {
    name: "flame-graph",
    show: ({ editor }) =>
      showPanel(editor, "Show Flame Graph", async (page) => {
        await flameCanvas(page).waitFor();
        await until("samples in the graph", async () => (await shownSamples(page)) > 0);
      }),
  },
  {
    name: "blame",
    show: ({ editor }) => showPanel(editor, "Show Blame", (page) => page.getByRole("row").nth(3).waitFor()),
  },
];

/** The changes between two commits. @type {View} */
export const COMPARISON = {
  name: "compare",
  show: async ({ editor }) => {
    const { page } = editor;
    await startAfresh(editor);
    await hideSideBar(editor);
    await editor.command("Extrospect: Compare Captures");
    await pickerRow(editor, "Two commits").click();
    await pickerRow(editor, BEFORE).click();
    await pickerRow(editor, AFTER).click();
    await webview(page).getByRole("row").nth(3).waitFor();
    return readyWhenStill(editor);
  },
};

/** @param {{editor: Editor, project: ShopProject, folder: string}} scene */
async function showHeat({ editor, project, folder }) {
  const { page } = editor;
  await startAfresh(editor);
  // Two files need the room.
  if (project.files.length > 1) await hideSideBar(editor);
  else await editor.command("View: Show Explorer");
  for (const [index, { path, line }] of project.files.entries()) {
    if (index > 0) await editor.command("View: Split Editor Right");
    await editor.openFile(path);
    if (index > 0) await editor.command("View: Close Other Editors in Group");
    const lines = readFileSync(join(folder, path), "utf8").split("\n");
    await goToLine(editor, lines.findIndex((text) => text.trimStart().startsWith(line)) + 1);
    await until(`lenses in ${path}`, async () => (await sourcePane(page)).lenses.length > 0);
  }
  await page.keyboard.press("Home");
  const hover = page.locator(".monaco-hover:visible", { hasText: "busy samples" });
  await page.mouse.move(OUT_OF_THE_WAY.x, OUT_OF_THE_WAY.y);
  // By keys: a line under the mouse moves away when lenses come or go above it, and the hover goes with it.
  await until("a hover that stays", async () => {
    await page.keyboard.press("Control+K");
    await page.keyboard.press("Control+I");
    await hover.waitFor({ timeout: 5_000 });
    await page.waitForTimeout(HOVER_STAYS_MS);
    return hover.isVisible();
  });
  return async () => (await hover.isVisible()) && (await sourcePane(page)).lenses.length > 0;
}

/**
 * @param {Editor} editor @param {string} command
 * @param {(page: import("playwright-core").FrameLocator) => Promise<void>} whenFilled
 */
async function showPanel(editor, command, whenFilled) {
  const { page } = editor;
  await startAfresh(editor);
  await hideSideBar(editor);
  await editor.command(`Extrospect: ${command}`);
  await whenFilled(webview(page));
  return readyWhenStill(editor);
}

/** @param {Editor} editor */
async function readyWhenStill({ page }) {
  await page.mouse.move(OUT_OF_THE_WAY.x, OUT_OF_THE_WAY.y);
  await page.waitForTimeout(SETTLE_MS);
  return async () =>
    (await page.locator(".notification-toast, .quick-input-widget:visible, .workbench-hover:visible").count()) === 0;
}

/** One group of editors, and nothing in it; no messages. @param {Editor} editor */
async function startAfresh(editor) {
  await closeAllTabs(editor);
  await editor.clearNotifications();
}

/** @param {Editor} editor */
async function hideSideBar(editor) {
  const bar = editor.page.locator(".part.sidebar");
  if (!(await bar.isVisible())) return;
  await editor.command("View: Toggle Primary Side Bar Visibility");
  await bar.waitFor({ state: "hidden" });
}
