// The flame graph's page in Chromium with the host's own session and a real capture behind it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { FLAME_TEXTS } from "../flame-texts.mjs";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { startFlamePages } from "./flame-page.mjs";
import { bundled, clock, screenshot, testByNight } from "./panel-page.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("../../extension/src/capture/questions.js").Capture} Capture */

const DEMO = readFileSync(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
const GROWING = readFileSync(new URL("../unit/capture/fixtures/demo-growing.pb.gz", import.meta.url));
const CANVAS = ".pane:not([hidden]) canvas";

describe("flame graph and its session", () => {
  /** @type {Awaited<ReturnType<typeof startFlamePages>>} */
  let pages;
  /** @type {typeof import("../../extension/src/capture/capture-model.js") & typeof import("../../extension/src/panels/flame-graph/flame-session.js")} */
  let host;
  before(async () => {
    [pages, host] = await Promise.all([
      startFlamePages(),
      bundled("extension/src/capture/capture-model.ts", "extension/src/panels/flame-graph/flame-session.ts"),
    ]);
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
      current: () => ({
        capture,
        title: "shop@localhost",
        live: state.live,
        uri: "file:///demo.pb.gz",
        attribution: "self",
        percentOf: "all",
        minimumSamples: 5,
        originOf: () => undefined,
      }),
      post: (message) =>
        posted.push(/** @type {Page} */ (page).evaluate((told) => window.postMessage(told, "*"), message)),
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
    // A message from the page comes before the answer to a later request to the page. The host's answers may make the
    // page send further requests.
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
    // The page sends a range a moment after the last key.
    await until("the range is in the chip", async () => (await chip.innerText()) !== ofProcess);
    await settled();
    const [, to = ""] =
      /^0.00 s to ([\d.]+ m?s) of/.exec((await strip.getAttribute("aria-valuetext")) ?? "") ?? assert.fail();
    const timeMs = { from: 0, to: to.endsWith("ms") ? parseFloat(to) : parseFloat(to) * 1000 };
    const inTime = capture.filteredTotals({ processes: [process.value], timeMs }).samples;
    assert.match(await chip.innerText(), new RegExp(`^${inTime.toLocaleString("en-US")} of ${all}`));
    await screenshot(page, "flame-graph-real-filtered");
    await page.locator(CANVAS).focus();
    await page.keyboard.press("x");
    await settled();

    for (const key of ["ArrowDown", "ArrowDown", "s"]) await page.keyboard.press(key);
    const name = (await details(page)).split("\n")[0] ?? "";
    await settled();
    assert.match(await page.locator(".sandwich-bar").innerText(), new RegExp(`of ${name.replace(/[^\w]/g, ".")}`));
    const total = capture.functionCounts(capture.functionNamed(name)).total.toLocaleString("en-US");
    assert.match(await details(page), new RegExp(`100.0% of the function · ${total} samples`));
    await screenshot(page, "flame-graph-real-sandwich");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("native and kernel frames are one frame with their kind, unfold by keys and double click, and are found", async () => {
    const capture = host.decodeCapture(DEMO);
    const { page, session, settled, problems } = await opened(capture);
    await page.getByRole("button", { name: "Tree" }).click();
    const rows = page.locator(".tree .tree-row .tree-name");
    const samplesOf = async () => Number(/([\d,]+) samples/.exec(await details(page))?.[1]?.replaceAll(",", ""));
    const header = page.locator(".tree-row", { hasText: "⊞ Garbage collection" }).first();
    await header.click();
    assert.match(await details(page), /^Garbage collection\n.*Native frames, folded/);
    const samples = await samplesOf();
    assert.ok(samples > 0);
    assert.equal(await rows.getByText("erts_garbage_collect_nobump").count(), 0);
    await page.keyboard.press("u");
    assert.match(await details(page), /^Garbage collection\n.*Native frames, unfolded/);
    assert.equal(await samplesOf(), samples, "no sample more or less");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const inside = (await details(page)).split("\n")[0] ?? "";
    assert.match(inside, /^(erts_|sched|beam.smp!|libc)/);
    // A frame of the run folds it again, a double click unfolds it.
    await page.keyboard.press("u");
    assert.match(await details(page), /^Garbage collection\n.*Native frames, folded/);
    await page.locator(".tree-row[aria-selected=true] .tree-name").dblclick();
    assert.match(await details(page), /^Garbage collection\n.*Native frames, unfolded/);
    await until("the page keeps what is unfolded", () => page.evaluate("savedState?.unfolded?.length === 1"));
    await page.getByRole("button", { name: "Fold", exact: true }).click();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.match(await details(page), /^Garbage collection\n.*Native frames, folded/);
    assert.equal(await page.evaluate('sent.some(({ type }) => type === "openSource")'), false);

    // Folded frames are found, counted as before, and mark the frame that they are in.
    await page.getByRole("searchbox").fill("erts_garbage_collect_nobump");
    const counted = await page.locator(".search-result").innerText();
    assert.match(counted, /^1 function · (?:≈ )?[\d.]+% of all$/);
    await page.getByRole("searchbox").press("Enter");
    assert.match(await details(page), /^Garbage collection\n/);
    const unfoldAll = page.getByRole("button", { name: "Unfold all" });
    await unfoldAll.click();
    assert.equal(await unfoldAll.getAttribute("aria-pressed"), "true");
    assert.equal(await page.locator(".search-result").innerText(), counted);
    await page.getByRole("searchbox").press("Enter");
    assert.match(await details(page), /^erts_garbage_collect_nobump\n/);
    await until("the page keeps that all is unfolded", () => page.evaluate("savedState?.unfoldAll === true"));
    await page.locator(CANVAS).focus();
    await page.keyboard.press("Shift+U");
    assert.equal(await unfoldAll.getAttribute("aria-pressed"), "false");
    await page.getByRole("searchbox").fill("garbage collection");
    assert.match(await page.locator(".search-result").innerText(), /^1 function · (?:≈ )?[\d.]+% of all$/);

    // A native function that another view leads to is unfolded.
    const native = capture.functions.find(({ name }) => /^copy_s/.test(name)) ?? assert.fail();
    session.reveal(native.name);
    await settled();
    assert.equal((await details(page)).split("\n")[0], native.name);
    await page.locator(CANVAS).focus();
    await page.keyboard.press("Shift+C");
    const copied = /** @type {{text: string}[]} */ (await page.evaluate('sent.filter(({ type }) => type === "copy")'));
    const lines = copied.at(-1)?.text.split("\n") ?? [];
    assert.equal(lines[0], native.name);
    assert.ok(!lines.includes("Copying terms"), "a stack has the frames that the VM ran");
    await screenshot(page, "flame-graph-unfolded");
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("a file without its end is marked as such above its content", async () => {
    const whole = await opened(host.decodeCapture(GROWING));
    assert.equal(await whole.page.locator(".cut-line").isVisible(), false);
    await whole.page.close();
    const { page, problems } = await opened(host.decodeCapture(GROWING.subarray(0, GROWING.length - 100)));
    assert.equal(
      await page.locator(".cut-line").innerText(),
      "The end of the file is missing: the recording or a copy was cut short. The part that exists is shown.",
    );
    await screenshot(page, "flame-graph-cut");
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("collapsed recursion, hidden native frames and an inverted graph hold the same samples", async () => {
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

  testByNight(
    "a recursive function is one frame with its depth, and stacks are exported with every level",
    async () => {
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
      for (const choice of ["folded", "foldedCollapsed"])
        await page.getByRole("combobox", { name: "Export" }).selectOption(choice);
      await settled();
      const [every = "", one = ""] = /** @type {{text: string}[]} */ (
        await page.evaluate('sent.filter(({ type }) => type === "export")')
      ).map(({ text }) => text);
      assert.ok(every.includes(`${name};${name}`) && !one.includes(`${name};${name}`));
      const samples = (/** @type {string} */ text) =>
        text.split("\n").reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
      const all = capture.totals.samples;
      assert.deepEqual([samples(every), samples(one)], [all, all]);
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

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
    for (const key of ["ArrowDown", "Space"]) await page.keyboard.press(key);
    assert.match(
      await details(page),
      new RegExp(`^process [\\s\\S]*\\nProcess · .* of all · .*${largest.samples.toLocaleString("en-US")} samples`),
    );
    assert.equal(
      /** @type {unknown[]} */ (await page.evaluate('sent.filter(({ type }) => type === "requestSandwich")')).length,
      0,
    );
    await page.keyboard.press("s");
    assert.equal(await page.locator(".announcer").innerText(), "Select a function first");
    await page.getByRole("combobox", { name: "Export" }).selectOption("folded");
    await settled();
    const [{ text } = { text: "" }] = /** @type {{text: string}[]} */ (
      await page.evaluate('sent.filter(({ type }) => type === "export")')
    );
    assert.ok(text.split("\n").every((line) => line === "" || line.startsWith("process ")));

    await page.keyboard.press("g");
    await settled();
    const schedulers = capture.facets().schedulers.filter(({ samples }) => samples > 0);
    assert.deepEqual((await names()).sort(), schedulers.map(({ value }) => `scheduler ${value}`).sort());
    await screenshot(page, "flame-graph-by-scheduler");
    await page.getByPlaceholder("Search").fill("scheduler 1");
    assert.match(await page.locator(".search-result").innerText(), /^\d+ functions? · (?:≈ )?[\d.]+% of all/);
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
    const top =
      capture.top({}, { onlyErlang: true }).rows.find(({ name }) => name.startsWith("demo_")) ?? assert.fail();
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
    for (const key of ["ArrowDown", "ArrowDown", "Space"]) await page.keyboard.press(key);
    const name = (await details(page)).split("\n")[0];
    const strip = page.getByRole("slider");
    const before = Number(await strip.getAttribute("aria-valuemax"));
    for (const member of members.slice(2)) {
      capture.append(member);
      session.captureUpdated();
    }
    state.live = false;
    await until("the last of it is shown", async () =>
      (await page.locator(".status").innerText()).endsWith(`${capture.totals.samples.toLocaleString("en-US")} samples`),
    );
    await settled();
    assert.equal((await details(page)).split("\n")[0], name);
    assert.ok(Number(await strip.getAttribute("aria-valuemax")) > before);
    assert.match(
      await page.locator(".status").innerText(),
      new RegExp(`${capture.totals.samples.toLocaleString("en-US")} samples$`),
    );
    measured(t, "flame graph, live refresh", costs.at(-1) ?? NaN);
    await page.close();
  });
});

/** A growing capture is gzip members one after the other. @param {Buffer} file */
function gzipMembers(file) {
  /** @type {number[]} */
  const starts = [];
  for (let at = file.indexOf("\x1f\x8b\x08", 0, "latin1"); at >= 0; at = file.indexOf("\x1f\x8b\x08", at + 1, "latin1"))
    starts.push(at);
  return starts.map((start, index) => file.subarray(start, starts[index + 1]));
}
