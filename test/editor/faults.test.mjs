// What goes wrong, in a real VS Code: each time the user is told what happened, and what was captured is kept.
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { repeatCapture } from "../../bench/large-capture.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { ROOT, VSIX } from "../../scripts/project.mjs";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { startEditor, webview } from "./editor.mjs";
import { flameCanvas, shownSamples } from "./flame-page.mjs";
import { childrenOf, endOfFile } from "./processes.mjs";
import { sourcePane } from "./source-pane.mjs";
import { stepOf } from "./step.mjs";
import { until } from "./until.mjs";
import { attachFromPicker, captureStatus, closeMessages, lensOf, message, openFile, openPath, pickerRow } from "./workbench.mjs";

const FIXTURES = join(ROOT, "test/unit/capture/fixtures");
const MANY_STACKS = 500_000;
const LARGE_PATIENCE_MS = 60_000;
const RESPONSE_LIMIT_MS = 3_000;

/** A workspace with the demo's sources, all but one file. */
function newWorkspace() {
  const workspace = mkdtempSync(join(tmpdir(), "extrospect-shop-"));
  cpSync(join(ROOT, "demo"), join(workspace, "demo"), { recursive: true });
  rmSync(join(workspace, "demo/src/demo_stock.erl"));
  mkdirSync(join(workspace, "files"));
  return workspace;
}

