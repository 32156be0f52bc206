// The panel of processes in the workbench, on a VM whose processes are known: the panel is compared with the VM's own
// report.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { helperJson } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { namedAlone, runErl } from "../vms/vm.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { scene } from "./scene.mjs";
import {
  chooseFromMenu,
  chooseTheme,
  closeTab,
  cursorAt,
  pickVm,
  recordedSamples,
  reloadWindow,
  webview,
} from "./workbench.mjs";

/** Of each of ten kinds. */
const EACH = 30;
const ALARM = 25;
const SOURCE = "gt_inside.erl";

describe("processes of a VM", () => {
  const pipes = mkdtempSync(join(tmpdir(), "processes-"));
  /** Nothing writes to it: a process that opens it sleeps in C code. */
  const pipe = join(pipes, "pipe");
  const start = async () =>
    runErl({
      otp: await prepareOtp("25"),
      module: "gt_inside",
      args: [EACH, `in_c=${pipe}`],
      emulatorFlags: namedAlone("inside"),
    });
  /** @type {import("../vms/vm.mjs").RunningVm} */
  let vm;
  /** The VM's report of its processes, by pid. @type {Map<string, any>} */
  let truth;
  before(async () => {
    execFileSync("mkfifo", [pipe]);
    vm = await start();
    const { processes } = await vm.report();
    truth = new Map(processes.map((/** @type {any} */ process) => [process.pid, process]));
  });
  after(() => {
    vm.kill();
    rmSync(pipes, { recursive: true });
  });
  const here = scene({
    viewport: { width: 1600, height: 950 },
    settings: { "extrospect.inside.alarms.mailbox": ALARM },
    prepare: (folder) => cpSync(join(ROOT, "test/vms/src", SOURCE), join(folder, SOURCE)),
  });
  const { step } = here;
  const page = () => webview(here.editor.page);
  const rows = () => page().locator(".grid-body .grid-row");
  const grid = () => page().locator(".grid");
  const facts = () => page().locator(".list-facts").innerText();
  const press = (/** @type {string} */ key) => here.editor.page.keyboard.press(key);
  /** The cells of the rows in sight, by their columns. @returns {Promise<Record<string, string>[]>} */
  const cells = () =>
    rows().evaluateAll((all) =>
      all.map((row) =>
        Object.fromEntries(
          [...row.children].map((cell) => [
            cell.getAttribute("data-column"),
            /** @type {HTMLElement} */ (cell).innerText.trim(),
          ]),
        ),
      ),
    );
  const known = () => [...truth.values()].filter((process) => process.known);

  /** @param {string} value */
  async function groupBy(value) {
    await page()
      .locator(".tools vscode-single-select")
      .evaluate((select, chosen) => {
        /** @type {any} */ (select).value = chosen;
        select.dispatchEvent(new Event("change"));
      }, value);
  }

  step("from the row of a VM its processes are shown, with the figures of the node", async () => {
    const { editor } = here;
    await editor.showViews();
    const row = editor.row(String(vm.pid));
    await row.waitFor();
    await chooseFromMenu(editor, row, "Processes", { leadsTo: editor.tab("Processes") });
    await rows().first().waitFor();
    await editor.tab("Processes: inside@").waitFor();
    const { counts } = await vm.report();
    const figures = page().locator(".node-figures");
    await until("the node's figures", async () =>
      (await figures.innerText()).replaceAll(/\s+/g, " ").includes(`Processes ${counts.processes}`),
    );
    assert.match(await page().locator("h1").last().innerText(), /^inside@/);
    await until("looks go on", async () => /every second|every [\d.]+ s/.test(await facts()));
  });

  step("names, mailboxes, memory and functions agree with the VM's own", async () => {
    await page().locator(".grid-head").getByRole("button", { name: "Mailbox" }).click();
    const mailboxes = known().map(({ mailbox }) => mailbox);
    await until(
      "those with the most messages are on top",
      async () => (await cells())[0]?.["mailbox"] === String(Math.max(...mailboxes)),
    );
    const shown = await cells();
    assert.ok(shown.length > 15, `${shown.length} rows`);
    for (const { pid = "", mailbox, memory = "", current, status } of shown) {
      const process = truth.get(pid);
      if (!process?.known) continue;
      assert.equal(Number(mailbox), process.mailbox, pid);
      assert.equal(current, process.current);
      assert.equal(status?.split(",")[0], process.status);
      // The data that messages carry, links and monitors are in the VM's own figure alone.
      const [, number = "", unit = ""] = /^([\d.]+) (B|kB|MB)$/.exec(memory) ?? [];
      const bytes = Number(number) * (unit === "MB" ? 1e6 : unit === "kB" ? 1e3 : 1);
      assert.ok(
        bytes <= process.memory * 1.01 + 50 && bytes >= process.memory * 0.99 - 700 - 50 * process.mailbox,
        `${pid}: ${memory}, and ${process.memory} bytes by the VM`,
      );
    }
    assert.ok(shown.filter(({ pid = "" }) => truth.get(pid)?.known).length > 10);
    await here.editor.screenshot("processes-list");
  });

  step("alarms are shown, and they alone when that is wanted", async () => {
    const alarming = known().filter(({ mailbox }) => mailbox >= ALARM).length;
    assert.ok(alarming > 0);
    assert.ok((await facts()).includes(`${alarming} alarming`), await facts());
    const only = page().locator("vscode-checkbox");
    await only.press(" ");
    await until("those alone", async () => (await grid().getAttribute("aria-rowcount")) === String(alarming + 1));
    assert.equal(await rows().locator(".alarm").count(), alarming);
    await here.editor.screenshot("processes-alarming");
    await only.press(" ");
    await until("all again", async () => Number(await grid().getAttribute("aria-rowcount")) > known().length);
  });

  step("a process that sleeps in C code shows where, and for how long", async () => {
    const field = page().locator("vscode-textfield input");
    await field.fill("asleep_in_c");
    await until(
      "it alone, in C code",
      async () => (await rows().count()) === 1 && (await cells())[0]?.["status"] === "sleeps in C",
    );
    const [row] = await cells();
    assert.equal(row?.["current"], "prim_file:open_nif/2");
    assert.match(
      (await rows().locator('[data-column="current"] [title]').getAttribute("title")) ?? "",
      /in C code\n.*thread \d+ \(\S+\) has been asleep in C code for at least [\d.]+ s/,
    );
    await rows().first().click();
    await press("Enter");
    const details = page().locator(".details");
    await until("its details", async () =>
      /Sleeps\s+prim_file:open_nif\/2, in C code\s+Thread\s+\d+ \(\S+\), for [\d.]+ s at least/.test(
        await details.innerText(),
      ),
    );
    await here.editor.screenshot("processes-in-c");
    await press("Escape");
    await field.fill("");
    await until("all again", async () => Number(await grid().getAttribute("aria-rowcount")) > known().length);
  });

  step("by keys alone: filtered to one name, its heap looked at, its line opened", async () => {
    const named = known().find(({ name }) => name !== null);
    const field = page().locator("vscode-textfield input");
    await field.focus();
    await here.editor.page.keyboard.type("worker 10");
    await until(
      "that one",
      async () =>
        (await grid().getAttribute("aria-rowcount")) === "2" &&
        (await cells())[0]?.["pid"] === known().find(({ name }) => name === "'worker 10'")?.pid,
    );
    assert.ok(named);
    await grid().focus();
    await press("Home");
    await press("Enter");
    const details = page().locator(".details");
    await details.locator("table").first().waitFor();
    const pid = (await cells())[0]?.["pid"] ?? "";
    const heap = await helperJson(["heap", vm.pid, pid]);
    const text = await details.innerText();
    assert.ok(
      text.includes(`${heap.live_words.toLocaleString("en")} of ${heap.used_words.toLocaleString("en")} used words`),
      text,
    );
    await here.editor.screenshot("processes-heap");
    await press("Control+Enter");
    await cursorAt(here.editor, { file: SOURCE, line: truth.get(pid).line });
    // Panel and source are beside each other.
    await here.editor.screenshot("processes-source");
    await closeTab(here.editor, SOURCE);
    await grid().focus();
    await press("Escape");
    await until("the details are closed", () => details.isHidden());
    await field.fill("");
    await until("all again", async () => Number(await grid().getAttribute("aria-rowcount")) > known().length);
  });

  step("groups and the tree by parent, opened by keys", async () => {
    await groupBy("initialCall");
    const group = rows().filter({ hasText: "gt_inside:init/1" }).first();
    await until("a group", async () => (await group.getAttribute("aria-expanded")) === "false");
    assert.match(await group.innerText(), new RegExp(`${EACH} processes`));
    await group.click();
    await press("ArrowRight");
    await until("it is open", async () => (await group.getAttribute("aria-expanded")) === "true");
    const inGroup = page().locator('.grid-row[aria-level="2"]').first();
    assert.equal(await inGroup.getAttribute("aria-setsize"), String(EACH));
    await here.editor.screenshot("processes-groups");
    await groupBy("tree");
    const init = rows().filter({ hasText: "init" }).first();
    await until(
      "the tree",
      async () => (await init.getAttribute("aria-level")) === "1" && /with those below/.test(await init.innerText()),
    );
    await init.click();
    await press("ArrowRight");
    await until("what it started", async () => (await page().locator('.grid-row[aria-level="2"]').count()) > 3);
    // It started each process below it, as far as the VM reports that.
    const parents = new Map((await cells()).map((row) => [row["pid"], row["parent"]]));
    const said = [...parents].filter(([pid]) => truth.has(pid ?? ""));
    assert.ok(said.length > 3);
    for (const [pid, parent] of said) assert.equal(parent, truth.get(pid ?? "").parent.replace("null", ""), pid);
    await here.editor.screenshot("processes-tree");
    await groupBy("none");
  });

  step("it continues beside a running capture, in each theme", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Start Capture (Record");
    await pickVm(editor, vm.pid);
    await editor.page.locator(".statusbar-item .codicon-record").first().waitFor();
    await editor.command("Extrospect: Show Processes of a VM");
    await pickVm(editor, vm.pid);
    await rows().first().waitFor();
    await until("trends", async () =>
      /L/.test((await page().locator(".sparkline path").first().getAttribute("d")) ?? ""),
    );
    await grid().focus();
    await press("Home");
    await press("Enter");
    await page().locator(".details table").first().waitFor();
    for (const [label, kind, name] of /** @type {[string, string, string][]} */ ([
      ["Light Modern", "vs", "light"],
      ["Dark High Contrast", "hc-black", "high-contrast"],
      ["Dark Modern", "vs-dark", "dark"],
    ])) {
      await chooseTheme(editor, label, kind);
      await rows().first().waitFor();
      await editor.screenshot(`processes-workbench-${name}`);
    }
    await editor.command("Extrospect: Stop Capture");
    // The window is reloaded next.
    await until("its end", async () => (await recordedSamples(editor)) === 0);
  });

  step(
    "the window is reloaded: the panel names its VM and the kind of its list, and nothing starts before a request",
    async () => {
      const { editor } = here;
      await page().locator("vscode-textfield input").fill("worker 10");
      await until("that one", async () => (await grid().getAttribute("aria-rowcount")) === "2");
      await page().locator(".grid-head").getByRole("button", { name: "Memory" }).click();
      await until("it is sorted so", async () =>
        /^Memory/.test(await page().locator('.grid-head [aria-sort="descending"]').innerText()),
      );
      const before = new Set(helpersBelow(editor.server.pid));
      const started = () => helpersBelow(editor.server.pid).filter((pid) => !before.has(pid));
      await reloadWindow(editor);
      await editor.tab("Processes: inside@").waitFor();
      const look = page().getByRole("button", { name: "Read Again" });
      await look.waitFor();
      assert.match(
        await page().locator(".node-title").innerText(),
        new RegExp(`^inside@[^]*process ${vm.pid} · OTP 25`),
      );
      assert.equal(await page().locator("vscode-textfield input").inputValue(), "worker 10");
      assert.match(await page().locator('.grid-head [aria-sort="descending"]').innerText(), /^Memory/);
      await editor.screenshot("processes-restored");
      assert.deepEqual(started(), []);
      await look.focus();
      await press("Enter");
      await until(
        "that one again",
        async () => (await cells())[0]?.["pid"] === known().find(({ name }) => name === "'worker 10'")?.pid,
      );
      assert.ok(started().length > 0);
      assert.equal(await editor.message(/not the same VM/).count(), 0);
      await page().locator("vscode-textfield input").fill("");
      await until("all again", async () => Number(await grid().getAttribute("aria-rowcount")) > known().length);
    },
  );

  step("when the VM ends, the last look stays with a note", async () => {
    const { editor } = here;
    await page().locator(".grid-body .grid-row").first().waitFor();
    vm.kill();
    const problem = page().locator(".problem");
    await until("it is shown", async () => /The VM has ended\. This is its state at/.test(await problem.innerText()));
    assert.ok((await rows().count()) > 10);
    await editor.screenshot("processes-ended");
    await problem.getByRole("button", { name: "Read Again" }).click();
    await editor.message(/has not come back/).waitFor();
  });

  step(
    "it is started again, and the window reloaded: Look Again finds it by its name, and states that it is another VM",
    async () => {
      const { editor } = here;
      const old = vm.pid;
      vm = await start();
      await reloadWindow(editor);
      await editor.tab("Processes: inside@").waitFor();
      await page().getByRole("button", { name: "Read Again" }).waitFor();
      assert.match(await page().locator(".node-title").innerText(), new RegExp(`process ${old} `));
      await page().getByRole("button", { name: "Read Again" }).click();
      await rows().first().waitFor();
      await until("the one that runs now", async () =>
        (await page().locator(".node-title").innerText()).includes(`process ${vm.pid} `),
      );
      await editor.message(/This is not the same VM: inside@.*, has started since then/).waitFor();
      await editor.screenshot("processes-restored-another");
    },
  );
});
