// From attaching to reopening a capture, in a real VS Code with the VSIX installed, on the running demo.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { ROOT, VSIX } from "../../scripts/project.mjs";
import { startEditor } from "./editor.mjs";
import { headLine, sourcePane } from "./source-pane.mjs";
import { until } from "./until.mjs";
import { captureStatus, lensFigures, lensOf, openFile, pickerRow } from "./workbench.mjs";

const FIRST_LENS_LIMIT_MS = 3_000;
const PRICING = "demo/src/demo_pricing.erl";

describe("the workbench", () => {
  /** @type {Awaited<ReturnType<typeof startDemo>>} */
  let demo;
  /** @type {import("./editor.mjs").Editor} */
  let editor;
  const workspace = mkdtempSync(join(tmpdir(), "extrospect-shop-"));
  const textOf = (/** @type {string} */ file) => readFileSync(join(workspace, file), "utf8");

  before(async () => {
    cpSync(join(ROOT, "demo"), join(workspace, "demo"), { recursive: true });
    demo = await startDemo();
    editor = await startEditor({ folder: workspace, vsix: VSIX, settings: { "extrospect.capture.frequencyHz": 499, "extrospect.codeLens.minimumPercent": 0.1 } });
    // All of a file in sight.
    await editor.page.setViewportSize({ width: 1600, height: 1400 });
  });
  after(async () => {
    await editor?.stop();
    await demo?.stop();
    rmSync(workspace, { recursive: true, force: true });
  });

  /** A test that shows what was to be seen when it failed. @param {string} name @param {() => Promise<void>} run */
  const step = (name, run) =>
    test(name, async () => {
      try {
        await run();
      } catch (error) {
        await editor.screenshot(`failed-${name.slice(0, 60).replaceAll(/[^a-z0-9]+/gi, "-")}`).catch(() => {});
        console.log(editor.log().split("\n").slice(-40).join("\n"));
        throw error;
      }
    });

  step("attach from the picker: lenses above the right functions within seconds", async () => {
    await openFile(editor, "demo_pricing.erl");
    await editor.command("Extrospect: Attach to a VM");
    const row = pickerRow(editor, String(demo.pid));
    await row.waitFor();
    assert.match(await row.innerText(), /OTP \d+/);
    await editor.screenshot("attach-picker");
    const chosenMs = performance.now();
    await row.click();
    await until("a lens", async () => (await sourcePane(editor.page)).lenses.length > 0);
    const tookMs = performance.now() - chosenMs;
    console.log(`from choosing the VM to the first lens: ${tookMs.toFixed(0)} ms`);
    assert.ok(tookMs < FIRST_LENS_LIMIT_MS, `${tookMs.toFixed(0)} ms`);
    await captureStatus(editor).waitFor();
    const text = textOf(PRICING);
    for (const name of ["handle_call/3", "best_price/2", "redeem/2", "cheaper/2"]) {
      const lens = await lensOf(editor, `demo_pricing:${name}`, (shown) => lensFigures(shown).samples > 30);
      assert.equal(lens.line, headLine(text, name.slice(0, -2)), name);
    }
    // Each function once, however many clauses it has.
    const { lenses } = await sourcePane(editor.page);
    assert.equal(new Set(lenses.map(({ about }) => about)).size, lenses.length);
  });
});
