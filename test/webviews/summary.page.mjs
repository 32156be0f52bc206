// The summary of a capture in Chromium: the real page, the real session behind it, and captures of the demo VM.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
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

/** @typedef {import("playwright-core").Page} Page */

const DEMO = readFileSync(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;
const TEXTS = {
  noCapture: "No capture is in view.",
  noSamples: () => "No samples.",
  noSamplesYet: () => "No samples yet.",
  noSamplesLeft: "No samples left.",
  failed: (/** @type {string} */ why) => `Failed: ${why}`,
  remark: () => "",
};
/** As the editor's. */
const words = {
  t: (/** @type {string} */ message, /** @type {unknown[]} */ ...values) =>
    message.replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)])),
};

describe("summary of a capture", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let sessions;
  /** @type {any} */
  let model;
  before(async () => {
    [pages, sessions, model] = await Promise.all([
      startPanelPages("summary"),
      bundled("extension/src/panels/summary/summary-session.ts", "extension/src/panels/page/exported-page.ts"),
      bundled("extension/src/capture/capture-model.ts"),
    ]);
  });
  after(() => pages.stop());

  const captured = () => {
    const capture = model.newCapture();
    capture.append(DEMO);
    return capture;
  };

  /** @param {any} capture @param {any[]} lines @param {{theme?: string, width?: number, minimum?: number}} [options] */
  async function opened(capture, lines, { minimum = 20, ...options } = {}) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    /** @type {unknown[]} */
    const failures = [];
    const session = new sessions.SummarySession({
      ...clock,
      texts: TEXTS,
      words,
      language: "en",
      minimumSamples: () => minimum,
      hottestLines: () => Promise.resolve(lines),
      current: () =>
        capture && {
          capture,
          title: "demo@host, 14:03",
          live: false,
          uri: "file:///demo.pb.gz",
          attribution: "self",
          percentOf: "busy",
          originOf: () => undefined,
        },
      post: (/** @type {unknown} */ message) => void tell(message),
      problem: (/** @type {unknown} */ error) => failures.push(error),
    });
    const view = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        session.receive(message);
      },
    });
    return { ...view, session, failures };
  }

  /** The hottest lines of a capture, without sources. @param {any} capture @param {number} [most] */
  function linesOf(capture, most = 5) {
    const { functions } = capture;
    /** @type {any[]} */
    const lines = functions.flatMap((/** @type {any} */ fn, /** @type {number} */ functionIndex) =>
      fn.kind === "erlang"
        ? capture.functionLines(functionIndex).map((/** @type {any} */ counts) => ({
            place: `src/${fn.file.split("/").at(-1)}:${counts.line}`,
            functionIndex,
            samples: counts.self,
            text: "    Cheapest = best_price(in_cents(Prices), vouchers()),",
            open: () => Promise.resolve(),
          }))
        : [],
    );
    return lines.sort((a, b) => b.samples - a.samples).slice(0, most);
  }

  for (const theme of THEME_NAMES) {
    test(`the headline, the hottest lines and the next steps in the theme ${theme}`, async () => {
      const capture = captured();
      const { page, failures, problems } = await opened(capture, linesOf(capture), { theme });
      await page.locator(".places li").nth(4).waitFor();
      const [largest] = capture
        .classSplit()
        .filter((/** @type {any} */ { sampleClass }) => !["idle", "busy_wait"].includes(sampleClass))
        .sort((/** @type {any} */ a, /** @type {any} */ b) => b.samples - a.samples);
      const percent = `${Math.round((100 * largest.samples) / capture.totals.busy)}%`;
      assert.ok((await page.getByRole("heading", { level: 1 }).innerText()).includes(`(${percent})`));
      await assertAccessible(page, { theme, byDay: true });
      await screenshot(page, `summary-${theme}`);
      assert.deepEqual([failures, problems], [[], []]);
    });
  }

  test("a line, a function of the headline and each step answer a click and the Enter key", async () => {
    const capture = captured();
    const { page, of } = await opened(capture, linesOf(capture));
    await page.locator(".places li").nth(4).waitFor();
    await page.locator(".places .link").nth(1).click();
    await until("the line", () => of("openLine").length === 1);
    assert.equal(of("openLine")[0].index, 1);
    await page.locator(".headline .link").first().focus();
    await page.keyboard.press("Enter");
    await until("the function", () => of("openFunction").length === 1);
    const { functionIndex } = of("openFunction")[0];
    assert.equal(capture.functions[functionIndex].name, await page.locator(".headline .link").first().innerText());
    await page.getByRole("button", { name: "Show the Flame Graph" }).click();
    await until("the step", () => of("step").length === 1);
    assert.equal(of("step")[0].action, "flameGraph");
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await until("the copy", () => of("copy").length === 1);
  });

  test("the page as a file for browsers has what is in sight, without the next steps", async () => {
    const capture = captured();
    const view = await opened(capture, linesOf(capture));
    const { page, failures, problems } = view;
    await page.locator(".places li").nth(4).waitFor();
    const inSight = () =>
      page.evaluate(() =>
        ["h1.headline", ".details", ".body > .quiet", ".split-legend", ".places"].map(
          (part) => document.querySelector(part)?.textContent ?? "",
        ),
      );
    const before = await inSight();
    assert.ok(before.filter((text) => text !== "").length >= 4, JSON.stringify(before));
    await openExported(view, sessions.exportedPage);
    assert.deepEqual(await inSight(), before);
    assert.equal(await page.locator(".steps").count(), 0);
    assert.deepEqual([failures, problems], [[], []]);
    await page.close();
  });

  testByNight("without hot lines it names the hottest functions, and the way to the sources", async () => {
    const capture = captured();
    const { page, of } = await opened(capture, []);
    await page.getByRole("heading", { name: "The Hottest Functions" }).waitFor();
    assert.equal(await page.locator(".places li").count(), 5);
    // Its lines with samples may be gone, or below the least that is hot.
    await page.getByText("No file of this workspace has hot lines in this capture.").waitFor();
    const names = await page.locator(".places .link").allInnerTexts();
    const counts = names.map((name) => capture.functionCounts(capture.functionNamed(name)).self);
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => b - a),
    );
    await page.getByRole("button", { name: "Name the Folder of the Sources…" }).click();
    await until("the step", () => of("step").length === 1);
    await page.locator(".places .link").first().click();
    await until("the function", () => of("openFunction").length === 1);
  });

  test("few samples are no finding", async () => {
    const capture = captured();
    const { page } = await opened(capture, [], { minimum: 1_000_000 });
    await page.getByRole("heading", { name: "Too few busy samples for a finding" }).waitFor();
  });

  test("hostile names and lines are text, and fit into a narrow view", async () => {
    const capture = captured();
    const lines = [{ place: HOSTILE, functionIndex: 0, samples: 3, text: HOSTILE, open: () => Promise.resolve() }];
    const { page, problems } = await opened(capture, lines, { width: 400 });
    await page.locator(".places li").first().waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.ok(await page.evaluate("document.body.scrollWidth <= innerWidth"));
    const places = page.locator(".places");
    assert.ok(!(await places.innerText()).includes("\u202e"));
    await screenshot(page, "summary-narrow");
    assert.deepEqual(problems, []);
  });
});
