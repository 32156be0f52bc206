// Several VMs under one start and one stop, in the workbench: chosen from the list, shown as one, told apart by node, ended together.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { scene } from "./scene.mjs";
import { captureInView, captureRow, chooseFromMenu, pickerRow, webview } from "./workbench.mjs";

const NODES = ["gt_erlang", "gt_gc", "gt_queue"];

describe("several VMs", () => {
  /** @type {import("../vms/vm.mjs").RunningVm[]} */
  let vms = [];
  before(async () => {
    const otp = await prepareOtp("25");
    vms = await Promise.all(NODES.map((module) => runErl({ otp, module, args: module === "gt_queue" ? [20] : [] })));
  });
  after(() => {
    for (const vm of vms) vm.kill();
  });
  const here = scene();
  const { step, folder } = here;
  const pids = () => vms.map(({ pid }) => String(pid));
  const files = () => readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz"));

  step("those that are chosen are attached to, and the table of nodes has each", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Attach to Several VMs");
    for (const pid of pids()) {
      await pickerRow(editor, pid).waitFor();
      await pickerRow(editor, pid).click();
    }
    await editor.screenshot("cluster-pick");
    await editor.page.getByRole("button", { name: "OK" }).click();
    await editor.page.locator(".statusbar", { hasText: "3 nodes" }).waitFor();
    await editor.command("Extrospect: Show the Hot Functions");
    const rows = webview(editor.page).locator(".nodes tbody tr");
    await until("three nodes with what they do", async () => {
      const texts = await rows.allInnerTexts();
      return texts.length === 3 && NODES.every((node) => texts.some((text) => text.includes(node) && /\d+\.\d%/.test(text)));
    });
    // Twenty that always want to run; the schedulers of this machine are fewer.
    await until("those who wait", async () => {
      const cells = await rows.filter({ hasText: "gt_queue" }).locator("td").allInnerTexts();
      return cells.some((cell) => Number(cell) >= 1 && Number(cell) <= 20);
    });
    await editor.screenshot("cluster-nodes");
  });

  step("a graph by node has a colour for each, and blame is asked of one", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Show the Flame Graph");
    const graph = webview(editor.page);
    await graph.locator(".toolbar select").first().selectOption("node");
    const legend = graph.locator(".legend li");
    await until("three colours", async () => {
      const colours = await legend.locator(".swatch").evaluateAll((swatches) => swatches.map((swatch) => getComputedStyle(swatch).backgroundColor));
      return colours.length === 3 && new Set(colours).size === 3;
    });
    await editor.screenshot("cluster-graph");
    await editor.command("Extrospect: Show Who Causes Native Work");
    const blame = webview(editor.page);
    const choice = blame.locator(".question vscode-single-select");
    await choice.waitFor();
    await until("one node is chosen", async () => {
      const all = await blame.locator("header .quiet").innerText();
      await choice.evaluate((select) => {
        /** @type {any} */ (select).value = "gt_gc";
        select.dispatchEvent(new Event("change"));
      });
      return until("its own figures", async () => (await blame.locator("header .quiet").innerText()) !== all, 5_000);
    });
    await editor.screenshot("cluster-blame");
  });

  step("one stop ends all; each has its file, and together they are opened again", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Stop the Capture");
    await until("three files that say they belong together", () => files().length === 3);
    await editor.showViews();
    const one = `beam-${pids()[1] ?? ""}-`;
    await chooseFromMenu(editor, captureRow(editor, one), "Show the Hot Functions");
    const inView = captureInView(editor);
    await until("one of them alone", async () => /gt_gc/.test(await inView.innerText()) && !/gt_queue/.test(await inView.innerText()));
    await until("open together", async () => {
      await chooseFromMenu(editor, captureRow(editor, one), "Open Together");
      return until(
        "all three in view",
        async () => {
          const text = await inView.innerText();
          return NODES.every((node) => text.includes(node));
        },
        20_000,
      );
    });
    await editor.screenshot("cluster-together");
  });
});
