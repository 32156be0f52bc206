// Several VMs under one start and one stop, in the workbench: chosen from the list, shown as one, told apart by node, ended together.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { scene } from "./scene.mjs";
import { captureInView, captureRow, chooseFromMenu, clickUntil, pickerRow, samplesIn, webview } from "./workbench.mjs";

const NODES = ["gt_erlang", "gt_gc", "gt_queue"];

describe("several VMs", () => {
  /** @type {import("../vms/vm.mjs").RunningVm[]} */
  let vms = [];
  before(async () => {
    const otp = await prepareOtp("25");
    vms = await Promise.all(
      NODES.map((module) => runErl({ otp, module, args: module === "gt_queue" ? [20, "resting"] : ["resting"] })),
    );
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
    await attachToAll("cluster-pick");
    await editor.command("Extrospect: Show Hot Functions");
    const rows = webview(editor.page).locator(".nodes tbody tr");
    await until("three nodes with what they do", async () => {
      const texts = await rows.allInnerTexts();
      return (
        texts.length === 3 && NODES.every((node) => texts.some((text) => text.includes(node) && /\d+\.\d%/.test(text)))
      );
    });
    // Twenty that want to run at the same moments; the schedulers of this machine are fewer.
    await until("those who wait", async () => {
      const cells = await rows.filter({ hasText: "gt_queue" }).locator("td").allInnerTexts();
      return cells.some((cell) => Number(cell) >= 1 && Number(cell) <= 20);
    });
    await editor.screenshot("cluster-nodes");
  });

  step("a graph by node has a colour for each, and blame shows one of them", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Show Flame Graph");
    const graph = webview(editor.page);
    await graph.locator(".toolbar select").first().selectOption("node");
    const legend = graph.locator(".legend li");
    await until("three colours", async () => {
      const colours = await legend
        .locator(".swatch")
        .evaluateAll((swatches) => swatches.map((swatch) => getComputedStyle(swatch).backgroundColor));
      return colours.length === 3 && new Set(colours).size === 3;
    });
    await editor.screenshot("cluster-graph");
    await editor.command("Extrospect: Show Blame");
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
    await editor.command("Extrospect: Stop Capture");
    await until("three files that are marked as one session", () => files().length === 3);
    await editor.showViews();
    const one = `beam-${pids()[1] ?? ""}-`;
    await chooseFromMenu(editor, captureRow(editor, one), "Show Hot Functions");
    const inView = captureInView(editor);
    await until(
      "one of them alone",
      async () => /gt_gc/.test(await inView.innerText()) && !/gt_queue/.test(await inView.innerText()),
    );
    await until("open together", async () => {
      await chooseFromMenu(editor, captureRow(editor, one), "Open Captures Together");
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

  step(
    "the window is reloaded while they are captured: all files are kept, one message reports it, and they are captured again or shown together",
    async () => {
      const { editor } = here;
      await attachToAll("cluster-pick-again");
      const message = editor.message(/ended when its window was reloaded or closed/);
      const reload = async () => {
        await until("samples", async () => samplesIn(await groupStatus().innerText()) > 100);
        await editor.page.reload();
        await message.waitFor();
      };
      await reload();
      const before = files();
      // At once: the editor puts messages away after some seconds.
      await message.getByRole("button", { name: "Restart the Capture" }).click();
      await reload();
      const text = await message.innerText();
      const captured = files().filter((name) => !before.includes(name));
      assert.equal(captured.length, 3);
      const profiles = captured.map((name) => readProfile(join(folder, "captures", name)));
      const kept = profiles.flatMap(({ samples }) => samples).reduce((sum, { values: [count = 0] }) => sum + count, 0);
      const [, said = ""] = /The ([\d,]+) samples captured so far are kept/.exec(text) ?? [];
      assert.equal(Number(said.replaceAll(",", "")), kept, text);
      for (const node of NODES) assert.ok(text.includes(node), text);
      for (const { comments } of profiles)
        assert.ok(
          comments.some((comment) => /"together-\d{8}-\d{6}-\d+"/.test(comment)),
          comments.join("\n"),
        );
      await editor.screenshot("cluster-window-reloaded");
      await message.getByRole("button", { name: "Show the Captures" }).click();
      await captureInView(editor).waitFor();
      await until("all three in view", async () => {
        const inView = await captureInView(editor).innerText();
        return NODES.every((node) => inView.includes(node));
      });
    },
  );

  /** @param {string} shot the name of a picture of the choice */
  async function attachToAll(shot) {
    const { editor } = here;
    await editor.command("Extrospect: Start Capture of Several VMs");
    for (const [at, pid] of pids().entries()) {
      const count = editor.page.locator(".quick-input-count").filter({ hasText: `${String(at + 1)} Selected` });
      await clickUntil(pickerRow(editor, pid), () => count.isVisible());
    }
    await editor.screenshot(shot);
    await editor.page.getByRole("button", { name: "OK" }).click();
    await until(
      "three nodes",
      async () =>
        /3 nodes/.test(await groupStatus().innerText()) && groupStatus().locator(".codicon-record").isVisible(),
    );
  }

  /** The status bar's item of captures of several VMs. */
  function groupStatus() {
    return here.editor.page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.recordingGroup']");
  }
});
