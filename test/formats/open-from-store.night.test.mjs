// A query of a real store opened in the editor, by hand and by a key, and two of them compared.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { PbfWriter } from "pbf";
import { changedCapture } from "../changed-capture.mjs";
import { helperJson, runHelper } from "../e2e/helper.mjs";
import { scene } from "../editor/scene.mjs";
import { captureRow, chooseFromMenu, pickerRow, typeIntoInput, webview } from "../editor/workbench.mjs";
import { until } from "../until.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { Store } from "./store.mjs";

const FIXTURE = fileURLToPath(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
const SLOWER = "demo_reports:group_by_day/2";
const TITLE = "Extrospect: Open Capture from a Store (Pyroscope)…";
const OPENED = /^shop-\d.*\.pb\.gz$/;

/** The same capture as if it began so: the last value of a field counts. @param {Buffer} capture @param {number} unixMs */
function begunAt(capture, unixMs) {
  const pbf = new PbfWriter();
  pbf.writeVarintField(9, unixMs * 1e6);
  return Buffer.concat([capture, gzipSync(pbf.finish())]);
}

describe("a store of profiles in the editor", () => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-open-store-"));
  /** @type {Store} */
  let store;
  after(async () => {
    await store?.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const here = scene({
    prepare: async () => {
      mkdirSync(captures, { recursive: true });
      store = await Store.start(folder);
      const capture = readFileSync(FIXTURE);
      const slower = changedCapture(capture, (frames) => (frames.some(({ name }) => name === SLOWER) ? 3 : 1));
      for (const [commit, bytes] of /** @type {const} */ ([
        ["aaa", capture],
        ["bbb", slower],
      ])) {
        const file = join(folder, `${commit}.pb.gz`);
        writeFileSync(file, begunAt(bytes, Date.now() - 60_000));
        const run = await runHelper(["push", file, "--to", store.url, "--service", "shop", "--commit", commit]);
        assert.equal(run.code, 0, run.stderr);
      }
      await until(
        "both are in the store",
        async () => (await store.series()).filter(({ commit }) => commit === "aaa" || commit === "bbb").length >= 2,
      );
    },
  });
  const { step } = here;
  const captures = join(here.folder, "captures");
  const opened = () => readdirSync(captures).filter((name) => OPENED.test(name));

  /** @param {string} commit @returns {Promise<string>} the new file */
  async function open(commit) {
    const { editor } = here;
    const before = new Set(opened());
    await editor.command(TITLE);
    await typeIntoInput(editor, store.url);
    await pickerRow(editor, "Last hour").click();
    await pickerRow(editor, "shop").click();
    await pickerRow(editor, `commit: ${commit}`).click();
    await editor.page.keyboard.press("Enter");
    return until("a capture is saved and open", async () => {
      const name = opened().find((one) => !before.has(one));
      if (name === undefined) return false;
      await editor.tab(name).waitFor();
      return name;
    });
  }

  step("profiles are chosen by time, service and commit, and open as a capture with the names they had", async () => {
    const name = await open("aaa");
    const { samples } = await helperJson(["top", FIXTURE]);
    // The store keeps no samples without a frame.
    const folded = (await runHelper(["export", FIXTURE, "--format", "folded"])).stdout;
    const bare = Number(/^\[no stack\] (\d+)$/m.exec(folded)?.[1] ?? 0);
    const top = await helperJson(["top", join(captures, name), "-n", 0]);
    assert.equal(top.samples, samples - bare);
    const kinds = new Map(top.functions.map((/** @type {any} */ row) => [row.function, row.kind]));
    assert.equal(kinds.get("demo_pricing:best_price/2"), "erlang");
    await here.editor.screenshot("from-store");
  });

  step("another query of it is compared with the first", async () => {
    const [first = ""] = opened();
    const second = await open("bbb");
    const { editor } = here;
    const row = (/** @type {string} */ name) => captureRow(editor, name.replace(".pb.gz", ""));
    await editor.showViews();
    await chooseFromMenu(editor, row(first), "Select for Compare");
    // The entry is there once the editor has received the selection.
    await until("the entry of the menu", async () => {
      await row(second).click({ button: "right" });
      const entry = editor.page.locator(".monaco-menu .action-menu-item", { hasText: "Compare with Selected" });
      const isThere = await entry.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
      await editor.page.keyboard.press("Escape");
      return isThere;
    });
    await chooseFromMenu(editor, row(second), "Compare with Selected");
    const changed = webview(editor.page).locator(".grid:visible .grid-body .grid-row").first();
    await changed.locator("[data-column=name]", { hasText: SLOWER }).waitFor();
    assert.match(await changed.locator("[data-column=verdict]").innerText(), /slower/);
  });

  step("a missing store is reported with the remedy", async () => {
    const { editor } = here;
    await editor.command(TITLE);
    await typeIntoInput(editor, `http://127.0.0.1:${await freePort()}`);
    await pickerRow(editor, "Last hour").click();
    await editor.page.locator(".notification-toast", { hasText: "returns no profile" }).waitFor();
  });
});
