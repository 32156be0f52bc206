// The top table in Chromium: the real page, the real session behind it, captures of the demo VM, and 100,000 functions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { measured } from "../measured.mjs";
import { isNightly } from "../nightly.mjs";
import { until } from "../until.mjs";
import { openExported } from "./exported.mjs";
import {
  assertAccessible,
  bundled,
  clock,
  screenshot,
  startPanelPages,
  testByNight,
  THEME_NAMES,
} from "./panel-page.mjs";
import { scrolledFast } from "./scrolled-fast.mjs";

/** @typedef {import("playwright-core").Page} Page */

const DEMO = readFileSync(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
const GROWING = readFileSync(new URL("../unit/capture/fixtures/demo-growing.pb.gz", import.meta.url));
const TEXTS = {
  noCapture: "No capture is in view.",
  noSamples: () => "No samples.",
  noSamplesYet: () => "No samples yet.",
  noSamplesLeft: "No samples left.",
  failed: (/** @type {string} */ why) => `Failed: ${why}`,
  remark: (/** @type {{remark?: string}} */ facts) => facts.remark ?? "",
};
const PLAIN_VIEW = { attribution: "self", percentOf: "busy", originOf: () => undefined };
const DEFAULT_TREE = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: true,
  groupBy: "none",
};
const MANY = isNightly ? 100_000 : 5_000;
// A colon comes after all digits, a slash before them.
const LAST_OF_MANY = isNightly ? "mod_9:fn_99009/4" : "mod_9:fn_9/4";
const MOST_ROW_ELEMENTS = 200;
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;

/**
 * A capture of many functions, as far as the table needs it.
 * @param {number} count @param {(index: number) => string} nameOf
 */
function manyFunctions(count, nameOf) {
  const functions = Array.from({ length: count }, (_, index) => ({
    name: nameOf(index),
    rawName: "",
    object: "",
    kind: index % 3 === 0 ? "native" : "erlang",
    file: `/app/src/m${index % 500}.erl`,
    headLine: index % 900,
  }));
  const rows = functions.map(({ name, kind, file, headLine }, functionIndex) => ({
    name,
    functionIndex,
    oneOf: functionIndex,
    kind,
    file,
    line: headLine,
    calledFrom: "",
    own: 0,
    self: count - functionIndex,
    total: count,
  }));
  return {
    totals: { samples: count * 10, busy: count * 10 },
    facts: { unit: "samples", isOwn: true },
    functions,
    classSplit: () => [],
    nodeShares: () => [],
    top: () => ({ samples: count * 10, busy: count * 10, rows }),
  };
}

