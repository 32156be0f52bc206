// A VM that runs: found, captured, looked at, stopped, kept, and opened again; also in the background, on another host
// and by a command.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { startDemo } from "../../../scripts/demo-vm.mjs";
import { ERLANG_DEMO } from "../../../scripts/demo-programs.mjs";
import { readProfile } from "../../pprof-reader.mjs";
import { until } from "../../until.mjs";
import { farHost } from "../far-host.mjs";
import { flameCanvas, shownSamples } from "../flame-page.mjs";
import { sourcePane } from "../source-pane.mjs";
import {
  answerFromMenu,
  attach,
  captureInView,
  captureRow,
  captureStatus,
  chooseFromMenu,
  chooseRow,
  clickUntil,
  closeAllTabs,
  inputBox,
  lensesShown,
  lensFigures,
  lensOf,
  openCapture,
  openFile,
  pickerRow,
  recordedSamples,
  rowOnHost,
  typeIntoInput,
  webview,
} from "../workbench.mjs";

const PRICING = "demo/src/demo_pricing.erl";

/** @param {import("../shared-editor.mjs").SharedEditor} shared */
export function liveCapture(shared) {
  shared.scene("a VM that runs", () => {
    const far = farHost();
    /** @type {import("../../../scripts/demo-vm.mjs").Demo | undefined} */
    let demo;
    before(async () => {
      demo = await startDemo(ERLANG_DEMO.unhurried);
    });
    after(async () => {
      await demo?.stop();
      await far.leave();
    });
    return {
      machineSettings: far.machineSettings,
      settings: { "extrospect.openSummary": true, "extrospect.codeLens.minimumPercent": 0.1 },
      steps: (here) => {
        const { step, next, folder } = here;
        const pid = () => demo?.pid ?? 0;
        const captureFiles = () => {
          const captures = join(folder, "captures");
          return existsSync(captures) ? readdirSync(captures).filter((name) => name.endsWith(".pb.gz")) : [];
        };
        /** The text of the status bar at the end, which is there for some seconds only: nothing when they are over. */
        const stopped = async () => {
          await here.editor.command("Extrospect: Stop Capture");
          const item = captureStatus(here.editor);
          return until("the end in the status bar", async () => {
            if ((await item.count()) === 0) return "";
            return (await item.locator(".codicon-check").count()) > 0 ? (await item.allInnerTexts()).join() : undefined;
          });
        };

        step("it is in the view of targets, with the requirements that the system lacks", async () => {
          const { editor } = here;
          await editor.showViews();
          await editor.row(String(pid())).waitFor();
          await until("no captures", async () =>
            /No captures in this workspace yet/.test(await editor.page.locator(".sidebar").innerText()),
          );
          await editor.command("Extrospect: Check Permissions and Setup");
          await editor.tab("Requirements of Sampling").waitFor();
          await closeAllTabs(editor);
        });

        step(
          "captured from the picker, lenses come above the functions, marks beside the lines, and the summary",
          async () => {
            const { editor } = here;
            await openFile(editor, PRICING);
            await attach(editor, pid());
            await editor.page.locator(".tab", { hasText: /^Summary/ }).waitFor();
            await webview(editor.page).locator(".places li").first().waitFor();
            for (const name of ["handle_call/3", "best_price/2", "redeem/2"])
              await lensOf(editor, `demo_pricing:${name}`, (shown) => lensFigures(shown).samples > 0);
            await until("marks on hot lines", async () => (await sourcePane(editor.page)).marks.length > 0);
            await until("samples that are counted", async () => (await recordedSamples(editor)) > 0);
          },
        );

        next(
          "the flame graph and the hot functions grow; a double click on a row that moves opens its source",
          async () => {
            const { editor } = here;
            await closeAllTabs(editor);
            await editor.command("Extrospect: Show Flame Graph");
            const frame = webview(editor.page);
            await flameCanvas(frame).waitFor();
            const first = await until("samples", async () => (await shownSamples(frame)) || undefined);
            await until("more samples", async () => (await shownSamples(frame)) > first);
            await editor.command("Extrospect: Show Hot Functions");
            const row = webview(editor.page).locator(".grid-body .grid-row", { hasText: "demo_pricing:best_price/2" });
            const source = editor.page.locator(".tab.active", { hasText: "demo_pricing.erl" });
            // The row may move away between the look at its place and the clicks.
            await clickUntil(row.locator("[data-column=name] .name"), () => source.isVisible(), { clickCount: 2 });
          },
        );

        next(
          "stopped, it is listed, kept out of git, closed and opened again with its graph and its lenses",
          async () => {
            const { editor } = here;
            const ending = await stopped();
            if (ending !== "") assert.match(ending, /\d+ samples/);
            await editor.showViews();
            const [file = ""] = await until("a file", () => (captureFiles().length > 0 ? captureFiles() : undefined));
            assert.match(readFileSync(join(folder, "captures/.gitignore"), "utf8"), /^\*$/m);
            const samples = readProfile(join(folder, "captures", file)).samples.reduce(
              (sum, { values: [one = 0] }) => sum + one,
              0,
            );
            const name = file.replace(".pb.gz", "");
            await captureRow(editor, name).waitFor();
            await openFile(editor, PRICING);
            await lensesShown(editor);
            await editor.command("Extrospect: Close Capture");
            // Lenses are gone for a moment, too, whenever they are drawn anew.
            await captureInView(editor).waitFor({ state: "detached" });
            await lensesShown(editor, false);
            await openCapture(editor, name);
            await until("its samples", async () => (await shownSamples(webview(editor.page))) === samples);
            await openFile(editor, PRICING);
            await lensesShown(editor);
          },
        );

        step(
          "a capture in the background has a row of its own; it is followed, stopped, fetched and deleted",
          async () => {
            const { editor } = here;
            const name = "by-itself";
            await closeAllTabs(editor);
            await editor.showViews();
            await answerFromMenu(editor, editor.row(String(pid())).first(), "Start Capture in the Background", {
              prompt: "Name of the capture",
              text: name,
            });
            await chooseRow(pickerRow(editor, "8 h"));
            const recording = editor.row(/^\s*by-itself\s*recording since/);
            const tab = editor.page.locator(`.tab[data-resource-name^="${name}"]`).first();
            await recording.waitFor();
            await clickUntil(recording, () => tab.isVisible());
            await until("samples", async () => (await shownSamples(webview(editor.page))) > 0);
            const ended = editor.row(/^\s*by-itself\s*ended: stopped/);
            await editor.rowAction(recording, "Stop", () => ended.isVisible());
            await closeAllTabs(editor);
            await editor.rowAction(ended, "Fetch", () => tab.isVisible());
            await until("its file", () => captureFiles().some((file) => file.startsWith(name)));
            const dialog = editor.page.locator(".monaco-dialog-box");
            await chooseFromMenu(editor, ended, "Delete", { leadsTo: dialog });
            await dialog.getByRole("button", { name: "Delete" }).click();
            await ended.waitFor({ state: "detached" });
          },
        );

        step("on another host by ssh: the helper is sent, its VM is chosen and captured", async () => {
          const { editor } = here;
          await closeAllTabs(editor);
          const before = captureFiles().length;
          await chooseRow(await rowOnHost(editor, "far", String(pid())));
          await until("samples", async () => (await recordedSamples(editor)) > 0);
          await stopped();
          await until("its file", () => captureFiles().length === before + 1);
          await editor.showViews();
          await editor.row(/^\s*far\s*connected/).waitFor();
          await until("its VM in both views", async () => (await editor.row(`pid ${String(pid())}`).count()) === 2);
        });

        step("a command is profiled: its VM is captured, and the capture is shown when it has ended", async () => {
          const { editor } = here;
          const captures = join(folder, "captures");
          mkdirSync(captures, { recursive: true });
          const before = captureFiles().length;
          // It works until something of its capture is written.
          const work = `L = lists:seq(1, 100000), W = fun W() -> lists:sort(fun(A, B) -> A > B end, L), [F || F <- filelib:wildcard("${captures}/command-*.pb.gz"), filelib:file_size(F) > 0] =/= [] orelse W() end, W(), halt(3).`;
          await editor.command("Extrospect: Profile a Command");
          const [others, prompt] = [pickerRow(editor, "Another Command…"), "A command line for your shell"];
          // Where the workspace has no tasks there is nothing to choose from.
          await others.or(inputBox(editor, prompt)).first().waitFor();
          if (await others.isVisible()) await chooseRow(others);
          await typeIntoInput(editor, `erl -noshell -eval '${work}'`, prompt);
          await editor.notification(/is captured and shown\. Its exit code is 3\./);
          assert.equal(captureFiles().length, before + 1);
        });
      },
    };
  });
}
