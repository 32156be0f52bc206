// The page of a history, in a real browser: it opens offline, obeys no name, everybody can read it, and it is the page
// that the editor exports.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { COMMITS, FUNCTION, makeRepository, writeCaptures } from "../captures/history-folder.mjs";
import { helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { assertAccessible, assertPolicyFits, browserPage } from "./browser-page.mjs";

const MODULE = new URL("../../dist/editor-module/editor-module.wasm", import.meta.url);
const EVIL = '<img src=x onerror=window.bad=1>"&\u202e.pb.gz';
const LENGTH_BYTES = 4;
/** Charts of the whole program, and of a function in itself and in total. */
const CHARTS = 3;

/** @param {import("node:test").TestContext} t */
async function writtenPage(t) {
  const [folder, repository] = [temporaryFolder(t), temporaryFolder(t)];
  writeCaptures(folder, makeRepository(repository));
  writeFileSync(join(folder, EVIL), "no capture");
  const diff = ["diff", "--history", folder, "--function", FUNCTION, "--source-dir", repository];
  const run = await runHelper([...diff, "--format", "html"]);
  assert.equal(run.code, 0, run.stderr);
  const file = join(folder, "history.html");
  writeFileSync(file, run.stdout);
  return { folder, diff, html: run.stdout, address: pathToFileURL(file).href };
}

test("it opens from a file without requests, obeys no name, and is accessible, in a narrow window, too", async (t) => {
  const { folder, html, address } = await writtenPage(t);
  assert.doesNotMatch(html, /https?:\/\/|<script/);
  assertPolicyFits(html, 0);
  const page = await browserPage(t, folder);
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address);
  await page.locator("h1").waitFor();
  assert.deepEqual(asked, [address]);
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).bad), undefined);
  assert.equal(await page.locator("img").count(), 0);
  // The reading of each series, since that capture may be the newest, and the list of those that are left out.
  assert.equal(await page.locator("li", { hasText: "<img src=x" }).count(), CHARTS + 1);
  assert.equal(await page.locator("circle").count(), CHARTS * COMMITS);
  const unfold = () =>
    page.locator("details").evaluateAll((all) => {
      for (const one of all) one.setAttribute("open", "");
    });
  for (const width of [1200, 400, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await assertAccessible(page);
    await unfold();
    await assertAccessible(page);
    const [content, window] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return [scrollWidth, clientWidth];
    });
    assert.equal(content, window, `the page scrolls sideways at ${width} px`);
  }
  // A chart that is wider than the window scrolls by keys.
  const chart = page.locator(".chart").first();
  assert.ok(await chart.evaluate((room) => room.scrollWidth > room.clientWidth));
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("role")), "img");
  await page.keyboard.press("ArrowRight");
  await until("the chart to scroll", () => chart.evaluate((room) => room.scrollLeft > 0));
  assert.deepEqual([...page.problems, ...page.consoleErrors], []);
});

test("each chart has its step in figures, and the table of its commits", async (t) => {
  const { folder, address } = await writtenPage(t);
  const page = await browserPage(t, folder);
  await page.goto(address);
  await page.locator("h1").waitFor();
  assert.match((await page.textContent("h1")) ?? "", new RegExp(`^CPU over ${COMMITS} commits: `));
  const total = page.locator("section", { hasText: `${FUNCTION}, total` });
  assert.match((await total.locator("svg text").textContent()) ?? "", /^\+[\d.]+ %$/);
  assert.match(
    (await total.locator("svg").getAttribute("aria-label")) ?? "",
    new RegExp(`^${FUNCTION}, total: value of each commit`),
  );
  assert.match((await total.locator("li").first().textContent()) ?? "", /^\+.* % \[.*\] at .*, the one before is /);
  await total.locator("summary").click();
  assert.equal(await total.locator("tbody tr:visible").count(), COMMITS);
});

test("the module of the editor makes the same page of the command line's JSON, to the byte", async (t) => {
  const { diff, html } = await writtenPage(t);
  assert.equal(await pageOfModule(await helperJson(diff)), html);
});

/** Calls the module as `extension/src/editor-module` does. @param {unknown} history */
async function pageOfModule(history) {
  const { instance } = await WebAssembly.instantiate(readFileSync(MODULE));
  const { memory, allocate, history_page } = /** @type {any} */ (instance.exports);
  const message = withLength(Buffer.from(JSON.stringify(history)));
  const at = allocate(message.length);
  new Uint8Array(memory.buffer, at).set(message);
  const answerAt = history_page(at, message.length);
  // The memory may have moved while it grew.
  const answer = part(Buffer.from(memory.buffer, answerAt));
  const head = part(answer);
  assert.deepEqual(JSON.parse(head.toString()), { type: "page" });
  return answer.subarray(LENGTH_BYTES + head.length).toString();
}

/** @param {Buffer} bytes */
function withLength(bytes) {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The part at the start, which has its length before it. @param {Buffer} bytes */
function part(bytes) {
  return bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + bytes.readUInt32LE());
}
