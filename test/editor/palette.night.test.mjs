// The words people type into the palette lead to the right command, in the workbench; rows of VMs start a capture.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { until } from "../until.mjs";
import { WORDS } from "./palette-words.mjs";
import { scene } from "./scene.mjs";
import { captureStatus } from "./workbench.mjs";

/** The most commands in the palette of a window without a capture. */
const MOST_COMMANDS = 25;

describe("the palette and the rows of VMs", () => {
  const here = scene({ demo: true });
  const { step } = here;
  const rows = () => here.editor.page.locator(".quick-input-list .monaco-list-row");
  const type = async (/** @type {string} */ text) => {
    const input = here.editor.page.locator(".quick-input-widget input.input");
    await until("the palette", async () => {
      if (!(await input.isVisible())) await here.editor.page.keyboard.press("F1");
      await input.fill(`>${text}`, { timeout: 2_000 });
      return true;
    });
  };
  const ours = async () =>
    (await rows().locator(".label-name").allInnerTexts()).flatMap((text) => /Extrospect: (.*)/.exec(text)?.[1] ?? []);

  step("each word that people type finds its command", async () => {
    for (const [word, expected] of WORDS) {
      await until(`“${word}” finds ${String(expected)}`, async () => {
        // The list is of the moment of typing: a window that has just opened may not know our commands yet.
        await type("");
        await type(word);
        return until(
          "it comes first",
          async () => {
            const [first = "none"] = await ours();
            return expected.test(first) || assert.fail(first);
          },
          3_000,
        );
      });
    }
    await here.editor.screenshot("palette-memory-leak");
  });

  step("a window without a capture has few commands", async () => {
    await type("Extrospect:");
    const found = await until("the whole list", async () => {
      const size = Number(await rows().last().getAttribute("aria-setsize"));
      const texts = await ours();
      return texts.length > 10 && size > 0 && size;
    });
    assert.ok(found <= MOST_COMMANDS, `${String(found)} commands: ${(await ours()).join(", ")}`);
    await here.editor.page.keyboard.press("Escape");
  });

  step("a click on a VM selects it, and the Enter key starts a capture of it", async () => {
    const { editor, demo } = here;
    await editor.showViews();
    const row = editor.row(new RegExp(`pid ${String(demo.pid)}`));
    await row.click();
    await until("it is selected", async () => (await row.getAttribute("aria-selected")) === "true");
    assert.equal(await captureStatus(editor).count(), 0);
    await editor.page.keyboard.press("Enter");
    await captureStatus(editor).waitFor();
    await editor.screenshot("targets-enter");
  });

  step("one command leads to the hottest line, and others on by heat", async () => {
    const { editor } = here;
    const shown = (/** @type {string} */ rank) =>
      editor.page.locator(".statusbar-item", { hasText: new RegExp(`Hot line ${rank} of \\d+: (?:≈ )?[\\d.]+%`) });
    const goUntilShown = (/** @type {string} */ command, /** @type {string} */ rank) =>
      until(`“${command}” leads to hot line ${rank}`, async () => {
        await editor.command(command);
        return until("it is shown", async () => (await shown(rank).count()) > 0, 3_000);
      });
    await goUntilShown("Extrospect: Go to the Hottest Line", "1");
    await editor.page.locator(".editor-group-container.active .tab.active", { hasText: /^demo_\w+\.erl/ }).waitFor();
    await editor.screenshot("hottest-line");
    // The capture goes on, so that the order of lines may have changed.
    await goUntilShown("Extrospect: Next Hot Line", "([2-9]|\\d\\d)");
    await editor.command("Extrospect: Stop Capture");
  });

  step("the button in the row of a VM starts a capture, too", async () => {
    const { editor, demo } = here;
    const status = captureStatus(editor);
    await status.locator(".codicon-check").waitFor();
    await editor.showViews();
    const running = status.locator(".codicon-record");
    await editor.rowAction(editor.row(`pid ${String(demo.pid)}`), "Start Capture", () => running.isVisible());
    await editor.command("Extrospect: Stop Capture");
    await status.locator(".codicon-check").waitFor();
    // The one of before is in view again, as the steps that follow expect.
    await editor.command("Extrospect: Close Capture");
  });

  step("the row of a VM that ended is folded away after some seconds", async () => {
    const { editor, demo } = here;
    const pid = String(demo.pid);
    await demo.stop();
    const folded = editor.row(/^\s*\d+ ended/);
    await folded.waitFor();
    await until("its own row is gone", async () => (await editor.row(`pid ${pid}`).count()) === 0);
    await editor.screenshot("targets-ended");
    await folded.locator(".monaco-tl-twistie").click();
    await editor.row(`pid ${pid}`).waitFor();
  });

  step("commands of the list of captures are in the palette while their view is in sight", async () => {
    const { editor } = here;
    /** @param {string} typed @param {string} always   in the palette @param {string} ofList @param {boolean} isInSight */
    const offered = (typed, always, ofList, isInSight) =>
      until(`“${ofList}” is ${isInSight ? "" : "not "}in the palette`, async () => {
        // The list is of the moment of typing: conditions change some time after the view has.
        await type("");
        await type(`Extrospect: ${typed}`);
        return until(
          "the list",
          async () => {
            const titles = await ours();
            return titles.includes(always) && titles.includes(ofList) === isInSight;
          },
          3_000,
        );
      });
    await editor.command("Extrospect: Close Capture");
    await editor.showViews();
    await offered("Compare", "Compare Captures…", "Compare Two Nodes…", true);
    await offered("Open Capture", "Open Capture…", "Open Captures Together", true);
    await editor.page.keyboard.press("Escape");
    await editor.command("View: Close Primary Side Bar");
    await offered("Compare", "Compare Captures…", "Compare Two Nodes…", false);
    await offered("Open Capture", "Open Capture…", "Open Captures Together", false);
    await editor.screenshot("palette-earlier-captures");
    await editor.page.keyboard.press("Escape");
  });
});