describe("faults in the workbench", () => {
  /** @type {Awaited<ReturnType<typeof startDemo>>} */
  let demo;
  /** @type {import("./editor.mjs").Editor} */
  let editor;
  const workspace = newWorkspace();
  const step = stepOf(() => editor);

  before(async () => {
    for (const name of ["go-cpu.pb.gz", "demo.pb.gz"]) copyFileSync(join(FIXTURES, name), join(workspace, "files", name));
    const capture = readFileSync(join(FIXTURES, "demo.pb.gz"));
    writeFileSync(join(workspace, "files/cut.pb.gz"), capture.subarray(0, 1_000));
    writeFileSync(join(workspace, "files/text.pb.gz"), "This is no profile <b>at all</b>.");
    demo = await startDemo();
    editor = await startEditor({ folder: workspace, vsix: VSIX, settings: { "extrospect.capture.frequencyHz": 199 } });
  });
  after(async () => {
    await editor?.stop();
    await demo?.stop();
    rmSync(workspace, { recursive: true, force: true });
  });

  step("a profile of another program opens as flame graph and table", async () => {
    const { page } = editor;
    await openPath(editor, "files/go-cpu.pb.gz");
    await flameCanvas(webview(page)).waitFor();
    await editor.screenshot("foreign-flame");
    await editor.command("Extrospect: Show the Hot Functions");
    const rows = webview(page).locator("[role=grid] .grid-body .grid-row");
    await rows.first().waitFor();
    assert.match((await rows.allInnerTexts()).join("\n"), /main\.|runtime\./);
    await editor.screenshot("foreign-top");
    await editor.command("View: Close All Editors");
  });

  for (const [name, why] of /** @type {const} */ ([["cut", /.+/], ["text", /.+/]])) {
    step(`a file that is no whole capture (${name}) has a page that says why`, async () => {
      const { page } = editor;
      await openPath(editor, `files/${name}.pb.gz`);
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
    await openPath(editor, "files/demo.pb.gz");
    await flameCanvas(webview(page)).waitFor();
    await editor.command("Extrospect: Show the Hot Functions");
    await webview(page).locator("vscode-textfield input").first().fill("demo_stock:take");
    await webview(page).locator(".grid-body .grid-row", { hasText: "demo_stock:take/1" }).locator(".place").click();
    await message(editor, /The source of demo_stock is not in this workspace\. The VM says it is demo\/src\/demo_stock\.erl\./).waitFor();
    await editor.screenshot("no-source");
    await closeMessages(editor);
    await editor.command("View: Close All Editors");
  });

  step("a flame graph that was hidden while the capture grew comes back with what was captured meanwhile", async () => {
    const { page } = editor;
    await openFile(editor, "demo_pricing.erl");
    await attachFromPicker(editor, demo.pid);
    await lensOf(editor, "demo_pricing:best_price/2");
    await editor.command("Extrospect: Show the Flame Graph");
    await flameCanvas(webview(page)).waitFor();
    const before = await shownSamples(webview(page));
    await openFile(editor, "demo_pricing.erl");
    await page.locator("iframe.webview.ready >> visible=true").waitFor({ state: "detached" });
    const hiddenMs = Date.now();
    const captured = () => captureStatus(editor).innerText().then((text) => Number(/([\d,]+) samples/.exec(text)?.[1]?.replaceAll(",", "")));
    await until("more samples", async () => Date.now() > hiddenMs + 2_000 && (await captured()) > before + 200);
    const meanwhile = await captured();
    await page.locator(".tab", { hasText: "Flame Graph" }).click();
    await until("current data", async () => (await shownSamples(webview(page))) >= meanwhile);
  });

  step("the helper is killed: what was captured is kept, a message says so, and the capture starts again", async () => {
    await openFile(editor, "demo_pricing.erl");
    const [helper] = childrenOf(editor.serverPid, "serve --stdio");
    assert.ok(helper);
    process.kill(helper, "SIGKILL");
    const said = message(editor, "The helper went away during the capture of demo");
    await said.waitFor();
    assert.match(await said.innerText(), /SIGKILL[\s\S]*The [\d,]+ samples captured so far are kept/);
    await editor.screenshot("helper-killed");
    await lensOf(editor, "demo_pricing:best_price/2");
    const [name = ""] = readdirSync(join(workspace, "captures"));
    assert.ok(readUnfinishedProfile(join(workspace, "captures", name)).samples.length > 100);
    await said.getByRole("button", { name: "Restart the Capture" }).or(said.locator("a", { hasText: "Restart the Capture" })).first().click();
    await captureStatus(editor).locator(".codicon-record").waitFor();
    assert.equal(readdirSync(join(workspace, "captures")).length, 2);
    await openPath(editor, `captures/${name}`);
    await flameCanvas(webview(editor.page)).waitFor();
    await editor.command("View: Close Editor");
  });

  step("the VM ends: a message says so, the capture is whole, the lenses stay", async () => {
    await openFile(editor, "demo_pricing.erl");
    await until("some samples", async () => /[1-9]\d{2,} samples|,\d+ samples/.test(await captureStatus(editor).innerText()));
    await demo.stop();
    const said = message(editor, "demo went away");
    await said.waitFor();
    assert.match(await said.innerText(), /The [\d,]+ samples captured so far are kept/);
    await editor.screenshot("vm-gone");
    await lensOf(editor, "demo_pricing:best_price/2");
    const files = readdirSync(join(workspace, "captures"));
    for (const file of files.slice(-1)) assert.ok(readProfile(join(workspace, "captures", file)).samples.length > 50);
    await closeMessages(editor);
  });

  step("a capture of 500,000 different stacks opens, and the editor answers", async () => {
    const { page } = editor;
    const { members, stacks } = repeatCapture(readFileSync(join(FIXTURES, "demo.pb.gz")), { samples: MANY_STACKS * 1.2, variety: 1 });
    assert.ok(stacks >= MANY_STACKS, `${String(stacks)} stacks`);
    writeFileSync(join(workspace, "files/large.pb.gz"), Buffer.concat(members));
    await openFile(editor, "demo_pricing.erl");
    await openPath(editor, "files/large.pb.gz");
    const openedMs = performance.now();
    await flameCanvas(webview(page)).waitFor({ timeout: LARGE_PATIENCE_MS });
    await until("all samples", async () => (await shownSamples(webview(page))) >= MANY_STACKS * 1.2, LARGE_PATIENCE_MS);
    console.log(`${String(stacks)} stacks, ${(endOfFile(join(workspace, "files/large.pb.gz")) / 1e6).toFixed(1)} MB: open after ${(performance.now() - openedMs).toFixed(0)} ms`);
    await editor.screenshot("large");
    const askedMs = performance.now();
    await page.keyboard.press("Control+1");
    await openFile(editor, "demo_catalog.erl");
    await until("lenses of the large capture", async () => (await sourcePane(page)).lenses.length > 0);
    const tookMs = performance.now() - askedMs;
    console.log(`then a file with its lenses after ${tookMs.toFixed(0)} ms`);
    assert.ok(tookMs < RESPONSE_LIMIT_MS, `${tookMs.toFixed(0)} ms`);
  });
});

describe("without trust or permission", () => {
  /** @type {import("./editor.mjs").Editor} */
  let editor;
  /** @type {Awaited<ReturnType<typeof startDemo>>} */
  let demo;
  const workspace = newWorkspace();
  const step = stepOf(() => editor);
  before(async () => {
    copyFileSync(join(FIXTURES, "demo.pb.gz"), join(workspace, "files/demo.pb.gz"));
    demo = await startDemo();
  });
  after(async () => {
    await editor?.stop();
    await demo?.stop();
    rmSync(workspace, { recursive: true, force: true });
  });

  test("the workspace is not trusted", async () => {
    editor = await startEditor({ folder: workspace, vsix: VSIX, trust: false, settings: { "security.workspace.trust.startupPrompt": "never" } });
  });

  step("attaching is refused, and a button leads to the trust", async () => {
    await editor.command("Extrospect: Attach to a VM");
    const said = message(editor, "Attaching needs a trusted workspace");
    await said.waitFor();
    await editor.screenshot("untrusted");
    assert.deepEqual(childrenOf(editor.serverPid, "serve --stdio"), []);
    await said.locator("a", { hasText: "Manage Trust" }).first().click();
    await editor.page.locator(".tab.active", { hasText: "Workspace Trust" }).waitFor();
  });

  step("a capture opens all the same", async () => {
    await openPath(editor, "files/demo.pb.gz");
    await flameCanvas(webview(editor.page)).waitFor();
    await openFile(editor, "demo_pricing.erl");
    await lensOf(editor, "demo_pricing:best_price/2");
    await editor.stop();
  });

  test("an editor that may not look into other processes", async () => {
    // Its own files it may read wherever they are, also in root's home, so it stays the same user.
    const powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"];
    editor = await startEditor({ folder: workspace, vsix: VSIX, as: powerless });
  });

  step("says why and what to do", async () => {
    await editor.command("Extrospect: Attach to a VM");
    const row = pickerRow(editor, String(demo.pid));
    await row.waitFor();
    await editor.screenshot("no-permission-picker");
    await row.click();
    const said = message(editor, /permission|may not|not permitted|another user/i);
    await said.waitFor();
    await editor.screenshot("no-permission");
    await said.locator("a", { hasText: "Copy" }).first().click();
    await until("the command", async () => /setcap|sysctl/.test(await editor.page.evaluate(() => navigator.clipboard.readText())));
  });
});
