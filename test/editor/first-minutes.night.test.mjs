// The first minutes of new users in five projects: from an open window to the cursor on the hottest line of own code,
// with pictures on the way, in German, too.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { ELIXIR_DEMO, erlangDemoIn } from "../../scripts/demo-programs.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { VSIX } from "../../scripts/project.mjs";
import { measuredLine } from "../measured.mjs";
import { until } from "../until.mjs";
import { runNativeProject } from "../vms/native.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { rabbitmqSources } from "../vms/rabbitmq-sources.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../vms/rabbitmq.mjs";
import { runWebProject } from "../vms/web.mjs";
import { demoWorkspace } from "./demo-workspace.mjs";
import { editorSteps, startEditor } from "./editor.mjs";
import { sourcePane } from "./source-pane.mjs";
import { captureStatus, chooseTheme, cursor, pickerRow, rowOfCommand, webview } from "./workbench.mjs";

const MOST_ACTIONS = 4;
const LOOKS = /** @type {const} */ ([
  ["light", "Light Modern", "vs"],
  ["high-contrast", "Dark High Contrast", "hc-black"],
  ["dark", "Dark Modern", "vs-dark"],
]);

/**
 * @typedef {object} Project
 * @property {string} folder   opened in the editor
 * @property {number} pid      of its VM
 * @property {() => Promise<void>} stop
 */

/** A folder that is not there yet. @param {string} name */
const newFolder = (name) => join(mkdtempSync(join(tmpdir(), "extrospect-first-")), name);

/** @type {Record<string, () => Promise<Project>>} */
const PROJECTS = {
  "Erlang, rebar3": async () => {
    const folder = demoWorkspace("demo");
    return { folder, ...(await startDemo(erlangDemoIn(folder))) };
  },
  "Elixir, umbrella": async () => ({ folder: demoWorkspace(ELIXIR_DEMO.project), ...(await startDemo(ELIXIR_DEMO)) }),
  "Elixir, web framework": async () => {
    const folder = newFolder("storefront");
    return { folder, ...(await runWebProject(folder)) };
  },
  "NIFs in C and Rust": async () => {
    const folder = newFolder("native-shop");
    const vm = await runNativeProject(folder);
    return { folder, pid: vm.pid, stop: () => Promise.resolve(vm.kill()) };
  },
  RabbitMQ: async () => {
    const folder = newFolder("rabbitmq-server");
    cpSync(await rabbitmqSources(), folder, { recursive: true });
    const otp = await prepareOtp("27");
    const broker = await startRabbitmq(otp);
    const load = await startRabbitmqLoad(otp, broker, { seconds: 3600, pairs: 2, restMs: 50 });
    const stop = async () => {
      load.kill();
      await broker.stop();
    };
    return { folder, pid: broker.pid, stop };
  },
};

for (const [name, start] of Object.entries(PROJECTS))
  describe(name, () => {
    /** @type {Project | undefined} */
    let project;
    /** @type {import("./editor.mjs").Editor | undefined} */
    let editor;
    const here = () => ({ project: project ?? assert.fail("no project"), editor: editor ?? assert.fail("no editor") });
    /** @param {Project} ours @param {string} [language] */
    const open = (ours, language) =>
      startEditor({
        folder: ours.folder,
        vsix: VSIX,
        settings: { "extrospect.openSummary": true },
        ...(language !== undefined && { language }),
      });
    const shot = (/** @type {string} */ what) =>
      here().editor.screenshot(`first-${name.replaceAll(/\W+/g, "-").toLowerCase()}-${what}`);
    before(async () => {
      project = await start();
      editor = await open(project);
    });
    after(async () => {
      await editor?.stop();
      await project?.stop();
      if (project !== undefined) rmSync(project.folder, { recursive: true, force: true });
    });
    const step = editorSteps(() => here().editor);

    step("a capture leads to the hottest line of own code", async () => {
      const { project: ours, editor: window } = here();
      const { page } = window;
      const began = performance.now();
      let actions = 0;
      /** @param {() => Promise<unknown>} act   of the user */
      const action = async (act) => {
        actions += 1;
        await act();
      };
      await action(() => window.command("Extrospect: Start Capture (Record"));
      await pickerRow(window, String(ours.pid)).waitFor();
      await shot("1-targets");
      await action(() => pickerRow(window, String(ours.pid)).click());
      const place = webview(page).locator(".places .link").first();
      await place.waitFor();
      await shot("2-summary");
      // The order changes while samples arrive: the link that is pressed is the one that leads.
      await until("the cursor on the line of the link", async () => {
        const text = await place.innerText();
        await action(() => place.click());
        return until(
          "it",
          async () => {
            const { file, line } = await cursor(window);
            return text.endsWith(`${file}:${String(line)}`);
          },
          5_000,
        );
      });
      const seconds = (performance.now() - began) / 1000;
      console.log(measuredLine("from an open window to the hottest line", seconds, name));
      console.log(measuredLine("actions from an open window to the hottest line", actions, name));
      assert.ok(actions <= MOST_ACTIONS, `${actions} actions`);
      const { line } = await cursor(window);
      await until("its mark", async () => {
        const { marks } = await sourcePane(page);
        return marks.some((mark) => mark.line === line) || assert.fail(`${line}: ${JSON.stringify(marks)}`);
      });
      await shot("3-line");
    });

    step("it is the same in other themes, and in a narrow window", async () => {
      const { editor: window } = here();
      for (const [look, label, kind] of LOOKS) {
        await chooseTheme(window, label, kind);
        await shot(look);
      }
      const size = window.page.viewportSize() ?? { width: 1400, height: 900 };
      await window.command("View: Close Primary Side Bar");
      await window.page.setViewportSize({ width: 400, height: size.height });
      await shot("narrow");
      await window.page.setViewportSize(size);
    });

    step("it is the same in German", async () => {
      const { project: ours, editor: english } = here();
      await english.command("Extrospect: Stop Capture");
      assert.doesNotMatch(english.log(), /\[error\]/);
      await english.stop();
      // The steps behind it, and the files of a failure, are of this window.
      const window = (editor = await open(ours, "de"));
      const { page } = window;
      // The palette finds a command by its English title, too, and shows both.
      await rowOfCommand(window, "Extrospect: Start Capture (Record", String(ours.pid));
      await shot("german-1-targets");
      await pickerRow(window, String(ours.pid)).click();
      const summary = webview(page);
      await summary.locator(".places .link").first().waitFor();
      assert.equal(await summary.locator("html").getAttribute("lang"), "de");
      await shot("german-2-summary");
      await until("the cursor on the hottest line", async () => {
        await summary.locator(".places .link").first().click();
        const { line } = await cursor(window);
        const { marks } = await sourcePane(page);
        return marks.some((mark) => mark.line === line);
      });
      await captureStatus(window).filter({ hasText: "Samples" }).waitFor();
      await shot("german-3-line");
    });

    step("nothing failed behind the scenes", async () => {
      await here().editor.command("Extrospect: Stop Capture");
      assert.doesNotMatch(here().editor.log(), /\[error\]/);
    });
  });
