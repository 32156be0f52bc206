// The summary opens beside the code by itself, leads to the hottest line, and stays closed once it is closed.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { until } from "../until.mjs";
import { scene } from "./scene.mjs";
import { attach, captureInView, closeTab, cursor, openFile, recordedSamples, webview } from "./workbench.mjs";

describe("the summary of a capture", () => {
  const here = scene({ demo: true, settings: { "extrospect.openSummary": true } });
  const { step } = here;
  const tab = () => here.editor.page.locator(".tab", { hasText: /^Summary/ });

  step("it opens beside the source, and the cursor stays there", async () => {
    const { editor, demo } = here;
    await openFile(editor, "demo_pricing.erl");
    await attach(editor, demo.pid);
    await tab().waitFor();
    const page = webview(editor.page);
    await page.locator(".places li").nth(4).waitFor();
    assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /\((?:≈ )?\d+%\)/);
    assert.equal(await editor.page.locator(".editor-group-container").count(), 2);
    await editor.page.keyboard.press("Control+End");
    await until("the cursor is in the source", async () => (await cursor(editor)).line > 1);
    await until("a function in the status bar", async () =>
      /\w+:\S+\/\d+ (?:≈ )?\d+%/.test(await captureInView(editor).innerText()),
    );
    await editor.screenshot("summary-beside");
  });

  step("a line opens its source in the group of the code", async () => {
    const { editor } = here;
    const link = webview(editor.page).locator(".places .link").first();
    // The order changes while samples arrive.
    await until("the place", async () => {
      const place = await link.innerText();
      await link.click();
      return until(
        "the cursor",
        async () => {
          const { line } = await cursor(editor);
          return place.endsWith(`:${String(line)}`);
        },
        5_000,
      );
    });
    assert.equal(await editor.page.locator(".editor-group-container").count(), 2);
    assert.equal(await tab().count(), 1);
  });

  step("a step opens its view", async () => {
    const { editor } = here;
    await webview(editor.page).getByRole("button", { name: "Show All Hot Functions" }).click();
    await editor.page.locator(".tab", { hasText: /^Hot Functions/ }).waitFor();
    await closeTab(editor, "Hot Functions");
  });

  step("once it is closed, it opens by its command alone", async () => {
    const { editor, demo } = here;
    await editor.command("Extrospect: Stop Capture");
    await until("its end", async () => (await recordedSamples(editor)) === 0);
    await closeTab(editor, "Summary");
    await openFile(editor, "demo_pricing.erl");
    await attach(editor, demo.pid);
    const samples = editor.page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.recording']");
    await until("four seconds of samples", async () => /0:0[4-9]|0:[1-9]/.test(await samples.innerText()));
    assert.equal(await tab().count(), 0);
    await editor.command("Extrospect: Show Summary");
    await tab().waitFor();
  });

  step("nothing failed behind the scenes", () => {
    assert.doesNotMatch(here.editor.log(), /\[error\]/);
    return Promise.resolve();
  });
});
