// A workspace that is not trusted: captures open, and no program is started.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/project.mjs";
import { until } from "../../until.mjs";
import { flameCanvas } from "../flame-page.mjs";
import { helpersBelow } from "../helper-processes.mjs";
import { lensesShown, openCapture, openFile, webview } from "../workbench.mjs";

/** @param {import("../shared-editor.mjs").SharedEditor} shared */
export function untrusted(shared) {
  shared.scene("a workspace that is not trusted", () => ({
    trust: false,
    allowed: /Captures can be started in a trusted workspace only/,
    prepare: (folder) => {
      mkdirSync(join(folder, "captures"));
      copyFileSync(join(ROOT, "test/unit/capture/fixtures/demo.pb.gz"), join(folder, "captures/shop.pb.gz"));
    },
    steps: (here) => {
      here.step("lists no VM, shows the reason, captures none, and still opens a capture", async () => {
        const { editor } = here;
        await editor.showViews();
        await until("the reason", async () =>
          /requires a trusted workspace/.test(await editor.page.locator(".sidebar").innerText()),
        );
        await editor.command("Extrospect: Start Capture (Record");
        const message = await editor.notification(/trust/i);
        await message.getByRole("button", { name: "Manage Trust" }).waitFor();
        await editor.command("Notifications: Clear All Notifications");
        await openCapture(editor, "shop");
        await flameCanvas(webview(editor.page)).waitFor();
        await openFile(editor, "demo/src/demo_pricing.erl");
        await lensesShown(editor);
        assert.deepEqual(helpersBelow(editor.server.pid), []);
      });
    },
  }));
}
