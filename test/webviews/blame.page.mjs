// The blame panel in Chromium: the real page, the real session behind it, and captures of the demo VM.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { changedCapture } from "../changed-capture.mjs";
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
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;

describe("blame panel", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let sessions;
  /** @type {any} */
  let model;
  before(async () => {
    [pages, sessions, model] = await Promise.all([
      startPanelPages("blame"),
      bundled("extension/src/panels/blame/blame-session.ts", "extension/src/panels/page/exported-page.ts"),
      bundled("extension/src/capture/capture-model.ts", "extension/src/capture/joined-capture.ts"),
    ]);
  });
  after(() => pages.stop());

  /** A page with its session. @param {any} capture @param {{question?: object, live?: boolean, percentOf?: string, minimumSamples?: number, selected?: object, theme?: string, state?: unknown}} [options] */
  async function opened(
    capture,
    { question = {}, live = false, percentOf = "busy", minimumSamples = 0, selected = undefined, ...options } = {},
  ) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    /** @type {unknown[]} */
    const failures = [];
    const session = new sessions.BlameSession({
      ...clock,
      texts: TEXTS,
      selected,
      current: () =>
        capture && {
          capture,
          title: "demo@host, 14:03",
          live,
          uri: "file:///demo.pb.gz",
          attribution: "self",
          percentOf,
          minimumSamples,
          originOf: () => undefined,
        },
      post: (/** @type {unknown} */ message) => void tell(message),
      problem: (/** @type {unknown} */ error) => failures.push(error),
    });
    session.ask(question);
    const view = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        session.receive(message);
      },
    });
    await view.page.waitForSelector(capture && capture.totals.samples > 0 ? ".answer" : ".notice p");
    return { ...view, session, failures };
  }
  const rows = (/** @type {Page} */ page) => page.locator(".grid-body .grid-row");
  const focused = (/** @type {Page} */ page) =>
    page.evaluate(() => {
      const id = document.activeElement?.getAttribute("aria-activedescendant");
      const row = id ? document.getElementById(id) : null;
      return (
        row && {
          name: row.querySelector(".name")?.textContent,
          level: row.getAttribute("aria-level"),
          expanded: row.getAttribute("aria-expanded"),
          rowindex: row.getAttribute("aria-rowindex"),
        }
      );
    });

  test("the page as a file for browsers has the answer, its node and its rows", async () => {
    const joined = model.joinedCapture();
    joined.addNode("a@host", model.decodeCapture(DEMO));
    joined.addNode("b@host", model.decodeCapture(changedCapture(DEMO, () => 2)));
    joined.catchUp();
    const view = await opened(joined, { question: { query: "copy" } });
    const { page, problems, failures } = view;
    const answer = () => page.locator(".answer").innerText();
    const all = await answer();
    await page.locator(".question vscode-single-select").evaluate((select) => {
      /** @type {any} */ (select).value = "a@host";
      select.dispatchEvent(new Event("change"));
    });
    await until("the answer of one node", async () => (await answer()) !== all);
    const names = async () => (await rows(page).locator("[data-column=name]").allTextContents()).sort();
    const [text, shown] = [await answer(), await names()];
    assert.ok(shown.length > 0);
    await openExported(view, sessions.exportedPage);
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Which Erlang functions cause native work");
    assert.equal(await answer(), text);
    assert.deepEqual(await names(), shown);
    assert.equal(await page.locator(".question").innerText(), "Node: a@host");
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("one node of a merged capture can be selected: all figures are then its own", async () => {
    const alone = model.decodeCapture(DEMO);
    const joined = model.joinedCapture();
    joined.addNode("a@host", model.decodeCapture(DEMO));
    joined.addNode("b@host", model.decodeCapture(changedCapture(DEMO, () => 2)));
    joined.catchUp();
    const { page, session, problems, failures } = await opened(joined, { question: { query: "copy" } });
    const said = (/** @type {any} */ capture) =>
      new RegExp(`^copy: ${capture.blame("copy").matched.toLocaleString("en-US")} samples, `);
    const answer = page.locator(".answer");
    assert.match(await answer.innerText(), said(joined));
    const choice = page.locator(".question vscode-single-select");
    const choose = (/** @type {string} */ value) =>
      choice.evaluate((select, wanted) => {
        /** @type {any} */ (select).value = wanted;
        select.dispatchEvent(new Event("change"));
      }, value);
    await choose("a@host");
    await until("those of one", async () => said(alone).test(await answer.innerText()));
    assert.match(
      await page.locator("header .quiet").innerText(),
      new RegExp(`${alone.totals.busy.toLocaleString("en-US")} busy`),
    );
    assert.equal(await rows(page).first().locator(".name").first().innerText(), alone.blame("copy").callers[0].name);
    assert.deepEqual([session.table().matched, session.table().busy], [alone.blame("copy").matched, alone.totals.busy]);
    await assertAccessible(page);
    await choose("");
    await until("those of all again", async () => said(joined).test(await answer.innerText()));
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("the headline adds up, and the answer is the model's", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, problems, failures } = await opened(capture, { question: { query: "copy" } });
    const answer = capture.blame("copy");
    assert.ok(answer.matched > 0);
    await page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("copy:"));
    assert.match(
      await page.locator(".answer").innerText(),
      new RegExp(`^copy: ${answer.matched.toLocaleString("en-US")} samples, [\\d.]+% of busy`),
    );
    assert.equal(await rows(page).first().locator(".name").first().innerText(), answer.callers[0].name);
    assert.equal(await page.locator(".grid").getAttribute("aria-rowcount"), String(answer.callers.length + 1));
    const figures = await page.locator("header .split-samples").allInnerTexts();
    assert.equal(
      figures.reduce((sum, figure) => sum + Number(figure.replaceAll(",", "")), 0),
      capture.totals.busy,
    );
    assert.match(await page.locator("header .quiet").innerText(), /idle [\d.]+% of all/);
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("on request, each figure is of all samples: of a class, the answer and one function", async () => {
    const capture = model.decodeCapture(DEMO);
    const { samples, busy } = capture.totals;
    assert.ok(busy < samples);
    const [caller] = capture.blame("copy").callers;
    const question = { query: "copy", functionName: caller.name };
    const { page, problems, failures } = await opened(capture, { question, percentOf: "all" });
    await page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("copy:"));
    assert.match(await page.locator(".answer").innerText(), /% of all$/);
    const legend = page.locator("header .split-legend");
    assert.match((await legend.getAttribute("aria-label")) ?? "", /shares of all samples$/);
    const counts = await legend.locator(".split-samples").allInnerTexts();
    assert.deepEqual(
      await legend.locator(".split-figure").allInnerTexts(),
      counts.map((count) => `${((100 * Number(count.replaceAll(",", ""))) / samples).toFixed(1)}%`),
    );
    assert.match(await page.locator(".strip .quiet").innerText(), /^owns .* \([\d.]+% of all\), on the stack in /);
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("figures of few samples are marked: in the answer, its rows and one function", async () => {
    const capture = model.decodeCapture(DEMO);
    const { callers } = capture.blame("copy");
    const question = { query: "copy", functionName: callers[0].name };
    const { page, problems, failures } = await opened(capture, { question, minimumSamples: callers[0].samples });
    await page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("copy:"));
    const fewer = callers.findIndex((/** @type {any} */ one) => one.samples < callers[0].samples);
    assert.ok(fewer > 0);
    assert.doesNotMatch(await page.locator(".answer").innerText(), /≈/);
    const shares = (/** @type {number} */ row, /** @type {string} */ column) =>
      page.locator(`.grid-body .grid-row[aria-rowindex='${row}'] [data-column=${column}]`);
    for (const column of ["ofIt", "ofBusy"]) {
      assert.match(await shares(2, column).innerText(), /^[\d.]+%$/);
      const cell = shares(fewer + 2, column);
      assert.match(await cell.innerText(), /^≈ [\d.]+%$/);
      assert.match((await cell.getAttribute("title")) ?? "", /^≈ Too few samples to trust: fewer than/);
    }
    const few = await opened(capture, { question, minimumSamples: 1e9 });
    await few.page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("copy:"));
    assert.match(await few.page.locator(".answer").innerText(), /, ≈ [\d.]+% of busy$/);
    const owns = await few.page.locator(".strip .quiet").innerText();
    assert.match(owns, /^owns .* \(≈ .*\), on the stack in .* \(≈ .*\)/);
    assert.deepEqual([problems, failures, few.problems, few.failures], [[], [], [], []]);
    await page.close();
    await few.page.close();
  });

  testByNight("without a choice the largest group is requested; pressing a class requests its group", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page } = await opened(capture);
    const groups = capture
      .blameChoices()
      .filter((/** @type {any} */ choice) => choice.isGroup)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b.samples - a.samples);
    await page.waitForFunction(
      (query) => document.querySelector(".answer")?.textContent?.startsWith(`${query}:`),
      groups[0].query,
    );
    await page.locator("header button.split-entry", { hasText: "GC" }).click();
    await page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("gc:"));
    assert.equal(
      await page.locator("header button.split-entry", { hasText: "GC" }).getAttribute("aria-pressed"),
      "true",
    );
    assert.equal(await page.locator("#blame-query").inputValue(), "gc");
    await page.close();
  });

  test("a selected row is shared, and a function that another view selects has its row selected", async () => {
    const capture = model.decodeCapture(DEMO);
    const [one, other] = capture.blame("copy").callers.filter((/** @type {any} */ row) => row.functionIndex >= 0);
    let index = -1;
    const selected = {
      current: () => (index < 0 ? undefined : index),
      select: (/** @type {number} */ functionIndex) => void (index = functionIndex),
    };
    const { page, session, problems, failures } = await opened(capture, { question: { query: "copy" }, selected });
    const row = (/** @type {string} */ name, more = "") =>
      page.locator(`.grid-body .grid-row${more}`, { hasText: name });
    await row(one.name).first().locator(".name").first().click();
    await until("it is shared", () => index === one.functionIndex);
    index = other.functionIndex;
    session.selectionChanged();
    await row(other.name, '[aria-selected="true"]').waitFor();
    assert.deepEqual([problems, failures], [[], []]);
    await page.close();
  });

  test("the whole panel by keyboard: pick, walk, open callers, go to the source, copy", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, of } = await opened(capture);
    await page.locator("#blame-query").focus();
    await page.keyboard.type("copy_str");
    const first = page.locator('[role="option"]').first();
    assert.match(await first.innerText(), /^copy_struct/);
    const picked = await first.locator(".name").innerText();
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      (query) => document.querySelector(".answer")?.textContent?.startsWith(`${query}:`),
      picked,
    );
    const answer = capture.blame(picked);
    await page.locator(".grid").focus();
    await page.keyboard.press("Home");
    assert.equal((await focused(page))?.name, answer.callers[0].name);
    const parent = answer.callers.findIndex(
      (/** @type {any} */ caller) => caller.callers.length > 0 && caller.functionIndex >= 0,
    );
    for (let step = 0; step < parent; step++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('.grid-row[aria-expanded="true"]');
    await page.keyboard.press("ArrowRight");
    const child = answer.callers[parent].callers[0];
    assert.deepEqual(await focused(page), {
      name: child.name,
      level: "2",
      expanded: child.callers.length > 0 ? "false" : null,
      rowindex: String(parent + 3),
    });
    await page.keyboard.press("ArrowLeft");
    assert.equal((await focused(page))?.level, "1");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => true);
    const { functionIndex, line } = answer.callers[parent];
    assert.deepEqual(of("openSource"), [{ type: "openSource", functionIndex, line }]);
    await page.keyboard.press("Control+c");
    await page.waitForFunction(() => true);
    assert.deepEqual(of("copyText"), [{ type: "copyText", text: answer.callers[parent].name }]);
    await page.keyboard.press("Shift+F10");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "treegrid");
    assert.deepEqual(of("flameGraph"), [{ type: "flameGraph", functionIndex }]);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => !document.querySelector('.grid-row[aria-expanded="true"]'));
    await page.close();
  });

  testByNight("free text, what is not there, and typing in the grid", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, problems } = await opened(capture, { question: { query: "gc" } });
    await page.locator("#blame-query").fill("nif:no_such_library");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      () => document.querySelector(".answer")?.textContent === "No samples in nif:no_such_library in this capture.",
    );
    assert.match(await page.locator(".hint").innerText(), /nif:crypto/);
    assert.equal(await page.locator(".grid").isHidden(), true);
    await page.locator("#blame-query").fill("gc");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("gc:"));
    const wanted = capture.blame("gc").callers.at(-1).name;
    await page.locator(".grid").focus();
    await page.keyboard.type(wanted.slice(0, 30));
    assert.equal((await focused(page))?.name?.startsWith(wanted.slice(0, 30)), true);
    await page.keyboard.press("End");
    assert.equal((await focused(page))?.name, wanted);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("a place goes to its line by the mouse, markers do not", async () => {
    const capture = model.decodeCapture(DEMO);
    const { page, of } = await opened(capture, { question: { query: "gc" } });
    const answer = capture.blame("gc");
    await page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("gc:"));
    const index = answer.callers.findIndex(
      (/** @type {any} */ caller) => caller.functionIndex >= 0 && caller.file !== "",
    );
    await rows(page).nth(index).locator(".place").click();
    await page.waitForFunction(() => true);
    assert.deepEqual(of("openSource"), [
      { type: "openSource", functionIndex: answer.callers[index].functionIndex, line: answer.callers[index].line },
    ]);
    const marker = answer.callers.findIndex((/** @type {any} */ caller) => caller.functionIndex < 0);
    if (marker >= 0) {
      await rows(page).nth(marker).dblclick();
      assert.equal(of("openSource").length, 1);
      assert.match(await page.locator(".notes").innerText(), /\[\w/);
    }
    await page.close();
  });

  test("one function's native work: its classes, its row", async () => {
    const capture = model.decodeCapture(DEMO);
    const caller = capture
      .blame("copy")
      .callers.find(
        (/** @type {any} */ one) => one.functionIndex >= 0 && capture.placeDetail(one.functionIndex).self > 0,
      );
    const detail = capture.placeDetail(caller.functionIndex);
    const { page, session } = await opened(capture, { question: { functionName: caller.name, query: "copy" } });
    await page.waitForSelector(".strip:not([hidden])");
    assert.equal(await page.locator(".strip h2").innerText(), `Native work of ${caller.name}`);
    const figures = await page.locator(".strip .split .split-samples").allInnerTexts();
    assert.equal(
      figures.reduce((sum, figure) => sum + Number(figure.replaceAll(",", "")), 0),
      detail.self,
    );
    assert.equal(await page.locator(".grid-row.marked .name").first().innerText(), caller.name);
    await page.getByRole("button", { name: "Whole Capture" }).click();
    await page.waitForSelector(".strip", { state: "hidden" });
    session.ask({ functionName: "no:such/1" });
    await page.waitForFunction(() =>
      document.querySelector(".hint")?.textContent?.includes("no:such/1 has no samples"),
    );
    await page.close();
  });

  test("a live refresh keeps selection, open callers, scroll and the focus", async () => {
    const whole = new Uint8Array(GROWING);
    const starts = [...whole.keys()].filter(
      (at) => whole[at] === 0x1f && whole[at + 1] === 0x8b && whole[at + 2] === 8,
    );
    const capture = model.newCapture();
    const half = /** @type {number} */ (starts[Math.ceil(starts.length / 2)]);
    capture.append(whole.subarray(0, half));
    const { page, session } = await opened(capture, { live: true, question: { query: "gc" } });
    await page.waitForFunction(() => document.querySelectorAll(".grid-body .grid-row").length > 0);
    await page.locator(".grid").focus();
    const open = capture.blame("gc").callers.findIndex((/** @type {any} */ caller) => caller.callers.length > 0);
    await page.keyboard.press("Home");
    for (let step = 0; step < open; step++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector('.grid-row[aria-expanded="true"]');
    await page.keyboard.press("ArrowRight");
    const was = await focused(page);
    const text = await page.locator(".answer").innerText();
    capture.append(whole.subarray(half));
    session.captureUpdated();
    await page.waitForFunction((before) => document.querySelector(".answer")?.textContent !== before, text);
    const is = await focused(page);
    assert.deepEqual([is?.name, is?.level], [was?.name, was?.level]);
    assert.equal(await page.locator('.grid-row[aria-expanded="true"]').count(), 1);
    assert.match(await page.locator("header .quiet").innerText(), /live$/);
    await page.close();
  });

  testByNight("an empty page has a way out; a page that comes back is as it was", async () => {
    const none = await opened(undefined);
    assert.match(await none.page.locator(".notice p").innerText(), /No capture/);
    const { height = 0 } = (await none.page.getByRole("button", { name: "Start Capture…" }).boundingBox()) ?? {};
    assert.ok(height > 10 && height < 40, `a button of one line is ${String(height)} px high`);
    await none.page.getByRole("button", { name: "Start Capture…" }).click();
    await none.page.waitForFunction(() => true);
    assert.deepEqual(none.of("do"), [{ type: "do", action: "attach" }]);
    await assertAccessible(none.page);
    await none.page.close();
    const capture = model.decodeCapture(DEMO);
    const first = await opened(capture, { question: { query: "gc" } });
    await first.page.waitForFunction(() => document.querySelectorAll(".grid-body .grid-row").length > 0);
    await first.page.locator(".grid").focus();
    await first.page.keyboard.press("Home");
    await first.page.keyboard.press("ArrowDown");
    const state = await first.page.evaluate("savedState");
    const was = await focused(first.page);
    await first.page.close();
    const again = await opened(capture, { state });
    await again.page.waitForFunction(() => document.querySelector(".answer")?.textContent?.startsWith("gc:"));
    await again.page.locator(".grid").focus();
    assert.deepEqual(await focused(again.page), was);
    await again.page.close();
  });

  test("names are text, cut and without hidden characters", async () => {
    const hostile = {
      name: HOSTILE,
      functionIndex: 0,
      file: `/${HOSTILE}`,
      line: 1,
      atOrBelow: true,
      samples: 5,
      callers: [],
    };
    const capture = {
      revision: 1,
      totals: { samples: 10, busy: 8 },
      facts: { unit: "samples" },
      functions: [{ name: HOSTILE, kind: "erlang", file: "", headLine: 1 }],
      nodeShares: () => [],
      classSplit: () => [
        { sampleClass: "copy", samples: 8 },
        { sampleClass: "__proto__", samples: 0 },
        { sampleClass: "idle", samples: 2 },
      ],
      blameChoices: () => [{ query: HOSTILE, isGroup: false, samples: 5 }],
      blame: (/** @type {string} */ query) => ({
        query,
        symbols: [HOSTILE],
        matched: 5,
        samples: 10,
        busy: 8,
        callers: [hostile],
      }),
      functionNamed: () => -1,
    };
    const { page, problems } = await opened(capture, { question: { query: HOSTILE } });
    await page.waitForFunction(() => document.querySelectorAll(".grid-body .grid-row").length > 0);
    assert.equal(await page.locator("img").count(), 0);
    const name = await page.locator(".grid-body .name").first().innerText();
    assert.ok(
      name.length <= 320 && name.startsWith("<img src=x") && name.includes("\\u{202e}") && name.includes("\\u{7}"),
      name.slice(0, 80),
    );
    const box = await page.locator(".body").boundingBox();
    assert.ok(box && box.width <= 1100);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1100);
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const theme of THEME_NAMES) {
    test(`axe finds nothing, ${theme}`, async () => {
      const capture = model.decodeCapture(DEMO);
      const caller = capture.blame("copy").callers.find((/** @type {any} */ one) => one.functionIndex >= 0);
      const { page } = await opened(capture, { theme, question: { query: "copy" } });
      await page.waitForFunction(() => document.querySelectorAll(".grid-body .grid-row").length > 0);
      await page.locator(".grid").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowRight");
      await page.waitForSelector('.grid-body .grid-row[aria-level="2"]');
      await screenshot(page, `blame-${theme}`);
      await assertAccessible(page, { theme });
      await page.locator("#blame-query").click();
      await screenshot(page, `blame-picker-${theme}`);
      await assertAccessible(page, { theme, byDay: true });
      await page.close();
      const focus = await opened(capture, { theme, question: { functionName: caller.name } });
      await focus.page.waitForSelector(".strip:not([hidden])");
      await screenshot(focus.page, `blame-function-${theme}`);
      await assertAccessible(focus.page, { theme });
      await focus.page.close();
    });
  }
});
