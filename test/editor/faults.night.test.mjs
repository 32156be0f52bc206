// Faults of a working day, in the workbench: each time it must be reported, and work must go on.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { builtCapture } from "./built-captures.mjs";
import { flameCanvas, shownSamples } from "./flame-page.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { scene } from "./scene.mjs";
import { tried } from "./tries.mjs";
import { until } from "../until.mjs";
import {
  attach,
  captureInView,
  captureRow,
  chooseFromMenu,
  lensesShown,
  openCapture,
  openFile,
  recordedSamples,
  rowOfCommand,
  typeIntoInput,
  webview,
} from "./workbench.mjs";

/** Longer than a new window takes to find that no process writes to the file of a capture any longer. */
const SETTLED_MS = 6_000;

const NOBODY = 65534;
// Reads every file, for the editor may be installed in root's home, and can nothing else. Without the bit access(2) denies it that.
const AS_NOBODY = [
  "setpriv",
  "--securebits=+no_setuid_fixup",
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  "--clear-groups",
  "--inh-caps=-all,+dac_read_search",
  "--ambient-caps=-all,+dac_read_search",
  "--bounding-set=-all,+dac_read_search",
  "--",
];

describe("faults while capturing", () => {
  // A reloaded window starts the extension by this file at once. By those in folders below it would search, and not start it where that takes long.
  const here = scene({ demo: true, prepare: (workspace) => writeFileSync(join(workspace, "rebar.config"), "") });
  const { step, folder } = here;
  const captureFiles = () => readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz"));

  step("a hidden flame graph shows the samples of that time when it is back", async () => {
    const { editor } = here;
    await openFile(editor, "demo/src/demo_pricing.erl");
    await attach(editor, here.demo.pid);
    await until("samples", async () => (await recordedSamples(editor)) > 0);
    await editor.command("Extrospect: Show Flame Graph");
    await flameCanvas(webview(editor.page)).waitFor();
    const before = await shownSamples(webview(editor.page));
    await editor.tab("demo_pricing.erl").first().click();
    const running = await recordedSamples(editor);
    const later = await until("more samples while it is hidden", async () => {
      const now = await recordedSamples(editor);
      return now > running + 100 ? now : undefined;
    });
    await editor.tab("Flame Graph").first().click();
    const after = await until("the graph of now", async () => {
      const now = await shownSamples(webview(editor.page));
      return now >= later ? now : undefined;
    });
    assert.ok(after > before, `${before} samples before, ${after} after`);
  });

  step(
    "the helper is killed: a message reports it, the samples are kept, and the capture can be restarted",
    async () => {
      const { editor } = here;
      const [killed = 0] = helpersBelow(editor.server.pid);
      assert.ok(killed > 0, "the helper runs");
      process.kill(killed, "SIGKILL");
      const message = editor.message(/The helper exited during the capture/);
      await message.waitFor();
      assert.match(await message.innerText(), /The [\d,]+ samples captured so far are kept/);
      await editor.screenshot("helper-killed");
      const [file = ""] = captureFiles();
      assert.ok(readProfile(join(folder, "captures", file)).samples.length > 100, "the file can be read");
      // At once: the editor puts messages away after some seconds.
      await message.getByRole("button", { name: "Restart the Capture" }).click();
      await until("a capture that runs", async () => (await recordedSamples(editor)) > 0);
      const [fresh = 0] = helpersBelow(editor.server.pid);
      assert.notEqual(fresh, killed);
      await openFile(editor, "demo/src/demo_pricing.erl");
      await lensesShown(editor);
    },
  );

  step("the window is reloaded: the capture is completed, a message reports it, and it can be restarted", async () => {
    const { editor } = here;
    await until("samples", async () => (await recordedSamples(editor)) > 0);
    const before = helpersBelow(editor.server.pid);
    const [file = ""] = captureFiles().sort().reverse();
    await editor.page.reload();
    const message = editor.message(/ended when its window was reloaded or closed/);
    await message.waitFor();
    const text = await message.innerText();
    const [, said = ""] = /The ([\d,]+) samples captured so far are kept/.exec(text) ?? [];
    await editor.screenshot("window-reloaded");
    await until(
      "the helper of before to end",
      () => !helpersBelow(editor.server.pid).some((pid) => before.includes(pid)),
    );
    const { samples } = readProfile(join(folder, "captures", file));
    const kept = samples.reduce((sum, { values: [count = 0] }) => sum + count, 0);
    assert.ok(kept > 0, "the file can be read");
    assert.equal(Number(said.replaceAll(",", "")), kept, text);
    await message.getByRole("button", { name: "Restart the Capture" }).click();
    await until("a capture that runs", async () => (await recordedSamples(editor)) > 0);
  });

  step("the VM ends: a message reports it, and the samples are kept", async () => {
    const { editor } = here;
    const samples = await until("samples", async () => (await recordedSamples(editor)) || undefined);
    await here.demo.stop();
    const message = editor.message(/exited\. The [\d,]+ samples captured so far are kept/);
    await message.waitFor();
    assert.ok(samples > 0);
    await editor.screenshot("vm-ended");
    const files = captureFiles().sort();
    assert.equal(files.length, 3);
    for (const file of files) assert.ok(readProfile(join(folder, "captures", file)).samples.length > 0, file);
  });

  step(
    "the window is reloaded while that message is open: the capture had ended before, and no other message follows",
    async () => {
      const { editor } = here;
      await editor.message(/exited\./).waitFor();
      await editor.page.reload();
      await editor.showViews();
      await captureRow(editor, captureFiles()[0]?.replace(".pb.gz", "") ?? "").waitFor();
      // The message about a capture that ended with its window comes when its file has settled.
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      assert.equal(await editor.message(/ended when its window was reloaded/).count(), 0);
    },
  );

  step("a process that is no VM is refused with a reason", async () => {
    const { editor } = here;
    const row = await rowOfCommand(editor, "Extrospect: Start Capture (Record", "Enter a process id");
    await row.click();
    await typeIntoInput(editor, String(process.pid), "Process id of the Erlang VM");
    const message = editor.message(/not an Erlang VM|no Erlang VM/i);
    await message.waitFor();
  });
});

