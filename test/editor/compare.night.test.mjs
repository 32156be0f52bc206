// Two captures of the demo shop, the newer one with a function that takes more time: chosen in the view, compared, and from the table to the source.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { changedCapture, withComment } from "../changed-capture.mjs";
import { until } from "../until.mjs";
import { scene } from "./scene.mjs";
import { sourcePane } from "./source-pane.mjs";
import {
  answerFromMenu,
  baselineStatus,
  captureInView,
  captureRow,
  chooseFromMenu,
  chooseRow,
  compareRows,
  cursorAt,
  cursorWithin,
  goToLine,
  lensOf,
  openCapture,
  openFile,
  pickerRow,
  rowOfCommand,
  saveAs,
  setBaseline,
  webview,
} from "./workbench.mjs";

const FIXTURE = join(ROOT, "test/unit/capture/fixtures/demo.pb.gz");
const SLOWER = "demo_reports:group_by_day/2";
const HEAD_LINE = 44;

describe("comparing captures", () => {
  const here = scene({
    prepare: (folder) => {
      mkdirSync(join(folder, "captures"));
      const capture = readFileSync(FIXTURE);
      writeFileSync(join(folder, "captures/before.pb.gz"), capture);
      writeFileSync(
        join(folder, "captures/after.pb.gz"),
        changedCapture(capture, (frames) => (frames.some(({ name }) => name === SLOWER) ? 3 : 1)),
      );
      // The same program with four times as much to do, and with its orders counted.
      const counted = (/** @type {Buffer} */ of, /** @type {number} */ orders) =>
        withComment(
          of,
          `extrospect/work ${JSON.stringify({ name: "orders", at_start: 50, start_unix_ms: 1000, at_end: 50 + orders, end_unix_ms: 1000, problem: "" })}`,
        );
      writeFileSync(join(folder, "captures/quiet.pb.gz"), counted(capture, 1_000));
      const busy = changedCapture(capture, () => 4);
      writeFileSync(join(folder, "captures/loaded.pb.gz"), counted(busy, 4_000));
    },
  });
  const { step } = here;

  step("one capture is selected, another compared with it: the function that takes more time comes first", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.showViews();
    await compareRows(editor, "before", "after");
    const view = webview(page);
    await view.locator(".remarks", { hasText: "One capture on a side" }).waitFor();
    const first = view.locator(".grid:visible .grid-body .grid-row").first();
    await first.locator("[data-column=name]", { hasText: SLOWER }).waitFor();
    assert.match(await first.locator("[data-column=verdict]").innerText(), /▲\s*slower/);
    await editor.screenshot("compare");
  });

  step("a click on its place opens its head", async () => {
    const { editor } = here;
    const place = webview(editor.page)
      .locator(".grid:visible .grid-body .grid-row", { hasText: SLOWER })
      .first()
      .locator(".place");
    assert.equal(await place.innerText(), `demo_reports.erl:${HEAD_LINE}`);
    await place.click();
    await cursorAt(editor, { file: "demo_reports.erl", line: HEAD_LINE });
  });

  step("the graph of both sides shows the function as one that takes more time, and goes to its source", async () => {
    const { editor } = here;
    await editor.tab("Compare: before.pb.gz → after.pb.gz").click();
    const view = webview(editor.page);
    await view.getByRole("tab", { name: "Flame graph" }).click();
    const graph = view.locator(".change-graph");
    await until("the frames of the function", async () => {
      await graph.locator("vscode-textfield input").fill(`^${SLOWER}$`);
      return /1 function/.test(await graph.locator("[role=status]").first().innerText());
    });
    await graph.locator("vscode-textfield input").press("Enter");
    await until("more time", async () =>
      /^demo_reports:group_by_day\/2, ▲ more time \+\d/.test(await graph.locator(".frame-line").innerText()),
    );
    await editor.screenshot("compare-graph");
    await graph.locator(".pane canvas").focus();
    await editor.page.keyboard.press("o");
    await cursorWithin(editor, "demo_reports.erl", { from: HEAD_LINE, to: HEAD_LINE + 10 });
  });

  step("where work was counted, the panel compares it, states it, and offers other measures", async () => {
    const { editor } = here;
    await editor.showViews();
    await compareRows(editor, "quiet", "loaded");
    const view = webview(editor.page);
    await view.getByText("Microseconds of CPU per unit of work (orders).").waitFor();
    await view.getByRole("tab", { name: "Functions" }).click();
    await view.getByText(/1,000 orders · .*4,000 orders ·/).waitFor();
    assert.equal(
      await view.locator(".counts", { hasText: /slower|faster/ }).count(),
      0,
      "each order takes what it took",
    );
    await editor.screenshot("compare-work");
    await view.locator("vscode-single-select", { hasText: "CPU per second" }).evaluate((select) => {
      const it = /** @type {any} */ (select);
      it.value = "cpu";
      it.dispatchEvent(new Event("change"));
    });
    await view.locator(".remarks", { hasText: "orders per second before" }).waitFor();
    assert.match(await view.locator(".counts").innerText(), /slower/);
  });

  step(
    "the history has all captures of the view, follows a function that is chosen, and compares a commit with the one before",
    async () => {
      const { editor } = here;
      const { page } = editor;
      await editor.showViews();
      await editor.command("Extrospect: Show History");
      await editor.tab("History").waitFor();
      const view = webview(page);
      await until("a dot for each commit", async () => {
        assert.ok((await view.locator(".dot").count()) >= 3, await view.locator("main.body-main").innerText());
        return true;
      });
      await editor.screenshot("history");

      await view.locator("vscode-button", { hasText: "Functions" }).click();
      await pickerRow(editor, SLOWER).click();
      await page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
      // Of the function both its own time and that with all that it calls.
      const series = view.locator("vscode-option", { hasText: SLOWER });
      await until("the function", async () => (await series.count()) === 2);
      await editor.screenshot("history-function");

      // The newest commit is the chosen one.
      await view.locator("vscode-button", { hasText: "Compare with the One Before" }).click();
      await page.locator(".tab.active", { hasText: "Compare: " }).waitFor();
    },
  );

  step("the comparison and the history become pages, each with the one command of its view", async () => {
    const { editor } = here;
    for (const [tab, of, file, heading] of /** @type {[RegExp, string, string, RegExp][]} */ ([
      [/^Compare: /, ".grid:visible .grid-row", "comparison.html", /<h1>CPU: .* → .*<\/h1>/],
      [/^History/, ".dot", "history.html", /<h1>CPU over \d+ commits: .*<\/h1>[^]*<circle/],
    ])) {
      await editor.page.locator(".tab", { hasText: tab }).click();
      await webview(editor.page).locator(of).first().waitFor({ state: "attached" });
      await editor.command("Extrospect: Export as HTML…");
      await saveAs(editor, join(here.folder, file));
      await editor.message(new RegExp(`The page is in .*${file}`)).waitFor();
      assert.match(readFileSync(join(here.folder, file), "utf8"), heading);
      await editor.clearNotifications();
    }
  });

  step("the comparison is copied as Markdown, as a comment on a pull request", async () => {
    const { editor } = here;
    await editor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await editor.page.locator(".tab", { hasText: /^Compare: / }).click();
    const view = webview(editor.page);
    await view.locator(".grid:visible .grid-row").first().waitFor({ state: "attached" });
    await view.locator("vscode-button", { hasText: "Copy as Markdown" }).click();
    const text = await until("the comment", async () => {
      const copied = await editor.page.evaluate(() => navigator.clipboard.readText());
      return copied.startsWith("### CPU: ") && copied;
    });
    assert.match(text, /^### CPU: .* → .*\n[^]*<summary>How this was measured/);
  });

  step(
    "with a baseline, the lens of a changed function has the change, and that of an unchanged one does not",
    async () => {
      const { editor } = here;
      await setBaseline(editor, "before");
      await openCapture(editor, "after");
      await openFile(editor, "demo/src/demo_reports.erl");
      // Lenses are drawn where they are in view.
      await goToLine(editor, HEAD_LINE);
      // The capture in view may be another one until this one is read.
      await lensOf(editor, SLOWER, (text) => /own \([\d,]+\) · .* · ▲ \+1\d\d\.\d% since before\.pb\.gz/.test(text));
      // Lines have their change beside today's figure, though figures are off.
      const { figures } = await until("changes beside lines", async () => {
        const pane = await sourcePane(editor.page);
        return Object.values(pane.figures).some((text) => /▲/.test(text)) && pane;
      });
      for (const [line, text] of Object.entries(figures))
        assert.match(text, /^(≈ )?\d+\.\d% (≈ )?([▲▼] [+-]\d+\.\d%|✚|✖)$/, `line ${line}`);
      await editor.screenshot("baseline");
    },
  );

  step("the status bar names the baseline as long as one is set, and has it cleared", async () => {
    const { editor } = here;
    const status = baselineStatus(editor);
    assert.match(await status.innerText(), /^\s*vs\. before$/);
    await status.locator("a").click();
    await pickerRow(editor, "Open the baseline").waitFor();
    await pickerRow(editor, "Compare with no baseline").click();
    await status.waitFor({ state: "detached" });
    await lensOf(editor, SLOWER, (text) => !text.includes("since"));
  });

  step("a baseline that is renamed stays the baseline, under its new name", async () => {
    const { editor } = here;
    await editor.showViews();
    await setBaseline(editor, "before");
    await answerFromMenu(editor, captureRow(editor, "before"), "Rename…", { text: "first" });
    await until("its new name", async () => /vs\. first$/.test(await baselineStatus(editor).innerText()));
    await captureRow(editor, /first, baseline/).waitFor();
    await openFile(editor, "demo/src/demo_reports.erl");
    await goToLine(editor, HEAD_LINE);
    await lensOf(editor, SLOWER, (text) => text.includes("since first.pb.gz"));
  });

  step("one that another program deletes is missed, and compared with again when it is back", async () => {
    const { editor } = here;
    const file = join(here.folder, "captures/first.pb.gz");
    const content = readFileSync(file);
    rmSync(file);
    const gone = editor.message(/The baseline first\.pb\.gz was deleted, renamed or moved/);
    await gone.waitFor();
    await baselineStatus(editor).locator(".codicon-warning").waitFor();
    await editor.screenshot("baseline-gone");
    await editor.clearNotifications();
    writeFileSync(file, content);
    await baselineStatus(editor).locator(".codicon-git-compare").waitFor();
    await openCapture(editor, "loaded");
    await openFile(editor, "demo/src/demo_reports.erl");
    await goToLine(editor, HEAD_LINE);
    await until("the capture in view compared", async () => {
      const title = (await baselineStatus(editor).locator("a").getAttribute("aria-label")) ?? "";
      return title.startsWith("Captures are compared with the baseline first.pb.gz.");
    });
  });

  step("deleting the baseline names it in the prompt, and then there is none", async () => {
    const { editor } = here;
    const dialog = editor.page.locator(".monaco-dialog-box");
    await editor.showViews();
    await chooseFromMenu(editor, captureRow(editor, "first"), "Delete…", { leadsTo: dialog });
    assert.match(
      await dialog.innerText(),
      /first\.pb\.gz is the baseline: afterwards, there is no baseline to compare captures with\./,
    );
    await dialog.getByRole("button", { name: "Delete Permanently" }).click();
    await baselineStatus(editor).waitFor({ state: "detached" });
    await captureRow(editor, "first").waitFor({ state: "detached" });
  });

  step("a command opens the menu of the baseline, which opens its capture, and clears it", async () => {
    const { editor } = here;
    await setBaseline(editor, "after");
    await chooseRow(await rowOfCommand(editor, "Extrospect: Baseline", "Open the baseline"));
    await until("it is in view", async () => (await captureInView(editor).innerText()).includes("after"));
    await chooseRow(await rowOfCommand(editor, "Extrospect: Baseline", "Compare with no baseline"));
    await baselineStatus(editor).waitFor({ state: "detached" });
  });
});
