// The package for machines that the helper does not run on: captures open and colour the code, unavailable commands
// report that, and VMs of other hosts are attached to by the helper that it brings for them: a real sshd.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe } from "node:test";
import { ROOT, VSIX_WITHOUT_HELPER } from "../../scripts/project.mjs";
import { until } from "../until.mjs";
import { flameCanvas, shownSamples } from "./flame-page.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { farHost } from "./far-host.mjs";
import { scene } from "./scene.mjs";
import {
  captureInView,
  chooseFromMenu,
  chooseRow,
  lensesShown,
  lensOf,
  openCapture,
  openFile,
  recordedSamples,
  rowOnHost,
  webview,
} from "./workbench.mjs";

describe("the package without helper", () => {
  const far = farHost();
  const here = scene({
    demo: true,
    machineSettings: far.machineSettings,
    vsix: VSIX_WITHOUT_HELPER,
    prepare: (folder) => {
      mkdirSync(join(folder, "captures"));
      copyFileSync(join(ROOT, "test/unit/capture/fixtures/demo.pb.gz"), join(folder, "captures/shop.pb.gz"));
    },
  });
  after(far.leave);
  const { step } = here;

  step("the view of VMs names where they can be attached to, without an error", async () => {
    const { editor } = here;
    await editor.showViews();
    await until("the text", async () =>
      /VMs on this machine cannot be profiled/.test(await editor.page.locator(".sidebar").innerText()),
    );
    await editor.screenshot("without-helper");
    assert.doesNotMatch(editor.log(), /\[error\]/);
  });

  step("a capture opens, with its graph and on the sources", async () => {
    const { editor } = here;
    await openCapture(editor, "shop");
    await until("samples", async () => (await shownSamples(webview(editor.page))) > 100);
    await flameCanvas(webview(editor.page)).waitFor();
    await openFile(editor, "demo/src/demo_pricing.erl");
    await lensOf(editor, "demo_pricing:best_price/2");
    assert.doesNotMatch(editor.log(), /\[error\]/);
  });

  for (const command of ["Start Capture (Record", "Check Permissions and Setup", "Show Stacks of All Schedulers"]) {
    step(`“${command}” names the package that can do it`, async () => {
      const { editor } = here;
      await editor.command(`Extrospect: ${command}`);
      await editor.message(/has no helper for this machine.*linux-x64 or alpine-x64/s).waitFor();
      await editor.clearNotifications();
      assert.deepEqual(helpersBelow(editor.server.pid), []);
    });
  }

  step(
    "a VM of another host is captured by the helper that is sent there, and none runs for this machine",
    async () => {
      const { editor, demo, folder } = here;
      await openFile(editor, "demo/src/demo_pricing.erl");
      await editor.command("Extrospect: Close Capture");
      await captureInView(editor).waitFor({ state: "detached" });
      await lensesShown(editor, false);
      await chooseRow(await rowOnHost(editor, "far", String(demo.pid)));
      await lensesShown(editor);
      await until("samples", async () => (await recordedSamples(editor)) > 100);
      await editor.screenshot("without-helper-other-host");
      assert.equal(
        readdirSync(join(far.sshd.home, ".cache/extrospect")).filter((name) => /^helper-[0-9a-f]{64}$/.test(name))
          .length,
        1,
      );
      await editor.command("Extrospect: Stop Capture");
      await until(
        "its file",
        () => readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz")).length === 2,
      );
    },
  );

  step("the stacks of its schedulers are taken there", async () => {
    const { editor, demo } = here;
    await editor.showViews();
    const vm = editor.row(`pid ${demo.pid}`);
    const heading = webview(editor.page).locator("h1", { hasText: new RegExp(`\\b${demo.pid}\\)? · far`) });
    await chooseFromMenu(editor, vm, "Stacks of All Schedulers", { leadsTo: heading });
    // Of those with work there is a card: at this moment all may be idle.
    await webview(editor.page)
      .getByText(/\d+ threads/)
      .waitFor();
    await editor.screenshot("without-helper-far-stacks");
    assert.deepEqual(helpersBelow(editor.server.pid), []);
    assert.doesNotMatch(editor.log(), /\[error\](?!.*has no helper for this machine)/);
  });
});
