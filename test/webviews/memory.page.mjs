// The panel of memory in Chromium: the real page, the real session behind it, and answers of the helper for a real VM.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { isNightly } from "../nightly.mjs";
import { until } from "../until.mjs";
import { assertAccessible, bundled, screenshot, startPanelPages, testByNight, THEME_NAMES } from "./panel-page.mjs";
import { assertCanvasesFollowScreen } from "./pixel-ratio.mjs";

const REAL = JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/memory.json.gz", import.meta.url))).toString());
const BINARIES = {
  ...JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/binaries.json.gz", import.meta.url))).toString()),
  // The recorded helper had no such sums.
  vm_bytes: 50_000_000,
  unheld_bytes: 41_317_288,
};
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;
const PID = 4711;
/** The facts of the VM that the page keeps. */
const KEPT = { pid: PID, host: null, node: "shop@localhost", otp: "27", flavor: "jit", startTicks: 1234 };
/** The VM of a window before. */
const BEFORE = {
  place: { pid: PID, host: { ssh: "web1" } },
  target: { node: "shop@localhost", otp: "27", flavor: "jit" },
  startTicks: 1234,
};
const MANY = isNightly ? 10_000 : 1_000;
const TABS = ["Overview", "Allocators", "Carriers", "Trend", "ETS Tables", "Binaries", "Code"];

/** A look at the same VM with something changed. @param {(look: any) => void} change */
function changed(change) {
  const look = structuredClone(REAL.memory);
  change(look);
  return look;
}

/** @param {import("playwright-core").Locator} button */
const isDisabled = (button) => button.evaluate((it) => /** @type {any} */ (it).disabled === true);

