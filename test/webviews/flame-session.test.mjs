// The flame graph's page in Chromium with the host's own session and a real capture behind it.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { FLAME_TEXTS } from "../flame-texts.mjs";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { startFlamePages } from "./flame-page.mjs";
import { bundled, clock } from "./panel-page.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../extension/src/capture/questions.js").Capture} Capture */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SHOTS = join(ROOT, "dist/screenshots");
const DEMO = readFileSync(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
const GROWING = readFileSync(new URL("../unit/capture/fixtures/demo-growing.pb.gz", import.meta.url));
const CANVAS = ".pane:not([hidden]) canvas";

describe("flame graph and its session", () => {
  /** @type {Awaited<ReturnType<typeof startFlamePages>>} */
  let pages;
  /** @type {typeof import("../../extension/src/capture/capture-model.js") & typeof import("../../extension/src/panels/flame-graph/flame-session.js")} */
  let host;
  before(async () => {
    mkdirSync(SHOTS, { recursive: true });
    [pages, host] = await Promise.all([startFlamePages(), bundled("extension/src/capture/capture-model.ts", "extension/src/panels/flame-graph/flame-session.ts")]);
  });
  after(() => pages.stop());

  /** @param {Capture} capture @param {{live?: boolean}} [options] */
  async function opened(capture, { live = false } = {}) {
    /** @type {string[]} */
    const notices = [];
    /** @type {Promise<unknown>[]} */
    const posted = [];
    /** @type {Page | undefined} */
    let page;
    /** @type {number[]} */
    const costs = [];
    let received = 0;
    const state = { live };
    const session = new host.FlameSession({
      texts: FLAME_TEXTS,
      current: () => ({ capture, title: "shop@localhost", live: state.live, uri: "file:///demo.pb.gz", measure: "self", originOf: () => undefined }),
      post: (message) => posted.push(/** @type {Page} */ (page).evaluate((told) => window.postMessage(told, "*"), message)),
      notice: (text) => notices.push(text),
      problem: (error) => assert.fail(String(error)),
      debug: (text) => costs.push(Number(/in ([\d.]+) ms/.exec(text)?.[1])),
      ...clock,
    });
    const open = await pages.open({
      onMessage: (message, on) => {
        page = on;
        received += 1;
        session.receive(message);
      },
    });
    page = open.page;
    // A message from the page comes before the answer to what the page is asked after it. What the
    // host answers may make the page ask again.
    const settled = async () => {
      let heard = -1;
      while (received !== heard || posted.length > 0) {
        heard = received;
        while (posted.length > 0) await Promise.all(posted.splice(0));
        await open.page.evaluate("painted()");
      }
    };
    await settled();
    await open.page.locator(CANVAS).focus();
    return { ...open, session, notices, costs, state, settled };
  }
  const details = (/** @type {Page} */ page) => page.locator(".details-text").innerText();

  test("a real capture: graph, filters, time range, callers and callees", async () => {
    const capture = host.decodeCapture(DEMO);
    const { page, problems, settled } = await opened(capture);
    const all = capture.totals.samples.toLocaleString("en-US");
    assert.match(await page.locator(".status").innerText(), new RegExp(`^shop@localhost · ${all} samples$`));
    assert.match(await details(page), new RegExp(`^all[\\s\\S]*100.0% of all · ${all} samples`));

    await page.keyboard.press("f");
    await page.keyboard.type("copy_struct");
    await page.keyboard.press("Enter");
    await settled();
    const focused = capture.filteredTotals({ focus: "copy_struct" }).samples;
    assert.ok(focused > 0 && focused < capture.totals.samples);
    const chip = page.locator(".matched");
    assert.match(await chip.innerText(), new RegExp(`^${focused.toLocaleString("en-US")} of ${all} samples`));
    await page.getByRole("button", { name: "Clear all" }).click();
    await settled();

    const facets = capture.facets();
    const process = facets.processes.find(({ value }) => value !== "") ?? assert.fail();
    await page.getByRole("button", { name: "Processes: all" }).click();
    await page.getByRole("dialog", { name: "Processes" }).getByText(process.value, { exact: true }).click();
    await settled();
    assert.match(await chip.innerText(), new RegExp(`^${process.samples.toLocaleString("en-US")} of ${all}`));
    await page.keyboard.press("Escape");

    const strip = page.getByRole("slider");
    const ofProcess = await chip.innerText();
    await strip.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    // The page tells a range a moment after the last key.
    await until("the range is in the chip", async () => (await chip.innerText()) !== ofProcess);
    await settled();
    const [, to = ""] = /^0.00 s to ([\d.]+ m?s) of/.exec((await strip.getAttribute("aria-valuetext")) ?? "") ?? assert.fail();
    const timeMs = { from: 0, to: to.endsWith("ms") ? parseFloat(to) : parseFloat(to) * 1000 };
    const inTime = capture.filteredTotals({ processes: [process.value], timeMs }).samples;
    assert.match(await chip.innerText(), new RegExp(`^${inTime.toLocaleString("en-US")} of ${all}`));
    await page.screenshot({ path: join(SHOTS, "flame-graph-real-filtered.png") });
    await page.locator(CANVAS).focus();
    await page.keyboard.press("x");
    await settled();

    for (const key of ["ArrowDown", "ArrowDown", "s"]) await page.keyboard.press(key);
    const name = (await details(page)).split("\n")[0] ?? "";
    await settled();
    assert.match(await page.locator(".sandwich-bar").innerText(), new RegExp(`of ${name.replace(/[^\w]/g, ".")}`));
    const total = capture.functionCounts(capture.functionNamed(name)).total.toLocaleString("en-US");
    assert.match(await details(page), new RegExp(`100.0% of the function · ${total} samples`));
    await page.screenshot({ path: join(SHOTS, "flame-graph-real-sandwich.png") });
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a file without its end says so above what is there of it", async () => {
    const whole = await opened(host.decodeCapture(GROWING));
    assert.equal(await whole.page.locator(".cut-line").isVisible(), false);
    await whole.page.close();
    const { page, problems } = await opened(host.decodeCapture(GROWING.subarray(0, GROWING.length - 100)));
    assert.equal(await page.locator(".cut-line").innerText(), "The end of the file is missing: the recording or a copy was cut short. What is there is shown.");
    await page.screenshot({ path: join(SHOTS, "flame-graph-cut.png") });
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("collapsed recursion, hidden native frames and an inverted graph hold the same samples", async () => {
    const capture = host.decodeCapture(DEMO);
    const { page, settled } = await opened(capture);
    const all = `${capture.totals.samples.toLocaleString("en-US")} samples`;
    const depth = () => page.locator(".pane:not([hidden]) .pane-spacer").evaluate((spacer) => spacer.clientHeight);
    const collapsed = await depth();
    await page.keyboard.press("r");
    await settled();
    const deep = await depth();
    assert.ok(deep > collapsed, `${deep} px with every level, ${collapsed} px without`);
    for (const key of ["r", "v"]) {
      await page.keyboard.press(key);
      await settled();
      assert.ok((await details(page)).includes(all));
    }
    await page.getByRole("button", { name: "Hide native" }).click();
    await settled();
    assert.ok((await details(page)).includes(all));
    assert.ok((await depth()) < deep);
    await page.close();
  });

  test("a recursive function is one frame that says how deep, and stacks are exported with every level", async () => {
    const capture = host.decodeCapture(DEMO);
    const { page, settled, session, problems } = await opened(capture);
    const name = "demo_reports:'-sales/1-lc$^0/1-0-'/2";
    session.reveal(name);
    await settled();
    const [shown, figures = ""] = (await details(page)).split("\n");
    assert.equal(shown, name);
    assert.match(figures, /up to \d+ levels deep/);
    await page.keyboard.press("t");
    assert.match(await page.getByRole("treeitem", { selected: true }).innerText(), /sales\/1-lc.* ×\d+$/);
    for (const choice of ["folded", "foldedCollapsed"]) await page.getByRole("combobox", { name: "Export" }).selectOption(choice);
    await settled();
    const [every = "", one = ""] = /** @type {{text: string}[]} */ (await page.evaluate('sent.filter(({ type }) => type === "export")')).map(({ text }) => text);
    assert.ok(every.includes(`${name};${name}`) && !one.includes(`${name};${name}`));
    const samples = (/** @type {string} */ text) => text.split("\n").reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
    // Samples without any frame are in no line.
    const withFrames = capture.totals.samples - samplesOfRoot(capture);
    assert.deepEqual([samples(every), samples(one)], [withFrames, withFrames]);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("processes and schedulers as roots: zoom, filters, search, callers, export", async () => {
    const capture = host.decodeCapture(DEMO);
    const { page, settled, problems } = await opened(capture);
    const all = capture.totals.samples.toLocaleString("en-US");
    const grouping = page.getByRole("combobox", { name: "Group by" });
    const names = () => page.locator('.tree [role="treeitem"][aria-level="2"] .tree-name').allTextContents();
    await page.getByRole("button", { name: "Tree" }).click();
    await grouping.selectOption("process");
    await settled();
    const processes = capture.facets().processes;
    const largest = processes[0] ?? assert.fail();
    assert.equal((await names())[0], `process ${largest.value}`);
    assert.ok((await details(page)).includes(`${all} samples`));
    await page.locator(CANVAS).focus();
    for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key);
    assert.match(await details(page), new RegExp(`^process [\\s\\S]*\\nProcess · .* of all · .*${largest.samples.toLocaleString("en-US")} samples`));
    assert.equal(/** @type {unknown[]} */ (await page.evaluate('sent.filter(({ type }) => type === "requestSandwich")')).length, 0);
    await page.keyboard.press("s");
    assert.equal(await page.locator(".announcer").innerText(), "Select a function first");
    await page.getByRole("combobox", { name: "Export" }).selectOption("folded");
    await settled();
    const [{ text } = { text: "" }] = /** @type {{text: string}[]} */ (await page.evaluate('sent.filter(({ type }) => type === "export")'));
    assert.ok(text.split("\n").every((line) => line === "" || line.startsWith("process ")));

    await page.keyboard.press("g");
    await settled();
    const schedulers = capture.facets().schedulers.filter(({ samples }) => samples > 0);
    assert.deepEqual((await names()).sort(), schedulers.map(({ value }) => `scheduler ${value}`).sort());
    await page.screenshot({ path: join(SHOTS, "flame-graph-by-scheduler.png") });
    await page.getByPlaceholder("Search").fill("scheduler 1");
    assert.match(await page.locator(".search-result").innerText(), /^\d+ functions? · [\d.]+% of all/);
    await page.locator(CANVAS).focus();
    for (const key of ["ArrowDown", "ArrowDown", "s"]) await page.keyboard.press(key);
    await settled();
    assert.equal(await page.locator(".sandwich-bar").isVisible(), true);
    assert.equal(await grouping.isDisabled(), true);
    await page.getByRole("button", { name: "Back to the whole graph" }).click();
    await settled();
    assert.equal(await grouping.isDisabled(), false);
    await page.locator(CANVAS).focus();
    await page.keyboard.press("g");
    await settled();
    assert.equal(await grouping.inputValue(), "none");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("reveal selects the heaviest frame of a function and zooms to it", async () => {
    const capture = host.decodeCapture(DEMO);
    const { page, session, settled, notices } = await opened(capture);
    const top = capture.top({}, { onlyErlang: true }).rows.find(({ name }) => name.startsWith("demo_")) ?? assert.fail();
    session.reveal(top.name);
    await settled();
    assert.equal((await details(page)).split("\n")[0], top.name);
    session.reveal("nothing:here/0");
    await settled();
    assert.deepEqual(notices, ["not shown: nothing:here/0"]);
    assert.equal((await details(page)).split("\n")[0], top.name);
    await page.close();
  });

  test("live: the selection stays, the strip grows", async (t) => {
    const capture = host.newCapture();
    const members = gzipMembers(GROWING);
    // The first member only introduces the VM.
    assert.ok(members.length > 3, `${members.length} members`);
    for (const member of members.slice(0, 2)) capture.append(member);
    const { page, session, settled, state, costs } = await opened(capture, { live: true });
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    const name = (await details(page)).split("\n")[0];
    const strip = page.getByRole("slider");
    const before = Number(await strip.getAttribute("aria-valuemax"));
    for (const member of members.slice(2)) {
      capture.append(member);
      session.captureUpdated();
    }
    state.live = false;
    await until("the last of it is shown", async () => (await page.locator(".status").innerText()).endsWith(`${capture.totals.samples.toLocaleString("en-US")} samples`));
    await settled();
    assert.equal((await details(page)).split("\n")[0], name);
    assert.ok(Number(await strip.getAttribute("aria-valuemax")) > before);
    assert.match(await page.locator(".status").innerText(), new RegExp(`${capture.totals.samples.toLocaleString("en-US")} samples$`));
    measured(t, "flame graph, live refresh", costs.at(-1) ?? NaN);
    await page.close();
  });
});

/** @param {Capture} capture */
function samplesOfRoot(capture) {
  return capture.flame({ inverted: false, hideNative: false, hideKernel: false, collapseRecursion: false, groupBy: "none" }).nodeSelf[0] ?? 0;
}

/** A growing capture is gzip members one after the other. @param {Buffer} file */
function gzipMembers(file) {
  /** @type {number[]} */
  const starts = [];
  for (let at = file.indexOf("\x1f\x8b\x08", 0, "latin1"); at >= 0; at = file.indexOf("\x1f\x8b\x08", at + 1, "latin1")) starts.push(at);
  return starts.map((start, index) => file.subarray(start, starts[index + 1]));
}
