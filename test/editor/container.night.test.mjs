// A VM in a container that only a command leads into, in the workbench: namespaces of this machine, entered by the preset for nsenter.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { startNamespaces } from "../hosts/namespaces.mjs";
import { until } from "../until.mjs";
import { scene } from "./scene.mjs";
import { chooseRow, clickUntil, pickerRow, recordedSamples } from "./workbench.mjs";

describe("a VM in a container", () => {
  /** @type {(() => unknown)[]} */
  const undo = [];
  /** @type {Awaited<ReturnType<typeof startNamespaces>>} */
  let container;
  before(async () => {
    container = await startNamespaces({ after: (one) => undo.push(one) });
  });
  const here = scene({});
  after(async () => {
    for (const one of undo.reverse()) await one();
  });
  const { step } = here;

  step(
    "the command is chosen, then the process that it enters; the VM has the process id of the container",
    async () => {
      const { editor } = here;
      await editor.command("Extrospect: Start Capture in a Container");
      await pickerRow(editor, "kubectl debug").waitFor();
      await editor.screenshot("container-pick");
      await pickerRow(editor, "--target={pid} --mount").first().click();
      await pickerRow(editor, String(container.pid)).click();
      await pickerRow(editor, "pid 1").waitFor();
      await editor.screenshot("container-vms");
      assert.equal(await pickerRow(editor, "beam").count(), 1, "no VM of this machine is seen from there");
      await chooseRow(pickerRow(editor, "pid 1"));
      await until("samples", async () => (await recordedSamples(editor)) > 100);
      assert.ok(container.helpers() > 0);
    },
  );

  step("it is among the other hosts by a name to read, is disconnected and connected again there", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Stop Capture");
    await editor.showViews();
    const host = editor.row(`nsenter ${container.pid}`);
    const connected = editor.row(new RegExp(`nsenter ${container.pid}\\s*connected`));
    await connected.waitFor();
    await editor.screenshot("container-in-hosts");
    const apart = editor.row(new RegExp(`nsenter ${container.pid}\\s*not connected`));
    await editor.rowAction(host, "Disconnect", () => apart.isVisible());
    await until("no helper in the container", () => container.helpers() === 0);
    await clickUntil(apart, () => connected.isVisible());
  });
});
