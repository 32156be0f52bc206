// Capture files of all kinds, and a source file that is not there.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe } from "node:test";
import { repeatCapture } from "../../bench/large-capture.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { measuredLine } from "../measured.mjs";
import { flameCanvas, shownSamples } from "./flame-page.mjs";
import { scene } from "./scene.mjs";
import { until } from "../until.mjs";
import {
  answerFromMenu,
  captureRow,
  chooseFromMenu,
  closeAllTabs,
  lensesShown,
  openAsCapture,
  openCapture,
  openFile,
  webview,
} from "./workbench.mjs";

const FIXTURES = join(ROOT, "test/unit/capture/fixtures");
/** So little of a capture that nothing can be read. */
const CUT_BYTES = 100;
const STACKS = 500_000;
/** A recording as `perf script` prints it: event and function of each sample. */
const PERF_SAMPLES = [["cpu-clock:ppp", "process_main"], ["page-faults", "memcpy"], ["cpu-clock:ppp", "process_main"], ["page-faults", "memcpy"], ["cpu-clock:ppp", "sys_read"]]; // prettier-ignore

describe("files", () => {
  const here = scene({
    prepare: (folder) => {
      rmSync(join(folder, "demo/src/demo_stock.erl"));
      const small = readFileSync(join(FIXTURES, "demo.pb.gz"));
      const { members, stacks } = repeatCapture(small, { samples: Math.round(STACKS * 1.1), variety: 1 });
      assert.ok(stacks >= STACKS, `${stacks} stacks`);
      mkdirSync(join(folder, "captures"));
      writeFileSync(join(folder, "captures/large.pb.gz"), Buffer.concat(members));
      mkdirSync(join(folder, "files"));
      for (const name of ["go-cpu.pb.gz", "demo.pb.gz"])
        copyFileSync(join(FIXTURES, name), join(folder, "files", name));
      writeFileSync(join(folder, "files/cut.pb.gz"), small.subarray(0, CUT_BYTES));
      writeFileSync(
        join(folder, "files/perf.txt"),
        PERF_SAMPLES.map(([event, name], at) => perfSample(at, `${event}`, `${name}`)).join(""),
      );
      writeFileSync(join(folder, "files/some.folded"), "main;work 3\nmain;idle 2\n");
      writeFileSync(join(folder, "files/bad.cpuprofile"), '\n{"nodes":[{"id":1,"callFrame":{"functionName":"a"');
      writeFileSync(join(folder, "files/text.pb.gz"), "This is no profile <b>at all</b>.");
    },
  });
  const { step } = here;

  step("a capture with half a million stacks opens and is drawn", async () => {
    const { editor } = here;
    await editor.showViews();
    await editor.row("large").waitFor();
    const startedMs = performance.now();
    await openCapture(editor, "large");
    await until("its samples", async () => (await shownSamples(webview(editor.page))) >= STACKS);
    const tookMs = performance.now() - startedMs;
    console.log(
      measuredLine(
        "editor, opening a capture of another tool",
        tookMs,
        "half a million stacks, from the click to the graph",
      ),
    );
    await editor.screenshot("half-a-million-stacks");
  });

  step("and the editor still answers", async () => {
    const { editor } = here;
    await openFile(editor, "demo/src/demo_pricing.erl");
    await lensesShown(editor);
    assert.doesNotMatch(editor.log(), /\[error\]/);
    await closeAllTabs(editor);
  });

  step("a profile of another program opens as flame graph and table", async () => {
    const { editor } = here;
    const { page } = editor;
    await openAsCapture(editor, "files/go-cpu.pb.gz");
    await flameCanvas(webview(page)).waitFor();
    await editor.screenshot("foreign-flame");
    await editor.command("Extrospect: Show Hot Functions");
    const rows = webview(page).locator("[role=treegrid] .grid-body .grid-row");
    await until("functions of Go", async () => /main\.|runtime\./.test((await rows.allInnerTexts()).join("\n")));
    await editor.screenshot("foreign-top");
    await closeAllTabs(editor);
  });

  step("a recording of perf with several events: the one is shown that is chosen", async () => {
    const { editor } = here;
    const { page } = editor;
    await openByPath(editor, join(here.folder, "files/perf.txt"));
    const picker = page.locator(".quick-input-widget", { hasText: "perf.txt has samples of several events" });
    const rows = picker.locator(".quick-input-list .monaco-list-row");
    await rows.first().waitFor();
    // Most samples first.
    assert.deepEqual(
      (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, "")),
      ["cpu-clock:ppp3samples", "page-faults2samples"],
    );
    await editor.screenshot("perf-events");
    await rows.filter({ hasText: "page-faults" }).click();
    await until("that event's samples", async () => (await shownSamples(webview(page))) === 2);
    await editor.screenshot("perf-event-chosen");
    await closeAllTabs(editor);
  });

  step("a file of another tool opens as a capture by its name, from the explorer's menu as well", async () => {
    const { editor } = here;
    const { page } = editor;
    await openAsCapture(editor, "files/some.folded");
    await until("its samples", async () => (await shownSamples(webview(page))) === 5);
    await closeAllTabs(editor);
    await editor.openFile("files/some.folded");
    await editor.command("File: Reveal Active File in Explorer View");
    const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "some.folded" });
    await chooseFromMenu(editor, row, "Open as Capture", { leadsTo: flameCanvas(webview(page)) });
    await until("its samples", async () => (await shownSamples(webview(page))) === 5);
    await editor.screenshot("explorer-open-as-capture");
    await closeAllTabs(editor);
  });

  for (const [name, why, fix] of /** @type {const} */ ([
    [
      "bad.cpuprofile",
      /looks like cpuprofile, but cannot be read: its end is missing/,
      /export it again, with the tool that made it/,
    ],
    ["cut.pb.gz", /not a pprof profile/, /must be a gzip-compressed pprof profile/],
    ["text.pb.gz", /none of the supported formats: pprof/, /export it again, with the tool that made it/],
  ])) {
    step(`a file that is no whole capture (${name}) has a page with the reason`, async () => {
      const { editor } = here;
      const { page } = editor;
      await openAsCapture(editor, `files/${name}`);
      const body = webview(page).locator("body");
      await body.getByRole("heading", { name: `${name} cannot be shown` }).waitFor();
      assert.match(await body.getByRole("alert").innerText(), why);
      assert.match(await body.innerText(), fix);
      await editor.screenshot(`broken-${name}`);
      await closeAllTabs(editor);
    });
  }

  step("a file that becomes a capture has its graph, once: a note on it does not load the page again", async () => {
    const { editor } = here;
    const file = join(here.folder, "captures/late.pb.gz");
    writeFileSync(file, "not yet");
    await editor.openFile("captures/late.pb.gz");
    const view = webview(editor.page);
    await view.getByRole("heading", { name: "late.pb.gz cannot be shown" }).waitFor();
    const whole = readFileSync(join(FIXTURES, "demo.pb.gz"));
    await until("the graph", async () => {
      // Each time anew: the editor may only just have begun to look for changes.
      writeFileSync(file, whole);
      return flameCanvas(view)
        .waitFor({ timeout: 5_000 })
        .then(() => true);
    });
    await view.locator("body").evaluate((body) => body.setAttribute("data-once", "yes"));
    await editor.showViews();
    for (const text of ["first note", "second note"]) {
      await answerFromMenu(editor, captureRow(editor, "late"), "Edit Note of Capture…", { text });
      await captureRow(editor, new RegExp(`late.*${text}`)).waitFor();
    }
    // The editor has looked for changes since.
    const other = join(here.folder, "captures/later.pb.gz");
    writeFileSync(other, whole);
    await captureRow(editor, "later").waitFor();
    assert.equal(await view.locator("body").getAttribute("data-once"), "yes");
    await closeAllTabs(editor);
    for (const one of [file, other]) rmSync(one);
  });

  step("a function whose file is not in the workspace: a message reports it", async () => {
    const { editor } = here;
    const { page } = editor;
    await openAsCapture(editor, "files/demo.pb.gz");
    await flameCanvas(webview(page)).waitFor();
    await editor.command("Extrospect: Show Hot Functions");
    // The flame graph, which is in sight until then, has a text field as well.
    await webview(page).locator(".grid-body .grid-row").first().waitFor();
    await webview(page).locator("vscode-textfield input").first().fill("demo_stock:take");
    await webview(page)
      .locator(".grid-body .grid-row", { hasText: "demo_stock:take/1" })
      .locator("[data-column=name] .name")
      .dblclick();
    await editor
      .message(/The source of demo_stock is not in this workspace\. The VM reports demo\/src\/demo_stock\.erl\./)
      .waitFor();
    await editor.screenshot("no-source");
    await closeAllTabs(editor);
  });
});

/** @param {number} at @param {string} event @param {string} name */
function perfSample(at, event, name) {
  return `erts_sched_1  4711/4720  [000]  1.000${at}:   10101010 ${event}: \n\t  483b53 ${name}+0x10 (/usr/lib/beam.smp)\n\n`;
}

/** Opens a file of any name as a capture, through the dialog. @param {import("./editor.mjs").Editor} editor @param {string} path */
async function openByPath(editor, path) {
  await editor.command("Extrospect: Open Capture…");
  const dialog = editor.page.locator(".quick-input-widget", { hasText: "Open a Capture" });
  const input = dialog.locator("input.input");
  // It writes the folder that it begins with by itself, some time after it is there.
  await until("the dialog has its folder", async () => (await input.inputValue()).endsWith("/captures/"));
  await input.fill(`${dirname(path)}/`);
  await dialog.locator(".quick-input-list .monaco-list-row", { hasText: basename(path) }).click();
}
