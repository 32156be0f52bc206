// A capture whose names try to become links, icons and lines of their own wherever the editor shows them.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { builtCapture } from "./built-captures.mjs";
import { flameCanvas } from "./flame-page.mjs";
import { scene } from "./scene.mjs";
import { until } from "../until.mjs";
import { captureInView, captureRow, openCapture, webview } from "./workbench.mjs";

const LINK = "[click](command:workbench.action.terminal.new)";
const SHOWN_LINK = "[click] (command:workbench.action.terminal.new)";
/** An icon, another line, and letters that turn the reading direction. */
const TRICKS = "$(error)\n\u202eback\u202c";
const NATIVE = `${LINK}${TRICKS}`;
const NOT_THERE = `gone${LINK}`;
const [NATIVE_KEY, GONE_KEY, MODULE_KEY, UNKNOWN_KEY, NO_PATH_KEY] = [
  "Control+Alt+1",
  "Control+Alt+2",
  "Control+Alt+3",
  "Control+Alt+4",
  "Control+Alt+5",
];
const MODULE = `'${LINK}':run/0`;

/** @param {string} key @param {string} command @param {unknown} args */
const binding = (key, command, args) => ({
  key: key.replace("Control", "ctrl").toLowerCase(),
  command: `extrospect.${command}`,
  args,
});

describe("hostile names", () => {
  const here = scene({
    keybindings: [
      binding(NATIVE_KEY, "openSource", { functionName: NATIVE }),
      binding(GONE_KEY, "showFlameGraph", { functionName: NOT_THERE }),
      binding(MODULE_KEY, "openSource", { functionName: MODULE }),
      binding(UNKNOWN_KEY, "openSource", { functionName: NOT_THERE }),
      binding(NO_PATH_KEY, "showTop", { uri: LINK }),
    ],
    prepare: async (folder) => {
      mkdirSync(join(folder, "captures"));
      const functions = [
        { name: NATIVE, rawName: `native!${NATIVE}` },
        { name: MODULE, file: `/nowhere/${LINK}${TRICKS}.erl`, line: 3 },
      ];
      writeFileSync(
        join(folder, "captures/hostile.pb.gz"),
        await builtCapture({ functions, target: { node: `${LINK}@host`, command: `beam.smp -sname ${LINK}` } }),
      );
      writeFileSync(join(folder, `captures/${LINK}.pb.gz`), "no capture");
    },
  });
  const { step } = here;

  /** Presses the keys, and takes the message that has the text. @param {string} key @param {string | RegExp} text */
  async function messageAfter(key, text) {
    const { editor } = here;
    await editor.clearNotifications();
    // A page passes keys on only while it has the focus.
    await flameCanvas(webview(editor.page)).press(key);
    return shownPlainly(text);
  }

  /** The message is there, can be read, and has neither link nor icon of the capture. @param {string | RegExp} text */
  async function shownPlainly(text) {
    const message = here.editor.message(text).locator(".notification-list-item-message");
    await message.waitFor();
    const said = await message.innerText();
    assert.equal(await message.locator("a").count(), 0, `a link in “${said}”`);
    assert.equal(await message.locator(".codicon").count(), 0, `an icon in “${said}”`);
    assert.ok(said.includes(SHOWN_LINK), said);
    assert.doesNotMatch(said, /[\n\u202a-\u202e]/);
  }

  step("of a C function: the message that it has no source", async () => {
    await openCapture(here.editor, "hostile");
    await until("its name", async () => (await captureInView(here.editor).innerText()).includes("hostile"));
    await messageAfter(NATIVE_KEY, "its code has no debug information");
    await here.editor.screenshot("hostile-names");
  });

  step("of a module and its file: the message that the source is not here", () =>
    messageAfter(MODULE_KEY, "is not in this workspace"),
  );

  step("of a function the capture does not hold: the message of the command", () =>
    messageAfter(UNKNOWN_KEY, "contains no function named"),
  );

  step("of a function the capture does not hold: the notice of the flame graph", () =>
    messageAfter(GONE_KEY, "has no samples in the capture in view"),
  );

  step("of a capture that is no path: the message that refuses it, and no other capture is shown instead", async () => {
    await messageAfter(NO_PATH_KEY, "names no capture: it is neither an absolute path nor an address. Set `uri`");
    assert.equal(await here.editor.tab("Hot Functions").count(), 0);
  });

  step("of a file that is no capture: the message that it cannot be shown", async () => {
    const { editor } = here;
    await editor.clearNotifications();
    await editor.showViews();
    const row = captureRow(editor, "[click]");
    await row.waitFor();
    await until("its message", async () => {
      await row.click();
      return editor
        .message("cannot be shown")
        .first()
        .waitFor({ timeout: 5_000 })
        .then(() => true);
    });
    await shownPlainly("cannot be shown");
  });

  step("none of them opened a terminal", async () => {
    assert.equal(await here.editor.page.locator(".terminal-wrapper").count(), 0);
  });
});