describe("top table", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let sessions;
  /** @type {any} */
  let model;
  before(async () => {
    [pages, sessions, model] = await Promise.all([
      startPanelPages("top"),
      bundled("extension/src/panels/top/top-session.ts", "extension/src/panels/page/exported-page.ts"),
      bundled("extension/src/capture/capture-model.ts"),
    ]);
  });
  after(() => pages.stop());

  /** @param {any} capture @param {{live?: boolean, firstRow?: string, theme?: string, width?: number, state?: unknown, selected?: object, view?: {attribution: string, percentOf: string, minimumSamples?: number, originOf: (index: number) => unknown}}} [options] */
  async function opened(
    capture,
    { live = false, view = PLAIN_VIEW, selected = undefined, firstRow = ".grid-body .grid-row", ...options } = {},
  ) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    /** @type {unknown[]} */
    const failures = [];
    // In the editor it is a setting, which the page's switch changes.
    let { percentOf } = view;
    const session = new sessions.TopSession({
      ...clock,
      texts: TEXTS,
      selected,
      current: () =>
        capture && { capture, title: "demo@host, 14:03", live, uri: "file:///demo.pb.gz", ...view, percentOf },
      post: (/** @type {unknown} */ message) => void tell(message),
      problem: (/** @type {unknown} */ error) => failures.push(error),
    });
    const shown = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        if (message.type === "view") percentOf = message.view.ofBusy ? "busy" : "all";
        session.receive(message);
      },
    });
    await shown.page.waitForSelector(capture ? firstRow : ".notice p");
    return { ...shown, session, failures };
  }
  const names = (/** @type {Page} */ page) =>
    page.evaluate(() =>
      [...document.querySelectorAll(".grid-body .grid-row")]
        .sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
        .map((row) => row.querySelector(".name")?.textContent),
    );
  const settled = (/** @type {Page} */ page) =>
    page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))),
    );
  const active = (/** @type {Page} */ page) =>
    page.evaluate(
      () =>
        document
          .getElementById(document.activeElement?.getAttribute("aria-activedescendant") ?? "")
          ?.querySelector(".name")?.textContent,
    );

  testByNight(
    "what has to be known of all figures of a capture stands above them, for as long as it is so",
    async () => {
      const capture = manyFunctions(5, (index) => `shop:f/${index}`);
      const facts = {
        ...capture.facts,
        remark: "User code only: at least 41% of the VM's processor time (kernel) is not included",
      };
      const shown = { ...capture, facts };
      const { page, session, problems } = await opened(shown);
      const remark = page.locator("aside.capture-remark");
      await until("it is shown", async () => (await remark.textContent()) === facts.remark);
      assert.ok(await remark.isVisible());
      await assertAccessible(page);
      shown.facts = { ...facts, remark: "" };
      session.captureChanged();
      await until("it is no longer shown", async () => await remark.isHidden());
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  test("figures of few samples are marked: self by self samples, total by total ones", async () => {
    const capture = manyFunctions(5, (index) => `shop:f/${index}`);
    const view = { ...PLAIN_VIEW, minimumSamples: 4 };
    const { page, problems, failures } = await opened(capture, { view });
    const column = (/** @type {string} */ id) =>
      page.evaluate(
        (wanted) =>
          [...document.querySelectorAll(".grid-body .grid-row")]
            .sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
            .map((row) => row.querySelector(`[data-column=${wanted}] .bar-figure`)?.textContent),
        id,
      );
    assert.deepEqual(await column("self"), ["10.0%", "8.0%", "≈ 6.0%", "≈ 4.0%", "≈ 2.0%"]);
    assert.deepEqual(await column("total"), Array(5).fill("10.0%"));
    const help = async (/** @type {number} */ row) =>
      page.locator(`.grid-body .grid-row[aria-rowindex='${row}'] [data-column=self]`).getAttribute("title");
    assert.match((await help(6)) ?? "", /A full bar is 10\.0%.* ≈ Too few samples to trust: fewer than 4\./);
    assert.doesNotMatch((await help(2)) ?? "", /≈/);
    await assertAccessible(page);
    await screenshot(page, "top-few-samples");
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("a requested function is selected and in sight, whatever the filter", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, session, problems, failures } = await opened(capture);
    // The table is of the busy samples: a function with only idle samples has no row.
    const classes = capture.classSplit().map((/** @type {any} */ one) => one.sampleClass);
    const { rows } = capture.top({ classes: classes.filter((/** @type {string} */ one) => one !== "idle") });
    const erlang = rows.findLast((/** @type {any} */ row) => row.kind === "erlang" && row.functionIndex >= 0);
    const native = rows.findLast(
      (/** @type {any} */ row) => row.kind === "native" && row.self === 0 && row.functionIndex >= 0,
    );
    const inSight = () =>
      page.evaluate(() => {
        const grid = document.querySelector(".grid")?.getBoundingClientRect();
        const row = document.querySelector('.grid-row[aria-selected="true"]')?.getBoundingClientRect();
        return grid !== undefined && row !== undefined && row.top >= grid.top && row.bottom <= grid.bottom;
      });
    await page.locator("vscode-textfield input").fill("nothing is called that");
    session.reveal(erlang.name);
    await until("its row is selected", async () => (await active(page)) === erlang.name);
    assert.equal(await inSight(), true);
    await until("the filter is empty", async () => (await page.locator("vscode-textfield input").inputValue()) === "");
    await page.getByText("Only Erlang", { exact: false }).first().click();
    await settled(page);
    session.reveal(native.name);
    await until("its row is selected", async () => (await active(page)) === native.name);
    assert.equal(await inSight(), true);
    session.reveal("nothing:here/0");
    await settled(page);
    assert.equal(await active(page), native.name);
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("a selected row is shared, and a function that another view selects is marked without the focus", async () => {
    const capture = model.decodeCapture(DEMO);
    const [one, other] = capture.top().rows.filter((/** @type {any} */ row) => row.kind === "erlang");
    let index = -1;
    const selected = {
      current: () => (index < 0 ? undefined : index),
      select: (/** @type {number} */ functionIndex) => void (index = functionIndex),
    };
    const { page, session, problems, failures } = await opened(capture, { selected });
    await page.locator(".grid-body .grid-row", { hasText: one.name }).first().locator(".name").first().click();
    await until("it is shared", () => index === one.functionIndex);
    await page.locator("vscode-textfield input").focus();
    index = other.functionIndex;
    session.selectionChanged();
    await page.locator('.grid-body .grid-row[aria-selected="true"]', { hasText: other.name }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.closest(".grid") ?? null), null);
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("rows are the model's, busy time is 100 % until switched, only Erlang counts C to its caller", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, problems, failures } = await opened(capture);
    const busyClasses = capture
      .classSplit()
      .map((/** @type {any} */ one) => one.sampleClass)
      .filter((/** @type {any} */ one) => one !== "idle");
    const busy = capture.top({ classes: busyClasses });
    assert.deepEqual(
      (await names(page)).slice(0, 10),
      busy.rows.slice(0, 10).map((/** @type {any} */ row) => row.name),
    );
    const cells = await page.evaluate(() =>
      [...document.querySelectorAll(".grid-row")].map((row) =>
        [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)).join(),
      ),
    );
    assert.equal(new Set(cells).size, 1, "columns stand below each other, beside stripped names too");
    await page.setViewportSize({ width: 460, height: 600 });
    await until("in a narrow panel the first figure is in sight", async () => {
      const first = await page.locator('.grid-body [aria-rowindex="2"] [data-column="self"]').boundingBox();
      assert.ok(first !== null && first.x + first.width <= 460, JSON.stringify(first));
      return true;
    });
    await page.setViewportSize({ width: 1100, height: 760 });
    const selfCell = page.locator('.grid-body [aria-rowindex="2"] [data-column="self"]');
    assert.equal(await selfCell.innerText(), `${((100 * busy.rows[0].self) / capture.totals.busy).toFixed(1)}%`);
    assert.match(await page.locator(".status").innerText(), /100% is [\d,]+ busy samples/);
    await page.getByRole("checkbox", { name: "Busy time only" }).press(" ");
    await page.waitForFunction(() => document.querySelector(".status")?.textContent?.includes("(all)"));
    const all = capture.top();
    assert.equal(await selfCell.innerText(), `${((100 * all.rows[0].self) / capture.totals.samples).toFixed(1)}%`);
    await page.getByRole("checkbox", { name: "Only Erlang" }).press(" ");
    const erlang = capture.top(undefined, { onlyErlang: true });
    await page.waitForFunction(
      (count) => document.querySelector(".grid")?.getAttribute("aria-rowcount") === String(count + 1),
      erlang.rows.length,
    );
    assert.deepEqual(
      (await names(page)).slice(0, 10),
      erlang.rows.slice(0, 10).map((/** @type {any} */ row) => row.name),
    );
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  testByNight(
    "unnamed C code is one row for each function it is inside of, until its addresses are requested",
    async () => {
      const capture = model.decodeCapture(DEMO);
      const { page, problems, of } = await opened(capture);
      const first = (/** @type {RegExp} */ name) => page.locator(".grid-body .grid-row", { hasText: name }).first();
      const unnamed = capture.top().rows.find((/** @type {any} */ row) => row.name.startsWith("(inside "));
      const row = first(/^\(inside erts_garbage_collect_nobump\)/);
      assert.equal(unnamed.name, "(inside erts_garbage_collect_nobump)");
      assert.equal(await row.locator('[data-column="kind"]').innerText(), "C");
      assert.equal(await row.locator('[data-column="selfSamples"]').innerText(), unnamed.self.toLocaleString("en-US"));
      assert.equal(await row.locator(".marker").count(), 0, "it is code");
      await row.locator(".name").click();
      await page.keyboard.press("Enter");
      assert.deepEqual(of("openSource"), [], "there is no source of it");
      await page.keyboard.press("Shift+F10");
      await page.getByRole("menuitem", { name: "Show Addresses" }).click();
      await first(/^beam\.smp!fn@0x[0-9a-f]+called from /).waitFor();
      assert.ok(!(await names(page)).some((name) => name?.startsWith("(inside ")));
      await assertAccessible(page);
      await page.getByRole("checkbox", { name: "Addresses" }).press(" ");
      await row.waitFor();
      // Where nothing is unnamed, there is nothing to choose.
      await page.getByRole("checkbox", { name: "Only Erlang" }).press(" ");
      await page.getByRole("checkbox", { name: "Addresses" }).waitFor({ state: "hidden" });
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  testByNight("without own code its columns are left out, and the order by it is that by self", async () => {
    const capture = model.decodeCapture(DEMO);
    const view = { ...PLAIN_VIEW, attribution: "own" };
    const { page, session, problems } = await opened(capture, { view });
    // A row of the heads and one of the body, by the numbers of their columns.
    const columnsOf = (/** @type {string} */ row) =>
      page
        .locator(`${row} .cell:visible`)
        .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute("aria-colindex"))));
    const columns = async () => [await columnsOf(".grid-head"), await columnsOf('.grid-body [aria-rowindex="2"]')];
    const withoutOwn = [1, 4, 5, 6, 7, 8, 9];
    assert.deepEqual(await columns(), [withoutOwn, withoutOwn]);
    const self = page.locator('.grid-head [aria-colindex="4"]');
    assert.equal(await self.getAttribute("aria-sort"), "descending");
    await self.getByRole("button").click();
    assert.equal(await self.getAttribute("aria-sort"), "ascending", "a click turns the order over that is shown");
    await self.getByRole("button").click();
    await screenshot(page, "top-without-own");

    Object.assign(view, withOwnCode(capture));
    session.captureUpdated();
    await until("the column is there", () => page.locator('.grid-head [aria-colindex="2"]').isVisible());
    const all = [1, 2, 3, ...withoutOwn.slice(1)];
    assert.deepEqual(await columns(), [all, all]);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("sorts by every column both ways, filters by text and kind", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page } = await opened(capture);
    for (const [title, ascendingFirst] of /** @type {const} */ ([
      ["Function", true],
      ["Kind", true],
      ["Self", false],
      ["Total %", false],
      ["Total", false],
      ["Where", true],
      ["Self %", false],
    ])) {
      const head = page.locator(".grid-head .cell", { has: page.getByText(title, { exact: true }) });
      await head.getByRole("button").click();
      assert.equal(await head.getAttribute("aria-sort"), ascendingFirst ? "ascending" : "descending", title);
      await head.getByRole("button").click();
      assert.equal(await head.getAttribute("aria-sort"), ascendingFirst ? "descending" : "ascending", title);
      assert.equal(await page.locator('[aria-sort="ascending"], [aria-sort="descending"]').count(), 1);
    }
    await page
      .locator(".grid-head .cell", { has: page.getByText("Function", { exact: true }) })
      .getByRole("button")
      .click();
    const sorted = /** @type {string[]} */ (await names(page));
    assert.deepEqual(
      sorted,
      [...sorted].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
    await page.locator("vscode-textfield input").fill("DEMO_");
    await settled(page);
    assert.ok((await names(page)).every((name) => name?.includes("demo_")));
    assert.match(await page.locator(".status").innerText(), /^\d+ of [\d,]+ functions/);
    await page.locator("vscode-textfield input").fill("no such function");
    await settled(page);
    assert.equal(await page.getByText("No function fits the filter.").isVisible(), true);
    await page.locator("vscode-textfield input").fill("");
    await page.getByRole("combobox", { name: "Kind of function" }).focus();
    for (const key of ["Enter", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await settled(page);
    assert.ok((await page.locator('.grid-body [data-column="kind"]').allInnerTexts()).every((kind) => kind === "BIF"));
    await page.close();
  });

  test("the rows in sight are copied as Markdown and as text: their order, filter and columns, 50 at most", async () => {
    const capture = manyFunctions(300, (index) => `m${index % 7}:f|${index}/1`);
    const { page, of } = await opened(capture);
    await page.locator("vscode-textfield input").fill("m1:");
    await page.getByRole("columnheader", { name: "Function" }).getByRole("button").click();
    const copied = async (/** @type {string} */ way) => {
      await page.getByRole("button", { name: "Copy…" }).click();
      await page.getByRole("menuitem", { name: way }).click();
    };
    await copied("Copy as Markdown");
    await copied("Copy as Text");
    await settled(page);
    const [markdown, text] = of("copyText").map((/** @type {any} */ { text: table }) => table.split("\n"));
    const shown = Array.from({ length: 300 }, (_, index) => index)
      .filter((index) => index % 7 === 1)
      .map((index) => `m1:f|${index}/1`)
      .sort();
    assert.ok(shown.length < 50);
    assert.match(
      markdown[0],
      /^Hot functions by self time\\: demo\\@host, 14\\:03 · 43 of 300 functions · 100% is 3,000 busy /,
    );
    assert.equal(markdown[2].split(" | ").length, await page.getByRole("columnheader").count());
    assert.deepEqual(
      markdown.slice(4, 4 + shown.length).map((/** @type {string} */ line) => line.split("`")[1]?.replace("\\|", "|")),
      shown,
    );
    assert.equal(text.filter((/** @type {string} */ line) => line.includes("m1:f|")).length, shown.length);
    await page.locator("vscode-textfield input").fill("");
    await page.getByRole("button", { name: "Copy…" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Copy as Markdown" }).waitFor();
    await screenshot(page, "top-copy-menu");
    await page.keyboard.press("Enter");
    await until("the cut table", () => of("copyText").length === 3);
    const cut = of("copyText")[2].text;
    assert.equal(cut.match(/^\| `m/gm).length, 50);
    assert.match(cut, /\n… and 250 more rows\n$/);
    // Calls are no rows of this table.
    await page.getByRole("tab", { name: "Call tree" }).click();
    await page.getByRole("button", { name: "Copy…" }).waitFor({ state: "hidden" });
    await page.close();
  });

  test("the page as a file for browsers has all rows that the filter lets pass, the filter, and the remark", async () => {
    const capture = manyFunctions(1_000, (index) => `m${index % 7}:f/${index}`);
    const remark = "12 samples are lost";
    const view = await opened({ ...capture, facts: { ...capture.facts, remark } });
    const { page, problems, failures } = view;
    await page.locator(".capture-remark").waitFor();
    await page.locator("vscode-textfield input").fill("m1:");
    await until("the rows of the filter", async () => (await names(page)).every((name) => name?.startsWith("m1:")));
    const passing = Array.from({ length: 1_000 }, (_, index) => index).filter((index) => index % 7 === 1);
    assert.ok((await names(page)).length < passing.length, "others are out of sight");
    await openExported(view, sessions.exportedPage);
    assert.deepEqual(
      await page.locator(".grid-body .grid-row [data-column=name] .name").allTextContents(),
      passing.map((index) => `m1:f/${index}`),
    );
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Hot functions");
    assert.equal(await page.locator(".capture-remark").innerText(), remark);
    assert.match(await page.locator(".tools").innerText(), /^Filter by name: m1:\s+143 of 1,000 functions · 100% is /);
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("by keyboard: walk, source, actions, copy", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, of } = await opened(capture);
    await page.locator("vscode-textfield input").fill("demo_");
    await page.locator(".grid").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    const name = await active(page);
    const functionIndex = capture.functionNamed(name);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("Shift+F10");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+F10");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.deepEqual(
      ["openSource", "copyText", "flameGraph", "blame"].map((type) => of(type)),
      [
        [{ type: "openSource", functionIndex }],
        [{ type: "copyText", text: name }],
        [{ type: "flameGraph", functionIndex }],
        [{ type: "blame", functionIndex }],
      ],
    );
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("role")), "treegrid");
    await page.close();
  });

  test("a live refresh keeps selection, scroll, filter and order", async () => {
    const whole = new Uint8Array(GROWING);
    const starts = [...whole.keys()].filter(
      (at) => whole[at] === 0x1f && whole[at + 1] === 0x8b && whole[at + 2] === 8,
    );
    const half = /** @type {number} */ (starts[Math.ceil(starts.length / 2)]);
    const capture = model.newCapture();
    capture.append(whole.subarray(0, half));
    const { page, session } = await opened(capture, { live: true });
    await page
      .locator(".grid-head .cell", { has: page.getByText("Function", { exact: true }) })
      .getByRole("button")
      .click();
    await page.locator(".grid").focus();
    for (let step = 0; step < 4; step++) await page.keyboard.press("PageDown");
    await page.evaluate(() => document.querySelector(".grid")?.scrollBy(0, 7));
    const was = {
      name: await active(page),
      top: await page.evaluate(() => document.querySelector(".grid")?.scrollTop),
    };
    const status = await page.locator(".status").innerText();
    capture.append(whole.subarray(half));
    session.captureUpdated();
    await page.waitForFunction((before) => document.querySelector(".status")?.textContent !== before, status);
    assert.deepEqual(
      { name: await active(page), top: await page.evaluate(() => document.querySelector(".grid")?.scrollTop) },
      was,
    );
    await page.close();
  });

  test(`${MANY.toLocaleString("en-US")} functions: few elements, sorting, and the saved state is restored`, async (t) => {
    const { page, problems } = await opened(
      manyFunctions(MANY, (index) => `mod_${index % 1000}:fn_${index}/${index % 5}`),
    );
    assert.equal(await page.locator(".grid").getAttribute("aria-rowcount"), String(MANY + 1));
    const scrolled = await scrolledFast(page);
    if (isNightly) measured(t, "table of 100,000 functions, median scroll frame", scrolled.median);
    assert.ok(scrolled.most > 20 && scrolled.most < MOST_ROW_ELEMENTS, String(scrolled.most));
    const sortMs = await page.evaluate(() => {
      const startedMs = performance.now();
      /** @type {HTMLElement} */ (document.querySelector(".grid-head button")).click();
      return performance.now() - startedMs;
    });
    if (isNightly) measured(t, "table of 100,000 functions, sorting", sortMs);
    await page.locator(".grid").focus();
    await page.keyboard.press("End");
    assert.equal(await active(page), LAST_OF_MANY);
    // In one go: letters that a busy machine sends a second apart begin a name anew.
    await page.locator(".grid").evaluate((grid) => {
      for (const key of "mod_5") grid.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    });
    assert.match((await active(page)) ?? "", /^mod_5/);
    const was = await active(page);
    // The page saves a moment after the last change, by the index of the function.
    const index = Number(/fn_(\d+)\//.exec(was ?? "")?.[1]);
    const state = await until("the place is saved", async () => {
      const saved = /** @type {{selected?: string} | undefined} */ (await page.evaluate("savedState"));
      return saved?.selected === `f${index}` && saved;
    });
    assert.deepEqual(problems, []);
    await page.close();
    const again = await opened(
      manyFunctions(MANY, (index) => `mod_${index % 1000}:fn_${index}/${index % 5}`),
      { state },
    );
    await again.page.locator(".grid").focus();
    assert.equal(await active(again.page), was);
    await again.page.close();
  });

  test("names are text, cut and without hidden characters; no capture has a message", async () => {
    const { page, problems } = await opened(manyFunctions(3, () => HOSTILE));
    assert.equal(await page.locator("img").count(), 0);
    const name = (await names(page))[0] ?? "";
    assert.ok(
      name.length <= 320 && name.startsWith("<img src=x") && name.includes("\\u{202e}") && name.includes("\\u{7}"),
      name.slice(0, 80),
    );
    assert.deepEqual(problems, []);
    await page.close();
    const none = await opened(undefined);
    await none.page.getByRole("button", { name: "Open Capture…" }).click();
    await settled(none.page);
    assert.deepEqual(none.of("do"), [{ type: "do", action: "openCapture" }]);
    await none.page.close();
  });

  /** The demo's own modules are own code, the rest is OTP's. @param {any} capture */
  function withOwnCode(capture) {
    const isOwn = (/** @type {any} */ { kind, name }) => kind === "erlang" && name.includes("demo_");
    capture.addOwnCode(
      capture.functions.flatMap((/** @type {any} */ facts, /** @type {number} */ index) =>
        isOwn(facts) ? [index] : [],
      ),
    );
    const originOf = (/** @type {number} */ index) => {
      const facts = capture.functions[index];
      return facts.kind !== "erlang"
        ? undefined
        : isOwn(facts)
          ? { kind: "own", application: "demo" }
          : { kind: "library", application: "" };
    };
    return { attribution: "own", percentOf: "busy", originOf };
  }

  test("by own time: own code is open and sorted by it, the rest folded with its sums; opened and folded by mouse and keys", async () => {
    const capture = model.decodeCapture(DEMO);
    const view = withOwnCode(capture);
    const { page, problems } = await opened(capture, { view });
    const shown = /** @type {string[]} */ (await names(page));
    assert.equal(shown[0], "demo (own code)");
    const own = capture
      .top()
      .rows.filter((/** @type {any} */ row) => row.functionIndex >= 0 && capture.isOwnCode(row.functionIndex))
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b.own - a.own || b.self - a.self);
    assert.deepEqual(
      shown.slice(1, 6),
      own.slice(0, 5).map((/** @type {any} */ row) => row.name),
    );
    const last = /** @type {(title: string) => import("playwright-core").Locator} */ (
      (title) => page.locator(".grid-body .grid-row", { hasText: title })
    );
    await page.locator(".grid").focus();
    await page.keyboard.press("End");
    await last("OTP and libraries").waitFor();
    assert.equal(await last("OTP and libraries").getAttribute("aria-expanded"), "false");
    const rows = Number(await page.locator(".grid").getAttribute("aria-rowcount"));
    await last("OTP and libraries").locator(".twistie").click();
    await page.waitForFunction(
      (before) => Number(document.querySelector(".grid")?.getAttribute("aria-rowcount")) > before,
      rows,
    );
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(
      (before) => Number(document.querySelector(".grid")?.getAttribute("aria-rowcount")) === before,
      rows,
    );
    const sum = (/** @type {any[]} */ list) => list.reduce((all, row) => all + row.own, 0);
    const head = page.locator(".grid-body .grid-row", { hasText: "demo (own code)" });
    await page.keyboard.press("Home");
    assert.equal(await head.locator('[data-column="ownSamples"]').innerText(), sum(own).toLocaleString("en-US"));
    await screenshot(page, "top-own");
    await assertAccessible(page);
    await page.getByRole("checkbox", { name: "By application" }).press(" ");
    await page.waitForFunction(
      (before) => Number(document.querySelector(".grid")?.getAttribute("aria-rowcount")) > before,
      rows,
    );
    assert.equal((await names(page))[0], own[0].name);
    assert.deepEqual(problems, []);
    await page.close();
  });

  /** In pixels, of the columns in sight. @param {Page} page */
  const widths = (page) =>
    page
      .locator(".grid:visible .grid-head .cell:visible")
      .evaluateAll((cells) =>
        cells.map(
          (cell) =>
            /** @type {const} */ ([cell.querySelector("span")?.textContent, cell.getBoundingClientRect().width]),
        ),
      )
      .then((entries) => /** @type {Record<string, number>} */ (Object.fromEntries(entries)));

  testByNight(
    "in a narrow view the least important columns are left out and the name keeps its room; what it is sorted by stays",
    async () => {
      const capture = model.decodeCapture(DEMO);
      const { page, problems } = await opened(capture, { view: withOwnCode(capture) });
      assert.deepEqual(Object.keys(await widths(page)), [
        "Function",
        "Own %",
        "Own",
        "Self %",
        "Self",
        "Total %",
        "Total",
        "Kind",
        "Where",
      ]);
      const titles = async (/** @type {number} */ width, /** @type {string[]} */ expected) => {
        await page.setViewportSize({ width, height: 600 });
        await until(`columns at ${width} px`, async () => Object.keys(await widths(page)).join() === expected.join());
        assert.ok(((await widths(page))["Function"] ?? 0) >= 280, `the name at ${width} px`);
        assert.equal(
          await page.evaluate(() => {
            const grid = document.querySelector(".grid");
            return grid !== null && grid.scrollWidth <= grid.clientWidth;
          }),
          true,
          "nothing is to the right of what is in sight",
        );
      };
      await titles(990, ["Function", "Own %", "Own", "Self %", "Self", "Total %", "Total", "Where"]);
      await titles(650, ["Function", "Own %", "Self %", "Total %"]);
      await titles(500, ["Function", "Own %", "Self %"]);
      await titles(400, ["Function", "Own %"]);
      await screenshot(page, "top-400");
      await assertAccessible(page);
      await page.setViewportSize({ width: 990, height: 600 });
      await page.locator(".grid-head").getByRole("button", { name: "Total", exact: true }).click();
      await titles(650, ["Function", "Own %", "Self %", "Total"]);
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  testByNight(
    "a long name is cut in the middle: the start of the module and the function with its arity stay",
    async () => {
      const name = "my_company_very_long_application_name_decoder:finish_number_with_a_long_name/5";
      const elixir = "MyCompany.Very.Long.Application.Formatter.pp_string/4";
      const { page } = await opened(
        manyFunctions(2, (index) => (index === 0 ? name : elixir)),
        { width: 400 },
      );
      const parts = (/** @type {number} */ row) =>
        page.locator(`.grid-body [aria-rowindex="${row + 2}"] [data-column="name"] .mfa`).evaluate((made) => ({
          title: made.getAttribute("title"),
          text: made.textContent,
          parts: [...made.children].map((part) => [part.textContent, part.scrollWidth > part.clientWidth]),
          isInside: made.scrollWidth <= made.clientWidth,
        }));
      assert.deepEqual(await parts(0), {
        title: name,
        text: name,
        parts: [
          ["my_company_very_long_application_name_decoder", true],
          [":finish_number_with_a_l", true],
          ["ong_name/5", false],
        ],
        isInside: true,
      });
      assert.deepEqual((await parts(1)).parts, [
        ["MyCompany.Very.Long.Application.Formatter", true],
        [".p", false],
        ["p_string/4", false],
      ]);
      await screenshot(page, "top-long-names");
      await page.close();
    },
  );

  testByNight(
    "columns resize by drag and by keys, a double click fits the content, and what was set comes back",
    async () => {
      const capture = model.decodeCapture(DEMO);
      const { page, problems } = await opened(capture);
      const border = (/** @type {string} */ column) =>
        page.getByRole("separator", { name: `Width of the column ${column}`, exact: true });
      const dragged = async (/** @type {string} */ column, /** @type {number} */ px) => {
        const box = await border(column).boundingBox();
        assert.ok(box);
        await page.mouse.move(box.x + box.width / 2, box.y + 10);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2 + px / 2, box.y + 10);
        await page.mouse.move(box.x + box.width / 2 + px, box.y + 10);
        await page.mouse.up();
      };
      const before = await widths(page);
      await dragged("Self %", 40);
      const after = await widths(page);
      assert.equal(after["Self %"], (before["Self %"] ?? 0) + 40);
      assert.equal(after["Function"], before["Function"], "the border follows the mouse: what is before it stays");
      await dragged("Function", -100);
      assert.equal((await widths(page))["Function"], Math.round(before["Function"] ?? 0) - 100);
      assert.equal(
        await border("Function").getAttribute("aria-valuenow"),
        String(Math.round(before["Function"] ?? 0) - 100),
      );

      const title = page.locator(".grid-head").getByRole("button", { name: "Self", exact: true });
      await title.focus();
      await page.keyboard.press("Alt+ArrowRight");
      assert.equal((await widths(page))["Self"], (before["Self"] ?? 0) + 16);
      assert.equal(
        await border("Self").evaluate((one) => one === document.activeElement),
        true,
        "screen readers hear its value",
      );
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Alt+ArrowLeft");
      assert.equal((await widths(page))["Self"], (before["Self"] ?? 0) - 16);
      await screenshot(page, "top-resizing");
      await assertAccessible(page);
      await page.keyboard.press("Escape");
      assert.equal(await title.evaluate((one) => one === document.activeElement), true);

      await border("Function").dblclick();
      const isCut = await page
        .locator(".grid-body [data-column=name] .mfa")
        .evaluateAll((names) =>
          names.some((name) => [...name.children].some((part) => part.scrollWidth > part.clientWidth)),
        );
      assert.equal(isCut, false, "all names in sight are whole");
      const fitted = await widths(page);
      assert.equal(await page.locator('[aria-sort="descending"]').count(), 1, "and it is sorted as before");
      const state = await until("the widths are kept", async () => {
        const saved = /** @type {{widths?: Record<string, number>} | undefined} */ (await page.evaluate("savedState"));
        return saved?.widths?.["name"] === fitted["Function"] && saved;
      });
      assert.deepEqual(problems, []);
      await page.close();
      const again = await opened(model.decodeCapture(DEMO), { state });
      assert.deepEqual(await widths(again.page), fitted);
      await again.page.close();
    },
  );

  testByNight(
    "bars are as long as the figures of a column are to the largest of it, as their title states; the figures are percent of all",
    async () => {
      const capture = model.decodeCapture(DEMO);
      const { page } = await opened(capture, { view: withOwnCode(capture) });
      const bars = (/** @type {string} */ column) =>
        page.locator(`.grid-body .grid-row[aria-level="2"] [data-column="${column}"]`).evaluateAll((cells) =>
          cells
            .map((cell) => ({
              title: /** @type {HTMLElement} */ (cell).title,
              figure: parseFloat(cell.textContent ?? ""),
              share: Number(/** @type {HTMLElement} */ (cell.querySelector(".bar")).style.getPropertyValue("--share")),
            }))
            .sort((a, b) => b.share - a.share),
        );
      const own = await bars("own");
      assert.equal(own[0]?.share, 1);
      assert.equal(own[0]?.title, `A full bar is ${own[0]?.figure.toFixed(1)}%, the largest share in this column`);
      assert.ok(own[0].figure < 50, "which is far from all");
      for (const { figure, share } of own.slice(0, 5))
        assert.ok(
          Math.abs(share - figure / /** @type {number} */ (own[0]?.figure)) < 0.02,
          `${figure} % is ${share} of the longest`,
        );
      // The largest self is in a folded group: opening it does not change other bars.
      const { rows } = capture.top({
        classes: capture
          .classSplit()
          .map((/** @type {any} */ one) => one.sampleClass)
          .filter((/** @type {string} */ one) => one !== "idle"),
      });
      const [first] = await bars("self");
      assert.ok(
        first !== undefined && Math.abs(first.share - (first.figure * capture.totals.busy) / 100 / rows[0].self) < 0.02,
      );
      assert.equal(await page.locator('.grid-body .grid-row[aria-level="1"] .bar').count(), 0, "sums have none");
      await page.close();
    },
  );

  /** The tree of a capture with the choices of the page. @param {any} capture @param {object} [options] */
  function callsOf(capture, options = {}) {
    const classes = capture.classSplit().map((/** @type {any} */ one) => one.sampleClass);
    const data = capture.flame(
      { ...DEFAULT_TREE, ...options },
      { classes: classes.filter((/** @type {string} */ one) => one !== "idle") },
    );
    const name = (/** @type {number} */ node) => data.functionNames[data.nodeFunction[node]];
    const childrenOf = (/** @type {number} */ node) =>
      [...data.nodeParent.keys()].filter((/** @type {number} */ one) => data.nodeParent[one] === node);
    return { data, name, childrenOf };
  }
  /** The rows of the tree in sight. @param {Page} page */
  const calls = (page) =>
    page.locator(".grid:visible .grid-body .grid-row").evaluateAll((rows) =>
      rows
        .sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
        .map((row) => ({
          name: row.querySelector('[data-column="name"] .name')?.textContent,
          level: Number(row.getAttribute("aria-level")),
          expanded: row.getAttribute("aria-expanded"),
          total: row.querySelector('[data-column="totalSamples"]')?.textContent,
          self: row.querySelector('[data-column="selfSamples"]')?.textContent,
        })),
    );
  const figure = (/** @type {number} */ samples) => samples.toLocaleString("en-US");
  /** @param {any} capture @param {Parameters<typeof opened>[1]} [options] */
  async function openedTree(capture, options) {
    const shown = await opened(capture, options);
    await shown.page.getByRole("tab", { name: "Call tree" }).click();
    await shown.page.locator(".grid:visible .grid-row[aria-level='2']").first().waitFor();
    return shown;
  }

  test("the call tree has callers above callees, the heaviest first and its path open, with total and self", async () => {
    const capture = model.decodeCapture(DEMO);
    const { data, name, childrenOf } = callsOf(capture);
    const { page, of, problems, failures } = await openedTree(capture);
    const heaviest = [];
    for (let node = childrenOf(0)[0]; node !== undefined; node = childrenOf(node)[0]) {
      heaviest.push(node);
      const [below] = childrenOf(node);
      const least = data.nodeTotal[1] * 0.02;
      if (below === undefined || data.nodeTotal[below] < least || data.nodeSelf[node] > data.nodeTotal[below]) break;
    }
    assert.ok(heaviest.length > 2, "the demo's heaviest call is some calls deep");
    assert.deepEqual(
      (await calls(page)).slice(0, heaviest.length),
      heaviest.map((node, depth) => ({
        name: name(node),
        level: depth + 1,
        expanded: childrenOf(node).length === 0 ? null : String(depth < heaviest.length - 1),
        total: figure(data.nodeTotal[node]),
        self: figure(data.nodeSelf[node]),
      })),
    );
    const last = await page.locator(".grid:visible .grid-row").nth(heaviest.length).getAttribute("aria-setsize");
    assert.equal(last, String(childrenOf(heaviest.at(-2) ?? 0).length));
    assert.equal(await page.locator(".grid:visible").getAttribute("role"), "treegrid");
    assert.equal(await page.getByRole("checkbox", { name: "By application" }).isVisible(), false);
    assert.equal(of("tab").length, 1);
    await screenshot(page, "top-tree");
    await assertAccessible(page);
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("shares of few samples are marked in the call tree, each by its own samples", async () => {
    const capture = model.decodeCapture(DEMO);
    // The heaviest call has as many, and those that it makes fewer.
    const least = callsOf(capture).data.nodeTotal[1];
    const view = { ...PLAIN_VIEW, minimumSamples: least };
    const { page, problems, failures } = await openedTree(capture, { view });
    const cells = await page.locator(".grid:visible .grid-body .grid-row").evaluateAll(
      (rows, most) =>
        rows.flatMap((row) => {
          const text = (/** @type {string} */ id) => row.querySelector(`[data-column="${id}"]`)?.textContent ?? "";
          const samples = (/** @type {string} */ id) => Number(text(id).replaceAll(",", ""));
          const [total, self] = [samples("totalSamples"), samples("selfSamples")];
          return [
            { share: text("total"), few: total < most },
            { share: text("self"), few: self < most && !(self === 0 && total >= most) },
          ];
        }),
      least,
    );
    assert.ok(cells.some(({ few }) => few) && cells.some(({ few }) => !few));
    for (const { share, few } of cells) assert.equal(share.startsWith("≈ "), few, share);
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("the call tree by keyboard: folded, opened, to the source with the line of the call, copied; by mouse too", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, of, problems } = await openedTree(capture);
    const before = await calls(page);
    await page.locator(".grid:visible").focus();
    await page.keyboard.press("Home");
    assert.equal(await active(page), before[0]?.name);
    await page.keyboard.press("ArrowLeft");
    await until("the first call is folded", async () => (await calls(page))[0]?.expanded === "false");
    await page.keyboard.press("ArrowRight");
    await until("it is as before", async () => JSON.stringify(await calls(page)) === JSON.stringify(before));
    await page.keyboard.press("ArrowRight");
    assert.equal(await active(page), before[1]?.name);
    await page.locator(".grid:visible .twistie").first().click();
    await until("folded by a click", async () => (await calls(page))[0]?.expanded === "false");
    await page.locator(".grid:visible .twistie").first().click();
    // The heaviest of the demo's own calls.
    await page.locator("vscode-textfield input").fill("demo_pricing:redeem/2");
    await page.locator(".grid:visible").getByText("demo_pricing:redeem/2").first().click();
    await page.keyboard.press("Enter");
    const { functionIndex, line } = await until("the source is requested", () => of("openSource")[0]);
    assert.equal(capture.functions[functionIndex].name, "demo_pricing:redeem/2");
    assert.ok(line > 0);
    await page.keyboard.press("Control+c");
    const { text } = await until("the page requests a copy", () => of("copyText")[0]);
    assert.equal(text, "demo_pricing:redeem/2");
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Flame Graph Focused Here" }).click();
    assert.deepEqual(of("flameGraph"), [{ type: "flameGraph", functionIndex }]);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight(
    "the call tree follows the filters of the table: the paths to what fits are open, and shares stay",
    async () => {
      const capture = model.decodeCapture(DEMO);
      const { page, problems } = await openedTree(capture);
      const { data, name } = callsOf(capture);
      const before = await calls(page);
      await page.locator("vscode-textfield input").fill("REDEEM");
      const nodes = [...data.nodeFunction.keys()].filter((/** @type {number} */ node) => name(node).includes("redeem"));
      await until("only its paths", async () => (await calls(page)).some((row) => row.name?.includes("redeem")));
      const found = (await calls(page)).filter((row) => row.name?.includes("redeem"));
      assert.deepEqual(
        found.map(({ total }) => total),
        nodes.map((/** @type {number} */ node) => figure(data.nodeTotal[node])),
      );
      assert.match(await page.locator(".status").innerText(), /^1 of \d+ functions · 100% is [\d,]+ busy samples$/);
      await page.locator("vscode-textfield input").fill("no such function");
      await page.getByText("No function fits the filter.").waitFor();
      await page.locator("vscode-textfield input").fill("");
      await until("all as before", async () => JSON.stringify(await calls(page)) === JSON.stringify(before));
      await page.getByRole("checkbox", { name: "Only Erlang" }).press(" ");
      const erlang = callsOf(capture, { hideNative: true, hideKernel: true });
      await until("its self has what C did for it", async () => {
        const rows = await calls(page);
        return rows[0]?.self === figure(erlang.data.nodeSelf[1]) && rows.every((row) => !row.name?.startsWith("erts_"));
      });
      await page.getByRole("checkbox", { name: "Busy time only" }).press(" ");
      await page.waitForFunction(() => document.querySelector(".status")?.textContent?.includes("(all)"));
      const all = capture.flame({ ...DEFAULT_TREE, hideNative: true, hideKernel: true });
      await until("idle samples count", async () => (await calls(page))[0]?.total === figure(all.nodeTotal[1]));
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  testByNight(
    "the call tree comes back with its tab, call and widths; live samples keep open what is open",
    async () => {
      const capture = model.decodeCapture(DEMO);
      const { page, session, problems } = await openedTree(capture, { live: true });
      await page.locator(".grid:visible").focus();
      for (const key of ["Home", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      await page.getByRole("separator", { name: "Width of the column Self", exact: true }).press("ArrowRight");
      const selected = page.locator('.grid:visible .grid-row[aria-selected="true"] .name').first();
      const name = await selected.textContent();
      const rows = await calls(page);
      session.captureChanged();
      await settled(page);
      assert.deepEqual(await calls(page), rows);
      assert.equal(await selected.textContent(), name);
      const state = await until("the call is kept", async () => {
        const saved = /** @type {{treePath?: string[], treeWidths?: Record<string, number>} | undefined} */ (
          await page.evaluate("savedState")
        );
        return (
          saved?.treePath?.at(-1) === name &&
          saved?.treePath?.length === 3 &&
          saved.treeWidths?.["selfSamples"] === 96 &&
          saved
        );
      });
      assert.deepEqual(problems, []);
      await page.close();
      const again = await opened(model.decodeCapture(DEMO), {
        state,
        firstRow: ".grid:visible .grid-row[aria-level='2']",
      });
      assert.equal(await again.page.getByRole("tab", { name: "Call tree" }).getAttribute("aria-selected"), "true");
      assert.equal(
        await again.page.locator('.grid:visible .grid-row[aria-selected="true"] .name').first().textContent(),
        name,
      );
      // A command that names a function shows its row.
      again.session.reveal("demo_pricing:redeem/2");
      await until("the row in the table", async () => (await active(again.page)) === "demo_pricing:redeem/2");
      assert.equal(await again.page.getByRole("tab", { name: "Functions" }).getAttribute("aria-selected"), "true");
      await again.page.close();
    },
  );

  for (const theme of THEME_NAMES) {
    test(`axe finds nothing, ${theme}`, async () => {
      const { page } = await opened(model.decodeCapture(DEMO), { theme });
      await page.locator(".grid").focus();
      await page.keyboard.press("ArrowDown");
      await screenshot(page, `top-${theme}`);
      await assertAccessible(page, { theme });
      await page.keyboard.press("Shift+F10");
      await screenshot(page, `top-menu-${theme}`);
      await assertAccessible(page, { theme, byDay: true });
      await page.keyboard.press("Escape");
      await page.getByRole("tab", { name: "Call tree" }).click();
      await page.locator(".grid:visible .grid-row[aria-level='2']").first().waitFor();
      await screenshot(page, `top-tree-${theme}`);
      await assertAccessible(page, { theme });
      await page.setViewportSize({ width: 400, height: 600 });
      await settled(page);
      await screenshot(page, `top-tree-400-${theme}`);
      await page.close();
    });
  }

  testByNight(
    "a double click on the name of a function opens its source, also on a list that was just filtered",
    async () => {
      const capture = model.decodeCapture(DEMO);
      const { page, of } = await opened(capture);
      await page.locator("vscode-textfield input").first().fill("demo_stock:take");
      // On the text, not beside it.
      await page
        .locator(".grid-body .grid-row", { hasText: "demo_stock:take/1" })
        .locator("[data-column=name] .name")
        .dblclick();
      await until("the request", () => of("openSource").length > 0);
      assert.equal(of("openSource")[0].functionIndex, capture.functionNamed("demo_stock:take/1"));
    },
  );
});
