// The panel of processes in Chromium: the real page, the real session behind it, and recorded answers of the helper; and 100,000 processes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { until } from "../until.mjs";
import { assertAccessible, bundled, screenshot, startPanelPages, testByNight, THEME_NAMES } from "./panel-page.mjs";
import { STANDSTILL } from "./stopped-vm.mjs";

/** @typedef {import("playwright-core").Page} Page */

const REAL = JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/inside.json.gz", import.meta.url))).toString());
const [HEAP_OF] = Object.keys(REAL.heaps);
const MANY = 100_000;
const MOST_ROW_ELEMENTS = 200;
const HOSTILE = `<img src=x onerror=alert(1)>\u202egnp.exe\u0007${"x".repeat(100_000)}`;
const PLACE = { pid: 4711, host: undefined };
const START_TICKS = 1234;
/** The VM of a window before. */
const BEFORE = {
  place: { pid: 4711, host: { ssh: "web1" } },
  target: { node: "shop@localhost", otp: "27", flavor: "jit" },
  startTicks: START_TICKS,
};

/** An answer with the lines of a window. @param {any} answer @param {any} wanted @param {object} [more] */
const windowOf = (answer, { first, limit }, more = {}) => ({
  ...answer,
  lines: answer.lines.slice(first, first + limit),
  ...more,
});

/** Recorded answers, by the request; looks are counted on. */
function recorded() {
  let looks = 0;
  return (/** @type {any} */ wanted) => {
    const { grouping, onlyAlarming, filter } = wanted.query;
    if (wanted.look) looks += 1;
    const look = REAL.looks[looks % REAL.looks.length];
    const answer = onlyAlarming
      ? REAL.alarms
      : grouping === "tree"
        ? REAL.tree
        : grouping === "none"
          ? look
          : REAL.groups;
    const lines =
      filter === ""
        ? answer.lines
        : answer.lines.filter((/** @type {any} */ line) => JSON.stringify(line.process).includes(filter));
    const counts = { length: lines.length, matching: lines.length, look: { ...look.look, number: looks } };
    return windowOf({ ...answer, lines }, wanted, counts);
  };
}

/** Looks at the heap of the first process, by the keyboard; the details with it. @param {import("playwright-core").Page} page */
async function firstHeap(page) {
  await page.waitForSelector(".grid-body .grid-row");
  await page.locator(".grid").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  const details = page.locator(".details");
  await details.locator("table").first().waitFor();
  return details;
}

/** Many processes of which each is like the first that was recorded. @param {(index: number) => string} nameOf @param {number} [length] */
function many(nameOf, length = MANY) {
  const [like] = REAL.looks[0].lines;
  return (/** @type {any} */ wanted) => {
    const lines = Array.from({ length: Math.max(Math.min(wanted.limit, length - wanted.first), 0) }, (_, at) => {
      const index = wanted.first + at;
      const pid = `<0.${index}.0>`;
      return {
        ...like,
        key: pid,
        position: index + 1,
        siblings: length,
        process: { ...like.process, pid, name: nameOf(index) },
      };
    });
    return {
      ...REAL.looks[0],
      lines,
      length,
      processes: length,
      matching: length,
      withoutValue: 7,
      look: { ...REAL.looks[0].look, nextMs: 12_500, tookMs: 125 },
    };
  };
}

/** @param {import("playwright-core").Locator} button */
const isDisabled = (button) => button.evaluate((it) => /** @type {any} */ (it).disabled === true);

