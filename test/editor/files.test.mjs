// Capture files of all kinds, and a source file that is not there.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { ROOT, VSIX } from "../../scripts/project.mjs";
import { demoWorkspace } from "./demo-workspace.mjs";
import { editorSteps, startEditor } from "./editor.mjs";
import { flameCanvas } from "./flame-page.mjs";
import { openFile, webview } from "./workbench.mjs";

const FIXTURES = join(ROOT, "test/unit/capture/fixtures");
/** So little of a capture that nothing can be read. */
const CUT_BYTES = 100;

describe("files", () => {
  /** @type {import("./editor.mjs").Editor} */
  let editor;
  const workspace = demoWorkspace();
  const step = editorSteps(() => editor);

  before(async () => {
    rmSync(join(workspace, "demo/src/demo_stock.erl"));
    mkdirSync(join(workspace, "files"));
    for (const name of ["go-cpu.pb.gz", "demo.pb.gz"]) copyFileSync(join(FIXTURES, name), join(workspace, "files", name));
    writeFileSync(join(workspace, "files/cut.pb.gz"), readFileSync(join(FIXTURES, "demo.pb.gz")).subarray(0, CUT_BYTES));
    writeFileSync(join(workspace, "files/text.pb.gz"), "This is no profile <b>at all</b>.");
    editor = await startEditor({ folder: workspace, vsix: VSIX });
  });
  after(async () => {
    await editor?.stop();
    rmSync(workspace, { recursive: true, force: true });
  });

  step("a profile of another program opens as flame graph and table", async () => {
    const { page } = editor;
    await openFile(editor, "files/go-cpu.pb.gz");
    await flameCanvas(webview(page)).waitFor();
    await editor.screenshot("foreign-flame");
    await editor.command("Extrospect: Show the Hot Functions");
    const rows = webview(page).locator("[role=grid] .grid-body .grid-row");
    await rows.first().waitFor();
    assert.match((await rows.allInnerTexts()).join("\n"), /main\.|runtime\./);
    await editor.screenshot("foreign-top");
    await editor.command("View: Close All Editors");
  });

  for (const [name, why] of /** @type {const} */ ([["cut", /string table/], ["text", /no pprof profile/]])) {
    step(`a file that is no whole capture (${name}) has a page that says why`, async () => {
      const { page } = editor;
      await openFile(editor, `files/${name}.pb.gz`);
      const body = webview(page).locator("body");
      await body.getByRole("heading", { name: `${name}.pb.gz cannot be shown` }).waitFor();
      assert.match(await body.getByRole("alert").innerText(), why);
      assert.match(await body.innerText(), /must be a gzip-compressed pprof profile/);
      await editor.screenshot(`broken-${name}`);
      await editor.command("View: Close All Editors");
    });
  }

  step("a function whose file is not in the workspace: the message says so", async () => {
    const { page } = editor;
    await openFile(editor, "files/demo.pb.gz");
    await flameCanvas(webview(page)).waitFor();
    await editor.command("Extrospect: Show the Hot Functions");
    await webview(page).locator("vscode-textfield input").first().fill("demo_stock:take");
    await webview(page).locator(".grid-body .grid-row", { hasText: "demo_stock:take/1" }).locator(".place").click();
    await editor.message(/The source of demo_stock is not in this workspace\. The VM says it is demo\/src\/demo_stock\.erl\./).waitFor();
    await editor.screenshot("no-source");
    await editor.command("View: Close All Editors");
  });
});
