// Filters, time range and kept state of the flame graph in Chromium, under the policy it has in the editor.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { until as comesTrue } from "../until.mjs";
import { gunzipSync } from "node:zlib";
import { assertCanvasesFollowScreen } from "./pixel-ratio.mjs";
import { startFlamePages } from "./flame-page.mjs";
import { assertAccessible, screenshot, testByNight, THEME_NAMES } from "./panel-page.mjs";

/** @typedef {import("playwright-core").Page} Page */

const FOLDED = gunzipSync(readFileSync(new URL("./fixtures/demo.folded.gz", import.meta.url))).toString();
const DEMO = `flameFromFolded(${JSON.stringify(FOLDED)})`;
const CANVAS = ".pane:not([hidden]) canvas";
const DEFAULT_OPTIONS = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: true,
  groupBy: "none",
};
const HOSTILE = '<img src=x onerror="sent.push({type:1})">';

/** Six seconds: busy first, then idle, then half. */
const TIMELINE = {
  bucketMs: 100,
  durationMs: 6000,
  busy: Uint32Array.from({ length: 60 }, (_, at) => (at < 20 ? 40 : at < 40 ? 0 : 20)),
  idle: new Uint32Array(60),
};

/** @param {number} processCount */
function facets(processCount) {
  const processes = Array.from({ length: Math.min(processCount, 200) }, (_, at) => ({
    value: at === 0 ? HOSTILE : at === 1 ? "" : `worker_${at}`,
    samples: 400 - at,
  }));
  return {
    nodes: { values: [], count: 0 },
    schedulers: {
      values: [
        { value: "1", samples: 1500 },
        { value: "2", samples: 1000 },
        { value: "", samples: 383 },
      ],
      count: 3,
    },
    processes: { values: processes, count: processCount },
    classes: {
      values: [
        { value: "erlang", samples: 2000 },
        { value: "gc", samples: 800 },
        { value: "copy", samples: 83 },
      ],
      count: 3,
    },
  };
}

