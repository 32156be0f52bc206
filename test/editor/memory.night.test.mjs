// The panel of memory in the workbench: a real VM with planted fragmentation and a table that grows, compared with the
// VM's own answers.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { Sshd } from "../hosts/sshd.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { scene } from "./scene.mjs";
import {
  chooseFromMenu,
  chooseTheme,
  closePicker,
  pickerRow,
  reloadWindow,
  saveAs,
  typeIntoInput,
  webview,
} from "./workbench.mjs";

/** How long the VM does nothing between its two answers. */
const QUIET_MS = 200;
/** Objects that the growing table gets for each report. */
const GROWS = 20_000;
/** The cost of the VM's answer itself, which it prints as binaries. */
const ANSWER_BYTES = 100_000;

describe("memory of a VM", () => {
  const shim = mkdtempSync(join(tmpdir(), "extrospect-ssh-"));
  /** @type {(() => unknown)[]} */
  const undo = [() => rmSync(shim, { recursive: true })];
  /** @type {import("../vms/vm.mjs").RunningVm} */
  let vm;
  before(async () => {
    const sshd = await Sshd.start({ after: (one) => undo.push(one) }, { asRoot: true });
    symlinkSync(sshd.ssh, join(shim, "ssh"));
    vm = await runErl({ otp: await prepareOtp("27"), module: "gt_memory", args: [QUIET_MS, 1, GROWS] });
    undo.push(() => vm.kill());
  });
  const here = scene({ machineSettings: { "extrospect.remote.sshProgram": join(shim, "ssh") } });
  after(() => {
    for (const one of undo.reverse()) one();
  });
  const { step } = here;
  const panel = () => webview(here.editor.page);
  const tab = (/** @type {string} */ name) => panel().getByRole("tab", { name }).click();
  const press = (/** @type {string} */ name) => panel().locator("vscode-button", { hasText: name }).click();
  const clipboard = () => here.editor.page.evaluate(() => navigator.clipboard.readText());
  /** A look that is taken from now on, as it is copied. */
  async function copiedAnew() {
    await here.editor.page.evaluate(() => navigator.clipboard.writeText(""));
    const pace = panel().getByText(/a snapshot takes|last snapshot/);
    const before = await pace.innerText();
    await until("another look", async () => {
      await press("Read Now");
      return (await pace.innerText()) !== before;
    });
    await press("Copy as JSON");
    return JSON.parse(await until("it is copied", async () => (await clipboard()).startsWith("{") && clipboard()));
  }

  step("is shown from the menu of its row, with the advice for its numbers", async () => {
    const { editor } = here;
    await editor.showViews();
    const row = editor.row(`pid ${vm.pid}`);
    await row.waitFor();
    await chooseFromMenu(editor, row, "Memory", { leadsTo: panel().locator(".picture-row").first() });
    await panel()
      .getByText(/^binary_alloc is fragmented/)
      .waitFor();
    await panel().locator("code, p", { hasText: "+MBlmbcs 512" }).first().waitFor();
    await panel()
      .getByText(/a snapshot takes [\d.]+ ms of CPU time/)
      .waitFor();
    await editor.screenshot("memory-overview");
  });

  step("the view in sight becomes a file for browsers", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Export as HTML…");
    const file = join(here.folder, "memory.html");
    await saveAs(editor, file);
    await editor.message(/The page is in .*memory\.html/).waitFor();
    assert.match(readFileSync(file, "utf8"), /default-src[^]*picture-row[^]*binary_alloc is fragmented/);
    await editor.clearNotifications();
  });

  step("allocators, tables and code agree with the VM's own figures", async () => {
    const { editor } = here;
    await editor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    // Something may run in it at any time, so that not every look has to be right.
    await until("a look while the VM does nothing", async () => {
      const said = await vm.report();
      const shown = await copiedAnew();
      const [table, truth] = [shown.ets, said.tables].map((tables) =>
        tables.find((/** @type {any} */ row) => row.name === "gt_memory_growing"),
      );
      assert.deepEqual(
        [table.items, table.bytes - (table.bytes % 8), table.owner],
        [truth.items, truth.bytes, truth.owner],
      );
      assert.deepEqual(
        Object.fromEntries(shown.code.map((/** @type {any} */ row) => [row.module, row.bytes + row.literal_bytes])),
        said.code,
      );
      const binaries = shown.allocators.find((/** @type {any} */ row) => row.name === "binary_alloc");
      assert.ok(binaries.fragmentation > 0.8);
      const [carriers, blocks] = said.after.binary_alloc;
      return binaries.carriers_bytes === carriers && Math.abs(binaries.blocks_bytes - blocks) <= ANSWER_BYTES;
    });
    await tab("Allocators");
    const grid = panel().getByRole("treegrid");
    const first = grid.locator("[aria-rowindex='2']");
    await until("binary_alloc is the largest", async () => /binary_alloc/.test(await first.innerText()));
    await grid.focus();
    await editor.page.keyboard.press("ArrowRight");
    await grid.locator("[aria-level='2']").first().waitFor();
    await editor.screenshot("memory-allocators");
  });

  step("keys move through the map, and the table below follows", async () => {
    const { editor } = here;
    await tab("Carriers");
    const map = panel().getByRole("listbox", { name: "Map of carriers" });
    await map.locator("canvas").first().waitFor();
    await map.focus();
    for (const key of ["ArrowRight", "ArrowDown", "ArrowRight"]) await editor.page.keyboard.press(key);
    const said = await map.getByRole("option").textContent();
    const address = await panel().getByRole("grid").locator("[aria-selected=true] [data-column=address]").innerText();
    assert.ok(said?.includes(address), `${said} ${address}`);
    await editor.screenshot("memory-carriers");
  });

  step("a growing table is named, with its growth since the panel opened; the trend follows", async () => {
    const { editor } = here;
    await tab("ETS Tables");
    const grid = panel().getByRole("grid");
    await panel().locator("vscode-textfield input").first().fill("gt_memory_grow");
    const cell = (/** @type {string} */ column) =>
      grid.locator(`[aria-rowindex='2'] [data-column=${column}]`).innerText();
    await until("the one table", async () => (await cell("name")).includes("gt_memory_growing"));
    const before = Number((await cell("grownItems")).replaceAll(/[+,]/g, ""));
    const { tables } = await vm.report();
    const truth = tables.find((/** @type {any} */ row) => row.name === "gt_memory_growing");
    await until(
      "it has grown by as much as in the VM",
      async () => (await cell("items")) === truth.items.toLocaleString("en"),
    );
    assert.equal(Number((await cell("grownItems")).replaceAll(/[+,]/g, "")) - before, GROWS);
    assert.match(await cell("grownBytes"), /^\+[\d.]+ MB$/);
    await editor.screenshot("memory-ets");
    await tab("Trend");
    const ets = panel().getByRole("row", { name: /^ETS / });
    await until("the line of ETS has risen", async () =>
      /^\+[\d.]+ MB$/.test(await ets.locator("td").nth(2).innerText()),
    );
    await editor.screenshot("memory-trend");
    await tab("Code");
    await panel()
      .getByRole("grid")
      .getByText("gt_memory", { exact: true })
      .or(panel().getByRole("grid").locator(".name").first())
      .first()
      .waitFor();
    await editor.screenshot("memory-code");
  });

  step("binaries: the holders of the remaining ones, and the functions that allocated them", async () => {
    const { editor } = here;
    await tab("Binaries");
    const cell = (/** @type {string} */ column) =>
      panel().locator(`.grid:visible [aria-rowindex='2'] [data-column=${column}]`).innerText();
    // One of ten binaries is kept, by a process that has made all of them.
    await until(
      "who holds most",
      async () => (await cell("references")) === "2,000" && (await cell("binaries")) === "2,000",
    );
    const holder = await cell("pid");
    assert.equal(await cell("own"), await cell("bytes"));
    await editor.screenshot("memory-binaries-held");
    await tab("Allocated by");
    await until(
      "who has allocated most",
      async () => (await cell("by")).startsWith(holder) && Number((await cell("blocks")).replaceAll(",", "")) >= 2_000,
    );
    await editor.screenshot("memory-binaries-allocated");
    await press("Copy as CSV");
    await until("it is copied", async () =>
      (await clipboard()).startsWith("by,pid,name,ended,library,allocator,blocks,bytes"),
    );
  });

  step("a row of them leads to the process, with its heap looked at", async () => {
    const { editor } = here;
    await tab("Held by");
    const grid = panel().locator(".grid:visible");
    const holder = await grid.locator("[aria-rowindex='2'] [data-column=pid]").innerText();
    await grid.focus();
    await editor.page.keyboard.press("Home");
    await editor.page.keyboard.press("Enter");
    await editor.tab("Processes: gt_memory").waitFor();
    const selected = panel().locator(".grid-row[aria-selected=true] [data-column=pid]");
    await until("the process", async () => (await selected.count()) === 1 && (await selected.innerText()) === holder);
    await panel().locator(".details table").first().waitFor();
    await editor.screenshot("memory-binaries-process");
    await editor.tab("Memory: gt_memory").click();
    await panel().getByRole("tab", { name: "Binaries" }).waitFor();
  });

  step(
    "the window is reloaded: the panel names its VM and the shown part, reads on request, and lists as before",
    async () => {
      const { editor } = here;
      await tab("ETS Tables");
      const [grid, filter] = [panel().getByRole("grid"), panel().locator("vscode-textfield input").first()];
      const sorted = grid.locator('[aria-sort="descending"]');
      await filter.fill("gt_memory_grow");
      await grid.getByRole("button", { name: "Objects", exact: true }).click();
      await until(
        "it is sorted so",
        async () => (await sorted.count()) === 1 && (await sorted.innerText()).startsWith("Objects"),
      );
      await grid.locator("[aria-rowindex='2']").waitFor();
      const before = new Set(helpersBelow(editor.server.pid));
      const started = () => helpersBelow(editor.server.pid).filter((pid) => !before.has(pid));
      await reloadWindow(editor);
      await editor.tab("Memory: gt_memory").waitFor();
      const look = panel().getByRole("button", { name: "Read Again" });
      await look.waitFor();
      const title = await panel().locator(".node-title").innerText();
      assert.match(title, new RegExp(`gt_memory[^]*process ${vm.pid}[^]*OTP 27`));
      assert.equal(await panel().getByRole("tab", { name: "ETS Tables" }).getAttribute("aria-selected"), "true");
      await editor.screenshot("memory-restored");
      assert.deepEqual(started(), []);
      await look.click();
      await grid.locator("[aria-rowindex='2']").getByText("gt_memory_growing").waitFor();
      assert.deepEqual(
        [await filter.inputValue(), await grid.locator("[aria-rowindex='3']").count()],
        ["gt_memory_grow", 0],
      );
      assert.match(await sorted.innerText(), /^Objects\n▾/);
      await editor.screenshot("memory-restored-listed");
      assert.equal(await editor.message(/not the same VM/).count(), 0);
    },
  );

  step("in high contrast", async () => {
    const { editor } = here;
    await chooseTheme(editor, "Dark High Contrast", "hc-black");
    await tab("Carriers");
    await panel().locator("canvas").first().waitFor();
    await editor.screenshot("memory-carriers-contrast");
    await chooseTheme(editor, "Dark Modern", "vs-dark");
  });

  step("of a host by ssh it is the same, by its view", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Start Capture on Another Host");
    await pickerRow(editor, "Enter a host").click();
    await typeIntoInput(editor, "far", "Host as ssh accepts it");
    await pickerRow(editor, String(vm.pid)).waitFor();
    await closePicker(editor);
    await editor.showViews();
    await editor.row(/^\s*far\s*connected/).waitFor();
    const rows = editor.row(`pid ${vm.pid}`);
    await until("its VM in both views", async () => (await rows.count()) === 2);
    await chooseFromMenu(editor, rows.last(), "Memory", { leadsTo: panel().getByText("· far") });
    await tab("Overview");
    await panel()
      .getByText(/^binary_alloc is fragmented/)
      .waitFor();
    await editor.screenshot("memory-far");
  });

  step("the VM ends: a message reports it, and the last look stays", async () => {
    const { editor } = here;
    vm.kill();
    await panel()
      .getByText(/The VM has ended · this is the last snapshot/)
      .waitFor();
    assert.equal(await panel().locator(".picture-row").count(), 3);
    await editor.screenshot("memory-ended");
  });
});
