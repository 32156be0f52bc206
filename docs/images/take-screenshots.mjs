// Takes the README's pictures from the real thing: the demo VM, the VSIX, VS Code in a browser. Run it with `node docs/images/take-screenshots.mjs` after `npm run package`.
import { join } from "node:path";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { ROOT, VSIX } from "../../scripts/project.mjs";
import { demoWorkspace } from "../../test/editor/demo-workspace.mjs";
import { startEditor } from "../../test/editor/editor.mjs";
import { sourcePane } from "../../test/editor/source-pane.mjs";
import { attach } from "../../test/editor/workbench.mjs";
import { until } from "../../test/until.mjs";

const demo = await startDemo();
const workspace = demoWorkspace();
const editor = await startEditor({
  folder: workspace,
  vsix: VSIX,
  settings: { "extrospect.heat.lineFigures": true, "extrospect.capture.frequencyHz": 997, "window.title": "shop", "explorer.compactFolders": false },
});
const { page } = editor;
/** @param {string} name */
const shot = (name) => page.screenshot({ path: join(ROOT, "docs/images", `${name}.png`) });
const settle = () => page.waitForTimeout(2500);
try {
  await page.setViewportSize({ width: 1280, height: 760 });
  await editor.openFile("demo_reports.erl", 30);
  await attach(editor, demo.pid);
  await until("lenses", async () => (await sourcePane(page)).lenses.length >= 3);
  await page.waitForTimeout(8000);
  await page.locator(".view-line", { hasText: "group_by_day" }).locator("span span").first().hover();
  await settle();
  await shot("heat");
  await page.keyboard.press("Escape");
  await page.locator(".sidebar").first().waitFor();
  await page.keyboard.press("Control+B");
  await editor.command("Extrospect: Show the Flame Graph");
  await settle();
  await shot("flame-graph");
  await editor.command("Extrospect: Show Who Causes Native Work");
  await settle();
  await shot("blame");
  await editor.command("Extrospect: Stop the Capture");
  await settle();
} finally {
  await editor.stop();
  await demo.stop();
}
