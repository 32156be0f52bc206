// The flame graph in Chromium, with data from a real capture, under the policy it has in the editor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { measured } from "../measured.mjs";
import { andNightly } from "../nightly.mjs";
import { gunzipSync } from "node:zlib";
import { until } from "../until.mjs";
import { startFlamePages } from "./flame-page.mjs";
import { assertAccessible, screenshot, testByNight, THEME_NAMES } from "./panel-page.mjs";

/** @typedef {import("playwright-core").Page} Page */

const FOLDED = gunzipSync(readFileSync(new URL("./fixtures/demo.folded.gz", import.meta.url))).toString();

const DEMO = `flameFromFolded(${JSON.stringify(FOLDED)})`;
const TINY = "flameFromFolded('m:a/1;m:b/1;m:c/1 40\\nm:a/1;m:d/0 30\\n[kernel] 10\\nm:e/2;copy_struct 20')";
const TINY_LATER =
  "flameFromFolded('m:e/2;copy_struct 320\\nm:new/0 200\\nm:a/1;m:d/0 130\\nm:a/1;m:b/1;m:c/1 50\\n[kernel] 10', 2)";
const CANVAS = ".pane:not([hidden]) canvas";

describe("flame graph", () => {
  /** @type {Awaited<ReturnType<typeof startFlamePages>>} */
  let pages;
  before(async () => {
    pages = await startFlamePages();
  });
  after(() => pages.stop());

  /** @param {string} data @param {Parameters<typeof pages.open>[0]} [options] */
  async function opened(data, options) {
    const { page, problems } = await pages.open(options);
    await page.evaluate(`tellData(${data})`);
    await page.locator(CANVAS).focus();
    return { page, problems };
  }
  const sent = (/** @type {Page} */ page, /** @type {string} */ type) =>
    page.evaluate(`sent.filter((message) => message.type === "${type}")`);
  const detailsOf = (/** @type {Page} */ page) => page.locator(".details-text").innerText();

  test("shows that it is ready, loads, has no samples, or has a problem", async () => {
    const { page, problems } = await pages.open();
    assert.equal(/** @type {unknown[]} */ (await sent(page, "ready")).length, 1);
    await page.locator(".notice", { hasText: /^Loading…$/ }).waitFor();
    await page.evaluate(`tell({ type: "empty", text: "The VM was idle.", actions: [] }), painted()`);
    assert.equal(await page.locator(".notice").innerText(), "The VM was idle.");
    await page.evaluate(`tell({ type: "empty", text: "No capture.", actions: ["attach", "openCapture"] }), painted()`);
    await page.locator("vscode-button", { hasText: "Open Capture…" }).click();
    assert.deepEqual(await sent(page, "do"), [{ type: "do", action: "openCapture" }]);
    await page.evaluate(`tellData({ ...${TINY}, nodeSelf: new Uint32Array(1) })`);
    assert.match(await page.locator(".notice").innerText(), /cannot be drawn/);
    await page.evaluate(`tellData(${TINY})`);
    assert.equal(await page.locator(".notice").isHidden(), true);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the function of a selected frame is shared, and one that another view selects is marked", async () => {
    const { page } = await opened(TINY);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const shared = [
      { type: "selected", functionName: "m:a/1" },
      { type: "selected", functionName: "m:b/1" },
    ];
    assert.deepEqual(await sent(page, "selected"), shared);
    await page.evaluate(`tell({ type: "mark", functionName: "m:d/0" }), painted()`);
    assert.match(await detailsOf(page), /m:d\/0/);
    await page.evaluate(`tell({ type: "mark", functionName: "nothing:here/0" }), painted()`);
    assert.match(await detailsOf(page), /m:d\/0/);
    assert.deepEqual(await sent(page, "selected"), shared, "a mark is not shared again");
    await page.close();
  });

  test("keys walk, zoom, open the source, copy and show callers", async () => {
    const { page } = await opened(TINY);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.match(await detailsOf(page), /m:b\/1[\s\S]*40.0% of all · 57.1% of parent · 40 samples/);
    assert.match(await page.locator(".tooltip").innerText(), /m:b\/1/);
    assert.match(await page.locator(".announcer").innerText(), /m:b\/1, Erlang, 40.0% of all/);
    await page.keyboard.press("ArrowRight");
    assert.match(await detailsOf(page), /m:d\/0/);
    await page.keyboard.press("c");
    await page.keyboard.press("Shift+C");
    await page.keyboard.press("s");
    await page.keyboard.press("v");
    assert.deepEqual(await sent(page, "copy"), [
      { type: "copy", what: "name", text: "m:d/0" },
      { type: "copy", what: "stack", text: "m:d/0\nm:a/1" },
    ]);
    assert.deepEqual(await sent(page, "requestSandwich"), [{ type: "requestSandwich", functionName: "m:d/0" }]);
    assert.deepEqual(await sent(page, "view"), [
      {
        type: "view",
        options: { inverted: true, hideNative: false, hideKernel: false, collapseRecursion: true, groupBy: "none" },
        filter: {},
        revision: 1,
      },
    ]);
    await page.close();
  });

  /** The frames under the left and the right end of a row: they show which part of the graph is in sight. */
  async function underEnds(/** @type {Page} */ page, y = 50) {
    const box = (await page.locator(CANVAS).boundingBox()) ?? assert.fail();
    const names = [];
    for (const x of [4, box.width - 4]) {
      await page.mouse.move(box.x + x, box.y + y);
      const tooltip = page.locator(".tooltip");
      names.push((await tooltip.isVisible()) ? (await tooltip.innerText()).split("\n")[0] : "");
    }
    return names;
  }

  test("a click selects, a double click zooms and goes back, with Ctrl a click goes to the source", async () => {
    const { page } = await opened(DEMO);
    const box = (await page.locator(CANVAS).boundingBox()) ?? assert.fail();
    const whole = await underEnds(page);
    await page.mouse.click(box.x + 40, box.y + 50);
    assert.match(await detailsOf(page), /demo_customer:shop\/2/);
    await page.evaluate("painted()");
    assert.deepEqual(await underEnds(page), whole);
    await page.mouse.dblclick(box.x + 40, box.y + 50);
    await page.evaluate("painted()");
    assert.deepEqual(await underEnds(page), ["demo_customer:shop/2", "demo_customer:shop/2"]);
    assert.deepEqual(await sent(page, "openSource"), []);
    await page.keyboard.down("Control");
    await page.mouse.click(box.x + box.width - 60, box.y + 50);
    await page.keyboard.up("Control");
    assert.deepEqual(await sent(page, "openSource"), [
      { type: "openSource", functionName: "demo_customer:shop/2", file: "demo_customer.erl", line: 10 },
    ]);
    await page.mouse.dblclick(box.x + 40, box.y + 50);
    await page.evaluate("painted()");
    assert.deepEqual(await underEnds(page), whole);
    // Each key that goes back does.
    for (const key of ["Escape", "Backspace", "0", "Space"]) {
      await page.mouse.dblclick(box.x + 40, box.y + 50);
      await page.evaluate("painted()");
      assert.deepEqual(await underEnds(page), ["demo_customer:shop/2", "demo_customer:shop/2"]);
      await page.keyboard.press(key);
      await page.evaluate("painted()");
      assert.deepEqual(await underEnds(page), whole, key);
      assert.match(await detailsOf(page), /demo_customer:shop\/2/);
    }
    await page.close();
  });

  testByNight(
    "Enter goes to the source, Space zooms, Backspace goes back a zoom at a time; the same in the tree",
    async () => {
      const { page, problems } = await opened(
        "flameFromFolded('demo_shop:run/1;demo_shop:pay/2;m:x/0 40\\ndemo_shop:run/1;m:y/0 20\\nm:z/0 40')",
      );
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      const run = { type: "openSource", functionName: "demo_shop:run/1", file: "demo_shop.erl", line: 10 };
      assert.deepEqual(await sent(page, "openSource"), [run]);
      assert.deepEqual(await underEnds(page, 30), ["demo_shop:run/1", "m:z/0"]);
      await page.keyboard.press("Space");
      for (const key of ["ArrowDown", "Space"]) await page.keyboard.press(key);
      assert.deepEqual(await underEnds(page), ["demo_shop:pay/2", "demo_shop:pay/2"]);
      await page.keyboard.press("Backspace");
      assert.deepEqual(await underEnds(page), ["demo_shop:pay/2", "m:y/0"]);
      await page.keyboard.press("Backspace");
      assert.deepEqual(await underEnds(page, 30), ["demo_shop:run/1", "m:z/0"]);
      await page.keyboard.press("t");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      assert.deepEqual(await sent(page, "openSource"), [run, run]);
      await page.keyboard.press("Space");
      assert.deepEqual(await underEnds(page, 30), ["demo_shop:run/1", "demo_shop:run/1"]);
      await page.locator(".tree-name", { hasText: "demo_shop:pay/2" }).dblclick();
      assert.deepEqual(await underEnds(page), ["demo_shop:pay/2", "demo_shop:pay/2"]);
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  testByNight("a drag moves the zoomed graph, and selects nothing", async () => {
    const { page, problems } = await opened(TINY);
    await page.keyboard.press("ArrowDown");
    const box = (await page.locator(CANVAS).boundingBox()) ?? assert.fail();
    const drag = async (/** @type {number} */ by) => {
      await page.mouse.move(box.x + 600, box.y + 30);
      await page.mouse.down();
      for (const share of [0.02, 0.5, 1]) await page.mouse.move(box.x + 600 + by * share, box.y + 30);
      await page.mouse.up();
      await page.evaluate("painted()");
    };
    const whole = await underEnds(page, 30);
    assert.deepEqual(whole, ["m:a/1", "[kernel]"]);
    await drag(-400);
    assert.deepEqual(await underEnds(page, 30), whole, "nothing to move while all is in sight");
    await page.keyboard.press("Space");
    assert.deepEqual(await underEnds(page, 30), ["m:a/1", "m:a/1"]);
    await drag(-200);
    assert.deepEqual(await underEnds(page, 30), ["m:a/1", "m:e/2"]);
    await drag(200);
    assert.deepEqual(await underEnds(page, 30), ["m:a/1", "m:a/1"]);
    // A press that ends elsewhere is over.
    await page.mouse.move(box.x + 600, box.y + 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 600, box.y - 60);
    await page.mouse.up();
    await page.mouse.move(box.x + 200, box.y + 30);
    await page.evaluate("painted()");
    assert.deepEqual(await underEnds(page, 30), ["m:a/1", "m:a/1"]);
    assert.match(await detailsOf(page), /^m:a\/1/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("frames have the same colours in the tree as in the graph", async () => {
    // Own code and other Erlang code side by side, each over half of the width.
    const { page } = await opened(
      "{ ...flameFromFolded('demo_shop:run/1 50\\nm:other/0 50'), functionIsOwn: Uint8Array.from([0, 1, 0]) }",
    );
    await page.keyboard.press("t");
    // A selected frame has a line around it, the middle of a frame has its fill.
    const inGraph = await page.locator(CANVAS).evaluate((canvas) => {
      const { width } = canvas.getBoundingClientRect();
      const context = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d");
      return [0.45, 0.95].map((share) => [...(context?.getImageData(width * share, 30, 1, 1).data ?? [])].slice(0, 3));
    });
    const inTree = await page
      .locator(".tree-row:not([hidden]) .tree-kind:not([hidden])")
      .evaluateAll((all) => all.map((it) => getComputedStyle(it).backgroundColor.match(/\d+/g)?.map(Number)));
    assert.deepEqual(inTree, inGraph);
    assert.notDeepEqual(inGraph[0], inGraph[1]);
    await page.close();
  });

  test("search counts, refuses invalid expressions, and steps", async () => {
    const { page } = await opened(TINY);
    await page.keyboard.press("/");
    await page.keyboard.type("m:[bd]");
    assert.equal(await page.locator(".search-result").innerText(), "2 functions · 70.0% of all");
    await page.keyboard.press("Enter");
    assert.match(await detailsOf(page), /m:b\/1/);
    await page.keyboard.press("Enter");
    assert.match(await detailsOf(page), /m:d\/0/);
    await page.getByRole("searchbox").fill("(");
    assert.equal(await page.locator(".search-result").innerText(), "Not a regular expression");
    await page.close();
  });

  test("a refresh keeps selection, zoom and scroll", async () => {
    const { page } = await opened(TINY);
    for (const key of ["ArrowDown", "ArrowDown", "Space"]) await page.keyboard.press(key);
    const box = await page.locator(CANVAS).boundingBox();
    assert.ok(box);
    await page.evaluate(`tellData(${TINY_LATER}, { live: true })`);
    assert.match(await detailsOf(page), /m:b\/1[\s\S]*50 samples/);
    assert.match(await page.locator(".status").innerText(), /710 samples · live/);
    // Still zoomed to m:b/1: it is under both ends of its row.
    for (const x of [4, box.width - 4]) {
      await page.mouse.move(box.x + x, box.y + 50);
      assert.match(await page.locator(".tooltip").innerText(), /m:b\/1/);
    }
    await page.close();
    const deep = await opened(DEMO);
    await deep.page.locator(".pane:not([hidden]) .pane-scroller").evaluate((scroller) => {
      scroller.scrollTop = 700;
    });
    await deep.page.evaluate(`tellData(${DEMO}, { live: true })`);
    assert.equal(
      await deep.page.locator(".pane:not([hidden]) .pane-scroller").evaluate((scroller) => scroller.scrollTop),
      700,
    );
    await deep.page.close();
  });

  test("the tree is the same graph: same selection, one row in the tab order, few rows in the document", async () => {
    const { page } = await opened(DEMO);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("t");
    const focused = page.locator('[role="treeitem"]:focus');
    assert.match(await focused.locator(".tree-name").innerText(), /^proc_lib:init_p_do_apply\/3/);
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowRight");
    assert.match(await detailsOf(page), /demo_customer:shop\/2/);
    assert.equal(await focused.getAttribute("aria-level"), "3");
    assert.equal(await page.locator('[role="treeitem"][tabindex="0"]').count(), 1);
    for (let step = 0; step < 60; step++) await page.keyboard.press("ArrowRight");
    assert.ok((await page.locator('[role="treeitem"]').count()) < 60);
    await page.keyboard.press("o");
    await page.keyboard.press("Home");
    assert.match(await focused.locator(".tree-name").innerText(), /^all/);
    await page.close();
  });

  test("callers are above, callees below one function", async () => {
    const { page, problems } = await opened(TINY);
    await page.evaluate(
      `tell({ type: "sandwich", functionName: "m:b/1", callers: flameFromFolded("m:a/1 40"), callees: flameFromFolded("m:c/1 40"), builtWith: { options: DEFAULT_OPTIONS, filter: {}, revision: 0 }, filteredSamples: 100, allSamples: 100 }), painted()`,
    );
    assert.equal(await page.locator(".pane:not([hidden])").count(), 2);
    assert.match(await page.locator(".sandwich-bar").innerText(), /of m:b\/1/);
    await page.getByLabel("Callers of m:b/1").focus();
    await page.keyboard.press("ArrowUp");
    assert.match(await detailsOf(page), /m:a\/1[\s\S]*100.0% of the function/);
    await page.getByLabel("Callees of m:b/1").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await detailsOf(page), /m:c\/1/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".sandwich-bar").isHidden(), true);
    assert.match(await detailsOf(page), /100.0% of all/);
    assert.equal(/** @type {unknown[]} */ (await sent(page, "closeSandwich")).length, 1);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a right click opens the menu of a frame; each entry works", async () => {
    const { page, problems } = await opened("flameFromFolded('demo_shop:run/1;demo_shop:pay/2 60\\n[idle] 40')");
    const menu = page.getByRole("menu", { name: "Actions for this frame" });
    const rightClick = () => page.locator(CANVAS).click({ button: "right", position: { x: 30, y: 50 } });
    const choose = async (/** @type {string} */ entry) => {
      await rightClick();
      await menu.getByRole("menuitem", { name: entry }).click();
      await page.evaluate("painted()");
    };
    await rightClick();
    assert.match(await detailsOf(page), /^demo_shop:pay\/2/);
    assert.deepEqual(
      (await menu.getByRole("menuitem").allInnerTexts()).map((text) => text.split("\n")[0]),
      [
        "Go to the Line",
        "Callers and callees",
        "Show in Hot Functions",
        "Show in Blame",
        "Search for It",
        "Only Samples with It",
        "Only Samples without It",
        "Copy the Name",
        "Copy the Stack",
      ],
    );
    await page.keyboard.press("Escape");
    assert.equal(await menu.count(), 0);
    assert.equal(
      await page.evaluate("document.activeElement === document.querySelector('.pane:not([hidden]) canvas')"),
      true,
    );
    for (const entry of [
      "Go to the Line",
      "Callers and callees",
      "Show in Hot Functions",
      "Show in Blame",
      "Copy the Name",
      "Copy the Stack",
    ])
      await choose(entry);
    const functionName = "demo_shop:pay/2";
    const asked = /** @type {{type: string}[]} */ (
      await page.evaluate(
        'sent.filter(({ type }) => ["openSource", "requestSandwich", "showFunction", "copy"].includes(type))',
      )
    );
    assert.deepEqual(asked, [
      { type: "openSource", functionName, file: "demo_shop.erl", line: 10 },
      { type: "requestSandwich", functionName },
      { type: "showFunction", where: "top", functionName, file: "demo_shop.erl" },
      { type: "showFunction", where: "blame", functionName, file: "demo_shop.erl" },
      { type: "copy", what: "name", text: functionName },
      { type: "copy", what: "stack", text: "demo_shop:pay/2\ndemo_shop:run/1" },
    ]);
    await choose("Search for It");
    assert.match(await page.locator(".search-result").innerText(), /^1 function · 60.0% of all/);
    await choose("Only Samples with It");
    await choose("Only Samples without It");
    const views = /** @type {{filter: object}[]} */ (await sent(page, "view"));
    assert.deepEqual(
      views.map(({ filter }) => filter),
      [{ focus: functionName }, { focus: functionName, ignore: functionName }],
    );
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight(
    "the menu by keyboard, from the graph and from the tree; none for the root, no function for a marker or a group",
    async () => {
      const { page, problems } = await opened("flameFromFolded('demo_shop:run/1;demo_shop:pay/2 60\\n[idle] 40')");
      const menu = page.getByRole("menu", { name: "Actions for this frame" });
      const entries = async () => (await menu.getByRole("menuitem").allInnerTexts()).map((text) => text.split("\n")[0]);
      await page.keyboard.press("Shift+F10");
      assert.equal(await menu.count(), 0);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Shift+F10");
      for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
      assert.deepEqual(await sent(page, "showFunction"), [
        { type: "showFunction", where: "top", functionName: "demo_shop:run/1", file: "demo_shop.erl" },
      ]);
      assert.equal(await menu.count(), 0);
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ContextMenu");
      assert.deepEqual(await entries(), ["Copy the Name", "Copy the Stack"]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("t");
      for (const key of ["ArrowUp", "Shift+F10"]) await page.keyboard.press(key);
      assert.equal((await entries())[0], "Go to the Line");
      await assertAccessible(page);
      // Its rows are drawn anew under the menu.
      const row = await page.locator("[role=treeitem][aria-selected=true]").elementHandle();
      await page.evaluate(
        `tellData({ ...flameFromFolded('demo_shop:run/1;demo_shop:pay/2 90\\n[idle] 40'), sequence: 2 })`,
      );
      assert.equal(await row?.evaluate((it) => it.isConnected), false);
      await page.keyboard.press("Escape");
      assert.equal(await page.evaluate("document.activeElement?.getAttribute('role')"), "treeitem");
      await page.evaluate(`tellData({ ...flameFromFolded('shop;demo_shop:pay/2 60'), groupedBy: "process" })`);
      await page.locator(CANVAS).focus();
      for (const key of ["Home", "ArrowDown", "Shift+F10"]) await page.keyboard.press(key);
      assert.deepEqual(await entries(), ["Copy the Name", "Copy the Stack"]);
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  test("exports the visible graph", async () => {
    const { page } = await opened(TINY);
    for (const choice of ["svg", "folded", "speedscopeCollapsed"])
      await page.getByRole("combobox", { name: "Export" }).selectOption(choice);
    // Stacks have other levels of recursion than the graph in view, so the page requests them from the host.
    assert.deepEqual(await sent(page, "graphToExport"), [
      { type: "graphToExport", format: "folded", part: "whole", collapseRecursion: false },
      { type: "graphToExport", format: "speedscope", part: "whole", collapseRecursion: true },
    ]);
    for (const format of ["folded", "speedscope"])
      await page.evaluate(`tell({ type: "toExport", format: "${format}", part: "whole", data: ${TINY} }), painted()`);
    const files = /** @type {{suggestedName: string, text: string}[]} */ (await sent(page, "export"));
    assert.deepEqual(
      files.map((file) => file.suggestedName),
      ["demo-host.svg", "demo-host.folded.txt", "demo-host.speedscope.json"],
    );
    assert.match(files[0]?.text ?? "", /<svg[\s\S]*m:a\/1/);
    assert.match(files[1]?.text ?? "", /^m:a\/1;m:b\/1;m:c\/1 40$/m);
    assert.equal(JSON.parse(files[2]?.text ?? "").profiles[0].type, "sampled");
    await page.close();
  });

  test("the graph in sight is copied as a picture, and a failure is reported to the host", async () => {
    const { page } = await opened(TINY);
    const answers = async () => /** @type {unknown[]} */ (await sent(page, "pictureCopied"));
    const copy = async (/** @type {string} */ write) => {
      const clipboard = `{ configurable: true, value: { write: ${write} } }`;
      await page.evaluate(`Object.defineProperty(navigator, "clipboard", ${clipboard}), null`);
      const before = (await answers()).length;
      await page.getByRole("combobox", { name: "Export" }).selectOption("picture");
      return until("the answer", async () => (await answers())[before]);
    };
    const copied = await copy(`async ([item]) => { window.copied = await item.getType("image/png"); }`);
    assert.deepEqual(copied, { type: "pictureCopied", problem: "" });
    const size = await page.evaluate("createImageBitmap(window.copied).then(({ width, height }) => [width, height])");
    // A title, the root and three frames above each other.
    assert.deepEqual(size, [2400, 2 * (28 + 4 * 20)]);
    const refused = await copy(`() => Promise.reject(new Error("not allowed"))`);
    assert.deepEqual(refused, { type: "pictureCopied", problem: "not allowed" });
    await page.close();
  });

  test("for a Markdown text, the host receives the graph in sight as a picture, with its title", async () => {
    const { page } = await opened(TINY);
    await page.getByRole("combobox", { name: "Export" }).selectOption("markdown");
    const messages = async () => /** @type {any[]} */ (await sent(page, "pictureForMarkdown"));
    const { title, suggestedName, png } = await until("the picture", async () => (await messages())[0]);
    assert.equal(suggestedName, "demo-host.png");
    assert.match(title, /^demo@host/);
    const bytes = Buffer.from(png, "base64");
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    // Width and height, as in the picture that is copied.
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [2400, 2 * (28 + 4 * 20)]);
    await page.close();
  });

  for (const width of andNightly([400], [1280, 650])) {
    test(`the toolbar is one row at ${width} px, and everything in it can be done`, async () => {
      const { page, problems } = await opened(TINY, { width, theme: width === 400 ? "light" : "dark" });
      const toolbar = page.getByRole("toolbar", { name: "Flame graph" });
      const more = toolbar.getByRole("button", { name: "More" });
      const menu = page.getByRole("menu", { name: "More" });
      const isOneRow = async () => {
        const boxes = await toolbar.locator("> :visible").evaluateAll((all) =>
          all.map((it) => {
            const { top, bottom, right, width: wide } = it.getBoundingClientRect();
            return { middle: (top + bottom) / 2, right, wide };
          }),
        );
        assert.ok(boxes.length > 3);
        for (const { middle } of boxes) assert.ok(Math.abs(middle - (boxes[0]?.middle ?? 0)) <= 2, "one row");
        for (const { right } of boxes) assert.ok(right <= width, `${right} is beyond the edge`);
      };
      await isOneRow();
      assert.equal(await more.isVisible(), width < 600);
      const shown = new Set(
        await toolbar.locator("vscode-button:visible").evaluateAll((all) =>
          all
            .map((it) => [it.getAttribute("aria-label"), it.getAttribute("title")].map((text) => text ?? ""))
            .filter((texts) => texts.every((text) => text !== ""))
            .map(([label]) => label),
        ),
      );
      assert.equal(await toolbar.locator("vscode-button:visible").count(), shown.size, "each has a name and a title");
      let inMenu = /** @type {string[]} */ ([]);
      if (await more.isVisible()) {
        await more.press("Enter");
        inMenu = await menu.locator("button > span:first-child").allInnerTexts();
        await assertAccessible(page, { within: ".menu" });
        await page.keyboard.press("Escape");
        assert.equal(await more.evaluate((it) => document.activeElement === it), true);
      }
      for (const label of [
        "Filters",
        "Tree",
        "Reset zoom",
        "Flame",
        "Invert",
        "Hide native",
        "Hide kernel",
        "Collapse recursion",
        "Keys",
      ])
        assert.ok(shown.has(label) !== inMenu.includes(label), `${label} is either shown or in the menu`);
      if (inMenu.includes("Invert")) {
        await more.press("Enter");
        await menu.getByRole("menuitemcheckbox", { name: "Invert" }).press("Enter");
        assert.equal(
          /** @type {{options: {inverted: boolean}}[]} */ (await sent(page, "view")).at(-1)?.options.inverted,
          true,
        );
        await more.press("Enter");
        await menu.getByRole("menuitem", { name: "Export: SVG picture" }).press("Enter");
        assert.equal(/** @type {unknown[]} */ (await sent(page, "export")).length, 1);
      }
      await page.getByRole("searchbox").fill("m:[abd]");
      await isOneRow();
      assert.match(await page.locator(".search-result").innerText(), /^3 functions/);
      await assertAccessible(page);
      assert.deepEqual(problems, []);
      await page.close();
    });
  }

  testByNight("a flame graph has its root at the bottom and the same keys reversed", async () => {
    const { page } = await opened(TINY);
    await page.keyboard.press("i");
    await page.keyboard.press("ArrowUp");
    assert.match(await detailsOf(page), /m:a\/1/);
    const box = await page.locator(CANVAS).boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 30, box.y + box.height - 10);
    assert.match(await page.locator(".tooltip").innerText(), /^all/);
    await page.close();
  });

  for (const theme of THEME_NAMES) {
    testByNight(`axe finds nothing in ${theme}`, async () => {
      const { page, problems } = await opened(DEMO, { theme });
      for (const key of ["ArrowDown", "ArrowDown", "t"]) await page.keyboard.press(key);
      await page.getByRole("searchbox").fill("rank|ets");
      await page.evaluate("painted()");
      await screenshot(page, `flame-graph-${theme}`);
      await assertAccessible(page, { theme });
      assert.deepEqual(problems, []);
      await page.close();
    });
  }

  testByNight("half a million frames are painted and zoomed", async (context) => {
    const { page, problems } = await pages.open();
    const firstPaintMs = /** @type {number} */ (
      await page.evaluate(
        `(async () => { const data = syntheticFlame(500_000); const from = performance.now(); await tellData(data); return performance.now() - from; })()`,
      )
    );
    await page.locator(CANVAS).focus();
    // Work of a frame: from the key to the end of the frame's callbacks. The wait for the next frame is not work.
    const frames = /** @type {number[]} */ (
      await page.evaluate(`(async () => {
        const canvas = document.querySelector("${CANVAS}");
        const took = [];
        const keys = [..."++++dddd--++aaaa----"];
        for (let round = 0; round < 5; round++) for (const key of keys) {
          await new Promise(requestAnimationFrame);
          const from = performance.now();
          canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          const keyed = performance.now() - from;
          const paint = await new Promise((done) => requestAnimationFrame((began) => { const end = performance.now(); done(end - began); }));
          took.push(keyed + paint);
        }
        return took.sort((a, b) => a - b);
      })()`)
    );
    const medianMs = frames[frames.length >> 1] ?? Infinity;
    measured(context, "flame graph of 500,000 frames, first paint", firstPaintMs);
    measured(context, "flame graph of 500,000 frames, median frame", medianMs);
    // The keys end where they began: at the root, with the whole in sight.
    assert.match(await page.locator(".details-text").innerText(), /^all/);
    assert.deepEqual(problems, []);
    await page.close();
  });
});
