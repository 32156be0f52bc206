// The page of CPU and waits together in Chromium, with the contents of two captures of a VM.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { assertAccessible, screenshot, startPanelPages, THEME_NAMES } from "./panel-page.mjs";

const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007`;
const process = (
  /** @type {string} */ name,
  /** @type {number} */ cpu,
  /** @type {number | null} */ waiting,
  /** @type {number | null} */ ready,
  /** @type {number | null} */ running,
) => ({
  key: name,
  name,
  cpu,
  waiting,
  ready,
  running,
  present: waiting === null ? null : waiting + (ready ?? 0) + (running ?? 0),
});
const PROCESSES = [
  process("shop_pricing:init/1", 6.5, 10, 4.25, 6.5),
  process("shop_db", 1.5, 8.5, 0, 1.5),
  process("shop_web", 0.25, 990, 0.5, 0),
  process("short_lived:run/0", 0.75, null, null, null),
];
const fn = (
  /** @type {string} */ name,
  /** @type {number[]} */ [cpuSelf, cpuTotal, readySelf, readyTotal, waitingSelf, waitingTotal] = [],
) => ({
  name,
  kind: "erlang",
  place: "shop.erl:12",
  cpuSelf,
  cpuTotal,
  readySelf,
  readyTotal,
  waitingSelf,
  waitingTotal,
});
const FUNCTIONS = [
  fn("shop_pricing:total/1", [6, 6.5, 4, 4.25, 0, 0]),
  fn("gen_server:loop/7", [0.5, 8, 0, 0.5, 1000, 1008.5]),
];
const SPENT = {
  pid: 4711,
  node: "shop@localhost",
  cpuFile: "shop.pb.gz",
  waitsFile: "shop-waits.pb.gz",
  startedUnixMs: 1_700_000_000_000,
  endedUnixMs: null,
  looks: 40,
  lookedSeconds: 10,
  sampledSeconds: 10,
  processes: PROCESSES,
  all: process("", 9, 1008.5, 4.75, 8),
  noProcessCpu: 0.5,
  unseenCpu: 0.75,
  schedulers: { normal: { online: 2, all: 4 }, dirtyCpu: { online: 4, all: 4 }, blocked: null, blockers: [] },
};

describe("page of CPU and waits together", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  before(async () => {
    pages = await startPanelPages("time-spent");
  });
  after(() => pages.stop());

  /** @param {any} spent @param {{theme?: string}} [options] */
  function opened(spent, options = {}) {
    return pages.open({
      ...options,
      host: async (message, toPage) => {
        if (message.type === "ready") {
          await toPage(
            spent
              ? { type: "time", spent, uris: { cpu: "file:///a.pb.gz", waits: "file:///b.pb.gz" } }
              : { type: "none", text: "No captures are shown." },
          );
          if (spent) await toPage({ type: "functions", process: null, rows: FUNCTIONS });
        } else if (message.type === "functionsOf")
          await toPage({
            type: "functions",
            process: message.process,
            rows: message.process === null ? FUNCTIONS : FUNCTIONS.slice(0, 1),
          });
        else if (message.type === "detailOf")
          await toPage({
            type: "detail",
            detail: {
              name: message.functionName,
              waits: [{ name: "[ready to run]", seconds: 4.25 }],
              calls: [{ name: "lists:sum/1", seconds: 0.5 }],
            },
          });
      },
    });
  }

  test("processes by their work, in any order and filtered; the sums are in words", async () => {
    const { page, problems } = await opened(SPENT);
    const grid = page.getByRole("grid", { name: "Time by process name" });
    await grid.waitFor();
    const names = () => grid.locator('[data-column="name"] .name').allInnerTexts();
    assert.deepEqual(await names(), ["shop_pricing:init/1", "shop_db", "short_lived:run/0", "shop_web"]);
    const first = grid.locator(".grid-body .grid-row").first();
    assert.deepEqual(await first.locator(".cell").allInnerTexts(), [
      "shop_pricing:init/1",
      "2.1",
      "6.50",
      "4.25",
      "10.00",
      "6.50",
      "31.3% CPU",
    ]);
    const unseen = grid.locator(".grid-row", { hasText: "short_lived:run/0" });
    assert.deepEqual(
      (await unseen.locator(".cell").allInnerTexts()).slice(1, 6),
      ["–", "0.75", "–", "–", "–"],
      "what is not known is no 0",
    );
    const facts = await page.locator(".facts").innerText();
    assert.match(
      facts,
      /102\.1 processes × time = 1,021\.3 s: 9\.0 s on a processor, 1,008\.5 s waiting for messages, 4\.8 s ready/,
    );
    assert.match(facts, /0\.5 s of processor time belong to no process/);
    assert.match(facts, /^2 of 4 schedulers online$/m);
    await grid.getByRole("button", { name: "Waiting (s)" }).click();
    assert.equal((await names())[0], "shop_web");
    await page.locator("#panel-processes vscode-textfield").locator("input").fill("shop_d");
    await until("the filter", async () => (await names()).join() === "shop_db");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("from a process to its functions, from there to source and flame graphs, by keys alone; all can be copied", async () => {
    const { page, problems, of } = await opened(SPENT);
    const grid = page.getByRole("grid", { name: "Time by process name" });
    await grid.waitFor();
    await grid.focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Flame Graph of Waits" }).press("Enter");
    await until("the flame graph", () => of("flameGraph").length === 1);
    assert.deepEqual(of("flameGraph")[0], { type: "flameGraph", of: "waits", process: "shop_pricing:init/1" });
    await page.keyboard.press("Enter");
    const functions = page.getByRole("grid", { name: "Time by function" });
    await functions.waitFor();
    await page.getByText("Only of shop_pricing:init/1").waitFor();
    assert.equal(await functions.locator(".grid-body .grid-row").count(), 1);
    await page.locator(".detail", { hasText: "[ready to run]" }).waitFor();
    assert.match(await page.locator(".detail").innerText(), /4\.25\s+\[ready to run\][^]*0\.50\s+lists:sum\/1/);
    await page.keyboard.press("Enter");
    await until("the source", () => of("openSource").length === 1);
    assert.equal(of("openSource")[0].functionName, "shop_pricing:total/1");
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Flame Graph of CPU" }).press("Enter");
    await until("the other flame graph", () => of("flameGraph").length === 2);
    assert.deepEqual(of("flameGraph")[1], {
      type: "flameGraph",
      of: "cpu",
      functionName: "shop_pricing:total/1",
      process: "shop_pricing:init/1",
    });
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    await until("the copy", () => of("copyCsv").length === 1);
    assert.deepEqual(of("copyCsv")[0], { type: "copyCsv", table: "functions", process: "shop_pricing:init/1" });
    await page.getByRole("button", { name: "All Processes" }).click();
    await until("all functions", async () => (await functions.locator(".grid-body .grid-row").count()) === 2);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("an empty page, few samples, and hostile names", async () => {
    const nothing = await opened(null);
    for (const [name, type] of /** @type {const} */ ([
      ["Watch a VM…", "again"],
      ["Choose Captures…", "choose"],
    ])) {
      await nothing.page.getByRole("button", { name }).click();
      await until(type, () => nothing.of(type).length === 1);
    }
    await nothing.page.close();
    const { page, problems } = await opened({
      ...SPENT,
      node: HOSTILE,
      endedUnixMs: 1_700_000_011_000,
      sampledSeconds: 4,
      processes: [process(HOSTILE, 1, 1, 1, 1)],
    });
    await page.getByText("Samples cover only 4.0 of 10.0 s").waitFor();
    await page.getByText(/The VM had ended by .*; the snapshots until then are shown\./).waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(problems, []);
    await page.close();
    for (const [endedUnixMs, isSaid] of /** @type {const} */ ([
      [null, true],
      [1_700_000_011_000, false],
    ])) {
      const { page: unknown } = await opened({ ...SPENT, schedulers: null, endedUnixMs });
      await unknown.getByText(/0\.5 s of processor time belong to no process/).waitFor();
      const facts = await unknown.locator(".facts").innerText();
      assert.equal(facts.includes("Which schedulers were online is not known"), isSaid);
      await unknown.close();
    }
  });

  for (const theme of THEME_NAMES) {
    test(`accessible in ${theme}`, async () => {
      const { page } = await opened(SPENT, { theme });
      await page.getByRole("grid", { name: "Time by process name" }).waitFor();
      await assertAccessible(page, { theme });
      await screenshot(page, `time-spent-${theme}`);
      await page.getByRole("tab", { name: "Functions" }).click();
      await page.locator(".detail", { hasText: "[ready to run]" }).waitFor();
      await assertAccessible(page, { theme, byDay: true });
      await screenshot(page, `time-spent-functions-${theme}`);
      await page.close();
    });
  }
});
