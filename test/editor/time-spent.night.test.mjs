// "Start CPU and Wait Capture" in the workbench, on a VM whose processes are known.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { namedAlone, runErl } from "../vms/vm.mjs";
import { scene } from "./scene.mjs";
import { answerFromMenu, chooseFromMenu, chooseTheme, closeTab, reloadWindow, webview } from "./workbench.mjs";
import { hold } from "../vms/held.mjs";

const QUESTION = "Seconds to watch";

describe("CPU and waits of the processes of a VM", () => {
  /** @type {import("../vms/vm.mjs").RunningVm} */
  let vm;
  before(async () => {
    vm = await runErl({
      otp: await prepareOtp("27"),
      module: "gt_spent",
      args: [40, 6],
      emulatorFlags: ["+S", "2:2", ...namedAlone("spending")],
    });
  });
  after(() => vm.kill());
  const here = scene({ viewport: { width: 1600, height: 950 } });
  const { step } = here;
  const page = () => webview(here.editor.page);
  const processes = () => page().getByRole("grid", { name: "Time by process name" });

  step("from the row of a VM, both are taken at once and shown in one table", async () => {
    const { editor } = here;
    await editor.showViews();
    const row = editor.row(String(vm.pid));
    await row.waitFor();
    await answerFromMenu(editor, row, "Where Processes Spend Time", { prompt: QUESTION, text: "6" });
    await editor.tab("CPU and Waits: spending@").waitFor();
    await processes().waitFor();
    const cells = async (/** @type {string} */ name) =>
      processes().locator(".grid-body .grid-row", { hasText: name }).locator(".cell").allInnerTexts();
    const [spinner, waiter] = [await cells("gt_spent:spinner/0"), await cells("spent_waiter")];
    assert.equal(spinner[1], "6.0", "as many as there are");
    assert.equal(waiter[1], "40.0");
    assert.ok(Number(spinner[2]) > 0 && Number(spinner[3]) > 0, `on CPU and ready: ${spinner.join(" | ")}`);
    assert.equal(spinner[4], "0.00", "they never wait");
    assert.deepEqual([waiter[2], waiter[3], waiter[5]], ["0.00", "0.00", "0.00"], "they do nothing else");
    await editor.screenshot("time-spent");
    // The later steps need its captures, and the machine.
    hold(vm.pid);
  });

  step("a process leads to its functions, and those to where they wait", async () => {
    const { editor } = here;
    await processes().locator(".grid-row", { hasText: "spent_both" }).first().click();
    await editor.page.keyboard.press("Enter");
    const functions = page().getByRole("grid", { name: "Time by function" });
    await functions.waitFor();
    await functions.locator(".grid-row", { hasText: "gt_spent:both/0" }).first().click();
    await page().locator(".detail", { hasText: "gt_spent:pause/0" }).waitFor();
    await page().locator(".detail", { hasText: "gt_spent:work/1" }).waitFor();
    await editor.screenshot("time-spent-functions");
    await chooseTheme(editor, "Light Modern", "vs");
    await editor.screenshot("time-spent-functions-light");
  });

  step("and to a flame graph with the samples of these processes alone", async () => {
    const { editor } = here;
    await page().getByRole("tab", { name: "Processes" }).click();
    await processes().locator(".grid-row", { hasText: "gt_spent:spinner/0" }).first().click();
    await editor.page.keyboard.press("Shift+F10");
    await page().getByRole("menuitem", { name: "Flame Graph of CPU" }).press("Enter");
    const frame = page();
    await until("the flame graph", async () => (await frame.locator("canvas").count()) > 0);
    await until("its filter", async () => (await frame.locator("body").innerText()).includes("gt_spent:spinner/0"));
    await editor.screenshot("time-spent-flame-graph");
  });

  step("both stay among the captures, from where they are shown together again", async () => {
    const { editor } = here;
    await closeTab(editor, "CPU and Waits: spending@");
    const row = editor.row("spending-waits");
    await row.waitFor();
    await chooseFromMenu(editor, row, "Show CPU and Waits Together");
    await editor.tab("CPU and Waits: spending@").waitFor();
    await processes().locator(".grid-row", { hasText: "gt_spent:spinner/0" }).first().waitFor();
  });

  step("the window is reloaded: the table comes back with its captures", async () => {
    const { editor } = here;
    await reloadWindow(editor);
    await editor.tab("CPU and Waits: spending@").click();
    await processes().locator(".grid-row", { hasText: "gt_spent:spinner/0" }).first().waitFor();
    await editor.screenshot("time-spent-restored");
  });
});
