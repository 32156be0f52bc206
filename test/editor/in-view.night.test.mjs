// Which capture colours the sources: shown, changed, hidden and closed; how files become captures; and the work of a
// restored window.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { takenOf } from "../changed-capture.mjs";
import { until } from "../until.mjs";
import { flameCanvas } from "./flame-page.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { scene } from "./scene.mjs";
import { sourcePane } from "./source-pane.mjs";
import {
  answerFromMenu,
  captureInView,
  captureRow,
  chooseFromMenu,
  chooseRow,
  closeAllTabs,
  cursorAt,
  inputBox,
  lensesShown,
  lineNumber,
  openAsCapture,
  openFile,
  openLens,
  openMenu,
  pickerRow,
  rowOfCommand,
  saveAs,
  webview,
} from "./workbench.mjs";

const FIXTURES = join(ROOT, "test/unit/capture/fixtures");
const HOUR_S = 3600;

describe("the capture in view", () => {
  const here = scene({
    settings: { "extrospect.capture.keepAtMost": 2 },
    prepare: (folder) => {
      mkdirSync(join(folder, "captures"));
      mkdirSync(join(folder, "files"));
      copyFileSync(join(FIXTURES, "go-cpu.pb.gz"), join(folder, "files/go-cpu.pb.gz"));
      writeFileSync(join(folder, "notes.txt"), "one\ntwo\nthree\n");
      const nowS = Date.now() / 1000;
      for (const [name, ageS] of /** @type {const} */ ([
        ["older", 2 * HOUR_S],
        ["newer", HOUR_S],
      ])) {
        const file = join(folder, `captures/${name}.pb.gz`);
        const startedUnixMs = Math.round((nowS - ageS) * 1000);
        writeFileSync(file, takenOf(readFileSync(join(FIXTURES, "demo.pb.gz")), { commit: "", startedUnixMs }));
        // A checkout or a copy gives files times that are unrelated to their start.
        utimesSync(file, nowS - 3 * HOUR_S + ageS, nowS - 3 * HOUR_S + ageS);
      }
    },
  });
  const { step } = here;
  const told = (/** @type {RegExp} */ text) =>
    until(`${String(text)} in the status bar`, async () => text.test(await captureInView(here.editor).innerText()));

  step("a file of the captures folder opens as a capture by itself, and the status bar names it", async () => {
    const { editor } = here;
    await editor.showViews();
    assert.equal(await captureInView(editor).count(), 0);
    await editor.openFile("captures/newer.pb.gz");
    await flameCanvas(webview(editor.page)).waitFor();
    await told(/newer · .* · .*\d:\d\d/);
    await closeAllTabs(editor);
  });

  step("any other profile opens as a capture by the button of its tab, and by the menu of the explorer", async () => {
    const { editor } = here;
    const { page } = editor;
    await openAsCapture(editor, "files/go-cpu.pb.gz");
    await flameCanvas(webview(page)).waitFor();
    await told(/go-cpu/);
    await editor.command("Extrospect: Close Capture");
    await told(/newer/);
    // Its tab closes after that: a file that is opened before would close with it.
    await flameCanvas(webview(page)).waitFor({ state: "hidden" });
    await editor.openFile("files/go-cpu.pb.gz");
    await editor.command("Explorer: Focus on Folders View");
    await chooseFromMenu(
      editor,
      page.locator(".explorer-folders-view .monaco-list-row", { hasText: "go-cpu.pb.gz" }).first(),
      "Open as Capture",
    );
    await flameCanvas(webview(page)).waitFor();
    await told(/go-cpu/);
    await editor.command("Extrospect: Close Capture");
    // The command is of the capture in view: it has run before the tabs are gone.
    await told(/newer/);
    await closeAllTabs(editor);
  });

  step("commands go to the capture before and back, and report where there is none", async () => {
    const { editor } = here;
    await told(/newer/);
    await editor.command("Extrospect: Previous Capture");
    await told(/older/);
    await editor.command("Extrospect: Previous Capture");
    await editor.message("This is the oldest capture.").waitFor();
    await told(/older/);
    await editor.command("Extrospect: Next Capture");
    await told(/newer/);
    await editor.clearNotifications();
  });

  step("a command opens the menu of the capture in view, which leads to the one before", async () => {
    const { editor } = here;
    // No title of a command has these words.
    await rowOfCommand(editor, "Extrospect: Current Capture", "Show the summary");
    const before = pickerRow(editor, "Previous capture");
    assert.match(await before.innerText(), /older/);
    await chooseRow(before);
    await told(/older/);
    await editor.command("Extrospect: Next Capture");
    await told(/newer/);
  });

  step(
    "hot functions follow the capture in view, and stay with the one they show, by the button of their tab",
    async () => {
      const { editor } = here;
      const { page } = editor;
      const button = (/** @type {string} */ name) =>
        page.locator(".editor-group-container.active .editor-actions").getByRole("button", { name });
      const panel = (/** @type {string} */ name) =>
        page.locator(".tab", { hasText: new RegExp(`^Hot Functions.*${name}`) });
      await editor.command("Extrospect: Show Hot Functions");
      await panel("newer").waitFor();
      await editor.command("Extrospect: Follow the Capture in View");
      await button("Stay with This Capture").waitFor();
      await editor.command("Extrospect: Previous Capture");
      await told(/older/);
      await panel("older").click();
      await button("Stay with This Capture").click();
      await button("Follow the Capture in View").waitFor();
      await editor.command("Extrospect: Next Capture");
      await told(/newer/);
      assert.equal(await panel("older").count(), 1);
      assert.equal(await panel("newer").count(), 0);
      await closeAllTabs(editor);
      // A tab that was in front for a moment may have been that of the other one.
      await editor.openFile("captures/newer.pb.gz");
      await told(/newer/);
    },
  );

  step("a note on the older capture makes it no newer one", async () => {
    const { editor } = here;
    await editor.showViews();
    await answerFromMenu(editor, captureRow(editor, "older"), "Edit Note of Capture…", { text: "before the change" });
    await captureRow(editor, /older.*before the change/).waitFor();
    const rows = await editor.page
      .locator(".sidebar .monaco-list-row", { hasText: /^\s*(newer|older)/ })
      .allInnerTexts();
    assert.deepEqual(
      rows.map((text) => text.trim().slice(0, 5)),
      ["newer", "older"],
    );
    await editor.command("Extrospect: Next Capture");
    await editor.message("This is the newest capture.").waitFor();
    await told(/newer/);
    await editor.clearNotifications();
  });

  step("tags are in the row, and the list shows only captures with the words that are typed, or all", async () => {
    const { editor } = here;
    await editor.showViews();
    await answerFromMenu(editor, captureRow(editor, "older"), "Edit Tags of Capture…", {
      prompt: "Words to find it by",
      text: "slow, prod",
    });
    const [older, newer] = [captureRow(editor, /older.*#slow #prod/), captureRow(editor, "newer")];
    await older.waitFor();
    await editor.command("Extrospect: Filter Captures");
    const box = inputBox(editor, "Words from name, target");
    // The list follows the typed text, before it is accepted.
    await box.fill("#slow");
    await newer.waitFor({ state: "detached" });
    await box.press("Enter");
    await box.waitFor({ state: "hidden" });
    await editor.page.locator(".sidebar", { hasText: "1 of 2 captures with “#slow”" }).waitFor();
    await older.waitFor();
    assert.equal(await newer.count(), 0);
    await editor.screenshot("captures-filtered");
    await editor.command("Extrospect: Show All Captures");
    await newer.waitFor();
    await older.waitFor();
  });

  step("a capture is copied to a place that is chosen", async () => {
    const { editor } = here;
    const dialog = editor.page.locator(".quick-input-widget:visible input.input");
    await chooseFromMenu(editor, captureRow(editor, "older"), "Export Capture…", { leadsTo: dialog });
    const copy = join(here.folder, "exported.pb.gz");
    await saveAs(editor, copy);
    const bytes = readFileSync(join(here.folder, "captures/older.pb.gz"));
    await until("the whole copy", () => existsSync(copy) && readFileSync(copy).equals(bytes));
  });

  step("a click on the status bar opens a menu; hidden heat is gone, stays named, and comes back", async () => {
    const { editor } = here;
    const { page } = editor;
    await openFile(editor, "demo/src/demo_pricing.erl");
    await lensesShown(editor);
    await captureInView(editor).locator("a").click();
    for (const label of [
      "Go to the hottest line",
      "Show the summary",
      "Show the flame graph",
      "Show the hot functions",
      "Show blame",
      "Previous capture",
      "Close the capture",
    ])
      await pickerRow(editor, label).waitFor();
    await editor.screenshot("capture-menu");
    await pickerRow(editor, "Hide the heat").click();
    await lensesShown(editor, false);
    await until("no marks", async () => (await sourcePane(page)).marks.length === 0);
    await told(/newer · .* · heat hidden$/);
    await editor.command("Extrospect: Toggle Heat");
    await lensesShown(editor);
    await told(/newer · .*\d:\d\d(?!.*heat hidden)/);
  });

  step("a hot line has its entry in the menu of line numbers, a line of notes has none", async () => {
    const { editor } = here;
    const { page } = editor;
    const entry = await openMenu(editor, lineNumber(editor, 2), "Hot Line…");
    await page.keyboard.press("Escape");
    await entry.waitFor({ state: "detached" });
    await openFile(editor, "notes.txt");
    await lineNumber(editor, 2).click({ button: "right" });
    // The click has arrived, and a menu opens before the status bar shows the line.
    await cursorAt(editor, { file: "notes.txt", line: 2 });
    assert.equal(await entry.count(), 0);
    await page.keyboard.press("Escape");
  });

  step("the menu of a lens closes the capture, and the one that was open before it colours the code", async () => {
    const { editor } = here;
    await openFile(editor, "demo/src/demo_pricing.erl");
    await openLens(editor, "demo_pricing:best_price/2");
    await pickerRow(editor, "Hide the heat").waitFor();
    await pickerRow(editor, "Close the capture").click();
    await told(/older/);
    await editor.command("Extrospect: Close Capture");
    await lensesShown(editor, false);
    await captureInView(editor).waitFor({ state: "detached" });
  });

  step("deleting old captures warns first that there is no trash, and needs a confirmation", async () => {
    const { editor } = here;
    const dialog = editor.page.locator(".monaco-dialog-box");
    // Of three captures the newest two are kept.
    const oldest = join(here.folder, "captures/oldest.pb.gz");
    const capture = readFileSync(join(here.folder, "captures/older.pb.gz"));
    writeFileSync(oldest, takenOf(capture, { commit: "", startedUnixMs: Date.now() - 30 * HOUR_S * 1000 }));
    await editor.showViews();
    await captureRow(editor, "oldest").waitFor();
    const ask = () =>
      until("the question", async () => {
        await editor.command("Extrospect: Delete Old Captures");
        await dialog.waitFor({ timeout: 15_000 });
        return dialog.innerText();
      });
    assert.match(
      await ask(),
      /Delete oldest\.pb\.gz, which exceeds the limits[^]*There is no trash here: deleted files cannot be restored\./,
    );
    await editor.screenshot("tidy-without-trash");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.ok(existsSync(oldest));
    await ask();
    await dialog.getByRole("button", { name: "Delete Permanently" }).click();
    await captureRow(editor, "oldest").waitFor({ state: "detached" });
    assert.equal(existsSync(oldest), false);
    for (const name of ["older", "newer"]) assert.ok(existsSync(join(here.folder, `captures/${name}.pb.gz`)));
  });

  step("without a trash, deleting prompts once and states that it is permanent", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.showViews();
    const dialog = page.locator(".monaco-dialog-box");
    await chooseFromMenu(editor, captureRow(editor, "older"), "Delete…", { leadsTo: dialog });
    assert.match(await dialog.innerText(), /Delete older\.pb\.gz\?[^]*There is no trash here/);
    await dialog.getByRole("button", { name: "Delete Permanently" }).click();
    await captureRow(editor, "older").waitFor({ state: "detached" });
    assert.equal(existsSync(join(here.folder, "captures/older.pb.gz")), false);
  });

  step("a restored window starts no helper before the user requests a look", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.showViews();
    await until("a helper, once the view was opened", () => helpersBelow(editor.server.pid).length > 0);
    const before = new Set(helpersBelow(editor.server.pid));
    const started = () => helpersBelow(editor.server.pid).filter((pid) => !before.has(pid));
    await page.reload();
    const look = page.locator(".sidebar").getByRole("button", { name: "Find VMs" });
    await look.waitFor();
    await editor.screenshot("targets-restored");
    assert.deepEqual(started(), []);
    await look.click();
    await until("a helper", () => started().length > 0);
    await look.waitFor({ state: "detached" });
  });

  step("nothing failed behind the scenes", async () => {
    assert.doesNotMatch(here.editor.log(), /\[error\]/);
  });
});
