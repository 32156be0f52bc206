// Views and pickers with a VM that is a node of a cluster, detached captures, and source path rules.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { must } from "../must.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { busyShell } from "../vms/busy-shell.mjs";
import { HOST, nodeFlags, startEpmd } from "../vms/own-epmd.mjs";
import { builtCapture } from "./built-captures.mjs";
import { shownSamples } from "./flame-page.mjs";
import { scene } from "./scene.mjs";
import { headLine } from "./source-pane.mjs";
import {
  answerFromMenu,
  captureInView,
  chooseFromMenu,
  chooseRow,
  closeAllTabs,
  closePicker,
  lensOf,
  lineElement,
  openCapture,
  openFile,
  pickerRow,
  recordedSamples,
  webview,
} from "./workbench.mjs";

const PRICING = readFileSync(join(ROOT, "demo/src/demo_pricing.erl"), "utf8");
const [KIOSK, STORE] = [`kiosk@${HOST}`, `store@${HOST}`];

describe("rows and rules", () => {
  /** @type {import("node:child_process").ChildProcess[]} */
  const started = [];
  /** @type {import("../vms/own-epmd.mjs").OwnEpmd | undefined} */
  let epmd;
  before(async () => {
    epmd = await startEpmd();
    for (const [name, program] of /** @type {const} */ ([
      ["store", ""],
      ["kiosk", `(fun Join() -> net_kernel:connect_node('${STORE}') orelse begin timer:sleep(100), Join() end end)(),`],
    ])) {
      const vm = spawn("erl", busyShell({ program, more: nodeFlags(name) }), {
        env: { ...process.env, ...epmd.env },
        stdio: ["pipe", "pipe", "inherit"],
      });
      started.push(vm);
      await once(vm.stdout, "data");
    }
  });
  const here = scene({
    settings: { "extrospect.sourcePrefixes": { "/app/": "demo", "/app/deps/": null } },
    prepare: async (folder) => {
      must("git", "-C", folder, "init", "-q", "-b", "main");
      must("git", "-C", folder, "add", "demo");
      must(
        "git",
        "-C",
        folder,
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@localhost",
        "commit",
        "-q",
        "-m",
        "The shop",
      );
      mkdirSync(join(folder, "captures"));
      const functions = [
        { name: "demo_pricing:best_price/2", file: "/app/src/demo_pricing.erl", line: headLine(PRICING, "best_price") },
      ];
      writeFileSync(join(folder, "captures/release.pb.gz"), await builtCapture({ functions }));
    },
  });
  after(() => {
    for (const one of started.reverse()) one.kill("SIGKILL");
    epmd?.stop();
  });
  const { step } = here;

  step("a source is found by a rule, the hover names it, and the list of rules has it", async () => {
    const { editor } = here;
    const { page } = editor;
    await openCapture(editor, "release");
    await openFile(editor, "demo/src/demo_pricing.erl");
    const { line } = await lensOf(editor, "demo_pricing:best_price/2");
    assert.equal(line, headLine(PRICING, "best_price"));
    const hover = page.locator(".monaco-hover:visible", { hasText: "Found by the rule /app/ → demo of the settings." });
    await until("the hover", async () => {
      await page.mouse.move(5, 5);
      await (await lineElement(editor, line)).locator("span span").first().hover({ timeout: 3_000 });
      await hover.waitFor({ timeout: 3_000 });
      return true;
    });
    await editor.screenshot("source-rule-hover");
    await editor.command("Extrospect: Source Path Rules");
    await pickerRow(editor, "/app/ → demo").waitFor();
    await pickerRow(editor, "/app/deps/ → –").waitFor();
    await editor.screenshot("source-rules");
    await closePicker(editor);
    await closeAllTabs(editor);
  });

  step("from the menu of a VM its nodes are listed, and the one that is chosen is captured", async () => {
    const { editor } = here;
    await editor.showViews();
    const kiosk = editor.row(/^\s*kiosk@/);
    await kiosk.waitFor();
    const store = pickerRow(editor, STORE);
    await chooseFromMenu(editor, kiosk, "Connected Nodes", { leadsTo: store });
    assert.match(await store.innerText(), /connected · this machine/);
    assert.equal(await pickerRow(editor, KIOSK).count(), 0);
    await editor.screenshot("connected-nodes");
    await chooseRow(store);
    await until("samples", async () => (await recordedSamples(editor)) > 0);
    await until("the other node in view", async () => (await captureInView(editor).innerText()).includes("store"));
    await editor.command("Extrospect: Stop Capture");
  });

  step("a capture that continues without the editor has a row with its outcome", async () => {
    const { editor } = here;
    const { page } = editor;
    await answerFromMenu(editor, editor.row(/^\s*kiosk@/), "Start Capture in the Background", {
      prompt: "Name of the capture",
      text: "night",
    });
    await pickerRow(editor, "Until it is stopped").waitFor();
    await editor.screenshot("detached-duration");
    await pickerRow(editor, "8 h").click();
    await editor.message(/night records on this machine and continues without the editor, for at most 8 h/).waitFor();
    await editor.row(/^\s*night\s*recording since .* · kiosk@/).waitFor();
    await editor.screenshot("detached-recording");
    await editor.row(/^\s*night/).click();
    await until("a graph that grows", async () => (await shownSamples(webview(page))) > 0);
    const [first, state] = [await shownSamples(webview(page)), captureInView(editor)];
    await until("more samples", async () => (await shownSamples(webview(page))) > first + 100);
    assert.match(await state.innerText(), /night · .*kiosk.* · live/);
    await editor.screenshot("detached-followed");
    // Once more leads to the one that is followed.
    const recording = editor.row(/^\s*night\s*recording since/);
    await recording.click();
    const ended = editor.row(/^\s*night\s*ended: stopped · .* · kiosk@/);
    await editor.rowAction(recording, "Stop", () => ended.isVisible());
    await until("it is no longer live", async () => !(await state.innerText()).includes("live"));
    const samples = await shownSamples(webview(page));
    assert.ok(samples > first);
    await editor.screenshot("detached-ended-in-view");
    await closeAllTabs(editor);
    const file = page.locator(".tab[data-resource-name^='night']").first();
    await editor.rowAction(ended, "Fetch", () => file.isVisible());
    await editor.screenshot("detached-fetched");
    // Of the commit that the workspace was at when it was started.
    const [fetched = ""] = readdirSync(join(here.folder, "captures")).filter((name) => name.startsWith("night"));
    const commit = must("git", "-C", here.folder, "rev-parse", "HEAD").trim();
    await until("its commit", () =>
      readProfile(join(here.folder, "captures", fetched)).comments.some(
        (comment) => comment.startsWith("extrospect/origin ") && comment.includes(commit),
      ),
    );
    const dialog = page.locator(".monaco-dialog-box");
    await chooseFromMenu(editor, ended, "Delete", { leadsTo: dialog });
    assert.match(await dialog.innerText(), /Delete night\?/);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await ended.waitFor({ state: "detached" });
  });

  step("nothing failed behind the scenes", async () => {
    assert.doesNotMatch(here.editor.log(), /\[error\]/);
  });
});
