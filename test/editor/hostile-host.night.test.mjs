// A host where another program answers in the helper's place, by a real sshd: all of its output is text and bounded,
// and the editor goes on as before.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { FarMachine } from "../hosts/far-machine.mjs";
import { COMMAND, hostileHelper, SHOWN_TRICK } from "../hosts/hostile-helper.mjs";
import { Sshd } from "../hosts/sshd.mjs";
import { until } from "../until.mjs";
import { scene } from "./scene.mjs";
import { childrenOf } from "./helper-processes.mjs";
import { attach, closePicker, inputBox, pickerRow, recordedSamples, typeHost } from "./workbench.mjs";

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const PROTOCOL_VERSION = Number(
  /PROTOCOL_VERSION = (\d+)/.exec(readFileSync(join(ROOT, "contract/protocol.generated.ts"), "utf8"))?.[1],
);
/**
 * The most memory that the extension host may gain while a host sends without end: far less than the data of that time.
 */
const MOST_MORE_BYTES = 400 << 20;

describe("a hostile host", () => {
  const shim = mkdtempSync(join(tmpdir(), "extrospect-ssh-"));
  const lieFile = join(shim, "lie");
  /** @type {(() => unknown)[]} */
  const undo = [() => rmSync(shim, { recursive: true })];
  const afterwards = { after: (/** @type {() => unknown} */ one) => undo.push(one) };
  before(async () => {
    const machine = await FarMachine.start(afterwards, "hostile");
    machine.install(
      afterwards,
      hostileHelper({ version: `extrospect ${VERSION}`, protocolVersion: PROTOCOL_VERSION, lieFile }),
    );
    const sshd = await Sshd.start(afterwards, { asRoot: true, machine });
    symlinkSync(sshd.ssh, join(shim, "ssh"));
  });
  const here = scene({
    demo: true,
    settings: { "workbench.hover.delay": 0 },
    machineSettings: { "extrospect.remote.sshProgram": join(shim, "ssh") },
  });
  after(async () => {
    for (const one of undo.reverse()) await one();
  });
  const { step } = here;

  /** Connects to it, where the helper lies so. @param {import("../hosts/hostile-helper.mjs").Lie} lie */
  async function connect(lie) {
    const { editor } = here;
    writeFileSync(lieFile, lie);
    await editor.clearNotifications();
    await editor.command("Extrospect: Start Capture on Another Host");
    await pickerRow(editor, "Enter a host").waitFor();
    await typeHost(editor, "far");
  }

  /** The message is there, can be read, and nothing in it is a link or an icon. @param {RegExp} text */
  async function shownPlainly(text) {
    const message = here.editor.message(text).first();
    await message.waitFor();
    const words = message.locator(".notification-list-item-message");
    const said = await words.innerText();
    assert.equal(await words.locator("a").count(), 0, `a link in “${said}”`);
    assert.equal(await words.locator(".codicon").count(), 0, `an icon in “${said}”`);
    assert.doesNotMatch(said, /[\n\u001b\u202a-\u202e]/);
    return { message, said };
  }

  step("it uses an older protocol: the message has the reason and the remedy", async () => {
    await connect("older");
    const { said } = await shownPlainly(/incompatible with this extension/);
    assert.match(said, /far/);
    assert.match(said, new RegExp(`it speaks version ${PROTOCOL_VERSION - 1}`));
    assert.match(said, /install/i);
    await here.editor.screenshot("hostile-host-older");
  });

  for (const [lie, what] of /** @type {const} */ ([
    ["frame", "a frame of 4 GiB"],
    ["noise", "an endless stream"],
  ]))
    step(`it sends ${what}: it is disconnected, and the message has the reason`, async () => {
      await connect(lie);
      const { said } = await shownPlainly(/does not answer like a helper/);
      assert.match(said, /The helper on far did not start: .*Have root install the helper/);
      await here.editor.screenshot(`hostile-host-${lie}`);
    });

  step("it sends notices without an end: memory stays within bounds, and a VM here can be captured", async () => {
    const { editor, demo } = here;
    const before = hostMemory();
    await connect("notices");
    await pickerRow(editor, "4242").waitFor();
    await closePicker(editor);
    await attach(editor, demo.pid);
    await until("samples of a VM here", async () => (await recordedSamples(editor)) > 300);
    const more = hostMemory() - before;
    assert.ok(more < MOST_MORE_BYTES, `${Math.round(more / 1e6)} MB more`);
    await editor.screenshot("hostile-host-notices");
    await editor.command("Extrospect: Stop Capture");
    await disconnect();
  });

  step("it lists 60,000 VMs: the first are shown, and the list can be searched", async () => {
    const { editor } = here;
    await connect("rows");
    await pickerRow(editor, "shop0@far").waitFor();
    await inputBox(editor).fill("shop999@");
    await pickerRow(editor, "shop999@far").waitFor();
    await closePicker(editor);
    await disconnect();
  });

  step("it lists entries that are no VMs: the valid one among them is there", async () => {
    const { editor } = here;
    await connect("kinds");
    await pickerRow(editor, "honest@far").waitFor();
    await closePicker(editor);
    await disconnect();
  });

  step("names with links, icons, escapes and letters that turn the direction: rows are text", async () => {
    const { editor } = here;
    await connect("names");
    const row = pickerRow(editor, "4242");
    await row.waitFor();
    const text = await row.innerText();
    assert.ok(text.includes("[click]"), text);
    assert.doesNotMatch(text, /[\u001b\u202a-\u202e]/);
    assert.equal(await row.locator("a[href], img, .codicon-error").count(), 0);
    await editor.screenshot("hostile-host-names");
    await row.click();
    const { message, said } = await shownPlainly(/(?<!Starting the capture of )process 4242/i);
    assert.ok(said.includes(SHOWN_TRICK), said);
    await editor.screenshot("hostile-host-refused");
    await editor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    // Text that is pasted into a terminal must not run before the user has read it.
    await message.getByRole("button", { name: "Copy Command" }).click();
    const copied = await until(
      "it is copied",
      async () => (await editor.page.evaluate(() => navigator.clipboard.readText())) || false,
    );
    assert.ok(copied.startsWith("true touch"), copied);
    assert.doesNotMatch(copied, /[\n\r\u001b]/);
    assert.ok(COMMAND.includes("\n"));
  });

  step("its rows in the views are text, with their tooltips; its list of captures leads out of no folder", async () => {
    const { editor } = here;
    await editor.showViews();
    const row = editor.row("pid 4242");
    await row.waitFor();
    assert.equal(await row.locator("a[href], img").count(), 0);
    await editor.row("night").waitFor();
    assert.equal(await editor.row("escape").count(), 0);
    await row.hover();
    const tooltip = editor.page.locator(".monaco-hover:not(.hidden)", { hasText: "4242" }).first();
    await tooltip.waitFor();
    assert.equal(await tooltip.locator("a[data-href^='command:'], a[href^='command:'], img").count(), 0);
    await editor.screenshot("hostile-host-views");
    await editor.page.mouse.move(0, 0);
    const page = editor.tab("Requirements of Sampling on far");
    await editor.rowAction(editor.row(/^\s*far\s*(not )?connect/), "Check Permissions and Setup", () =>
      page.isVisible(),
    );
    await editor.screenshot("hostile-host-doctor");
  });

  step("nothing of it was run or obeyed, and the log has no escapes", async () => {
    const { editor } = here;
    assert.equal(await editor.page.locator(".terminal-wrapper").count(), 0);
    assert.equal(existsSync("/tmp/extrospect-hostile"), false);
    assert.doesNotMatch(editor.log(), /[\u001b\u202a-\u202e\u0007]/);
    assert.deepEqual(editor.outside, []);
    await attach(editor, here.demo.pid);
    await until("samples", async () => (await recordedSamples(editor)) > 0);
    await editor.command("Extrospect: Stop Capture");
  });

  async function disconnect() {
    const { editor } = here;
    await editor.showViews();
    const apart = editor.row(/^\s*far\s*not connected/);
    await editor.rowAction(editor.row(/^\s*far\s*(not )?connect/), "Disconnect", () => apart.isVisible());
  }

  /** Of the process that runs extensions, bytes. */
  function hostMemory() {
    const found = descendants(here.editor.server.pid).filter((pid) =>
      commandLine(pid).includes("--type=extensionHost"),
    );
    assert.ok(found.length > 0, "no process runs extensions");
    return Math.max(
      ...found.map(
        (pid) => 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0),
      ),
    );
  }
});

/** @param {number} pid @returns {number[]} */
function descendants(pid) {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);
}

/** @param {number} pid */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
