// What a user does, in the order they meet it: install the extension, attach to a VM, look at the heat, the graph, the
// blame, and come back to it later. Compared with the helper's own figures, in every kind of theme.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { run } from "../../scripts/command.mjs";
import { HELPER } from "../../scripts/project.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { measuredLine } from "../measured.mjs";
import { flameCanvas, hoverFrame, search, selectionOf, shownSamples } from "./flame-page.mjs";
import { scene } from "./scene.mjs";
import { headLine, lastLine, sourcePane } from "./source-pane.mjs";
import { until } from "../until.mjs";
import {
  answerFromMenu,
  attach,
  captureInView,
  captureRow,
  captureStatus,
  chooseFromMenu,
  chooseTheme,
  clickUntil,
  closeAllTabs,
  closePicker,
  closeTab,
  cursor,
  cursorAt,
  cursorWithin,
  goToLine,
  lensesShown,
  lensFigures,
  lensOf,
  lineElement,
  lineNumber,
  openCapture,
  openFile,
  openLens,
  pickerRow,
  typeIntoText,
  webview,
} from "./workbench.mjs";

const PRICING = "demo/src/demo_pricing.erl";
const NEXT_HOT_LINE = "Control+Alt+PageDown";
const PREVIOUS_HOT_LINE = "Control+Alt+PageUp";

