// What a user does: install the extension, attach to a VM, look at the heat, the graph, the blame, and come back to it later.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { ROOT, VSIX } from "../../scripts/project.mjs";
import { demoWorkspace } from "./demo-workspace.mjs";
import { editorSteps, eventually, PATIENCE_MS, startEditor } from "./editor.mjs";

const HOT_FILE = "demo_pricing.erl";
const FIRST_LENS_LIMIT_MS = 3_000;
const ATTEMPTS = 3;

describe("workbench", () => {
  /** @type {import("./editor.mjs").Editor} */
  let editor;
  /** @type {import("../../scripts/demo-vm.mjs").Demo} */
  let demo;
  let folder = "";
  before(async () => {
    folder = demoWorkspace();
    demo = await startDemo();
    editor = await startEditor({ folder, vsix: VSIX });
  });
  after(async () => {
    await editor?.stop();
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const step = editorSteps(() => editor);

  step("the views are there and list the VM, and nothing asks the network", async () => {
    await editor.showViews();
    await editor.row(String(demo.pid)).waitFor({ timeout: PATIENCE_MS });
    assert.equal(await editor.page.locator(".sidebar .pane-header").count(), 2);
    assert.match(await editor.page.locator(".sidebar").innerText(), /No captures in this workspace yet/);
    await editor.screenshot("targets");
    assert.deepEqual(editor.outside, []);
  });

  step("attached from the picker, lenses and marks appear where the functions are", async () => {
    await editor.openFile(`demo/src/${HOT_FILE}`);
    const tookMs = [await attach()];
    // Another program may have had the machine for itself just then: only the editor's own time counts.
    while (Math.min(...tookMs) >= FIRST_LENS_LIMIT_MS && tookMs.length < ATTEMPTS) {
      await editor.command("Extrospect: Stop the Capture");
      await editor.page.locator(".statusbar-item", { has: editor.page.locator(".codicon-check") }).first().waitFor({ timeout: PATIENCE_MS });
      await editor.command("Extrospect: Close");
      await eventually("no lens", async () => (await editor.lenses()).length === 0);
      tookMs.push(await attach());
    }
    console.log(`from attach to the first lens: ${tookMs.map((ms) => (ms / 1000).toFixed(2)).join(", ")} s`);
    assert.ok(Math.min(...tookMs) < FIRST_LENS_LIMIT_MS, `${tookMs.join(", ")} ms to the first lens`);
    await lensAbove(HOT_FILE, "best_price(");
    await eventually("marks on hot lines", async () => (await editor.markedLines()).length > 0);
    await editor.page.locator(".statusbar-item", { hasText: /\d+ samples/ }).first().waitFor({ timeout: PATIENCE_MS });
    await editor.screenshot("lenses");
  });

  step("hovering over a hot line says where its time goes", async () => {
    const [line = 0] = await editor.markedLines();
    await editor.page.locator(".view-line", { hasText: textOf(HOT_FILE, line) }).first().locator("span span").first().hover();
    const hover = editor.page.locator(".monaco-hover:visible", { hasText: /samples/ });
    await hover.first().waitFor({ timeout: PATIENCE_MS });
    await editor.screenshot("hover");
    await editor.page.keyboard.press("Escape");
  });

  step("a frame of the flame graph leads to its source line", async () => {
    await editor.command("Extrospect: Show the Flame Graph");
    const graph = await editor.webview(".pane:not([hidden]) canvas");
    const search = graph.getByRole("searchbox");
    await search.fill("demo_pricing:best_price");
    await eventually("a match", async () => /\d+ function/.test(await graph.locator(".search-result").innerText()));
    await search.press("Enter");
    await eventually("the frame's details", async () => /best_price/.test(await graph.locator(".details-text").innerText()));
    await editor.screenshot("flame-graph");
    const canvas = graph.locator(".pane:not([hidden]) canvas").first();
    await canvas.focus();
    await editor.page.keyboard.press("o");
    await editor.page.locator(".tab.active", { hasText: HOT_FILE }).waitFor({ timeout: PATIENCE_MS });
    const { from, to } = linesOf(HOT_FILE, "best_price(");
    const line = await eventually("the cursor in the function", async () => {
      const at = await editor.cursorLine();
      return at >= from && at <= to ? at : undefined;
    });
    assert.ok(line > 1);
  });

  step("a click on a frame with Ctrl does the same", async () => {
    await editor.tab("Flame Graph").click();
    const graph = await editor.webview(".pane:not([hidden]) canvas");
    const search = graph.getByRole("searchbox");
    await search.fill("demo_catalog:rank");
    await search.press("Enter");
    await eventually("the frame's details", async () => /rank/.test(await graph.locator(".details-text").innerText()));
    const canvas = graph.locator(".pane:not([hidden]) canvas").first();
    await canvas.focus();
    await editor.page.keyboard.press("Enter");
    // Zoomed, the frame is as wide as the graph: somewhere below the middle it is under the pointer.
    const box = await canvas.boundingBox();
    assert.ok(box);
    const y = await eventually("the frame under the pointer", async () => {
      for (let down = 8; down < box.height; down += 6) {
        await editor.page.mouse.move(box.x + box.width / 2, box.y + down);
        const tip = await graph.locator(".tooltip").innerText().catch(() => "");
        if (/demo_catalog:rank/.test(tip)) return box.y + down;
      }
      return undefined;
    });
    await editor.page.keyboard.down("Control");
    await editor.page.mouse.click(box.x + box.width / 2, y);
    await editor.page.keyboard.up("Control");
    await editor.page.locator(".tab.active", { hasText: "demo_catalog.erl" }).waitFor({ timeout: PATIENCE_MS });
    const { from, to } = linesOf("demo_catalog.erl", "rank(");
    await eventually("the cursor in the function", async () => {
      const at = await editor.cursorLine();
      return at >= from && at <= to;
    });
  });

  step("the blame panel names who copies", async () => {
    await editor.command("Extrospect: Show Who Causes Native Work");
    const panel = await editor.webview("#blame-query");
    const query = panel.locator("#blame-query");
    await query.fill("copy_struct");
    await query.press("Enter");
    await eventually("what it is about", async () => /copy_struct/.test(await panel.locator(".answer").innerText()));
    await eventually("callers in our code", async () => /demo_\w+:\w+\/\d/.test(await panel.locator("[role=treegrid]").innerText()));
    await editor.screenshot("blame");
  });

  step("stopped, the capture is listed, closes and opens again", async () => {
    await editor.command("Extrospect: Stop the Capture");
    await editor.page.locator(".statusbar-item", { hasText: /\d+ samples/ }).first().waitFor({ timeout: PATIENCE_MS });
    await editor.showViews();
    const [file = ""] = await eventually("a file", () => {
      const files = readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz"));
      return files.length > 0 ? files : undefined;
    });
    const row = editor.row(file.replace(".pb.gz", ""));
    await row.waitFor({ timeout: PATIENCE_MS });
    await editor.screenshot("captures");
    await editor.openFile(`demo/src/${HOT_FILE}`);
    await editor.command("Extrospect: Close");
    await eventually("no lens any more", async () => (await editor.lenses()).length === 0);
    await row.click();
    await editor.tab(file).waitFor({ timeout: PATIENCE_MS });
    await editor.openFile(`demo/src/${HOT_FILE}`);
    await eventually("lenses again", async () => (await editor.lenses()).length > 0);
  });

  step("lines that are inserted move the heat with the text", async () => {
    await editor.openFile(`demo/src/${HOT_FILE}`);
    await lensAbove(HOT_FILE, "best_price(");
    const marked = await eventually("marks", async () => {
      const lines = await editor.markedLines();
      return lines.length > 0 ? lines : undefined;
    });
    await editor.goToLine(1);
    await editor.page.keyboard.press("Control+Home");
    for (let line = 0; line < 3; line += 1) await editor.page.keyboard.type("%% inserted\n");
    await eventually("marks three lines below", async () => {
      const now = await editor.markedLines();
      // The last ones may have left the screen.
      return now.length > 0 && now.every((line, index) => line === (marked[index] ?? 0) + 3);
    });
    const head = linesOf(HOT_FILE, "best_price(").from + 3;
    await eventually("the lens above the moved function", async () => (await editor.lenses()).some(({ line }) => line === head));
    await editor.screenshot("edited");
  });

  step("the hot lines are walked through across files", async () => {
    await editor.page.locator(".editor-group-container.active .monaco-editor").first().click();
    const place = async () => `${await editor.page.locator(".editor-group-container.active .tab.active").first().innerText()}:${await editor.cursorLine()}`;
    const seen = new Set();
    for (let times = 0; times < 12; times += 1) {
      const before = await place();
      await editor.page.keyboard.press("Alt+F7");
      seen.add(await eventually("the next line", async () => {
        const now = await place();
        return now === before ? undefined : now;
      }));
    }
    assert.ok(seen.size > 4, [...seen].join(", "));
    assert.ok(new Set([...seen].map((place) => place.split(":")[0])).size > 1, "in more than one file");
  });

  step("nothing failed behind the scenes", async () => {
    assert.doesNotMatch(editor.log(), /\[error\]/);
    assert.deepEqual(editor.outside, []);
  });

  /** @returns milliseconds from the choice of the VM to the first lens */
  async function attach() {
    await editor.command("Extrospect: Attach to a VM");
    const row = editor.page.locator(".quick-input-list .monaco-list-row", { hasText: String(demo.pid) }).first();
    await row.waitFor({ timeout: PATIENCE_MS });
    const startedMs = performance.now();
    await row.click();
    await eventually("a lens", async () => (await editor.lenses()).length > 0);
    return performance.now() - startedMs;
  }

  /** @param {string} file @param {string} head */
  async function lensAbove(file, head) {
    const { from } = linesOf(file, head);
    await editor.goToLine(from);
    const lens = await eventually(`a lens above line ${from}`, async () => (await editor.lenses()).find(({ line }) => line === from));
    assert.match(lens.text, /\d+\.\d% self · \d+\.\d% total · [\d,]+ samples/);
  }
});

/** @param {string} file @param {number} line */
function textOf(file, line) {
  const text = readFileSync(join(ROOT, "demo/src", file), "utf8").split("\n")[line - 1]?.trim() ?? "";
  assert.notEqual(text, "");
  return text;
}

/** The first clause of a function up to the blank line after its last. @param {string} file @param {string} head */
function linesOf(file, head) {
  const lines = readFileSync(join(ROOT, "demo/src", file), "utf8").split("\n");
  const at = lines.findIndex((line) => line.startsWith(head));
  assert.ok(at >= 0, `${head} is in ${file}`);
  const length = lines.slice(at).findIndex((line) => line === "");
  return { from: at + 1, to: at + length };
}