describe("panel of processes", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let host;
  before(async () => {
    [pages, host] = await Promise.all([
      startPanelPages("processes"),
      bundled(
        "extension/src/panels/processes/processes-session.ts",
        "extension/src/inside/inside-problem.ts",
        "extension/src/helper/helper-error.ts",
        "extension/src/panels/page/exported-page.ts",
      ),
    ]);
  });
  after(() => pages.stop());

  /**
   * @param {(wanted: any) => any} processes
   * @param {{theme?: string, state?: unknown, width?: number, heap?: (key: string, token: any, onProgress: any) => Promise<unknown>, again?: () => unknown, noVm?: boolean, before?: any, isFound?: boolean, node?: unknown}} [options]
   */
  async function opened(
    processes,
    {
      heap = (key) => Promise.resolve(REAL.heaps[key] ?? REAL.heaps[HEAP_OF ?? ""]),
      again = () => undefined,
      noVm = false,
      before,
      isFound = true,
      node = REAL.node,
      ...options
    } = {},
  ) {
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    const asked = /** @type {any[]} */ ([]);
    const later = /** @type {{ms: number, call: () => void}[]} */ ([]);
    const did = /** @type {{copied: string[], sources: unknown[]}} */ ({ copied: [], sources: [] });
    const [found, told] = [/** @type {any[]} */ ([]), /** @type {any[]} */ ([])];
    const vm = {
      place: PLACE,
      target: REAL.target,
      startTicks: START_TICKS,
      processes: async (/** @type {any} */ wanted) => {
        asked.push(wanted);
        return processes(wanted);
      },
      node: async () => node,
      heap,
      close: () => {},
    };
    const session = new host.ProcessesSession({
      texts: {
        noTarget: "No VM is chosen.",
        copiedPart: (/** @type {number} */ lines, /** @type {number} */ of) => `${lines} of ${of}`,
      },
      post: (/** @type {unknown} */ message) => void tell(message),
      later: (/** @type {number} */ ms, /** @type {() => void} */ call) => {
        const one = { ms, call };
        later.push(one);
        return () => void later.splice(0, later.length, ...later.filter((each) => each !== one));
      },
      nowMs: () => performance.now(),
      nowUnixMs: () => 1_700_000_000_000,
      alarms: () => ({ mailbox: 15, memory: null }),
      head: () => ({
        pid: PLACE.pid,
        node: "shop@localhost",
        name: "shop@localhost",
        otp: "27",
        flavor: "jit",
        host: "",
      }),
      problem: async (/** @type {unknown} */ error) => host.insideProblem(error, undefined),
      again: async () => again(),
      find: async (/** @type {unknown} */ was) => {
        found.push(was);
        return isFound ? vm : undefined;
      },
      showAnother: (/** @type {unknown} */ now) => told.push(now),
      copy: async (/** @type {string} */ text) => void did.copied.push(text),
      openSource: async (/** @type {unknown[]} */ ...what) => void did.sources.push(what),
    });
    if (before !== undefined) session.restore(before);
    else if (!noVm) session.show(vm);
    const view = await pages.open({
      ...options,
      host: (message, toPage) => {
        tell = toPage;
        void session.receive(message);
      },
    });
    /** Lets the time pass until the next look, and waits for it. */
    const nextLook = async () => {
      const before = asked.filter(({ look }) => look).length;
      await until("a look is planned", () => later.length > 0);
      later.shift()?.call();
      await until("it looked", () => asked.filter(({ look }) => look).length > before);
    };
    return { ...view, session, asked, found, told, later, did, vm, nextLook };
  }
  const rowOf = (/** @type {Page} */ page, /** @type {string} */ text) =>
    page.locator(".grid-body .grid-row", { hasText: text }).first();
  const active = (/** @type {Page} */ page) =>
    page.evaluate(
      () =>
        document
          .getElementById(document.activeElement?.getAttribute("aria-activedescendant") ?? "")
          ?.querySelector(".name")?.textContent,
    );

  test("a VM of which nothing runs: why, and the command that resumes it", async () => {
    const { page, problems } = await opened(recorded(), { node: { ...REAL.node, standstill: STANDSTILL } });
    await page.locator(".standstill").waitFor();
    assert.equal(
      await page.locator(".standstill").innerText(),
      "This VM is halted: a signal has stopped it. Resume it: kill -CONT 4711",
    );
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the list has the helper's rows, the header the node's figures, and the helper sets the time of the next look", async () => {
    const { page, problems, later, nextLook, did } = await opened(recorded());
    await page.waitForSelector(".grid-body .grid-row");
    const [first] = REAL.looks[1].lines;
    const row = page.locator('.grid-body .grid-row[aria-rowindex="2"]');
    assert.equal(await row.locator('[data-column="pid"]').innerText(), first.process.pid);
    assert.ok((await row.innerText()).includes(first.process.current));
    assert.match(
      await row.locator('[data-column="memory"]').innerText(),
      new RegExp(`${(first.memory / 1000).toFixed(0)} kB|${(first.memory / 1000).toFixed(1)} kB`),
    );
    assert.match(await page.locator("h1").last().innerText(), /shop@localhost/);
    await until("figures of the node", async () =>
      /Schedulers\s+0%/.test(await page.locator(".node-figures").innerText()),
    );
    assert.match(await page.locator(".node-figures").innerText(), /Processes\s+242/);
    assert.match(await page.locator(".node-figures").innerText(), /^Up for\s+2 hours, 10 minutes/);
    assert.match(
      await page.locator(".list-facts").innerText(),
      /^242 processes · \d+ alarming · read at .* · every second$/,
    );
    assert.equal(later[0]?.ms, 1000);
    assert.equal(
      await page
        .locator(".sparkline")
        .first()
        .locator("path")
        .getAttribute("d")
        .then((d) => /^M[\d.]+ [\d.]+h0$/.test(d ?? "")),
      true,
    );
    await nextLook();
    await nextLook();
    await until(
      "the line has three points",
      async () =>
        ((await row.locator('[data-column="mailbox"] path').getAttribute("d")) ?? "").split(/[ML]/).length === 4,
    );
    await page.locator('.grid-row[aria-rowindex="2"] .place').click();
    await until("the source is requested", () => did.sources.length > 0);
    const [second] = REAL.looks[0].lines;
    assert.deepEqual(did.sources, [[second.process.current, second.process.file, second.process.line]]);
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("100,000 processes: few elements, windows while scrolling, the end by one key, and the slower rate is shown", async () => {
    const { page, asked, problems } = await opened(many((index) => `worker_${index}`));
    await rowOf(page, "worker_0").waitFor();
    assert.match(
      await page.locator(".list-facts").innerText(),
      /100,000 processes · 7 alarming · 7 rows are last because their values in the sorted column are unknown .*every 12\.5 s, to use at most 1% of a core/,
    );
    await page.locator(".grid").focus();
    await page.keyboard.press("End");
    await until("the last one is there, and selected", async () => (await active(page)) === `worker_${MANY - 1}`);
    assert.ok((await page.locator(".grid-row").count()) < MOST_ROW_ELEMENTS);
    assert.ok(asked.every(({ limit }) => limit <= 1000));
    assert.ok(asked.length < 10, `${asked.length} questions`);
    assert.equal(await page.locator(".grid").getAttribute("aria-rowcount"), String(MANY + 1));
    await page.keyboard.press("Home");
    await until("the first one is there, and selected", async () => (await active(page)) === "worker_0");
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("the page as a file for browsers has the rows that are there, in their order, and names as text", async () => {
    const length = 400;
    const nameOf = (/** @type {number} */ index) => (index === 3 ? HOSTILE : `worker_${index}`);
    const { page, tell, of, problems } = await opened(many(nameOf, length));
    await rowOf(page, "worker_0").waitFor();
    await tell({ type: "document" });
    const document = await until("the document", () => of("pageDocument")[0]);
    const html = host.exportedPage({ title: "A & B", language: "en", style: ".grid { }", document });
    assert.match(html, /^<!DOCTYPE html>[^]*default-src &#39;none&#39;[^]*<title>A &amp; B<\/title>[^]*\.grid \{ \}/);
    assert.match(html, /<html [^>]*--vscode-editor-background: *#/);
    const inDocument = html.split("data-index=").length - 1;
    await until(
      "the table has the rows in view alone",
      async () => (await page.locator(".grid-body .grid-row").count()) < inDocument,
    );
    await page.goto(`data:text/html;base64,${Buffer.from(html).toString("base64")}`);
    const look = () =>
      page.evaluate(() => {
        const rows = [...document.querySelectorAll(".grid-body .grid-row")];
        return {
          alive: document.querySelectorAll(
            "script, img, [onerror], button, vscode-button, vscode-single-select, [hidden]",
          ).length,
          indexes: rows.map((row) => Number(row.getAttribute("data-index"))),
          rest: document.querySelector(".grid + p")?.textContent,
        };
      });
    await until("its rows", async () => {
      const read = await look();
      assert.equal(read.alive, 0);
      assert.equal(read.indexes.length, inDocument);
      assert.ok(inDocument < length, `${inDocument} of ${length}`);
      assert.deepEqual(
        read.indexes,
        read.indexes.map((_, at) => at),
      );
      assert.equal(read.rest, `… and ${length - read.indexes.length} more rows`);
      return true;
    });
    assert.deepEqual(problems, []);
    await page.close();
  });

  test("groups and the tree are opened and closed by keys, with their state for assistive technology", async () => {
    const { page, asked } = await opened(recorded());
    await page.waitForSelector(".grid-body .grid-row");
    const select = page.locator(".tools vscode-single-select");
    const choose = (/** @type {string} */ value) =>
      select.evaluate((element, chosen) => {
        /** @type {any} */ (element).value = chosen;
        element.dispatchEvent(new Event("change"));
      }, value);
    await choose("initialCall");
    const group = rowOf(page, "gt_inside:init/1");
    await until("it is open", async () => (await group.getAttribute("aria-expanded")) === "true");
    assert.match(await group.innerText(), /20 processes/);
    const below = page.locator('.grid-body .grid-row[aria-level="2"]').first();
    assert.equal(await below.getAttribute("aria-setsize"), "20");
    await group.click();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Read Heaps of the Group" }).press("Enter");
    const garbage = group.locator('[data-column="garbage"] span');
    await until("the garbage of some of its heaps", async () => /^~\d+%$/.test(await garbage.innerText()));
    assert.match((await garbage.getAttribute("title")) ?? "", /^From the heaps of 5 of 20 processes, read at /);
    await page.locator(".grid").focus();
    await page.keyboard.press("ArrowLeft");
    await until(
      "it is queried without it",
      () => asked.at(-1).query.grouping === "initialCall" && asked.at(-1).query.open.length === 0,
    );
    await choose("tree");
    const init = rowOf(page, "init");
    // Until it comes, a group with `init` in its name is there, which has rows below it, too.
    await until(
      "the tree",
      async () =>
        (await init.getAttribute("aria-level")) === "1" &&
        /242 with those below/.test(await init.innerText()) &&
        (await page.locator('.grid-body .grid-row[aria-level="2"]').count()) > 0,
    );
    await page.locator(".grid").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await until("a process of the tree is opened", () => asked.at(-1).query.open.includes(REAL.tree.lines[1].key));
    await page.close();
  });

  test("one process: its live terms, their roots, its stack with sources, and a refusal that keeps the last data", async () => {
    let refuses = false;
    const heap = REAL.heaps[HEAP_OF ?? ""];
    const { page, did } = await opened(recorded(), {
      heap: async () => {
        if (refuses)
          throw new host.HelperError(
            "refused",
            "the Erlang process <0.1.0> did not rest for a second",
            "",
            "try again",
            1001,
          );
        return heap;
      },
    });
    const details = await firstHeap(page);
    const text = await details.innerText();
    const live = heap.liveWords.toLocaleString("en");
    assert.ok(text.includes(`${live} of ${heap.usedWords.toLocaleString("en")} used words are live`), text);
    // Roots of one name are one line, and all of them add up to the live words.
    const words = await details.locator("table").first().locator("tbody tr:not(.part) td:nth-child(2)").allInnerTexts();
    assert.equal(
      words.reduce((sum, each) => sum + Number(each.replaceAll(",", "")), 0),
      heap.liveWords,
    );
    const shapes = await details.getByRole("table", { name: "Messages by shape" }).locator("tbody tr").allInnerTexts();
    assert.deepEqual(
      shapes.map((row) => row.split(/\t|\n/).slice(0, 2)),
      heap.messages.shapes.map((/** @type {any} */ it) => [it.shape, String(it.count)]),
    );
    const linked = details.getByRole("region", { name: "Linked to" }).locator("li");
    assert.deepEqual(await linked.allInnerTexts(), heap.links);
    const frames = details.locator(".stack button");
    const at = heap.stack.findIndex((/** @type {any} */ frame) => frame.file !== null);
    await frames.first().click();
    await until("the source of the frame is requested", () => did.sources.length > 0);
    assert.deepEqual(did.sources, [[heap.stack[at].function, heap.stack[at].file, heap.stack[at].line]]);
    assert.match(await page.locator('.grid-row[aria-selected="true"] [data-column="garbage"]').innerText(), /^\d+%$/);
    refuses = true;
    await details.getByRole("button", { name: "Read Again" }).click();
    await until("the refusal is shown", async () => /did not rest/.test(await details.innerText()));
    assert.equal(await details.locator("table").count(), 3, "what was known stays");
    await page.keyboard.press("Escape");
    await until(
      "it is closed, and the list has the focus",
      async () =>
        (await details.isHidden()) && (await page.evaluate(() => document.activeElement?.className)) === "grid",
    );
    await page.close();
  });

  test("filter, only alarms, and the way back when nothing fits", async () => {
    const { page, asked } = await opened(recorded());
    await page.waitForSelector(".grid-body .grid-row");
    const filter = page.locator("vscode-textfield input");
    await filter.fill("no such thing");
    await page.getByText("No process fits the filter.").waitFor();
    assert.equal(asked.filter(({ query }) => query.filter !== "").length, 1, "typing is followed by one question");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Clear the Filter" }).click();
    await page.waitForSelector(".grid-body .grid-row");
    assert.equal(await filter.inputValue(), "");
    await page.getByRole("checkbox", { name: "Only alarming" }).press(" ");
    await until(
      "those alone",
      async () => (await page.locator(".grid").getAttribute("aria-rowcount")) === String(REAL.alarms.length + 1),
    );
    assert.equal(await page.locator(".grid-body .grid-row .alarm").count(), REAL.alarms.length);
    assert.equal(await page.locator('.alarm-value[data-column="mailbox"]').count(), REAL.alarms.length);
    await filter.fill("no such thing");
    await page.getByText("No process fits the filter.").waitFor();
    await page.close();
  });

  test("paused or hidden it reads nothing; copying takes all listed rows", async () => {
    const { page, asked, later, did, session } = await opened(recorded());
    await page.waitForSelector(".grid-body .grid-row");
    await page.getByRole("button", { name: "Pause" }).click();
    await until("it plans no look", () => later.length === 0);
    await until("it is shown", async () => /paused$/.test(await page.locator(".list-facts").innerText()));
    await page.getByRole("button", { name: "Pause" }).click();
    await until("it looks again", () => later.length > 0);
    session.setVisible(false);
    assert.equal(later.length, 0);
    const looks = asked.length;
    session.setVisible(true);
    await until("it looks at once", () => asked.length > looks);
    for (const [item, check] of /** @type {[string, (text: string) => void][]} */ ([
      ["As JSON", (text) => assert.equal(JSON.parse(text).length, 242)],
      ["As CSV", (text) => assert.match(text, /^level,group,processes,pid,name,[^\n]+\n1,,1,<0\.\d+\.0>,/)],
      ["As Text with Tabs", (text) => assert.equal(text.trimEnd().split("\n").length, 243)],
    ])) {
      const before = did.copied.length;
      await page.getByRole("button", { name: "Copy…" }).click();
      await page.getByRole("menuitem", { name: item }).click();
      await until("it is copied", () => did.copied.length > before);
      check(did.copied.at(-1) ?? "");
    }
    await page.close();
  });

  testByNight("columns are chosen and kept, with how the list was sorted", async () => {
    const { page, asked } = await opened(recorded());
    await page.waitForSelector(".grid-body .grid-row");
    await page.getByRole("button", { name: "Columns…" }).click();
    await page.getByRole("menuitem", { name: "Supervisor" }).click();
    await page.locator(".grid-head").getByText("Supervisor").waitFor();
    await page.locator(".grid-head").getByRole("button", { name: "Mailbox" }).click();
    await until(
      "it is sorted so",
      () => asked.at(-1).query.sort === "mailbox" && asked.at(-1).query.descending === true,
    );
    const kept = await page.evaluate("window.savedState");
    await page.close();
    const again = await opened(recorded(), { state: kept });
    await again.page.waitForSelector(".grid-body .grid-row");
    assert.equal(again.asked[0].query.sort, "mailbox");
    await again.page.locator(".grid-head").getByText("Supervisor").waitFor();
    assert.equal(
      await again.page.locator('.grid-head [aria-sort="descending"]').innerText(),
      "Mailbox▾".replace("▾", "") + "\n▾",
    );
    await again.page.close();
  });

  test("no VM, no permission with the command that fixes it, and a VM that ends keeps the last look", async () => {
    const none = await opened(recorded(), { noVm: true });
    await none.page.getByRole("button", { name: "Choose a VM…" }).click();
    await until("the page requests the picker", () => none.of("pick").length > 0);
    await none.page.close();

    const refused = await opened(() => {
      throw new host.HelperError(
        "refused",
        "process 4711 may not be read",
        "it belongs to another user",
        "install a copy that has the right",
        1004,
        "sudo /opt/extrospect install",
      );
    });
    const problem = refused.page.locator(".problem");
    await problem.waitFor();
    for (const part of ["process 4711 may not be read", "it belongs to another user", "sudo /opt/extrospect install"])
      assert.ok((await problem.innerText()).includes(part), part);
    await screenshot(refused.page, "processes-refused-dark");
    await assertAccessible(refused.page);
    await problem.getByRole("button", { name: "Copy Command" }).click();
    await until("the page requests a copy", () => refused.of("copyText").length > 0);
    assert.deepEqual(refused.of("copyText"), [{ type: "copyText", text: "sudo /opt/extrospect install" }]);
    await refused.page.close();

    let ends = false;
    const answers = recorded();
    /** @type {any} */
    const ended = await opened(
      (wanted) => {
        if (ends) throw new host.HelperError("refused", "process 4711 has ended", "", "", 1005);
        return answers(wanted);
      },
      { again: () => ((ends = false), ended.vm) },
    );
    await ended.page.waitForSelector(".grid-body .grid-row");
    ends = true;
    await ended.nextLook();
    await ended.page.locator(".problem", { hasText: "The VM has ended. This is its state at" }).waitFor();
    assert.ok((await ended.page.locator(".grid-body .grid-row").count()) > 10, "the last look stays");
    assert.equal(ended.later.length, 0, "it is not queried repeatedly");
    await screenshot(ended.page, "processes-ended-dark");
    await ended.page.locator(".problem").getByRole("button", { name: "Read Again" }).click();
    await until(
      "it is looked at again",
      async () => (await ended.page.locator(".problem").isHidden()) && ended.later.length > 0,
    );
    await ended.page.close();
  });

  testByNight(
    "a large heap: its size and how much was looked at, and a button that gives it up and leaves what was known",
    async () => {
      const heap = REAL.heaps[HEAP_OF ?? ""];
      let isLarge = false;
      /** @type {(message: string, percentage: number) => void} */
      let tell = () => {};
      const { page } = await opened(recorded(), {
        heap: (_, token, told) =>
          isLarge
            ? new Promise((_, reject) => {
                tell = told;
                token.onCancellationRequested(() => reject(new host.Cancelled()));
              })
            : Promise.resolve(heap),
      });
      const details = await firstHeap(page);
      isLarge = true;
      await details.getByRole("button", { name: "Read Again" }).click();
      const stop = details.getByRole("button", { name: "Cancel" });
      await stop.waitFor();
      tell("<b>999 MB", 1);
      tell("2147 MB", 42);
      await until("its progress is shown", async () =>
        (await details.innerText()).includes("Reading its heap of 2.15 GB: 42 %"),
      );
      await stop.click();
      await until("it was given up", async () =>
        (await details.innerText()).includes("Its heap was not read completely."),
      );
      assert.ok(await details.locator("table").first().isVisible());
      isLarge = false;
      await details.getByRole("button", { name: "Read Again" }).click();
      await until("it was looked at", async () => (await details.innerText()).includes("Heap as of"));
      await page.close();
    },
  );

  testByNight(
    "something leads to a process: it alone is listed, with its heap looked at; one that has ended is not there",
    async () => {
      const heaps = /** @type {string[]} */ ([]);
      const { page, asked, session, problems, of } = await opened(recorded(), {
        heap: async (key) => {
          heaps.push(key);
          return REAL.heaps[HEAP_OF ?? ""];
        },
      });
      await page.waitForSelector(".grid-body .grid-row");
      const { pid } = REAL.looks[0].lines[40].process;
      session.goTo(pid);
      await page.locator(".details table").first().waitFor();
      assert.deepEqual(heaps, [pid]);
      assert.equal(asked.at(-1).query.filter, pid);
      assert.equal(await page.locator("vscode-textfield input").inputValue(), pid);
      assert.equal(await page.locator('.grid-row[aria-selected="true"] [data-column="pid"]').innerText(), pid);
      await until("the page reports its arrival", () => of("arrived").length === 1);
      await until(
        "the list has the focus",
        async () => (await page.evaluate(() => document.activeElement?.className)) === "grid",
      );
      session.goTo("<0.999999.0>");
      await page.getByText("No process fits the filter.").waitFor();
      await until("the page reports its arrival", () => of("arrived").length === 2);
      assert.deepEqual(heaps, [pid]);
      assert.deepEqual(problems, []);
      await page.close();
      // Before the page is there, and before the first look.
      const fresh = await opened(recorded(), { state: { view: { sort: "mailbox" }, hidden: [] } });
      fresh.session.goTo(pid);
      await fresh.page.locator(".details table").first().waitFor();
      assert.equal(await fresh.page.locator("vscode-textfield input").inputValue(), pid);
      await fresh.page.close();
    },
  );

  test("a restored window names the VM and the kind of its list, and reads nothing before a request", async () => {
    const view = {
      sort: "mailbox",
      descending: true,
      filter: "gt_inside",
      grouping: "none",
      open: [],
      onlyAlarming: false,
    };
    const { page, asked, found, told, problems } = await opened(recorded(), {
      before: BEFORE,
      state: { view, hidden: ["parent"], vm: { pid: "x" } },
    });
    const again = page.getByRole("button", { name: "Read Again" });
    await again.waitFor();
    assert.equal(await page.locator("vscode-textfield input").inputValue(), "gt_inside");
    assert.match(await page.locator('.grid-head [aria-sort="descending"]').innerText(), /^Mailbox/);
    assert.equal(await isDisabled(page.getByRole("button", { name: "Read Now" })), true);
    await screenshot(page, "processes-restored-dark");
    await assertAccessible(page);
    // How it is listed can be chosen before.
    await page.locator(".grid-head").getByRole("button", { name: "Memory" }).click();
    await until("it is sorted so", async () =>
      /^Memory/.test(await page.locator('.grid-head [aria-sort="descending"]').innerText()),
    );
    assert.deepEqual([asked.length, found.length], [0, 0]);
    await again.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".grid-body .grid-row");
    assert.deepEqual([asked[0].query.sort, asked[0].query.filter, found, told], ["memory", "gt_inside", [BEFORE], []]);
    await until(
      "the list has the focus",
      async () => (await page.evaluate(() => document.activeElement?.className)) === "grid",
    );
    assert.equal(await again.isVisible(), false);
    assert.equal(await isDisabled(page.getByRole("button", { name: "Read Now" })), false);
    assert.deepEqual((await page.evaluate(() => /** @type {any} */ (window)["savedState"])).vm, {
      pid: 4711,
      host: null,
      node: REAL.target.node,
      name: "gt_inside",
      otp: REAL.target.otp,
      flavor: REAL.target.flavor,
      startTicks: START_TICKS,
    });
    assert.deepEqual(problems, []);
    await page.close();
  });

  testByNight("another process than before is named; one that has ended leaves the button", async () => {
    const other = await opened(recorded(), { before: { ...BEFORE, place: { pid: 42, host: undefined } } });
    await other.page.getByRole("button", { name: "Read Again" }).click();
    await other.page.waitForSelector(".grid-body .grid-row");
    assert.equal(other.told.length, 1);
    await other.nextLook();
    assert.equal(other.told.length, 1, "once");
    await other.page.close();
    const gone = await opened(recorded(), { before: BEFORE, isFound: false });
    await gone.page.getByRole("button", { name: "Read Again" }).focus();
    await gone.page.keyboard.press("Enter");
    await until("it was looked for", () => gone.found.length === 1);
    await until(
      "the button is there still, with the focus",
      async () => (await gone.page.evaluate(() => document.activeElement?.textContent)) === "Read Again",
    );
    assert.equal(gone.asked.length, 0);
    await gone.page.close();
  });

  test("hostile names are text, and begin no formula", async () => {
    const { page, problems, did } = await opened(
      many((index) => (index === 0 ? HOSTILE : `=cmd|' /C calc'!A${index}`), 3),
    );
    await page.waitForSelector(".grid-body .grid-row");
    assert.equal(await page.locator("img").count(), 0);
    await page.locator(".grid").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.locator(".details h2").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1100);
    await page.getByRole("button", { name: "Copy…" }).click();
    await page.getByRole("menuitem", { name: "As CSV" }).click();
    await until("it is copied", () => did.copied.length > 0);
    assert.ok(!/,=cmd/.test(did.copied[0] ?? ""));
    assert.ok((did.copied[0] ?? "").includes("'=cmd|' /C calc'!A1"));
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const theme of THEME_NAMES) {
    test(`axe finds nothing, ${theme}`, async () => {
      const { page, nextLook } = await opened(recorded(), { theme, width: 1500 });
      await page.waitForSelector(".grid-body .grid-row");
      await nextLook();
      await nextLook();
      await page.locator(".grid").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.locator(".details table").first().waitFor();
      await page.locator(".node-figures").waitFor();
      await screenshot(page, `processes-${theme}`);
      await assertAccessible(page, { theme, byDay: true });
      await page.getByRole("checkbox", { name: "Only alarming" }).press(" ");
      await page.locator(".grid-body .alarm-value").first().waitFor();
      await assertAccessible(page, { theme });
      await page.close();
    });
  }
});