describe("a workspace that is not trusted", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "extrospect-elsewhere-"));
  after(() => rmSync(elsewhere, { recursive: true, force: true }));
  const here = scene({
    demo: true,
    trust: false,
    keybindings: [{ key: "ctrl+alt+1", command: "extrospect.openSource", args: { functionName: "elsewhere:run/0" } }],
    prepare: async (folder) => {
      mkdirSync(join(folder, "captures"));
      mkdirSync(join(elsewhere, "app/src"), { recursive: true });
      writeFileSync(join(elsewhere, "app/src/elsewhere.erl"), "-module(elsewhere).\nrun() -> ok.\n");
      const functions = [{ name: "elsewhere:run/0", file: "elsewhere.erl", line: 2 }];
      writeFileSync(
        join(folder, "captures/naming.pb.gz"),
        await builtCapture({ functions, target: { command: `beam.smp -pa ${elsewhere}/app/ebin` } }),
      );
      writeFileSync(
        join(folder, "captures/shop.pb.gz"),
        readFileSync(join(ROOT, "test/unit/capture/fixtures/demo.pb.gz")),
      );
    },
  });
  const { step } = here;

  step("lists no VM, and shows the reason", async () => {
    const { editor } = here;
    await editor.showViews();
    await until("the reason", async () =>
      /requires a trusted workspace/.test(await editor.page.locator(".sidebar").innerText()),
    );
    await editor.screenshot("untrusted");
    assert.deepEqual(helpersBelow(editor.server.pid), []);
  });

  step("starts nothing at a request to attach", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Start Capture (Record");
    const message = editor.message(/trust/i);
    await message.first().waitFor();
    assert.ok(await message.first().getByRole("button", { name: "Manage Trust" }).isVisible());
    assert.deepEqual(helpersBelow(editor.server.pid), []);
  });

  step("still opens a capture", async () => {
    const { editor } = here;
    await openCapture(editor, "shop");
    await flameCanvas(webview(editor.page)).waitFor();
    await openFile(editor, "demo/src/demo_pricing.erl");
    await lensesShown(editor);
    assert.deepEqual(helpersBelow(editor.server.pid), []);
  });

  step("looks at no folder that a capture file names", async () => {
    const { editor } = here;
    await openCapture(editor, "naming");
    // The key is for the capture in view, and a page passes keys on only while it has the focus.
    await until("its name", async () => (await captureInView(editor).innerText()).includes("naming"));
    await flameCanvas(webview(editor.page)).press("Control+Alt+1");
    await editor.message("The source of elsewhere is not in this workspace").waitFor();
    assert.equal(await editor.tab("elsewhere.erl").count(), 0);
  });
});

