// The panel with the history of a program in Chromium: the real page, the real session behind it, and a real history.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { until } from "../until.mjs";
import { assertAccessible, bundled, screenshot, startPanelPages, testByNight, THEME_NAMES } from "./panel-page.mjs";

// Ten commits of two captures each; from the seventh on a function takes three times as long.
const REAL = JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/history.json.gz", import.meta.url))).toString());
const FUNCTION = REAL.series[1].function;
const TOTAL = 2;
const STEP = 6;
const ORDER = REAL.commits.map((/** @type {any} */ { commit }) => commit);
const LAST = REAL.commits.length - 1;
const SUBJECT = "Prices by region";
const MADE = new Date("2026-03-04T12:00:00Z");
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;
const WORDS = {
  t: (/** @type {string} */ text, /** @type {unknown[]} */ ...values) =>
    text.replace(/\{(\d+)\}/g, (_, index) => String(values[index])),
};

describe("panel with the history", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let modules;
  before(async () => {
    [pages, modules] = await Promise.all([
      startPanelPages("history"),
      bundled("extension/src/panels/history/history-session.ts", "extension/src/panels/history/shown-history.ts"),
    ]);
  });
  after(() => pages.stop());
  /** @type {import("playwright-core").Page[]} */
  const open = [];
  afterEach(() => Promise.all(open.splice(0).map((page) => page.close())));

  const messageOf = (
    /** @type {any} */ history,
    /** @type {readonly string[]} */ functions = [FUNCTION],
    /** @type {readonly string[]} */ order = ORDER,
  ) => ({
    type: "history",
    history: modules.shownHistory(
      history,
      [],
      {
        order,
        subjects: new Map([[REAL.commits[STEP].commit, SUBJECT]]),
        made: new Map([[REAL.commits[STEP].commit, MADE.getTime()]]),
      },
      WORDS,
    ),
    functions,
  });

  /** @param {(functions: string[], progress: (done: number, all: number) => void, signal: AbortSignal) => Promise<unknown>} made @param {{theme?: string, state?: unknown, width?: number}} [options] */
  async function opened(made, options = {}) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    const asked = /** @type {string[][]} */ ([]);
    const compared = /** @type {number[]} */ ([]);
    const session = new modules.HistorySession({
      made: (/** @type {string[]} */ functions, /** @type {any} */ progress, /** @type {AbortSignal} */ signal) => {
        asked.push(functions);
        return made(functions, progress, signal);
      },
      chosen: async () => ["chosen:now/1"],
      compare: async (/** @type {number} */ commit) => void compared.push(commit),
      problem: (/** @type {Error} */ error) => ({ type: "problem", what: "It failed", why: error.message }),
      post: (/** @type {unknown} */ message) => void tell(message),
    });
    const view = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        void session.receive(message);
      },
    });
    open.push(view.page);
    return { ...view, session, asked, compared };
  }

  const chosen = (/** @type {import("playwright-core").Page} */ page) => page.locator(".chosen").innerText();
  const drawn = (/** @type {import("playwright-core").Page} */ page) =>
    page.locator(".dot").first().waitFor({ state: "attached" });
  /** @param {import("playwright-core").Page} page @param {number} series */
  async function choose(page, series) {
    await page.locator("vscode-single-select").evaluate((select, value) => {
      Object.assign(select, { value });
      select.dispatchEvent(new Event("change"));
    }, String(series));
  }

  test("the chart has a dot and an interval for each commit, and each step as shape, figure and words", async () => {
    const { page, problems, compared } = await opened(async () => messageOf(REAL));
    await drawn(page);
    assert.equal(await page.locator(".dot").count(), REAL.commits.length);
    assert.equal(await page.locator(".interval").count(), REAL.commits.length * 3);
    assert.equal(await page.locator(".step-text").count(), 0);
    await choose(page, TOTAL);
    assert.match((await page.locator(".step-text").textContent()) ?? "", /^▲ \+\d/);
    const step = page.locator(".steps button");
    assert.match(
      await step.innerText(),
      new RegExp(
        `^▲ \\+.*% \\(between \\+.*%\\) at ${REAL.commits[STEP].name}; the one before is ${REAL.commits[STEP - 1].name}$`,
      ),
    );
    await step.click();
    await until("the comparison of the step", async () => compared.length === 1);
    const rows = page.locator("tbody tr");
    assert.equal(await rows.count(), REAL.commits.length);
    assert.match(await rows.nth(LAST - STEP).innerText(), new RegExp(`▲ [^]*${SUBJECT}`));
    assert.match(await rows.nth(LAST - STEP).innerText(), new RegExp(MADE.toLocaleDateString("en")));
    await rows.first().locator("button").click();
    await until("the comparison of the newest", async () => compared.length === 2);
    assert.deepEqual(compared, [STEP, LAST]);
    assert.deepEqual(problems, []);
    await assertAccessible(page);
  });

  test("a step that may be of several commits is between them, and a function that places it is named", async () => {
    const series = REAL.series.map((/** @type {any} */ one, /** @type {number} */ at) =>
      at === TOTAL
        ? {
            ...one,
            steps: one.steps.map((/** @type {any} */ step) => ({
              ...step,
              from: STEP - 2,
              to: STEP + 1,
              placed_by: "shop:x/1",
            })),
          }
        : one,
    );
    const { page } = await opened(async () => messageOf({ ...REAL, series }));
    await drawn(page);
    await choose(page, TOTAL);
    const [from, at, to] = [STEP - 2, STEP, STEP + 1].map((commit) => REAL.commits[commit].name);
    await until("the step", async () =>
      (await page.locator(".steps button").innerText()).endsWith(
        `between the commits ${from} and ${to}, most likely at ${at}; shop:x/1 steps there`,
      ),
    );
  });

  test("the arrow keys go from commit to commit, Enter compares with the one before, and so does a double click", async () => {
    const { page, compared } = await opened(async () => messageOf(REAL));
    await drawn(page);
    assert.match(await chosen(page), new RegExp(`^${REAL.commits[LAST].name}`));
    await page.locator(".chart-room").focus();
    await page.keyboard.press("ArrowLeft");
    assert.match(await chosen(page), new RegExp(`^${REAL.commits[LAST - 1].name}: .* \\(.* to .*\\), 2 captures$`));
    await page.keyboard.press("Enter");
    await page.keyboard.press("Home");
    assert.match(await chosen(page), new RegExp(`^${REAL.commits[0].name}`));
    // There is none before the first.
    await page.keyboard.press("Enter");
    await page.locator(".dot").nth(2).hover();
    assert.match(await chosen(page), new RegExp(`^${REAL.commits[2].name}`));
    // A click chooses alone: the commit stays on the way to the button that compares it.
    await page.locator(".dot").nth(3).click();
    await page.locator(".dot").nth(1).hover();
    assert.match(await chosen(page), new RegExp(`^${REAL.commits[3].name}`));
    await page.getByRole("button", { name: "Compare with the One Before" }).click();
    await page.locator(".dot").nth(2).dblclick();
    await until("three comparisons", async () => compared.length === 3);
    assert.deepEqual(compared, [LAST - 1, 3, 2]);
  });

  testByNight(
    "commits that the workspace's repository has not are counted, as they go by when they were captured",
    async () => {
      const { page } = await opened(async () => messageOf(REAL));
      await drawn(page);
      assert.doesNotMatch(await page.locator(".body-main").innerText(), /when (it was|they were) captured/);
      const unknown = await opened(async () => messageOf(REAL, [FUNCTION], ORDER.slice(3)));
      await drawn(unknown.page);
      assert.match(
        await unknown.page.locator(".body-main").innerText(),
        new RegExp(`3 of ${ORDER.length} commits are placed by their capture times`),
      );
      await assertAccessible(unknown.page);
    },
  );

  test("no claim about the newest commit where it may not be the newest one", async () => {
    const { page } = await opened(async () => messageOf(REAL));
    await drawn(page);
    assert.match(await page.locator(".body-main").innerText(), /Newest commit: .*, as expected\./);
    const doubts = [
      { reason: "unreadable", values: ["file:///captures/9-0.pb.gz"], text: "", fix: "" },
      { reason: "newest_left_out", values: ["ab12cd34e", "file:///captures/9-1.pb.gz"], text: "", fix: "" },
    ];
    const doubtful = await opened(async () => messageOf({ ...REAL, doubts }));
    await drawn(doubtful.page);
    const shown = await doubtful.page.locator(".body-main").innerText();
    assert.doesNotMatch(shown, /Newest commit: /);
    assert.match(
      shown,
      /\? Cannot tell how the newest commit compares: 9-0\.pb\.gz cannot be read, so it may be of a newer commit; ab12cd34e is newer, and 9-1\.pb\.gz is left out\./,
    );
  });

  test("captures that were limited in another way are named, and beside the newest commit", async () => {
    const of = ["file:///captures/9-0.pb.gz", "30.0", "file:///captures/1.pb.gz … file:///captures/8.pb.gz"];
    const note = { kind: "processor_time_lost", values: of, text: "" };
    const halted = { kind: "halted_on_one_side", values: ["ab12cd34e", "50", "0b12cd34e", "0"], text: "" };
    const series = REAL.series.map((/** @type {any} */ one) => ({ ...one, unlike: [note] }));
    const { page } = await opened(async () => messageOf({ ...REAL, series, notes: [note, halted] }));
    await drawn(page);
    const shown = await page.locator(".body-main").innerText();
    const lost =
      /9-0\.pb\.gz was kept from processors, by a quota or a hypervisor, for 30\.0% of the time that it used, and 1\.pb\.gz … 8\.pb\.gz was not/;
    assert.match(shown, new RegExp(`^${lost.source}`, "m"));
    assert.match(shown, new RegExp(`Newest commit: .*expected\\. ${lost.source}`));
    assert.match(shown, /^The VM was halted in 50% of the time of ab12cd34e/m);
  });

  test("chosen functions are followed and come back with the window", async () => {
    const { of, functionName } = messageOf(REAL).history.series[1];
    const { page, asked } = await opened(async (functions) => messageOf(REAL, functions), {
      state: { functions: [FUNCTION, 7], shown: { of, functionName } },
    });
    await drawn(page);
    assert.deepEqual(asked, [[FUNCTION]]);
    assert.match((await page.locator(".chart-room").getAttribute("aria-label")) ?? "", /: self time by commit/);
    await page.getByRole("button", { name: "Functions…" }).click();
    await until("the new question", async () => asked.length === 2);
    assert.deepEqual(asked[1], ["chosen:now/1"]);
  });

  test("the shown series stays in view when a function before it is removed", async () => {
    const named = REAL.series.slice(1, 2).map((/** @type {any} */ one) => ({ ...one, function: "kept:now/1" }));
    const kept = { ...REAL, series: [...REAL.series, ...named] };
    const less = { ...REAL, series: [REAL.series[0], ...named, ...REAL.series.slice(2)] };
    const histories = [messageOf(kept, [FUNCTION, "kept:now/1"]), messageOf(less, ["kept:now/1"])];
    const { page, asked } = await opened(async () => histories.shift());
    const label = () => page.locator(".chart-room").getAttribute("aria-label");
    await drawn(page);
    await choose(page, REAL.series.length);
    assert.match((await label()) ?? "", /^kept:now\/1: /);
    await page.getByRole("button", { name: "Functions…" }).click();
    await until("the new history", async () => asked.length === 2 && histories.length === 0);
    await drawn(page);
    await until("its series", async () => /^kept:now\/1: /.test((await label()) ?? ""));
  });

  testByNight(
    "a function that was just chosen is shown at once; one that no capture has is named as such",
    async () => {
      const named = (/** @type {number} */ value) =>
        REAL.series.slice(1).map((/** @type {any} */ one) => ({
          ...one,
          function: "chosen:now/1",
          points: one.points.map((/** @type {any} */ point) => ({ ...point, value: point.value * value })),
        }));
      const histories = [REAL, { ...REAL, series: [...REAL.series, ...named(1)] }];
      const { page } = await opened(async (functions) => messageOf(histories.shift(), functions), {
        state: { functions: [FUNCTION] },
      });
      await drawn(page);
      await page.getByRole("button", { name: "Functions…" }).click();
      await until("the chart of the function", async () =>
        /^chosen:now\/1: self time by commit/.test(
          (await page.locator(".chart-room").getAttribute("aria-label")) ?? "",
        ),
      );
      assert.doesNotMatch(await page.locator(".body-main").innerText(), /No capture has a sample/);
      const unseen = await opened(async (functions) =>
        messageOf({ ...REAL, series: [...REAL.series, ...named(0)] }, functions),
      );
      await drawn(unseen.page);
      await unseen.page.getByText("No capture has a sample of chosen:now/1.").waitFor();
    },
  );

  testByNight("reading shows its progress and can be cancelled; a failure has its reason", async () => {
    /** @type {AbortSignal | undefined} */
    let signal;
    const { page } = await opened(
      (_, progress, given) =>
        new Promise((_resolve, reject) => {
          signal = given;
          given.addEventListener("abort", () => reject(new Error("cancelled")));
          progress(120, 1_000);
        }),
    );
    await page.getByText("120 of 1,000 captures are read…").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("The history was cancelled.").waitFor();
    assert.equal(signal?.aborted, true);
    const failing = await opened(async () => Promise.reject(new Error("no reason")));
    await failing.page.getByText("It failed: no reason").waitFor();
  });

  test("hostile names are text, and captures that were left out are named", async () => {
    const hostile = structuredClone(REAL);
    hostile.commits[0].name = HOSTILE;
    hostile.series[1].function = HOSTILE;
    hostile.skipped = [
      {
        capture: `file:///captures/${encodeURIComponent("<b>.pb.gz")}`,
        reason: { kind: "copy", value: "file:///captures/a%20b.pb.gz" },
        text: "",
      },
      { capture: HOSTILE, reason: { kind: "unreadable", value: HOSTILE }, text: "" },
    ];
    const { page, problems } = await opened(async () => messageOf(hostile));
    await drawn(page);
    await choose(page, 1);
    await page.locator("summary").click();
    await page.getByText("<b>.pb.gz is left out: it is a copy of a b.pb.gz").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.evaluate(() => document.body.textContent?.length ?? 0)) < 20_000);
    assert.deepEqual(problems, []);
  });

  testByNight("a thousand commits, and an interval beyond all others", async () => {
    const many = structuredClone(REAL);
    const [series] = many.series;
    const { points } = series;
    many.commits = Array.from({ length: 1_000 }, (_, number) => ({
      ...REAL.commits[number % REAL.commits.length],
      name: `c${number}`,
    }));
    series.points = many.commits.map(
      (/** @type {unknown} */ _, /** @type {number} */ number) => points[number % points.length],
    );
    series.points[3] = { ...points[3], value: 0, low: 0, high: 1e300 };
    many.series = [series];
    const { page, problems } = await opened(async () => messageOf(many));
    await page.locator(".dot").nth(999).waitFor({ state: "attached" });
    assert.ok(
      await page.locator(".chart-room").evaluate((room) => room.scrollWidth > room.clientWidth && room.scrollLeft > 0),
    );
    assert.equal(await page.locator('svg [y1="NaN"], svg [cy="NaN"]').count(), 0);
    assert.deepEqual(problems, []);
  });

  for (const theme of THEME_NAMES)
    test(`looks in ${theme}`, async () => {
      const { of, functionName } = messageOf(REAL).history.series[TOTAL];
      const { page } = await opened(async () => messageOf(REAL), {
        theme,
        state: { functions: [FUNCTION], shown: { of, functionName } },
      });
      await page.locator(".step-text").waitFor();
      await screenshot(page, `history-${theme}`);
      await assertAccessible(page, { theme, byDay: true });
    });
});
