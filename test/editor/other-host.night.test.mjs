// A VM on another host, in the workbench: a real sshd that the editor knows nothing of but its name.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, describe } from "node:test";
import { measuredLine } from "../measured.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { farHost } from "./far-host.mjs";
import { scene } from "./scene.mjs";
import { tried } from "./tries.mjs";
import {
  answerFromMenu,
  chooseFromMenu,
  chooseRow,
  clickUntil,
  closePicker,
  lensesShown,
  openFile,
  pickerRow,
  recordedSamples,
  rowOnHost,
  typeHost,
  typeIntoInput,
} from "./workbench.mjs";

describe("a VM on another host", () => {
  const far = farHost();
  const here = scene({ demo: true, machineSettings: far.machineSettings });
  after(far.leave);
  const { step, folder } = here;
  const captureFiles = () => readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz"));

  /** From the host to the first lens. @param {() => Promise<void>} choose the host */
  async function attachOnHost(choose) {
    const { editor, demo } = here;
    await editor.command("Extrospect: Start Capture on Another Host");
    await choose();
    const begun = performance.now();
    await pickerRow(editor, String(demo.pid)).waitFor();
    await editor.screenshot("other-host-vms");
    await chooseRow(pickerRow(editor, String(demo.pid)));
    await lensesShown(editor);
    return performance.now() - begun;
  }

  step("a host is typed, the helper is sent, and the first lenses come", async () => {
    const { editor } = here;
    await openFile(editor, "demo/src/demo_pricing.erl");
    const tookMs = await attachOnHost(async () => {
      await pickerRow(editor, "Enter a host").waitFor();
      await editor.screenshot("other-host-pick");
      await typeHost(editor, "far");
    });
    console.log(measuredLine("editor, from choosing a host to the first lens, helper sent", tookMs));
    await until("samples", async () => (await recordedSamples(editor)) > 100);
    await editor.screenshot("other-host-lenses");
  });

  step("the connection is cut and resumed: the capture continues", async () => {
    const { editor } = here;
    far.sshd.cut();
    await until("the link came back", () => far.sshd.helpers("serve --stdio --resume").length > 0);
    const before = await recordedSamples(editor);
    await until("more samples", async () => (await recordedSamples(editor)) > before);
    assert.equal(await editor.message(/exited during the capture/).count(), 0);
    await editor.screenshot("other-host-back");
  });

  step(
    "the helper there is killed: a message reports it, the received samples are kept, and the capture can be restarted",
    async () => {
      const { editor } = here;
      const killed = far.sshd.helpers("serve --stdio --session");
      assert.equal(killed.length, 1);
      for (const pid of killed) process.kill(pid, "SIGKILL");
      const message = editor.message(/exited during the capture/);
      await message.waitFor();
      assert.match(await message.innerText(), /the connection to far ended/);
      const [, said = ""] = /The ([\d,]+) samples captured so far are kept/.exec(await message.innerText()) ?? [];
      await editor.screenshot("other-host-cut");
      const [file = ""] = captureFiles();
      const kept = readProfile(join(folder, "captures", file)).samples.reduce(
        (sum, { values: [count = 0] }) => sum + count,
        0,
      );
      assert.ok(kept > 0);
      assert.equal(Number(said.replaceAll(",", "")), kept);
      await message.getByRole("button", { name: "Restart the Capture" }).click();
      await until("a capture that runs", async () => (await recordedSamples(editor)) > 0);
      await editor.command("Extrospect: Stop Capture");
      await until("two files", () => captureFiles().length === 2);
    },
  );

  step("the host is in its view with its VMs, is disconnected and connected again there", async () => {
    const { editor, demo } = here;
    await editor.showViews();
    await editor.row(/^\s*far\s*connected/).waitFor();
    const vm = editor.row(`pid ${demo.pid}`);
    await until("its VM in both views", async () => (await vm.count()) === 2);
    await editor.screenshot("other-hosts-view");
    const apart = editor.row(/^\s*far\s*not connected/);
    await editor.rowAction(editor.row(/^\s*far\s*connected/), "Disconnect", () => apart.isVisible());
    await until("its VM in one view", async () => (await vm.count()) === 1);
    await clickUntil(apart, async () => (await vm.count()) === 2);
  });

  step("its row shows what can be sampled; it is put into a group, and the group is renamed", async () => {
    const { editor } = here;
    await editor.row(/^\s*far\s*connected · (full|not all stacks proven|no kernel frames)/).waitFor();
    const newGroup = pickerRow(editor, "New group");
    await chooseFromMenu(editor, editor.row(/^\s*far\s*connected/), "Move to Group", { leadsTo: newGroup });
    await newGroup.click();
    await typeIntoInput(editor, "prod", "Name of the group");
    await editor.row(/^\s*prod/).waitFor();
    await answerFromMenu(editor, editor.row(/^\s*prod/), "Rename Group", { prompt: "Name of the group", text: "live" });
    await editor.row(/^\s*live/).waitFor();
    assert.equal(await editor.row(/^\s*prod/).count(), 0);
    await editor.row(/^\s*far\s*connected/).waitFor();
    await editor.screenshot("other-hosts-groups");
  });

  step("a host of another group is connected by the button of its row, and groups move up and down", async () => {
    const { editor } = here;
    const { page } = editor;
    const row = (/** @type {string} */ host, /** @type {string} */ state) =>
      editor.row(new RegExp(`^\\s*${host}\\s*${state}`));
    // The same machine by another name.
    far.sshd.addHost("near", far.sshd.port);
    await rowOnHost(editor, "near", String(here.demo.pid));
    await closePicker(editor);
    // Without their VMs, all hosts are in sight.
    for (const host of ["near", "far"])
      await editor.rowAction(row(host, "connected"), "Disconnect", () => row(host, "not connected").isVisible());
    await editor.rowAction(row("near", "not connected"), "Connect", () => row("near", "connected").isVisible());
    await editor.rowAction(row("near", "connected"), "Disconnect", () => row("near", "not connected").isVisible());
    const newGroup = pickerRow(editor, "New group");
    await chooseFromMenu(editor, row("near", "not connected"), "Move to Group", { leadsTo: newGroup });
    await newGroup.click();
    await typeIntoInput(editor, "edge", "Name of the group");
    const edge = editor.row(/^\s*edge/);
    await edge.waitFor();
    const groups = async () => {
      const rows = await editor
        .row(/^\s*(live|edge)/)
        .evaluateAll((found) =>
          found.map((one) => ({ at: Number(one.getAttribute("data-index")), name: one.textContent?.trim() ?? "" })),
        );
      return rows
        .sort((one, other) => one.at - other.at)
        .map(({ name }) => name)
        .join(" ");
    };
    const [edgeFirst, edgeLast] = [
      async () => (await groups()) === "edge live",
      async () => (await groups()) === "live edge",
    ];
    await until("the new group is the last one", edgeLast);
    // A click opens or closes the group, and gives the keys their row.
    await tried("the group moved up by its key", async (timeout) => {
      if (await edgeFirst()) return true;
      await edge.click({ timeout });
      await page.keyboard.press("Alt+ArrowUp");
      return until("that", edgeFirst, timeout);
    });
    await editor.screenshot("other-hosts-moved");
    await tried("the group moved down by its menu", async (timeout) => {
      if (await edgeLast()) return true;
      await chooseFromMenu(editor, edge, "Move Down");
      return until("that", edgeLast, timeout);
    });
  });

  step("the host is remembered, and its helper is there", async () => {
    const { editor } = here;
    await openFile(editor, "demo/src/demo_pricing.erl");
    // Both captures: after the first the other colours the code.
    for (let open = captureFiles().length; open > 0; open -= 1) await editor.command("Extrospect: Close Capture");
    await lensesShown(editor, false);
    const tookMs = await attachOnHost(async () => {
      const row = pickerRow(editor, "far");
      await row.waitFor();
      await row.click();
    });
    console.log(measuredLine("editor, from choosing a host to the first lens, helper there", tookMs));
    await editor.command("Extrospect: Stop Capture");
  });

  step("a VM that ended there leaves the view when the hosts are read again", async () => {
    const { editor, demo } = here;
    await editor.showViews();
    const vm = editor.row(`pid ${demo.pid}`);
    await until("its VM in both views", async () => (await vm.count()) === 2);
    await demo.stop();
    await editor.row(/^\s*\d+ ended/).waitFor();
    await editor.command("Extrospect: Refresh Other Hosts");
    await until("its VM in no view", async () => (await vm.count()) === 0);
  });
});
