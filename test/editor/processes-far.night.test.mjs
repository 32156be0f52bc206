// The panel of processes of a VM on another host, by a real sshd: the helper there is queried like the one here, and
// only the user connects to it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { Sshd } from "../hosts/sshd.mjs";
import { until } from "../until.mjs";
import { scene } from "./scene.mjs";
import { chooseFromMenu, chooseRow, closeTab, pickerRow, webview } from "./workbench.mjs";

describe("processes of a VM on another host", () => {
  const shim = mkdtempSync(join(tmpdir(), "extrospect-ssh-"));
  /** @type {(() => unknown)[]} */
  const undo = [() => rmSync(shim, { recursive: true })];
  before(async () => {
    const sshd = await Sshd.start({ after: (one) => undo.push(one) }, { asRoot: true });
    symlinkSync(sshd.ssh, join(shim, "ssh"));
  });
  const here = scene({
    demo: true,
    machineSettings: { "extrospect.remote.sshProgram": join(shim, "ssh") },
    keybindings: [{ key: "ctrl+alt+i", command: "extrospect.showProcesses", args: { host: "far" } }],
  });
  after(() => {
    for (const one of undo.reverse()) one();
  });
  const { step } = here;
  const page = () => webview(here.editor.page);
  const rows = () => page().locator(".grid-body .grid-row");
  const facts = () => page().locator(".list-facts").innerText();

  step("the host is connected to, its VM chosen, and its processes are there", async () => {
    const { editor, demo } = here;
    await editor.showViews();
    await editor.page.keyboard.press("Control+Alt+i");
    await chooseRow(pickerRow(editor, String(demo.pid)));
    await rows().first().waitFor();
    await until("which VM, and where", async () => {
      const header = await page().locator(".node-title").innerText();
      return header.toLowerCase().includes(`process ${demo.pid}`) && header.includes("far");
    });
    const before = await facts();
    await until("looks go on", async () => (await facts()) !== before);
    await editor.screenshot("processes-far");
  });

  step("after a disconnection the last look stays, and nothing connects by itself; Look Again connects", async () => {
    const { editor } = here;
    const problem = page().locator(".problem");
    await editor.rowAction(editor.row(/^\s*far\s*(not )?connect/), "Disconnect", () => problem.isVisible());
    await until("it is shown", async () => /This is its state at/.test(await problem.innerText()));
    assert.ok((await rows().count()) > 5);
    await editor.screenshot("processes-far-disconnected");
    const last = await facts();
    assert.ok(!/every/.test(last), last);
    await problem.getByRole("button", { name: "Read Again" }).click();
    await until("it goes on", async () => (await problem.isHidden()) && /every/.test(await facts()));
  });

  step("from the row of the VM there", async () => {
    const { editor, demo } = here;
    const row = editor.page
      .locator(".pane", { has: editor.page.locator(".pane-header", { hasText: "Other Hosts" }) })
      .locator(".monaco-list-row", { hasText: String(demo.pid) })
      .first();
    await closeTab(editor, "Processes");
    await chooseFromMenu(editor, row, "Processes", { leadsTo: editor.tab("Processes") });
    await rows().first().waitFor();
  });
});
