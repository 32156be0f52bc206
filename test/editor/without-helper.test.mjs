// The package for machines that the helper does not run on: captures open and colour the code, and what cannot be done says so.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { ROOT, VSIX_WITHOUT_HELPER } from "../../scripts/project.mjs";
import { until } from "../until.mjs";
import { flameCanvas, shownSamples } from "./flame-page.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { scene } from "./scene.mjs";
import { lensOf, openCapture, openFile, webview } from "./workbench.mjs";

describe("the package without helper", () => {
  const here = scene({
    vsix: VSIX_WITHOUT_HELPER,
    prepare: (folder) => {
      mkdirSync(join(folder, "captures"));
      copyFileSync(join(ROOT, "test/unit/capture/fixtures/demo.pb.gz"), join(folder, "captures/shop.pb.gz"));
    },
  });
  const { step } = here;

  step("the view of VMs says where they can be attached to, and that is no error", async () => {
    const { editor } = here;
    await editor.showViews();
    await until("the text", async () => /attaches to VMs on x86-64 Linux only/.test(await editor.page.locator(".sidebar").innerText()));
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

  for (const command of ["Attach to a VM", "Check What Sampling Needs", "Show the Stacks of All Schedulers"]) {
    step(`“${command}” says which package can do that`, async () => {
      const { editor } = here;
      await editor.command(`Extrospect: ${command}`);
      await editor.message(/has no helper and cannot attach.*linux-x64 or alpine-x64/s).waitFor();
      await editor.command("Notifications: Clear All Notifications");
      assert.deepEqual(helpersBelow(editor.server.pid), []);
    });
  }
});