describe("flame graph filters", () => {
  /** @type {Awaited<ReturnType<typeof startFlamePages>>} */
  let pages;
  before(async () => {
    pages = await startFlamePages();
  });
  after(() => pages.stop());

  /** @param {Parameters<typeof pages.open>[0] & {processCount?: number}} [options] */
  async function opened({ processCount = 12_000, ...options } = {}) {
    const { page, problems } = await pages.open(options);
    await page.evaluate(
      ([lists, timeline]) =>
        window.postMessage({ type: "facets", facets: lists, timeline, allSamples: 2883, live: false }, "*"),
      /** @type {const} */ ([facets(processCount), TIMELINE]),
    );
    await page.evaluate(`tellData(${DEMO})`);
    await page.locator(CANVAS).focus();
    return { page, problems };
  }
  /** The view messages so far. @param {Page} page @returns {Promise<{options: object, filter: {focus?: string}, revision: number}[]>} */
  const views = (page) => page.evaluate('sent.filter((message) => message.type === "view")');
  /** @param {Page} page @param {number} count */
  async function viewsWhen(page, count) {
    await until(page, `sent.filter((message) => message.type === "view").length >= ${count}`);
    return views(page);
  }
  /**
   * For input of which the page sends only the last state after a pause: where the machine halts the page between two
   * keys, that is a pause, too.
   * @param {Page} page @param {object} filter @returns the last view message
   */
  async function viewWith(page, filter) {
    await comesTrue(`the last view has ${JSON.stringify(filter)}`, async () =>
      isDeepStrictEqual((await views(page)).at(-1)?.filter, filter),
    );
    return (await views(page)).at(-1);
  }
  /** `waitForFunction` evaluates in the page, which the policy forbids. @param {Page} page @param {string} condition */
  async function until(page, condition) {
    await comesTrue(condition, () => page.evaluate(condition));
  }
  /** The host's answer to the last question. @param {Page} page @param {string} data */
  const answer = (page, data) =>
    page.evaluate(
      `(() => { const asked = sent.filter((message) => message.type === "view").at(-1); return tellData(${data}, { allSamples: 2883, builtWith: { options: asked.options, filter: asked.filter, revision: asked.revision } }); })()`,
    );
  const chips = (/** @type {Page} */ page) => page.locator(".chip-line");

  testByNight("graph, minimap, strip and track have the pixels of the screen that the page is moved to", async () => {
    const { page, problems } = await opened();
    const tracks = [{ name: "memory", values: Float64Array.from({ length: 60 }, (_, at) => 1e9 + at * 4e7) }];
    await page.evaluate(
      ([lists, timeline, said]) =>
        window.postMessage(
          { type: "facets", facets: lists, timeline, tracks: said, allSamples: 2883, live: false },
          "*",
        ),
      /** @type {const} */ ([facets(12), TIMELINE, tracks]),
    );
    await page.locator(".track-canvas").waitFor();
    await assertCanvasesFollowScreen(page, 4);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("focus and ignore apply once the typing pauses, are shown as chips and removed", async () => {
    const { page, problems } = await opened();
    assert.equal(await page.locator(".filter-bar").isHidden(), true);
    await page.keyboard.press("f");
    await page.keyboard.type("demo_rank");
    await viewWith(page, { focus: "demo_rank" });
    const asked = (await views(page)).map((view) => view.filter.focus);
    for (const focus of asked) assert.ok(focus && "demo_rank".startsWith(focus), focus);
    assert.equal(new Set(asked).size, asked.length, "each once");
    assert.match(await chips(page).innerText(), /with “demo_rank” ✕[\s\S]*building…/);
    await answer(page, "flameFromFolded('demo_rank:x/1 721')");
    assert.match(await chips(page).innerText(), /721 of 2,883 samples \(25.0%\)/);
    assert.match(await page.locator(".details-text").innerText(), /100.0% of filtered/);
    await page.getByLabel("Only samples without").fill("lists:");
    await page.keyboard.press("Enter");
    assert.deepEqual((await viewsWhen(page, asked.length + 1)).at(-1)?.filter, {
      focus: "demo_rank",
      ignore: "lists:",
    });
    await page.getByRole("button", { name: "Remove: with “demo_rank”" }).click();
    assert.deepEqual((await viewsWhen(page, asked.length + 2)).at(-1)?.filter, { ignore: "lists:" });
    assert.equal(await page.getByLabel("Only samples with a").inputValue(), "");
    await page.keyboard.press("x");
    assert.deepEqual((await viewsWhen(page, asked.length + 3)).at(-1)?.filter, {});
    assert.equal(await chips(page).isHidden(), true);
    await answer(page, DEMO);
    assert.match(await page.locator(".details-text").innerText(), /100.0% of all/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("an answer to an older question does not undo a newer choice", async () => {
    const { page } = await opened();
    await page.keyboard.press("r");
    await page.keyboard.press("v");
    const [first, second] = await viewsWhen(page, 2);
    assert.deepEqual(first?.options, { ...DEFAULT_OPTIONS, collapseRecursion: false });
    assert.deepEqual(second?.options, { ...DEFAULT_OPTIONS, collapseRecursion: false, inverted: true });
    await page.evaluate(
      `tellData(${DEMO}, { builtWith: { options: ${JSON.stringify(first?.options)}, filter: {}, revision: 1 } })`,
    );
    assert.equal(await page.getByRole("button", { name: "Invert" }).getAttribute("aria-pressed"), "true");
    // The host may take choices back; its answer to the last question counts.
    await page.evaluate(`tellData(${DEMO}, { builtWith: { options: DEFAULT_OPTIONS, filter: {}, revision: 2 } })`);
    assert.equal(await page.getByRole("button", { name: "Invert" }).getAttribute("aria-pressed"), "false");
    await page.close();
  });

  test("values are picked from lists with samples and share, by keyboard, and many are searched by the host", async () => {
    const { page, problems } = await opened();
    await page.keyboard.press("f");
    await page.getByRole("button", { name: "Classes: all" }).press("Enter");
    const classes = page.getByRole("dialog", { name: "Classes" });
    assert.match(await classes.innerText(), /2,000 · 69.4%/);
    assert.equal(await classes.getByRole("searchbox").isHidden(), true);
    await page.keyboard.press("Space");
    assert.deepEqual((await viewsWhen(page, 1)).at(-1)?.filter, { classes: ["erlang"] });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    assert.deepEqual((await viewsWhen(page, 2)).at(-1)?.filter, { classes: ["erlang", "gc"] });
    await page.keyboard.press("Escape");
    assert.equal(await classes.isHidden(), true);
    assert.equal(
      await page
        .getByRole("button", { name: "Classes: 2 of 3" })
        .evaluate((button) => button === document.activeElement),
      true,
    );
    assert.match(await chips(page).innerText(), /Classes Erlang code, Garbage collection/);

    await page.getByRole("button", { name: "Processes: all" }).click();
    const processes = page.getByRole("dialog", { name: "Processes" });
    assert.match(await processes.innerText(), /200 of 12,000 shown/);
    assert.equal(await processes.getByRole("checkbox").count(), 200);
    assert.equal(await processes.getByRole("checkbox", { name: HOSTILE }).count(), 1);
    assert.equal(await processes.getByRole("checkbox", { name: "No process" }).count(), 1);
    await page.keyboard.type("till");
    await until(page, 'sent.some((message) => message.type === "findProcesses" && message.query === "till")');
    await page.evaluate(
      'tell({ type: "processes", query: "til", found: { values: [{ value: "stale", samples: 1 }], count: 1 } })',
    );
    await page.evaluate(
      'tell({ type: "processes", query: "till", found: { values: [{ value: "till_9999", samples: 1 }], count: 1 } }), painted()',
    );
    assert.equal(await processes.getByRole("checkbox").count(), 1);
    await processes.getByText("till_9999").click();
    assert.deepEqual((await viewsWhen(page, 3)).at(-1)?.filter, {
      classes: ["erlang", "gc"],
      processes: ["till_9999"],
    });
    // Chosen ones stay at the top, also when they are not among the largest.
    await processes.getByRole("searchbox").fill("");
    assert.equal(await processes.getByRole("checkbox", { name: "till_9999" }).isChecked(), true);
    await processes.getByRole("button", { name: "Clear" }).click();
    assert.deepEqual((await viewsWhen(page, 4)).at(-1)?.filter, { classes: ["erlang", "gc"] });
    await page.getByRole("button", { name: "Processes: all" }).click();
    assert.equal(await processes.isHidden(), true);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("live figures change in place while a list is open", async () => {
    const { page } = await opened({ processCount: 3 });
    await page.keyboard.press("f");
    await page.getByRole("button", { name: "Schedulers: all" }).click();
    const menu = page.getByRole("dialog", { name: "Schedulers" });
    const first = menu.getByRole("checkbox").first();
    await first.focus();
    const later = {
      ...facets(3),
      schedulers: {
        values: [
          { value: "2", samples: 9000 },
          { value: "1", samples: 1600 },
          { value: "", samples: 400 },
          { value: "dirty 1", samples: 5 },
        ],
        count: 4,
      },
    };
    await page.evaluate(
      ([lists, timeline]) =>
        window.postMessage({ type: "facets", facets: lists, timeline, allSamples: 11_005, live: true }, "*"),
      /** @type {const} */ ([later, TIMELINE]),
    );
    await page.evaluate("painted()");
    assert.deepEqual(
      await menu
        .locator(".facet-row")
        .evaluateAll((rows) =>
          rows.map(
            (row) =>
              `${/** @type {{label?: string} | null} */ (row.querySelector("vscode-checkbox"))?.label} ${row.querySelector(".facet-figures")?.textContent}`,
          ),
        ),
      ["1 1,600 · 14.5%", "2 9,000 · 81.8%", "No scheduler 400 · 3.63%", "dirty 1 5 · 0.05%"],
    );
    await page.keyboard.press("Space");
    assert.deepEqual((await viewsWhen(page, 1)).at(-1)?.filter, { schedulers: ["1"] });
    await page.close();
  });

  test("tracks of the VM are above the heat: selected, with values by pointer and keys, in each theme", async () => {
    for (const theme of THEME_NAMES) {
      const { page, problems } = await opened({ theme });
      const strip = page.getByRole("slider", { name: /over time/ });
      assert.equal(await strip.count(), 0, "a capture without readings has none");
      const tracks = [
        {
          name: "runQueue",
          values: Float64Array.from({ length: 60 }, (_, at) => (at < 50 ? (at % 7) * 3 : Number.NaN)),
        },
        { name: "memory", values: Float64Array.from({ length: 60 }, (_, at) => 1e9 + at * 4e7) },
        { name: "collectionRate", values: Float64Array.from({ length: 60 }, (_, at) => (at < 20 ? 850.5 : 0)) },
      ];
      await page.evaluate(
        ([lists, timeline, said]) =>
          window.postMessage(
            { type: "facets", facets: lists, timeline, tracks: said, allSamples: 2883, live: false },
            "*",
          ),
        /** @type {const} */ ([facets(12), TIMELINE, tracks]),
      );
      await strip.waitFor();
      assert.equal(await strip.getAttribute("aria-valuetext"), "0 to 18");
      const [box, heat] = [
        await strip.boundingBox(),
        await page.getByRole("slider", { name: "Time range" }).boundingBox(),
      ];
      assert.ok(box && heat);
      assert.deepEqual([box.x, box.width], [heat.x, heat.width], "a time is at the same place in both");
      await page.mouse.move(box.x + box.width / 6 + 3, box.y + 10);
      await until(page, `document.querySelector(".track-canvas").getAttribute("aria-valuetext") === "1.00 s: 9"`);
      await page.mouse.move(5, 5);
      await strip.focus();
      await page.keyboard.press("End");
      assert.equal(await strip.getAttribute("aria-valuetext"), "5.90 s: not read");
      await page.keyboard.press("Escape");
      assert.equal(await strip.getAttribute("aria-valuetext"), "0 to 18");
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await until(page, `document.querySelector(".track-canvas").getAttribute("aria-valuetext").endsWith(" GB")`);
      assert.equal(await strip.getAttribute("aria-valuetext"), "1.00 GB to 3.36 GB");
      await page.evaluate("painted()");
      await screenshot(page, `flame-tracks-${theme}`);
      await assertAccessible(page, { within: ".node-track", theme });
      assert.deepEqual(problems, []);
      await page.close();
    }
  });

  test("each node of several has a line of its own, one alone where it is filtered or chosen, by keys alone and in each theme", async () => {
    const [a, b, c] = ["shop@a", HOSTILE, "shop@c"];
    const nodes = { values: [a, b, c].map((value, at) => ({ value, samples: 900 - at })), count: 3 };
    const tracks = [
      {
        name: "runQueue",
        node: a,
        values: Float64Array.from({ length: 60 }, (_, at) => (at < 50 ? (at % 7) * 3 : Number.NaN)),
      },
      {
        name: "runQueue",
        node: b,
        values: Float64Array.from({ length: 60 }, (_, at) => (at < 20 ? Number.NaN : 30 - (at % 11))),
      },
      { name: "memory", node: a, values: Float64Array.from({ length: 60 }, (_, at) => 1e9 + at * 4e7) },
      { name: "memory", node: b, values: Float64Array.from({ length: 60 }, () => 2e9) },
      { name: "memory", node: c, values: Float64Array.from({ length: 60 }, (_, at) => 3e9 - at * 2e7) },
    ];
    for (const theme of THEME_NAMES) {
      const { page, problems } = await opened({ theme });
      /** @param {object[]} lines */
      const say = (lines) =>
        page.evaluate(
          ([lists, timeline, list, vms]) =>
            window.postMessage(
              { type: "facets", facets: lists, timeline, tracks: list, vms, allSamples: 2883, live: false },
              "*",
            ),
          /** @type {const} */ ([{ ...facets(12), nodes }, TIMELINE, lines, [c, a, b]]),
        );
      await say(tracks);
      const strip = page.getByRole("slider", { name: /over time/ });
      await strip.waitFor();
      assert.match((await strip.getAttribute("aria-label")) ?? "", /a line for each node/);
      // By name; a VM that did not report it has no value.
      assert.equal(
        await strip.getAttribute("aria-valuetext"),
        `${HOSTILE}: 20 to 30; shop@a: 0 to 18; shop@c: not read`,
      );
      const legend = page.locator(".track-legend li");
      assert.deepEqual(
        await legend.allInnerTexts().then((texts) => texts.map((text) => text.replaceAll(/\s+/g, " ").trim())),
        [`${HOSTILE} 20 to 30`, "shop@a 0 to 18", "shop@c not read"],
      );
      assert.equal(await page.locator(".node-track .time-shown").innerText(), "up to 30, on one scale");
      const colours = await page
        .locator(".line-swatch")
        .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).borderTopColor));
      assert.equal(new Set(colours).size, 3);
      // Each of the two with values is drawn in its colour, and nothing is drawn where neither has any.
      const pixels = await strip.evaluate((canvas, wanted) => {
        const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
        const { data = [] } =
          /** @type {HTMLCanvasElement} */ (canvas).getContext("2d")?.getImageData(0, 0, width, height) ?? {};
        return wanted.map((text) => {
          const [red = 0, green = 0, blue = 0] = (text.match(/\d+/g) ?? []).map(Number);
          let count = 0;
          for (let at = 0; at < data.length; at += 4)
            if (
              Math.abs((data[at] ?? 0) - red) +
                Math.abs((data[at + 1] ?? 0) - green) +
                Math.abs((data[at + 2] ?? 0) - blue) <
              12
            )
              count++;
          return count;
        });
      }, colours);
      assert.ok((pixels[0] ?? 0) > 100 && (pixels[1] ?? 0) > 100 && (pixels[2] ?? 0) < 20, `${pixels}`);
      await strip.focus();
      for (const key of ["Home", "PageUp", "PageUp", "ArrowRight"]) await page.keyboard.press(key);
      assert.equal(await strip.getAttribute("aria-valuetext"), `2.10 s: ${HOSTILE}: 20; shop@a: 0; shop@c: not read`);
      assert.equal(await page.locator(".node-track .time-shown").innerText(), "2.10 s");
      const [box, heat] = [
        await strip.boundingBox(),
        await page.getByRole("slider", { name: "Time range" }).boundingBox(),
      ];
      assert.ok(box && heat);
      assert.deepEqual([box.x, box.width], [heat.x, heat.width], "a time is at the same place in both");
      await page.evaluate("painted()");
      await screenshot(page, `flame-tracks-nodes-${theme}`);
      await assertAccessible(page, { within: ".node-track", theme });

      // A change under the choices leaves the focus where it is.
      await page.keyboard.press("Shift+Tab");
      const isOnNode = () =>
        page.evaluate("document.activeElement.label ?? document.activeElement.getAttribute('aria-label')");
      assert.equal(await isOnNode(), "Which node");
      await say(tracks.slice(0, 4));
      await page.evaluate("painted()");
      assert.equal(await isOnNode(), "Which node");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await until(page, `document.querySelector(".track-canvas").getAttribute("aria-valuetext") === "shop@a: 0 to 18"`);
      assert.equal(await legend.count(), 0);
      assert.match((await strip.getAttribute("aria-label")) ?? "", /Arrow keys show the value at one time/);
      await until(page, `savedState?.trackNode === "shop@a"`);

      // Samples of one node alone: its line alone, in whichever node the strip was before.
      await page.locator(CANVAS).focus();
      await page.keyboard.press("f");
      await page.getByRole("button", { name: "Nodes: all" }).click();
      await page.getByRole("dialog", { name: "Nodes" }).getByRole("checkbox", { name: HOSTILE }).press("Space");
      await until(
        page,
        `document.querySelector(".track-canvas").getAttribute("aria-valuetext").endsWith(": 20 to 30")`,
      );
      assert.equal(await page.locator(".track-choice vscode-single-select").count(), 1, "there is no node to choose");
      assert.deepEqual(problems, []);
      await page.close();
    }
  });

  testByNight("the lines of 32 nodes can be told apart, and their legend leaves room for the graph", async () => {
    const { page, problems } = await opened();
    const vms = Array.from({ length: 32 }, (_, at) => `shop_${String(at).padStart(2, "0")}@host-${at}.example`);
    const tracks = vms.map((node, of) => ({
      name: "runQueue",
      node,
      values: Float64Array.from({ length: 60 }, (_, at) => of + ((at * (of + 1)) % 5)),
    }));
    await page.evaluate(
      ([lists, timeline, list, names]) =>
        window.postMessage(
          { type: "facets", facets: lists, timeline, tracks: list, vms: names, allSamples: 2883, live: true },
          "*",
        ),
      /** @type {const} */ ([facets(12), TIMELINE, tracks, vms]),
    );
    const strip = page.getByRole("slider", { name: /over time/ });
    await strip.waitFor();
    assert.match(
      (await strip.getAttribute("aria-valuetext")) ?? "",
      /^shop_00@host-0\.example: 0 to 4; .* and 24 more$/,
    );
    const looks = await page
      .locator(".line-swatch")
      .evaluateAll((lines) =>
        lines.map((line) => `${getComputedStyle(line).borderTopColor} ${getComputedStyle(line).borderTopStyle}`),
      );
    assert.equal(looks.length, 32);
    assert.equal(new Set(looks.slice(0, 24)).size, 24);
    const [legend, graph] = [
      await page.locator(".track-legend").boundingBox(),
      await page.locator(CANVAS).boundingBox(),
    ];
    assert.ok(legend && legend.height < 70 && graph && graph.height > 300, JSON.stringify([legend, graph]));
    await page.locator(".track-legend").focus();
    await page.keyboard.press("End");
    await until(page, `document.querySelector(".track-legend").scrollTop > 0`);
    await screenshot(page, "flame-tracks-32-nodes");
    await assertAccessible(page, { within: ".node-track" });
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a long call is marked, described, and a click on its mark selects its time", async () => {
    const { page } = await opened();
    const strip = page.getByRole("slider", { name: "Time range" });
    const stay = {
      scheduler: "1",
      pid: "<0.123.0>",
      process: "shop",
      functionName: "shop:build/1",
      called: "shop_c:price/1",
    };
    await page.evaluate(
      ([lists, timeline, stays]) =>
        window.postMessage({ type: "facets", facets: lists, timeline, stays, allSamples: 2883, live: false }, "*"),
      /** @type {const} */ ([facets(12), TIMELINE, [{ ...stay, kind: "nif", fromMs: 2000, toMs: 4000 }]]),
    );
    const text = () => strip.getAttribute("aria-valuetext");
    await comesTrue(
      "the call is counted",
      async () => (await text()) === "all of 6.00 s · 1 long collection or call: M shows it",
    );
    // With a selected time a row of filters is above the strip, which is elsewhere then.
    const onMark = async () => ({ position: { x: ((await strip.boundingBox())?.width ?? 0) / 2, y: 2 } });
    await strip.hover(await onMark());
    await comesTrue("its tooltip", async () =>
      /^Call of a NIF, at least 2\.00 s from 2\.00 s on: shop_c:price\/1 · /.test(
        (await strip.getAttribute("title")) ?? "",
      ),
    );
    await screenshot(page, "flame-stay");
    await strip.click(await onMark());
    await comesTrue("its time is selected", async () =>
      ((await text()) ?? "").startsWith("2.00 s to 4.02 s of 6.00 s"),
    );
    await strip.click(await onMark());
    await comesTrue("a second click removes it", async () => ((await text()) ?? "").startsWith("all of 6.00 s"));
    await strip.focus();
    await page.keyboard.press("m");
    await comesTrue("the key selects it, and it is described without a pointer, too", async () =>
      /^2\.00 s to 4\.02 s of 6\.00 s.* · Call of a NIF, at least 2\.00 s from 2\.00 s on: /.test((await text()) ?? ""),
    );
    await page.close();
  });

  test("a time without readings is hatched and described", async () => {
    const { page } = await opened();
    const strip = page.getByRole("slider", { name: "Time range" });
    const before = await strip.evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());
    await page.evaluate(
      ([lists, timeline, gaps]) =>
        window.postMessage({ type: "facets", facets: lists, timeline, gaps, allSamples: 2883, live: false }, "*"),
      /** @type {const} */ ([facets(12), TIMELINE, [{ fromMs: 2000, toMs: 5000 }]]),
    );
    await comesTrue(
      "the gap is shown",
      async () => (await strip.getAttribute("aria-valuetext")) === "all of 6.00 s · 1 gap of 3.00 s",
    );
    assert.notEqual(await strip.evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()), before);
    const box = await strip.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 2, box.y + 10);
    assert.match((await strip.getAttribute("title")) ?? "", /^2\.00 s to 5\.00 s: not recorded/);
    await page.mouse.move(box.x + 3, box.y + 10);
    assert.doesNotMatch((await strip.getAttribute("title")) ?? "", /nobody/);
    await screenshot(page, "flame-gap");
    await page.close();
  });

  test("a range of time by dragging and by keys", async () => {
    const { page } = await opened();
    const strip = page.getByRole("slider", { name: "Time range" });
    assert.equal(await strip.getAttribute("aria-valuetext"), "all of 6.00 s");
    const box = await strip.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 6 + 3, box.y + 10);
    assert.equal(await strip.getAttribute("title"), "1.00 s: 40 samples busy, 0 idle");
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 10, { steps: 4 });
    await page.mouse.up();
    const dragged = /** @type {{timeMs: {from: number, to: number}}} */ ((await viewsWhen(page, 1)).at(-1)?.filter)
      .timeMs;
    assert.ok(Math.abs(dragged.from - 1000) < 40 && Math.abs(dragged.to - 3000) < 20, JSON.stringify(dragged));
    assert.match(await chips(page).innerText(), /1.0\d s to 3.00 s/);
    await strip.focus();
    await page.keyboard.press("Escape");
    await viewWith(page, {});
    for (const key of ["ArrowRight", "ArrowRight", "Shift+ArrowRight"]) await page.keyboard.press(key);
    await viewWith(page, { timeMs: { from: 100, to: 1200 } });
    assert.equal(await strip.getAttribute("aria-valuenow"), "100");
    assert.match((await strip.getAttribute("aria-valuetext")) ?? "", /^100 ms to 1.20 s of 6.00 s, 440 busy$/);
    // Live: the capture grows, the range stays where it was.
    const grown = {
      bucketMs: 200,
      durationMs: 12_000,
      busy: Uint32Array.from({ length: 60 }, () => 10),
      idle: new Uint32Array(60),
    };
    await page.evaluate(
      ([lists, timeline]) =>
        window.postMessage({ type: "facets", facets: lists, timeline, allSamples: 2883, live: true }, "*"),
      /** @type {const} */ ([facets(3), grown]),
    );
    await page.evaluate("painted()");
    assert.match((await strip.getAttribute("aria-valuetext")) ?? "", /^100 ms to 1.20 s of 12.00 s/);
    // A press without a drag takes it back.
    await strip.click({ position: { x: 50, y: 10 } });
    await viewWith(page, {});
    await page.close();
  });

  test("no sample passes: a notice, with a way back", async () => {
    const { page } = await opened();
    await page.keyboard.press("f");
    await page.keyboard.type("zzz");
    const revision = (await viewWith(page, { focus: "zzz" }))?.revision;
    await page.evaluate(
      `tell({ type: "empty", text: "No sample passes the filters.", actions: [], filtered: { options: DEFAULT_OPTIONS, filter: { focus: "zzz" }, revision: ${revision} } }), painted()`,
    );
    assert.equal(await page.locator(".notice").innerText(), "No sample passes the filters.");
    assert.match(await chips(page).innerText(), /0 of 2,883 samples \(0.00%\)/);
    await page.getByRole("button", { name: "Clear all" }).press("Enter");
    await viewWith(page, {});
    await answer(page, DEMO);
    assert.equal(await page.locator(".notice").isHidden(), true);
    await page.close();
  });

  test("a page that comes back has its choices, selection and zoom", async () => {
    const { page } = await opened();
    for (const key of ["ArrowDown", "ArrowDown", "Space", "i", "t", "r"]) await page.keyboard.press(key);
    await answer(page, DEMO);
    const details = await page.locator(".details-text").innerText();
    await until(
      page,
      'savedState?.options.collapseRecursion === false && savedState.place?.selected.length === 2 && savedState.orientation === "flame"',
    );
    const state = /** @type {object} */ (await page.evaluate("savedState"));
    await page.close();
    const again = await pages.open({ state });
    const ready = await (await again.page.waitForFunction("sent[0]")).jsonValue();
    assert.deepEqual(ready, {
      type: "ready",
      options: { ...DEFAULT_OPTIONS, collapseRecursion: false },
      filter: {},
      uri: "file:///demo.pb.gz",
    });
    await again.page.evaluate("window.savedState = undefined");
    await again.page.evaluate(
      `tellData(${DEMO}, { builtWith: { options: ${JSON.stringify({ ...DEFAULT_OPTIONS, collapseRecursion: false })}, filter: {}, revision: 0 } })`,
    );
    assert.equal(await again.page.locator(".details-text").innerText(), details);
    assert.equal(await again.page.getByRole("tree").isVisible(), true);
    const place = /** @type {{place: {zoom: {path: string[], left: number, right: number}}}} */ (state).place;
    assert.deepEqual([place.zoom.path.length, place.zoom.left, place.zoom.right], [2, 0, 1]);
    // Still zoomed after the page has saved again.
    await again.page.keyboard.press("Tab");
    await until(again.page, "savedState !== undefined");
    assert.deepEqual(/** @type {{place: object}} */ (await again.page.evaluate("savedState")).place, place);
    await again.page.close();
  });

  testByNight("another capture begins at its root; a graph of the whole ends callers and callees", async () => {
    const { page } = await opened();
    for (const key of ["ArrowDown", "ArrowDown", "Space"]) await page.keyboard.press(key);
    await page.evaluate(`tellData(${DEMO}, { uri: "file:///other.pb.gz", title: "other" })`);
    assert.match(await page.locator(".details-text").innerText(), /^all/);
    await page.evaluate(
      `tell({ type: "sandwich", functionName: "x", callers: flameFromFolded("a 1"), callees: flameFromFolded("b 1"), builtWith: { options: DEFAULT_OPTIONS, filter: {}, revision: 0 }, filteredSamples: 100, allSamples: 100 }), painted()`,
    );
    assert.equal(await page.locator(".sandwich-bar").isVisible(), true);
    await page.evaluate(`tellData(${DEMO}, { uri: "file:///other.pb.gz" })`);
    assert.equal(await page.locator(".sandwich-bar").isHidden(), true);
    assert.equal(await page.evaluate('sent.some((message) => message.type === "closeSandwich")'), false);
    await page.close();
  });

  testByNight("frames and legend have the contributed colours", async () => {
    const { page } = await opened({ variables: { "--vscode-extrospect-erlangFrame": "#12ab34" } });
    assert.equal(
      await page.locator(".swatch.kind-erlang").evaluate((swatch) => getComputedStyle(swatch).backgroundColor),
      "rgb(18, 171, 52)",
    );
    const greenest = await page.locator(CANVAS).evaluate((canvas) => {
      const { data } = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d")?.getImageData(0, 0, 800, 60) ?? {
        data: [],
      };
      let green = 0;
      for (let at = 0; at < data.length; at += 4) if ((data[at + 1] ?? 0) > 120 && (data[at] ?? 0) < 60) green++;
      return green;
    });
    assert.ok(greenest > 1000, `${greenest} green pixels`);
    await page.close();
  });

  testByNight("300 pixels wide: everything is within the width, and the graph is there", async () => {
    const { page } = await opened({ width: 300, height: 700 });
    await page.keyboard.press("f");
    await page.keyboard.type("demo");
    await viewWith(page, { focus: "demo" });
    await answer(page, DEMO);
    await screenshot(page, "flame-graph-narrow", { fullPage: true });
    const wide = await page.evaluate(
      `[...document.querySelectorAll("body *")].filter((made) => made.offsetParent !== null && !made.closest(".tooltip") && made.getBoundingClientRect().right > innerWidth + 1).map((made) => made.className || made.tagName)`,
    );
    assert.deepEqual(wide, []);
    const box = await page.locator(CANVAS).boundingBox();
    assert.ok(box && box.width > 250 && box.height > 150, JSON.stringify(box));
    await page.getByRole("button", { name: "Processes: all" }).click();
    const menu = await page.getByRole("dialog", { name: "Processes" }).boundingBox();
    assert.ok(menu && menu.x >= 0 && menu.x + menu.width <= 300, JSON.stringify(menu));
    await page.close();
  });

  for (const theme of THEME_NAMES) {
    test(`axe finds nothing with filters open in ${theme}`, async () => {
      const { page, problems } = await opened({ theme });
      await page.keyboard.press("f");
      await page.keyboard.type("demo");
      await viewWith(page, { focus: "demo" });
      const seen = (await views(page)).length;
      await page.getByRole("slider").press("PageUp");
      await viewsWhen(page, seen + 1);
      await answer(page, DEMO);
      await page.getByRole("button", { name: "Processes: all" }).click();
      await page.getByRole("dialog", { name: "Processes" }).getByRole("checkbox").nth(2).press("Space");
      await page.evaluate("painted()");
      await screenshot(page, `flame-graph-filters-${theme}`);
      await assertAccessible(page, { theme, byDay: true });
      assert.deepEqual(problems, []);
      await page.close();
    });
  }
});
