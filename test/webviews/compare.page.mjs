// The panel that compares captures in Chromium: the real page, the real session behind it, and a real comparison.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { measured } from "../measured.mjs";
import { isNightly } from "../nightly.mjs";
import { until } from "../until.mjs";
import { assertAccessible, bundled, screenshot, startPanelPages, testByNight, THEME_NAMES } from "./panel-page.mjs";
import { scrolledFast } from "./scrolled-fast.mjs";

const REAL = JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/comparison.json.gz", import.meta.url))).toString());
const COMPARANDS = {
  base: ["file:///captures/demo.pb.gz"],
  new: ["file:///captures/demo-growing.pb.gz"],
  measure: null,
};
const MANY = isNightly ? 100_000 : 5_000;
const FIXTURES = new URL("../unit/capture/fixtures/", import.meta.url);
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;

describe("panel that compares captures", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let modules;
  before(async () => {
    [pages, modules] = await Promise.all([
      startPanelPages("compare"),
      bundled(
        "extension/src/panels/compare/compare-session.ts",
        "extension/src/panels/compare/compared-rows.ts",
        "extension/src/comparison/compared-graph.ts",
        "extension/src/capture/capture-model.ts",
      ),
    ]);
  });
  after(() => pages.stop());
  /** @type {import("playwright-core").Page[]} */
  const open = [];
  afterEach(() => Promise.all(open.splice(0).map((page) => page.close())));

  const capture = (/** @type {string} */ name) => ({
    capture: modules.decodeCapture(readFileSync(new URL(name, FIXTURES))),
  });
  /** Real stacks: those of one capture, and those of another. */
  const graphOfBoth = (/** @type {any} */ shape) =>
    modules.comparedGraph([capture("demo.pb.gz")], [capture("demo-growing.pb.gz")], REAL, shape);

  const messageOf = (
    /** @type {any} */ comparison,
    /** @type {any} */ comparands = COMPARANDS,
    /** @type {any[]} */ conditions = [],
  ) =>
    modules.comparedMessage(
      { comparison, conditions },
      comparands,
      { base: ["demo.pb.gz"], new: ["demo-growing.pb.gz"] },
      ["share", "cpu"],
    );

  /** @param {(comparands: any, signal: AbortSignal, kept: readonly string[]) => Promise<unknown>} compared @param {{comparands?: any, theme?: string, state?: unknown, width?: number}} [options] */
  async function opened(compared, { comparands = COMPARANDS, ...options } = {}) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    const asked = /** @type {any[]} */ ([]);
    const kept = /** @type {string[]} */ ([]);
    const session = new modules.CompareSession({
      compared: (/** @type {any} */ of, /** @type {AbortSignal} */ signal) => {
        asked.push(of);
        return compared(of, signal, kept);
      },
      keepConditions: async (/** @type {string[]} */ conditions) => void kept.splice(0, kept.length, ...conditions),
      graph: graphOfBoth,
      problem: (/** @type {Error} */ error) => ({ type: "problem", what: "It failed", why: error.message }),
      post: (/** @type {unknown} */ message) => void tell(message),
    });
    if (comparands !== null) void session.show(comparands);
    const view = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        void session.receive(message);
      },
    });
    open.push(view.page);
    return { ...view, session, asked, kept, toPage: (/** @type {unknown} */ message) => tell(message) };
  }

  const table = (/** @type {import("playwright-core").Page} */ page) => page.locator(".grid:visible");
  /**
   * The texts in one column of the rows in sight, all at one moment: a look at one row would wait for ever where the row
   * has gone out of sight since they were counted.
   * @param {import("playwright-core").Page} page @param {string} column
   */
  function column(page, column) {
    return table(page)
      .locator(".grid-body .grid-row:not(.head)")
      .evaluateAll((rows, id) => {
        const place = (/** @type {Element} */ row) => Number(row.getAttribute("aria-rowindex"));
        return rows
          .sort((a, b) => place(a) - place(b))
          .map((row) => /** @type {HTMLElement} */ (row.querySelector(`[data-column="${id}"]`)).innerText.trim());
      }, column);
  }
  const fold = (/** @type {import("playwright-core").Page} */ page) => table(page).locator(".grid-row.head");
  /** @param {import("playwright-core").Page} page @param {string} label @param {string} option */
  async function choose(page, label, option) {
    await page
      .locator(`vscode-single-select[label="${label}"], vscode-single-select`)
      .filter({ hasText: option })
      .first()
      .evaluate((select, wanted) => {
        const it = /** @type {any} */ (select);
        it.value = [...it.querySelectorAll("vscode-option")].find((one) => one.textContent.trim() === wanted).value;
        it.dispatchEvent(new Event("change"));
      }, option);
  }

  test("the whole program comes before all functions, with each capture's value and the smallest change that shows", async () => {
    const change = {
      base: 412.5,
      new: 355.1,
      base_samples: 9000,
      new_samples: 8000,
      change_pct: -13.9,
      low_pct: -16.2,
      high_pct: -11.5,
      verdict: "faster",
    };
    const whole = {
      measure: "work",
      unit: "µs",
      ...change,
      base_captures: [410, 415],
      new_captures: [350.5, 359.7],
      smallest_visible_pct: 4.2,
    };
    const { page } = await opened(async (comparands) => messageOf({ ...REAL, whole }, comparands));
    const line = page.getByRole("region", { name: "Whole program" });
    await line.waitFor();
    const text = await line.innerText();
    for (const part of [
      "412.5 µs before, 355.1 µs after",
      "▼ faster, -13.9%",
      "between -16.2% and -11.5%",
      "A change of 4.2% would be found 9 times out of 10.",
      "410.0 µs",
      "359.7 µs",
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    await assertAccessible(page);
    await screenshot(page, "compare-whole");
    const without = await opened(async (comparands) => messageOf({ ...REAL, whole: undefined }, comparands));
    await table(without.page).locator(".grid-row").nth(1).waitFor();
    assert.equal(await without.page.locator(".whole").isVisible(), false);
  });

  test("changes come first, with sign, word, figures on both sides and an interval for screen readers", async () => {
    const { page, problems } = await opened(async () => messageOf(REAL));
    await table(page).locator(".grid-row").nth(1).waitFor();
    const first = REAL.functions.filter((/** @type {any} */ row) =>
      ["slower", "faster", "new", "gone"].includes(row.own.verdict),
    );
    const verdicts = await column(page, "verdict");
    assert.ok(first.length > 0);
    for (const text of verdicts.slice(0, first.length)) assert.match(text, /^[▲▼✚✖]\s*(slower|faster|new|gone)$/);
    const name = (await column(page, "name"))[0];
    const row = REAL.functions.find((/** @type {any} */ it) => it.function === name);
    assert.equal((await column(page, "base"))[0], `${row.own.base.toFixed(1)}%`);
    assert.match((await column(page, "interval"))[0] ?? "", /^between [+-]\d+.*% and [+-]\d+.*%$/);
    assert.match(await page.locator(".sides").innerText(), /^ab12cd3 → 77aa001$/);
    assert.match(await page.locator(".remarks").innerText(), /One capture on a side/);
    assert.match(await page.locator(".counts").innerText(), /4 slower\s+▼ 1 faster\s+✚ 1 new\s+✖ 1 gone/);
    assert.deepEqual(problems, []);
    await assertAccessible(page);
  });

  test("filters by verdict, size, own code, module and name, and another time", async () => {
    const { page } = await opened(async () => messageOf(REAL));
    await table(page).locator(".grid-row").nth(1).waitFor();
    await choose(page, "Verdict", "Changes only");
    assert.ok((await column(page, "verdict")).every((text) => !/no significant change|too few/.test(text)));
    await choose(page, "Verdict", "All verdicts");
    await choose(page, "Time", "Self time");
    const all = REAL.functions.length;
    assert.match(await page.locator(".status").innerText(), new RegExp(`^${all} rows`));
    await page.locator("vscode-checkbox", { hasText: "Own code only" }).click();
    const own = REAL.functions.filter((/** @type {any} */ row) => row.own.base + row.own.new > 0).length;
    assert.equal(await page.locator(".status").innerText(), `${own} of ${all} rows`);
    await page.locator("vscode-checkbox", { hasText: "Own code only" }).click();
    await page.locator("vscode-textfield input").nth(1).fill("lists");
    await until("only functions of lists", async () =>
      (await column(page, "name")).every((name) => /^.?lists:/.test(name)),
    );
    await page.locator("vscode-textfield input").nth(1).fill("");
    await page.locator("vscode-textfield input").nth(0).fill("no such function");
    await page.getByText("No row fits the filter.").waitFor();
  });

  test("functions without a change are one row that counts those that fit, unfolds by keys and mouse, and stays as it was left", async () => {
    const isChanged = (/** @type {any} */ row) => ["slower", "faster", "new", "gone"].includes(row.own.verdict);
    const changed = REAL.functions.filter(isChanged).length;
    const unchanged = REAL.functions.length - changed;
    const { page, problems } = await opened(async () => messageOf(REAL));
    await fold(page).waitFor();
    assert.equal((await fold(page).innerText()).trim(), `▸\n${unchanged} without a change`);
    const rowCount = async () => Number(await table(page).getAttribute("aria-rowcount")) - 1;
    assert.equal(await rowCount(), changed + 1);
    assert.equal((await column(page, "name")).length, changed);
    assert.deepEqual(
      await fold(page).evaluate((row) =>
        ["aria-level", "aria-expanded", "aria-setsize"].map((name) => row.getAttribute(name)),
      ),
      ["1", "false", String(changed + 1)],
    );
    await screenshot(page, "compare-folded");
    await assertAccessible(page);

    await table(page).focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowRight");
    await until("unfolded", async () => (await rowCount()) === REAL.functions.length + 1);
    await page.keyboard.press("ArrowDown");
    const selected = table(page).locator('.grid-row[aria-selected="true"]');
    assert.match(
      await selected.locator('[data-column="verdict"]').innerText(),
      /no significant change|too few|not matched/,
    );
    assert.equal(await selected.getAttribute("aria-level"), "2");
    assert.equal(await selected.getAttribute("aria-setsize"), String(unchanged));
    await screenshot(page, "compare-unfolded");
    await assertAccessible(page);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await until("folded by Enter", async () => (await rowCount()) === changed + 1);

    // Sorted by another column it stays below the changes.
    await table(page).getByRole("button", { name: "Function" }).click();
    assert.match(
      await table(page)
        .locator(`[aria-rowindex="${changed + 2}"]`)
        .innerText(),
      /without a change/,
    );

    const own = (/** @type {any} */ row) => row.own.base + row.own.new > 0;
    const ownUnchanged = REAL.functions.filter((/** @type {any} */ row) => own(row) && !isChanged(row)).length;
    assert.ok(ownUnchanged > 0 && ownUnchanged < unchanged);
    await page.locator("vscode-checkbox", { hasText: "Own code only" }).click();
    await until("those of the filter", async () => (await fold(page).innerText()).includes(`${ownUnchanged} without`));
    await page.locator("vscode-checkbox", { hasText: "Own code only" }).click();

    // A name that is looked for is shown, and so is a verdict that is chosen.
    const sought = REAL.functions.find((/** @type {any} */ row) => !isChanged(row)).function;
    await page.locator("vscode-textfield input").nth(0).fill(sought);
    await until("the function", async () => (await column(page, "name")).includes(sought));
    await page.locator("vscode-textfield input").nth(0).fill("");
    await until("folded again", async () => (await rowCount()) === changed + 1);
    await choose(page, "Verdict", "Changes only");
    assert.equal(await fold(page).count(), 0);
    await choose(page, "Verdict", "≈ no significant change");
    await until("only those", async () =>
      (await column(page, "verdict")).every((text) => /no significant change/.test(text)),
    );
    assert.equal(await fold(page).count(), 0);
    await choose(page, "Verdict", "All verdicts");

    await fold(page).locator(".twistie").click();
    const state = await until("it is kept", async () => {
      const saved = /** @type {{unfolded?: boolean} | undefined} */ (await page.evaluate("savedState"));
      return saved?.unfolded === true && saved;
    });
    const again = await opened(async () => messageOf(REAL), { state });
    await fold(again.page).waitFor();
    assert.equal(await fold(again.page).getAttribute("aria-expanded"), "true");
    assert.deepEqual(problems, []);
  });

  testByNight(
    "rows have remarks beside the figures; the inside of the runtime and callers with the same change are shown with all rows",
    async () => {
      const [whole, wrapper, inside, ...rest] = REAL.functions;
      const functions = [
        { ...whole, group: "own", remark: "collections_moved" },
        { ...wrapper, group: "other", total: whole.total, wrapper_of: whole.function },
        { ...inside, group: "runtime" },
        ...rest.map((/** @type {any} */ row) => ({ ...row, group: "other" })),
      ];
      const moved = [
        {
          kind: "called_from_elsewhere",
          function: "lists:sort/1",
          from: ["shop:old/1"],
          to: "shop:new/1",
          went: { base: 1, new: 0 },
          came: { base: 0, new: 1 },
          text: "",
        },
      ];
      const { page, problems } = await opened(async () => messageOf({ ...REAL, functions, moved }));
      await table(page).locator(".grid-row").nth(1).waitFor();
      assert.match(
        await page.locator(".remarks").innerText(),
        /lists:sort\/1 is called from shop:new\/1 now, not from shop:old\/1\./,
      );
      const all = functions.length;
      assert.equal(await page.locator(".status").innerText(), `${all - 1} of ${all} rows`);
      await fold(page).locator(".twistie").click();
      await page.getByText("collections moved; its code did not change").waitFor();
      await choose(page, "Time", "Total time");
      await page.getByText("and 1 caller with the same change").waitFor();
      assert.equal(await page.locator(".status").innerText(), `${all - 2} of ${all} rows`);
      await assertAccessible(page);
      await page.locator("vscode-checkbox", { hasText: "Show all" }).click();
      await until("all rows", async () => (await page.locator(".status").innerText()) === `${all} rows`);
      assert.deepEqual(problems, []);
    },
  );

  test("the first column is whether the commit touched a function; sorted by it, those come first", async () => {
    const functions = REAL.functions.map((/** @type {any} */ row, /** @type {number} */ at) =>
      at % 3 === 2 ? row : { ...row, touched: at % 3 === 0 },
    );
    const { page } = await opened(async () => messageOf({ ...REAL, functions }));
    await table(page).locator(".grid-row").nth(1).waitFor();
    const columns = await table(page)
      .locator(".grid-body .grid-row:not(.head)")
      .first()
      .locator("[data-column]")
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("data-column")));
    assert.equal(columns[0], "touched");
    const shown = await table(page)
      .locator(".grid-body .grid-row:not(.head)")
      .evaluateAll((rows) =>
        rows.map((row) => [
          row.querySelector(".name")?.getAttribute("title"),
          row.querySelector('[data-column="touched"]')?.textContent?.trim(),
        ]),
      );
    assert.ok(shown.length > 0);
    for (const [name, text] of shown) {
      const rows = functions.filter((/** @type {any} */ row) => row.function === name);
      const texts = rows.map((/** @type {any} */ { touched }) => (touched === undefined ? "" : touched ? "yes" : "no"));
      assert.ok(texts.includes(text), `${name}: ${text}`);
    }
    await table(page).getByRole("button", { name: "Touched" }).click();
    await until("touched ones are first", async () => {
      const sorted = await column(page, "touched");
      const order = ["yes", "no", ""];
      const places = sorted.map((text) => order.indexOf(text));
      return places.every((place, at) => at === 0 || place >= (places[at - 1] ?? 0));
    });
    await assertAccessible(page);
  });

  test("Enter and a click go to the source; the tabs have classes and causes; another measure makes a new comparison", async () => {
    const { page, of, asked } = await opened(async (comparands) => messageOf(REAL, comparands));
    await table(page).locator(".place").first().click();
    assert.equal(of("openSource").length, 1);
    await page.keyboard.press("Enter");
    await until("the same once more", () => of("openSource").length === 2);
    assert.deepEqual(of("openSource")[0], of("openSource")[1]);
    await page.getByRole("tab", { name: "Kinds of work" }).click();
    assert.ok((await column(page, "class")).includes("Garbage collection"));
    await assertAccessible(page);
    await page.keyboard.press("ArrowRight");
    assert.ok((await column(page, "caller")).length > 3);
    await assertAccessible(page);
    await choose(page, "Measure", "CPU per second");
    await until("the other measure", async () => asked.length === 2);
    assert.equal(asked[1].measure, "cpu");
  });

  test("each condition has its field with its answer, and Enter judges all of them anew", async () => {
    const ANSWERS = /** @type {Record<string, string>} */ ({
      "slower>2%": "holds",
      "faster>90%": "does_not_hold",
      "idle.slower>1%": "cannot_tell",
    });
    const judged = (/** @type {string} */ condition) => {
      const answer = ANSWERS[condition];
      if (answer === undefined) return { condition, text: `\`${condition}\` is no condition ${HOSTILE}` };
      const gate = {
        condition,
        measure: "share",
        answer,
        certainty: "unknown",
        met_by: [],
        undecided: [],
        counts: [0, 0],
      };
      return { condition, gate, text: `${condition} ${answer.replaceAll("_", " ")}: as on the command line` };
    };
    let conditions = /** @type {string[]} */ ([]);
    const { page, kept, problems, asked } = await opened(async (comparands, _signal, known) =>
      messageOf(REAL, comparands, (conditions = [...known]).map(judged)),
    );
    const gates = page.getByRole("region", { name: "Gate" });
    const another = gates.getByRole("textbox", { name: "Another condition" });
    await another.waitFor();
    assert.equal(await gates.locator(".gate-answer").count(), 0);
    for (const condition of [...Object.keys(ANSWERS), "slow>2%"]) {
      await another.fill(condition);
      await another.press("Enter");
      await gates.locator(".gate-answer", { hasText: condition }).waitFor();
    }
    assert.deepEqual(conditions, [...Object.keys(ANSWERS), "slow>2%"]);
    assert.equal(asked.length, 5);
    const answers = gates.locator(".gate-answer");
    assert.deepEqual(
      (await answers.allInnerTexts()).slice(0, 3).map((text) => text.replaceAll(/\s+/g, " ")),
      [
        "✗ slower>2% holds: as on the command line",
        "✓ faster>90% does not hold: as on the command line",
        "? idle.slower>1% cannot tell: as on the command line",
      ],
    );
    // The keyboard is where it was, and the sentence of the parser at the field.
    const invalid = gates.getByRole("textbox", { name: "Condition", exact: true }).nth(3);
    assert.equal(await invalid.evaluate((field) => field === document.activeElement), true);
    assert.equal(await invalid.getAttribute("aria-invalid"), "true");
    const description = (await invalid.getAttribute("aria-describedby")) ?? "";
    assert.match(await page.locator(`#${description}`).innerText(), /`slow>2%` is no condition/);
    assert.equal(await gates.locator("img").count(), 0);
    await assertAccessible(page);
    await screenshot(page, "compare-gates");
    await invalid.fill("");
    await invalid.press("Enter");
    await until("it is gone", async () => (await answers.count()) === 3);
    assert.deepEqual(kept, Object.keys(ANSWERS));
    assert.deepEqual(problems, []);
  });

  test("the comparison is copied as Markdown by its button", async () => {
    const { page, of } = await opened(async (comparands) => messageOf(REAL, comparands));
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await until("the request", async () => of("copyMarkdown").length === 1);
  });

  test("the flame graph of both sides: signs, both widths, what vanished, keys, search and the way to the source", async () => {
    const { page, of, problems } = await opened(async (comparands) => messageOf(REAL, comparands));
    await page.getByRole("tab", { name: "Flame graph" }).click();
    const canvas = page.locator(".pane canvas");
    await canvas.focus();
    const line = page.locator(".frame-line");
    await until("the root", async () =>
      /^all, no significant change.*, 100.0% before, 100.0% after$/.test(await line.innerText()),
    );
    await page.keyboard.press("ArrowDown");
    await until("a frame", async () => /before, \d+\.\d% after, /.test(await line.innerText()));
    await page.locator(".tooltip", { hasText: "Before" }).waitFor({ state: "hidden" });
    const box = await canvas.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 4, box.y + 30);
    await page.locator(".tooltip dt", { hasText: "Before" }).waitFor();
    assert.deepEqual(
      await page
        .locator(".tooltip dt")
        .allInnerTexts()
        .then((terms) => terms.slice(0, 3)),
      ["After", "Before", "Change"],
    );
    await assertAccessible(page);
    const graph = graphOfBoth({
      inverted: false,
      hideNative: false,
      hideKernel: false,
      collapseRecursion: true,
      vanished: true,
    });
    const gone = [...graph.difference.nodeChange].filter((change) => change === 4).length;
    assert.ok(gone > 0, "the fixtures have stacks that are gone");
    assert.doesNotMatch(await page.locator(".change-graph .legend").innerText(), /gone/);
    await page.getByRole("button", { name: "Vanished stacks" }).click();
    await until("what is gone has its sign", async () =>
      /✖ gone/.test(await page.locator(".change-graph .legend").innerText()),
    );
    assert.equal(of("graph").at(-1).shape.vanished, true);
    await page.getByRole("button", { name: "Tree", exact: true }).click();
    await page.locator(".tree-row").nth(3).waitFor();
    await assertAccessible(page);
    const named = await page.locator(".tree-row .tree-name", { hasText: ":" }).first();
    await named.click();
    await page.keyboard.press("o");
    await until("the source is requested", async () => of("openFrame").length === 1);
    assert.equal(of("openFrame")[0].functionName, await named.getAttribute("title"));
    await page.locator(".change-graph vscode-textfield input").fill("lists:");
    await until("how many match", async () =>
      /functions? · [\d.]+% of busy/.test(await page.locator(".change-graph [role=status]").first().innerText()),
    );
    assert.deepEqual(problems, []);
  });

  testByNight(
    "in the flame graph of both sides a click selects, a double click zooms and goes back, Enter goes to the source",
    async () => {
      const { page, of, problems } = await opened(async (comparands) => messageOf(REAL, comparands));
      await page.getByRole("tab", { name: "Flame graph" }).click();
      const line = page.locator(".frame-line");
      await until("the root", async () => /^all, /.test(await line.innerText()));
      const canvas = page.locator(".pane canvas");
      await canvas.focus();
      const box = (await canvas.boundingBox()) ?? assert.fail();
      const underRight = async () => {
        await page.mouse.move(box.x + box.width - 6, box.y + 30);
        const tooltip = page.locator(".tooltip");
        return (await tooltip.isVisible()) ? tooltip.locator(".tooltip-name").innerText() : "";
      };
      const before = await underRight();
      await page.mouse.click(box.x + 20, box.y + 30);
      await until("the first frame is selected", async () => !/^all, /.test(await line.innerText()));
      const name = (await line.innerText()).split(", ")[0] ?? "";
      assert.notEqual(before, name);
      assert.equal(await underRight(), before);
      await page.mouse.dblclick(box.x + 20, box.y + 30);
      await until("zoomed", async () => (await underRight()) === name);
      await page.mouse.dblclick(box.x + 20, box.y + 30);
      await until("as before", async () => (await underRight()) === before);
      await page.keyboard.press("Enter");
      await until("the source is requested", async () => of("openFrame").length === 1);
      assert.equal(of("openFrame")[0].functionName, name);
      assert.deepEqual(problems, []);
    },
  );

  testByNight(
    "captures without a duration have no length; a verdict of no significant change explains itself",
    async () => {
      const { page } = await opened(async () =>
        messageOf({ ...REAL, base: { ...REAL.base, seconds: 0 }, new: { ...REAL.new, seconds: 0 } }),
      );
      await table(page).locator(".grid-row").nth(1).waitFor();
      assert.doesNotMatch(await page.locator("header").innerText(), / s\b/);
      await choose(page, "Verdict", "≈ no significant change");
      const cell = table(page).locator('.grid-body [data-column="verdict"]').first();
      assert.match((await cell.getAttribute("title")) ?? "", /chance alone/);
    },
  );

  testByNight(
    "the name of a function has precedence over the remarks of its row, and a pressed button shows it in high contrast",
    async () => {
      const functions = REAL.functions.map((/** @type {any} */ row) => ({ ...row, remark: "not_sampled_there" }));
      const { page } = await opened(async () => messageOf({ ...REAL, functions }), {
        theme: "high-contrast",
        width: 800,
      });
      await table(page).locator(".grid-row").nth(1).waitFor();
      const cut = await table(page)
        .locator(".grid-body .cell:has(.matched)")
        .evaluateAll((cells) =>
          cells
            .filter((cell) => {
              const [name, said] = [".name", ".matched"].map(
                (part) => /** @type {Element} */ (cell.querySelector(part)),
              );
              return name && said && name.scrollWidth > name.clientWidth && said.clientWidth > 1;
            })
            .map((cell) => cell.textContent),
        );
      assert.deepEqual(cut, []);
      await page.getByRole("tab", { name: "Flame graph" }).click();
      const pressed = page.locator('vscode-button[aria-pressed="true"]').first();
      await pressed.waitFor();
      const outline = await pressed.evaluate(
        (button) =>
          getComputedStyle(/** @type {Element} */ (button.shadowRoot?.querySelector('[part~="base"]'))).outlineStyle,
      );
      assert.equal(outline, "solid");
    },
  );

  test("where work was counted, its measure is offered, and the page shows the amount of work and the caveats of shares", async () => {
    const orders = {
      ...REAL,
      measure: "work",
      work: "orders <b>",
      base: { ...REAL.base, work: 12_300 },
      new: { ...REAL.new, work: 99.25 },
    };
    const notes = [
      { kind: "share_against_work", values: ["3", "shop:price/1", "2", "1", "0", "0", ""], text: "" },
      { kind: "work_backwards", values: ["a.pb.gz", "orders", "5", "4"], text: "" },
    ];
    const { page, problems, asked } = await opened(async (comparands) =>
      messageOf({ ...orders, measure: comparands.measure ?? "work", notes }, comparands),
    );
    await table(page).locator(".grid-row").nth(1).waitFor();
    const sizes = page.getByText("busy samples in").first();
    assert.match(
      await sizes.innerText(),
      /, 12,300 orders <b> · .*, 99\.3 orders <b> · Microseconds of CPU per unit of work \(orders <b>\)\./,
    );
    assert.match((await column(page, "base"))[0] ?? "", /µs$/);
    const remarks = await page.locator(".remarks").innerText();
    assert.match(
      remarks,
      /3 figures changed by share but not by CPU per unit of work, for example of shop:price\/1 \(2 self, 1 total, 0 own\)/,
    );
    assert.match(remarks, /a\.pb\.gz: the counter of orders went backwards, from 5 to 4/);
    await choose(page, "Measure", "Share of busy samples");
    await until("the other measure", async () => asked.length === 2);
    await page.getByText("Percent of the busy samples").waitFor();
    await choose(page, "Measure", "CPU per unit of work");
    await until("the measure of work again", async () => asked.length === 3);
    assert.equal(asked[2].measure, "work");
    assert.deepEqual(problems, []);
  });

  testByNight(
    "averages of the VMs are a small table, with the spread of several captures and no verdict of too few",
    async () => {
      const mean = (/** @type {number} */ captures, /** @type {number} */ value) => ({
        captures,
        mean: value,
        least: value / 2,
        most: value * 2,
      });
      const tracks = [
        { track: "runQueue", base: mean(1, 3.25), new: mean(1, 12), verdict: null },
        { track: "memory", base: mean(6, 2e9), new: mean(6, 8.5e9), verdict: "more" },
      ];
      const { page, problems } = await opened(async () => messageOf({ ...REAL, tracks }));
      await page.getByText("The VMs during the captures").click();
      const rows = await page.locator(".tracks tbody tr").all();
      const texts = await Promise.all(
        rows.map(async (row) => (await row.locator("th, td").allInnerTexts()).join(" | ")),
      );
      assert.deepEqual(texts, [
        "Run queue | 3.3 | 12.0 | ",
        "Memory | 2.00 GB (1.00 GB to 4.00 GB) | 8.50 GB (4.25 GB to 17.0 GB) | more",
      ]);
      await screenshot(page, "compare-tracks");
      await assertAccessible(page);
      assert.deepEqual(problems, []);
      await page.close();
      const without = await opened(async () => messageOf(REAL));
      await without.page.locator(".grid:visible").waitFor();
      assert.equal(await without.page.locator(".tracks").isHidden(), true);
      await without.page.close();
    },
  );

  test("work can be cancelled and repeated, problems have their reason, and without captures the page offers a selection", async () => {
    const { page, asked } = await opened(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cancelled")))),
    );
    await page.getByText("Comparing…").waitFor();
    await page.getByText("Cancel").click();
    await page.getByText("The comparison was cancelled.").waitFor();
    await page.getByText("Try Again").click();
    await until("requested again", async () => asked.length === 2);
    const refused = await opened(async () => ({
      type: "problem",
      what: "These captures cannot be compared",
      why: HOSTILE.slice(0, 300),
    }));
    await refused.page.getByText("These captures cannot be compared").waitFor();
    assert.equal(await refused.page.getByRole("button", { name: "Compare Anyway" }).count(), 0);
    for (const [choice, help] of [
      ["kernel_time", "all work of the kernel then counts as a change"],
      ["several_commits", "differences between the commits then count as chance"],
      ["other_project", "functions of only one of them then count as new or gone"],
      ["nothing_in_common", "functions of only one of them then count as new or gone"],
    ]) {
      const refused = await opened(async (comparands) =>
        comparands.anyway === true
          ? messageOf(REAL, comparands)
          : { type: "problem", what: "These captures cannot be compared", why: "so it is", choice },
      );
      await refused.page.getByText(help ?? "").waitFor();
      await refused.page.getByRole("button", { name: "Compare Anyway" }).click();
      await table(refused.page).locator(".grid-row").nth(1).waitFor();
      assert.equal(refused.asked.at(-1).anyway, true);
    }
    const empty = await opened(async () => messageOf(REAL), { comparands: null });
    await empty.page.getByText("No captures are chosen").waitFor();
    await empty.page.getByText("Compare Captures…").click();
    assert.equal(empty.of("choose").length, 1);
    await assertAccessible(empty.page);
  });

  testByNight("a panel that comes back compares what it did", async () => {
    const { asked } = await opened(async (comparands) => messageOf(REAL, comparands), {
      comparands: null,
      state: { comparands: COMPARANDS, tab: "blame" },
    });
    await until("requested", async () => asked.length === 1);
    assert.deepEqual(asked[0], COMPARANDS);
  });

  testByNight("the choice of captures is shown first, and again in a panel that comes back", async () => {
    const remarks = ["feature is compared with 1a2b3c4, where it branched off main.", HOSTILE];
    const { page, asked } = await opened(async (comparands) => messageOf(REAL, comparands), {
      comparands: null,
      state: { comparands: { ...COMPARANDS, remarks } },
    });
    await table(page).locator(".grid-row").nth(1).waitFor();
    assert.equal(await page.locator(".remarks li").first().innerText(), remarks[0]);
    assert.equal(asked[0].remarks[0], remarks[0]);
    assert.ok(asked[0].remarks[1].length <= 500);
    assert.equal(await page.locator("img").count(), 0);
  });

  const touch = (/** @type {any} */ more) => ({
    kind: "function",
    name: "",
    place: "shop.erl:6",
    lines: "6",
    explains: null,
    ...more,
  });
  const commitOf = (/** @type {any} */ more) => ({
    commit: "ab12cd3",
    subject: "The sum is checked",
    author: "Ada Lovelace",
    authoredUnixMs: Date.UTC(2026, 10, 20),
    isMerge: false,
    touches: [touch({})],
    ...more,
  });
  const WHOSE = {
    type: "whoseLines",
    name: "shop:cart/1",
    range: { older: "1a2b3c4", newer: "ab12cd3", count: 4 },
    notes: ["This clone is shallow."],
    commits: [
      commitOf({
        commit: "",
        subject: "",
        author: "",
        authoredUnixMs: 0,
        touches: [touch({ kind: "lines", lines: "7–8", place: "shop.erl:7" })],
      }),
      commitOf({
        isMerge: true,
        touches: [
          touch({ kind: "lines" }),
          touch({ kind: "callee", name: "shop_tax:tax/1", explains: 0.5, place: "shop_tax.erl:4", lines: "4, 9" }),
        ],
      }),
      commitOf({ commit: "77aa001", subject: HOSTILE.slice(0, 200), author: HOSTILE.slice(0, 200) }),
    ],
  };

  test("whose line opens by key, menu and button; it lists the commits that touched it, the best fit first, and opens each difference", async () => {
    const { page, of, session, toPage } = await opened(async () => messageOf(REAL));
    await table(page).locator(".grid-row").nth(1).waitFor();
    await table(page).focus();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Whose Line?" }).click();
    await page.keyboard.press("Escape");
    await table(page).focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Whose Line?" }).click();
    assert.equal(of("whoseLine").length, 3);
    assert.deepEqual(of("whoseLine")[0], of("whoseLine")[2]);
    await toPage({ type: "askingWhose", name: "shop:cart/1" });
    await page.getByText("Querying git…").waitFor();
    await assertAccessible(page);
    await page.getByRole("region", { name: "Whose line: shop:cart/1" }).getByText("Cancel").click();
    assert.equal(of("stopWhoseLine").length, 1);
    assert.equal(await page.locator(".whose").isVisible(), false);
    await toPage(WHOSE);
    const commits = page.locator(".whose-commits > li");
    assert.equal(await commits.count(), 3);
    assert.match(
      await commits.nth(0).innerText(),
      /^not committed\s+shop\.erl:7 touched lines 7–8, where its time changed$/,
    );
    assert.match(
      await commits.nth(1).innerText(),
      /^ab12cd3\s+The sum is checked\s+merge\s+Ada Lovelace\s+.*20.*\s+shop\.erl:6 touched line 6, where its time changed\s+shop_tax\.erl:4 touched lines 4, 9 of shop_tax:tax\/1, which it calls: 50% of the change$/,
    );
    assert.match(
      await page.locator(".whose").innerText(),
      /4 commits from 1a2b3c4 to ab12cd3\. The best fit comes first\. A commit that touched the function is not necessarily the cause\./,
    );
    assert.equal(await page.locator("img").count(), 0);
    await page.getByRole("button", { name: "Show the difference of shop_tax.erl:4 in ab12cd3" }).click();
    assert.deepEqual(of("openTouch"), [{ type: "openTouch", commit: 1, touch: 1 }]);
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".whose").isVisible(), false);
    await until("the focus back in the table", () => table(page).evaluate((grid) => grid === document.activeElement));
    await toPage({ ...WHOSE, commits: [], notes: [] });
    await page.getByText("No commit between both sides touched it").waitFor();
    // Another comparison has other functions.
    await session.show(COMPARANDS);
    await until("it is gone", async () => !(await page.locator(".whose").isVisible()));
  });

  test(`names of others are text, and ${MANY.toLocaleString("en-US")} functions are a table like any other`, async (t) => {
    const one = REAL.functions[0];
    const many = {
      ...REAL,
      functions: Array.from({ length: MANY }, (_, index) => ({
        ...one,
        function: index === 0 ? HOSTILE : `m${index}:f/1`,
      })),
    };
    const { page, problems } = await opened(async () => messageOf(many));
    await fold(page).locator(".twistie").click();
    await table(page).locator(".grid-row").nth(2).waitFor();
    const { median, most } = await scrolledFast(page);
    if (isNightly) measured(t, "comparison of 100,000 functions, median scroll frame", median);
    assert.ok(most < 100, `${most} rows`);
    assert.equal(await table(page).getAttribute("aria-rowcount"), String(MANY + 2), "with the head and the fold");
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(problems, []);
  });

  for (const theme of THEME_NAMES) {
    test(`in the theme ${theme}`, async () => {
      const { page, toPage } = await opened(async () => messageOf(REAL), { theme });
      await table(page).locator(".grid-row").nth(1).waitFor();
      await assertAccessible(page, { theme });
      await screenshot(page, `compare-${theme}`);
      await toPage(WHOSE);
      await assertAccessible(page, { theme, byDay: true });
      await screenshot(page, `whose-line-${theme}`);
      await page.locator(".whose").getByText("Close").click();
      await page.getByRole("tab", { name: "Flame graph" }).click();
      await until("the graph", async () => /after/.test(await page.locator(".frame-line").innerText()));
      await page.getByRole("button", { name: "Vanished stacks" }).click();
      await page.locator(".change-graph .legend", { hasText: "gone" }).waitFor();
      await assertAccessible(page, { theme });
      await screenshot(page, `compare-graph-${theme}`);
    });
  }
});