describe("workbench", () => {
  // High enough for all of a file to be in sight.
  const here = scene({
    demo: true,
    viewport: { width: 1600, height: 1250 },
    settings: { "extrospect.capture.frequencyHz": 499, "extrospect.codeLens.minimumPercent": 0.1 },
  });
  const { step, folder } = here;
  const textOf = (/** @type {string} */ file) => readFileSync(join(folder, file), "utf8");
  const captureFiles = () => readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz"));
  /** From the choice of the VM to the first lens. @type {number[]} */
  const tookMs = [];

  step("the views are there and list the VM, without a request to the network", async () => {
    const { editor, demo } = here;
    await editor.showViews();
    await editor.row(String(demo.pid)).waitFor();
    assert.equal(await editor.page.locator(".sidebar .pane-header").count(), 2);
    await until("no captures", async () =>
      /No captures in this workspace yet/.test(await editor.page.locator(".sidebar").innerText()),
    );
    await editor.screenshot("targets");
    assert.deepEqual(editor.outside, []);
  });

  step("stopped by the command, a capture is listed, closes and opens again", async () => {
    const { editor } = here;
    await openFile(editor, "demo_pricing.erl");
    await untilLens();
    await editor.command("Extrospect: Stop Capture");
    await captureStatus(editor).locator(".codicon-check").waitFor();
    assert.match(await captureStatus(editor).innerText(), /\d+ samples/);
    await editor.showViews();
    const [file = ""] = await until("a file", () => (captureFiles().length > 0 ? captureFiles() : undefined));
    assert.match(textOf("captures/.gitignore"), /^\*$/m);
    const name = file.replace(".pb.gz", "");
    const row = captureRow(editor, name);
    await row.waitFor();
    await editor.screenshot("captures");
    await closed();
    await openCapture(editor, name);
    await openFile(editor, "demo_pricing.erl");
    await lensesShown(editor);
    await closed();
    rmSync(join(folder, "captures", file));
    await row.waitFor({ state: "detached" });
    await closeAllTabs(editor);
  });

  step("attached from the picker, lenses are above the right functions", async () => {
    const { editor, demo } = here;
    await openFile(editor, "demo_pricing.erl");
    await editor.command("Extrospect: Start Capture (Record");
    const row = pickerRow(editor, String(demo.pid));
    await row.waitFor();
    assert.match(await row.innerText(), /OTP \d+/);
    await editor.screenshot("attach-picker");
    await closePicker(editor);
    await untilLens();
    console.log(measuredLine("editor, from choosing a VM to the first lens", tookMs.at(-1) ?? NaN, "from the picker"));
    await captureStatus(editor).waitFor();
    const text = textOf(PRICING);
    for (const name of ["handle_call/3", "best_price/2", "redeem/2", "cheaper/2"]) {
      const lens = await lensOf(editor, `demo_pricing:${name}`, (shown) => lensFigures(shown).samples > 0);
      assert.equal(lens.line, headLine(text, name.slice(0, -2)), name);
    }
    // Each function once, however many clauses it has.
    const { lenses } = await sourcePane(editor.page);
    assert.equal(new Set(lenses.map(({ about }) => about)).size, lenses.length);
    await until("marks on hot lines", async () => (await sourcePane(editor.page)).marks.length > 0);
    await until("samples that are counted", async () => /\d+ samples/.test(await captureStatus(editor).innerText()));
    await editor.screenshot("lenses");
  });

  step("a hover over a hot line shows its callers; a caller's link opens the line of the call", async () => {
    const { editor } = here;
    const { page } = editor;
    const text = textOf(PRICING);
    const hot = headLine(text, "best_price") + 3;
    const callLine = headLine(text, "handle_call") + 1;
    // The user's own code is known a moment after the first lens.
    const hover = page.locator(".monaco-hover:visible", { hasText: /% own [^]*Called from/ });
    await until("the hover", async () => {
      await page.mouse.move(5, 5);
      await (await lineElement(editor, hot)).locator("span span").first().hover();
      await hover.waitFor({ timeout: 3_000 });
      return true;
    });
    const said = await hover.innerText();
    assert.match(said, /demo_pricing:best_price\/2/);
    assert.match(
      said,
      /[\d.]+% own ± [\d.]+ \([\d,]+\) · (≈ )?[\d.]+% self ± [\d.]+ \([\d,]+\) · (≈ )?[\d.]+% total ± [\d.]+ \([\d,]+\) · of [\d,]+ busy samples/,
    );
    await editor.screenshot("hover");
    await hover.locator("a", { hasText: "demo_pricing:handle_call/3" }).first().click();
    await cursorAt(editor, { file: "demo_pricing.erl", line: callLine });
  });

  step("keys go from one hot line to the next and back by heat, where the gutter has its marks", async () => {
    const { editor } = here;
    const { page } = editor;
    await page.keyboard.press("Control+Home");
    await until("three marks", async () => (await sourcePane(page)).marks.length >= 3);
    const place = async () => Object.values(await cursor(editor)).join(":");
    // A key that is pressed on the way there is lost: pressed again then.
    const go = async (/** @type {string} */ key) => {
      const before = await place();
      await until("another hot line", async () => {
        await page.keyboard.press(key);
        return until(
          "the cursor on a mark elsewhere",
          async () => {
            const [{ line }, { marks }] = [await cursor(editor), await sourcePane(page)];
            return (await place()) !== before && marks.some((mark) => mark.line === line);
          },
          10_000,
        );
      });
      return place();
    };
    const seen = new Set([await go(NEXT_HOT_LINE), await go(NEXT_HOT_LINE), await go(PREVIOUS_HOT_LINE)]);
    for (let times = 0; times < 12; times += 1) seen.add(await go(NEXT_HOT_LINE));
    assert.ok(seen.size > 4, [...seen].join(", "));
    assert.ok(new Set([...seen].map((one) => one.split(":")[0])).size > 1, "in more than one file");
    await openFile(editor, "demo_pricing.erl");
  });

  step("the menu of line numbers leads to the views of the line", async () => {
    const { editor } = here;
    const { page } = editor;
    const line = headLine(textOf(PRICING), "best_price") + 3;
    await chooseFromMenu(editor, lineNumber(editor, line), "Hot Line…", {
      leadsTo: page.locator(".quick-input-title", { hasText: `demo_pricing:best_price/2, line ${String(line)}` }),
    });
    await pickerRow(editor, "Show the native work that it causes").waitFor();
    await closePicker(editor);
  });

  step("search finds a frame; a key, and a click with Ctrl, lead to its source line", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.command("Extrospect: Show Flame Graph");
    const frame = webview(page);
    await search(frame, "demo_pricing:best_price");
    await editor.screenshot("flame-graph");
    await flameCanvas(frame).focus();
    await page.keyboard.press("o");
    await cursorWithin(editor, "demo_pricing.erl", linesOf(PRICING, "best_price"));
    await editor.tab("Flame Graph").click();
    await search(frame, "demo_sessions:resume");
    await flameCanvas(frame).focus();
    // Zoomed, the frame is as wide as the graph.
    await page.keyboard.press("Space");
    const { x, y } = await hoverFrame(page, frame, "demo_sessions:resume");
    await page.keyboard.down("Control");
    await page.mouse.click(x, y);
    await page.keyboard.up("Control");
    await cursorWithin(editor, "demo_sessions.erl", linesOf("demo/src/demo_sessions.erl", "resume"));
    // From a lens it opens anew, beside the source.
    await closeTab(editor, "Flame Graph");
  });

  step("from a frame's menu to its rows in the hot functions and in blame", async () => {
    const { editor } = here;
    const { page } = editor;
    // Its copies and collections make it a row of both tables.
    await editor.command("Extrospect: Show Flame Graph");
    const frame = webview(page);
    for (const { entry, title } of [
      { entry: "Show in Hot Functions", title: "Hot Functions" },
      { entry: "Show in Blame", title: "Blame" },
    ]) {
      await search(frame, "demo_stock:fetch");
      await flameCanvas(frame).focus();
      await page.keyboard.press("Shift+F10");
      await frame.getByRole("menuitem", { name: entry }).click();
      await editor.tab(title).waitFor();
      await webview(page).locator('.grid-row[aria-selected="true"]', { hasText: "demo_stock:fetch/1" }).waitFor();
      await closeTab(editor, title);
    }
    await closeTab(editor, "Flame Graph");
  });

  step("from a lens to the flame graph, from a frame to its line", async () => {
    const { editor } = here;
    const { page } = editor;
    await openFile(editor, "demo_pricing.erl");
    await openLens(editor, "demo_pricing:best_price/2");
    await editor.screenshot("lens-menu");
    await pickerRow(editor, "Show in the flame graph").click();
    const frame = webview(page);
    await flameCanvas(frame).waitFor();
    await selectionOf(frame, "demo_pricing:best_price/2");
    await frame.locator("input[type=search]").first().fill("demo_pricing:(best_price|redeem)");
    await until("found", async () =>
      /^2 functions · (?:≈ )?[\d.]+% of busy$/.test(await frame.locator(".search-result").innerText()),
    );
    const { x, y } = await hoverFrame(page, frame, "demo_pricing:handle_call/3");
    await editor.screenshot("flame-search");
    await page.keyboard.down("Control");
    await page.mouse.click(x, y);
    await page.keyboard.up("Control");
    await cursorAt(editor, { file: "demo_pricing.erl", line: headLine(textOf(PRICING), "handle_call") + 1 });
  });

  step("a live refresh keeps selection, zoom and scroll of the flame graph", async () => {
    const { editor } = here;
    const { page } = editor;
    const frame = webview(page);
    // With every level of recursion there is something to scroll.
    const collapse = async () => {
      await flameCanvas(frame).focus();
      await page.keyboard.press("r");
    };
    await collapse();
    // From the whole graph: a frame that is zoomed to already would go back.
    await page.keyboard.press("0");
    await search(frame, "demo_pricing:handle_call");
    await flameCanvas(frame).focus();
    await page.keyboard.press("Space");
    await selectionOf(frame, "demo_pricing:handle_call/3");
    await hoverFrame(page, frame, "demo_pricing:handle_call/3", 0.98);
    await hoverFrame(page, frame, "demo_pricing:handle_call/3", 0.02);
    const scroller = frame.locator(".pane:not([hidden]) .pane-scroller");
    await scroller.evaluate((element) => {
      element.scrollTop = 60;
    });
    const before = await shownSamples(frame);
    await until("two refreshes", async () => (await shownSamples(frame)) > before + 1_000, 30_000);
    await selectionOf(frame, "demo_pricing:handle_call/3");
    assert.equal(await scroller.evaluate((element) => element.scrollTop), 60);
    await hoverFrame(page, frame, "demo_pricing:handle_call/3", 0.98);
    await hoverFrame(page, frame, "demo_pricing:handle_call/3", 0.02);
    assert.match(await frame.locator(".legend-line .status").innerText(), /live/);
    await collapse();
  });

  step("callers and callees of one function", async () => {
    const { editor } = here;
    const { page } = editor;
    const frame = webview(page);
    await frame.locator("vscode-button", { hasText: "Callers and callees" }).click();
    await frame.locator(".sandwich-bar", { hasText: "of demo_pricing:handle_call/3" }).waitFor();
    await frame.getByLabel("Callers of demo_pricing:handle_call/3").waitFor();
    await frame.getByLabel("Callees of demo_pricing:handle_call/3").focus();
    await page.keyboard.press("ArrowDown");
    await selectionOf(frame, "demo_pricing:best_price/2");
    await editor.screenshot("sandwich");
    await frame.locator("vscode-button", { hasText: "Back to the whole graph" }).click();
    await frame.locator(".sandwich-bar").waitFor({ state: "hidden" });
  });

  step("the cause of copy_struct: from the row of an Erlang function to its line", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.command("Extrospect: Show Blame");
    const frame = webview(page);
    const input = frame.locator("#blame-query");
    await input.click();
    await input.fill("copy_struct");
    await frame.locator("[role=option].active", { hasText: "copy_struct" }).waitFor();
    await input.press("Enter");
    await frame.locator(".answer", { hasText: /^copy_struct.*[1-9]\d* samples, (?:≈ )?[\d.]+% of busy/ }).waitFor();
    const row = frame.locator(".grid-body .grid-row", { hasText: /demo_\w+\.erl:\d+/ }).first();
    await row.waitFor();
    await editor.screenshot("blame");
    assert.match(await row.innerText(), /demo_\w+:\w+\/\d/);
    const place = /(demo_\w+\.erl):(\d+)/.exec(await row.locator(".place").innerText());
    assert.ok(place);
    await row.locator(".place").click();
    await cursorAt(editor, { file: place[1] ?? "", line: Number(place[2]) });
  });

  step("the table of hot functions sorts and filters", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.command("Extrospect: Show Hot Functions");
    const frame = webview(page);
    const figures = (/** @type {string} */ column) =>
      frame.locator(`.grid-body .grid-row[aria-level="2"] [data-column=${column}]`).allTextContents();
    await frame.locator(".grid-body .grid-row[aria-expanded=true]", { hasText: "(own code)" }).waitFor();
    await until(
      "own functions first",
      async () => (await figures("name")).length > 3 && (await figures("name")).every((name) => name.includes("demo_")),
    );
    await editor.screenshot("top-by-application");
    await frame.locator(".grid").focus();
    await page.keyboard.press("End");
    await frame.locator(".grid-body .grid-row[aria-expanded=false]", { hasText: "OTP" }).first().waitFor();
    await page.keyboard.press("Home");
    await frame
      .getByRole("columnheader", { name: /^Self %/ })
      .getByRole("button")
      .click();
    await frame.locator("[role=columnheader][aria-sort=descending]", { hasText: "Self %" }).waitFor();
    await editor.screenshot("top");
    await frame
      .locator("vscode-textfield")
      .getByRole("searchbox")
      .or(frame.locator("vscode-textfield input"))
      .first()
      .fill("demo_pricing");
    await until("only functions of demo_pricing", async () => {
      const names = await figures("name");
      return names.length >= 3 && names.every((name) => name.includes("demo_pricing"));
    });
    await frame.locator("[role=columnheader][aria-sort=descending]", { hasText: "Self %" }).waitFor();
    const row = frame.locator(".grid-body .grid-row", { hasText: "demo_pricing:redeem/2" });
    // Beside a source the place may have no room.
    await row.locator("[data-column=name] .name").dblclick();
    await cursorAt(editor, { file: "demo_pricing.erl", line: headLine(textOf(PRICING), "redeem") });
  });

  step("the stacks of all schedulers", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.command("Extrospect: Show Stacks of All Schedulers");
    const frame = webview(page);
    await frame.locator("h1", { hasText: String(here.demo.pid) }).waitFor();
    await frame.getByText(/threads, \d+ idle/).waitFor();
    await until("a stack with Erlang functions", async () => {
      await frame.locator("vscode-button", { hasText: "Take Again" }).click();
      // One that is under way would be given up for the next.
      await frame.locator("vscode-button", { hasText: "Cancel" }).waitFor({ state: "hidden" });
      return (await frame.locator("[data-thread]", { hasText: /\w+:\w+\/\d/ }).count()) > 0;
    });
    await editor.screenshot("stacks");
  });

  step("lenses, marks and figures are switched off and on", async () => {
    const { editor } = here;
    const { page } = editor;
    await openFile(editor, "demo_pricing.erl");
    const toggled = async (
      /** @type {string} */ command,
      /** @type {(pane: import("./source-pane.mjs").SourcePane) => boolean} */ isOff,
    ) => {
      await editor.command(`Extrospect: ${command}`);
      await until(`off: ${command}`, async () => isOff(await sourcePane(page)));
      await editor.command(`Extrospect: ${command}`);
      await until(`on: ${command}`, async () => !isOff(await sourcePane(page)));
    };
    await toggled("Toggle Lenses", ({ lenses }) => lenses.length === 0);
    await toggled("Toggle Gutter Marks", ({ marks }) => marks.length === 0);
    // Which lines are hot enough depends on how much the machine lets the VM do.
    await toggled("Toggle Inline Percentages", ({ figures, marks }) =>
      marks.some(({ line }) => /^\s*(≈ )?[\d.]+%$/.test(figures[line] ?? "")),
    );
  });

  /** @type {string} */
  let file;
  step("stopped by the status bar, lenses and marks show what the helper counts in the file", async () => {
    const { editor } = here;
    await captureStatus(editor).locator("a").first().click();
    await captureStatus(editor).locator(".codicon-check").waitFor();
    const [name = ""] = captureFiles();
    file = join(folder, "captures", name);
    const { code, stdout } = await run(HELPER, ["top", file, "--only-erlang", "--json", "-n", "0"]);
    assert.equal(code, 0);
    const { busy, functions } = JSON.parse(stdout);
    for (const functionName of ["demo_pricing:best_price/2", "demo_pricing:redeem/2", "demo_pricing:cheaper/2"]) {
      // The helper lists samples whose line is unknown apart.
      const totals = functions
        .filter((/** @type {{function: string}} */ one) => one.function === functionName)
        .map((/** @type {{total: number}} */ { total }) => total);
      const mostTotal = totals.reduce((/** @type {number} */ sum, /** @type {number} */ total) => sum + total, 0);
      const counted = ownSamplesOf(file, ({ name }) => (name === functionName ? [name] : [])).get(functionName) ?? 0;
      const isIt = (/** @type {ReturnType<typeof lensFigures>} */ { attribution, share, shareSamples, samples }) =>
        attribution === "own" &&
        shareSamples === counted &&
        Math.abs(share - (100 * counted) / busy) <= 0.051 &&
        samples >= totals[0] &&
        samples <= mostTotal;
      await lensOf(editor, functionName, (text) => isIt(lensFigures(text)));
    }
    const hot = hotLinesOf(file, "demo_pricing", busy);
    await until("marks where the file has its samples", async () => {
      assert.deepEqual(
        (await sourcePane(editor.page)).marks.map(({ line }) => line),
        hot,
      );
      return true;
    });
  });

  step(
    "the capture is in its view; closed, the lenses are gone; opened again, they are back with the flame graph",
    async () => {
      const { editor } = here;
      const { page } = editor;
      await closeAllTabs(editor);
      await openFile(editor, "demo_pricing.erl");
      await lensOf(editor, "demo_pricing:best_price/2");
      await editor.showViews();
      const row = captureRow(editor, String(here.demo.pid));
      await row.waitFor();
      await editor.rowAction(row, "Close Capture", async () => {
        const { file: shown, lenses, marks } = await sourcePane(page);
        return shown.includes("demo_pricing") && lenses.length + marks.length === 0;
      });
      await clickUntil(row, () => page.locator(".tab.active", { hasText: ".pb.gz" }).isVisible(), { clickCount: 2 });
      await flameCanvas(webview(page)).waitFor();
      await until("samples", async () => (await shownSamples(webview(page))) > 1_000);
      await editor.screenshot("captures-view");
      await openFile(editor, "demo_pricing.erl");
      await lensOf(editor, "demo_pricing:best_price/2");
    },
  );

  step("a capture is renamed and stays open", async () => {
    const { editor } = here;
    const { page } = editor;
    await editor.showViews();
    await answerFromMenu(editor, captureRow(editor, String(here.demo.pid)), "Rename…", { text: "before the change" });
    await captureRow(editor, "before the change").waitFor();
    file = join(folder, "captures/before the change.pb.gz");
    assert.ok(existsSync(file));
    await page.locator(".tab", { hasText: "before the change.pb.gz" }).waitFor();
    await openFile(editor, "demo_pricing.erl");
    await lensOf(editor, "demo_pricing:best_price/2");
  });

  step("edited text: lenses and marks move with it, an edited hot line is marked", async () => {
    const { editor } = here;
    const { page } = editor;
    const before = await lensOf(editor, "demo_pricing:best_price/2");
    // One of the two calls in it.
    const calls = headLine(textOf(PRICING), "best_price") + 3;
    const isCall = (/** @type {{line: number}} */ { line }) => line === calls || line === calls + 1;
    // They come after the lenses.
    const marks = await until("marks", async () => {
      const pane = await sourcePane(page);
      return pane.marks.some(isCall) ? pane.marks : undefined;
    });
    await goToLine(editor, 1);
    await typeIntoText(editor, "%% one more\n%% and another\n");
    await until("all moved by two lines", async () => {
      const pane = await sourcePane(page);
      assert.equal(pane.lenses.find(({ about }) => about === "demo_pricing:best_price/2")?.line, before.line + 2);
      assert.deepEqual(
        pane.marks,
        marks.map(({ line, icon }) => ({ line: line + 2, icon })),
      );
      return true;
    });
    const hot = (marks.find(isCall)?.line ?? 0) + 2;
    await goToLine(editor, hot);
    await typeIntoText(editor, "Never = 0, ");
    await until("the line is marked as edited", async () =>
      (await sourcePane(page)).marks.some(({ line, icon }) => line === hot && icon.startsWith("heat-edited")),
    );
    await page.keyboard.press("Control+Home");
    await until("and the file has that", async () =>
      (await sourcePane(page)).lenses.some(({ text }) =>
        /Edited since the VM's code was compiled: 1 of \d+ hot lines changed/.test(text),
      ),
    );
    await editor.screenshot("edited");
    // The file was saved by itself since then, so the edits are undone one by one.
    await until("the text as before", async () => {
      const { text } = await sourcePane(page);
      if (text[2] === "-module(demo_pricing)." && !Object.values(text).some((line) => line.includes("Never")))
        return true;
      await page.keyboard.press("Control+Z");
      return false;
    });
    await until("all as before", async () => {
      assert.deepEqual((await sourcePane(page)).marks, marks);
      return true;
    });
  });

  for (const [name, label, kind] of [
    ["light", "Light Modern", "vs"],
    ["high-contrast", "Dark High Contrast", "hc-black"],
    ["high-contrast-light", "Light High Contrast", "hc-light"],
  ]) {
    step(`everything is there in the theme ${name ?? ""}`, async () => {
      const { editor } = here;
      const { page } = editor;
      await chooseTheme(editor, label ?? "", kind ?? "");
      await openFile(editor, "demo_pricing.erl");
      await lensOf(editor, "demo_pricing:best_price/2");
      const icons = name?.endsWith("light") ? "light" : "dark";
      await until("marks of the theme", async () => {
        const { marks } = await sourcePane(page);
        return marks.length > 0 && marks.every(({ icon }) => icon.endsWith(icons));
      });
      for (const [command, wanted] of [
        ["Show Flame Graph", "canvas"],
        ["Show Blame", "[role=treegrid] .grid-body .grid-row"],
        ["Show Hot Functions", "[role=treegrid] .grid-body .grid-row"],
      ]) {
        await editor.command(`Extrospect: ${command}`);
        // The panel that was in front has rows as well.
        await page.locator(".tab.active", { hasText: command?.replace("Show ", "") ?? "" }).waitFor();
        await webview(page)
          .locator(wanted ?? "")
          .first()
          .waitFor();
        await webview(page)
          .locator(`body.vscode-${name === "light" ? "light" : "high-contrast"}`)
          .waitFor();
        await editor.screenshot(`${name ?? ""}-${(command ?? "").split(" ").at(-1)?.toLowerCase() ?? ""}`);
      }
    });
  }

  step("nothing failed behind the scenes", async () => {
    assert.doesNotMatch(here.editor.log(), /\[error\]/);
    assert.deepEqual(here.editor.outside, []);
  });

  /** Attaches, and notes how long the first lens takes. */
  async function untilLens() {
    const chosenMs = await attach(here.editor, here.demo.pid);
    await lensesShown(here.editor);
    tookMs.push(performance.now() - chosenMs);
  }

  /** Closes the capture by the command, with the source in sight. */
  async function closed() {
    await openFile(here.editor, "demo_pricing.erl");
    await lensesShown(here.editor);
    await here.editor.command("Extrospect: Close Capture");
    // Lenses are gone for a moment, too, whenever they are drawn anew.
    await captureInView(here.editor).waitFor({ state: "detached" });
    await lensesShown(here.editor, false);
  }

  /** From the first clause of a function to its last line. @param {string} file @param {string} functionName */
  function linesOf(file, functionName) {
    const from = headLine(textOf(file), functionName);
    return { from, to: lastLine(textOf(file), from) };
  }
});