describe("a user who may not sample", () => {
  const here = scene({ demo: true, as: AS_NOBODY });
  const { step } = here;

  step("sees the reason and the remedy", async () => {
    const { editor } = here;
    assert.match(readFileSync(`/proc/${editor.server.pid}/status`, "utf8"), new RegExp(`^Uid:\\s${NOBODY}\\s`, "m"));
    await attach(editor, here.demo.pid);
    const message = editor.message(/cannot be attached|may not|not permitted|permission/i).first();
    await message.waitFor();
    // This editor was started where no program gets rights, as in a container: installing a copy would not help.
    assert.match(await message.innerText(), /To fix: docker run --cap-add=PERFMON/);
    assert.ok(await message.getByRole("button", { name: "Show All Checks" }).isVisible());
    await editor.screenshot("not-permitted");
  });

  step("sees all checks", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Check Permissions and Setup");
    await editor.tab("Requirements of Sampling").waitFor();
  });
});

describe("a user who may sample once a command is run", () => {
  // Unlike the one above, this editor was started where installing a copy would help.
  const here = scene({ demo: true, as: AS_NOBODY.filter((word) => !word.startsWith("--bounding-set=")) });
  const { step } = here;
  const refused = () => here.editor.row(`pid ${String(here.demo.pid)}`);
  const isCopied = async () => /\bsudo \S/.test(await here.editor.page.evaluate(() => navigator.clipboard.readText()));

  step("the menu of a VM that cannot be captured says why, and copies the command", async () => {
    const { editor } = here;
    await editor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await editor.showViews();
    const reason = editor.message(/Extrospect cannot attach to/);
    await chooseFromMenu(editor, refused(), "Why Can This VM Not Be Captured?", { leadsTo: reason });
    await reason.getByRole("button", { name: "Copy Command" }).click();
    await until("the command is copied", isCopied);
    await editor.screenshot("refused-with-command");
    await editor.page.evaluate(() => navigator.clipboard.writeText(""));
    await tried("copied by the menu, too", async (timeout) => {
      await chooseFromMenu(editor, refused(), "Copy Fix Command");
      return until("it is copied", isCopied, 5 * timeout);
    });
  });

  step(
    "installing a helper with rights shows the command first, and runs nothing unless that is confirmed",
    async () => {
      const { editor } = here;
      const dialog = editor.page.locator(".monaco-dialog-box");
      await editor.command("Extrospect: Install Privileged Helper");
      await dialog.waitFor();
      assert.match(
        await dialog.innerText(),
        /Install the privileged helper\?[^]*This runs in a terminal, which may prompt for a password: .*extrospect\S* install/,
      );
      await editor.screenshot("install-privileged");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      assert.equal(await editor.page.locator(".part.panel .terminal-wrapper").count(), 0);
    },
  );
});
