// A committed capture of the demo shop: each figure, mark and line is known. A live one would move under the mouse.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/project.mjs";
import { readProfile } from "../../pprof-reader.mjs";
import { until } from "../../until.mjs";
import { builtCapture } from "../built-captures.mjs";
import { flameCanvas, search, selectionOf, shownSamples } from "../flame-page.mjs";
import { headLine, lastLine, sourcePane } from "../source-pane.mjs";
import { tried, worked } from "../tries.mjs";
import {
  answerFromMenu,
  captureInView,
  captureRow,
  chooseFromMenu,
  chooseRow,
  clickUntil,
  closeAllTabs,
  closePicker,
  cursor,
  cursorAt,
  goToLine,
  isAlone,
  isCursorAt,
  lensesShown,
  lineElement,
  lineNumber,
  openAsCapture,
  openCapture,
  openFile,
  openLens,
  pickerRow,
  pressUntil,
  reloadWindow,
  rowOfCommand,
  saveAs,
  typeIntoText,
  webview,
} from "../workbench.mjs";

const FIXTURES = join(ROOT, "test/unit/capture/fixtures");
const PRICING = "demo/src/demo_pricing.erl";
const TEXT = readFileSync(join(ROOT, PRICING), "utf8");
/** Of the fixture. */
const SAMPLES = 9_688;
/** Without idle threads: what the graph shows. */
const BUSY = 9_644;
const BEST_PRICE = headLine(TEXT, "best_price");
const LENSES = [
  ["handle_call", 3, "≈ 0.03% own (3) · 8.4% total (812)"],
  ["best_price", 2, "3.7% own (360) · 8.4% total (807)"],
  ["redeem", 2, "3.9% own (377) · 3.9% total (377)"],
  ["cheaper", 2, "0.7% own (68) · 0.7% total (68)"],
].map(([name, arity, text]) => ({
  line: headLine(TEXT, String(name)),
  text,
  about: `demo_pricing:${String(name)}/${String(arity)}`,
}));
const MARKS = [
  ...[32, 35, 36, 39, 40, 46].map((line) => ({ line, icon: `heat-${[32, 40].includes(line) ? "3" : "2"}-dark` })),
];
/** The lines of own code with the most time. @type {[Place, Place, Place]} */
const HOTTEST = [
  { file: "demo_stock.erl", line: 49 },
  { file: "demo_sessions.erl", line: 19 },
  { file: "demo_reports.erl", line: 42 },
];
/** @typedef {{file: string, line: number}} Place */
/** The program of a capture with two types of samples. */
const WAITS_ON_DISK = "waits_on_disk.erl";
/** Its line that waits for the disk. */
const SYNC = 17;
const LINK = "[click](command:workbench.action.terminal.new)";
const HOSTILE_KEY = "Control+Alt+1";

