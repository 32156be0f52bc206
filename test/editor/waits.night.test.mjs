// "Start Wait Capture" in the workbench, on a VM whose calls are known.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { namedAlone, runErl } from "../vms/vm.mjs";
import { helpersBelow } from "./helper-processes.mjs";
import { scene } from "./scene.mjs";
import { answerFromMenu, chooseTheme, closePicker, inputBox, reloadWindow, webview } from "./workbench.mjs";

const CALLERS = 40;
const QUESTION = "Seconds to watch";

describe("where the processes of a VM wait", () => {
  /** @type {import("../vms/vm.mjs").RunningVm} */
  let vm;
  /** @type {{stuck: string, edges: [string, string][], rings: string[][]}} */
  let truth;
  before(async () => {
    vm = await runErl({
      otp: await prepareOtp("25"),
      module: "gt_waits",
      args: [CALLERS],
      emulatorFlags: namedAlone("waiting"),
    });
    truth = /** @type {any} */ (await vm.report());
  });
  after(() => vm.kill());
  const here = scene({ viewport: { width: 1600, height: 950 } });
  const { step } = here;
  const page = () => webview(here.editor.page);

  step("from the row of a VM, a capture of the requested seconds names the process that all wait for", async () => {
    const { editor } = here;
    await editor.showViews();
    const row = editor.row(String(vm.pid));
    await row.waitFor();
    await answerFromMenu(editor, row, "Where Processes Wait", { prompt: QUESTION, text: "2" });
    await editor.tab("Where Processes Wait: waiting@").waitFor();
    const ends = page().getByRole("table", { name: "What Most Processes Wait For" });
    await ends.waitFor();
    const [all, direct, process] = await ends.locator("tbody tr").first().locator("td").allInnerTexts();
    assert.equal(process, `${truth.stuck} shop_db`);
    // Those of the truth that lead to it, and the one that made it stick.
    const to = (/** @type {string} */ pid) => truth.edges.filter(([, called]) => called === pid).map(([from]) => from);
    const directly = to(truth.stuck);
    assert.equal(Number(direct), directly.length + 1);
    assert.equal(Number(all), directly.length + 1 + directly.flatMap(to).length);
  });

  step("circles are named, and their graph is drawn", async () => {
    const cycles = await page().locator(".cycles li").allInnerTexts();
    const shown = cycles.map((cycle) => [...new Set(cycle.match(/<[\d.]+>/g))]);
    const lengths = shown.map(({ length }) => length);
    assert.deepEqual(
      lengths,
      lengths.toSorted((a, b) => b - a),
      "the longest first",
    );
    // Those of one length have no order.
    const inOrder = (/** @type {string[][]} */ rings) => rings.map((ring) => ring.toSorted().join(" ")).toSorted();
    assert.deepEqual(inOrder(shown), inOrder(truth.rings));
    assert.equal(await page().getByRole("img").count(), 1);
    await here.editor.screenshot("waits-graph");
    await chooseTheme(here.editor, "Light Modern", "vs");
    await here.editor.screenshot("waits-graph-light");
  });

  step("its capture is a flame graph of the time that they waited", async () => {
    const { editor } = here;
    await page().getByRole("button", { name: "Flame Graph" }).click();
    const frame = page();
    await until("the flame graph", async () => (await frame.locator("canvas").count()) > 0);
    await until("it names its unit", async () => /milliseconds|waiting/i.test(await frame.locator("body").innerText()));
    await editor.screenshot("waits-flame-graph");
    const text = await frame.locator("body").innerText();
    assert.doesNotMatch(text, /\bsamples?\b/, "time that processes wait is no sample");
  });

  step(
    "the window is reloaded: the process that all wait for comes back from the capture, and nothing is started",
    async () => {
      const { editor } = here;
      await editor.tab("Where Processes Wait: waiting@").click();
      const ends = page().getByRole("table", { name: "What Most Processes Wait For" });
      const edges = page().getByRole("table", { name: "Waits Between Processes, by Name" });
      await ends.waitFor();
      const texts = async () => [
        await page().locator("h1.heading").innerText(),
        await ends.innerText(),
        await edges.innerText(),
        await page().locator(".cycles").innerText(),
      ];
      const before = await texts();
      const [, counts = ""] =
        /^(\d+ of \d+ processes waited)/.exec(await page().locator("main p.quiet[role=status]").innerText()) ?? [];
      const helpers = new Set(helpersBelow(editor.server.pid));
      await reloadWindow(editor);
      await editor.tab("Where Processes Wait: waiting@").waitFor();
      await ends.waitFor();
      assert.deepEqual(await texts(), before);
      assert.ok(
        counts !== "" && (await page().locator("main p.quiet[role=status]").innerText()).startsWith(counts),
        counts,
      );
      assert.deepEqual(
        helpersBelow(editor.server.pid).filter((pid) => !helpers.has(pid)),
        [],
      );
      await editor.screenshot("waits-restored");
      await page().getByRole("button", { name: "Watch Again" }).click();
      await inputBox(editor, QUESTION).waitFor();
      await closePicker(editor);
    },
  );
});
