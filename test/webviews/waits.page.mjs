// The page of processes that wait for each other in Chromium, with the waits of a real VM.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { assertAccessible, bundled, screenshot, startPanelPages, THEME_NAMES } from "./panel-page.mjs";
import { STANDSTILL, STANDSTILL_UNKNOWN } from "./stopped-vm.mjs";

/** Of OTP 27: a stuck server with callers, a chain, circles of two and of three; and one that sends to a port that is busy. */
const REAL = JSON.parse(readFileSync(new URL("./fixtures/waits.json", import.meta.url), "utf8"));
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;

const EMPTY = {
  edges: [],
  cycles: [],
  cycle_limits: [],
  unknown_calls: [],
  in_unknown_calls: 0,
  in_c: [],
  late: [],
  ends: [],
  more: 0,
  unproven: 0,
  moved: 0,
  not_searched: 0,
};

/** The state that the editor keeps with the panel. */
const KEPT = {
  uri: "file:///captures/shop-waits.pb.gz",
  vm: { pid: 4711, host: null, node: "shop@localhost", otp: "27", flavor: "jit", startTicks: 12 },
  standstill: null,
};

describe("page of where processes wait", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let shown;
  before(async () => {
    [pages, shown] = await Promise.all([
      startPanelPages("waits"),
      bundled("extension/src/panels/waits/shown-waits.ts", "extension/src/text/shown-standstill.ts"),
    ]);
  });
  after(() => pages.stop());

  /** @param {any} graph @param {{theme?: string, problem?: string, standstill?: unknown, schedulers?: unknown, processors?: unknown, endedUnixMs?: number | null}} [options] */
  function opened(
    graph,
    { problem = "", standstill, schedulers = null, processors = null, endedUnixMs = null, ...options } = {},
  ) {
    const head = { pid: 4711, node: "shop@localhost", host: "" };
    const seen = {
      head,
      takenUnixMs: 1_700_000_000_000,
      endedUnixMs,
      seconds: 10,
      looks: 41,
      processes: 92,
      waiting: 90,
      restless: 2,
      unread: null,
      graph: graph && shown.shownGraph(graph),
      full: false,
      standstill: shown.shownStandstill(standstill),
      schedulers,
      processors,
    };
    return pages.open({
      ...options,
      host: (message, toPage) =>
        void (
          message.type === "ready" && toPage(graph ? { type: "waits", seen, kept: KEPT } : { type: "none", problem })
        ),
    });
  }

  test("tables show the process that all wait for, circles and edges; the picture has a box for each, and all can be copied", async () => {
    const { page, problems, of } = await opened(REAL);
    const ends = page.getByRole("table", { name: "What Most Processes Wait For" });
    await ends.waitFor();
    assert.deepEqual(await ends.locator("tbody tr").first().locator("td").allInnerTexts(), [
      "7",
      "6",
      "<0.83.0> shop_db",
      "waiting in gt_waits:stuck/0 < gt_waits:handle_call/3 < gen_server:try_handle_call/4",
    ]);
    assert.deepEqual(await ends.locator("tbody tr").last().locator("td").allInnerTexts(), [
      "1",
      "1",
      "#Port<0.31> tcp_inet",
      "busy: accepts no data until the other side reads, 8.42 kB wait to be written; owner <0.790.0> rabbit_reader:init/3",
    ]);
    const edges = page.getByRole("table", { name: "Waits Between Processes, by Name" });
    assert.equal(await edges.locator("tbody tr").count(), REAL.edges.length);
    const lines = await edges.locator("tbody tr").allInnerTexts();
    assert.match(lines.at(-2) ?? "", /<0\.901\.0> holder and 2 more, with a lock on \{shop, \{user, _\}\}, to write/);
    assert.match(lines.at(-1) ?? "", /<0\.901\.0> holder, which waits before them for all of shop, to read/);
    assert.equal(await page.locator(".cycles li").count(), 2);
    assert.match(await page.locator(".cycles li").first().innerText(), /, for ever$/);
    assert.match(await page.locator(".cycles li").last().innerText(), /of which 2 of \d+ wait with a time limit$/);
    const unknown = page.getByRole("table", { name: "In a Call That Is Not Known: 51 Processes" });
    assert.match(
      await unknown.locator("tbody tr").first().innerText(),
      /50\s+pool_user\s+pool:wait\/1\s+<0\.90\.0> pool, which they monitor/,
    );
    assert.match(
      await unknown.locator("tbody tr").last().innerText(),
      /asker:ask\/2\s+<0\.91\.0> kv, in whose mailbox their message is/,
    );
    assert.match(
      await page
        .getByRole("table", { name: "In a Function with “loop” in Its Name, Maybe a Call: 6 Processes" })
        .innerText(),
      /6\s+poller\s+shop:poll_loop\/1\s+<0\.92\.0> stock, whose pid they keep/,
    );
    assert.match(
      await page.getByRole("table", { name: "In C Code That Waits" }).innerText(),
      /stuck_opener\s+prim_file:open_nif\/2 < prim_file:open\/2\s+erts_dios_7 \(10355\)/,
    );
    assert.equal(await page.getByRole("img").count(), 1);
    // Each that is waited for, and each group of those that only wait: a chain's middle is one box.
    const boxes = await page.locator(".box title").allTextContents();
    assert.equal(boxes.filter((text) => text.includes("shop_cart")).length, 1, boxes.join("; "));
    assert.equal(await page.locator(".box.round").count(), 5);
    assert.equal(await page.locator(".wire").count(), REAL.edges.length);
    await page.getByRole("button", { name: "Copy as Text" }).focus();
    await page.keyboard.press("Enter");
    await until("the page requests a copy", () => of("copyText").length > 0);
    assert.match(of("copyText")[0].text, /7 {2}<0\.83\.0> shop_db/);
    const late = page.getByRole("table", { name: "Late Time Limits and Timers" });
    const heldBy = [
      "6",
      "<0.200.0> shop_ticker, …",
      "3, for <0.202.0> shop_clock, …",
      "4.5 s",
      "1",
      "<0.201.0> shop_image in shop_image:scale/1 < shop_image:work/1",
    ];
    assert.deepEqual(await late.locator("tbody tr td").allInnerTexts(), heldBy);
    assert.match(
      of("copyText")[0].text,
      /6 {2}<0\.200\.0> shop_ticker, … {2}3, for <0\.202\.0> shop_clock, … {2}4\.5 s {2}<0\.201\.0> shop_image in /,
    );
    for (const [name, type] of /** @type {const} */ ([
      ["Watch Again", "again"],
      ["Flame Graph", "flameGraph"],
    ])) {
      await page.getByRole("button", { name }).click();
      await until(`the page requests ${type}`, () => of(type).length > 0);
    }
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("no process is named where something keeps a scheduler from a processor", async () => {
    const [late] = REAL.late;
    for (const [cause, text] of [
      ["throttled", "throttled by the quota of the VM's control group"],
      ["waits_for_processor", "waits for a processor"],
      ["blocked", "blocked"],
      ["offline", "offline"],
      ["unknown", "not known"],
      // Of an older helper, which named the process that was there.
      [undefined, "not known"],
    ]) {
      const { page, of } = await opened({ ...EMPTY, late: [{ ...late, cause }] });
      const cells = page.getByRole("table", { name: "Late Time Limits and Timers" }).locator("tbody tr td");
      await until("the cause", async () => {
        assert.deepEqual((await cells.allInnerTexts()).slice(-1), [text]);
        return true;
      });
      await page.getByRole("button", { name: "Copy as Text" }).click();
      await until("the page requests a copy", () => of("copyText").length > 0);
      assert.ok(of("copyText")[0].text.includes(`  4.5 s  ${text}\n`));
      await page.close();
    }
  });

  test("a VM of which nothing runs: why, and the command that resumes it, also as text and after a reload", async () => {
    const schedulers = {
      normal: { online: 2, all: 4 },
      dirtyCpu: { online: 4, all: 4 },
      blocked: null,
      blockers: [],
    };
    const { page, problems, of } = await opened(REAL, { standstill: STANDSTILL, schedulers });
    const line = page.locator(".standstill");
    await line.waitFor();
    assert.equal(await line.innerText(), "This VM is halted: a signal has stopped it. Resume it: kill -CONT 4711");
    assert.equal(await line.locator("code").innerText(), STANDSTILL.command);
    assert.equal(await page.locator(".schedulers-line").innerText(), "2 of 4 schedulers online");
    await page.getByRole("button", { name: "Copy as Text" }).click();
    await until("the page requests a copy", () => of("copyText").length > 0);
    assert.match(
      of("copyText")[0].text,
      /^.*\nThis VM is halted: .* kill -CONT 4711\n2 of 4 schedulers online\n.* 2 processes were running, in C code, or ending\.\n/,
    );
    assert.deepEqual(problems, []);
    await page.close();
    const kept = shown.shownStandstill(STANDSTILL);
    assert.deepEqual(shown.standstillOfPage(JSON.parse(JSON.stringify(kept))), kept);
    for (const made of [undefined, null, 7, { code: 7, command: "x" }])
      assert.equal(shown.standstillOfPage(made), null);
    assert.equal(shown.shownStandstill(undefined, STANDSTILL_UNKNOWN).command, "", "nothing to resume");
    const { page: unknown } = await opened(REAL, { standstill: { ...STANDSTILL_UNKNOWN, command: undefined } });
    const notKnown =
      "It is not known whether this VM is halted: the kernel shows neither its control group nor where it waits.";
    await until("whether it is halted", async () => (await unknown.locator(".standstill").innerText()) === notKnown);
    await unknown.close();
    const { page: runs } = await opened(REAL);
    await runs.getByRole("table", { name: "What Most Processes Wait For" }).waitFor();
    assert.equal(await runs.locator(".standstill").isVisible(), false);
    await runs.close();
  });

  test("a quota that throttled the VM during the watch is above the table, also as text", async () => {
    const processors = { whole_tree: true, periods: 20, throttled_periods: 12, throttled_ms: 1400, stolen_ms: null };
    const { page, problems, of } = await opened(REAL, { processors });
    const throttled = "The quota of its control group throttled the VM in 12 of 20 periods, for 1.4 s";
    await page.locator(".limits-line").waitFor();
    assert.equal(await page.locator(".limits-line").innerText(), throttled);
    await page.getByRole("button", { name: "Copy as Text" }).click();
    await until("the page requests a copy", () => of("copyText").length > 0);
    assert.ok(of("copyText")[0].text.includes(`\n${throttled}\n`));
    assert.deepEqual(problems, []);
    await page.close();
    const { page: quiet } = await opened(REAL, { processors: { ...processors, throttled_periods: 0 } });
    await quiet.getByRole("table", { name: "What Most Processes Wait For" }).waitFor();
    assert.equal(await quiet.locator(".limits-line").isVisible(), false);
    await quiet.close();
  });

  test("unknown online schedulers are reported of a VM that has not ended, also as text", async () => {
    const { page, problems, of } = await opened(REAL);
    const line = page.locator(".schedulers-line");
    await line.waitFor();
    assert.equal(await line.innerText(), "Which schedulers were online is not known");
    await page.getByRole("button", { name: "Copy as Text" }).click();
    await until("the page requests a copy", () => of("copyText").length > 0);
    assert.match(of("copyText")[0].text, /^.*\nWhich schedulers were online is not known\n/);
    assert.deepEqual(problems, []);
    await page.close();
    const { page: ended } = await opened(REAL, { endedUnixMs: 1_700_000_000_000 });
    await ended.getByRole("table", { name: "What Most Processes Wait For" }).waitFor();
    assert.equal(await ended.locator(".schedulers-line").isVisible(), false);
    await ended.close();
  });

  test("an unknown amount of queued data in a connection is no figure", async () => {
    const process = { pid: "shop@there", name: null, node: "shop@there" };
    const end = { process, direct: 9, all: 9, status: "busy", stack: [], idle: false };
    const { page } = await opened({ ...REAL, ends: [{ ...end, port: { owner: null, bytes: null } }] });
    await page
      .getByText("busy: accepts no data until the other node reads; the size of its queue is not known")
      .waitFor();
    await page.close();
  });

  test("no process waits in a call, no samples, and hostile names", async () => {
    const nobody = await opened({ ...EMPTY, unproven: 3, not_searched: 2 });
    await nobody.page.getByText("No process is known to wait for another one.").waitFor();
    await nobody.page.getByText("3 more may wait in a call").waitFor();
    await nobody.page
      .getByText("2 processes wait for an idle one, and it is not known who works on the request.")
      .waitFor();
    assert.equal(await nobody.page.getByText("Whether time limits or timers").count(), 0);
    await nobody.page.close();
    const unknown = await opened({ ...EMPTY, late_unknown: true });
    await unknown.page.getByText("Whether time limits or timers are late is not known.").waitFor();
    await unknown.page.close();
    const ended = await opened({ ...EMPTY, unproven: 3 }, { endedUnixMs: 1_700_000_001_000 });
    await ended.page.getByText("The VM ended before the waits between processes were read.").waitFor();
    await ended.page.getByText(/The VM had ended by .*; the snapshots until then are shown\./).waitFor();
    await ended.page.close();
    const nothing = await opened(null);
    await nothing.page.getByRole("button", { name: "Watch a VM…" }).click();
    await until("the page requests it", () => nothing.of("again").length > 0);
    await nothing.page.close();
    const target = { pid: "<0.1.0>", name: HOSTILE, node: HOSTILE };
    const hostile = {
      ...REAL,
      edges: [
        {
          waiters: HOSTILE,
          processes: 9,
          pids: [HOSTILE],
          call: HOSTILE,
          target,
          lock: { table: HOSTILE, key: HOSTILE, is_write: true, holders: 1, is_ahead: false },
        },
      ],
      ends: [
        { process: target, direct: 9, all: 9, status: HOSTILE, stack: [HOSTILE], port: null },
        { process: target, direct: 9, all: 9, status: HOSTILE, stack: [HOSTILE], port: { owner: target, bytes: 1 } },
      ],
      cycles: [[target]],
      cycle_limits: [1],
      unknown_calls: [
        { waiters: HOSTILE, processes: 2, pids: [HOSTILE], call: HOSTILE, monitors: null, asked: null, keeps: target },
      ],
      in_unknown_calls: 2,
      in_c: [
        { ...REAL.in_c[0], pid: HOSTILE, name: HOSTILE, function: HOSTILE, stack: [HOSTILE], thread_name: HOSTILE },
      ],
    };
    const { page, problems } = await opened(hostile);
    await page.getByRole("table", { name: "Waits Between Processes, by Name" }).waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("a tab that is used again has no message of the page before", async () => {
    const before = await pages.open();
    // Not faster than a busy machine takes them: the page could not be closed behind ever more of them.
    await before.page.evaluate("window.setInterval(() => window.toHost({ type: 'late' }), 100)");
    await until("it sends", () => before.of("late").length > 0);
    await before.page.close();
    const after = await pages.open();
    assert.equal(after.page, before.page);
    await until("it sends, too", () => after.of("ready").length > 0);
    assert.deepEqual(after.of("late"), []);
    await after.page.close();
  });

  for (const theme of THEME_NAMES) {
    test(`accessible in ${theme}`, async () => {
      const { page } = await opened(REAL, { theme });
      await page.getByRole("table", { name: "What Most Processes Wait For" }).waitFor();
      await assertAccessible(page, { theme, byDay: true });
      await screenshot(page, `waits-${theme}`);
      await page.close();
    });
  }
});