describe("panel of memory", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let sessions;
  before(async () => {
    [pages, sessions] = await Promise.all([
      startPanelPages("memory"),
      bundled("extension/src/panels/memory/memory-session.ts"),
    ]);
  });
  after(() => pages.stop());

  /** @param {any} error */
  const problemOf = ({ what, why, fix, command = "", kind = "other" }) => ({ kind, what, why, fix, command });

  /**
   * The test decides when the next look comes.
   * @param {() => Promise<unknown>} memory
   * @param {{theme?: string, state?: unknown, host?: string, noTarget?: boolean, before?: any, isFound?: boolean, width?: number, height?: number, binaries?: (token: any) => Promise<any>}} [options]
   */
  async function opened(
    memory,
    { host = "", noTarget = false, before, isFound = true, binaries = async () => BINARIES, ...options } = {},
  ) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    /** @type {string[]} */
    const copied = [];
    /** @type {{ms: number, call: () => void}[]} */
    const planned = [];
    const [found, told] = [/** @type {any[]} */ ([]), /** @type {any[]} */ ([])];
    const asked = { memory: 0, binaries: 0, closed: 0, again: 0 };
    let now = 1_700_000_000_000;
    const session = new sessions.MemorySession({
      post: (/** @type {unknown} */ message) => void tell(message),
      copy: (/** @type {string} */ text) => copied.push(text),
      nowUnixMs: () => (now += 2000),
      later: (/** @type {number} */ ms, /** @type {() => void} */ call) => {
        const plan = { ms, call };
        planned.push(plan);
        return () => planned.splice(planned.indexOf(plan), 1);
      },
      head: () => ({ pid: PID, node: "shop@localhost", name: "shop@localhost", otp: "27", flavor: "jit", host }),
      kept: () => ({ ...KEPT, startTicks: asked.memory > 0 ? KEPT.startTicks : null }),
      find: async (/** @type {unknown} */ before) => {
        found.push(before);
        return isFound ? vm : undefined;
      },
      showAnother: (/** @type {unknown} */ now) => told.push(now),
      problem: async (/** @type {any} */ error) => problemOf(error),
      again: async () => {
        asked.again++;
        return vm;
      },
    });
    const vm = {
      memory: () => {
        asked.memory++;
        return memory();
      },
      binaries: (/** @type {unknown} */ _wanted, /** @type {any} */ token) => {
        asked.binaries++;
        return binaries(token);
      },
      node: async () => REAL.node,
      close: () => asked.closed++,
    };
    if (before !== undefined) session.restore(before);
    else if (!noTarget) session.show(vm);
    const view = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        if (message.type === "copyText") copied.push(message.text);
        else void session.receive(message);
      },
    });
    /** Lets the planned look happen. */
    const next = async () => {
      await until("a look is planned", () => planned.length > 0);
      const before = asked.memory;
      planned.splice(0)[0]?.call();
      await until("a look", () => asked.memory > before);
    };
    return {
      ...view,
      session,
      asked,
      found,
      told,
      copied,
      planned,
      next,
      tab: (/** @type {string} */ name) => view.page.getByRole("tab", { name }).click(),
    };
  }

  test("the overview has the VM's figures, advice, and the cost of a look", async () => {
    const { page, problems, copied, planned } = await opened(async () => REAL.memory);
    await page.waitForSelector(".picture-row");
    assert.equal(await page.locator("h1.heading").innerText(), "shop@localhost");
    const { memory } = REAL.memory;
    const mb = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : bytes < 1e8 ? 1 : 0)} MB`;
    const text = await page.locator("main.body-main").innerText();
    const sum = (/** @type {string} */ name) =>
      memory.allocators.reduce((/** @type {number} */ all, /** @type {any} */ row) => all + row[name], 0);
    for (const bytes of [
      memory.rss_bytes,
      sum("carriers_bytes"),
      sum("blocks_bytes"),
      memory.memory.binary,
      memory.memory.ets,
      memory.memory.process_heaps,
      memory.memory.total,
    ])
      assert.ok(text.includes(mb(bytes)), mb(bytes));
    assert.match(text, /binary_alloc is fragmented: 91\.3 MB .* 10\.4 MB are in blocks/);
    assert.match(text, /erl \+MBlmbcs 512/);
    assert.match(text, new RegExp(`${REAL.node.atoms.count.toLocaleString("en")} of 1,048,576`));
    const figures = await page.locator(".node-figures").innerText();
    assert.match(figures.replaceAll(/\s+/g, " "), /^Up for 5 days, 4 hours /);
    assert.match(figures.replaceAll(/\s+/g, " "), /Queued output 23\.3 MB in 3 ports 3 ports are busy: <0\.10\.0>/);
    assert.match(text, /a snapshot takes \d+\.\d ms of CPU time · the next one after 2\.0 s/);
    assert.deepEqual(
      planned.map(({ ms }) => ms),
      [2000],
    );
    // The parts of the bars add up to the figures of the bars.
    const widths = await page
      .locator(".picture-row")
      .nth(1)
      .locator(".segment")
      .evaluateAll((all) => all.reduce((width, segment) => width + segment.getBoundingClientRect().width, 0));
    const full = await page
      .locator(".picture-bar")
      .first()
      .evaluate((bar) => bar.getBoundingClientRect().width);
    const scale = Math.max(memory.rss_bytes, sum("carriers_bytes"));
    assert.ok(Math.abs(widths / full - sum("carriers_bytes") / scale) < 0.01, `${widths} of ${full}`);
    await page.getByRole("button", { name: "Copy the Flag" }).click();
    await until("the flag is copied", () => copied.length > 0);
    assert.deepEqual(copied, ["+MBlmbcs 512"]);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("allocators are sorted and opened for their worst carriers, by the keyboard", async () => {
    const { page, tab } = await opened(async () => REAL.memory);
    await page.waitForSelector(".picture-row");
    await tab("Allocators");
    const grid = page.getByRole("treegrid");
    const names = () => grid.locator(".grid-body [data-column=name] .name").allInnerTexts();
    const { allocators } = REAL.memory.memory;
    const bySize = allocators
      .toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.carriers_bytes - a.carriers_bytes)
      .map((/** @type {any} */ row) => row.name);
    assert.deepEqual(new Set(await names()), new Set(bySize));
    assert.equal(await grid.locator("[aria-selected=true] .name").innerText(), bySize[0]);
    await grid.focus();
    await page.keyboard.press("ArrowRight");
    const place = allocators.findIndex((/** @type {any} */ row) => row.name === bySize[0]);
    const own = REAL.memory.carriers.filter((/** @type {any} */ carrier) => carrier.allocator === place);
    assert.equal(await grid.locator("[aria-level='2']").count(), Math.min(own.length, 10));
    const worst = own.toSorted(
      (/** @type {any} */ a, /** @type {any} */ b) => b.bytes - b.usedBytes - (a.bytes - a.usedBytes),
    )[0];
    assert.equal(
      await grid.locator("[aria-level='2'][aria-posinset='1'] .name").innerText(),
      `0x${(worst.page * 4096).toString(16)}`,
    );
    await page.getByRole("button", { name: "Fragmentation" }).click();
    assert.equal(await grid.locator("[role=columnheader][aria-sort=descending]").innerText(), "Fragmentation\n▾");
    await page.close();
  });

  test("the map has each carrier; keys move through it, and the table below follows", async () => {
    const { page, tab, problems } = await opened(async () => REAL.memory);
    await page.waitForSelector(".picture-row");
    await tab("Carriers");
    const map = page.getByRole("listbox", { name: "Map of carriers" });
    await map.locator("canvas").first().waitFor();
    const withCarriers = new Set(REAL.memory.carriers.map((/** @type {any} */ carrier) => carrier.allocator));
    assert.equal(await map.locator("canvas").count(), withCarriers.size);
    await map.focus();
    await page.keyboard.press("Home");
    const option = map.getByRole("option");
    const bytesOf = (/** @type {number} */ allocator) =>
      REAL.memory.carriers.reduce(
        (/** @type {number} */ sum, /** @type {any} */ carrier) =>
          sum + (carrier.allocator === allocator ? carrier.bytes : 0),
        0,
      );
    const [largest] = [...withCarriers].toSorted((a, b) => bytesOf(b) - bytesOf(a));
    const first = REAL.memory.carriers.find((/** @type {any} */ carrier) => carrier.allocator === largest);
    assert.ok((await option.textContent())?.includes(`0x${(first.page * 4096).toString(16)}`));
    assert.equal(await option.getAttribute("aria-setsize"), String(REAL.memory.carriers.length));
    const selected = page.getByRole("grid").locator("[aria-selected=true] [data-column=address]");
    assert.equal(await selected.innerText(), `0x${(first.page * 4096).toString(16)}`);
    const active = await map.getAttribute("aria-activedescendant");
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await map.getAttribute("aria-activedescendant"), active, "the next one is read aloud");
    assert.equal(await option.getAttribute("aria-posinset"), "2");
    await page.keyboard.press("PageDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    assert.equal(await option.getAttribute("aria-posinset"), String(REAL.memory.carriers.length));
    // The other way round: the table leads, the map follows.
    await page.getByRole("grid").focus();
    await page.keyboard.press("Home");
    assert.ok((await option.textContent())?.includes(await selected.innerText()));
    // The pointer shows the same.
    await map
      .locator("canvas")
      .first()
      .hover({ position: { x: 2, y: 8 } });
    assert.match(await page.locator(".map-tooltip").innerText(), /carrier at 0x[0-9a-f]+/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("the map of carriers has the pixels of the screen that it is moved to", async () => {
    const { page, tab, problems } = await opened(async () => REAL.memory);
    await page.waitForSelector(".picture-row");
    await tab("Carriers");
    await page.getByRole("listbox", { name: "Map of carriers" }).locator("canvas").first().waitFor();
    await assertCanvasesFollowScreen(page, 2);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("ETS tables: filtered, sorted, and their growth since the panel opened", async () => {
    let looks = 0;
    const [grown] = REAL.memory.memory.ets;
    const { page, tab, next, copied } = await opened(async () => {
      looks++;
      if (looks === 1) return REAL.memory;
      return changed((look) => {
        look.memory.ets[0].items += 5;
        look.memory.ets[0].bytes += 3_000_000;
        look.memory.ets.push({ ...grown, name: "=made_meanwhile", items: 1, bytes: 4_000 });
      });
    });
    await page.waitForSelector(".picture-row");
    await tab("ETS Tables");
    const grid = page.getByRole("grid");
    assert.equal(await page.locator(".status:visible").innerText(), `${REAL.memory.memory.ets.length} tables`);
    await next();
    const cell = (/** @type {string} */ column) =>
      grid.locator("[aria-rowindex='2']").locator(`[data-column=${column}]`).innerText();
    await until("it has grown", async () => (await cell("grownBytes")) === "+3.00 MB");
    assert.equal(await cell("grownItems"), "+5");
    await page.locator("vscode-textfield:visible input").fill("MADE_mean");
    await until(
      "one is left",
      async () =>
        (await page.locator(".status:visible").innerText()) === `1 of ${REAL.memory.memory.ets.length + 1} tables`,
    );
    assert.match(await cell("name"), /=made_meanwhile[\s\S]*new/);
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    await until("it is copied", () => copied.length > 0);
    assert.match(copied[0] ?? "", /^name,named,owner,/);
    assert.ok(copied[0]?.includes("\r\n'=made_meanwhile,"), "no formula of a spreadsheet");
    await page.getByRole("button", { name: "Copy as JSON" }).click();
    await until("it is copied", () => copied.length > 1);
    assert.equal(JSON.parse(copied[1] ?? "").rss_bytes, REAL.memory.memory.rss_bytes);
    await page.locator("vscode-textfield:visible input").fill("no such table");
    await page.getByText("No table fits the filter.").waitFor();
    await page.close();
  });

  test("code by module is sorted and filtered; unknown values are named", async () => {
    let code = REAL.memory.memory.code;
    const { page, tab, next, copied } = await opened(async () => changed((look) => (look.memory.code = code)));
    await page.waitForSelector(".picture-row");
    await tab("Code");
    const grid = page.getByRole("grid");
    const first = (/** @type {string} */ column) =>
      grid.locator(`[aria-rowindex='2'] [data-column=${column}]`).innerText();
    assert.equal(await first("module"), code[0].module);
    assert.equal(await page.locator(".status:visible").innerText(), `${code.length} modules`);
    await grid.getByRole("button", { name: "Literals" }).click();
    const most = code.toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.literal_bytes - a.literal_bytes)[0];
    assert.equal(await first("module"), most.module);
    await page.locator("vscode-textfield:visible input").fill("GT_MEM");
    await until(
      "one is left",
      async () => (await page.locator(".status:visible").innerText()) === `1 of ${code.length} modules`,
    );
    assert.equal(await first("module"), "gt_memory");
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    await until("it is copied", () => copied.length > 0);
    assert.match(copied[0] ?? "", /^module,bytes,literal_bytes\r\n[a-z_0-9]+,\d+,\d+\r\n/);
    code = null;
    await next();
    await page.getByText("The code size of each module is unknown for this VM.").waitFor();
    await page.close();
  });

  test("the trend grows with each look, and pausing ends them", async () => {
    let looks = 0;
    const { page, tab, next, planned, asked } = await opened(async () =>
      changed((look) => (look.memory.memory.binary += 1_000_000 * looks++)),
    );
    await page.waitForSelector(".picture-row");
    await tab("Trend");
    await next();
    await next();
    const row = page.locator("table.figures tbody tr", { hasText: "Binaries" });
    await until("two more looks", async () => (await row.locator("td").nth(2).innerText()) === "+2.00 MB");
    assert.equal(
      await page.locator("polyline.series-binary").evaluate((line) => line.getAttribute("points")?.split(" ").length),
      3,
    );
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/^Paused · last snapshot/).waitFor();
    assert.deepEqual(
      [planned.length, await page.getByRole("button", { name: "Pause" }).getAttribute("aria-pressed")],
      [0, "true"],
    );
    const before = asked.memory;
    await page.getByRole("button", { name: "Read Now" }).click();
    await until("a look", () => asked.memory === before + 1);
    assert.equal(planned.length, 0, "it stays paused");
    await page.getByRole("button", { name: "Pause" }).click();
    await until("it goes on", () => planned.length === 1);
    await page.close();
  });

  testByNight("looks that cost more come less often, with a note; a panel out of sight is not read", async () => {
    const { page, planned, session, asked } = await opened(async () =>
      changed((look) => Object.assign(look.look, { cpuMs: 120, nextMs: 12_000 })),
    );
    await page.getByText("snapshots stay below 1% of a core").waitFor();
    assert.equal(planned[0]?.ms, 12_000);
    session.setVisible(false);
    assert.deepEqual([planned.length, asked.closed], [0, 0]);
    session.setVisible(true);
    await until("it looks again", () => asked.memory === 2);
    session.dispose();
    assert.equal(asked.closed, 1);
    await page.close();
  });

  test("omitted or unknown values are named, never shown as zero", async () => {
    const { page, tab } = await opened(async () =>
      changed((look) => {
        look.carriersLeftOut = 7;
        Object.assign(look.memory, {
          rss_bytes: null,
          resident: null,
          ets: [],
          ets_left_out: 3,
          rejected: { allocators: 1, carriers: 2, tables: 4 },
          advice: null,
        });
        for (const row of look.memory.allocators)
          Object.assign(row, { resident_bytes: null, largest_free_bytes: null, fragmentation: null });
        for (const carrier of look.carriers) Object.assign(carrier, { usedBytes: null, largestFreeBytes: null });
      }),
    );
    await page.waitForSelector(".picture-row");
    const text = await page.locator("main.body-main").innerText();
    for (const said of [
      /kernel does not report/,
      /Excluded: 1 allocator instances/,
      /carriers of 2 allocator instances/,
      /Excluded: 4 ETS tables/,
      /7 further carriers/,
      /3 further tables/,
    ])
      assert.match(text, said);
    assert.equal(await page.locator(".advice").isHidden(), true);
    await tab("Allocators");
    assert.equal(
      await page.getByRole("treegrid").locator("[aria-rowindex='2'] [data-column=resident]").innerText(),
      "?",
    );
    await tab("Carriers");
    await page.getByRole("listbox").focus();
    assert.match((await page.getByRole("option").textContent()) ?? "", /of which \? in use/);
    await tab("ETS Tables");
    await page.getByText("No ETS table is shown: 4 changed on every reading.").waitFor();
    await assertAccessible(page);
    await page.close();
  });

  test("attaching, refused with the remedy, ended with the last look kept, no VM", async () => {
    const refusal = Object.assign(new Error("not permitted"), {
      what: "process 4711 may not be read",
      why: "it belongs to another user",
      fix: "install a copy that has the right, once",
      command: "sudo /opt/extrospect install",
    });
    let fails = /** @type {Error | null} */ (refusal);
    /** @type {() => void} */
    let go = () => {};
    const waits = new Promise((resolve) => (go = () => resolve(undefined)));
    const { page, copied, next, planned, asked } = await opened(
      async () => {
        await waits;
        if (fails) throw fails;
        return REAL.memory;
      },
      { host: "web1" },
    );
    await page.getByText("Attaching to shop@localhost…").waitFor();
    go();
    await page.waitForSelector(".problem:not([hidden])");
    for (const part of [refusal.what, refusal.why, refusal.fix, refusal.command])
      assert.ok((await page.locator(".problem").innerText()).includes(part), part);
    await screenshot(page, "memory-problem-dark");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Copy the Command" }).click();
    await until("it is copied", () => copied.length > 0);
    assert.deepEqual([copied, planned.length], [[refusal.command], 0]);
    fails = null;
    await page.getByRole("button", { name: "Try Again" }).click();
    await page.waitForSelector(".picture-row");
    assert.equal(await page.locator(".problem").isHidden(), true);
    fails = Object.assign(new Error("gone"), { what: "process 4711 has ended", why: "", fix: "", kind: "vmEnded" });
    await next();
    await page.getByText(/The VM has ended · this is the last snapshot/).waitFor();
    assert.equal(await page.locator(".picture-row").count(), 3);
    await screenshot(page, "memory-ended-dark");
    await assertAccessible(page);
    fails = null;
    await page.getByRole("button", { name: "Find It Again" }).click();
    await until("the VM that runs now is shown", async () => await page.locator(".problem").isHidden());
    assert.deepEqual([asked.again, asked.closed], [1, 1]);
    await page.close();

    const none = await opened(async () => REAL.memory, { noTarget: true });
    await none.page.getByRole("button", { name: "Choose a VM…" }).click();
    await until("the page requests the picker", () => none.of("pick").length > 0);
    await none.page.close();
  });

  test("a restored window names the VM and its part, and reads nothing before a request", async () => {
    const { page, asked, found, told, planned, problems, tab } = await opened(async () => REAL.memory, {
      before: BEFORE,
      state: { tab: "ets", vm: KEPT },
    });
    const again = page.getByRole("button", { name: "Read Again" });
    await again.waitFor();
    assert.equal(await page.locator("h1.heading").innerText(), "shop@localhost");
    assert.match(await page.locator(".node-title").innerText(), /process 4711 · OTP 27 with JIT · web1/);
    assert.equal(await page.getByRole("tab", { name: "ETS Tables" }).getAttribute("aria-selected"), "true");
    assert.equal(await page.locator("[role=tabpanel]:visible").count(), 0);
    assert.equal(await isDisabled(page.getByRole("button", { name: "Read Now" })), true);
    await tab("Allocators");
    assert.deepEqual([asked.memory, asked.binaries, planned.length, found.length], [0, 0, 0, 0]);
    await screenshot(page, "memory-restored-dark");
    await assertAccessible(page);
    await again.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("treegrid").locator(".grid-body .grid-row").first().waitFor();
    assert.deepEqual([found, told], [[BEFORE], []]);
    assert.equal(await again.isVisible(), false);
    await until(
      "the part in sight has the focus",
      async () => (await page.evaluate(() => document.activeElement?.textContent)) === "Allocators",
    );
    await until("the page keeps the VM and the part", async () => {
      const { tab: kept, vm } = /** @type {any} */ (await page.evaluate("window.savedState"));
      return kept === "allocators" && vm.startTicks === KEPT.startTicks;
    });
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("each table is sorted and filtered after a reload as it was before", async () => {
    const { page, tab } = await opened(async () => REAL.memory);
    await page.waitForSelector(".picture-row");
    const press = (/** @type {string} */ name) =>
      page.locator(".grid:visible, [role=treegrid]:visible").getByRole("button", { name, exact: true }).click();
    const type = (/** @type {string} */ text) => page.locator("vscode-textfield:visible input").fill(text);
    await tab("Allocators");
    await press("Allocator");
    await tab("Carriers");
    await press("Address");
    await press("Address");
    await tab("ETS Tables");
    await press("Objects");
    await type("Ac_Tab");
    await tab("Code");
    await press("Literals");
    await type("gen_");
    await tab("Binaries");
    await page.locator(".grid:visible .grid-body .grid-row").first().waitFor();
    await press("Alone");
    await type("gt_");
    await tab("Kept for Little");
    await press("Wasted");
    await type("gt_part");
    const kept = await until("all of it is kept", async () => {
      const state = /** @type {any} */ (await page.evaluate("window.savedState"));
      return state?.tables.binariesKept.filter === "gt_part" && state;
    });
    await page.close();

    const again = await opened(async () => REAL.memory, { before: BEFORE, state: kept });
    await again.page.getByRole("button", { name: "Read Again" }).click();
    /** How the part in sight is listed. */
    const listed = async () => {
      const grid = again.page.locator(".grid:visible");
      await grid.locator(".grid-body .grid-row").first().waitFor();
      const sorted = grid.locator('[aria-sort="ascending"], [aria-sort="descending"]');
      const field = again.page.locator("vscode-textfield:visible input");
      return [
        (await sorted.innerText()).replace("\n", " "),
        (await field.count()) === 0 ? "" : await field.inputValue(),
      ];
    };
    // The part that was in sight is read by itself.
    assert.deepEqual(await listed(), ["Wasted ▴", "gt_part"]);
    assert.equal(await again.page.locator(".grid:visible .grid-body .grid-row").count(), 1);
    const all = [];
    for (const name of ["Held by", "Largest", "Code", "ETS Tables", "Carriers", "Allocators"]) {
      await again.tab(name);
      all.push([name, ...(await listed())]);
    }
    assert.deepEqual(all, [
      ["Held by", "Alone ▾", "gt_"],
      ["Largest", "Size ▾", ""],
      ["Code", "Literals ▾", "gen_"],
      ["ETS Tables", "Objects ▾", "Ac_Tab"],
      ["Carriers", "Address ▾", ""],
      ["Allocators", "Allocator ▴", ""],
    ]);
    assert.deepEqual(again.problems, []);
    await again.page.close();
  });

  testByNight(
    "after a restart the page states that it is another VM; one that has ended leaves the button",
    async () => {
      const other = await opened(async () => REAL.memory, { before: { ...BEFORE, startTicks: 99 } });
      await other.page.getByRole("button", { name: "Read Again" }).click();
      await other.page.waitForSelector(".picture-row");
      assert.deepEqual(
        other.told.map(({ pid }) => pid),
        [PID],
      );
      await other.page.close();
      const gone = await opened(async () => REAL.memory, { before: BEFORE, isFound: false });
      const again = gone.page.getByRole("button", { name: "Read Again" });
      await again.focus();
      await gone.page.keyboard.press("Enter");
      await until("it was looked for", () => gone.found.length === 1);
      await until(
        "the button is there still, with the focus",
        async () => (await gone.page.evaluate(() => document.activeElement?.textContent)) === "Read Again",
      );
      assert.equal(gone.asked.memory, 0);
      await gone.page.close();
    },
  );

  test(`hostile names are text; ${MANY.toLocaleString("en-US")} carriers and tables are drawn as far as they are in sight`, async () => {
    const { page, tab, problems } = await opened(async () =>
      changed((look) => {
        const table = look.memory.ets[0];
        look.memory.ets = Array.from({ length: MANY }, (_, index) => ({
          ...table,
          name: index === 0 ? HOSTILE : `t${index}`,
          owner: index === 0 ? HOSTILE.slice(0, 30) : table.owner,
          bytes: 100_000 - index,
        }));
        look.carriers = Array.from({ length: MANY }, (_, index) => ({
          ...look.carriers[index % look.carriers.length],
          page: 1000 + index,
        }));
      }),
    );
    await page.waitForSelector(".picture-row");
    await tab("ETS Tables");
    await page.locator(".grid [data-column=name]").nth(1).waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.locator(".grid-body .grid-row").count()) < 100);
    assert.match(
      await page.getByRole("grid").locator("[aria-rowindex='2']").innerText(),
      /<img src=x onerror=alert\(1\)>\\u\{202e\}/,
    );
    await tab("Carriers");
    await page.getByRole("listbox").focus();
    await page.keyboard.press("End");
    assert.equal(await page.getByRole("option").getAttribute("aria-posinset"), String(MANY));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1100);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("binaries are looked at when their tab is opened, in four tables", async () => {
    const { page, tab, next, asked, copied, problems } = await opened(async () => REAL.memory);
    await page.waitForSelector(".picture-row");
    assert.equal(asked.binaries, 0);
    await tab("Binaries");
    await page
      .getByText(/^50\.0 MB of binaries in the VM · 271 binaries, .* · at most 41\.3 MB held by no process: /)
      .waitFor();
    const cell = (/** @type {string} */ column) =>
      page.locator(`.grid:visible [aria-rowindex='2'] [data-column=${column}]`).innerText();
    assert.equal(await cell("pid"), BINARIES.processes[0].pid);
    await next();
    assert.equal(asked.binaries, 1, "other looks do not look at them");
    await page.getByRole("button", { name: "Alone" }).click();
    const alone = BINARIES.processes.toSorted(
      (/** @type {any} */ a, /** @type {any} */ b) => b.own_bytes - a.own_bytes,
    );
    assert.equal(await cell("pid"), alone[0].pid);
    await tab("Largest");
    assert.equal(await cell("id"), BINARIES.binaries[0].id);
    await tab("Kept for Little");
    await page.getByText(/binary:copy\/1 of the part that is needed/).waitFor();
    assert.equal(await cell("id"), BINARIES.kept[0].id);
    await page.locator("vscode-textfield:visible input").fill("gt_part");
    await until("the part", async () => (await page.locator(".grid:visible .grid-body .grid-row").count()) === 1);
    assert.deepEqual([await cell("used"), await cell("way")], ["150 B", "a part of it lives"]);
    await tab("Allocated by");
    await page
      .locator("vscode-textfield:visible input")
      .fill(BINARIES.allocated.by.find((/** @type {any} */ row) => row.ended === true).pid);
    await page.locator(".grid:visible").getByText("ended", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    await until("the table is copied", () => copied.length > 0);
    assert.match(copied[0] ?? "", /^by,pid,name,ended,library,allocator,blocks,bytes\r\n/);
    assert.equal(copied[0]?.trimEnd().split("\r\n").length, BINARIES.allocated.by.length + 1);
    await page.getByRole("button", { name: "Read Now" }).click();
    await until("they are looked at once more", () => asked.binaries === 2);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("rows of binaries lead to processes, by Enter, by a click and by their menu", async () => {
    const { page, tab, of, copied, problems } = await opened(async () => REAL.memory);
    await page.waitForSelector(".picture-row");
    await tab("Binaries");
    const asked = async (/** @type {number} */ count) => {
      await until("the page leads there", () => of("showProcess").length === count);
      return of("showProcess").at(-1).process;
    };
    const first = page.locator(".grid:visible [aria-rowindex='2']");
    await first.locator("[data-column=pid] .place").click();
    assert.equal(await asked(1), BINARIES.processes[0].pid);
    await page.keyboard.press("Enter");
    assert.equal(await asked(2), BINARIES.processes[0].pid);
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Copy the Pid" }).press("Enter");
    await until("it is copied", () => copied.includes(BINARIES.processes[0].pid));
    // One holder is led to, of several one is chosen.
    await tab("Largest");
    const several = BINARIES.binaries.find((/** @type {any} */ row) => row.holders.length > 1);
    const single = BINARIES.binaries.find((/** @type {any} */ row) => row.holders.length === 1);
    assert.ok(several && single, "the fixture has both");
    const filter = page.locator("vscode-textfield:visible input");
    await filter.fill(single.id);
    await until("that one", async () => (await first.locator("[data-column=id]").innerText()) === single.id);
    await page.locator(".grid:visible").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    assert.equal(await asked(3), single.holders[0].pid);
    await filter.fill(several.id);
    await until("the other one", async () => (await first.locator("[data-column=id]").innerText()) === several.id);
    await page.locator(".grid:visible").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem").nth(1).waitFor();
    assert.equal(await page.getByRole("menuitem").count(), several.holders.length);
    await screenshot(page, "memory-binaries-holders-dark");
    await assertAccessible(page);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await asked(4), several.holders[1].pid);
    // A process that has ended leads nowhere.
    await tab("Allocated by");
    const ended = BINARIES.allocated.by.find((/** @type {any} */ row) => row.ended === true);
    const lives = BINARIES.allocated.by.find((/** @type {any} */ row) => row.by === "process" && row.ended === false);
    for (const [row, leads] of [
      [ended, false],
      [lives, true],
    ]) {
      await page.locator("vscode-textfield:visible input").fill(row.pid);
      await until("that one", async () => (await first.locator("[data-column=by]").innerText()).includes(row.pid));
      assert.equal(await first.locator("[data-column=by] .place").count(), leads ? 1 : 0);
      await page.locator(".grid:visible").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("Shift+F10");
      assert.equal(await page.getByRole("menuitem", { name: /in Processes/ }).count(), leads ? 1 : 0);
      await page.keyboard.press("Escape");
    }
    assert.equal(of("showProcess").length, 4);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("a look at binaries can be cancelled, and shows the reason of a failure", async () => {
    /** @type {((error: Error) => void)[]} */
    const waiting = [];
    const { page, tab, asked, session } = await opened(async () => REAL.memory, {
      binaries: () => new Promise((_, reject) => waiting.push(reject)),
    });
    await page.waitForSelector(".picture-row");
    await tab("Binaries");
    await page.getByText("Reading binaries…").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await until("it is given up", async () => !(await page.getByRole("button", { name: "Cancel" }).isVisible()));
    await page.getByRole("button", { name: "Read Binaries" }).click();
    await until("another look", () => asked.binaries === 2);
    waiting[1]?.(Object.assign(new Error("x"), { what: "it cannot be read", why: "", fix: "" }));
    await page.getByText("it cannot be read").waitFor();
    assert.equal(await page.getByRole("button", { name: "Cancel" }).isVisible(), false);
    session.dispose();
    await page.close();
  });

  testByNight("names of others in binaries are text", async () => {
    const hostile = structuredClone(BINARIES);
    hostile.processes[0].name =
      hostile.binaries[0].holders[0].name =
      hostile.kept[0].holders[0].name =
      hostile.allocated.by[0].library =
        HOSTILE;
    const { page, tab, problems } = await opened(async () => REAL.memory, { binaries: async () => hostile });
    await page.waitForSelector(".picture-row");
    await tab("Binaries");
    for (const name of ["Held by", "Largest", "Kept for Little", "Allocated by"]) {
      await tab(name);
      await page.locator(".grid:visible [aria-rowindex='2']").getByText("<img src=x").first().waitFor();
      assert.equal(await page.locator("img").count(), 0);
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1100);
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const theme of THEME_NAMES) {
    test(`axe finds nothing, ${theme}`, async () => {
      const { page, tab, next } = await opened(async () => REAL.memory, { theme });
      await page.waitForSelector(".picture-row");
      await next();
      for (const name of TABS) {
        await tab(name);
        if (name === "Carriers") await page.getByRole("listbox").focus();
        if (name === "Binaries") await tab("Kept for Little");
        await screenshot(page, `memory-${name.split(" ")[0]?.toLowerCase()}-${theme}`);
        await assertAccessible(page, { theme, byDay: name === "Overview" });
      }
      await page.close();
    });
  }
});