/**
 * Samples whose innermost frame of the shop's own code is there, by the keys that `take` gives of that frame: computed
 * from the file itself.
 * @template Key
 * @param {string} file @param {(frame: import("../pprof-reader.mjs").Frame) => Key[]} take @returns {Map<Key, number>}
 */
function ownSamplesOf(file, take) {
  const profile = readProfile(file);
  const index = countIndex(profile);
  /** @type {Map<Key, number>} */
  const own = new Map();
  for (const { frames, values, labels } of profile.samples) {
    const owner =
      labels["trust"] === "bracketed"
        ? undefined
        : frames.find(({ kind, rawName }) => kind === "erlang" && rawName.startsWith("demo_"));
    for (const key of owner === undefined ? [] : take(owner)) own.set(key, (own.get(key) ?? 0) + (values[index] ?? 0));
  }
  return own;
}

/**
 * Lines of a module with marks: those above the minimum, and as many more as make up nine tenths of the file.
 * @param {string} file @param {string} module @param {number} busy
 */
function hotLinesOf(file, module, busy) {
  // The line of some samples is unknown.
  const lines = [
    ...ownSamplesOf(file, ({ rawName, line }) => (rawName.startsWith(`${module}:`) && line > 0 ? [line] : [])),
  ].sort(([, a], [, b]) => b - a);
  const all = lines.reduce((sum, [, count]) => sum + count, 0);
  const wanted = 0.003 * busy;
  let least = wanted;
  let shown = 0;
  for (const [, count] of lines) {
    if (shown >= 0.9 * all) break;
    least = Math.min(least, count);
    shown += count;
  }
  return lines
    .filter(([, count]) => count >= least)
    .map(([line]) => line)
    .sort((a, b) => a - b);
}
