// The panel of stacks in Chromium: the real page, the real session behind it, and an answer of the helper.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { assertAccessible, bundled, screenshot, startPanelPages, testByNight, THEME_NAMES } from "./panel-page.mjs";
import { STANDSTILL } from "./stopped-vm.mjs";

const REAL = JSON.parse(readFileSync(new URL("./fixtures/pstack.json", import.meta.url), "utf8"));
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;
const PID = 4711;

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{pid: number, host?: {ssh: string}}} Target */

/** Waits until it is drawn: a card that the screen has not shown yet has no text. @param {Page} page */
async function firstCard(page) {
  await page.waitForSelector(".card");
  await until("the card is drawn", async () => (await page.locator(".card h2").first().innerText()) !== "");
}

describe("panel of stacks", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let sessions;
  before(async () => {
    [pages, sessions] = await Promise.all([
      startPanelPages("stacks"),
      bundled("extension/src/panels/stacks/stacks-session.ts"),
    ]);
  });
  after(() => pages.stop());

  /** @param {(target: Target, all: boolean, token: any) => Promise<unknown>} stacks @param {{pid?: number, host?: {ssh: string}, theme?: string, state?: unknown, once?: boolean}} [options] */
  async function opened(stacks, { pid = PID, host, ...options } = {}) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    const asked = /** @type {(Target & {all: boolean})[]} */ ([]);
    const session = new sessions.StacksSession({
      source: {
        stacks: (/** @type {Target} */ of, /** @type {boolean} */ all, /** @type {any} */ token) => {
          asked.push({ ...of, all });
          return stacks(of, all, token);
        },
      },
      texts: { noTarget: "No VM is chosen." },
      targetName: () => "shop@localhost",
      post: (/** @type {unknown} */ message) => void tell(message),
      canceller,
      nowUnixMs: () => 1_700_000_000_000,
      debug: () => {},
    });
    session.show(host === undefined ? { pid } : { pid, host });
    const view = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        session.receive(message);
      },
    });
    return { ...view, session, asked };
  }

  /** What *Copy as Text* puts on the clipboard. @param {any} page @param {(type: string) => any[]} of */
  async function copied(page, of) {
    const before = of("copyText").length;
    await page.getByRole("button", { name: "Copy as Text" }).click();
    return until("the page requests a copy", () => of("copyText")[before]?.text);
  }

  test("a VM of which nothing runs: why, and the command that resumes it", async () => {
    const [busy] = REAL.threads.filter((/** @type {any} */ thread) => !thread.idle);
    const waited = { ...busy, class: "idle", erlangPid: null, processName: null };
    const threads = [busy, waited, { ...waited, class: "busy_wait" }];
    const { page, of, problems } = await opened(async () => ({ ...REAL, threads, standstill: STANDSTILL }));
    await page.locator(".standstill").waitFor();
    assert.equal(await page.locator(".card").count(), 3, "where they were when it was stopped");
    assert.equal(await page.locator(".card-head .swatch").count(), 1, "those that waited are not called idle now");
    assert.equal(
      await page.locator(".standstill").innerText(),
      "This VM is halted: a signal has stopped it. Resume it: kill -CONT 4711",
    );
    assert.match(await copied(page, of), /\n\nScheduler /);
    assert.ok(
      (await copied(page, of)).includes("\nThis VM is halted: a signal has stopped it. Resume it: kill -CONT 4711\n"),
    );
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a VM that is ending: none of its schedulers is idle or looks for work", async () => {
    const [busy] = REAL.threads.filter((/** @type {any} */ thread) => !thread.idle);
    const without = {
      ...busy,
      scheduler: { type: "normal", number: 7 },
      erlangPid: null,
      processName: null,
      frames: [],
    };
    const threads = [busy, { ...busy, class: "busy_wait", erlangPid: null, processName: null }, without];
    const { page, of, problems } = await opened(async () => ({ ...REAL, threads, ending: true }));
    const line = "This VM is ending: a process is in erlang:halt, or a crash dump is written.";
    await page.getByText(line).waitFor();
    assert.equal(await page.locator(".card-head .swatch").count(), 1, "the one that spins has nothing to wait for");
    assert.equal(await page.locator(".idle-line").innerText(), "Without a stack, since the VM is ending: Scheduler 7");
    assert.ok((await copied(page, of)).includes(`\n${line}\n`));
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a quota that throttled the VM, or a freeze, during the look is above the stacks", async () => {
    const processors = {
      groups_known: true,
      whole_tree: true,
      allowed: 0.5,
      periods: 5,
      throttled_periods: 4,
      throttled_ms: 230,
      stolen_ms: 0,
      pressure_ms: null,
      group_pressure_ms: null,
    };
    const { page, of, problems } = await opened(async () => ({
      ...REAL,
      processors,
      halted: { reason: "frozen", ms: 300 },
    }));
    await page.locator(".limits-line").waitFor();
    const limits =
      "The VM did not run for at least 0.3 s: its control group was frozen · A quota of its control group limits its processors to 0.5; throttled in the last snapshot, for 230 ms of all processors";
    assert.equal(await page.locator(".limits-line").innerText(), limits);
    assert.ok((await copied(page, of)).includes(`\n${limits}\n`));
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("schedulers that are offline or blocked are called that, with the process that blocks them", async () => {
    const [busy] = REAL.threads.filter((/** @type {any} */ thread) => !thread.idle);
    const without = (/** @type {number} */ number, /** @type {string} */ state) => ({
      ...busy,
      scheduler: { type: "normal", number },
      erlangPid: null,
      processName: null,
      class: null,
      trust: null,
      state,
      frames: [],
    });
    const { page, of, problems } = await opened(async () => ({
      threads: [{ ...busy, state: "online" }, without(2, "blocked"), without(3, "offline"), without(4, "offline")],
      schedulers: {
        normal: { online: 2, all: 4 },
        dirtyCpu: { online: 4, all: 4 },
        blocked: "all",
        blockers: [{ pid: "<0.79.0>", name: "blo\u202ecker" }],
      },
    }));
    await page.locator(".schedulers-line").waitFor();
    const schedulers = "2 of 4 schedulers online · Multi-scheduling is blocked by blo\\u{202e}cker (<0.79.0>)";
    assert.equal(await page.locator(".schedulers-line").innerText(), schedulers);
    const [heading = "", ...below] = (await copied(page, of)).split("\n");
    assert.match(heading, /^shop@localhost \(4711\), \d{4}-/);
    assert.deepEqual(below.slice(0, 2), [schedulers, ""]);
    assert.deepEqual(below.slice(-4), ["Scheduler 2: blocked", "Scheduler 3: offline", "Scheduler 4: offline", ""]);
    assert.equal(
      await page.locator(".idle-line").innerText(),
      "Offline: Scheduler 3, Scheduler 4 · Blocked: Scheduler 2",
    );
    assert.equal(await page.locator(".card").count(), 1);
    assert.match(await page.locator("body").innerText(), /4 threads, 0 idle/);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("where it is not known which schedulers are online, none without a stack is called idle", async () => {
    const { page, of, problems } = await opened(async () => ({ ...REAL, schedulers: null }));
    await page.locator(".schedulers-line").waitFor();
    assert.equal(await page.locator(".schedulers-line").innerText(), "Which schedulers are online is not known");
    const idle = REAL.threads.filter((/** @type {any} */ thread) => thread.idle);
    const unknown = idle.filter((/** @type {any} */ thread) => thread.scheduler !== null).length;
    assert.ok(unknown > 0 && unknown < idle.length, "schedulers, and threads that are none");
    const state = "dle, offline or blocked; which of them is not known";
    assert.match(
      await page.locator(".idle-line").innerText(),
      new RegExp(`^Idle \\(no stack\\): Thread [^·]* · I${state} \\(no stack\\): Dirty I/O scheduler 1, [^·]*$`),
    );
    assert.match(
      await page.locator("main.body").innerText(),
      new RegExp(`${REAL.threads.length} threads, ${idle.length - unknown} idle, ${unknown} not known`),
    );
    const text = await copied(page, of);
    assert.match(text, /\nWhich schedulers are online is not known\n\n/);
    assert.equal(
      text.split(/scheduler \d+: idle, offline or blocked; which of them is not known\n/).length - 1,
      unknown,
    );
    assert.equal(text.split(/^Thread .*: Idle$/m).length - 1, idle.length - unknown);
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight(
    "schedulers of a VM that stands still are listed without a stack, and called neither idle nor busy",
    async () => {
      const [busy] = REAL.threads.filter((/** @type {any} */ thread) => !thread.idle);
      const without = [7, 8].map((number) => ({
        ...busy,
        scheduler: { type: "normal", number },
        pid: null,
        processName: null,
        idle: false,
        frames: [],
      }));
      const { page, problems } = await opened(async () => ({
        ...REAL,
        threads: [busy, ...without],
        standstill: STANDSTILL,
      }));
      await firstCard(page);
      assert.equal(await page.locator(".card").count(), 1);
      assert.equal(
        await page.locator(".idle-line").innerText(),
        "Without a stack, since the VM is halted: Scheduler 7, Scheduler 8",
      );
      assert.match(await page.locator("body").innerText(), /3 threads, 0 idle/);
      assert.deepEqual(problems, []);
      await page.close();
    },
  );

  testByNight("a frame is one of the stacks in the page, also when those of the VM before come late", async () => {
    /** @type {(result: unknown) => void} */
    let comeLate = () => {};
    const late = new Promise((resolve) => (comeLate = resolve));
    const named = (/** @type {string} */ name) => ({
      ...REAL,
      threads: [{ ...REAL.threads[0], idle: false, frames: [{ ...REAL.threads[0].frames[0], function: name }] }],
    });
    const { page, session, problems } = await opened(({ pid }) =>
      pid === PID ? late : Promise.resolve(named("m:now/0")),
    );
    session.show({ pid: PID + 1 });
    await page.locator(".frame", { hasText: "m:now/0" }).waitFor();
    comeLate(named("m:before/0"));
    await late;
    await page.evaluate("new Promise((done) => setTimeout(done, 0))");
    assert.equal(session.frame(0, 0).function, "m:now/0");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a card for each busy scheduler, idle ones in one line, a frame goes to its source", async () => {
    const { page, problems, asked, of, session } = await opened(async () => REAL);
    await firstCard(page);
    const busy = REAL.threads.filter((/** @type {any} */ thread) => !thread.idle);
    assert.equal(await page.locator(".card").count(), busy.length);
    const first = page.locator(".card").first();
    assert.equal(await first.locator("h2").innerText(), `Scheduler ${busy[0].scheduler.number}`);
    assert.match(await first.locator(".process").innerText(), new RegExp(busy[0].processName));
    assert.deepEqual(
      await first.locator(".frame .name:not(.where)").allInnerTexts(),
      busy[0].frames.map((/** @type {any} */ frame) => frame.function),
    );
    const idle = REAL.threads.filter((/** @type {any} */ thread) => thread.idle);
    assert.equal(await page.locator(".idle-line").isVisible(), idle.length > 0);
    assert.match(await page.locator("h1").last().innerText(), /shop@localhost \(4711\)/);
    assert.deepEqual(asked, [{ pid: PID, all: false }]);
    const at = busy[0].frames.findIndex((/** @type {any} */ frame) => frame.kind === "erlang" && frame.file);
    await first.locator("button.link").first().focus();
    await page.keyboard.press("Enter");
    await until("the page requests the source", () => of("openSource").length > 0);
    assert.deepEqual(of("openSource"), [{ type: "openSource", thread: REAL.threads.indexOf(busy[0]), frame: at }]);
    assert.equal(session.frame(REAL.threads.indexOf(busy[0]), at).function, busy[0].frames[at].function);
    await page.getByRole("button", { name: "Copy as Text" }).click();
    await until("the page requests a copy", () => of("copyText").length > 0);
    const text = of("copyText")[0].text;
    for (const { function: name } of busy[0].frames) assert.ok(text.includes(name), name);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a VM of another host is read there, named with the host, and is not the one of that id here", async () => {
    const { page, asked, session } = await opened(async ({ host }) => (host === undefined ? { threads: [] } : REAL), {
      host: { ssh: "prod-7" },
    });
    await firstCard(page);
    assert.deepEqual(asked, [{ pid: PID, host: { ssh: "prod-7" }, all: false }]);
    assert.equal(await page.locator("h1").last().innerText(), "shop@localhost (4711) · prod-7");
    await screenshot(page, "stacks-other-host");
    // Nothing connects by itself when the window is back.
    await until("the page keeps none", async () => (await page.evaluate("savedState.pid")) === 0);
    session.show({ pid: PID });
    await until("the cards of the other are gone", async () => (await page.locator(".card").count()) === 0);
    assert.deepEqual(asked.at(-1), { pid: PID, all: false });
    await until("the page keeps the one of here", async () => (await page.evaluate("savedState.pid")) === PID);
    await page.close();
  });

  test("refresh keeps focus and scroll; all threads on request, every two seconds on request", async () => {
    const { page, asked, session } = await opened(async () => REAL, { once: true });
    await firstCard(page);
    // The test decides when two seconds pass.
    await page.clock.install();
    await page.locator("button.link").nth(1).focus();
    const label = await page.evaluate(() => document.activeElement?.textContent);
    session.show({ pid: PID });
    await until("it is queried again", () => asked.length === 2);
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), label);
    await page.getByRole("checkbox", { name: "All threads" }).press(" ");
    await until("all threads are requested", () => asked.length === 3);
    assert.deepEqual(asked.at(-1), { pid: PID, all: true });
    await page.getByRole("checkbox", { name: "Every 2 seconds" }).press(" ");
    await page.clock.fastForward(2000);
    // The clock of the page goes on between two steps of the test: where they take two seconds, it is queried twice.
    await until("it is queried again by itself", () => asked.length >= 4);
    // The answer starts the next wait.
    const before = asked.length;
    await page.clock.fastForward(2000);
    await until("and again", () => asked.length > before);
    await session.setVisible(false);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const hidden = asked.length;
    await page.clock.fastForward(60_000);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(asked.length, hidden, "it is out of sight, so there is no query");
    await page.close();
  });

  test("a failure has reason and remedy; waiting can be cancelled; no VM has a message", async () => {
    let fails = true;
    const refusal = Object.assign(new Error("not permitted"), {
      what: "Process 4711 may not be looked at",
      why: "perf_event_paranoid is 4",
      fix: "run `sudo sysctl kernel.perf_event_paranoid=1`",
    });
    const { page, of } = await opened(async () => {
      if (fails) throw refusal;
      return REAL;
    });
    await page.waitForSelector(".problem:not([hidden])");
    for (const part of [refusal.what, refusal.why, refusal.fix])
      assert.ok((await page.locator(".problem").innerText()).includes(part), part);
    await screenshot(page, "stacks-problem-dark");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Copy Remedy" }).click();
    await until("the page requests a copy", () => of("copyText").length > 0);
    assert.deepEqual(of("copyText"), [{ type: "copyText", text: refusal.fix }]);
    fails = false;
    await page.getByRole("button", { name: "Try Again" }).click();
    await firstCard(page);
    assert.equal(await page.locator(".problem").isHidden(), true);
    await page.close();

    const slow = await opened(
      (_target, _all, token) =>
        new Promise((_, reject) => token.onCancellationRequested(() => reject(new Error("Cancelled")))),
    );
    await slow.page.getByRole("button", { name: "Cancel" }).click();
    await slow.page.waitForFunction(() => document.querySelector(".quiet[role=status]")?.textContent === "Cancelled.");
    assert.equal(await slow.page.locator(".problem").isHidden(), true);
    await slow.page.close();

    const none = await opened(async () => REAL, { pid: 0 });
    await none.page.getByRole("button", { name: "Choose a VM…" }).click();
    await until("the page requests the picker", () => none.of("pick").length > 0);
    assert.deepEqual([none.of("pick").length, none.asked.length], [1, 0]);
    await none.page.close();
  });

  test("hostile names are text; deep stacks are cut with a note", async () => {
    const frame = { function: HOSTILE, kind: "erlang", file: `/${HOSTILE}`, line: 3, object: "[erlang]" };
    const thread = {
      threadId: 1,
      threadName: HOSTILE,
      scheduler: null,
      idle: false,
      sleepsInCS: 1.5,
      erlangPid: "<0.1.0>",
      processName: HOSTILE,
      class: "erlang",
      trust: "captured",
      frames: Array.from({ length: 1000 }, () => frame),
    };
    const { page, problems } = await opened(async () => ({
      threads: [thread, { ...thread, threadId: 2, idle: true, frames: [] }],
    }));
    await firstCard(page);
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.locator(".frame").count()) <= 301);
    assert.match(await page.locator(".card").innerText(), /700 more frames/);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1100);
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const theme of THEME_NAMES) {
    test(`axe finds nothing, ${theme}`, async () => {
      const { page } = await opened(async () => REAL, { theme });
      await firstCard(page);
      await screenshot(page, `stacks-${theme}`);
      await assertAccessible(page, { theme, byDay: true });
      await page.close();
    });
  }
});

/** As the editor's source of cancellation tokens. */
function canceller() {
  /** @type {Set<() => void>} */
  const waiting = new Set();
  let requested = false;
  return {
    token: {
      get isCancellationRequested() {
        return requested;
      },
      onCancellationRequested: (/** @type {() => void} */ call) => {
        waiting.add(call);
        return { dispose: () => waiting.delete(call) };
      },
    },
    cancel: () => {
      requested = true;
      for (const call of waiting) call();
    },
    dispose: () => waiting.clear(),
  };
}
