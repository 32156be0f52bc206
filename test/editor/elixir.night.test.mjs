// An Elixir umbrella: lenses, marks, hovers and hot lines of functions, macros, comprehensions, protocols and a dependency.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { ELIXIR_DEMO } from "../../scripts/demo-programs.mjs";
import { until } from "../until.mjs";
import { scene } from "./scene.mjs";
import { sourcePane } from "./source-pane.mjs";
import { attach, cursor, goToLine, lensesShown, lensFigures, lensOf, openFile } from "./workbench.mjs";

const UMBRELLA = ELIXIR_DEMO.project;
const PRICING = `${UMBRELLA}/apps/till/lib/till/pricing.ex`;

describe("an Elixir umbrella", () => {
  const here = scene({
    demo: true,
    program: ELIXIR_DEMO,
    settings: {
      "extrospect.capture.frequencyHz": 499,
      "extrospect.codeLens.minimumPercent": 0.1,
      "extrospect.heat.minimumPercent": 0.1,
    },
  });
  const { step, folder } = here;
  /** Line, from 1, of the first line that begins so. @param {string} file @param {string} text */
  const lineOf = (file, text) => {
    const index = readFileSync(join(folder, file), "utf8")
      .split("\n")
      .findIndex((line) => line.trimStart().startsWith(text));
    assert.ok(index >= 0, text);
    return index + 1;
  };

  step("functions of an application have their lenses, above their first clause", async () => {
    const { editor } = here;
    await openFile(editor, PRICING);
    await attach(editor, here.demo.pid);
    await lensesShown(editor);
    for (const [name, head] of /** @type {const} */ ([
      ["Till.Pricing.total/1", "def total("],
      ["Till.Pricing.best_price/2", "def best_price("],
      ["Till.Pricing.redeem/2", "defp redeem("],
    ])) {
      const lens = await lensOf(editor, name, (text) => lensFigures(text).attribution === "own");
      assert.equal(lens.line, lineOf(PRICING, head), name);
    }
    await editor.screenshot("elixir-lenses");
  });

  step("hot lines are marked, and keys go from one to the next", async () => {
    const { editor } = here;
    const { page } = editor;
    await until("marks", async () => (await sourcePane(page)).marks.length > 1);
    await goToLine(editor, 1);
    await page.keyboard.press("Control+Alt+PageDown");
    await until("the cursor on a mark", async () => {
      const [{ line }, { marks }] = [await cursor(editor), await sourcePane(page)];
      return line > 1 && marks.some((mark) => mark.line === line);
    });
  });

  for (const [what, file, name, head, goesBy] of /** @type {const} */ ([
    [
      "an implementation of a protocol",
      "apps/till/lib/till/priced.ex",
      "Till.Priced.Till.Book.cents/1",
      "def cents(%{title",
      "own",
    ],
    ["a server", "apps/till/lib/till/stock.ex", "Till.Stock.handle_call/3", "def handle_call({:take", "own"],
    [
      "another application of the umbrella",
      "apps/reports/lib/reports/daily.ex",
      "Reports.Daily.best_sellers/1",
      "def best_sellers(",
      "own",
    ],
    ["a dependency", "deps/money/lib/money.ex", "Money.format/1", "def format(", "self"],
  ])) {
    step(`${what} has its lens`, async () => {
      const { editor } = here;
      await openFile(editor, `${UMBRELLA}/${file}`);
      const lens = await lensOf(editor, name, (text) => lensFigures(text).attribution === goesBy);
      assert.equal(lens.line, lineOf(`${UMBRELLA}/${file}`, head));
    });
  }

  step("nothing failed behind the scenes", async () => {
    await here.editor.command("Extrospect: Stop Capture");
    assert.doesNotMatch(here.editor.log(), /\[error\]/);
  });
});