/** @param {import("../shared-editor.mjs").SharedEditor} shared */
export function fixedCapture(shared) {
  shared.scene("a capture that was saved", () => ({
    settings: { "extrospect.codeLens.minimumPercent": 0.1 },
    begin: async ({ editor }) => {
      await openCapture(editor, "shop");
      await flameCanvas(webview(editor.page)).waitFor();
    },
    keybindings: [{ key: "ctrl+alt+1", command: "extrospect.openSource", args: { functionName: `native${LINK}` } }],
    allowed: /text\.pb\.gz/,
    prepare: async (folder) => {
      for (const name of ["captures", "files"]) mkdirSync(join(folder, name));
      copyFileSync(join(FIXTURES, "demo.pb.gz"), join(folder, "captures/shop.pb.gz"));
      copyFileSync(join(FIXTURES, "go-cpu.pb.gz"), join(folder, "files/go-cpu.pb.gz"));
      for (const name of ["blocked.pb.gz", WAITS_ON_DISK])
        copyFileSync(join(FIXTURES, name), join(folder, "files", name));
      writeFileSync(join(folder, "files/cut.pb.gz"), readFileSync(join(FIXTURES, "demo.pb.gz")).subarray(0, 20_000));
      writeFileSync(join(folder, "files/text.pb.gz"), "This is no profile <b>at all</b>.");
      writeFileSync(join(folder, "files/some.folded"), "main;work 3\nmain;idle 2\n");
      const functions = [{ name: `native${LINK}`, rawName: `native!native${LINK}` }];
      writeFileSync(join(folder, "files/hostile.pb.gz"), await builtCapture({ functions }));
    },
    steps: (here) => {
      const { step, folder } = here;
      /** The source with the capture on it, alone in sight. */
      const pricing = async () => {
        if (!(await isAlone(here.editor, "demo_pricing.erl"))) {
          await closeAllTabs(here.editor);
          await openFile(here.editor, PRICING);
        }
        await lensesShown(here.editor);
      };
      /** The page of a command about the capture, alone in sight. @param {string} command @param {string} wanted */
      const page = async (command, wanted) => {
        await closeAllTabs(here.editor);
        await here.editor.command(`Extrospect: ${command}`);
        const frame = webview(here.editor.page);
        await frame.locator(wanted).first().waitFor();
        return frame;
      };

      const blameOfCopyStruct = async () => {
        const frame = await page("Show Blame", "#blame-query");
        const input = frame.locator("#blame-query");
        await input.click();
        await input.fill("copy_struct");
        await frame.locator("[role=option].active", { hasText: "copy_struct" }).waitFor();
        const answer = frame.locator(".answer", { hasText: /^copy_struct.*668 samples, 6\.9% of busy/ });
        await pressUntil(input, "Enter", () => answer.isVisible());
        return frame;
      };

      step("it opens from its row as a flame graph, and the status bar names it", async () => {
        const { editor } = here;
        await editor.showViews();
        await until("its samples", async () => (await shownSamples(webview(editor.page))) === SAMPLES);
        await until("its name", async () => (await captureInView(editor).innerText()).includes("shop"));
      });

      step(
        "lenses are above each function of own code, marks beside hot lines, with the figures of the file",
        async () => {
          const { editor } = here;
          await pricing();
          await until("the lenses", async () => {
            const { lenses } = await sourcePane(editor.page);
            assert.deepEqual(lenses, LENSES);
            return true;
          });
          await until("the marks", async () => {
            assert.deepEqual((await sourcePane(editor.page)).marks, MARKS);
            return true;
          });
        },
      );

      step("lenses, marks and figures are switched off and on", async () => {
        const { editor } = here;
        await pricing();
        const shown = async (
          /** @type {string} */ what,
          /** @type {(pane: import("../source-pane.mjs").SourcePane) => boolean} */ is,
        ) => until(what, async () => is(await sourcePane(editor.page)));
        await editor.command("Extrospect: Toggle Heat");
        await shown("no heat", ({ lenses, marks }) => lenses.length === 0 && marks.length === 0);
        await editor.command("Extrospect: Toggle Heat");
        await shown(
          "the heat",
          ({ lenses, marks }) => lenses.length === LENSES.length && marks.length === MARKS.length,
        );
        await editor.command("Extrospect: Toggle Inline Percentages");
        await shown("figures", ({ figures }) => /^\s*[\d.]+%$/.test(figures[BEST_PRICE + 3] ?? ""));
        await editor.command("Extrospect: Toggle Inline Percentages");
        await shown("no figures", ({ figures }) => Object.keys(figures).length === 0);
      });

      step("a hover over a hot line shows its callers; a caller's link opens the line of the call", async () => {
        const { editor } = here;
        await pricing();
        const hover = editor.page.locator(".monaco-hover:visible", { hasText: /% own [^]*Called from/ });
        const calling = { file: "demo_pricing.erl", line: headLine(TEXT, "handle_call") + 1 };
        // The hover may close before its text is read or its link is clicked.
        await tried("the line of the call", async (timeout) => {
          await editor.page.mouse.move(5, 5);
          await (await lineElement(editor, BEST_PRICE + 3)).locator("span span").first().hover({ timeout });
          await hover.waitFor({ timeout });
          const said = await hover.innerText({ timeout });
          assert.match(
            said,
            /demo_pricing:best_price\/2\s+0\.6% own ± 0\.2 \(58\) · 0\.6% self ± 0\.2 \(58\) · 8\.3% total ± 0\.6 \(804\) · of 9,644 busy samples/,
          );
          assert.match(said, /Called from: demo_pricing:best_price\/2 53\.5% · demo_pricing:handle_call\/3 46\.5%/);
          await hover.locator("a", { hasText: "demo_pricing:handle_call/3" }).first().click({ timeout });
          return until("it", () => isCursorAt(editor, calling), 2 * timeout);
        });
      });

      step("keys go from one hot line to the next and back by heat, across files", async () => {
        const { editor } = here;
        await pricing();
        const { page } = editor;
        const at = (/** @type {{file: string, line: number}} */ place, /** @type {number} */ timeout) =>
          worked(
            until(
              "the cursor",
              async () => {
                assert.deepEqual(await cursor(editor), place);
                return true;
              },
              timeout,
            ),
          );
        await tried("from the hottest line to the next ones and back", async (timeout) => {
          // A key that is lost would lead elsewhere: from the start then.
          await page.keyboard.press("Control+Alt+Home");
          if (!(await at(HOTTEST[0], timeout))) throw new Error(JSON.stringify(await cursor(editor)));
          for (const [key, place] of /** @type {const} */ ([
            ["Control+Alt+PageDown", HOTTEST[1]],
            ["Control+Alt+PageDown", HOTTEST[2]],
            ["Control+Alt+PageUp", HOTTEST[1]],
          ])) {
            await page.keyboard.press(key);
            if (!(await at(place, timeout))) throw new Error(`${key}: ${JSON.stringify(await cursor(editor))}`);
          }
          return true;
        });
      });

      step("the menu of the status bar leads to the hottest line and to the views", async () => {
        const { editor } = here;
        await pricing();
        const hottest = pickerRow(editor, "Go to the hottest line");
        await clickUntil(captureInView(editor).locator("a"), () => hottest.isVisible());
        for (const label of ["Show the summary", "Show the flame graph", "Show the hot functions"])
          await pickerRow(editor, label).waitFor();
        await chooseRow(hottest);
        await cursorAt(editor, HOTTEST[0]);
      });

      step("the menu of line numbers leads to the views of the line", async () => {
        const { editor } = here;
        await pricing();
        const line = BEST_PRICE + 3;
        await chooseFromMenu(editor, lineNumber(editor, line), "Hot Line…", {
          leadsTo: editor.page.locator(".quick-input-title", {
            hasText: `demo_pricing:best_price/2, line ${String(line)}`,
          }),
        });
        await pickerRow(editor, "Show the native work that it causes").waitFor();
        await closePicker(editor);
      });

      step(
        "from a lens to the flame graph, whose selection is marked in the source; search and a key lead to source lines",
        async () => {
          const { editor } = here;
          await pricing();
          await openLens(editor, "demo_pricing:best_price/2");
          await chooseRow(pickerRow(editor, "Show in the flame graph"));
          const frame = webview(editor.page);
          await flameCanvas(frame).waitFor();
          await selectionOf(frame, "demo_pricing:best_price/2");
          await until("its mark in the source", async () => {
            const { selected, text } = await sourcePane(editor.page);
            const inSight = Object.keys(text).map(Number);
            assert.deepEqual(
              selected,
              inSight.filter((line) => line >= BEST_PRICE && line <= lastLine(TEXT, BEST_PRICE)),
            );
            return selected.length > 0;
          });
          await frame.locator("input[type=search]").first().fill("demo_pricing:(best_price|redeem)");
          await until("found", async () => {
            assert.equal(await frame.locator(".search-result").innerText(), "2 functions · 8.37% of busy");
            return true;
          });
          await search(frame, "demo_sessions:resume");
          await until("no mark at another function", async () => {
            assert.deepEqual((await sourcePane(editor.page)).selected, []);
            return true;
          });
          await pressUntil(flameCanvas(frame), "o", () => isCursorAt(editor, { file: "demo_sessions.erl", line: 19 }));
          await until("its mark at the cursor", async () => (await sourcePane(editor.page)).selected.includes(19));
        },
      );

      step("the graph is exported to a file that the user names", async () => {
        const { editor } = here;
        const frame = await page("Show Flame Graph", ".pane:not([hidden]) canvas");
        await frame.getByLabel("Export").selectOption("folded");
        const file = join(folder, "graph.txt");
        await saveAs(editor, file);
        // The file is there before all of its text.
        await until("all busy samples in the file", () => {
          const lines = readFileSync(file, "utf8").trim().split("\n");
          const counts = lines.map((stack) => Number(stack.slice(stack.lastIndexOf(" "))));
          assert.equal(
            counts.reduce((sum, count) => sum + count, 0),
            BUSY,
          );
          return true;
        });
      });

      step("a Markdown text about the capture is copied, and the picture that it refers to is saved", async () => {
        const { editor } = here;
        await editor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        const frame = webview(editor.page);
        await frame.getByLabel("Export").selectOption("markdown");
        const file = join(folder, "graph.png");
        await saveAs(editor, file);
        await until("the text", async () => {
          const text = await editor.page.evaluate(() => navigator.clipboard.readText());
          assert.match(text, /^\*\*[^]*demo_stock\.erl:49[^]*\n!\[[^\n]*\]\(graph\.png\)\n$/);
          return true;
        });
        assert.equal(readFileSync(file).subarray(1, 4).toString(), "PNG");
      });

      step("the capture is exported as a page of its own, which has its samples", async () => {
        const { editor } = here;
        await editor.command("Extrospect: Export as HTML");
        const file = join(folder, "page.html");
        await saveAs(editor, file);
        await until("the whole page", () => {
          const text = readFileSync(file, "utf8");
          assert.match(text, /^<!DOCTYPE html>/);
          assert.match(text, /demo_pricing:best_price\/2/);
          assert.match(text, new RegExp(`\\b${BUSY.toLocaleString("en-US")}\\b|\\b${BUSY}\\b`));
          assert.ok(text.trimEnd().endsWith("</html>"));
          return true;
        });
      });

      step("the cause of copy_struct: from the row of an Erlang function to its line", async () => {
        const { editor } = here;
        const frame = await blameOfCopyStruct();
        const row = frame.locator(".grid-body .grid-row", { hasText: "demo_stock:take/1" }).first();
        await row.locator(".place").click();
        await cursorAt(editor, { file: "demo_stock.erl", line: 42 });
      });

      step("a view is exported as it is in sight: the answer and its rows, not the flame graph", async () => {
        const { editor } = here;
        await blameOfCopyStruct();
        await editor.command("Extrospect: Export as HTML");
        const file = join(folder, "blame.html");
        await saveAs(editor, file);
        await until("the whole page", () => {
          const text = readFileSync(file, "utf8");
          assert.match(text, /^<!DOCTYPE html>[^]*default-src[^]*copy_struct[^]*668 samples[^]*demo_stock:take\/1/);
          assert.doesNotMatch(text, /<script|<button/);
          assert.ok(text.trimEnd().endsWith("</html>"));
          return true;
        });
      });

      step("hot functions: own code first, sorted and filtered; Enter and a double click open the source", async () => {
        const { editor } = here;
        const frame = await page("Show Hot Functions", ".grid-body .grid-row");
        const names = () => frame.locator('.grid-body .grid-row[aria-level="2"] [data-column=name]').allTextContents();
        await until("own functions first", async () => {
          const [first = "", ...others] = await names();
          assert.match(first, /demo_stock:fetch\/1/);
          assert.ok(others.length > 3 && others.every((name) => name.includes("demo_")));
          return true;
        });
        await frame
          .getByRole("columnheader", { name: /^Self %/ })
          .getByRole("button")
          .click();
        await frame.locator("[role=columnheader][aria-sort=descending]", { hasText: "Self %" }).waitFor();
        await frame.locator("vscode-textfield input").first().fill("demo_pricing");
        await until("those of demo_pricing", async () => {
          const all = await names();
          assert.ok(all.length >= 3 && all.every((name) => name.includes("demo_pricing")), all.join());
          return true;
        });
        const row = frame.locator(".grid-body .grid-row", { hasText: "demo_pricing:redeem/2" });
        await row.locator("[data-column=name] .name").dblclick();
        await cursorAt(editor, { file: "demo_pricing.erl", line: headLine(TEXT, "redeem") });
        const other = frame.locator(".grid-body .grid-row", { hasText: "demo_pricing:best_price/2" });
        const selected = frame.locator('.grid:visible [aria-selected="true"]', {
          hasText: "demo_pricing:best_price/2",
        });
        await clickUntil(other.locator("[data-column=name] .name"), () => selected.isVisible());
        await pressUntil(frame.locator(".grid:visible"), "Enter", () =>
          isCursorAt(editor, { file: "demo_pricing.erl", line: BEST_PRICE }),
        );
      });

      step("the function at the cursor, and a selected row, are selected in the other views", async () => {
        const { editor } = here;
        await pricing();
        await editor.command("Extrospect: Show Hot Functions");
        const table = webview(editor.page);
        await table.locator(".grid-body .grid-row").first().waitFor();
        await editor.command("View: Focus First Editor Group");
        await goToLine(editor, 1);
        await goToLine(editor, BEST_PRICE + 3);
        await table.locator('.grid-row[aria-selected="true"]', { hasText: "demo_pricing:best_price/2" }).waitFor();
        await cursorAt(editor, { file: "demo_pricing.erl", line: BEST_PRICE + 3 });
        await table.locator("vscode-textfield input").first().fill("demo_pricing:redeem");
        await table
          .locator(".grid-body .grid-row", { hasText: "demo_pricing:redeem/2" })
          .locator(".name")
          .first()
          .click();
        // The next panel opens in the group that has the focus.
        await editor.page
          .locator(".editor-group-container.active .tab.active", { hasText: /^Hot Functions/ })
          .waitFor();
        await editor.command("Extrospect: Show Flame Graph");
        await flameCanvas(webview(editor.page)).waitFor();
        await selectionOf(webview(editor.page), "demo_pricing:redeem/2");
        await closeAllTabs(editor);
      });

      step("the summary names the kind of work and the hottest lines; a line opens its source", async () => {
        const { editor } = here;
        const frame = await page("Show Summary", ".places li");
        await until("the headline and the hottest lines", async () => {
          assert.equal(
            await frame.getByRole("heading", { level: 1 }).innerText(),
            "No kind of work stands out: garbage collection (29%), Erlang code (19%), copying terms (17%). The hottest function is demo_stock:fetch/1 (9%).",
          );
          const places = await frame.locator(".places li").allInnerTexts();
          assert.deepEqual(
            places.map((place) => place.split("\n").slice(0, 2)),
            [
              ["8.8%", "demo/src/demo_stock.erl:49"],
              ["6.9%", "demo/src/demo_sessions.erl:19"],
              ["6.8%", "demo/src/demo_reports.erl:42"],
              ["6.7%", "demo/src/demo_orders.erl:27"],
              ["5.5%", "demo/src/demo_catalog.erl:52"],
            ],
          );
          return true;
        });
        const link = frame.locator(".places .link").first();
        const place = await link.innerText();
        await link.click();
        await until("the place", async () => place.endsWith(`:${String((await cursor(editor)).line)}`));
      });

      step("edited text: lenses and marks move with it, an edited hot line is marked", async () => {
        const { editor } = here;
        await pricing();
        await goToLine(editor, 1);
        await typeIntoText(editor, "%% one more\n%% and another\n");
        await until("all moved by two lines", async () => {
          const { marks } = await sourcePane(editor.page);
          assert.deepEqual(
            marks,
            MARKS.map(({ line, icon }) => ({ line: line + 2, icon })),
          );
          return true;
        });
        const hot = BEST_PRICE + 3 + 2;
        await goToLine(editor, hot);
        await typeIntoText(editor, "Never = 0, ");
        await until("the line is marked as edited", async () =>
          (await sourcePane(editor.page)).marks.some(
            ({ line, icon }) => line === hot && icon.startsWith("heat-edited"),
          ),
        );
        await goToLine(editor, 1);
        await until("and the file has that", async () => {
          const { lenses } = await sourcePane(editor.page);
          assert.match(
            lenses.map(({ text }) => text).join("\n"),
            /Edited since the VM's code was compiled: 1 of 10 hot lines changed/,
          );
          return true;
        });
        await editor.command("File: Revert File");
        await until("the text as before", async () => {
          writeFileSync(join(folder, PRICING), TEXT);
          return (await sourcePane(editor.page)).text[2] === "-module(demo_pricing).";
        });
      });

      step("a profile of another program, and a file of another tool, open as captures", async () => {
        const { editor } = here;
        await openAsCapture(editor, "files/go-cpu.pb.gz");
        await flameCanvas(webview(editor.page)).waitFor();
        await until("its name", async () => (await captureInView(editor).innerText()).includes("go-cpu"));
        await editor.command("Extrospect: Show Hot Functions");
        const rows = webview(editor.page).locator("[role=treegrid] .grid-body .grid-row");
        await until("functions of Go", async () => /main\.|runtime\./.test((await rows.allInnerTexts()).join("\n")));
        await closeAllTabs(editor);
        await openAsCapture(editor, "files/some.folded");
        await until("its samples", async () => (await shownSamples(webview(editor.page))) === 5);
        await closeAllTabs(editor);
      });

      step("a capture of two types shows CPU time, and on request blocked time, in all views", async () => {
        const { editor } = here;
        const { page } = editor;
        await closeAllTabs(editor);
        await openAsCapture(editor, "files/blocked.pb.gz");
        await until("its samples", async () => (await shownSamples(webview(page))) === 1_185);
        const type = page.locator(".statusbar-item[id$='typeOfSamples']");
        await until("CPU time", async () => (await type.innerText()).trim() === "CPU Time");
        await closeAllTabs(editor);
        await openFile(editor, `files/${WAITS_ON_DISK}`);
        const lensOfSaved = (/** @type {string} */ wanted) =>
          until(wanted, async () => {
            const { lenses } = await sourcePane(page);
            assert.equal(lenses.find(({ about }) => about === "waits_on_disk:saved/2")?.text, wanted);
            return true;
          });
        const hoverOfSync = async (/** @type {RegExp} */ wanted) => {
          const hover = page.locator(".monaco-hover:visible", { hasText: /waits_on_disk:saved\/2/ });
          await tried("the hover", async (timeout) => {
            await page.mouse.move(5, 5);
            await (await lineElement(editor, SYNC)).locator("span span").first().hover({ timeout });
            return worked(hover.waitFor({ timeout }));
          });
          await until("both types in the hover", async () => {
            assert.match(await hover.innerText(), wanted);
            return true;
          });
        };
        await lensOfSaved("2.9% own (26) · 2.9% total (26)");
        await hoverOfSync(
          /≈ 1\.9% own ± [\d.]+ \(17\)[^]*Also blocked time: 34\.5% own \(513 ms, 84 ms\/s\) · 100\.0% of it in prim_file:sync\/1/,
        );
        await chooseRow(
          await rowOfCommand(
            editor,
            "Extrospect: Show: CPU Time / Blocked Time / Page Faults…",
            "where schedulers wait for the kernel, or for a processor",
          ),
        );
        await lensOfSaved("35.4% own (525 ms) · 35.4% total (525 ms) · blocked time");
        await until("blocked time", async () => (await type.innerText()).trim() === "Blocked Time");
        await hoverOfSync(
          /34\.5% own \(513 ms\)[^]*Also CPU time: ≈ 1\.9% own \(17\) · ≈ 100\.0% of it in prim_file:sync\/1/,
        );
        await editor.command("Extrospect: Show Hot Functions");
        const frame = webview(page);
        const row = frame.locator(".grid-body .grid-row", { hasText: "waits_on_disk:saved/2" }).first();
        await until("the same in the table", async () => {
          assert.match(await frame.locator("body").innerText(), /100% is 1,485 ms of blocked time without idle/);
          assert.match(await row.innerText(), /35\.4%/);
          return true;
        });
        await closeAllTabs(editor);
        await openCapture(editor, "shop");
        await type.waitFor({ state: "detached" });
        await closeAllTabs(editor);
      });

      step("hot functions stay with their capture, and follow the one in view on request", async () => {
        const { editor } = here;
        const { page } = editor;
        const titles = async () =>
          (await page.locator(".tab", { hasText: /^Hot Functions/ }).allInnerTexts()).map((title) => title.trim());
        const inView = (/** @type {string} */ name) =>
          until(`${name} in view`, async () => (await captureInView(editor).innerText()).includes(name));
        await closeAllTabs(editor);
        await openCapture(editor, "shop");
        await inView("shop");
        await editor.command("Extrospect: Show Hot Functions");
        const own = await until("its panel", async () => (await titles())[0]);
        await openCapture(editor, "go-cpu");
        await inView("go-cpu");
        await until("the panel as it was", async () => {
          assert.deepEqual(await titles(), [own]);
          return true;
        });
        await editor.command("Extrospect: Show Hot Functions");
        const other = await until("a panel of each", async () => {
          const [first, second, ...others] = await titles();
          return first === own && second !== own && others.length === 0 && second;
        });
        const rows = webview(page).locator("[role=treegrid] .grid-body .grid-row");
        await until("functions of Go", async () => /main\.|runtime\./.test((await rows.allInnerTexts()).join("\n")));
        await editor.command("Extrospect: Follow the Capture in View");
        // The command is of the panel in front: it has run before another one is.
        await page.locator('.editor-actions [aria-label^="Stay with This Capture"]').waitFor();
        await page.locator('.tab[data-resource-name="shop.pb.gz"]').first().click();
        await inView("shop");
        await until("both of the one in view", async () => {
          assert.deepEqual(await titles(), [own, own]);
          return true;
        });
        // The page that shows the rows has received before them that it follows, and keeps it over a reload.
        await page
          .locator(".tab", { hasText: /^Hot Functions/ })
          .nth(1)
          .click();
        await until("functions of the shop", async () => /demo_/.test((await rows.allInnerTexts()).join("\n")));
        await reloadWindow(editor);
        await until("them again", async () => /demo_/.test((await rows.allInnerTexts()).join("\n")));
        await page.locator('.tab[data-resource-name="go-cpu.pb.gz"]').first().click();
        await inView("go-cpu");
        await until("the one that followed follows", async () => {
          assert.deepEqual(await titles(), [own, other]);
          return true;
        });
        await closeAllTabs(editor);
      });

      step(
        "the rest of a truncated capture is shown, and a file that is no capture has a page with the reason",
        async () => {
          const { editor } = here;
          await closeAllTabs(editor);
          await openAsCapture(editor, "files/cut.pb.gz");
          await until("its samples", async () => (await shownSamples(webview(editor.page))) === 721);
          await webview(editor.page).getByText("The end of the file is missing").waitFor();
          await closeAllTabs(editor);
          await openAsCapture(editor, "files/text.pb.gz");
          const body = webview(editor.page).locator("body");
          await body.getByRole("heading", { name: "text.pb.gz cannot be shown" }).waitFor();
          await until("why", async () =>
            /none of the supported formats: pprof/.test(await body.getByRole("alert").innerText()),
          );
          await closeAllTabs(editor);
        },
      );

      step("a name that tries to be a link is shown as text", async () => {
        const { editor } = here;
        await openAsCapture(editor, "files/hostile.pb.gz");
        // The key is for the capture in view, and a page passes keys on only while it has the focus.
        await until("its name", async () => (await captureInView(editor).innerText()).includes("hostile"));
        const said = "its code has no debug information";
        await pressUntil(flameCanvas(webview(editor.page)), HOSTILE_KEY, () =>
          editor.message(said).first().isVisible(),
        );
        const message = await editor.notification(said);
        await until("the name as text", async () => {
          const text = await message.innerText();
          assert.ok(text.includes("[click] (command:workbench.action.terminal.new)"), text);
          assert.equal(await message.locator(".notification-list-item-message a").count(), 0, text);
          assert.equal(await editor.page.locator(".terminal-wrapper").count(), 0);
          return true;
        });
        await closeAllTabs(editor);
      });

      step("a capture has a note, is renamed and stays open, and is deleted after a question", async () => {
        const { editor } = here;
        await openCapture(editor, "shop");
        await editor.showViews();
        await answerFromMenu(editor, captureRow(editor, "shop"), "Edit Note of Capture…", {
          prompt: "Describe this capture",
          text: "a quiet day",
        });
        await captureRow(editor, /shop.*a quiet day/).waitFor();
        await answerFromMenu(editor, captureRow(editor, "shop"), "Rename…", { prompt: "New name", text: "first" });
        await captureRow(editor, "first").waitFor();
        await editor.page.locator(".tab", { hasText: "first.pb.gz" }).first().waitFor();
        const file = join(folder, "captures/first.pb.gz");
        assert.match(readProfile(file).comments.join("\n"), /a quiet day/);
        const dialog = editor.page.locator(".monaco-dialog-box");
        await chooseFromMenu(editor, captureRow(editor, "first"), "Delete…", { leadsTo: dialog });
        await until("the question", async () =>
          /Delete first\.pb\.gz\?[^]*There is no trash here/.test(await dialog.innerText()),
        );
        await dialog.getByRole("button", { name: "Delete Permanently" }).click();
        await captureRow(editor, "first").waitFor({ state: "detached" });
        assert.equal(existsSync(file), false);
      });
    },
  }));
}
