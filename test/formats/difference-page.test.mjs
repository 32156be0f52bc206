// The page of a comparison, in a real browser: it opens offline, obeys no name, and is used by mouse and keyboard.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { assertRefused, runHelper, temporaryFolder } from "../e2e/helper.mjs";
import { assertAccessible, assertPolicyFits, browserPage } from "./browser-page.mjs";

const EVIL = ["</script><script>window.bad=1</script>", '"><img src=x onerror=window.bad=1>', "<!--<script>"];
const BASE = [
  "m:loop/0;m:steady/1 4000",
  "m:loop/0;m:slower/1 1000",
  "m:loop/0;m:gone/1;m:below/2 1000",
  "m:loop/0;m:tiny/0 1",
  ...EVIL.map((name) => `${name};m:steady/1 500`),
];
const NEW = [
  "m:loop/0;m:steady/1 4000",
  "m:loop/0;m:slower/1 2500",
  "m:loop/0;m:fresh/1 1000",
  ...EVIL.map((name) => `${name};m:steady/1 500`),
];

/** @param {import("node:test").TestContext} t @param {string[]} more */
async function writtenPage(t, ...more) {
  const folder = temporaryFolder(t);
  const [base, newer, file] = /** @type {const} */ (["base.folded", "new.folded", "difference.html"]).map((name) =>
    join(folder, name),
  );
  writeFileSync(/** @type {string} */ (base), `${BASE.join("\n")}\n`);
  writeFileSync(/** @type {string} */ (newer), `${NEW.join("\n")}\n`);
  const run = await runHelper(["diff", base ?? "", "--", newer ?? "", "--format", "html", ...more]);
  assert.equal(run.code, 0, run.stderr);
  writeFileSync(/** @type {string} */ (file), run.stdout);
  return { folder, html: run.stdout, address: pathToFileURL(file ?? "").href };
}

test("it opens from a file without requests, obeys no name, and is accessible", async (t) => {
  const { folder, html, address } = await writtenPage(t, "--all");
  assert.doesNotMatch(html, /https?:\/\//);
  assertPolicyFits(html);
  const page = await browserPage(t, folder);
  /** @type {string[]} */
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('.frame[aria-label^="all: "]');
  assert.deepEqual(asked, [address]);
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).bad), undefined);
  assert.equal(await page.locator("img").count(), 0);
  await assertAccessible(page);
  assert.deepEqual([...page.problems, ...page.consoleErrors], []);
});

test("frames are as wide as after, signed by the change, and show both values", async (t) => {
  const { folder, address } = await writtenPage(t);
  const page = await browserPage(t, folder);
  await page.goto(address);
  await page.waitForSelector('.frame[aria-label^="all: "]');
  const frame = (/** @type {string} */ name) => page.locator(`.frame[aria-label^="${name}: "]`);
  const label = async (/** @type {string} */ name) => (await frame(name).getAttribute("title")) ?? "";
  assert.match(await label("m:slower/1"), /^m:slower\/1: 13\.3 % before, 27\.8 % after, ▲ more time \+108\.\d %$/);
  assert.match(await label("m:fresh/1"), /^m:fresh\/1: 0\.0 % before, 11\.1 % after, ✚ new$/);
  assert.equal(await frame("m:slower/1").textContent(), "▲ m:slower/1");
  const width = async (/** @type {string} */ name) => (await frame(name).boundingBox())?.width ?? 0;
  assert.ok(Math.abs((await width("m:slower/1")) / (await width("m:fresh/1")) - 2.5) < 0.05);
  assert.equal(await frame("m:gone/1").count(), 0);
  // Of the table, with the verdict in words.
  const row = page.locator("table.changes tr", { hasText: "m:slower/1" });
  assert.match((await row.textContent()) ?? "", /▲ slower/);

  await page.click("#vanished");
  assert.equal(await page.getAttribute("#vanished", "aria-pressed"), "true");
  assert.match(await label("m:gone/1"), /13\.3 % before, 0\.0 % after, ✖ gone$/);
  assert.match(await label("m:below/2"), /✖ gone$/);
  await page.click("#vanished");
  assert.equal(await frame("m:gone/1").count(), 0);
  assert.deepEqual([...page.problems, ...page.consoleErrors], []);
});

test("search, zoom by click and by keys, and a row of the table finds its frames", async (t) => {
  const { folder, address } = await writtenPage(t);
  const page = await browserPage(t, folder);
  await page.goto(address);
  await page.waitForSelector('.frame[aria-label^="all: "]');
  const said = async () => (await page.textContent("#status")) ?? "";
  await page.fill("#search", "m:slower");
  assert.equal(await page.locator(".frame.match").count(), 1);
  assert.match(await said(), /^27\.8 % of the width/);
  await page.keyboard.press("Enter");
  assert.match(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? ""), /^m:slower\/1: /);
  const shownWidth = async () => (await page.locator('.frame[aria-label^="m:slower/1: "]').boundingBox())?.width ?? 0;
  const before = await shownWidth();
  await page.keyboard.press("Enter");
  assert.ok((await shownWidth()) > 2 * before, "zoomed");
  await page.keyboard.press("Escape");
  assert.ok(Math.abs((await shownWidth()) - before) < 1, "all again");
  await page.click('.frame[aria-label^="m:loop/0: "]');
  assert.ok((await shownWidth()) > before, "zoomed by a click");
  await page.click("#out");
  await page.fill("#search", "");
  await page.click('.find:text("m:fresh/1")');
  assert.equal(await page.locator(".frame.match").count(), 1);
  assert.deepEqual([...page.problems, ...page.consoleErrors], []);
});

test("a comment links the page, wherever it is, and nothing else", async (t) => {
  const folder = temporaryFolder(t);
  const [base, newer] = [join(folder, "base.folded"), join(folder, "new.folded")];
  writeFileSync(base, `${BASE.join("\n")}\n`);
  writeFileSync(newer, `${NEW.join("\n")}\n`);
  const linked = await runHelper([
    "diff",
    base,
    "--",
    newer,
    "--markdown",
    "--link",
    "https://ci.example/7/a)b.html?x=1&y=2",
  ]);
  assert.equal(linked.code, 0, linked.stderr);
  assert.match(
    linked.stdout,
    /^\[flame graph of the difference\]\(https:\/\/ci\.example\/7\/a%29b\.html\?x=1&amp;y=2\)$/m,
  );
  const same = await runHelper(["diff", base, "--", newer, "--format", "markdown", "--link", "profile.html"]);
  assert.match(same.stdout, /\]\(profile\.html\)$/m);
  for (const evil of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "a b"]) {
    assert.equal((await runHelper(["diff", base, "--", newer, "--markdown", "--link", evil])).code, 2, evil);
  }
  assertRefused(await runHelper(["diff", base, "--", newer, "--link", "x.html"]), 2);
  assert.equal((await runHelper(["diff", base, "--", newer, "--format", "html", "--json"])).code, 2);
});
